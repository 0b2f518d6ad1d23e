import ShardedIndex

/// The writer of JSON texts.
package enum JSONText {
  /// Writes a string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that the output is always UTF-8.
  package static func write(_ text: String, to output: inout Output) throws(WriteError) {
    var text = text
    var failure: WriteError? = nil
    text.withUTF8 { bytes in
      do throws(WriteError) { try unsafe write(bytes, to: &output) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Writes a string with its quotes; the bytes are UTF-8 and stay the same.
  static func write(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout Output) throws(WriteError) {
    try output.write(0x22)
    var start = 0
    var at = 0
    let count = bytes.count
    while at < count {
      let byte = unsafe bytes[at]
      if byte >= 0x20, byte != 0x22, byte != 0x5c {
        at &+= 1
        continue
      }
      if at > start { try unsafe output.write(bytes.baseAddress! + start, at - start) }
      try escape(byte, to: &output)
      at &+= 1
      start = at
    }
    if count > start { try unsafe output.write(bytes.baseAddress! + start, count - start) }
    try output.write(0x22)
  }

  /// Writes ranges: `[[0,3],[5,8]]`.
  static func write(_ ranges: [Range<Int>], to output: inout Output) throws(WriteError) {
    try output.write(0x5b)
    for (number, range) in ranges.enumerated() {
      try output.write(number > 0 ? ",[" as StaticString : "[" as StaticString)
      try output.write(number: range.lowerBound)
      try output.write(0x2c)
      try output.write(number: range.upperBound)
      try output.write(0x5d)
    }
    try output.write(0x5d)
  }

  private static func escape(_ byte: UInt8, to output: inout Output) throws(WriteError) {
    switch byte {
    case 0x22: try output.write("\\\"")
    case 0x5c: try output.write("\\\\")
    case 0x08: try output.write("\\b")
    case 0x09: try output.write("\\t")
    case 0x0a: try output.write("\\n")
    case 0x0c: try output.write("\\f")
    case 0x0d: try output.write("\\r")
    default: try output.write(ControlText.escape(of: UInt32(byte)))
    }
  }

  /// A string with its quotes, as bytes.
  static func quoted(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var text: [UInt8] = [0x22]
    for byte in bytes {
      switch byte {
      case 0x22, 0x5c: text += [0x5c, byte]
      case 0..<0x20: text += ControlText.escape(of: UInt32(byte))
      default: text.append(byte)
      }
    }
    text.append(0x22)
    return text
  }

  /// Writes one field's value: a number or a literal as in the dataset, a text as a string.
  static func write(_ field: RecordBuffer.RawField, to output: inout Output) throws(WriteError) {
    if field.kind == .string {
      try unsafe write(field.text, to: &output)
    } else {
      try unsafe output.write(field.text)
    }
  }
}

extension JSONText {
  /// The beginning of each object that a command prints. The version defines the members; a version may gain members.
  package static let schema: StaticString = "{\"schema\":1,"

  /// A string with its quotes.
  package static func string(_ text: String) -> String { String(decoding: quoted(text.utf8), as: UTF8.self) }
}
