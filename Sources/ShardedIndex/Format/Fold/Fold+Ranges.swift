extension Fold {
  /// Returns the readings of a folded text, in the order of keys: the text with the separator in the place of its last
  /// space, and the text itself. A space at its end, which finishes a word, stays.
  package static func readings(of text: [UInt8]) -> [[UInt8]] {
    guard let last = text.dropLast().lastIndex(of: space) else { return [text] }
    var separated = text
    separated[last] = separator
    return [separated, text]
  }

  /// Returns the range of `key` that a folded text matches. It ends with the first character with which the fold has
  /// all of the text.
  ///
  /// A range has whole characters with their marks: one letter of a syllable or of a ligature marks all of it. If a
  /// space finishes the word, and the key ends or has a comma there, the range is the word.
  ///
  /// - Parameter text: Folded.
  /// - Returns: nil if the text does not match the key.
  /// - Complexity: O(*n*): *n* bytes of the range.
  package static func matchedRange(ofFolded text: [UInt8], in key: String) -> Range<String.Index>? {
    matchedSize(ofFolded: text, in: key).map { key.startIndex..<key.utf8.index(key.startIndex, offsetBy: $0) }
  }

  /// Returns the size of that range in bytes of UTF-8; nil if the text does not match the key.
  package static func matchedSize(ofFolded text: [UInt8], in key: String) -> Int? {
    for reading in readings(of: text) {
      if let size = size(ofPrefix: reading, in: key) { return size }
      guard reading.count > 1, reading.last == space else { continue }
      let word = Array(reading.dropLast())
      guard let size = size(ofPrefix: word, in: key) else { continue }
      if self.size(ofPrefix: word + [separator], in: key) != nil || fold(key) == word { return size }
    }
    return nil
  }

  /// Returns the size of the beginning of `key` that a prefix of its fold matches.
  private static func size(ofPrefix prefix: [UInt8], in key: String) -> Int? {
    guard !prefix.isEmpty else { return 0 }
    var key = key
    key.makeContiguousUTF8()
    let found: Int?? = unsafe key.utf8.withContiguousStorageIfAvailable { text in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + 1024) { target in
        var folder = unsafe Folder(FoldOutput(target))
        var (position, size) = (0, 0)
        // The next characters may change only the end of a fold: a space before a comma, or a voiced kana.
        for character in key {
          guard unsafe folder.output.count <= prefix.count + Folder.slack else { break }
          size += character.utf8.count
          unsafe folder.run(text.extracting(..<size), from: &position)
          folder.endRun()
          if unsafe folder.output.count >= prefix.count, unsafe target.starts(with: prefix) { return size }
        }
        return nil
      }
    }
    return found ?? nil
  }
}
