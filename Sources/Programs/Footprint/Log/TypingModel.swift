/// The model of typing into a search box. docs/typing.md has the source of each value.
package struct TypingModel: Sendable {
  /// The number of mistakes among 1,000 letters after the first letter.
  package var mistakesPerThousand = 45
  /// The shares of the kinds of mistakes in percent, which add up to 100.
  package var neighbourPercent = 50
  package var doubledPercent = 15
  package var droppedPercent = 20
  package var swappedPercent = 15
  /// The percentage of people who, at each key, see the record in the list and stop.
  package var noticedPercent = 75
  /// The numbers of rows that lists show; each session has one of these numbers.
  package var rows = [5, 10, 20]
  /// The least and the most letters of a session that ends without its record.
  package var letters = 4...16
  /// The percentage of people who type accents; other people leave accents out.
  package var accentPercent = 20

  /// Nine pauses in milliseconds. A pause is drawn between two neighbours; all pairs of neighbours are equally likely.
  package typealias Pauses = [Int]
  /// The pauses between two letters.
  package var letterPauses: Pauses = [50, 105, 135, 160, 185, 215, 260, 350, 900]
  /// The pauses from a mistake, or the letters behind it, to the first backspace.
  package var noticePauses: Pauses = [180, 280, 350, 420, 500, 600, 740, 1000, 2500]
  /// The pauses between backspaces: the key is held or hit in a row.
  package var backspacePauses: Pauses = [30, 80, 95, 110, 125, 140, 160, 200, 400]
  /// The pauses for a look at the list. One key of `readingInterval` gets such a pause in addition.
  package var readingPauses: Pauses = [200, 350, 500, 650, 800, 1000, 1300, 1800, 4000]
  package var readingInterval = 6
  /// The pauses from the end of a session to the clearing of the box, and from there to the first letter.
  package var sessionPauses: Pauses = [500, 900, 1300, 1800, 2500, 3500, 5000, 9000, 60000]

  package init() {}
}
