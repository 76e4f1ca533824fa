import Testing

@testable import Formats

@Suite struct RecordRoomTests {
  @Test func `a batch stays as it is when the room is filled again`() {
    var room = RecordRoom("", size: 2)
    func fill(_ texts: [String]) -> [String] {
      for text in texts {
        room.add {
          $0 = text
          return true
        }
      }
      return room.take()
    }
    let first = fill(["one", "two"])
    let second = fill(["three", "four"])
    #expect(first == ["one", "two"])
    #expect(second == ["three", "four"])
  }

  @Test func `what is not added is no part of a batch`() {
    var room = RecordRoom(0, size: 3)
    for number in 1...4 {
      room.add {
        $0 = number
        return number % 2 == 0
      }
    }
    #expect(!room.isFull)
    #expect(room.take() == [2, 4])
    #expect(room.isEmpty)
    #expect(room.take().isEmpty)
  }
}
