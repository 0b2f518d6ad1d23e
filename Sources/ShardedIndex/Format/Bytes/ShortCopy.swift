/// Copies 16 bytes.
@inline(__always)
func copy16(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
  unsafe target.store(source.load(as: SIMD2<UInt64>.self))
}

/// Copies `size` bytes, 16 at a time: most copies are short.
///
/// Up to the next multiple of 16, and at least 16, bytes must be readable at `source` and writable at `target`.
@inline(__always)
func copyShort(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ size: Int) {
  var offset = 0
  repeat {
    unsafe copy16(source + offset, to: target + offset)
    offset &+= 16
  } while offset < size
}

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Copies `count` values. Embedded Swift compiles `update(from:count:)` to a loop over single values.
  @inline(__always) func copy(from source: UnsafePointer<Pointee>, count: Int) {
    unsafe UnsafeMutableRawPointer(self).copyMemory(from: source, byteCount: count &* MemoryLayout<Pointee>.stride)
  }
}
