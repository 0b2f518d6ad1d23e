import ShardBuilder

/// Made-up cities, as `shardq generate` writes them.
package enum GeneratedList {
  /// - Parameter chunk: The most bytes that the generator writes at a time.
  package static func bytes(count: Int, seed: UInt64, format: Generator.Format, chunk: Int = 1 << 16) -> [UInt8] {
    var generator = Generator(count: count, seed: seed, format: format)
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: chunk)
    defer { buffer.deallocate() }
    while true {
      let size = generator.fill(buffer)
      if size == 0 { return bytes }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<size]))
    }
  }

  package static func text(count: Int, seed: UInt64, format: Generator.Format) -> String {
    String(decoding: bytes(count: count, seed: seed, format: format), as: UTF8.self)
  }
}
