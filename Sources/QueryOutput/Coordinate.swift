#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A degree as it stands in a record, made a number that JSON allows, with the digits it had.
enum Coordinate {
  /// The digits of `text` as JSON wants them: no plus, no zeros before others, a zero before the point.
  ///
  /// - Parameter limit: The most degrees either way.
  /// - Returns: nil for what is no decimal number within the limit.
  static func digits(_ text: UnsafeBufferPointer<UInt8>, limit: Double) -> [UInt8]? {
    guard text.count <= 64 else { return nil }
    var at = 0
    var digits: [UInt8] = []
    func isDigit() -> Bool { unsafe at < text.count && text[at] >= 0x30 && text[at] <= 0x39 }
    if at < text.count, unsafe text[at] == 0x2d || text[at] == 0x2b {
      if unsafe text[at] == 0x2d { digits.append(0x2d) }
      at += 1
    }
    let start = at
    while isDigit(), unsafe text[at] == 0x30 { at += 1 }
    let whole = at
    while isDigit() {
      unsafe digits.append(text[at])
      at += 1
    }
    if at == whole { digits.append(0x30) }
    var count = at - start
    if at < text.count, unsafe text[at] == 0x2e {
      at += 1
      let fraction = at
      if isDigit() { digits.append(0x2e) }
      while isDigit() {
        unsafe digits.append(text[at])
        at += 1
      }
      count += at - fraction
    }
    guard count > 0 else { return nil }
    if at < text.count, unsafe text[at] | 0x20 == 0x65 {
      digits.append(0x65)
      at += 1
      if at < text.count, unsafe text[at] == 0x2d || text[at] == 0x2b {
        unsafe digits.append(text[at])
        at += 1
      }
      guard isDigit() else { return nil }
      while isDigit() {
        unsafe digits.append(text[at])
        at += 1
      }
    }
    guard at == text.count else { return nil }
    let value = unsafe (digits + [0]).withUnsafeBytes {
      unsafe strtod($0.baseAddress!.assumingMemoryBound(to: CChar.self), nil)
    }
    return value.magnitude <= limit ? digits : nil
  }
}
