import ShardedIndex

/// Folded text in a readable form.
package enum ReadableFold {
  /// Returns the text with the separator as a comma, and control characters as `\u{...}`.
  package static func readable(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar.value == UInt32(Fold.separator) {
        text += ", "
      } else if scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
