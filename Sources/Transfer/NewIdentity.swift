import BrowsingData
import Channel
package import Store

/// Makes this device another one, for a machine that is a copy of another: it takes a key and a name of its own, and forgets
/// whom it was paired with. Its records stay.
package enum NewIdentity {
  /// Nobody else may use the home meanwhile. What pairings there were end here; the other machines keep the old key, which
  /// is the other copy's.
  package static func take(_ home: Home) throws(TransferError) {
    do {
      let store = try RecordStore.open(home: home)
      // The key last: with the old one and no peers nothing can go wrong that could not go wrong before.
      try store.startOver()
      _ = try DeviceIdentity.replace(folder: home.config)
    } catch {
      throw TransferError(cause: error)
    }
  }
}
