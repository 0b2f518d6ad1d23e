import CSystem
import ShardedIndex

/// Frames of an index, by what they hold: what holds the same need not be compressed again, since the same zstd makes the
/// same frame of it at the same level.
package struct KnownFrames: Sendable {
  /// With the size that their headers declare for their content, by its last bits. Nothing is decompressed before it is
  /// compared.
  private var frames: [[(size: Int, frame: ArraySlice<UInt8>)]] = Array(repeating: [], count: 64)

  /// Frames of one size that are compared, at most: a file can have any number of them.
  private static let mostOfOneSize = 8

  private let contexts: DecompressorPool

  /// - Parameter contexts: What frames are decompressed with.
  package init(contexts: DecompressorPool = DecompressorPool()) { self.contexts = contexts }

  /// Takes in the frames of a file.
  mutating func add(framesOf file: [UInt8]) {
    ZstdFrame.forEachFrame(of: file) { start, end in
      let frame = file[start..<end]
      guard let size = frame.withUnsafeBufferPointer({ ZstdFrame.contentSize(of: $0) }),
        size <= ZstdFrame.contentLimit
      else { return }
      let slot = size % frames.count
      if frames[slot].count(where: { $0.size == size }) < Self.mostOfOneSize { frames[slot].append((size, frame)) }
    }
  }

  // No key path: that would be made up when the program runs.
  var isEmpty: Bool { frames.allSatisfy { $0.isEmpty } }

  /// The frame that holds `content`; one that cannot be decompressed holds nothing.
  subscript(content: [UInt8]) -> [UInt8]? {
    let candidates = frames[content.count % frames.count]
    guard candidates.contains(where: { $0.size == content.count }) else { return nil }
    let decompressor = contexts.take()
    defer { contexts.put(decompressor) }
    let found = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, content.count), alignment: 16)
    defer { found.deallocate() }
    let target = UnsafeMutableRawBufferPointer(rebasing: found[..<content.count])
    for (size, frame) in candidates where size == content.count {
      let isReadable = frame.withUnsafeBufferPointer { frame in
        (try? ZstdFrame.decompress(frame, into: target, with: decompressor)) != nil
      }
      guard isReadable else { continue }
      let isSame = content.withUnsafeBytes { memcmp($0.baseAddress!, target.baseAddress!, content.count) == 0 }
      if isSame { return Array(frame) }
    }
    return nil
  }
}

extension ZstdFrame {
  /// Where the zstd frames of a file lie, which fill it.
  static func frames(of bytes: [UInt8]) -> [Range<Int>] {
    var frames: [Range<Int>] = []
    forEachFrame(of: bytes) { frames.append($0..<$1) }
    return frames
  }

  /// The same one by one: where each begins and ends.
  static func forEachFrame(of bytes: [UInt8], _ body: (_ start: Int, _ end: Int) -> Void) {
    bytes.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        let size = ZstdFrame.size(of: UnsafeBufferPointer(rebasing: all[start...])) ?? all.count - start
        body(start, start + size)
        start += size
      }
    }
  }
}
