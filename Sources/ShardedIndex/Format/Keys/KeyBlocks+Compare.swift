extension KeyBlocks {
  /// The current record of a walk through its block: its suffix, which is its stem from the byte `from` on.
  ///
  /// The loader has checked the sizes. Their sums end within the content, which has fewer than 2^32 bytes.
  @unsafe struct StemRest {
    let index: Int
    let suffix: UnsafePointer<UInt8>
    let size: Int
    let from: Int

    @inline(__always) init(_ index: Int, _ suffix: UnsafePointer<UInt8>, _ size: Int, from: Int = 0) {
      unsafe (self.index, self.suffix, self.size, self.from) = (index, suffix, size, from)
    }

    @inline(__always) var stemEnd: Int { unsafe from &+ size }
  }

  /// The restart point of a block.
  @inline(__always) func restart(ofBlock block: Int) -> StemRest {
    let record = block << Self.blockShift
    return unsafe StemRest(record, suffixes(ofBlock: block), suffixSize(record))
  }

  /// Returns the number of bytes that the record's key shares with `key`. The first `from` bytes are the same.
  @inline(__always)
  func commonSize(_ entry: StemRest, _ key: SearchKey) -> Int {
    var at = unsafe entry.from
    let end = unsafe min(entry.stemEnd, key.count)
    // The bytes behind suffixes are readable.
    while at < end {
      let word = unsafe UInt64(littleEndian: (entry.suffix + (at &- entry.from)).load())
      let differences = unsafe word ^ key.word(at)
      if differences != 0 {
        at = min(at &+ differences.trailingZeroBitCount >> 3, end)
        break
      }
      at = min(at &+ 8, end)
    }
    guard unsafe at == entry.stemEnd, suffixFieldCount > 0, unsafe at < key.count, unsafe key.byte(at) == Fold.separator
    else {
      return at
    }
    at &+= 1
    let suffixField = unsafe self.suffixField(Int(suffixFields[entry.index]))
    var offset = 0
    while offset < suffixField.count, unsafe at < key.count, unsafe suffixField[offset] == key.byte(at) {
      at &+= 1
      offset &+= 1
    }
    return at
  }

  /// Returns the byte at `position` of the record's key, at or behind `from`; -1 behind the key's end.
  @inline(__always)
  func byte(at position: Int, of entry: StemRest) -> Int {
    if unsafe position < entry.stemEnd { return unsafe Int(entry.suffix[position &- entry.from]) }
    guard suffixFieldCount > 0 else { return -1 }
    if unsafe position == entry.stemEnd { return Int(Fold.separator) }
    let suffixField = unsafe self.suffixField(Int(suffixFields[entry.index]))
    let offset = unsafe position &- entry.stemEnd &- 1
    return unsafe offset < suffixField.count ? Int(suffixField[offset]) : -1
  }

  @inline(__always)
  func restart(_ block: Int, beginsWith key: SearchKey) -> Bool {
    // The head is the whole key if the key has at most eight bytes; other bytes do not count.
    let mask = unsafe Self.headMask(key.count)
    guard unsafe heads[block] & mask == key.head else { return false }
    return unsafe key.count <= 8 || restart(block, beginsWithLong: key)
  }

  @inline(never)
  private func restart(_ block: Int, beginsWithLong key: SearchKey) -> Bool {
    unsafe commonSize(restart(ofBlock: block), key) == key.count
  }

  /// Returns a negative number if the restart key of `block` is below `key`, a positive number if it is above, and 0 if
  /// it begins with `key`.
  func compareRestart(_ block: Int, with key: SearchKey) -> Int {
    let entry = unsafe restart(ofBlock: block)
    let common = unsafe commonSize(entry, key)
    guard unsafe common < key.count else { return 0 }
    return unsafe byte(at: common, of: entry) - Int(key.byte(common))
  }
}
