// Indexes are below `count` and offsets below the size of the content: both have 32 bits, so that sums of them cannot
// wrap.

extension KeyBlocks {
  /// Returns the first record whose key is at or above `key`, `count` if none is, and whether it begins with `key`.
  ///
  /// - Complexity: O(log *b* + ``blockSize``) comparisons, *b* blocks.
  @inline(__always)
  package func lowerBound(of key: UnsafeBufferPointer<UInt8>, head: UInt64) -> (index: Int, matches: Bool) {
    guard key.count > 0 else { return (0, true) }
    let key = unsafe SearchKey(key, head: head)
    // Blocks before `low` start below the key; from it on they start at or above it.
    var low = partitionPoint(blockCount) { unsafe heads[$0] < head }
    // No folded byte is 0, so that equal heads of a key shorter than eight bytes mean that the restart key is the key.
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

  /// Returns how many blocks start below `key`, of which `from` is the first that has its first eight bytes in common
  /// with it.
  @inline(never)
  private func countLongBelow(_ key: SearchKey, from: Int) -> Int {
    from
      &+ partitionPoint(blockCount &- from) {
        unsafe heads[from &+ $0] == key.head && compareRestart(from &+ $0, with: key) < 0
      }
  }

  /// Walks block `block`, whose restart key is below `key`; returns -1 if all its keys are.
  @inline(__always)
  private func scan(block: Int, for key: SearchKey) -> (Int, Bool) {
    let first = unsafe restart(ofBlock: block)
    let end = unsafe min(first.index &+ Self.blockSize, count)
    // `matched`: how many of the key's bytes the current record's key begins with; all so far are below the key. Of the
    // first record heads tell it, unless they are the same: there is a byte in which its head is below the key's.
    let differences = unsafe heads[block] ^ key.head
    var matched = unsafe differences != 0 ? differences.leadingZeroBitCount >> 3 : commonSize(first, key)
    var suffix = unsafe first.suffix + first.size
    var index = unsafe first.index &+ 1
    while index < end {
      let common = sharedSize(index)
      let rest = suffixSize(index)
      if unsafe common == matched || rest == 0 || suffix[0] == Fold.separator {
        // What the record adds (its suffix, then its suffix field) meets the key where the last one left it. With no
        // suffix, or one that begins like a suffix field, it may do so inside the suffix field of the record before.
        guard common <= matched else {
          unsafe suffix += rest
          index &+= 1
          continue
        }
        let entry = unsafe Entry(index, suffix, rest, from: common)
        let now = unsafe commonSize(entry, key)
        if unsafe now == key.count { return (index, true) }
        if unsafe byte(at: now, of: entry) > Int(key.byte(now)) { return (index, false) }
        matched = now
      } else if common < matched {
        return (index, false)  // Leaves the key's path upwards.
      }
      unsafe suffix += rest
      index &+= 1
    }
    return (-1, false)
  }

  /// Returns the first record that does not begin with `prefix`, given that the one at `lower` does and none before it.
  @inline(__always)
  package func upperBound(of prefix: UnsafeBufferPointer<UInt8>, from lower: Int) -> Int {
    // A stem that shares this much with the one before it begins with the prefix too. A prefix that reaches
    // into the suffix field is not decided by stems: then the first key above all that begin with it is searched.
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
    // Behind the sizes lie those of the suffixes, and behind them at least as much that can be read.
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
    // Mostly a handful of records: each is compared from where its stem leaves the one before, which begins with the
    // prefix.
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
      guard unsafe common >= key.count || commonSize(Entry(index, suffix, rest, from: common), key) == key.count else {
        return index
      }
      unsafe suffix += rest
      index &+= 1
    }
    guard index < count else { return count }
    // The bytes of folded text are below 0xff, so the last one has a successor.
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: key.count) { next in
      _ = unsafe next.initialize(from: prefix)
      unsafe next[key.count - 1] += 1
      let bytes = UnsafeBufferPointer(next)
      // Keys that are in no order, which no query checks, may have any upper bound.
      return unsafe max(lower, lowerBound(of: bytes, head: Self.head(of: bytes)).index)
    }
  }
}
