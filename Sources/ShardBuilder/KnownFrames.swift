import ShardedIndex

/// Frames of an index, by what they hold: what holds the same need not be compressed again, since the same zstd makes the
/// same frame of it at the same level.
package struct KnownFrames {
  /// An array's own hash takes its elements one by one.
  private struct Content: Hashable, Sendable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }

  private var frames: [Content: [UInt8]] = [:]
  /// Bytes of content that are still taken in: of a few bytes in a file any number can be made.
  private var room = 2 * ZstdFrame.contentLimit

  package init() {}

  /// Takes in the frames of a file, but for those that cannot be decompressed and those there is no room for.
  mutating func add(framesOf file: [UInt8], with decompressor: Decompressor) {
    for range in ZstdFrame.frames(of: file) {
      file[range].withUnsafeBufferPointer { frame in
        guard let size = ZstdFrame.contentSize(of: frame), size <= room else { return }
        let content = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { content.deallocate() }
        guard (try? ZstdFrame.decompress(frame, into: content, with: decompressor)) != nil else { return }
        frames[Content(bytes: Array(content))] = Array(frame)
        room -= size
      }
    }
  }

  var isEmpty: Bool { frames.isEmpty }

  subscript(content: [UInt8]) -> [UInt8]? { frames.isEmpty ? nil : frames[Content(bytes: content)] }
}

extension ZstdFrame {
  /// Where the zstd frames of a file lie, which fill it.
  static func frames(of bytes: [UInt8]) -> [Range<Int>] {
    bytes.withUnsafeBufferPointer { all in
      var frames: [Range<Int>] = []
      var start = 0
      while start < all.count {
        let size = ZstdFrame.size(of: UnsafeBufferPointer(rebasing: all[start...])) ?? all.count - start
        frames.append(start..<start + size)
        start += size
      }
      return frames
    }
  }
}
