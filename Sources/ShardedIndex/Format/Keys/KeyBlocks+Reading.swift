extension KeyBlocks {
  /// The beginning of a keys frame, up to its packed sizes.
  struct FrameStart {
    /// The unpacked size of all suffixes, in bytes.
    let suffixBytes: Int
    /// Whether sizes have 32 bits.
    let isWide: Bool
    /// The offset of the suffixes if they are not packed, and the offset of the sizes, one byte a record.
    let (suffixOffset, sizesOffset): (Int, Int)
    /// Whether suffixes are packed.
    let isPacked: Bool

    init(_ reader: inout ByteReader, records: Int, isPacked: Bool) throws(FormatError) {
      let magic = try reader.read(UInt32.self)
      guard magic == KeyBlocks.magic else { throw .wrongMagic(found: magic, expected: KeyBlocks.magic) }
      let count = try reader.readVarint()
      guard count == records, count > 0 else {
        throw .invalid(reason: "has \(count) records, not \(records)", offset: 4)
      }
      suffixBytes = try reader.readVarint()
      let flags = try reader.read(UInt8.self)
      guard flags <= 1 else {
        throw .invalid(reason: "has flags that this version does not know", offset: reader.offset - 1)
      }
      isWide = flags == 1
      self.isPacked = isPacked
      // A packed byte takes at least a bit.
      guard !isPacked || suffixBytes <= 8 * reader.remaining else {
        throw .truncated(offset: 8, needed: suffixBytes / 8, available: reader.remaining)
      }
      suffixOffset = try reader.pass(isPacked ? 0 : suffixBytes)
      sizesOffset = try reader.pass(count)
    }
  }

  /// The number of bytes that each record's stem shares with the one before, and the number that it adds.
  @unsafe struct SizeColumns<Size: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
    let shared: UnsafeMutablePointer<Size>
    let length: UnsafeMutablePointer<Size>

    init(at start: UnsafeRawPointer, count: Int) {
      unsafe shared = UnsafeMutableRawPointer(mutating: start).bindMemory(to: Size.self, capacity: 2 * count)
      unsafe length = shared + count
    }
  }

  /// Unpacks and checks the sizes of all records.
  ///
  /// - Parameter packed: The packed sizes, one byte a record.
  /// - Returns: The size of all suffixes, and of the longest stem, in bytes.
  func unpackSizes(
    _ reader: inout ByteReader, _ packed: UnsafePointer<UInt8>
  ) throws(FormatError) -> (size: Int, longest: Int) {
    guard isWide else {
      let columns = unsafe SizeColumns<UInt8>(at: shared, count: count)
      unsafe try Self.unpackSizes(packed, count, &reader, columns)
      return unsafe try Self.checkNarrow(columns, count, starts)
    }
    let columns = unsafe SizeColumns<UInt32>(at: shared, count: count)
    unsafe try Self.unpackSizes(packed, count, &reader, columns)
    return unsafe try Self.check(columns, from: 0, count, starts)
  }

  /// Unpacks or copies the suffixes and the suffix fields, up to the end of the content.
  func unpack(
    _ reader: inout ByteReader, of content: UnsafePointer<UInt8>, _ start: FrameStart,
    _ layout: UnsafePointer<ShardHeader.Layout>, table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    // Nothing else refers to this memory yet.
    let suffixes = unsafe UnsafeMutablePointer(mutating: suffixes)
    let suffixFields = unsafe suffixes - count
    // Reads of whole words may reach behind the suffixes, so the bytes there are set.
    unsafe (suffixes + start.suffixBytes).update(repeating: 0, count: FieldColumns.slack)
    if suffixFieldCount > 0, unsafe !layout.pointee.suffixFieldCode.isPresent {
      let offset = try reader.pass(count)
      unsafe suffixFields.copy(from: content + offset, count: count)
      var highest: UInt8 = 0
      for index in 0..<count { highest = unsafe max(highest, suffixFields[index]) }
      guard Int(highest) < suffixFieldCount else {
        throw .invalid(reason: "has a record that names a missing suffix field", offset: offset)
      }
    }
    if start.isPacked {
      unsafe try layout.pointee.suffixCode.unpack(
        &reader, of: content, count: start.suffixBytes, into: suffixes, table: table)
    } else {
      unsafe suffixes.copy(from: content + start.suffixOffset, count: start.suffixBytes)
    }
    if unsafe layout.pointee.suffixFieldCode.isPresent {
      unsafe try layout.pointee.suffixFieldCode.unpack(
        &reader, of: content, count: count, into: suffixFields, table: table)
    }
    guard reader.remaining == 0 else {
      throw .invalid(reason: "does not end with its last section", offset: reader.offset)
    }
  }

  /// Unpacks each record's byte into two sizes of four bits. 15 stands for a size of 15 or more; a varint behind the
  /// bytes has the rest.
  @inline(__always)
  private static func unpackSizes<Size: FixedWidthInteger & UnsignedInteger>(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ reader: inout ByteReader, _ columns: SizeColumns<Size>
  ) throws(FormatError) {
    func excess(_ reader: inout ByteReader) throws(FormatError) -> Size {
      let at = reader.offset
      let value = 15 + (try reader.readVarint())
      guard let size = Size(exactly: value) else { throw .invalid(reason: "has a stem of \(value) bytes", offset: at) }
      return size
    }
    let (shared, length) = unsafe (columns.shared, columns.length)
    // Indexes are below a count of 32 bits.
    var index = 0
    while index < count {
      unsafe shared[index] = Size(truncatingIfNeeded: bytes[index] & 15)
      unsafe length[index] = Size(truncatingIfNeeded: bytes[index] &>> 4)
      index &+= 1
    }
    index = 0
    while index < count {
      // Half a byte of ones is rare, so the search takes eight bytes at once. Some may stand behind the last byte.
      let word = unsafe UInt64(littleEndian: (bytes + index).load())
      let pairs = word & word &>> 2
      var halves = pairs & pairs &>> 1 & 0x1111_1111_1111_1111
      while halves != 0 {
        let bit = halves.trailingZeroBitCount
        let record = index &+ bit &>> 3
        guard record < count else { break }
        if bit & 4 == 0 {
          unsafe shared[record] = try excess(&reader)
        } else {
          unsafe length[record] = try excess(&reader)
        }
        halves &= halves &- 1
      }
      index &+= 8
    }
  }

  /// The longest stem, in bytes, far above a builder's limit. A reader makes room for twice the part's longest stem. A
  /// damaged frame with packed suffixes could have a stem of eight times its content.
  package static let stemLimit = ZstdFrame.contentLimit

  /// More than the bytes of all suffixes: a packed byte takes at least a bit.
  private static let positionLimit = 8 * ZstdFrame.contentLimit

  private static var unsound: FormatError {
    .invalid(
      reason: "has a record that shares too much with the one before, or its stem is too long", offset: headerSize)
  }

  /// Checks all records from a restart point on, so that later reads stay inside the sections.
  ///
  /// - Returns: The size of all suffixes, and of the longest stem, in bytes.
  @inline(__always)
  private static func check<Size: FixedWidthInteger & UnsignedInteger>(
    _ columns: SizeColumns<Size>, from first: Int, _ count: Int, _ starts: BlockStarts, position: Int = 0
  ) throws(FormatError) -> (size: Int, longest: Int) {
    // Sizes and their count have 32 bits.
    let (shared, length) = unsafe (columns.shared, columns.length)
    var position = position
    var longest = 0
    // The first record has no record before it to share bytes with.
    var isSound = unsafe shared[0] == 0
    var index = first
    while index < count {
      unsafe starts[index >> blockShift] = position
      let end = min(index &+ blockSize, count)
      // A restart point is stored whole; only scans use the size that it shares with the record before.
      var stem = unsafe Int(length[index])
      // Positions have a limit, so that no sum wraps around to a right one where an Int has 32 bits.
      isSound = unsafe isSound && Int(shared[index]) <= stem && position <= positionLimit
      position &+= stem
      longest = max(longest, stem)
      index &+= 1
      while index < end {
        let common = unsafe Int(shared[index])
        let rest = unsafe Int(length[index])
        isSound = isSound && common <= stem && position <= positionLimit
        stem = common &+ rest
        position &+= rest
        longest = max(longest, stem)
        index &+= 1
      }
    }
    guard isSound, longest <= min(Int(clamping: Size.max), stemLimit) else { throw unsound }
    return (position, longest)
  }

  /// Checks all records with sizes of 8 bits, a block at a time.
  private static func checkNarrow(
    _ columns: SizeColumns<UInt8>, _ count: Int, _ starts: BlockStarts
  ) throws(FormatError) -> (size: Int, longest: Int) {
    typealias Sizes = SIMD16<UInt8>
    let (shared, length) = unsafe (columns.shared, columns.length)
    var position = 0
    var longest = Sizes.zero
    var unsoundLanes = SIMDMask<SIMD16<Int8>>(repeating: false)
    var isSound = unsafe shared[0] == 0
    // The blocks before the last one: the check of a record also reads the size of the next record.
    let whole = (count &- 1) >> blockShift
    for block in 0..<whole {
      unsafe starts[block] = position
      let first = block << blockShift
      var common = unsafe (shared + first).load(as: Sizes.self)
      let rest = unsafe (length + first).load(as: Sizes.self)
      var next = unsafe (shared + (first &+ 1)).load(as: Sizes.self)
      // A restart point is stored whole, and shares at most its size. The next block's restart point is not checked
      // here.
      next[15] = 0
      isSound = unsafe isSound && shared[first] <= length[first]
      common[0] = 0
      let stem = common &+ rest
      unsoundLanes = unsoundLanes .| (stem .< rest) .| (next .> stem)
      longest.replace(with: stem, where: stem .> longest)
      position &+= sum(rest)
    }
    guard isSound, !any(unsoundLanes) else { throw unsound }
    let last = unsafe try check(columns, from: whole << blockShift, count, starts, position: position)
    return (last.size, max(Int(longest.max()), last.longest))
  }
}
