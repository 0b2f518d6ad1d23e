// Indexes are below `count` and offsets below the size of the content. Both have 32 bits, so sums cannot wrap.

extension KeyBlocks {
  /// Returns the first record whose key is at or above `key`, or `count`, and whether that key begins with `key`.
  ///
  /// - Complexity: O(log *b* + ``blockSize``) comparisons, *b* blocks.
  @inline(__always)
  package func lowerBound(of key: UnsafeBufferPointer<UInt8>, head: UInt64) -> (index: Int, matches: Bool) {
    guard key.count > 0 else { return (0, true) }
    let key = unsafe SearchKey(key, head: head)
    // Blocks before `low` start below the key; from it on they start at or above it.
    var low = partitionPoint(blockCount) { unsafe heads[$0] < head }
    // No folded byte is 0. So if heads are equal and the key is shorter than eight bytes, the restart key is the key.
    if low < blockCount, unsafe heads[low] == head, unsafe key.count >= 8 {
      low = unsafe countLongBelow(key, from: low)
    }
    guard low > 0 else { return unsafe (0, restart(0, beginsWith: key)) }
    let (index, matches) = unsafe scan(block: low &- 1, for: key)
    if index < 0 {
      return unsafe (min(low << Self.blockShift, count), low < blockCount && restart(low, beginsWith: key))
    }
    return (index, matches)
  }

  /// Returns the number of blocks that start below `key`. `from` is the first block that shares the first eight bytes
  /// with it.
  @inline(never)
  private func countLongBelow(_ key: SearchKey, from: Int) -> Int {
    from
      &+ partitionPoint(blockCount &- from) {
        unsafe heads[from &+ $0] == key.head && compareRestart(from &+ $0, with: key) < 0
      }
  }

  /// Walks block `block`, whose restart key is below `key`; returns -1 if all keys of the block are below.
  @inline(__always)
  private func scan(block: Int, for key: SearchKey) -> (Int, Bool) {
    let first = unsafe restart(ofBlock: block)
    let end = unsafe min(first.index &+ Self.blockSize, count)
    // `matched` is the number of the key's bytes that the current record's key begins with. All records so far are
    // below the key. For the first record the heads give the number, unless they are equal.
    let differences = unsafe heads[block] ^ key.head
    var matched = unsafe differences != 0 ? differences.leadingZeroBitCount >> 3 : commonSize(first, key)
    var suffix = unsafe first.suffix + first.size
    var index = unsafe first.index &+ 1
    while index < end {
      let common = sharedSize(index)
      let rest = suffixSize(index)
      if unsafe common == matched || rest == 0 || suffix[0] == Fold.separator {
        // The record's suffix and suffix field meet the key where the last record left it. If the suffix is empty or
        // begins like a suffix field, that may be inside the suffix field of the record before.
        guard common <= matched else {
          unsafe suffix += rest
          index &+= 1
          continue
        }
        let entry = unsafe StemRest(index, suffix, rest, from: common)
        let now = unsafe commonSize(entry, key)
        if unsafe now == key.count { return (index, true) }
        if unsafe byte(at: now, of: entry) > Int(key.byte(now)) { return (index, false) }
        matched = now
      } else if common < matched {
        return (index, false)  // The record is above the key.
      }
      unsafe suffix += rest
      index &+= 1
    }
    return (-1, false)
  }

  /// Returns the end of the run of records that begin with `prefix`. The run begins at `lower`.
  @inline(__always)
  package func upperBound(of prefix: UnsafeBufferPointer<UInt8>, from lower: Int) -> Int {
    // A stem that shares the whole prefix with the one before begins with the prefix too. If the prefix reaches into
    // the suffix field, stems do not decide: the search then looks for the first key above the run.
    if suffixFieldCount > 0, unsafe SearchKey(prefix, head: Self.head(of: prefix)).hasSeparator {
      return unsafe upperBoundAcrossSuffixFields(of: prefix, from: lower)
    }
    let size = prefix.count
    var index = lower + 1
    guard !isWide else {
      while index < count, sharedSize(index) >= size { index += 1 }
      return index
    }
    guard size < 256 else { return min(index, count) }
    // The sizes of suffixes follow, and behind them at least as many readable bytes.
    let limit = SIMD16<UInt8>(repeating: UInt8(truncatingIfNeeded: size))
    while index < count {
      let run = unsafe shared.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      let ends = unsafe unsafeBitCast(run .< limit, to: SIMD2<UInt64>.self)
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
  private func upperBoundAcrossSuffixFields(of prefix: UnsafeBufferPointer<UInt8>, from lower: Int) -> Int {
    // Mostly a handful of records: each is compared from the end of the bytes that its stem shares with the one before.
    let key = unsafe SearchKey(prefix, head: Self.head(of: prefix))
    var index = lower &+ 1
    let end = min(count, index &+ Self.blockSize)
    guard index < end else { return index }
    var suffix = unsafe suffixes(ofBlock: index >> Self.blockShift)
    let start = index & ~(Self.blockSize - 1)
    if let sizes = unsafe sizes {
      unsafe suffix += sum(sizes.suffix + start, index &- start)
    } else {
      for before in start..<index { unsafe suffix += suffixSize(before) }
    }
    while index < end {
      let rest = suffixSize(index)
      let common = index & (Self.blockSize - 1) == 0 ? 0 : sharedSize(index)
      guard unsafe common >= key.count || commonSize(StemRest(index, suffix, rest, from: common), key) == key.count
      else {
        return index
      }
      unsafe suffix += rest
      index &+= 1
    }
    guard index < count else { return count }
    // The bytes of folded text are below 0xff, so the last byte has a successor.
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: key.count) { next in
      _ = unsafe next.initialize(from: prefix)
      unsafe next[key.count - 1] += 1
      let bytes = UnsafeBufferPointer(next)
      // Queries do not check the order of keys: keys without order may give any upper bound.
      return unsafe max(lower, lowerBound(of: bytes, head: Self.head(of: bytes)).index)
    }
  }
}
