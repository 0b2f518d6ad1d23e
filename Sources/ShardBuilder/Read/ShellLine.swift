/// A command that prints what a file holds: the file's name stands between `before` and `after`.
struct Opener {
  var before: String
  var after = ""
  /// The format that it prints; nil where that is not known.
  var format: String?

  /// The line that builds from it, for a command to tell.
  func line(path: String, options: BuildMessage = "") -> BuildMessage {
    let input = path == "-" ? "FILE" : shellWord(path)
    let format: BuildMessage = format.map { "\(.inputFormat, .text($0)) " } ?? ""
    return "\(before)\(input)\(after) | shardq build \(format)\(options)\u{2026} -"
  }
}

/// Returns `text` quoted so that a shell takes it for one word.
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
