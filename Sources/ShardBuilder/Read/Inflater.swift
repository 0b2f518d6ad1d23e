import CZlib

#if ZstdFromSource
  import libzstd
#else
  import CZstd
#endif

/// A stream decompressor.
protocol Inflater: AnyObject {
  var name: String { get }
  /// Whether the compressed data may end here.
  var isBetweenFrames: Bool { get }
  /// The bytes of memory that the decompressor holds.
  var charge: Int { get }
  /// Takes bytes of `input` from `offset` on, as far as possible (nothing at the end of the file), and appends at most
  /// `room` bytes.
  func inflate(
    _ input: borrowing RawVector<UInt8>, from offset: Int, appendingTo output: inout RawVector<UInt8>, upTo room: Int
  ) -> InflateStep
}

enum InflateStep {
  case progress(consumed: Int, produced: Int)
  case failed(reason: BuildMessage)
}

/// zstd: any number of frames one after the other, skippable ones too.
@safe final class ZstdInflater: Inflater {
  let name = "zstd"
  private let context = unsafe ZSTD_createDCtx()
  private(set) var isBetweenFrames = true

  init() {
    // The limit of `zstd -d` without --long; for a larger window the input would choose the memory.
    _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  var charge: Int { unsafe ZSTD_sizeof_DCtx(context) }

  func inflate(
    _ input: borrowing RawVector<UInt8>, from offset: Int, appendingTo output: inout RawVector<UInt8>, upTo room: Int
  ) -> InflateStep {
    let left = input.count - offset
    // Between frames and without input, zstd would report a future frame.
    if left == 0, isBetweenFrames { return .progress(consumed: 0, produced: 0) }
    output.reserve(room)
    var source = unsafe ZSTD_inBuffer(src: input.start + offset, size: left, pos: 0)
    var target = unsafe ZSTD_outBuffer(dst: output.start + output.count, size: room, pos: 0)
    let result = unsafe ZSTD_decompressStream(context, &target, &source)
    guard ZSTD_isError(result) == 0 else {
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_frameParameter_windowTooLarge:
        return .failed(
          reason: """
            zstd needs a window over 128 MiB; decompress the file \(command: "with zstd -d --long=31 ", library: "")first
            """)
      case ZSTD_error_prefix_unknown:
        return .failed(reason: "data after a zstd frame is not zstd; fetch the file again")
      case ZSTD_error_checksum_wrong:
        return .failed(reason: "the zstd data is damaged: wrong checksum; fetch the file again")
      default:
        return .failed(
          reason: unsafe "the zstd data is damaged: \(String(cString: ZSTD_getErrorName(result))); fetch the file again"
        )
      }
    }
    isBetweenFrames = result == 0
    unsafe output.count += target.pos
    return unsafe .progress(consumed: source.pos, produced: target.pos)
  }
}

/// gzip (RFC 1952): any number of members one after the other.
@safe final class GzipInflater: Inflater {
  let name = "gzip"
  private var stream = unsafe z_stream()
  private var status: CInt
  private(set) var isBetweenFrames = false

  init() {
    // 15 allows any window; 16 more means a gzip header and trailer.
    status = unsafe inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
  }

  deinit { unsafe inflateEnd(&stream) }

  /// The memory by zlib.h: the window and a little more.
  var charge: Int { 40 << 10 }

  func inflate(
    _ input: borrowing RawVector<UInt8>, from offset: Int, appendingTo output: inout RawVector<UInt8>, upTo room: Int
  ) -> InflateStep {
    let left = input.count - offset
    guard status == Z_OK || status == Z_STREAM_END else {
      return .failed(reason: "zlib could not start; free some memory")
    }
    if isBetweenFrames, left > 0 {
      guard input[offset] == 0x1F else {
        return .failed(
          reason:
            "data after the gzip data is not gzip; fetch the file again, or pipe the output of gzip -dc"
        )
      }
      unsafe inflateReset(&stream)
      isBetweenFrames = false
    }
    if left == 0, isBetweenFrames { return .progress(consumed: 0, produced: 0) }
    let room = min(room, Int(UInt32.max))
    output.reserve(room)
    unsafe stream.next_in = unsafe input.start + offset
    unsafe stream.avail_in = UInt32(left)
    unsafe stream.next_out = unsafe output.start + output.count
    unsafe stream.avail_out = UInt32(room)
    let result = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
    let (consumed, produced) = unsafe (left - Int(stream.avail_in), room - Int(stream.avail_out))
    output.count += produced
    switch result {
    case Z_STREAM_END: isBetweenFrames = true
    case Z_OK, Z_BUF_ERROR: break
    default:
      let detail = unsafe stream.msg.map { unsafe String(cString: $0) } ?? "zlib error \(result)"
      return .failed(reason: "the gzip data is damaged: \(detail); fetch the file again")
    }
    return .progress(consumed: consumed, produced: produced)
  }
}
