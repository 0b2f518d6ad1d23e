/// The parts of a shard, and which of them hold what. Source: docs/format.md §4.
///
/// The bytes belong to the shard's header and live as long as it does.
package struct PartTable: BitwiseCopyable, @unchecked Sendable {
  /// One part: a run of records whose keys are one frame and whose fields are the next. Sizes in bytes.
  package struct Part: BitwiseCopyable, Sendable {
    /// Bytes from the start of the file.
    package let offset: Int
    // No number that the format counts with has more than 32 bits, and many parts are kept.
    private let (first, count): (UInt32, UInt32)
    private let (keys, keysContent, fields, fieldsContent): (UInt32, UInt32, UInt32, UInt32)
    package let (keysChecksum, fieldsChecksum): (UInt32, UInt32)
    private let end: UInt32
    package let isContinuation: Bool

    /// Counted within the shard.
    package var firstRecord: Int { Int(first) }
    package var recordCount: Int { Int(count) }
    package var keysSize: Int { Int(keys) }
    package var keysContentSize: Int { Int(keysContent) }
    package var fieldsSize: Int { Int(fields) }
    package var fieldsContentSize: Int { Int(fieldsContent) }
    package var fileSize: Int { keysSize + fieldsSize }
    /// Where its lower bound ends among those of all parts; it begins where that of the part before ends.
    var boundEnd: Int { Int(end) }

    init(
      offset: Int, firstRecord: Int, recordCount: Int,
      keys: (size: Int, contentSize: Int, checksum: UInt32), fields: (size: Int, contentSize: Int, checksum: UInt32),
      boundEnd: Int, isContinuation: Bool
    ) {
      self.offset = offset
      (first, count) = (UInt32(firstRecord), UInt32(recordCount))
      (self.keys, keysContent, keysChecksum) = (UInt32(keys.size), UInt32(keys.contentSize), keys.checksum)
      (self.fields, fieldsContent, fieldsChecksum) = (UInt32(fields.size), UInt32(fields.contentSize), fields.checksum)
      (end, self.isContinuation) = (UInt32(boundEnd), isContinuation)
    }
  }

  /// How many there are, at least one.
  package let count: Int
  /// Per part the head of its lower bound, side by side for the search.
  private let heads: UnsafePointer<UInt64>
  private let parts: UnsafePointer<Part>
  private let bounds: UnsafePointer<UInt8>

  init(count: Int, heads: UnsafePointer<UInt64>, parts: UnsafePointer<Part>, bounds: UnsafePointer<UInt8>) {
    (self.count, self.heads, self.parts, self.bounds) = (count, heads, parts, bounds)
  }

  @inline(__always) package subscript(_ part: Int) -> Part { unsafeAddress { parts + part } }

  package var all: UnsafeBufferPointer<Part> { UnsafeBufferPointer(start: parts, count: count) }

  package func bound(of part: Int) -> UnsafeBufferPointer<UInt8> {
    let start = part == 0 ? 0 : self[part - 1].boundEnd
    return UnsafeBufferPointer(start: bounds + start, count: self[part].boundEnd - start)
  }

  /// Negative if the bound of `part` is below `key`, 0 if it is the key, positive if it is above.
  @inline(__always)
  private func compareBound(_ part: Int, with key: UnsafeBufferPointer<UInt8>, head: UInt64) -> Int {
    let other = heads[part]
    if other != head { return other < head ? -1 : 1 }
    let bound = bound(of: part)
    var index = 0
    let end = min(bound.count, key.count)
    while index < end {
      if bound[index] != key[index] { return bound[index] < key[index] ? -1 : 1 }
      index &+= 1
    }
    return bound.count &- key.count
  }

  /// The part in which the first key at or above `key` lies, or behind whose end it lies.
  @inline(__always)
  package func first(for key: UnsafeBufferPointer<UInt8>, head: UInt64) -> Int {
    // A handful of parts: a walk from the end is as fast as a search.
    var part = count &- 1
    while part > 0 {
      let order = compareBound(part, with: key, head: head)
      // Equal keys may run over several parts: then the first of them lies in one before.
      if order < 0 || (order == 0 && !self[part].isContinuation) { break }
      part &-= 1
    }
    return part
  }

  /// The last part, from `first` on, that can hold keys which begin with `prefix`.
  @inline(__always)
  package func last(for prefix: UnsafeBufferPointer<UInt8>, head: UInt64, from first: Int) -> Int {
    // Up to eight bytes of a prefix are compared at once: those of the bound behind them do not count.
    let mask = prefix.count >= 8 ? UInt64.max : ~(UInt64.max &>> UInt64(8 &* prefix.count))
    var part = first
    while part &+ 1 < count {
      let other = heads[part &+ 1] & mask
      // Bounds at or below the prefix come before those that begin with it, and then come those above.
      guard other != head || prefix.count <= 8 ? other <= head : isNotAbove(part &+ 1, prefix, head) else { break }
      part &+= 1
    }
    return part
  }

  /// Whether the bound of a part is at or below `prefix` or begins with it.
  @inline(never)
  private func isNotAbove(_ part: Int, _ prefix: UnsafeBufferPointer<UInt8>, _ head: UInt64) -> Bool {
    compareBound(part, with: prefix, head: head) <= 0 || begins(bound(of: part), with: prefix)
  }

  @inline(__always)
  private func begins(_ bytes: UnsafeBufferPointer<UInt8>, with prefix: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count >= prefix.count else { return false }
    var index = 0
    while index < prefix.count {
      if bytes[index] != prefix[index] { return false }
      index &+= 1
    }
    return true
  }

  /// The part that holds record `record`, counted within the shard.
  @inline(__always)
  package func part(holding record: Int) -> Int {
    var part = count &- 1
    while part > 0, self[part].firstRecord > record { part &-= 1 }
    return part
  }
}
