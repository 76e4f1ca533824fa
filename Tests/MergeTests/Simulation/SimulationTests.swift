import Foundation
import Merge
import Testing

/// Random schedules of edits, contacts, faults and restores among two to five devices, judged by what their authors saw.
@Suite struct SimulationTests {
  /// `WHERRY_SCHEDULES` sets how many schedules run; a plain run takes a tenth of those that continuous integration does.
  static let schedules = ProcessInfo.processInfo.environment["WHERRY_SCHEDULES"].flatMap { Int($0) } ?? 1_000

  @Test(arguments: [0, 1]) func `no schedule breaks a property`(half: Int) {
    let outcome = Simulation.run(seeds: Simulation.seeds(half, of: 2, SimulationTests.schedules))
    #expect(outcome.violations.isEmpty, "\(outcome.summary)")
    let happened = outcome.statistics
    // A generator that makes nothing happen proves nothing.
    guard SimulationTests.schedules >= 1_000 else { return }
    #expect(happened.operations > SimulationTests.schedules * 5)
    #expect(happened.restores > 0 && happened.concurrent > 0 && happened.circles > 0 && happened.deleted > 0)
    #expect(happened.lifted > 0 && happened.conflicts > 0 && happened.grouped > 0 && happened.neighbours > 0)
    #expect(happened.echoes > 0 && happened.brokenSessions > 0)
  }

  @Test(arguments: [0, 1]) func `no schedule breaks a property when stores adopt and heal`(half: Int) {
    let options = SimulationOptions(adopts: true, heals: true)
    let outcome = Simulation.run(seeds: Simulation.seeds(half, of: 2, SimulationTests.schedules / 2), options)
    #expect(outcome.violations.isEmpty, "\(outcome.summary)")
  }

  @Test(arguments: Mutant.allCases) func `each deliberate fault is caught`(mutant: Mutant) {
    let options = SimulationOptions(mutant: mutant)
    let outcome = Simulation.run(seeds: Simulation.seeds(0, of: 1, 1_000), options, stopsAtFirst: true)
    #expect(!outcome.violations.isEmpty, "\(mutant.rawValue) was not caught")
  }
}

enum Simulation {
  struct Outcome {
    var statistics = SimulationStatistics()
    var violations: [(seed: UInt64, violation: String)] = []
    var summary: String {
      violations.prefix(5).map { "seed \($0.seed): \($0.violation)" }.joined(separator: "; ")
        + " (\(violations.count) in all)"
    }
  }

  static func seeds(_ part: Int, of parts: Int, _ count: Int) -> [UInt64] {
    (0..<count).filter { $0 % parts == part }.map { 1_000_003 + UInt64($0) }
  }

  static func run(
    seeds: [UInt64], _ options: SimulationOptions = SimulationOptions(), stopsAtFirst: Bool = false
  ) -> Outcome {
    var outcome = Outcome()
    for seed in seeds {
      let world = World(seed: seed, options)
      var shape = SeededRandom(seed: seed ^ 0x5EED)
      do {
        try world.run(steps: 15 + shape.below(76), devices: 2 + shape.below(4))
      } catch {
        outcome.violations.append((seed, "\(error)"))
        if stopsAtFirst { return outcome }
      }
      outcome.statistics.add(world.statistics)
    }
    return outcome
  }
}
