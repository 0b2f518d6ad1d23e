/// The number of columns that a text takes on a terminal.
package enum DisplayWidth {
  /// Returns the columns of one scalar: two for East Asian wide scalars and pictures, none for marks and invisible
  /// scalars.
  package static func columns(of scalar: Unicode.Scalar) -> Int {
    guard scalar.value >= 0x300 else { return 1 }
    let wanted = scalar.value << 2 | 3
    var (low, high) = (0, WidthTable.runs.count)
    // The last run that begins at the scalar or before it.
    while high - low > 1 {
      let middle = (low + high) / 2
      if WidthTable.runs[middle] <= wanted { low = middle } else { high = middle }
    }
    return Int(WidthTable.runs[low] & 3)
  }

  /// Returns the columns of one character without control characters.
  ///
  /// A scalar joined to a wide picture adds nothing. U+FE0F makes a picture of the scalar before it: two columns.
  package static func columns(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    var (columns, total) = (0, 0)
    var isPicture = false
    for scalar in scalars {
      let width = self.columns(of: scalar)
      columns = max(columns, width)
      total += width
      if scalar.value == 0xfe0f { isPicture = true }
    }
    if first.value >= 0x1100, columns == 2 { return 2 }
    // Vowel signs of Indian scripts stand beside their letter and take a column of their own.
    return isPicture ? 2 : total
  }
}
