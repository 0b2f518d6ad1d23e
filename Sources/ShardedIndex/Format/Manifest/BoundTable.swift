/// Lower bounds in order, searched in their stored form. Source: docs/format.md section 3.3.
///
/// The bytes belong to the page or the list of the table, and must outlive the table.
@safe package struct BoundTable {
  package let count: Int
  /// u64 per bound: its first eight bytes, as a number of the same order.
  private let heads: UnsafeRawPointer
  /// u32 per bound: its end in `texts`.
  private let ends: UnsafeRawPointer
  private let texts: UnsafePointer<UInt8>

  /// Checks that bounds lie within `texts`, fill it, and have their own heads.
  init(
    count: Int, heads: UnsafePointer<UInt8>, ends: UnsafePointer<UInt8>, texts: UnsafeBufferPointer<UInt8>
  ) throws(FormatError) {
    self.count = count
    unsafe self.heads = UnsafeRawPointer(heads)
    unsafe self.ends = UnsafeRawPointer(ends)
    unsafe self.texts = texts.baseAddress ?? heads
    var start = 0
    for index in 0..<count {
      let end = self.end(index)
      guard end >= start, end <= texts.count else {
        throw .invalid(reason: "has lower bound \(index) in a wrong place", offset: 0)
      }
      start = end
      guard unsafe head(index) == KeyBlocks.head(of: self[index]) else {
        throw .invalid(reason: "has a head \(index) of another lower bound", offset: 0)
      }
    }
    guard start == texts.count else {
      throw .invalid(reason: "has lower bounds that do not fill their section", offset: 0)
    }
  }

  /// Makes a view of checked bounds.
  @inline(__always)
  init(checked count: Int, heads: UnsafePointer<UInt8>, ends: UnsafePointer<UInt8>, texts: UnsafePointer<UInt8>) {
    self.count = count
    unsafe self.heads = UnsafeRawPointer(heads)
    unsafe self.ends = UnsafeRawPointer(ends)
    unsafe self.texts = texts
  }

  /// An empty table.
  var none: BoundTable {
    let start = unsafe heads.assumingMemoryBound(to: UInt8.self)
    return unsafe BoundTable(checked: 0, heads: start, ends: start, texts: start)
  }

  /// Checks that bound `index` is above the one before, or equal to it if equal keys continue.
  @inline(__always)
  func checkOrder(_ index: Int, isContinuation: Bool) throws(FormatError) {
    // Heads were compared with their bounds, and nearly always decide.
    guard index > 0, head(index - 1) >= head(index) else { return }
    try checkLongOrder(index, isContinuation: isContinuation)
  }

  @inline(never)
  private func checkLongOrder(_ index: Int, isContinuation: Bool) throws(FormatError) {
    guard unsafe isBelow(index - 1, self[index], head(index)) || (isContinuation && equals(index - 1, self[index]))
    else {
      throw .invalid(reason: "has lower bound \(index) not above the one before", offset: 0)
    }
  }

  @inline(__always) private func end(_ index: Int) -> Int {
    // An end that is too large for an Int is negative here, and is refused.
    unsafe Int(
      truncatingIfNeeded: UInt32(littleEndian: ends.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)))
  }

  @inline(__always) func head(_ index: Int) -> UInt64 {
    unsafe UInt64(littleEndian: heads.loadUnaligned(fromByteOffset: 8 &* index, as: UInt64.self))
  }

  @inline(__always) package subscript(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = index == 0 ? 0 : end(index &- 1)
    return unsafe UnsafeBufferPointer(start: texts + start, count: end(index) &- start)
  }

  /// Whether bound `index` equals `key`.
  func equals(_ index: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    let bound = unsafe self[index]
    return unsafe bound.count == key.count && Self.commonSize(bound, key) == key.count
  }

  private static func commonSize(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let end = min(a.count, b.count)
    guard end > 0 else { return 0 }
    let (left, right) = unsafe (UnsafeRawPointer(a.baseAddress!), UnsafeRawPointer(b.baseAddress!))
    // Bounds are long if keys share long beginnings.
    var index = 0
    while index &+ 8 <= end {
      let difference =
        unsafe left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard difference == 0 else { return index &+ UInt64(littleEndian: difference).trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < end, unsafe a[index] == b[index] { index &+= 1 }
    return index
  }

  @inline(__always)
  private func isBelow(_ index: Int, _ key: UnsafeBufferPointer<UInt8>, _ head: UInt64) -> Bool {
    let other = self.head(index)
    // No folded byte is 0. So if heads are equal and the key is shorter than eight bytes, the bound is the key.
    guard other == head, key.count >= 8 else { return other < head }
    return unsafe isLongBelow(index, key)
  }

  @inline(never) private func isLongBelow(_ index: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe Self.isBelow(self[index], key)
  }

  @inline(__always)
  static func isBelow(_ bound: UnsafeBufferPointer<UInt8>, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    let common = unsafe commonSize(bound, key)
    return unsafe common == bound.count ? common < key.count : common < key.count && bound[common] < key[common]
  }

  @inline(never) private func beginsLong(_ index: Int, with key: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe Self.commonSize(self[index], key) == key.count
  }

  /// Returns the number of bounds below `key`. O(log ``count``).
  @inline(__always)
  package func countBelow(_ key: FoldedPrefix) -> Int {
    // First by heads alone, which nearly always decide.
    let head = key.head
    let low = partitionPoint(count) { self.head($0) < head }
    // No folded byte is 0. So if heads are equal and the key is shorter than eight bytes, the bound is the key.
    guard low < count, self.head(low) == head, key.count >= 8 else { return low }
    return countLongBelow(key, from: low)
  }

  /// Returns the number of bounds below a key. `from` is the first bound that shares the first eight bytes with it.
  @inline(never)
  private func countLongBelow(_ key: FoldedPrefix, from: Int) -> Int {
    from
      &+ partitionPoint(count &- from) {
        unsafe self.head(from &+ $0) == key.head && isLongBelow(from &+ $0, key.bytes)
      }
  }

  /// Returns the number of bounds that are below `prefix` or begin with it; at least `from`. O(log ``count``).
  @inline(__always)
  package func countNotAbove(_ prefix: FoldedPrefix, from: Int) -> Int {
    let head = prefix.head
    // Up to eight bytes of a prefix are compared at once; the bound's further bytes do not count.
    let mask = KeyBlocks.headMask(prefix.count)
    @inline(__always) func isNotAbove(_ index: Int) -> Bool {
      let other = self.head(index) & mask
      return unsafe other != head || prefix.count <= 8
        ? other <= head : isLongBelow(index, prefix.bytes) || beginsLong(index, with: prefix.bytes)
    }
    // Most prefixes begin and end at one bound.
    guard from < count, isNotAbove(from) else { return from }
    let next = from &+ 1
    return next &+ partitionPoint(count &- next) { isNotAbove(next &+ $0) }
  }
}
