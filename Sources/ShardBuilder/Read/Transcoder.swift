/// A converter of bytes in another encoding to UTF-8, in runs.
///
/// Bytes that are not a character become bytes that are not UTF-8, so that the reader refuses them at their place.
struct Transcoder {
  private var encoding: DatasetDialect.Encoding
  /// The first byte of a unit of UTF-16, and the first unit of a pair.
  private var half: UInt8?
  private var high: UInt32?

  /// Makes a transcoder; nil for UTF-8, which needs none.
  init?(_ encoding: DatasetDialect.Encoding) {
    if encoding == .utf8 { return nil }
    self.encoding = encoding
  }

  /// Returns bytes in an encoding as a text.
  static func text(of bytes: some Sequence<UInt8>, _ encoding: DatasetDialect.Encoding) -> String {
    var input = RawVector<UInt8>()
    for byte in bytes { input.append(byte) }
    guard var transcoder = Transcoder(encoding) else { return unsafe String(decoding: input.buffer, as: UTF8.self) }
    var output = RawVector<UInt8>()
    transcoder.append(input, to: &output)
    transcoder.finish(into: &output)
    return unsafe String(decoding: output.buffer, as: UTF8.self)
  }

  /// Appends the UTF-8 of `input`.
  mutating func append(_ input: borrowing RawVector<UInt8>, to output: inout RawVector<UInt8>) {
    output.reserve(3 * input.count + 4)
    switch encoding {
    case .utf8: unsafe output.append(input.start, input.count)
    case .latin1: for index in 0..<input.count { Self.append(UInt32(input[index]), to: &output) }
    case .windows1252:
      for index in 0..<input.count {
        let byte = input[index]
        Self.append(byte & 0xE0 == 0x80 ? UInt32(Self.windows[Int(byte & 0x1F)]) : UInt32(byte), to: &output)
      }
    case .utf16, .utf16LittleEndian, .utf16BigEndian:
      for index in 0..<input.count {
        let byte = input[index]
        guard let first = half else {
          half = byte
          continue
        }
        half = nil
        if encoding == .utf16 {
          let isBig = first == 0xFE && byte == 0xFF
          encoding = isBig ? .utf16BigEndian : .utf16LittleEndian
        }
        append(
          unit: encoding == .utf16BigEndian
            ? UInt32(first) << 8 | UInt32(byte) : UInt32(byte) << 8 | UInt32(first), to: &output)
      }
    }
  }

  /// Appends the rest at the end of the bytes: halves of characters.
  mutating func finish(into output: inout RawVector<UInt8>) {
    if let high { Self.append(high, to: &output) }
    if half != nil { output.append(0xFF) }
    (half, high) = (nil, nil)
  }

  private mutating func append(unit: UInt32, to output: inout RawVector<UInt8>) {
    if let first = high {
      high = nil
      if unit & 0xFC00 == 0xDC00 {
        return Self.append(0x10000 + (first & 0x3FF) << 10 + unit & 0x3FF, to: &output)
      }
      Self.append(first, to: &output)
    }
    if unit & 0xFC00 == 0xD800 { high = unit } else { Self.append(unit, to: &output) }
  }

  /// Appends a value in the pattern of UTF-8, also a surrogate.
  private static func append(_ value: UInt32, to output: inout RawVector<UInt8>) {
    func continuation(_ shift: UInt32) { output.append(UInt8(0x80 | value >> shift & 0x3F)) }
    switch value {
    case 0..<0x80: output.append(UInt8(value))
    case 0x80..<0x800:
      output.append(UInt8(0xC0 | value >> 6))
      continuation(0)
    case 0x800..<0x10000:
      output.append(UInt8(0xE0 | value >> 12))
      continuation(6)
      continuation(0)
    default:
      output.append(UInt8(0xF0 | value >> 18))
      continuation(12)
      continuation(6)
      continuation(0)
    }
  }

  /// The characters of the bytes 80 to 9F. Five of these bytes are not characters; they stand for control characters,
  /// as in the WHATWG's Encoding.
  ///
  /// Source: https://encoding.spec.whatwg.org/index-windows-1252.txt
  private static let windows: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178,
  ]
}
