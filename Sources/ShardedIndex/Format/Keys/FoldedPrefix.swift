/// The folded text of a search: its bytes, and the head, which is enough for most comparisons.
///
/// The bytes belong to the caller and must outlive the value.
@safe package struct FoldedPrefix {
  package let bytes: UnsafeBufferPointer<UInt8>
  /// The head of the bytes: ``KeyBlocks/head(of:)``.
  package let head: UInt64

  @inline(__always) package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    unsafe (self.bytes, head) = (bytes, KeyBlocks.head(of: bytes))
  }

  /// The prefix of every key.
  package static var empty: FoldedPrefix { unsafe FoldedPrefix(UnsafeBufferPointer(start: nil, count: 0)) }

  /// The size, in bytes.
  @inline(__always) package var count: Int { unsafe bytes.count }
  @inline(__always) package var isEmpty: Bool { unsafe bytes.count == 0 }

  /// Whether the text has a space. Only then has its answer keys that do not begin with it.
  @inline(__always) var hasSpace: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // A borrow reaches a byte only from a zero below it, so the result is right.
    @inline(__always) func hasSpace(_ word: UInt64) -> Bool {
      let zeroed = word ^ (ones &* UInt64(Fold.space))
      return (zeroed &- ones) & ~zeroed & (ones &* 0x80) != 0
    }
    if hasSpace(head) { return true }
    var position = 8
    while unsafe position < bytes.count {
      // The last eight bytes overlap the bytes before.
      let start = unsafe UnsafeRawPointer(bytes.baseAddress!) + min(position, bytes.count &- 8)
      if unsafe hasSpace(start.loadUnaligned(as: UInt64.self)) { return true }
      position &+= 8
    }
    return false
  }

  /// The position of the last space; nil if there is none.
  var lastSpace: Int? { unsafe bytes.lastIndex(of: Fold.space) }

  /// Whether the text ends with a space that finishes a word.
  var endsInSpace: Bool { unsafe bytes.count > 1 && bytes[bytes.count - 1] == Fold.space }

  /// The text without its last byte.
  var withoutLast: FoldedPrefix { unsafe FoldedPrefix(bytes.extracting(..<(bytes.count - 1))) }

  /// Calls `body` with the fold of a text in UTF-8.
  @inline(__always)
  static func withFold<Result, Failure: Error>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (FoldedPrefix) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let fast = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Fold.shortCapacity) {
      buffer -> Swift.Result<Result, Failure>? in
      guard let count = unsafe Fold.foldASCII(text, into: buffer) ?? Fold.foldShort(text, into: buffer) else {
        return nil
      }
      return Swift.Result { () throws(Failure) in
        unsafe try body(FoldedPrefix(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<count])))
      }
    }
    if let fast { return try fast.get() }
    var folded: [UInt8] = []
    unsafe Fold.fold(text, into: &folded)
    return try folded.withFoldedPrefix(body)
  }

  /// Calls `body` with the text that has a separator at `position`.
  func withSeparator<Result, Failure: Error>(
    at position: Int, _ body: (FoldedPrefix) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) {
      copy -> Swift.Result<Result, Failure> in
      _ = unsafe copy.initialize(from: bytes)
      unsafe copy[position] = Fold.separator
      return Swift.Result { () throws(Failure) in unsafe try body(FoldedPrefix(UnsafeBufferPointer(copy))) }
    }
    return try result.get()
  }
}

extension [UInt8] {
  /// Calls `body` with these bytes as a folded text.
  package func withFoldedPrefix<Result, Failure: Error>(
    _ body: (FoldedPrefix) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe try withUnsafeBufferPointer { (bytes) throws(Failure) in unsafe try body(FoldedPrefix(bytes)) }
  }
}

extension KeyBlocks {
  /// Returns the first record at or above `text`, and whether its key begins with `text`.
  @inline(__always) func lowerBound(of text: FoldedPrefix) -> (index: Int, matches: Bool) {
    unsafe lowerBound(of: text.bytes, head: text.head)
  }

  /// Returns the end of the run of records that begin with `text`. The run begins at `lower`.
  @inline(__always) func upperBound(of text: FoldedPrefix, from lower: Int) -> Int {
    unsafe upperBound(of: text.bytes, from: lower)
  }
}

extension PartTable {
  /// Returns the part with the first key at or above `text`, or the part before that key.
  @inline(__always) package func first(for text: FoldedPrefix) -> Int { unsafe first(for: text.bytes, head: text.head) }

  /// Returns the last part, from `first` on, that can have keys with the beginning `text`.
  @inline(__always) package func last(for text: FoldedPrefix, from first: Int) -> Int {
    unsafe last(for: text.bytes, head: text.head, from: first)
  }
}
