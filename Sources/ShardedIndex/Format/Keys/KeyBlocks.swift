import CSystem

/// The folded keys of one part of a shard, searched in the bytes they are stored in. Source: docs/format.md §5.
///
/// A key is a *stem*, and in shards that have *tails* the separator and a tail behind it: `san jose` and `us`.
/// Stems are front-coded in blocks of ``blockSize`` records; the first of each block, the restart point, is
/// stored whole. What it leads into is its own and lives until ``deallocate()``, or the shard's header's, which must
/// outlive it.
package struct KeyBlocks {
  package static let magic: UInt32 = 0x334b_5153  // "SQK3"
  /// What stands before the suffixes, in bytes: magic, count, size, flags; about, since two of them are varints.
  package static let headerSize = 9
  /// Records in a block. 16 costs 0.7 % of the city index over 32 and halves the walk inside a block.
  package static let blockSize = 16
  static let blockShift = 4

  /// All that it keeps, one after the other: per block the first eight bytes of its restart key, per block where its suffixes
  /// start, what each record shares and what it adds, each record's tail when there are tails, and the suffixes. Numbers of
  /// 32 bits say where these begin, since many parts are kept, and content is bounded.
  private let content: UnsafeRawPointer
  private let recordCount: UInt32
  private let (sharedOffset, suffixOffset): (UInt32, UInt32)
  private let (longest, keptBytes): (UInt32, UInt32)
  private let tailLimit: UInt16
  /// Whether `shared` and `length` are 32 bits each (some stem is long) or 8, and whether starts are; where the first are, all.
  private let (isWide, hasWideStarts): (Bool, Bool)
  private let tailTable: UnsafePointer<TailTable>

  @inline(__always) private var heads: UnsafePointer<UInt64> { content.assumingMemoryBound(to: UInt64.self) }
  @inline(__always) private var starts: BlockStarts {
    BlockStarts(UnsafeMutableRawPointer(mutating: content + 8 &* blockCount), isWide: hasWideStarts)
  }
  @inline(__always) private var shared: UnsafeRawPointer { content + Int(sharedOffset) }
  @inline(__always) private var length: UnsafeRawPointer { shared + (isWide ? 4 &* count : count) }
  @inline(__always) private var suffixes: UnsafePointer<UInt8> {
    (content + Int(suffixOffset)).assumingMemoryBound(to: UInt8.self)
  }
  /// Each record's tail, when there are tails.
  @inline(__always) package var tails: UnsafePointer<UInt8> { suffixes - count }

  /// Records in the part, at least one.
  @inline(__always) package var count: Int { Int(recordCount) }
  /// The longest stem, in bytes.
  @inline(__always) package var longestStem: Int { Int(longest) }
  /// Distinct tails, 0 when keys are stems alone.
  @inline(__always) package var tailCount: Int { Int(tailLimit) }
  /// Bytes that it keeps in memory.
  var charge: Int { Int(keptBytes) }

  /// Bytes of the content, about, were nothing packed in it.
  package var unpackedSize: Int { Self.headerSize + charge - FieldColumns.slack - Int(sharedOffset) }

  /// Asks for the memory that a search reads before suffixes: heads, starts and sizes of a part of the usual size.
  @inline(__always) func prefetch() {
    for line in 0..<6 { CShims.prefetch(content + 64 &* line) }
  }

  /// Frees what it keeps; the value must not be used after it.
  package func deallocate() { content.deallocate() }

  /// Checks `content`, unpacks what is packed in it, and takes what searches read.
  ///
  /// - Parameter content: The decompressed keys frame of a part, ``FieldColumns/slack`` bytes more readable.
  /// - Parameter table: Room for a Huffman code's table, ``Decompressor/table``.
  /// - Throws: ``FormatError`` if anything in the content leads outside of it.
  package init(
    content: UnsafeBufferPointer<UInt8>, records: Int, header: __shared ShardHeader, table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    var reader = ByteReader(content)
    let magic = try reader.read(UInt32.self)
    guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
    let count = try reader.readVarint()
    guard count == records, count > 0 else {
      throw .invalid(reason: "has a count of \(count) where \(records) was promised", offset: 4)
    }
    let suffixBytes = try reader.readVarint()
    let flags = try reader.read(UInt8.self)
    guard flags <= 1 else {
      throw .invalid(reason: "has flags this version does not know", offset: reader.offset - 1)
    }
    let isWide = flags == 1
    let layout = header.layout
    let isPacked = layout.pointee.suffixCode.isPresent
    // What is packed takes a bit at least.
    guard !isPacked || suffixBytes <= 8 * reader.remaining else {
      throw .truncated(offset: 8, needed: suffixBytes / 8, available: reader.remaining)
    }
    let suffixes = try reader.read(bytes: isPacked ? 0 : suffixBytes)
    let packedSizes = try reader.read(bytes: count)
    let tailTable = layout.pointee.tailTable

    // A record has a byte of sizes in the content at least: no more is allocated than a multiple of that.
    let blocks = (count + Self.blockSize - 1) / Self.blockSize
    let width = isWide ? 4 : 1
    let tailCount = tailTable.pointee.count
    let tailBytes = tailCount > 0 ? count : 0
    let hasWideStarts = isWide || BlockStarts.areWide(upTo: suffixBytes)
    let derivedSize = (8 + BlockStarts.stride(isWide: hasWideStarts)) * blocks
    let size = derivedSize + 2 * count * width + tailBytes + suffixBytes + FieldColumns.slack
    let storage = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    let heads = storage.bindMemory(to: UInt64.self, capacity: blocks)
    let starts = BlockStarts(storage + 8 * blocks, isWide: hasWideStarts)
    let shared = storage + derivedSize
    let length = shared + count * width
    let tails = (length + count * width).bindMemory(to: UInt8.self, capacity: tailBytes)
    let ownSuffixes = (tails + tailBytes)
    ownSuffixes.copy(from: suffixes.baseAddress!, count: suffixes.count)
    // What lies behind may be read by whole words, so it is made to hold something.
    (ownSuffixes + suffixBytes).update(repeating: 0, count: FieldColumns.slack)
    (self.content, self.tailTable, recordCount) = (UnsafeRawPointer(storage), tailTable, UInt32(count))
    sharedOffset = UInt32(derivedSize)
    suffixOffset = UInt32(derivedSize + 2 * count * width + tailBytes)
    (keptBytes, tailLimit, self.isWide, self.hasWideStarts) = (UInt32(size), UInt16(tailCount), isWide, hasWideStarts)
    do throws(FormatError) {
      let (position, longest): (Int, Int)
      if isWide {
        try Self.unpackSizes(
          packedSizes, &reader, shared.bindMemory(to: UInt32.self, capacity: count),
          length.bindMemory(to: UInt32.self, capacity: count))
        (position, longest) = try Self.check(
          UnsafePointer(shared.assumingMemoryBound(to: UInt32.self)),
          UnsafePointer(length.assumingMemoryBound(to: UInt32.self)), from: 0, count, starts)
      } else {
        try Self.unpackSizes(
          packedSizes, &reader, shared.bindMemory(to: UInt8.self, capacity: count),
          length.bindMemory(to: UInt8.self, capacity: count))
        (position, longest) = try Self.checkNarrow(
          UnsafePointer(shared.assumingMemoryBound(to: UInt8.self)),
          UnsafePointer(length.assumingMemoryBound(to: UInt8.self)), count, starts)
      }
      guard position == suffixBytes else {
        throw .invalid(reason: "suffixes do not fill their section", offset: Self.headerSize)
      }
      self.longest = UInt32(longest)
      if tailCount > 0, !layout.pointee.tailCode.isPresent {
        let codes = try reader.read(bytes: count)
        tails.copy(from: codes.baseAddress!, count: count)
        var highest: UInt8 = 0
        for index in 0..<count { highest = max(highest, tails[index]) }
        guard Int(highest) < tailCount else {
          throw .invalid(reason: "a record names a tail that is not there", offset: reader.offset - count)
        }
      }
      if isPacked { try layout.pointee.suffixCode.unpack(&reader, count: suffixBytes, into: ownSuffixes, table: table) }
      if layout.pointee.tailCode.isPresent {
        try layout.pointee.tailCode.unpack(&reader, count: count, into: tails, table: table)
      }
      guard reader.remaining == 0 else {
        throw .invalid(reason: "does not end with its last section", offset: reader.offset)
      }
    } catch {
      storage.deallocate()
      throw error
    }
    for block in 0..<blocks { heads[block] = head(ofBlock: block) }
  }

  /// Makes two columns of sizes of one: a byte a record, four bits each, 15 for what is that or more. How much more stands
  /// behind them, as varints.
  @inline(__always)
  private static func unpackSizes<Size: FixedWidthInteger & UnsignedInteger>(
    _ packed: UnsafeBufferPointer<UInt8>, _ reader: inout ByteReader, _ shared: UnsafeMutablePointer<Size>,
    _ length: UnsafeMutablePointer<Size>
  ) throws(FormatError) {
    func excess(_ reader: inout ByteReader) throws(FormatError) -> Size {
      let at = reader.offset
      let value = 15 + (try reader.readVarint())
      guard let size = Size(exactly: value) else { throw .invalid(reason: "a stem of \(value) bytes", offset: at) }
      return size
    }
    let (count, bytes) = (packed.count, packed.baseAddress!)
    var index = 0
    while index < count {
      shared[index] = Size(truncatingIfNeeded: bytes[index] & 15)
      length[index] = Size(truncatingIfNeeded: bytes[index] &>> 4)
      index &+= 1
    }
    index = 0
    while index < count {
      // Half a byte of ones is rare: looked for in eight bytes at once, of which some may stand behind the last.
      let word = UInt64(littleEndian: UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self))
      let pairs = word & word &>> 2
      var halves = pairs & pairs &>> 1 & 0x1111_1111_1111_1111
      while halves != 0 {
        let bit = halves.trailingZeroBitCount
        let record = index &+ bit &>> 3
        guard record < count else { break }
        if bit & 4 == 0 { shared[record] = try excess(&reader) } else { length[record] = try excess(&reader) }
        halves &= halves &- 1
      }
      index &+= 8
    }
  }

  /// No stem is longer, in bytes: whoever reads a record makes room for twice the part's longest, and where suffixes are
  /// packed a frame could hold one of eight times its content. Far above what a builder makes.
  package static let stemLimit = ZstdFrame.contentLimit

  private static var unsound: FormatError {
    .invalid(reason: "a record shares more than its predecessor has, or its stem is too long", offset: headerSize)
  }

  /// One pass over all records from a restart point on: nothing read later can lead outside the sections.
  ///
  /// - Returns: All suffixes together, and the longest stem.
  @inline(__always)
  private static func check<Size: FixedWidthInteger & UnsignedInteger>(
    _ shared: UnsafePointer<Size>, _ length: UnsafePointer<Size>, from first: Int, _ count: Int,
    _ starts: BlockStarts, position: Int = 0
  ) throws(FormatError) -> (size: Int, longest: Int) {
    var position = position
    var longest = 0
    // Nothing stands before the first record that it could share.
    var isSound = shared[0] == 0
    var index = first
    while index < count {
      starts[index >> blockShift] = position
      let end = min(index &+ blockSize, count)
      // A restart point is stored whole; what it shares with the record before is a fact for scans alone.
      var stem = Int(length[index])
      isSound = isSound && Int(shared[index]) <= stem
      position &+= stem
      longest = max(longest, stem)
      index &+= 1
      while index < end {
        let common = Int(shared[index])
        let rest = Int(length[index])
        isSound = isSound && common <= stem
        stem = common &+ rest
        position &+= rest
        longest = max(longest, stem)
        index &+= 1
      }
    }
    guard isSound, longest <= min(Int(Size.max), stemLimit) else { throw unsound }
    return (position, longest)
  }

  /// The same where sizes have 8 bits: a block at a time.
  private static func checkNarrow(
    _ shared: UnsafePointer<UInt8>, _ length: UnsafePointer<UInt8>, _ count: Int, _ starts: BlockStarts
  ) throws(FormatError) -> (size: Int, longest: Int) {
    typealias Sizes = SIMD16<UInt8>
    var position = 0
    var longest = Sizes.zero
    var unsoundLanes = SIMDMask<SIMD16<Int8>>(repeating: false)
    var isSound = shared[0] == 0
    // Those before the last block, so that what a record of it shares can be looked at from the one before.
    let whole = (count &- 1) >> blockShift
    for block in 0..<whole {
      starts[block] = position
      let first = block << blockShift
      var common = UnsafeRawPointer(shared + first).loadUnaligned(as: Sizes.self)
      let rest = UnsafeRawPointer(length + first).loadUnaligned(as: Sizes.self)
      var next = UnsafeRawPointer(shared + (first &+ 1)).loadUnaligned(as: Sizes.self)
      // A restart point is stored whole, and shares no more than it has; what the one behind the last shares is its own affair.
      next[15] = 0
      isSound = isSound && shared[first] <= length[first]
      common[0] = 0
      let stem = common &+ rest
      unsoundLanes = unsoundLanes .| (stem .< rest) .| (next .> stem)
      longest.replace(with: stem, where: stem .> longest)
      position &+= sum(rest)
    }
    guard isSound, !any(unsoundLanes) else { throw unsound }
    let last = try check(shared, length, from: whole << blockShift, count, starts, position: position)
    return (last.size, max(Int(longest.max()), last.longest))
  }

  // MARK: Entries

  @inline(__always) package func sharedSize(_ index: Int) -> Int {
    isWide
      ? Int(UInt32(littleEndian: shared.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
      : Int(shared.load(fromByteOffset: index, as: UInt8.self))
  }

  @inline(__always) package func suffixSize(_ index: Int) -> Int {
    isWide
      ? Int(UInt32(littleEndian: length.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
      : Int(length.load(fromByteOffset: index, as: UInt8.self))
  }

  /// The same for all records, where they are 8 bits each: what each shares with the one before, and what it adds.
  @inline(__always) var sizes: (shared: UnsafePointer<UInt8>, suffix: UnsafePointer<UInt8>)? {
    isWide ? nil : (shared.assumingMemoryBound(to: UInt8.self), length.assumingMemoryBound(to: UInt8.self))
  }

  /// The folded text of tail number `tail`.
  @inline(__always) package func tail(_ tail: Int) -> UnsafeBufferPointer<UInt8> { tailTable.pointee[tail] }

  package var blockCount: Int { (count + Self.blockSize - 1) >> Self.blockShift }
  @inline(__always) package func suffixes(ofBlock block: Int) -> UnsafePointer<UInt8> { suffixes + starts[block] }

  private func head(ofBlock block: Int) -> UInt64 {
    let record = block << Self.blockShift
    // Suffixes and tails have bytes behind them that can be read.
    func word(_ bytes: UnsafePointer<UInt8>, _ size: Int) -> UInt64 {
      let word = UInt64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
      return word & Self.headMask(size)
    }
    let size = suffixSize(record)
    var head = word(suffixes(ofBlock: block), size)
    if tailCount > 0, size < 8 {
      head |= UInt64(Fold.separator) &<< UInt64(56 &- 8 &* size)
      if size < 7 {
        let tail = self.tail(Int(tails[record]))
        head |= word(tail.baseAddress!, tail.count) &>> UInt64(8 &* (size &+ 1))
      }
    }
    return head
  }

  // MARK: Search

  /// The first record that does not begin with `prefix`, given that the one at `lower` does; none below that.
  @inline(__always)
  package func upperBound(of prefix: UnsafeBufferPointer<UInt8>, from lower: Int) -> Int {
    // A stem that shares this much with the one before it begins with the prefix too. A prefix that reaches
    // into the tail is not decided by stems: then the first key above all that begin with it is searched.
    if tailCount > 0, Words(prefix).hasSeparator {
      return upperBoundAcrossTails(of: prefix, from: lower)
    }
    let size = prefix.count
    var index = lower + 1
    guard !isWide else {
      while index < count, sharedSize(index) >= size { index += 1 }
      return index
    }
    guard size < 256 else { return min(index, count) }
    // Behind the sizes lie those of the suffixes, and behind them at least as much that can be read.
    let limit = SIMD16<UInt8>(repeating: UInt8(truncatingIfNeeded: size))
    while index < count {
      let run = shared.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      let ends = unsafeBitCast(run .< limit, to: SIMD2<UInt64>.self)
      let (low, high) = (UInt64(littleEndian: ends[0]), UInt64(littleEndian: ends[1]))
      if low | high != 0 {
        let end = low != 0 ? low.trailingZeroBitCount >> 3 : 8 &+ high.trailingZeroBitCount >> 3
        return min(index &+ end, count)
      }
      index &+= 16
    }
    return count
  }

  @inline(never)
  private func upperBoundAcrossTails(of prefix: UnsafeBufferPointer<UInt8>, from lower: Int) -> Int {
    // Mostly a handful of records: each is compared from where its stem leaves the one before, which begins with the
    // prefix.
    let words = Words(prefix)
    var index = lower &+ 1
    let end = min(count, index &+ Self.blockSize)
    guard index < end else { return index }
    var suffix = suffixes(ofBlock: index >> Self.blockShift)
    let start = index & ~(Self.blockSize - 1)
    if let sizes {
      suffix += sum(sizes.suffix + start, index &- start)
    } else {
      for before in start..<index { suffix += suffixSize(before) }
    }
    while index < end {
      let rest = suffixSize(index)
      let common = index & (Self.blockSize - 1) == 0 ? 0 : sharedSize(index)
      guard common >= prefix.count || commonSize(suffix, rest, index, from: common, prefix, words) == prefix.count
      else {
        return index
      }
      suffix += rest
      index &+= 1
    }
    guard index < count else { return count }
    // The bytes of folded text are below 0xff, so the last one has a successor.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count) { next in
      next.baseAddress!.copy(from: prefix.baseAddress!, count: prefix.count)
      next[prefix.count - 1] &+= 1
      let bytes = UnsafeBufferPointer(next)
      // Keys that are in no order, which no query checks, may have any upper bound.
      return max(lower, lowerBound(of: bytes, head: Self.head(of: bytes)).index)
    }
  }

  /// A key's bytes, eight at a time, wherever they begin.
  private struct Words {
    private let bytes: UnsafeRawPointer?
    private let count: Int
    /// All of a key of eight bytes or fewer, with zeros behind it.
    private let head: UInt64

    @inline(__always) init(_ key: UnsafeBufferPointer<UInt8>) {
      bytes = UnsafeRawPointer(key.baseAddress)
      count = key.count
      head = KeyBlocks.head(of: key).byteSwapped
    }

    /// Whether one of the bytes is the separator.
    @inline(__always) var hasSeparator: Bool {
      let ones: UInt64 = 0x0101_0101_0101_0101
      var position = 0
      while position < count {
        // Zero where it is one; only above a zero can a byte be taken for one.
        let word = self[position] ^ (ones &* UInt64(Fold.separator))
        if (word &- ones) & ~word & (ones &* 0x80) != 0 { return true }
        position &+= 8
      }
      return false
    }

    /// The bytes from `position` on, which lies within the key, the first of them lowest; zeros behind its end.
    @inline(__always) subscript(_ position: Int) -> UInt64 {
      guard count > 8 else { return head &>> UInt64(8 &* position) }
      let start = min(position, count &- 8)
      let word = UInt64(littleEndian: bytes!.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      return word &>> UInt64(8 &* (position &- start))
    }
  }

  /// What of a head says something of a key, or a prefix, of `size` bytes.
  @inline(__always) static func headMask(_ size: Int) -> UInt64 { ~(UInt64.max >> UInt64(8 &* size)) }

  /// The first eight bytes as a number that orders as they do; missing ones count as 0, which no folded key holds.
  @inline(__always) package static func head(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    if bytes.count >= 8 {
      return UInt64(bigEndian: UnsafeRawPointer(bytes.baseAddress!).loadUnaligned(as: UInt64.self))
    }
    guard let start = UnsafeRawPointer(bytes.baseAddress), bytes.count > 0 else { return 0 }
    let last = bytes.count &- 1
    if bytes.count >= 4 {
      // Two halves, which have what is in the middle in common.
      let first = UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
      let second = UInt64(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: last &- 3, as: UInt32.self)))
      return (first | second &<< UInt64(8 &* (last &- 3))).byteSwapped
    }
    let middle = bytes.count >> 1
    let (first, second, third) = (UInt64(bytes[0]), UInt64(bytes[middle]), UInt64(bytes[last]))
    return (first | second &<< UInt64(8 &* middle) | third &<< UInt64(8 &* last)).byteSwapped
  }

  /// The first record whose key is at or above `key`, `count` if none is, and whether it begins with `key`.
  ///
  /// - Complexity: O(log *b* + ``blockSize``) comparisons, *b* blocks.
  @inline(__always)
  package func lowerBound(of key: UnsafeBufferPointer<UInt8>, head: UInt64) -> (index: Int, matches: Bool) {
    guard key.count > 0 else { return (0, true) }
    // Blocks before `low` start below the key; from it on they start at or above it.
    var low = partitionPoint(blockCount) { heads[$0] < head }
    // No folded byte is 0, so that equal heads of a key shorter than eight bytes mean that the restart key is the key.
    if low < blockCount, heads[low] == head, key.count >= 8 { low = countLongBelow(key, head, from: low) }
    guard low > 0 else { return (0, restart(0, beginsWith: key, head: head)) }
    let (index, matches) = scan(block: low &- 1, for: key, head: head)
    if index < 0 {
      return (min(low << Self.blockShift, count), low < blockCount && restart(low, beginsWith: key, head: head))
    }
    return (index, matches)
  }

  /// How many blocks start below `key`, of which `from` is the first that has its first eight bytes in common with it.
  @inline(never)
  private func countLongBelow(_ key: UnsafeBufferPointer<UInt8>, _ head: UInt64, from: Int) -> Int {
    from
      &+ partitionPoint(blockCount &- from) {
        heads[from &+ $0] == head && compareRestart(from &+ $0, with: key) < 0
      }
  }

  /// Walks block `block`, whose restart key is below `key`; -1 if all its keys are.
  @inline(__always)
  private func scan(block: Int, for key: UnsafeBufferPointer<UInt8>, head: UInt64) -> (Int, Bool) {
    let first = block << Self.blockShift
    let end = min(first &+ Self.blockSize, count)
    let words = Words(key)
    var suffix = suffixes(ofBlock: block)
    // `matched`: how many of the key's bytes the current record's key begins with; all so far are below the key.
    // Of the first record heads say it, unless they are the same: there is a byte in which its is below the key's.
    let differences = heads[block] ^ head
    var matched =
      differences != 0
      ? differences.leadingZeroBitCount >> 3 : commonSize(suffix, suffixSize(first), first, from: 0, key, words)
    suffix += suffixSize(first)
    var index = first &+ 1
    while index < end {
      let common = sharedSize(index)
      let rest = suffixSize(index)
      if common == matched || rest == 0 || suffix[0] == Fold.separator {
        // What the record adds (its suffix, then its tail) meets the key where the last one left it. With no
        // suffix, or one that begins like a tail, it may do so inside the tail of the record before.
        guard common <= matched else {
          suffix += rest
          index &+= 1
          continue
        }
        let now = commonSize(suffix, rest, index, from: common, key, words)
        if now == key.count { return (index, true) }
        if byte(at: now, suffix, rest, index, common) > Int(key[now]) { return (index, false) }
        matched = now
      } else if common < matched {
        return (index, false)  // Leaves the key's path upwards.
      }
      suffix += rest
      index &+= 1
    }
    return (-1, false)
  }

  /// Up to where the record's key, known to agree with `key` in its first `from` bytes, agrees with it.
  @inline(__always)
  private func commonSize(
    _ suffix: UnsafePointer<UInt8>, _ size: Int, _ index: Int, from: Int, _ key: UnsafeBufferPointer<UInt8>,
    _ words: Words
  ) -> Int {
    var at = from
    let stemEnd = from &+ size
    let end = min(stemEnd, key.count)
    // Suffixes have bytes behind them that can be read.
    while at < end {
      let word = UInt64(
        littleEndian: UnsafeRawPointer(suffix).loadUnaligned(fromByteOffset: at &- from, as: UInt64.self))
      let differences = word ^ words[at]
      if differences != 0 {
        at = min(at &+ differences.trailingZeroBitCount >> 3, end)
        break
      }
      at = min(at &+ 8, end)
    }
    guard at == stemEnd, tailCount > 0, at < key.count, key[at] == Fold.separator else { return at }
    at &+= 1
    let tail = self.tail(Int(tails[index]))
    var offset = 0
    while offset < tail.count, at < key.count, tail[offset] == key[at] {
      at &+= 1
      offset &+= 1
    }
    return at
  }

  /// The byte at `position` of the record's key, of which `suffix` holds the stem from `from` on; -1 behind its end.
  @inline(__always)
  private func byte(
    at position: Int, _ suffix: UnsafePointer<UInt8>, _ size: Int, _ index: Int, _ from: Int
  ) -> Int {
    let stemEnd = from &+ size
    if position < stemEnd { return Int(suffix[position &- from]) }
    guard tailCount > 0 else { return -1 }
    if position == stemEnd { return Int(Fold.separator) }
    let tail = self.tail(Int(tails[index]))
    let offset = position &- stemEnd &- 1
    return offset < tail.count ? Int(tail[offset]) : -1
  }

  @inline(__always)
  private func restart(_ block: Int, beginsWith key: UnsafeBufferPointer<UInt8>, head: UInt64) -> Bool {
    // Of eight bytes or fewer the head is all: those of the other behind them do not count.
    let mask = Self.headMask(key.count)
    guard heads[block] & mask == head else { return false }
    return key.count <= 8 || restart(block, beginsWithLong: key)
  }

  @inline(never)
  private func restart(_ block: Int, beginsWithLong key: UnsafeBufferPointer<UInt8>) -> Bool {
    let record = block << Self.blockShift
    return commonSize(suffixes(ofBlock: block), suffixSize(record), record, from: 0, key, Words(key)) == key.count
  }

  /// Negative if the restart key of `block` is below `key`, positive if above, 0 if equal to it or longer by more.
  private func compareRestart(_ block: Int, with key: UnsafeBufferPointer<UInt8>) -> Int {
    let record = block << Self.blockShift
    let (suffix, size) = (suffixes(ofBlock: block), suffixSize(record))
    let common = commonSize(suffix, size, record, from: 0, key, Words(key))
    guard common < key.count else { return 0 }
    return byte(at: common, suffix, size, record, 0) - Int(key[common])
  }
}

/// The folds of a template's last field, each once, in order: what stands behind the stems of a shard's keys.
package struct TailTable: BitwiseCopyable {
  package let count: Int
  let texts: UnsafePointer<UInt8>
  /// Where each text ends; nil if all have one size.
  private let ends: UnsafePointer<UInt16>?
  private let each: Int

  /// - Parameters:
  ///   - ends: Where each text ends, `count` of them; nil if all have one size.
  ///   - each: That size.
  init(count: Int, texts: UnsafePointer<UInt8>, ends: UnsafePointer<UInt16>?, each: Int) {
    (self.count, self.texts, self.ends, self.each) = (count, texts, ends, each)
  }

  /// Where a text ends.
  @inline(__always) func end(_ tail: Int) -> Int { ends.map { Int($0[tail]) } ?? (tail &+ 1) &* each }

  /// Of all texts together, in bytes.
  var size: Int { count == 0 ? 0 : end(count &- 1) }

  @inline(__always) package subscript(_ tail: Int) -> UnsafeBufferPointer<UInt8> {
    let start = tail == 0 ? 0 : end(tail &- 1)
    return UnsafeBufferPointer(start: texts + start, count: end(tail) &- start)
  }
}

/// Walks the stems of a part forward, each made whole in a buffer of its own.
package struct StemCursor {
  private let keys: KeyBlocks
  private let buffer: UnsafeMutablePointer<UInt8>
  private var suffix: UnsafePointer<UInt8>
  /// Of the record whose stem is in the buffer.
  package private(set) var index: Int
  package private(set) var stemSize: Int

  /// Stands at record `index`. `buffer` holds at least ``KeyBlocks/longestStem`` + 64 bytes.
  @inline(__always)
  package init(_ keys: KeyBlocks, at index: Int, buffer: UnsafeMutablePointer<UInt8>) {
    self.keys = keys
    self.buffer = buffer
    let block = index >> KeyBlocks.blockShift
    self.index = block << KeyBlocks.blockShift
    suffix = keys.suffixes(ofBlock: block)
    stemSize = keys.suffixSize(self.index)
    copyShort(suffix, to: buffer, stemSize)
    suffix += stemSize
    while self.index < index { advance() }
  }

  package var stem: UnsafePointer<UInt8> { UnsafePointer(buffer) }

  /// Moves to the next record, which must be there.
  @inline(__always)
  package mutating func advance() {
    index &+= 1
    let rest = keys.suffixSize(index)
    // A restart point is stored whole, whatever it shares.
    let common = index & (KeyBlocks.blockSize - 1) == 0 ? 0 : keys.sharedSize(index)
    copyShort(suffix, to: buffer + common, rest)
    suffix += rest
    stemSize = common &+ rest
  }
}

extension KeyBlocks {
  /// Calls `body` with the folded key of each record in `range`, in order, made whole.
  func forEachKey(in range: Range<Int>, _ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    guard !range.isEmpty else { return }
    let room = longestStem + 64
    // A tail has 255 bytes at most.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * room + 256) { scratch in
      let (stem, whole) = (scratch.baseAddress!, scratch.baseAddress! + room)
      var cursor = StemCursor(self, at: range.lowerBound, buffer: stem)
      for record in range {
        if record > range.lowerBound { cursor.advance() }
        whole.copy(from: cursor.stem, count: cursor.stemSize)
        var size = cursor.stemSize
        if tailCount > 0 {
          whole[size] = Fold.separator
          size += 1
          for byte in tail(Int(tails[record])) {
            whole[size] = byte
            size += 1
          }
        }
        body(record, UnsafeBufferPointer(start: whole, count: size))
      }
    }
  }
}
