import Channel
import Testing
import Wire

@testable import Transfer

@Suite struct SilenceTests {
  @Test func `a ping is due after thirty seconds, once, and death after ninety`() {
    var silence = Silence(heard: .now.advanced(milliseconds: -31_000))
    let first = silence.verdict()
    let second = silence.verdict()
    #expect(first == .ping)
    #expect(second == .wait)
    var dead = Silence(heard: .now.advanced(milliseconds: -91_000))
    let verdict = dead.verdict()
    #expect(verdict == .dead)
  }

  @Test func `what comes ends the silence`() {
    var silence = Silence(heard: .now.advanced(milliseconds: -91_000))
    silence.broken()
    let verdict = silence.verdict()
    #expect(verdict == .wait)
  }

  @Test func `a person has ten minutes, whatever the link does`() {
    var silence = Silence()
    silence.watch(person: true)
    #expect(silence.next <= .after(Limits.person))
    silence.watch(person: false)
    let verdict = silence.verdict()
    #expect(verdict == .wait)
  }

  @Test func `an older connection has five seconds to prove that it lives`() {
    var silence = Silence()
    silence.prove()
    #expect(silence.isProving && silence.next <= .after(seconds: 5))
    silence.proved()
    #expect(!silence.isProving)
  }
}

@Suite struct BackoffTests {
  @Test func `pauses double from one second to sixty, each up to a fifth longer or shorter`() {
    var least = Backoff()
    var most = Backoff()
    #expect((0..<8).map { _ in least.next(jitter: 0) } == [800, 1_600, 3_200, 6_400, 12_800, 25_600, 48_000, 48_000])
    #expect(
      (0..<8).map { _ in most.next(jitter: 400) } == [1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 72_000, 72_000])
    least.reset()
    let first = least.next(jitter: 200)
    #expect(first == 1_000)
  }
}

@Suite struct TransferTokenTests {
  @Test func `a token is a random UUID of version 4`() throws {
    let token = TransferToken.random()
    let text = token.description
    #expect(text.count == 36)
    #expect(Array(text)[14] == "4")
    #expect("89ab".contains(Array(text)[19]))
    #expect(TransferToken(bytes: token.bytes) == token)
    #expect(TransferToken(bytes: [1, 2]) == nil)
    #expect(TransferToken.random() != token)
  }

  @Test func `a token is written as a UUID is`() throws {
    let token = try #require(TransferToken(bytes: Array(0..<16)))
    #expect(token.description == "00010203-0405-0607-0809-0a0b0c0d0e0f")
  }
}
