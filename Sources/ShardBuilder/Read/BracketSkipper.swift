/// A finder of the end of a JSON value that is too big for memory, by brackets and quotes alone.
struct BracketSkipper {
  /// The open brackets, a bit each: 1 for an object.
  private var open: [UInt64] = []
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var hasBegun = false

  static let depthLimit = 1 << 20

  enum SkipResult { case done, more, mismatch }

  /// Continues from `start`. The returned `end` is after the value if the value is complete, and at the fault if the
  /// brackets do not match.
  mutating func skip(_ start: Bytes, _ limit: Bytes) -> (outcome: SkipResult, end: Bytes) {
    var p = unsafe start
    while unsafe p < limit {
      let byte = unsafe p.pointee
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return unsafe (.done, p + 1) }
        }
        unsafe p += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < Self.depthLimit else { return unsafe (.mismatch, p) }
        if depth >> 6 == open.count { open.append(0) }
        let bit: UInt64 = 1 << UInt64(depth & 63)
        if byte == UInt8(ascii: "{") { open[depth >> 6] |= bit } else { open[depth >> 6] &= ~bit }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // A number or a word ends before the bracket that closes the array.
        guard depth > 0 else { return unsafe (hasBegun ? .done : .mismatch, p) }
        depth -= 1
        let isObject = open[depth >> 6] >> UInt64(depth & 63) & 1 == 1
        guard isObject == (byte == UInt8(ascii: "}")) else { return unsafe (.mismatch, p) }
        if depth == 0 { return unsafe (.done, p + 1) }
      case UInt8(ascii: ",") where depth == 0: return unsafe (.done, p)
      default: break
      }
      hasBegun = true
      unsafe p += 1
    }
    return unsafe (.more, p)
  }
}
