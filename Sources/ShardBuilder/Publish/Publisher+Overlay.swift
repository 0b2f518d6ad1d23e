import CSystem
import ShardedIndex

extension Publisher {
  /// An overlay's file with no overlay in it. The first overlay is then written over in place as all further ones are,
  /// without a name that has to come onto the medium.
  struct Blank {
    var number: UInt64
    /// Its name until it has its place; nil if it has it.
    var temporary: String?
  }

  /// The blank file that is there, or a new one; nil if the overlay that is there stays, or it could not be said that a file
  /// is on the medium.
  func preparedBlank(_ overlay: OverlayFate) throws(BuildError) -> Blank? {
    guard overlay != .kept, marksLock() else { return nil }
    if hasOverlayFile, !hasOverlay {
      return OverlayFile(in: descriptor, Self.overlayName).map { Blank(number: $0.number, temporary: nil) }
    }
    do throws(BuildError) {
      let (number, temporary) = try writeOverlay(OverlaySlots.blank())
      return Blank(number: number, temporary: temporary)
    } catch {
      abandon()
      throw error
    }
  }

  /// Writes an overlay's file, under a name of its own, and has it on the medium.
  func writeOverlay(_ content: [UInt8]) throws(BuildError) -> (number: UInt64, temporary: String) {
    let (file, temporary) = try writeTemporary(content)
    let number: UInt64
    do throws(BuildError) {
      number = try Self.number(of: file, path(temporary))
      try SystemFile.setModifiedNow(file, path: path(temporary))
    } catch {
      _ = close(file)
      throw error
    }
    try closeSynced(file, temporary)
    return (number, temporary)
  }

  /// Syncs the directory. If that fails, what was to become the blank file goes.
  func syncDirectory(_ blank: Blank?) throws(BuildError) {
    do throws(BuildError) {
      try syncNames()
    } catch {
      if let temporary = blank?.temporary { _ = remove(temporary) }
      throw error
    }
  }

  /// Has a blank file in the place of any overlay, or, where there is none to be had, nothing.
  func clearOverlay(_ blank: inout Blank?) throws(BuildError) {
    guard let temporary = blank?.temporary else { return try removeOverlay() }
    blank?.temporary = nil
    do throws(BuildError) {
      try setSettled(OverlaySlots.unknownMark)
      try rename(temporary, Self.overlayName)
    } catch {
      _ = remove(temporary)
      throw error
    }
    (hasOverlay, hasOverlayFile) = (false, true)
  }

  /// Says that a blank file is on the medium, name and all, if that is not said yet.
  func settle(_ blank: Blank?) {
    guard let number = blank?.number, settledNumber() != number else { return }
    try? setSettled(number)
  }

  func removeOverlay() throws(BuildError) {
    guard hasOverlay else { return }
    guard remove(Self.overlayName) || errno == ENOENT else {
      throw .io(operation: "remove", path: path(Self.overlayName), errno: errno)
    }
    (hasOverlay, hasOverlayFile) = (false, false)
  }

  /// Puts an overlay beside the manifest that is there, in the place of any other; takes it away for nil.
  ///
  /// One of this manifest is written over in its file, in the slot that does not count, with one sync of that: half the
  /// time of a new file, whose name takes a sync as well; the first one in the file that a build left. Until that has
  /// ended the file is *unsettled*, which the lock's file says, for the next update to see: what was not synced, or failed
  /// to be, must not be all that there is while the other slot is written over. What a power cut leaves is on the medium,
  /// whatever the lock's file says then.
  ///
  /// A new file is made where it is not known to be settled, or is not this user's own alone, or its time of change is
  /// too coarse for readers to see each change by.
  ///
  /// - Parameter isOverStale: Whether one that is there, if any is in the file, is of another manifest.
  /// - Returns: Whether there was another before, and how large the file is, in bytes.
  /// - Throws: As ``publish(manifest:previous:overlay:)`` does; the overlay takes its place when it is written, before the
  ///   sync.
  package func publish(
    overlay: [UInt8]?, isOverStale: Bool
  ) throws(BuildError) -> (isChanged: Bool, fileSize: Int) {
    precondition(!monitor.withLock { state.isOver }, "published or abandoned before")
    try checkHeld()
    let found = hasOverlayFile ? OverlayFile(in: descriptor, Self.overlayName) : nil
    let isBlank = found?.isBlank == true
    let isStale = hasOverlayFile && isOverStale && !isBlank
    hasOverlay = hasOverlayFile && !isBlank
    if isStale {
      // The manifest has its changes, and the build that was killed may not have had that on the medium.
      do throws(BuildError) {
        try syncNames()
      } catch {
        abandon()
        throw error
      }
    }
    guard let overlay else {
      monitor.withLock { state.isOver = true }
      let isChanged = hasOverlay
      try removeOverlay()
      // Also where none was there: whoever took it away may have been cut off before the directory was synced.
      try syncNames()
      return (isChanged, 0)
    }
    let present = isStale ? nil : found
    let isThere = present?.content == overlay
    let isSettled = present.map { settledNumber() == $0.number } ?? false
    if isThere, isSettled, let present {
      monitor.withLock { state.isOver = true }
      return (false, present.size)
    }
    let (number, fileSize): (UInt64, Int)
    if isSettled, let present, let (sectors, offset) = present.next(overlay) {
      try setSettled(OverlaySlots.unsettledMark)
      monitor.withLock { state.isOver = true }
      let path = path(Self.overlayName)
      try Self.write(sectors, at: offset, to: present.descriptor, path)
      try SystemFile.setModifiedNow(present.descriptor, path: path)
      observe?(.syncFile(Self.overlayName))
      try SystemFile.sync(present.descriptor, path: path, isInPlace: true)
      (number, fileSize) = (present.number, present.size)
      withExtendedLifetime(present) {}
    } else {
      (number, fileSize) = try writeAnew(overlay)
      monitor.withLock { state.isOver = true }
    }
    // That it cannot be said now costs the next update a new file.
    try? setSettled(number)
    return (!isThere, fileSize)
  }

  /// Puts an overlay in the place of one that is damaged.
  ///
  /// - Returns: How large its file is, in bytes.
  /// - Throws: What was added before is taken back.
  func replace(damagedOverlay overlay: [UInt8]) throws(BuildError) -> Int {
    let (number, fileSize) = try writeAnew(overlay)
    try? setSettled(number)
    return fileSize
  }

  /// Puts an overlay in its place in a new file, and has that on the medium.
  func writeAnew(_ overlay: [UInt8]) throws(BuildError) -> (number: UInt64, fileSize: Int) {
    do throws(BuildError) {
      try setSettled(OverlaySlots.unknownMark)
      let content = OverlaySlots.file(of: overlay)
      let (number, temporary) = try writeOverlay(content)
      try held.check()
      try rename(temporary, Self.overlayName)
      try syncNames()
      return (number, content.count)
    } catch {
      abandon()
      throw error
    }
  }

  /// The overlay's file, open to be written over; none that others know by another name, own, or may not be read, and none
  /// with a damaged sector.
  final class OverlayFile {
    let descriptor: CInt
    let number: UInt64
    let size: Int
    /// nil if no overlay is in it.
    let content: [UInt8]?
    private let slot: Int
    private let lastNumber: UInt32

    init?(in directory: CInt, _ name: String) {
      descriptor = SystemFile.open(name, in: directory, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { return nil }
      var status = stat()
      guard fstat(descriptor, &status) == 0, Publisher.isOwn(status), status.st_size > 0,
        status.st_size <= OverlaySlots.fileLimit, SystemFile.hasFineTime(status)
      else {
        _ = close(descriptor)
        return nil
      }
      (number, size) = (UInt64(truncatingIfNeeded: status.st_ino), Int(status.st_size))
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      defer { bytes.deallocate() }
      let file = UnsafeBufferPointer(bytes.bindMemory(to: UInt8.self))
      guard let count = try? SystemFile.read(bytes, at: 0, from: descriptor, path: name), count == size,
        let slots = try? OverlaySlots(file), let lastNumber = try? OverlaySlots.lastNumber(in: file)
      else {
        _ = close(descriptor)
        return nil
      }
      (content, slot, self.lastNumber) = (slots.content, slots.slot, lastNumber)
    }

    deinit { _ = close(descriptor) }

    /// Whether nothing was ever written into it, nor begun to be.
    var isBlank: Bool { content == nil && lastNumber == 0 }

    /// What to write where for another overlay; nil where it has no room.
    func next(_ overlay: [UInt8]) -> (sectors: [UInt8], offset: Int)? {
      let slotSize = size / 2
      guard overlay.count <= OverlaySlots.capacity(ofSlot: slotSize), lastNumber < .max else { return nil }
      return (OverlaySlots.sectors(of: overlay, number: lastNumber + 1), (1 - slot) * slotSize)
    }
  }

  /// Whether a file is a regular one that nobody but this user has, under this name alone.
  static func isOwn(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid()
  }

  static func number(of file: CInt, _ path: String) throws(BuildError) -> UInt64 {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .io(operation: "examine", path: path, errno: errno) }
    return UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The number of the overlay's file that is settled, or what else is said of it; nil if nothing is.
  func settledNumber() -> UInt64? {
    var number = OverlaySlots.unknownMark
    let count = withUnsafeMutableBytes(of: &number) { bytes in
      SystemFile.retrying { CInt(pread(held.lock, bytes.baseAddress!, 8, 0)) }
    }
    return count == 8 && marksLock() ? UInt64(littleEndian: number) : nil
  }

  /// Says which overlay's file is settled, in the lock's file, if that is this user's own alone.
  func setSettled(_ number: UInt64) throws(BuildError) {
    guard marksLock() else { return }
    let bytes = withUnsafeBytes(of: number.littleEndian) { Array($0) }
    try Self.write(bytes, at: 0, to: held.lock, path(Self.lockName))
  }

  func marksLock() -> Bool {
    var status = stat()
    return fstat(held.lock, &status) == 0 && Self.isOwn(status)
  }
}
