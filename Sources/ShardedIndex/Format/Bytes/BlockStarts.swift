/// The offsets at which the blocks of a part's records start: 16 bits a block if that is enough, else 32, since the
/// cache keeps many parts.
@unsafe struct BlockStarts: BitwiseCopyable {
  private let base: UnsafeMutableRawPointer
  private let isWide: Bool

  /// - Parameter base: The memory of the starts, with one stride a block, and aligned for one.
  @inline(__always) init(_ base: UnsafeRawPointer, isWide: Bool) {
    unsafe (self.base, self.isWide) = (UnsafeMutableRawPointer(mutating: base), isWide)
  }

  /// The bytes of one start.
  @inline(__always) static func stride(isWide: Bool) -> Int { isWide ? 4 : 2 }

  /// Whether offsets up to `last` need 32 bits.
  @inline(__always) static func areWide(upTo last: Int) -> Bool { last > 0xffff }

  @inline(__always) subscript(_ block: Int) -> Int {
    get {
      unsafe isWide
        ? Int(base.load(fromByteOffset: 4 &* block, as: UInt32.self))
        : Int(base.load(fromByteOffset: 2 &* block, as: UInt16.self))
    }
    nonmutating set {
      if unsafe isWide {
        unsafe base.storeBytes(of: UInt32(truncatingIfNeeded: newValue), toByteOffset: 4 &* block, as: UInt32.self)
      } else {
        unsafe base.storeBytes(of: UInt16(truncatingIfNeeded: newValue), toByteOffset: 2 &* block, as: UInt16.self)
      }
    }
  }
}
