import TestSupport
import Testing

import ShardedIndex

@Suite("Frames that are read without zstd") struct StoredFrameTests {
  private let compressor = Compressor()

  private func random(_ count: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private func unpacked(_ frame: [UInt8], size: Int) throws(FormatError) -> [UInt8] {
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
    defer { target.deallocate() }
    let content = UnsafeMutableRawBufferPointer(rebasing: target[..<size])
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, frame.count))
    defer { copy.deallocate() }
    _ = copy.initialize(from: frame)
    try ZstdFrame.decompress(
      UnsafeBufferPointer(rebasing: copy[..<frame.count]), into: content, with: Decompressor())
    return Array(content)
  }

  @Test("a hash is that of zstd", arguments: [0...130, 1000...1031, 131070...131074])
  func hash(sizes: ClosedRange<Int>) {
    for size in sizes {
      let content = random(size)
      // A frame by zstd, compressed or stored.
      let frame = ZstdFrame.compress(content, level: 1, with: compressor)
      let checksum = frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! }
      #expect(content.withUnsafeBytes { UInt32(truncatingIfNeeded: XXHash64.hash($0.bytes)) } == checksum, "\(size)")
    }
  }

  // The examples of the specification.
  @Test("the empty text and some letters have their hashes") func knownHashes() {
    #expect([UInt8]().withUnsafeBytes { XXHash64.hash($0.bytes) } == 0xef46_db37_51d8_e999)
    #expect(Array("abc".utf8).withUnsafeBytes { XXHash64.hash($0.bytes) } == 0x44bc_2cf5_ad77_0999)
  }

  @Test("a changed bit or a missing byte of a stored frame is refused") func damage() throws {
    let content = random(300)
    let frame = ZstdFrame.quick(content, with: compressor)
    #expect(frame.count == 300 + 4 + 3 + 3 + 4)
    #expect(try unpacked(frame, size: 300) == content)
    for bit in 0..<frame.count * 8 {
      var changed = frame
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      // A bit of the descriptor has no meaning.
      guard bit != 8 * 4 + 4 else { continue }
      #expect(throws: FormatError.self, "bit \(bit)") { try unpacked(changed, size: 300) }
    }
    for size in frame.indices {
      #expect(throws: FormatError.self, "\(size)") { try unpacked(Array(frame[..<size]), size: 300) }
    }
    #expect(throws: FormatError.self) { try unpacked(frame + [0], size: 300) }
    #expect(throws: FormatError.self) { try unpacked(frame + frame, size: 300) }
  }

  @Test("stored blocks may have any size, with blocks by zstd between them") func blocks() throws {
    let (noise, text) = (random(2000), [UInt8](repeating: 0x61, count: 2000))
    for content in [noise + text, text + noise, noise + text + noise, noise] {
      for cuts in [[], [1], [2000], [1000, 2000, 3999]] {
        let frame = ZstdFrame.compress(content, cuts: cuts, level: 3, with: compressor)
        #expect(try unpacked(frame, size: content.count) == content)
      }
    }
    // Made by hand: blocks of no bytes, of one byte, and one whose size is above the limit.
    let content = Array("xyz".utf8)
    let stored = ZstdFrame.quick(content, with: compressor)
    let (front, checksum) = (Array(stored[..<6]), Array(stored.suffix(4)))
    func block(_ bytes: ArraySlice<UInt8>, isLast: Bool, size: Int? = nil) -> [UInt8] {
      let header = (size ?? bytes.count) << 3 | (isLast ? 1 : 0)
      return (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) } + bytes
    }
    let split = block([], isLast: false) + block(content[..<1], isLast: false) + block(content[1...], isLast: true)
    #expect(try unpacked(front + split + checksum, size: 3) == content)
    for wrong in [
      block(content[...], isLast: false), block(content[...], isLast: true, size: 2),
      block(content[...], isLast: true, size: 4), block(content[...], isLast: true, size: 1 << 20),
      block(content[..<2], isLast: true) + [content[2]], block([], isLast: true),
    ] {
      #expect(throws: FormatError.self) { try unpacked(front + wrong + checksum, size: 3) }
    }
  }

  @Test("with cuts, zstd must save an eighth of all bytes", arguments: [(200, true), (400, false)])
  func eighth(same: Int, isStored: Bool) throws {
    let content = [UInt8](repeating: 0x61, count: same) + random(2000)
    let frame = ZstdFrame.compress(content, cuts: [same], level: 3, with: compressor)
    #expect((frame.count == content.count + 4 + 3 + 3 + 4) == isStored)
    #expect(try unpacked(frame, size: content.count) == content)
  }

  @Test("frames end at the places that zstd finds") func sizes() {
    for size in [0, 1, 100, 255, 256, 70_000, 140_000, 300_000] {
      for content in [random(size), [UInt8](repeating: 0x61, count: size)] {
        for level in [-1, 1, 12] {
          let frame = ZstdFrame.compress(content, level: level, with: compressor)
          (frame + [1, 2, 3]).withUnsafeBufferPointer { bytes in
            #expect(ZstdFrame.size(of: bytes) == frame.count)
            #expect(ZstdFrame.contentSize(of: bytes) == size)
          }
          for missing in [1, 4, 5, frame.count - 6, frame.count - 1] where missing < frame.count {
            frame.dropLast(missing).withUnsafeBufferPointer { #expect(ZstdFrame.size(of: $0) == nil) }
          }
        }
      }
    }
  }
}
