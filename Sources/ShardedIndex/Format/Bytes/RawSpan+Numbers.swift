extension RawSpan {
  /// The little-endian number at `offset`. Traps unless its bytes lie within the span.
  @inline(__always) func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as _: T.Type) -> T {
    // Every bit pattern is an integer.
    T(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// The little-endian number at `offset`, for callers that have compared the offset with the end.
  @unsafe @inline(__always)
  func load<T: FixedWidthInteger & BitwiseCopyable>(unchecked offset: Int, as _: T.Type) -> T {
    assert(offset >= 0 && offset + MemoryLayout<T>.size <= byteCount)
    return T(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }

  /// Copies all bytes to `target`, which must have room for them.
  @unsafe func copy(to target: UnsafeMutableRawPointer) {
    unsafe withUnsafeBytes {
      if let start = $0.baseAddress { unsafe target.copyMemory(from: start, byteCount: $0.count) }
    }
  }

  /// The byte at `offset`. Traps unless it lies within the span.
  @inline(__always) subscript(offset: Int) -> UInt8 { load(offset, as: UInt8.self) }
}

extension UnsafePointer<UInt8> {
  /// The value at this address, which need not be aligned. Its bytes must be readable.
  @inline(__always) func load<T: BitwiseCopyable>(as _: T.Type = T.self) -> T {
    unsafe UnsafeRawPointer(self).loadUnaligned(as: T.self)
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// The value at this address, which need not be aligned. Its bytes must be readable.
  @inline(__always) func load<T: BitwiseCopyable>(as _: T.Type = T.self) -> T {
    unsafe UnsafePointer(self).load(as: T.self)
  }

  /// Stores a value at this address, which need not be aligned. Its bytes must be writable.
  @inline(__always) func store<T: BitwiseCopyable>(_ value: T) {
    unsafe UnsafeMutableRawPointer(self).storeBytes(of: value, as: T.self)
  }
}
