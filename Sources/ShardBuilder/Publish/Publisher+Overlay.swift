import CLibrary
import ShardedIndex

extension Publisher {
  /// Puts an overlay beside the manifest that is there, in the place of any other; for nil, removes the overlay.
  ///
  /// - Parameter isOverStale: Whether an overlay that is there belongs to another manifest.
  /// - Returns: Whether anything changed.
  /// - Throws: As ``publish(manifest:previous:overlay:)`` does; the overlay takes its place before the last sync.
  package func publish(overlay: [UInt8]?, isOverStale: Bool) throws(BuildError) -> Bool {
    checkNotOver()
    let isChanged = try orAbandon { () throws(BuildError) in
      try held.check()
      // The manifest has a stale overlay's changes, and the build that was killed may not have synced it.
      if hasOverlay, isOverStale { try syncNames() }
      guard let overlay else { return hasOverlay }
      if try existing(Self.overlayName, overlay) == .kept { return false }
      try replace(overlay)
      return true
    }
    setOver()
    if overlay == nil, hasOverlay { try removeOverlay() }
    // Also where nothing changed: the update that changed it may have been killed before this sync.
    try syncNames()
    return isChanged
  }

  /// Puts an overlay in the place of one that is damaged.
  ///
  /// - Throws: ``BuildError``; files that were added before are removed.
  func replace(damagedOverlay overlay: [UInt8]) throws(BuildError) {
    try orAbandon { () throws(BuildError) in
      try replace(overlay)
      try syncNames()
    }
  }

  private func replace(_ overlay: [UInt8]) throws(BuildError) {
    let temporary = try writeSynced(overlay) { (file, path) throws(BuildError) in
      // A reader tells two overlays apart by their files' numbers, sizes and times; the system's own time of change is
      // that of its last clock tick, and a number is used again at once.
      try SystemFile.setModifiedNow(file, path: path)
    }
    try held.check()
    try rename(temporary, Self.overlayName)
  }

  func removeOverlay() throws(BuildError) {
    guard remove(Self.overlayName) || errno == ENOENT else {
      throw .io(operation: "remove", path: path(Self.overlayName), errno: errno)
    }
    hasOverlay = false
  }
}
