package import Resources
package import Wire

/// An app's files, as an export sends them beside records.
package struct ResourceExport: Sendable {
  /// What there is, or comes to be while it is sent.
  package var list: ResourceList
  /// What the importer is told before.
  package var note: ResourcesNote
  /// About how many bytes.
  package var size: Int64
  /// Everybody has agreed: the owner may begin to append. Called once, from a thread of the session.
  package var start: @Sendable () -> Void
  /// The session has ended.
  package var abandon: @Sendable () -> Void

  /// With what cannot be absent.
  package init(
    list: ResourceList, note: ResourcesNote, size: Int64, start: @escaping @Sendable () -> Void = {},
    abandon: @escaping @Sendable () -> Void = {}
  ) {
    self.list = list
    self.note = note
    self.size = size
    self.start = start
    self.abandon = abandon
  }

  /// Of the files that a manifest names now.
  package init(_ manifest: ResourceManifest) throws(ResourceError) {
    let (list, room) = try manifest.list()
    let note = ResourcesNote(
      application: manifest.id, version: manifest.version, platform: "linux",
      isCompressible: manifest.compressible ?? true)
    self.init(list: list, note: note, size: room)
  }
}

/// Where an app's files go at an importer.
package struct ResourceImport: Sendable {
  /// The folder that they are for. They arrive beside it.
  package var destination: String
  /// Puts what has arrived in place, all of it or nothing, on a thread of the session.
  package var place: @Sendable (ResourceStaging, ResourcesNote) throws -> ContainerChange.Figures

  /// With a way of its own.
  package init(
    destination: String, place: @escaping @Sendable (ResourceStaging, ResourcesNote) throws -> ContainerChange.Figures
  ) {
    self.destination = destination
    self.place = place
  }

  /// Into a folder, beside what it holds.
  package init(into destination: String) {
    self.init(destination: destination) { staging, _ in
      try ContainerChange.overlay(staging.treePath, onto: staging.destination)
    }
  }
}
