/// How people type into a search box. docs/typing.md says where each value comes from.
package struct TypingModel: Sendable {
  /// Of 1,000 letters behind the first one, how many go wrong.
  package var mistakesPerThousand = 45
  /// Of 100 mistakes, how many are of which kind; they add up to 100.
  package var neighbourPercent = 50
  package var doubledPercent = 15
  package var droppedPercent = 20
  package var swappedPercent = 15
  /// Of 100 people who can see in the list what they look for, how many do and stop, at each key.
  package var noticedPercent = 75
  /// How many records a list shows; every session has one of them.
  package var rows = [5, 10, 20]
  /// A session that finds nothing sooner ends with so many letters of the key typed, or one of the numbers between.
  package var letters = 4...16
  /// Of 100 people, how many type accents as they are written; the others leave them out.
  package var accentPercent = 20

  /// Pauses in milliseconds: nine values, of which one is drawn that lies between two neighbours, each two as likely
  /// as the next.
  package typealias Pauses = [Int]
  /// Between two letters.
  package var letterPauses: Pauses = [50, 105, 135, 160, 185, 215, 260, 350, 900]
  /// From a mistake, or letters typed behind it, to the first backspace.
  package var noticePauses: Pauses = [180, 280, 350, 420, 500, 600, 740, 1000, 2500]
  /// Between backspaces: the key is held or hit in a row.
  package var backspacePauses: Pauses = [30, 80, 95, 110, 125, 140, 160, 200, 400]
  /// One key in `readingInterval` comes only after a look at the list; this is added then.
  package var readingPauses: Pauses = [200, 350, 500, 650, 800, 1000, 1300, 1800, 4000]
  package var readingInterval = 6
  /// From the end of a session to the box being cleared, and from there to the first letter.
  package var sessionPauses: Pauses = [500, 900, 1300, 1800, 2500, 3500, 5000, 9000, 60000]

  package init() {}
}
