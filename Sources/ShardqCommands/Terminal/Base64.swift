/// What the clipboard's escape sequence is written in.
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let chunk = bytes[start..<min(start + 3, bytes.count)]
      var word = chunk.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - chunk.count))
      for digit in 0..<4 {
        text.append(digit <= chunk.count ? digits[Int(word >> 18 & 63)] : 0x3d)
        word <<= 6
      }
    }
    return text
  }
}
