extension Fold {
  /// Returns the folded texts whose keys answer a folded text, in the order of the keys: the text with its last space
  /// as the separator, the one that finishes a word aside, and the text.
  package static func readings(of text: [UInt8]) -> [[UInt8]] {
    guard let last = text.dropLast().lastIndex(of: space) else { return [text] }
    var separated = text
    separated[last] = separator
    return [separated, text]
  }

  /// Returns what of `key` a folded text stands for: from its start to the end of the first character with which the
  /// fold has all of the text.
  ///
  /// Characters are marked whole, with their marks: one letter of a syllable or of a ligature marks all of it. Where a
  /// space at the end of the text finishes the word, and the key ends there or has a comma there, the word is marked.
  ///
  /// - Parameter text: Folded.
  /// - Returns: nil if the key is none that the text asks for.
  /// - Complexity: O(*n*), *n* being the size of the range, in bytes.
  package static func matchedRange(ofFolded text: [UInt8], in key: String) -> Range<String.Index>? {
    for reading in readings(of: text) {
      if let range = range(ofPrefix: reading, in: key) { return range }
      guard reading.count > 1, reading.last == space else { continue }
      let word = Array(reading.dropLast())
      guard let range = range(ofPrefix: word, in: key) else { continue }
      if self.range(ofPrefix: word + [separator], in: key) != nil || fold(key) == word { return range }
    }
    return nil
  }

  /// Returns what of `key` a prefix of its fold stands for.
  private static func range(ofPrefix prefix: [UInt8], in key: String) -> Range<String.Index>? {
    guard !prefix.isEmpty else { return key.startIndex..<key.startIndex }
    var key = key
    key.makeContiguousUTF8()
    let end: String.Index?? = unsafe key.utf8.withContiguousStorageIfAvailable { text in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + 1024) { target in
        var folder = unsafe Folder(FoldOutput(target))
        var (position, size) = (0, 0)
        var end = key.startIndex
        // What comes next may still change the end of a fold, a space before a comma, a voiced kana; never more.
        while end < key.endIndex, unsafe folder.output.count <= prefix.count + Folder.slack {
          let next = key.index(after: end)
          size += key.utf8.distance(from: end, to: next)
          end = next
          unsafe folder.run(text.extracting(..<size), from: &position)
          folder.endRun()
          if unsafe folder.output.count >= prefix.count, unsafe target.starts(with: prefix) { return end }
        }
        return nil
      }
    }
    return (end ?? nil).map { key.startIndex..<$0 }
  }
}
