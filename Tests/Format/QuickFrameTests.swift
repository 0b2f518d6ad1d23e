import ShardedIndex
import TestSupport
import Testing

@Suite("Frames that are quick to decompress") struct QuickFrameTests {
  private let compressor = Compressor()

  private func unpacked(_ frame: [UInt8]) throws -> [UInt8] {
    try frame.withUnsafeBufferPointer { frame in
      let size = try #require(ZstdFrame.contentSize(of: frame))
      let target = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
      defer { target.deallocate() }
      let content = UnsafeMutableRawBufferPointer(rebasing: target[..<size])
      try ZstdFrame.decompress(frame, into: content, with: Decompressor())
      return Array(content)
    }
  }

  /// Sizes around those at which the content size takes more bytes, or the frame another block.
  @Test(
    "content that zstd cannot halve is stored",
    arguments: [0, 1, 255, 256, 65791, 65792, 131072, 131073, 262144, 300_000])
  func stored(size: Int) throws {
    var random = SplitMix64(seed: UInt64(size))
    let content = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let frame = ZstdFrame.quick(content, with: compressor)
    #expect(try unpacked(frame) == content)
    #expect(frame.count <= size + 13 + 3 * (size / 131072 + 1))
  }

  @Test("content that zstd halves is not stored")
  func packed() throws {
    let content = [UInt8](repeating: 0x61, count: 100_000)
    let frame = ZstdFrame.quick(content, with: compressor)
    #expect(frame.count < 1000)
    #expect(try unpacked(frame) == content)
  }
}
