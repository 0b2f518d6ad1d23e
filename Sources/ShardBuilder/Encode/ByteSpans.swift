/// Compares byte by byte, and returns a number that is negative, 0 or positive; of two texts with a common beginning
/// the shorter is first.
@inline(__always)
func compareBytes(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
  unsafe a.withUnsafeBufferPointer { a in unsafe b.withUnsafeBufferPointer { b in unsafe compareBytes(a, b) } }
}

/// Returns how many bytes two texts have in common from their beginning.
@inline(__always)
func commonPrefix(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
  unsafe a.withUnsafeBufferPointer { a in unsafe b.withUnsafeBufferPointer { b in unsafe commonPrefix(a, b) } }
}

extension [UInt8] {
  init(copying bytes: Span<UInt8>) { self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }

  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Becomes a copy of `bytes`, in the memory that it has.
  mutating func replace(with bytes: Span<UInt8>) {
    removeAll(keepingCapacity: true)
    append(copying: bytes)
  }
}
