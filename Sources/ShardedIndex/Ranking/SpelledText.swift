/// A spelled text, with the places of the bytes of its fold or of its plain form.
struct SpelledText {
  /// The ends of the characters, in bytes: in the text, and in its form.
  private var ends: [(spelled: Int, form: Int)] = []

  /// - Parameters:
  ///   - form: The form of the text in which ranges are given; nil for the fold.
  ///   - separators: The most separators of that form.
  /// - Complexity: O(*n*) in the size of the text.
  init(_ text: String, as form: PlainForm.Form?, separators: Int) {
    var text = text
    text.makeContiguousUTF8()
    var spelled = 0
    var sizes: [Int] = []
    for character in text {
      spelled += character.utf8.count
      sizes.append(spelled)
    }
    let (folded, foldedEnds) = Self.fold(&text, upTo: sizes)
    guard let form else {
      ends = zip(sizes, foldedEnds).map { (spelled: $0, form: $1) }
      return
    }
    var writer = PlainForm.Writer(form, spacedSeparators: PlainForm.spacedSeparators(in: folded, keeping: separators))
    var start = 0
    for (size, end) in zip(sizes, foldedEnds) {
      // The fold has removed white space before a separator.
      if start < min(end, folded.count) { writer.append(folded[start..<min(end, folded.count)]) }
      start = max(start, min(end, folded.count))
      ends.append((size, writer.text.count))
    }
  }

  /// Returns the fold of a text, and its size behind each character.
  private static func fold(_ text: inout String, upTo sizes: [Int]) -> (folded: [UInt8], ends: [Int]) {
    var ends: [Int] = []
    let folded = text.withUTF8 { bytes -> [UInt8] in
      guard bytes.count > 0 else { return [] }
      // A syllable of three bytes becomes three letters of three bytes.
      return unsafe [UInt8](unsafeUninitializedCapacity: 3 * bytes.count + 2 * Folder.slack) { target, count in
        var folder = unsafe Folder(FoldOutput(target))
        var position = 0
        for size in sizes {
          unsafe folder.run(bytes.extracting(..<size), from: &position)
          folder.endRun()
          ends.append(unsafe folder.output.count)
        }
        count = unsafe folder.output.count
      }
    }
    return (folded, ends)
  }

  /// Returns the range of the characters with bytes in a range of the form; nil if there are none.
  func spelled(_ range: Range<Int>) -> Range<Int>? {
    var start: Int?
    var end = 0
    var (spelled, form) = (0, 0)
    for character in ends {
      if character.form > range.lowerBound, form < range.upperBound, character.form > form {
        start = start ?? spelled
        end = character.spelled
      }
      (spelled, form) = (character.spelled, max(form, character.form))
    }
    return start.map { $0..<end }
  }
}
