/// The secret parts of URLs, which no message has: the user, the password, and the text after `?` or `#`.
///
/// Every message of a command goes through ``removed(from:)``, since a name of an index, a variable, or a line of a file
/// may be a URL. A misspelt URL counts too: `htp://`, `http:/`, `http//` or `user:password@host`.
package enum URLSecrets {
  private static let at = UInt8(ascii: "@")
  private static let colon = UInt8(ascii: ":")
  private static let slash = UInt8(ascii: "/")

  /// Returns a text without the secret parts of its URLs.
  package static func removed(from text: String) -> String {
    let line = Array(text.utf8)
    return hasAny(line) ? String(decoding: removed(from: line), as: UTF8.self) : text
  }

  /// Returns a line without the secret parts of its URLs.
  package static func removed(from line: [UInt8]) -> [UInt8] {
    guard hasAny(line) else { return line }
    var shown: [UInt8] = []
    var place = 0
    while place < line.count {
      var end = line[place...].firstIndex(where: endsWord) ?? line.count
      if let address = authority(in: line[place..<end]) {
        end = wholeEnd(of: line, from: address, to: end)
        shown += line[place..<address]
        shown += open(line[address..<end])
      } else {
        shown += line[place..<end]
      }
      place = line[end...].firstIndex { !endsWord($0) } ?? line.count
      shown += line[end..<place]
    }
    return shown
  }

  private static func hasAny(_ line: [UInt8]) -> Bool { line.contains { $0 == at || startsQuery($0) } }
  private static func endsWord(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: "\"") }
  private static func startsQuery(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == slash || byte == UInt8(ascii: "\"") || startsQuery(byte)
  }

  /// Returns the offset of the user, or else of the host, of the URL that a word is; nil for another word.
  private static func authority(in word: ArraySlice<UInt8>) -> Int? {
    for place in word.indices.dropLast()
    where word[place + 1] == slash && (word[place] == colon || word[place] == slash) {
      return word[(place + 1)...].firstIndex { $0 != slash } ?? word.endIndex
    }
    // A URL without slashes or without a scheme.
    guard let first = word.firstIndex(of: colon), let host = word[first...].lastIndex(of: at) else { return nil }
    if word[(first + 1)..<host].contains(colon) { return first + 1 }
    return word[..<first].lastIndex(of: UInt8(ascii: "=")).map { $0 + 1 } ?? word.startIndex
  }

  /// Returns the end of a URL whose password may have spaces.
  private static func wholeEnd(of line: [UInt8], from address: Int, to end: Int) -> Int {
    // A colon before a space is the message's.
    guard line[end - 1] != colon, !line[address..<end].contains(where: { $0 == at || endsAuthority($0) }) else {
      return end
    }
    let limit = line[end...].firstIndex(where: endsAuthority) ?? line.count
    guard let host = line[end..<limit].lastIndex(of: at) else { return end }
    return line[host...].firstIndex(where: endsWord) ?? line.count
  }

  /// Returns the public part of a URL behind its scheme.
  private static func open(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var open = part
    let authority = part.prefix { !endsAuthority($0) }
    if let host = authority.lastIndex(of: at) {
      open = part[(host + 1)...]
    } else if let first = authority.firstIndex(of: colon), let host = part.lastIndex(of: at),
      authority.first != UInt8(ascii: "["), !authority[(first + 1)...].allSatisfy({ 0x30...0x39 ~= $0 })
    {
      // The text behind the colon is no port, but the beginning of a password with such a sign.
      open = part[(host + 1)...]
    }
    guard let query = open.firstIndex(where: startsQuery) else { return open }
    // The signs behind the URL are the message's.
    let last = open[query...].lastIndex { !":;,.)'".utf8.contains($0) } ?? query
    return open[..<query] + open[(last + 1)...]
  }
}
