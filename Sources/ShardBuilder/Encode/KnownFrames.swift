import ShardedIndex

/// The frames of an index, by their content. A known content need not be compressed again: the same zstd at the same
/// level makes the same frame from it.
package struct KnownFrames: Sendable {
  /// The frames, each with the size of its content as its header says, by the last bits of that size. A frame is
  /// decompressed only for a comparison.
  private var frames: [[(size: Int, frame: ArraySlice<UInt8>)]] = Array(repeating: [], count: 64)

  /// The most frames of one size that a look-up compares: a file can have any number of them.
  private static let mostOfOneSize = 8

  private let contexts: DecompressorPool

  /// - Parameter contexts: The contexts that frames are decompressed with.
  package init(contexts: DecompressorPool = DecompressorPool()) { self.contexts = contexts }

  /// Adds the frames of a file.
  mutating func add(framesOf file: [UInt8]) {
    ZstdFrame.forEachFrame(of: file) { range in
      let frame = file[range]
      // A manifest names each frame by its checksum.
      let found = unsafe frame.withUnsafeBufferPointer {
        unsafe ZstdFrame.checksum(of: $0) == nil ? nil : ZstdFrame.contentSize(of: $0)
      }
      guard let size = found, size <= ZstdFrame.contentLimit else { return }
      let slot = size % frames.count
      if frames[slot].count(where: { $0.size == size }) < Self.mostOfOneSize { frames[slot].append((size, frame)) }
    }
  }

  var isEmpty: Bool { frames.allSatisfy(\.isEmpty) }

  /// The frame with the content `content`. A frame that cannot be decompressed has no content.
  subscript(content: [UInt8]) -> [UInt8]? {
    let candidates = frames[content.count % frames.count]
    guard candidates.contains(where: { $0.size == content.count }) else { return nil }
    let decompressor = contexts.acquire()
    defer { contexts.release(decompressor) }
    for (size, frame) in candidates where size == content.count {
      if decompressed(frame, size, with: decompressor) == content { return Array(frame) }
    }
    return nil
  }

  /// The content of a frame that declares this size; nil if the frame cannot be decompressed.
  private func decompressed(_ frame: ArraySlice<UInt8>, _ size: Int, with decompressor: Decompressor) -> [UInt8]? {
    let content = unsafe [UInt8](unsafeUninitializedCapacity: size) { target, count in
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[..<size])
      unsafe frame.withUnsafeBufferPointer { frame in
        if unsafe (try? ZstdFrame.decompress(frame, into: target, with: decompressor)) != nil { count = size }
      }
    }
    return content.count == size ? content : nil
  }
}

extension ZstdFrame {
  /// Returns the checksum at the end of a frame that this process made.
  static func checksum(ofFrame frame: [UInt8]) -> UInt32 {
    unsafe frame.withUnsafeBufferPointer { unsafe checksum(of: $0)! }
  }

  /// Returns the ranges of the zstd frames in a file.
  static func frames(of bytes: [UInt8]) -> [Range<Int>] {
    var frames: [Range<Int>] = []
    forEachFrame(of: bytes) { frames.append($0) }
    return frames
  }

  /// Calls `body` with the range of each zstd frame in a file.
  static func forEachFrame(of bytes: [UInt8], _ body: (Range<Int>) -> Void) {
    unsafe bytes.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        let end = unsafe start + (ZstdFrame.size(of: all.part(start...)) ?? all.count - start)
        body(start..<end)
        start = end
      }
    }
  }
}
