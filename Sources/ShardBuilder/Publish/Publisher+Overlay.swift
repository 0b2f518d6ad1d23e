import CLibrary
import ShardedIndex

extension Publisher {
  /// Puts an overlay beside the current manifest, in place of any other overlay. For nil, removes the overlay.
  ///
  /// - Parameter isOverStale: Whether the current overlay belongs to another manifest.
  /// - Returns: Whether anything changed.
  /// - Throws: The errors of ``publish(manifest:previous:overlay:)``; the overlay takes its place before the last sync.
  package func publish(overlay: [UInt8]?, isOverStale: Bool) throws(BuildError) -> Bool {
    checkNotOver()
    let isChanged = try orAbandon { () throws(BuildError) in
      try held.check()
      // The manifest has a stale overlay's changes, and a killed build may not have synced the manifest.
      if hasOverlay, isOverStale { try syncNames() }
      guard let overlay else { return hasOverlay }
      if try existing(Self.overlayName, overlay) == .kept { return false }
      try replace(overlay)
      return true
    }
    setOver()
    if overlay == nil, hasOverlay { try removeOverlay() }
    // The sync is also for an unchanged overlay: the update that wrote the overlay may have been killed before this
    // sync.
    try syncNames()
    return isChanged
  }

  /// Replaces a damaged overlay.
  ///
  /// - Throws: ``BuildError``; added files are removed again.
  func replace(damagedOverlay overlay: [UInt8]) throws(BuildError) {
    try orAbandon { () throws(BuildError) in
      try replace(overlay)
      try syncNames()
    }
  }

  private func replace(_ overlay: [UInt8]) throws(BuildError) {
    let temporary = try writeSynced(overlay) { (file, path) throws(BuildError) in
      // A reader tells two overlays apart by their files' numbers, sizes and times. The system's own time of change is
      // that of its last clock tick, and the system reuses a number at once.
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
