/// A command that prints the content of a file; the file's name stands between `before` and `after`.
struct Opener {
  var before: String
  var after = ""
  /// The format of the output; nil if unknown.
  var format: String?

  /// Returns the shell line that builds from the output, for messages of a command.
  func line(path: String, options: BuildMessage = "") -> BuildMessage {
    let input = path == "-" ? "FILE" : shellWord(path)
    let format: BuildMessage = format.map { "\(.inputFormat, .text($0)) " } ?? ""
    return "\(before)\(input)\(after) | \(.build) \(format)\(options)\u{2026} -"
  }
}

/// Returns `text` quoted as one word of a shell.
package func shellWord(_ text: String) -> String {
  let isPlain =
    !text.isEmpty
    && text.unicodeScalars.allSatisfy {
      $0.value >= 0x80 || ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
        || "/._-,+:@%".unicodeScalars.contains($0)
    }
  return isPlain
    ? text
    : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
