import Answers
import CLibrary

/// A file with a setting a line: `color = never`. Lines that begin with `#` are comments.
package enum SettingsFile {
  package typealias SettingsError = UserSettings.SettingsError

  package struct Assignment: Equatable, Sendable {
    package var name: String
    package var value: String
    /// The beginning of a message about the setting, which names its place: `FILE:3: `.
    package var place: String
  }

  /// The most bytes of a file.
  private static let sizeLimit = 1 << 16

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - remedy: The part of a message that tells a user how to name another file.
  ///   - mayBeMissing: Whether a missing file counts as a file without lines.
  package static func lines(of path: String, remedy: String, mayBeMissing: Bool = false) throws(SettingsError)
    -> [Assignment]
  {
    // A pipe without a writer would hold the command.
    let file = retrying { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else {
      // A process that changed its user may still have the home directory of the first user.
      if mayBeMissing, errno == ENOENT || errno == ENOTDIR || errno == EACCES { return [] }
      let reason = unsafe String(cString: strerror(errno))
      throw SettingsError(
        message: "cannot open " + path + ": " + reason + "; name another file " + remedy, status: .notFound)
    }
    defer { close(file) }
    func refuse(_ reason: String) -> SettingsError {
      SettingsError(message: path + ": " + reason + "; name a file of settings " + remedy, status: .notFound)
    }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw refuse("it cannot be examined") }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw refuse("it is a directory") }
    guard kind == S_IFREG || kind == S_IFCHR else { throw refuse("it is not a regular file") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= sizeLimit {
      let count = unsafe read(file, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        let reason = unsafe String(cString: strerror(errno))
        throw SettingsError(message: "cannot read " + path + ": " + reason, status: .inputOutput)
      }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    guard bytes.count <= sizeLimit else { throw refuse("it has more than 65,536 bytes") }
    return try lines(in: bytes, of: path)
  }

  private static func lines(in bytes: [UInt8], of path: String) throws(SettingsError) -> [Assignment] {
    var bytes = bytes[...]
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    var lines: [Assignment] = []
    var number = 0
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      number += 1
      let place = path + ":" + String(number) + ": "
      guard let line = String(utf8: trimmed(line)) else {
        throw SettingsError(message: place + "the line is not UTF-8; write it anew", status: .usage)
      }
      guard !line.isEmpty, line.utf8.first != UInt8(ascii: "#") else { continue }
      guard let sign = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        throw SettingsError(message: place + "the line has no =; write a setting as limit = 20", status: .usage)
      }
      let name = trimmed(Array(line.utf8[..<sign])[...])
      let value = trimmed(Array(line.utf8[line.utf8.index(after: sign)...])[...])
      lines.append(
        Assignment(name: String(decoding: name, as: UTF8.self), value: try unquoted(value, place), place: place))
    }
    return lines
  }

  /// Returns a text without spaces, tabs and carriage returns around it.
  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    let text = text.drop(while: isSpace)
    return text.dropLast(text.reversed().prefix(while: isSpace).count)
  }

  /// Returns a value without the quotes around it.
  private static func unquoted(_ value: ArraySlice<UInt8>, _ place: String) throws(SettingsError) -> String {
    guard let quote = value.first, quote == 0x22 || quote == 0x27 else { return String(decoding: value, as: UTF8.self) }
    guard value.count > 1, value.last == quote, !value.dropFirst().dropLast().contains(quote) else {
      throw SettingsError(
        message: place + "a quote is not closed; write the value between two of the same, or without any",
        status: .usage)
    }
    return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
  }
}
