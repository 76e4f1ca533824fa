package import BrowsingData

/// A field with its value and when it got it. The value's form is the store's affair.
package struct StampedField: Hashable, Sendable {
  /// The field's number.
  package var number: UInt64
  /// When it got its value.
  package var stamp: Stamp
  /// Its value; nil when it was taken away.
  package var value: [UInt8]?

  /// From its parts.
  package init(number: UInt64, stamp: Stamp, value: [UInt8]?) {
    self.number = number
    self.stamp = stamp
    self.value = value
  }
}

/// A change of one field; a nil value takes it away.
package struct FieldChange: Hashable, Sendable {
  /// The field's number.
  package var number: UInt64
  /// Its new value; nil takes it away.
  package var value: [UInt8]?

  /// From its parts.
  package init(number: UInt64, value: [UInt8]?) {
    self.number = number
    self.value = value
  }
}

/// Where a deleted folder stood: what is left of its children goes there.
package struct Grave: Hashable, Comparable, Sendable {
  /// When it had got its place.
  package var stamp: Stamp
  /// Its parent.
  package var parent: RecordID

  /// From its two parts.
  package init(stamp: Stamp, parent: RecordID) {
    self.stamp = stamp
    self.parent = parent
  }

  /// By stamp, then by parent.
  package static func < (left: Grave, right: Grave) -> Bool {
    left.stamp != right.stamp ? left.stamp < right.stamp : left.parent < right.parent
  }
}

/// All that is known of one record: its concurrent versions and which edits have been seen.
/// A deletion drops the versions and keeps the context, so it removes only what the deleter had seen.
package struct RecordState: Hashable, Sendable {
  /// One edit that no other seen edit has replaced.
  package struct Version: Hashable, Sendable {
    /// The edit's name.
    package var dot: Dot
    /// What its author had seen of the record.
    package var seen: VersionVector
    /// In ascending order of their numbers.
    package var fields: [StampedField]

    /// From its parts.
    package init(dot: Dot, seen: VersionVector, fields: [StampedField]) {
      self.dot = dot
      self.seen = seen
      self.fields = fields
    }
  }

  /// In ascending order of their dots; none when the record is deleted or never was.
  package var versions: [Version] = []
  /// Every edit seen.
  package var context = VersionVector()
  /// Where it stood when it was deleted, of a folder.
  package var grave: Grave?
  /// The greatest time of any stamp seen on this record.
  package var newest: Int64 = 0

  /// A record that nobody has written yet.
  package init() {}

  /// Whether some edit is left that no deletion had seen.
  package var isAlive: Bool { !versions.isEmpty }

  /// The fields as they are shown: of each the value with the greatest stamp; those taken away are left out.
  package var fields: [StampedField] { resolved.filter { $0.value != nil } }

  /// The same with those taken away.
  package var resolved: [StampedField] {
    guard versions.count != 1 else { return versions[0].fields }
    var winners: [UInt64: StampedField] = [:]
    for version in versions {
      for field in version.fields {
        if let known = winners[field.number], known.stamp >= field.stamp { continue }
        winners[field.number] = field
      }
    }
    return winners.values.sorted { $0.number < $1.number }
  }

  /// Whether this is the same state: the same edits seen, the same ones left. An edit's name stands for its content.
  package func isSame(as other: RecordState) -> Bool {
    newest == other.newest && grave == other.grave && context == other.context
      && versions.elementsEqual(other.versions) { $0.dot == $1.dot }
  }

  /// Values that are not shown and that the author of the shown one had not seen.
  package var conflicts: [StampedField] {
    guard versions.count > 1 else { return [] }
    var winners: [UInt64: (field: StampedField, version: Version)] = [:]
    for version in versions {
      for field in version.fields {
        if let known = winners[field.number], known.field.stamp >= field.stamp { continue }
        winners[field.number] = (field, version)
      }
    }
    var losers: [StampedField] = []
    for version in versions {
      for field in version.fields {
        guard let winner = winners[field.number], winner.field.value != field.value,
          field.stamp.dot != winner.version.dot, !winner.version.seen.covers(field.stamp.dot)
        else { continue }
        losers.append(field)
      }
    }
    return losers.sorted { ($0.number, $0.stamp) < ($1.number, $1.stamp) }
  }

  /// A local edit: the fields as shown, with these changes, become the one version.
  /// Gives the values that were lost in it without having been seen: to be kept in the conflict log.
  package mutating func write(_ changes: [FieldChange], dot: Dot, now: Int64) -> [StampedField] {
    let losers = conflicts
    newest = max(now, newest &+ 1)
    let stamp = Stamp(time: newest, dot: dot)
    let old = resolved
    var fields: [StampedField] = []
    fields.reserveCapacity(old.count + changes.count)
    let sorted = changes.sorted { $0.number < $1.number }
    var next = 0
    for field in old {
      while next < sorted.count, sorted[next].number < field.number {
        fields.append(StampedField(number: sorted[next].number, stamp: stamp, value: sorted[next].value))
        next += 1
      }
      if next < sorted.count, sorted[next].number == field.number {
        fields.append(StampedField(number: field.number, stamp: stamp, value: sorted[next].value))
        next += 1
      } else {
        fields.append(field)
      }
    }
    for change in sorted[next...] {
      fields.append(StampedField(number: change.number, stamp: stamp, value: change.value))
    }
    versions = [Version(dot: dot, seen: context, fields: fields)]
    context.see(dot)
    return losers
  }

  /// A local edit by somebody who had not seen the latest values of some fields: it stands beside the versions that there
  /// are, so that what it hides of these fields is a conflict, as if it had been made on another device.
  package mutating func writeBeside(_ changes: [FieldChange], unseen: Set<UInt64>, dot: Dot, now: Int64) {
    var edited = self
    _ = edited.write(changes, dot: dot, now: now)
    let missed = resolved.filter { unseen.contains($0.number) }.map(\.stamp.dot)
    let seen = context.entries.compactMap { entry -> VersionVector.Entry? in
      let limit = missed.filter { $0.replica == entry.replica }.map { $0.counter - 1 }.min() ?? .max
      let counter = min(entry.counter, limit)
      return counter > 0 ? VersionVector.Entry(replica: entry.replica, counter: counter) : nil
    }
    versions += edited.versions.map { Version(dot: $0.dot, seen: VersionVector(seen), fields: $0.fields) }
    versions.sort { $0.dot < $1.dot }
    context = edited.context
    newest = edited.newest
  }

  /// A local deletion. A folder leaves a grave.
  package mutating func delete(grave: Grave?) {
    versions = []
    guard let grave else { return }
    self.grave = self.grave.map { max($0, grave) } ?? grave
  }
}
