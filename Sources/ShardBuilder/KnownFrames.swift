#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import ShardedIndex

/// Frames of an index, by what they hold: what holds the same need not be compressed again, since the same zstd makes the
/// same frame of it at the same level.
package struct KnownFrames: Sendable {
  /// By the size that their headers declare for their content. Nothing is decompressed before it is compared.
  private var frames: [Int: [ArraySlice<UInt8>]] = [:]

  /// Frames of one size that are compared, at most: a file can have any number of them.
  private static let mostOfOneSize = 8

  private let contexts: DecompressorPool

  /// - Parameter contexts: What frames are decompressed with.
  package init(contexts: DecompressorPool = DecompressorPool()) { self.contexts = contexts }

  /// Takes in the frames of a file.
  mutating func add(framesOf file: [UInt8]) {
    for range in ZstdFrame.frames(of: file) {
      guard let size = file[range].withUnsafeBufferPointer({ ZstdFrame.contentSize(of: $0) }),
        size <= ZstdFrame.contentLimit
      else { continue }
      if frames[size, default: []].count < Self.mostOfOneSize { frames[size, default: []].append(file[range]) }
    }
  }

  var isEmpty: Bool { frames.isEmpty }

  /// The frame that holds `content`; one that cannot be decompressed holds nothing.
  subscript(content: [UInt8]) -> [UInt8]? {
    guard let candidates = frames[content.count] else { return nil }
    let decompressor = contexts.take()
    defer { contexts.put(decompressor) }
    let found = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, content.count), alignment: 16)
    defer { found.deallocate() }
    let target = UnsafeMutableRawBufferPointer(rebasing: found[..<content.count])
    return candidates.first { frame in
      frame.withUnsafeBufferPointer { frame in
        (try? ZstdFrame.decompress(frame, into: target, with: decompressor)) != nil
      } && content.withUnsafeBytes { memcmp($0.baseAddress!, target.baseAddress!, content.count) == 0 }
    }.map { Array($0) }
  }
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
