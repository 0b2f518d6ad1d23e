/// How an overlay stands in its file: twice, in two slots of sectors, of which the newer whole one counts.
/// Source: docs/format.md §11.
///
/// An update writes over the slot that does not count, and syncs once. A sector tells by its check that it is whole, and
/// by its number which write it is of: so a write that a power cut ended is never taken for damage, nor damage for one.
/// What a killed process wrote may end in the middle of a sector: then the lock's file says so, with ``unsettledMark``.
package struct OverlaySlots {
  package static let sectorSize = 512
  /// Bytes of a sector that are the overlay's; a number and a check follow.
  package static let sectorContent = 504
  /// Slots are of whole ones of these, in bytes: what a disk or a file system writes at once is in one slot.
  package static let slotUnit = 4096
  /// No file is larger, in bytes.
  package static let fileLimit = 1 << 20

  /// The slot that counts, 0 or 1; where none does, the one that is not written next.
  package let slot: Int
  /// The overlay in it; nil where none counts and there are no changes: none was written to its end yet.
  package let content: [UInt8]?
  /// Whether the other one has a larger number and is not whole: a write was cut off, or goes on.
  let isOtherUnfinished: Bool

  /// - Parameters:
  ///   - bytes: All of the file.
  ///   - isUnsettled: Whether a write may have been cut off in the middle of a sector, so that one with another check than
  ///     it says is no damage.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, isUnsettled: Bool = false) throws(FormatError) {
    var reader = ByteReader(bytes)
    // A version that is not known may have no slots.
    try Overlay.checkStart(&reader)
    let slotSize = bytes.count / 2
    guard slotSize > 0, slotSize % Self.slotUnit == 0, bytes.count == 2 * slotSize else {
      throw .wrongSize(found: bytes.count, expected: max(1, slotSize / Self.slotUnit) * 2 * Self.slotUnit)
    }
    let first = try Self.number(ofSectorAt: 0, in: bytes, isUnsettled)
    let second = try Self.number(ofSectorAt: slotSize, in: bytes, isUnsettled)
    // Of no write: no overlay was in both slots yet.
    let isFresh = first == 0 || second == 0
    let (one, other) = (first ?? 0, second ?? 0)
    guard one != other || one == 0 else {
      throw .invalid(reason: "has two slots of the same number", offset: Self.sectorContent)
    }
    let newer = one > other ? 0 : 1
    if one != other, let content = try Self.content(of: newer, max(one, other), slotSize, in: bytes, isUnsettled) {
      (slot, self.content, isOtherUnfinished) = (newer, content, false)
    } else if isFresh {
      (slot, content, isOtherUnfinished) = (one == other ? 1 : 1 - newer, nil, one != other)
    } else if min(one, other) > 0,
      let content = try Self.content(of: 1 - newer, min(one, other), slotSize, in: bytes, isUnsettled)
    {
      (slot, self.content, isOtherUnfinished) = (1 - newer, content, true)
    } else {
      throw .invalid(reason: "has no whole slot", offset: Self.sectorContent)
    }
  }

  /// What is in a slot whose first sector has a number; nil if it was not written to its end.
  private static func content(
    of slot: Int, _ number: UInt32, _ slotSize: Int, in bytes: UnsafeBufferPointer<UInt8>, _ isUnsettled: Bool
  ) throws(FormatError) -> [UInt8]? {
    var start = slot * slotSize
    var reader = ByteReader(UnsafeBufferPointer(rebasing: bytes[(start + Overlay.sizeOffset)...]))
    let size = Int(try reader.read(UInt32.self))
    guard size >= Overlay.headerSize, size <= capacity(ofSlot: slotSize) else {
      throw .invalid(reason: "has \(size) bytes in a slot of \(slotSize)", offset: start + Overlay.sizeOffset)
    }
    var content: [UInt8] = []
    content.reserveCapacity(size)
    while content.count < size {
      guard try Self.number(ofSectorAt: start, in: bytes, isUnsettled) == number else { return nil }
      let end = start + min(sectorContent, size - content.count)
      content.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
      start += sectorSize
    }
    return content
  }

  /// The number of the write that a sector is of, 0 if it is of none; nil if it is not whole, where that may be.
  private static func number(
    ofSectorAt start: Int, in bytes: UnsafeBufferPointer<UInt8>, _ isUnsettled: Bool
  ) throws(FormatError) -> UInt32? {
    let sector = UnsafeBufferPointer(rebasing: bytes[start..<start + sectorSize])
    var reader = ByteReader(UnsafeBufferPointer(rebasing: sector[sectorContent...]))
    let (number, check) = (try reader.read(UInt32.self), try reader.read(UInt32.self))
    if check == Self.check(of: sector) { return number }
    guard isUnsettled else { throw .invalid(reason: "has a sector with another check than it says", offset: start) }
    return nil
  }

  /// Looks at every sector of a file, also at those that no reader needs.
  ///
  /// - Returns: The largest number of any of them, also of writes that were cut off: the next one has to be another.
  /// - Throws: If one has another check than it says.
  package static func lastNumber(in bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) -> UInt32 {
    var last: UInt32 = 0
    for start in stride(from: 0, through: bytes.count - sectorSize, by: sectorSize) {
      last = max(last, try number(ofSectorAt: start, in: bytes, false)!)
    }
    return last
  }

  /// Whether a damaged file can have been nothing but another one, which is not: all of its sectors that are whole are the
  /// other's, and those that are not lie in the slot that counts there, so that no later write can have been in them.
  package static func isCopy(
    _ copy: UnsafeBufferPointer<UInt8>, ofDamaged bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard copy.count == bytes.count, let slots = try? OverlaySlots(copy), slots.content != nil,
      (try? lastNumber(in: copy)) != nil
    else { return false }
    return stride(from: 0, to: copy.count, by: sectorSize).allSatisfy { start in
      copy[start..<start + sectorSize].elementsEqual(bytes[start..<start + sectorSize])
        || start / (copy.count / 2) == slots.slot && (try? number(ofSectorAt: start, in: bytes, false)) == nil
    }
  }

  /// Of a sector's bytes before it.
  static func check(of sector: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let checked = UnsafeBufferPointer(rebasing: sector[..<(sectorSize - 4)])
    return UInt32(truncatingIfNeeded: XXHash64.hash(UnsafeRawBufferPointer(checked)))
  }

  private static func sectorCount(for size: Int) -> Int { (size + sectorContent - 1) / sectorContent }

  // MARK: The lock's file

  /// What the lock's file begins with while an overlay is written over, and until that is on the medium. Where nothing is
  /// known to be, it is ``unknownMark``; else the number of the overlay's file, little-endian, so that no other is taken
  /// for settled.
  package static let unsettledMark: UInt64 = 0
  package static let unknownMark = UInt64.max

  // MARK: Writing

  /// How many bytes an overlay may have in a slot of `slotSize` bytes.
  package static func capacity(ofSlot slotSize: Int) -> Int { slotSize / sectorSize * sectorContent }

  /// A file with one overlay, and room to grow.
  package static func file(of content: [UInt8]) -> [UInt8] {
    let sectors = sectorCount(for: content.count)
    let inUnit = slotUnit / sectorSize
    // A quarter more than it needs: else every few updates would make a new file.
    let slotSize = (sectors + (sectors > inUnit ? sectors / 4 : 0) + inUnit - 1) / inUnit * slotUnit
    var writer = ByteWriter()
    write(content, number: 1, to: &writer)
    // Written, not left out: room that a disk has to find later can be missing then. And as sectors that are right: zeros
    // are what is left of one that was lost.
    fill(&writer, 2 * slotSize)
    return writer.bytes
  }

  /// A file with no overlay in it, and room for one in a slot of one unit: what a build leaves, so that the first one needs no
  /// new file.
  package static func blank() -> [UInt8] {
    var (start, writer) = (ByteWriter(), ByteWriter())
    Overlay.writeStart(to: &start)
    write(start.bytes, number: 0, to: &writer)
    fill(&writer, 2 * slotUnit)
    return writer.bytes
  }

  private static func fill(_ writer: inout ByteWriter, _ size: Int) {
    while writer.bytes.count < size { write([], number: 0, to: &writer) }
  }

  /// An overlay as it is written into a slot.
  package static func sectors(of content: [UInt8], number: UInt32) -> [UInt8] {
    var writer = ByteWriter()
    write(content, number: number, to: &writer)
    return writer.bytes
  }

  private static func write(_ content: [UInt8], number: UInt32, to writer: inout ByteWriter) {
    var start = 0
    repeat {
      let sectorStart = writer.bytes.count
      let end = min(content.count, start + sectorContent)
      writer.bytes.append(contentsOf: content[start..<end])
      writer.bytes.append(contentsOf: repeatElement(0, count: sectorContent - (end - start)))
      writer.write(number)
      let check = writer.bytes.withUnsafeBufferPointer {
        XXHash64.hash(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: $0[sectorStart...])))
      }
      writer.write(UInt32(truncatingIfNeeded: check))
      start = end
    } while start < content.count
  }
}
