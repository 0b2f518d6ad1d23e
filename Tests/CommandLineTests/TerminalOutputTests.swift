import Testing

import CLibrary

/// The system's program that gives another one a terminal.
enum ScriptProgram {
  static let path = "/usr/bin/script"
  static let isThere = Program.isThere && access(path, X_OK) == 0
  static let absence: String = "skipped: shardq, shardq-commands or /usr/bin/script is not there"
}

@Suite(
  "No control character reaches a terminal raw",
  .enabled(if: ScriptProgram.isThere, Comment(rawValue: ScriptProgram.absence)))
struct TerminalOutputTests {
  /// Of each kind that could do harm, between letters: C0, DEL, C1, direction, line ends of Unicode.
  static let scalars: [UInt32] = [
    0x00, 0x07, 0x08, 0x0b, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a,
    0x202e,
    0x2066, 0x2069,
  ]

  static let name: String = {
    var text = String.UnicodeScalarView("x".unicodeScalars)
    for scalar in scalars { text += [Unicode.Scalar(scalar)!, "\u{e9}"] }
    return String(text)
  }()

  static let index = try! SmallIndex(
    "{\"name\":\"x\(scalars.map { "\\u" + hexadecimal($0) + "é" }.joined())\",\"country\":\"x\u{9b}y\u{202e}\"}")

  static func hexadecimal(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// What a terminal gets of a command, whose standard output and error it is.
  static func terminal(_ arguments: [String]) -> String {
    // The program `script` has a terminal of its own, and prints what it is sent.
    let words = [Program.directory! + "/shardq"] + arguments
    let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    return Program.run(
      ["-qec", line, "/dev/null"], program: ScriptProgram.path, variables: ["TERM=xterm", "SHELL=/bin/sh"]
    ).output
  }

  /// The control characters of a text.
  static func raw(_ shown: String) -> [UInt32] {
    let text = shown.unicodeScalars.map(\.value)
    // A terminal's lines end with a carriage return and a line feed, those of CSV with two.
    return text.indices.filter { at in
      scalars.contains(text[at]) && !(text[at] == 0x0d && at + 1 < text.count && [0x0a, 0x0d].contains(text[at + 1]))
    }.map { text[$0] }
  }

  static let commands: [[String]] =
    ["text", "tsv", "csv", "json", "jsonl", "geojson"].map { ["x", "--format", $0] } + [
      ["x", "-0"], ["x", "--fields", "name"], ["x", "--count", "--format", "json"],
      ["export"], ["export", "--format", "tsv"], ["export", "--format", "geojson"], ["explain", name.dropNull],
      ["explain", name.dropNull, "--format", "json"],
      [name.dropNull], [name.dropNull, "--format", "json"], ["no" + name.dropNull], ["--no" + name.dropNull, "x"],
      ["x", "--format", name.dropNull], ["x", "--fields", name.dropNull], ["stats", name.dropNull],
      ["-i", name.dropNull, "x"], ["build", name.dropNull], ["x", "-n", name.dropNull],
    ]

  @Test("in any format, report or message", arguments: commands)
  func shown(_ arguments: [String]) {
    let index = arguments.first == "-i" ? [] : ["-i", Self.index.path]
    let shown = Self.terminal(arguments + index)
    #expect(Self.raw(shown).isEmpty, "\(arguments): \(shown.debugDescription)")
    // The builder writes it as Swift does.
    let isShown = shown.contains("\\u009b") || shown.contains("\\u{9b}")
    #expect(isShown || arguments.contains("--count"), "\(arguments): \(shown)")
  }

  @Test("a pipe gets the bytes that there are", arguments: ["tsv", "csv", "jsonl"])
  func pipe(_ format: String) {
    let output = Program.run(["x", "--format", format, "-i", Self.index.path]).output
    #expect(output.contains("x\u{9b}y\u{202e}"))
  }

  @Test("also where a buffer ends within a character")
  func pieces() throws {
    // Two million bytes of what has to be shown otherwise, at any distance from where buffers end.
    let text = (0..<40_000).map { String(repeating: "a", count: $0 % 7) + "\u{202e}\u{9b}é" }.joined()
    let index = try SmallIndex("{\"name\":\"long\",\"country\":\"XX\",\"text\":\"\(text)\"}")
    let shown = Self.terminal(["long", "--fields", "text", "-i", index.path])
    let expected = text.replacing("\u{202e}", with: "\\u202e").replacing("\u{9b}", with: "\\u009b")
    #expect(shown == expected + "\r\n", "\(shown.count) characters, not \(expected.count)")
  }
}

extension String {
  /// Arguments have no zeros.
  fileprivate var dropNull: String { filter { $0 != "\0" } }
}
