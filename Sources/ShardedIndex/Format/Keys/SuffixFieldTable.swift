/// The suffix fields of a shard: the folds of the template's last field, each once, in order.
@safe package struct SuffixFieldTable: BitwiseCopyable {
  package let count: Int
  let texts: UnsafePointer<UInt8>
  /// The ends of the texts; nil if all have one size.
  private let ends: UnsafePointer<UInt16>?
  private let each: Int

  /// - Parameters:
  ///   - ends: The ends of the `count` texts; nil if all texts have one size.
  ///   - each: The size of each text, in bytes, if all have one size.
  init(count: Int, texts: UnsafePointer<UInt8>, ends: UnsafePointer<UInt16>?, each: Int) {
    unsafe (self.count, self.texts, self.ends, self.each) = (count, texts, ends, each)
  }

  /// Returns the end of a text.
  @inline(__always) func end(_ number: Int) -> Int {
    unsafe ends.map { unsafe Int($0[number]) } ?? (number &+ 1) &* each
  }

  /// The size of all texts together, in bytes.
  var size: Int { count == 0 ? 0 : end(count &- 1) }

  @inline(__always) package subscript(_ number: Int) -> UnsafeBufferPointer<UInt8> {
    let start = number == 0 ? 0 : end(number &- 1)
    return unsafe .init(start: texts + start, count: end(number) &- start)
  }
}
