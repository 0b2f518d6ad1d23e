/// Compares two texts byte by byte, and returns a negative number, 0 or a positive number. Of two texts with a common
/// beginning the shorter is first.
@inline(__always)
func compareBytes(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
  unsafe a.withUnsafeBufferPointer { a in unsafe b.withUnsafeBufferPointer { b in unsafe compareBytes(a, b) } }
}

/// Returns the number of bytes at the beginning that two texts have in common.
@inline(__always)
func commonPrefix(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
  unsafe a.withUnsafeBufferPointer { a in unsafe b.withUnsafeBufferPointer { b in unsafe commonPrefix(a, b) } }
}

extension [UInt8] {
  init(copying bytes: Span<UInt8>) { self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }

  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Replaces the content with a copy of `bytes`, in the same memory.
  mutating func replace(with bytes: Span<UInt8>) {
    removeAll(keepingCapacity: true)
    append(copying: bytes)
  }
}
