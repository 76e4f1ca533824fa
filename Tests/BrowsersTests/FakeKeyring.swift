import Foundation
import TestSupport

/// A session bus with nobody on it but a keyring: it speaks just enough D-Bus to be asked for secrets.
final class FakeKeyring: @unchecked Sendable {
  /// The items: which application each is for, its secret, whether it is locked.
  struct Item {
    var application: String
    var secret: String
    var isLocked = false
  }

  private let folder = TemporaryDirectory()
  private let items: [Item]
  private let listener: Int32
  private let path: String

  /// The address of the bus.
  var address: String { "unix:path=" + path }

  init(_ items: [Item]) throws {
    self.items = items
    let path = folder.file("bus")
    self.path = path
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    listener = socket
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 }
    }
    guard isBound, listen(socket, 5) == 0 else { throw CocoaError(.fileWriteUnknown) }
    let thread = Thread { [items] in
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        var conversation = FakeKeyring.Conversation(connection, items)
        conversation.run()
        close(connection)
      }
    }
    thread.start()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// One client, little-endian as everyone here is.
  private struct Conversation {
    let connection: Int32
    let items: [Item]
    var serial: UInt32 = 0

    init(_ connection: Int32, _ items: [Item]) {
      self.connection = connection
      self.items = items
    }

    mutating func run() {
      guard authenticate() else { return }
      while let message = readMessage() {
        var reply = Body()
        switch message.member {
        case "Hello": reply.string(":1.1")
        case "OpenSession":
          reply.variant("")
          reply.string("/session")
        case "SearchItems":
          let wanted = items.indices.filter { message.text.contains(items[$0].application) }
          reply.paths(wanted.filter { !items[$0].isLocked }.map { "/item/\($0)" })
          reply.paths(wanted.filter { items[$0].isLocked }.map { "/item/\($0)" })
        case "GetSecret":
          let index = Int(message.path.split(separator: "/").last ?? "") ?? 0
          reply.align(8)
          reply.string("/session")
          reply.array([])
          reply.array(Array(items[index].secret.utf8))
          reply.string("text/plain")
        default: continue
        }
        let signature =
          switch message.member {
          case "Hello": "s"
          case "OpenSession": "vo"
          case "SearchItems": "aoao"
          default: "(oayays)"
          }
        send(reply.bytes, signature, to: message.serial)
      }
    }

    private func authenticate() -> Bool {
      guard read(1) != nil else { return false }
      while let line = readLine() {
        if line.hasPrefix("AUTH EXTERNAL") {
          write(Array(line == "AUTH EXTERNAL" ? "DATA\r\n".utf8 : "OK 0123456789abcdef0123456789abcdef\r\n".utf8))
        } else if line.hasPrefix("DATA") {
          write(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8))
        } else if line.hasPrefix("NEGOTIATE") {
          write(Array("ERROR\r\n".utf8))
        } else if line == "BEGIN" {
          return true
        }
      }
      return false
    }

    private func readLine() -> String? {
      var line: [UInt8] = []
      while let byte = read(1)?.first {
        if byte == 10 { return String(decoding: line.filter { $0 != 13 }, as: UTF8.self) }
        line.append(byte)
      }
      return nil
    }

    private func readMessage() -> (serial: UInt32, member: String, path: String, text: String)? {
      guard let head = read(16) else { return nil }
      let number = { (place: Int) in (0..<4).reduce(UInt32(0)) { $0 | UInt32(head[place + $1]) << (8 * UInt32($1)) } }
      let fields = (Int(number(12)) + 7) & ~7
      guard let header = read(fields), let body = read(Int(number(4))) else { return nil }
      var strings: [UInt8: String] = [:]
      var place = 0
      while place + 8 <= Int(number(12)) {
        place = (place + 7) & ~7
        guard place + 4 < header.count else { break }
        let code = header[place]
        let type = header[place + 2]
        place += 4
        if type == UInt8(ascii: "s") || type == UInt8(ascii: "o") {
          let count = Int(header[place]) | Int(header[place + 1]) << 8
          strings[code] = String(decoding: header[(place + 4)..<(place + 4 + count)], as: UTF8.self)
          place += 5 + count
        } else if type == UInt8(ascii: "g") {
          place += 2 + Int(header[place])
        } else {
          place += 4
        }
      }
      return (number(8), strings[3] ?? "", strings[1] ?? "", String(decoding: body, as: UTF8.self))
    }

    private mutating func send(_ body: [UInt8], _ signature: String, to serial: UInt32) {
      self.serial += 1
      var fields = Body()
      // Which call it answers, who it is for, and what the body is made of.
      fields.bytes += [5, 1] + Array("u".utf8) + [0]
      fields.number(serial)
      fields.align(8)
      fields.bytes += [6, 1] + Array("s".utf8) + [0]
      fields.string(":1.1")
      fields.align(8)
      fields.bytes += [8, 1] + Array("g".utf8) + [0, UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
      var message = Body()
      message.bytes = [UInt8(ascii: "l"), 2, 1, 1]
      message.number(UInt32(body.count))
      message.number(self.serial)
      message.number(UInt32(fields.bytes.count))
      message.bytes += fields.bytes
      message.align(8)
      write(message.bytes + body)
    }

    private func read(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      var done = 0
      while done < count {
        let got = bytes.withUnsafeMutableBytes { recv(connection, $0.baseAddress! + done, count - done, 0) }
        if got <= 0 { return nil }
        done += got
      }
      return bytes
    }

    private func write(_ bytes: [UInt8]) { _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  /// Values as D-Bus lays them out.
  private struct Body {
    var bytes: [UInt8] = []

    mutating func align(_ size: Int) { while bytes.count % size != 0 { bytes.append(0) } }
    mutating func number(_ value: UInt32) {
      align(4)
      for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    mutating func string(_ text: String) {
      number(UInt32(text.utf8.count))
      bytes += Array(text.utf8) + [0]
    }
    mutating func variant(_ text: String) {
      bytes += [1] + Array("s".utf8) + [0]
      string(text)
    }
    mutating func array(_ contents: [UInt8]) {
      number(UInt32(contents.count))
      bytes += contents
    }
    mutating func paths(_ paths: [String]) {
      var inner = Body()
      for path in paths { inner.string(path) }
      // The strings begin where a number may, so that they lie the same inside.
      align(4)
      array(inner.bytes)
    }
  }
}
