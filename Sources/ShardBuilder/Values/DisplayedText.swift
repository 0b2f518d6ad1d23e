import CLibrary

/// The path of the records of a program, for messages. No file has this path.
let recordsPath = "\0records"

/// Returns a path for messages, without control characters for a terminal.
func displayed(path: String) -> String {
  switch path {
  case "-": "standard input"
  case recordsPath: "the records"
  default: printable(path.utf8)
  }
}

/// Returns the system's text for an error number.
func text(ofErrno number: CInt) -> String {
  unsafe String(cString: strerror(number))
}

/// Returns a name from a dataset for messages: in quotes, which show its spaces.
func quoted(_ name: String) -> String { "\"" + printable(name.utf8, limit: 40) + "\"" }

/// Returns a number with commas between thousands.
func grouped(_ number: Int) -> String {
  var digits = String(number)
  var end = digits.utf8.count - 3
  while end > 0 {
    digits.insert(",", at: digits.utf8.index(digits.startIndex, offsetBy: end))
    end -= 3
  }
  return digits
}

/// Returns text from a dataset for messages: at most `limit` characters, with escapes for control characters.
func printable(_ bytes: some Sequence<UInt8>, limit: Int = .max) -> String {
  var text = ""
  var count = 0
  for scalar in String(decoding: Array(bytes.prefix(limit == .max ? limit : limit * 4)), as: UTF8.self)
    .unicodeScalars
  {
    if count == limit { return text + "\u{2026}" }
    count += 1
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      text += "\\u{\(String(scalar.value, radix: 16))}"
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text
}

/// Returns one byte of a dataset for messages.
func described(_ byte: UInt8) -> String {
  switch byte {
  case UInt8(ascii: "\n"): "the end of the line"
  case UInt8(ascii: "\t"): "a tab"
  case UInt8(ascii: "\r"): "a carriage return"
  case UInt8(ascii: " "): "a space"
  case 0: "a NUL byte"
  case UInt8(ascii: "'"): "an apostrophe"
  case 0x21..<0x7F: "'\(Character(Unicode.Scalar(byte)))'"
  default: "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
