/// The number of different letters of two words, for advice on an unknown name.
package enum EditDistance {
  /// Returns the name that the user probably means: the one with the fewest edits, letter case and outer spaces aside,
  /// and with at most one edit for each three letters. Returns nil if no name is that near.
  ///
  /// - Complexity: Linear in the number of names of up to 64 letters.
  package static func nearest(to word: String, of names: [String]) -> String? {
    let letters = plain(word)
    var best: (name: String, distance: Int)?
    for name in names {
      let distance = between(letters, plain(name))
      if distance < best?.distance ?? max(1, letters.count / 3) + 1 { best = (name, distance) }
    }
    return best?.name
  }

  /// Returns the letters in lower case, without outer spaces; beyond ASCII, letter case counts.
  private static func plain(_ word: String) -> [UInt32] {
    var letters = word.unicodeScalars.prefix(64).map { ("A"..."Z").contains($0) ? $0.value + 0x20 : $0.value }
    func isBlank(_ letter: UInt32) -> Bool { letter <= 0x20 || letter == 0xA0 || letter == 0xFEFF }
    while let last = letters.last, isBlank(last) { letters.removeLast() }
    return Array(letters.drop(while: isBlank))
  }

  /// Returns the number of letters that are inserted, deleted, replaced, or exchanged with the next letter.
  private static func between(_ a: [UInt32], _ b: [UInt32]) -> Int {
    var rows = [[Int](repeating: 0, count: b.count + 1), [], Array(0...b.count)]
    for i in a.indices {
      rows[0] = rows[1]
      rows[1] = rows[2]
      rows[2] = [i + 1]
      for j in b.indices {
        var least = min(rows[1][j] + (a[i] == b[j] ? 0 : 1), rows[1][j + 1] + 1, rows[2][j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[0][j - 1] + 1) }
        rows[2].append(least)
      }
    }
    return rows[2][b.count]
  }
}
