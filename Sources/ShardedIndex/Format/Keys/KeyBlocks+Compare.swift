extension KeyBlocks {
  /// A record as a walk through its block stands at it: its stem from the byte `from` on, which is its suffix.
  ///
  /// Sums of sizes that were checked when the keys were loaded: they end within the content, which has fewer than 2^32 bytes.
  struct Entry {
    let index: Int
    let suffix: UnsafePointer<UInt8>
    let size: Int
    let from: Int

    @inline(__always) init(_ index: Int, _ suffix: UnsafePointer<UInt8>, _ size: Int, from: Int = 0) {
      (self.index, self.suffix, self.size, self.from) = (index, suffix, size, from)
    }

    @inline(__always) var stemEnd: Int { from &+ size }
  }

  /// The restart point of a block.
  @inline(__always) func restart(ofBlock block: Int) -> Entry {
    let record = block << Self.blockShift
    return Entry(record, suffixes(ofBlock: block), suffixSize(record))
  }

  /// Returns how many bytes the record's key, which has its first `from` bytes in common with `key`, has in common with it.
  @inline(__always)
  func commonSize(_ entry: Entry, _ key: SearchKey) -> Int {
    var at = entry.from
    let end = min(entry.stemEnd, key.count)
    // Suffixes have bytes behind them that can be read.
    while at < end {
      let word = UInt64(littleEndian: (entry.suffix + (at &- entry.from)).load())
      let differences = word ^ key.word(at)
      if differences != 0 {
        at = min(at &+ differences.trailingZeroBitCount >> 3, end)
        break
      }
      at = min(at &+ 8, end)
    }
    guard at == entry.stemEnd, tailCount > 0, at < key.count, key.byte(at) == Fold.separator else { return at }
    at &+= 1
    let tail = self.tail(Int(tails[entry.index]))
    var offset = 0
    while offset < tail.count, at < key.count, tail[offset] == key.byte(at) {
      at &+= 1
      offset &+= 1
    }
    return at
  }

  /// Returns the byte at `position` of the record's key, which is not before `from`; -1 behind its end.
  @inline(__always)
  func byte(at position: Int, of entry: Entry) -> Int {
    if position < entry.stemEnd { return Int(entry.suffix[position &- entry.from]) }
    guard tailCount > 0 else { return -1 }
    if position == entry.stemEnd { return Int(Fold.separator) }
    let tail = self.tail(Int(tails[entry.index]))
    let offset = position &- entry.stemEnd &- 1
    return offset < tail.count ? Int(tail[offset]) : -1
  }

  @inline(__always)
  func restart(_ block: Int, beginsWith key: SearchKey) -> Bool {
    // The head is all of a key of eight bytes or fewer: those of the other behind them do not count.
    let mask = Self.headMask(key.count)
    guard heads[block] & mask == key.head else { return false }
    return key.count <= 8 || restart(block, beginsWithLong: key)
  }

  @inline(never)
  private func restart(_ block: Int, beginsWithLong key: SearchKey) -> Bool {
    commonSize(restart(ofBlock: block), key) == key.count
  }

  /// Returns a negative number if the restart key of `block` is below `key`, a positive one if it is above, and 0 if it
  /// begins with the key.
  func compareRestart(_ block: Int, with key: SearchKey) -> Int {
    let entry = restart(ofBlock: block)
    let common = commonSize(entry, key)
    guard common < key.count else { return 0 }
    return byte(at: common, of: entry) - Int(key.byte(common))
  }
}
