/// The encoding of bytes as text for header fields, JSON and a terminal's clipboard. Source: RFC 4648.
package enum Base64 {
  package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word: UInt32 = 0
      for at in 0..<3 { word = word << 8 | (at < group.count ? UInt32(group[start + at]) : 0) }
      for at in 0..<4 {
        text.append(at <= group.count ? digits[Int(word >> (18 - 6 * UInt32(at)) & 63)] : UInt8(ascii: "="))
      }
    }
    return text
  }
}
