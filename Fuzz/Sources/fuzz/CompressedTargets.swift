import CZlib
import ShardBuilder
import ShardedIndex

/// Reads JSON lines from a gzip stream. Few changed streams pass the checksum, so this target tests the stream itself.
final class GzipTarget: DatasetTarget {
  override class var isCompressed: Bool { true }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    let (one, other) = (gzip("{\"a\":1}\n{\"a\":\"x\"}\n"), gzip("{\"b\":2}\n"))
    return [
      ("one", [0] + one), ("two", [0x20] + one + other), ("cut", [0] + one.dropLast(5)),
      ("empty", [0] + gzip("")), ("tail", [0] + one + Array("more".utf8)),
      ("long", [0x40] + gzip(String(repeating: "{\"name\":\"San Jose\"}\n", count: 200))),
    ]
  }

  private static func gzip(_ text: String) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(
      &stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var (input, output) = (Array(text.utf8), [UInt8](repeating: 0, count: text.utf8.count + 100))
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        deflate(&stream, Z_FINISH)
        return output.count - Int(stream.avail_out)
      }
    }
    return Array(output[..<count])
  }
}

/// Reads JSON lines from zstd frames.
final class ZstdTarget: DatasetTarget {
  override class var isCompressed: Bool { true }
  override class var seeds: [(name: String, bytes: [UInt8])] {
    let compressor = Compressor()
    func frame(_ text: String) -> [UInt8] { ZstdFrame.compress(Array(text.utf8), level: 3, with: compressor) }
    // A frame without a checksum: magic, descriptor (one segment, size in a byte), size, one raw block.
    func raw(_ text: String) -> [UInt8] {
      let size = text.utf8.count
      return [0x28, 0xb5, 0x2f, 0xfd, 0x20, UInt8(size), UInt8(size << 3 & 0xff | 1), UInt8(size >> 5), 0]
        + Array(text.utf8)
    }
    let (one, skippable) = (
      frame("{\"a\":1}\n{\"a\":\"x\"}\n"), [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3] as [UInt8]
    )
    return [
      ("one", [0] + one), ("two", [0x20] + one + frame("{\"b\":2}\n")), ("cut", [0] + one.dropLast(5)),
      ("skippable", [0] + skippable + one + skippable), ("raw", [0] + raw("{\"a\":1}\n{\"b\":[2]}\n")),
      // The frame declares a window of 2^31 bytes.
      ("window", [0, 0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]),
      ("long", [0x40] + frame(String(repeating: "{\"name\":\"San Jose\"}\n", count: 200))),
    ]
  }
}
