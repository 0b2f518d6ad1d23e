/// The number of letters by which two words differ: for advice on a name that is not there.
package enum EditDistance {
  /// Returns the name that is probably meant: the one with the fewest edits, case and outer blanks aside, and at most
  /// one edit for each three letters; nil if none is that near.
  ///
  /// - Complexity: O(names), the longest 64 letters long.
  package static func nearest(to word: String, of names: [String]) -> String? {
    let letters = plain(word)
    var best: (name: String, distance: Int)?
    for name in names {
      let distance = between(letters, plain(name))
      if distance < best?.distance ?? max(1, letters.count / 3) + 1 { best = (name, distance) }
    }
    return best?.name
  }

  /// Returns the letters in lower case, without outer blanks; beyond ASCII, case counts.
  private static func plain(_ word: String) -> [UInt32] {
    var letters = word.unicodeScalars.prefix(64).map { ("A"..."Z").contains($0) ? $0.value + 0x20 : $0.value }
    func isBlank(_ letter: UInt32) -> Bool { letter <= 0x20 || letter == 0xA0 || letter == 0xFEFF }
    while let last = letters.last, isBlank(last) { letters.removeLast() }
    return Array(letters.drop(while: isBlank))
  }

  /// Counts the letters that are put in, left out, replaced, or swapped with the next one.
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
