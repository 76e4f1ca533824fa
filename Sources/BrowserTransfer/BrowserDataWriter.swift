/// Where the producers of an export put their objects. Several tasks may write at once, one for each kind for example.
public struct BrowserDataWriter: Sendable {
  let pipe: RecordPipe<BrowserData>

  /// Hands an object over. Suspends while the importer, the network or the disk is behind, so that memory stays small;
  /// throws `CancellationError` once the transfer has ended.
  public func write(_ data: BrowserData) async throws { try await pipe.send(data) }
}
