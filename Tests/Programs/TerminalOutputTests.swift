import Testing

import CLibrary

/// The system's program that gives another program a terminal.
enum ScriptProgram {
  static let path = "/usr/bin/script"
  static let isThere = Program.isThere && access(path, X_OK) == 0
  static let absence: String = "skipped: shardq, shardq-commands or /usr/bin/script is not there"
}

@Suite(
  "No control character reaches a terminal raw",
  .enabled(if: ScriptProgram.isThere, Comment(rawValue: ScriptProgram.absence)))
struct TerminalOutputTests {
  /// Harmful characters of each kind, between letters: C0, DEL, C1, direction, line ends of Unicode.
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

  /// The bytes that a terminal gets from a command's standard output and error.
  static func terminal(_ arguments: [String], variables: [String] = []) -> String {
    // The program `script` has a terminal of its own, and prints the bytes that the terminal gets.
    let words = [Program.directory! + "/shardq"] + arguments
    let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    return Program.run(
      ["-qec", line, "/dev/null"], program: ScriptProgram.path, variables: ["TERM=xterm", "SHELL=/bin/sh"] + variables
    ).output
  }

  /// The control characters of a text.
  static func raw(_ shown: String) -> [UInt32] {
    let text = shown.unicodeScalars.map(\.value)
    // A terminal's lines end with a carriage return and a line feed; lines of CSV end with two carriage returns.
    return text.indices.filter { at in
      scalars.contains(text[at]) && !(text[at] == 0x0d && at + 1 < text.count && [0x0a, 0x0d].contains(text[at + 1]))
    }.map { text[$0] }
  }

  static let commands: [[String]] =
    ["text", "tsv", "csv", "json", "jsonl", "geojson"].map { ["x", "--format", $0] } + [
      ["x", "-0"], ["x", "--fields", "name"], ["x", "--count", "--format", "json"],
      ["export"], ["export", "--format", "tsv"], ["export", "--format", "geojson"],
      [name.dropNull], [name.dropNull, "--format", "json"], ["no" + name.dropNull], ["--no" + name.dropNull, "x"],
      ["x", "--format", name.dropNull], ["x", "--fields", name.dropNull], ["stats", name.dropNull],
      ["-i", name.dropNull, "x"], ["build", name.dropNull], ["x", "-n", name.dropNull],
    ]

  @Test("no format, report or message sends a control character raw", arguments: commands)
  func shown(_ arguments: [String]) {
    let index = arguments.first == "-i" ? [] : ["-i", Self.index.path]
    // Without the colours of the format text, which are control characters too.
    let shown = Self.terminal(arguments + index, variables: ["NO_COLOR=1"])
    #expect(Self.raw(shown).isEmpty, "\(arguments): \(shown.debugDescription)")
    // The builder writes U+009B as Swift does.
    let isShown = shown.contains("\\u009b") || shown.contains("\\u{9b}")
    #expect(isShown || arguments.contains("--count"), "\(arguments): \(shown)")
  }

  @Test("text is coloured, aligned and rounded, and no colour comes from a name")
  func look() throws {
    let index = try SmallIndex(
      """
      {"name":"a\\u001b[31mb","country":"XX","lat":"1.000049","lon":-88.599998}
      {"name":"Ab","country":"YY","lat":-12.5,"lon":5}
      {"name":"Abc","country":"ZZ"}
      """)
    let words = ["a", "--sort", "key", "-i", index.path]
    #expect(
      Self.terminal(words + ["--hyperlink", "never"])
        == "\u{1b}[1;32ma\u{1b}[0m\\u001b[31mb, XX      \u{1b}[90m1.0, -88.6\u{1b}[0m\r\n"
        + "\u{1b}[1;32mA\u{1b}[0mb, YY              \u{1b}[90m-12.5,   5.0\u{1b}[0m\r\n"
        + "\u{1b}[1;32mA\u{1b}[0mbc, ZZ\r\n")
    #expect(
      Self.terminal(words + ["--color", "never", "--hyperlink", "always", "-n", "1"]).hasPrefix(
        "a\\u001b[31mb, XX    \u{1b}]8;;geo:1.000049,-88.599998\u{1b}\\1.0, -88.6\u{1b}]8;;\u{1b}\\\r\n"))
    // A pipe gets colours only with --color always, and rounded numbers only with colours.
    #expect(!Program.run(words + ["--format", "text"]).output.utf8.contains(0x1b))
    #expect(Program.run(words + ["--format", "text"]).output.contains("    1.000049, -88.599998\n"))
    #expect(Program.run(words + ["--format", "text", "--color", "always"]).output.contains("\u{1b}[1;32ma\u{1b}[0m"))
    for (variables, isColored) in [
      (["CLICOLOR_FORCE=1"], true), (["CLICOLOR_FORCE=0"], false), (["CLICOLOR_FORCE=1", "NO_COLOR=1"], false),
      (["CLICOLOR_FORCE=1", "NO_COLOR="], true), (["TERM=xterm"], false),
    ] {
      let output = Program.run(words + ["--format", "text"], variables: variables).output
      #expect(output.utf8.contains(0x1b) == isColored, "\(variables)")
    }
  }

  @Test("a pipe gets the bytes as they are", arguments: ["tsv", "csv", "jsonl"])
  func pipe(_ format: String) {
    let output = Program.run(["x", "--format", format, "-i", Self.index.path]).output
    #expect(output.contains("x\u{9b}y\u{202e}"))
  }

  @Test("a control character at the end of a buffer is replaced too")
  func pieces() throws {
    // Two million bytes with characters that must be replaced, at any distance from the ends of buffers.
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
