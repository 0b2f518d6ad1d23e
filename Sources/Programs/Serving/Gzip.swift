#if Server
  import CZlib
  import NIOConcurrencyHelpers
  import NIOCore

  /// The content coding gzip (RFC 9110 8.4.1.3): the requests that accept gzip, and compressed bodies.
  enum Gzip {
    /// The largest body that the server sends uncompressed, in bytes. Two packets fewer save a client no time.
    static let threshold = 4 << 10

    /// Whether a request accepts gzip, and prefers no uncompressed body (RFC 9110 12.5.3).
    ///
    /// A server may send uncompressed bodies to a client that refuses them. This server does so for small bodies.
    static func isWanted(_ acceptEncoding: String?) -> Bool {
      guard let acceptEncoding else { return false }
      // All weights are in thousandths; nil if the request names none.
      var gzip: Int?
      var identity: Int?
      var others: Int?
      for element in acceptEncoding.split(separator: ",") {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        var weight = 1000
        if parts.count > 1 {
          guard parts.count == 2, let quality = quality(parts[1]) else { continue }
          weight = quality
        }
        switch parts[0].lowercased() {
        case "gzip", "x-gzip": gzip = weight
        case "identity": identity = weight
        case "*": others = weight
        default: break
        }
      }
      let wanted = gzip ?? others ?? 0
      return wanted > 0 && wanted >= identity ?? 0
    }

    private static func trimmed(_ text: Substring) -> Substring {
      var text = text.drop { $0 == " " || $0 == "\t" }
      while text.last == " " || text.last == "\t" { text.removeLast() }
      return text
    }

    /// Returns the thousandths of `q=0.5`; nil for anything else.
    private static func quality(_ text: Substring) -> Int? {
      guard text.hasPrefix("q=") || text.hasPrefix("Q=") else { return nil }
      let digits = Array(text.utf8.dropFirst(2))
      guard digits.count <= 5, let first = digits.first, first == 0x30 || first == 0x31,
        digits.count == 1 || digits[1] == 0x2e
      else { return nil }
      var weight = Int(first - 0x30) * 1000
      for (digit, unit) in zip(digits.dropFirst(2), [100, 10, 1]) {
        guard (0x30...0x39).contains(digit) else { return nil }
        weight += Int(digit - 0x30) * unit
      }
      return weight <= 1000 ? weight : nil
    }

    /// Returns the tag of a compressed body: each coding of the same bytes has its own tag (RFC 9110 8.8.3.3).
    static func tag(_ tag: String) -> String { tag.dropLast() + "-gzip\"" }

    /// Returns the compressed form of a body.
    ///
    /// - Parameters:
    ///   - level: zlib's level, 1 to 9.
    ///   - windowBits: The binary logarithm of the size of zlib's window. A window of 8 KiB keeps a call's own memory
    ///     near 100 KiB.
    /// - Complexity: O(*n*), about 7 ms per megabyte of records at level 1 (docs/server.md).
    static func compressed(_ body: ByteBuffer, level: CInt, windowBits: CInt = 13) -> ByteBuffer {
      var stream = z_stream()
      let size = CInt(MemoryLayout<z_stream>.size)
      // zlib writes gzip's frame if the number of bits is 16 higher.
      let status = deflateInit2_(
        &stream, level, Z_DEFLATED, windowBits + 16, 7, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
      precondition(status == Z_OK, "zlib has no memory for a stream, or is another zlib")
      defer { deflateEnd(&stream) }
      var compressed = ByteBuffer()
      let bound = Int(deflateBound(&stream, uLong(body.readableBytes)))
      compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { output in
        body.withUnsafeReadableBytes { input in
          // zlib declares the input without const, but does not write to it.
          stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress!.assumingMemoryBound(to: UInt8.self))
          stream.avail_in = uInt(input.count)
          stream.next_out = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
          stream.avail_out = uInt(output.count)
          let end = deflate(&stream, Z_FINISH)
          precondition(end == Z_STREAM_END, "deflateBound was too low")
          return output.count - Int(stream.avail_out)
        }
      }
      return compressed
    }

    /// A body that never changes. The server compresses the body once, when the first client accepts gzip.
    final class Stored: Sendable {
      private let body = NIOLockedValueBox<ByteBuffer?>(nil)

      func compressed(_ plain: ByteBuffer) -> ByteBuffer {
        body.withLockedValue { body in
          if let body { return body }
          let made = Gzip.compressed(plain, level: 9, windowBits: 15)
          body = made
          return made
        }
      }
    }
  }
#endif
