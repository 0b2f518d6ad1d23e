import ShardedIndex

/// The generator of made-up typing: people look for records of an index, popular records more often. People append
/// letters, make mistakes, take letters back and pause.
///
/// The same index, seed and model give the same endless changes on every platform. The generator holds one session.
///
/// ```swift
/// var typing = TypingGenerator(index: index, seed: 1)
/// while let keystroke = try typing.next() { print(keystroke.line, terminator: "") }
/// ```
package struct TypingGenerator {
  private let index: ShardedIndex
  private let model: TypingModel
  private let all: ShardedIndex.Matches
  private let popularity: Popularity?
  private var random: SplitMix64
  private var session: [Keystroke] = []
  private var at = 0

  /// Makes a generator without loading a shard.
  package init(index: ShardedIndex, seed: UInt64, model: TypingModel = TypingModel()) throws(IndexError) {
    self.index = index
    self.model = model
    all = try index.matches(forPrefix: "")
    popularity = all.isEmpty ? nil : Popularity(count: all.count, seed: SplitMix64.mixed(seed))
    random = SplitMix64(seed: ~seed)
  }

  /// Makes up the next change of the box. Each session begins with the empty text.
  ///
  /// - Returns: The change; nil if the index has no key that can be typed.
  /// - Throws: ``IndexError`` if a shard cannot be read or is damaged. Shards are read because the shown list decides
  ///   when people stop.
  package mutating func next() throws(IndexError) -> Keystroke? {
    var attempts = 0
    while at == session.count {
      // The loop skips keys without a letter that people type, a thousand at most.
      attempts += 1
      guard let popularity, attempts <= 1000 else { return nil }
      session.removeAll(keepingCapacity: true)
      at = 0
      let position = popularity.draw(&random)
      guard let record = try all.records(in: position..<position + 1).first else { return nil }
      let letters = letters(of: record.key)
      if !letters.isEmpty { try type(letters, lookingFor: position) }
    }
    defer { at += 1 }
    return session[at]
  }

  /// The most letters of a key that people type.
  private static let letterLimit = 64

  /// Returns the letters of a key as people type them: small letters, mostly without accents.
  ///
  /// The key is split into scalars and folded by the frozen table, so the letters are the same on every platform.
  private mutating func letters(of key: String) -> [Unicode.Scalar] {
    let keepsAccents = random.below(100) < model.accentPercent
    var letters: [Unicode.Scalar] = []
    for scalar in key.unicodeScalars where letters.count < Self.letterLimit {
      if scalar.value < 0x80 {
        // A box holds no control characters. The fold makes them spaces, and so does this function.
        let isControl = scalar.value < 0x20 || scalar.value == 0x7f
        if isControl || scalar == " " {
          if !letters.isEmpty { letters.append(" ") }
        } else {
          let isCapital = scalar >= "A" && scalar <= "Z"
          letters.append(isCapital ? Unicode.Scalar(UInt8(scalar.value) + 0x20) : scalar)
        }
      } else {
        let folded = Fold.fold(String(scalar))
        if !keepsAccents, folded.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
          letters += folded.map { Unicode.Scalar($0) }
        } else if scalar.value >= 0xa0 {
          letters.append(scalar)
        }
      }
    }
    return letters
  }

  private mutating func type(_ letters: [Unicode.Scalar], lookingFor position: Int) throws(IndexError) {
    let rows = model.rows[random.below(model.rows.count)]
    let patience = model.letters.lowerBound + random.below(model.letters.count)
    var box = String.UnicodeScalarView()
    change(&box, model.sessionPauses) { $0.removeAll() }
    var typed = 0
    while typed < min(letters.count, patience) {
      // Taking back a mistake in the first letter would empty the box, which begins another session.
      if typed > 0, random.below(1000) < model.mistakesPerThousand,
        let slip = slip(letters[typed], letters.dropFirst(typed + 1).first)
      {
        mistake(slip, behind: typed, of: letters, in: &box)
        typed += slip.right
        if typed == min(letters.count, patience) { break }
      }
      change(&box, typed == 0 ? model.sessionPauses : model.letterPauses, reads: typed > 0) {
        $0.append(letters[typed])
      }
      typed += 1
      let matches = try index.matches(forPrefix: String(box))
      let isShown = matches.index(ofPosition: position).map { $0 < rows } ?? false
      if isShown, random.below(100) < model.noticedPercent { break }
    }
  }

  /// A mistake: the letters typed instead, the number of the key's letters that they replace, and the number of typed
  /// letters, from the first on, that are right and stay.
  private struct Slip {
    var letters: [Unicode.Scalar]
    var skipped: Int
    var right = 0
  }

  private mutating func slip(_ letter: Unicode.Scalar, _ next: Unicode.Scalar?) -> Slip? {
    var kind = random.below(100)
    if kind < model.neighbourPercent {
      guard let neighbours = Keyboard.neighbours(of: letter) else { return nil }
      return Slip(letters: [neighbours[random.below(neighbours.count)]], skipped: 1)
    }
    kind -= model.neighbourPercent
    if kind < model.doubledPercent { return Slip(letters: [letter, letter], skipped: 1, right: 1) }
    kind -= model.doubledPercent
    guard let next, next != letter else { return nil }
    return kind < model.droppedPercent
      ? Slip(letters: [next], skipped: 2) : Slip(letters: [next, letter], skipped: 2)
  }

  /// Types the slip and further letters until the person notices the slip, and takes back the wrong letters.
  private mutating func mistake(
    _ slip: Slip, behind typed: Int, of letters: [Unicode.Scalar], in box: inout String.UnicodeScalarView
  ) {
    // People notice half of the slips at once, half of the others a letter later, and so on.
    var added = slip.letters
    for letter in letters.dropFirst(typed + slip.skipped).prefix(3) {
      if random.below(2) == 0 { break }
      added.append(letter)
    }
    for letter in added { change(&box, model.letterPauses) { $0.append(letter) } }
    for number in 0..<added.count - slip.right {
      change(&box, number == 0 ? model.noticePauses : model.backspacePauses) { $0.removeLast() }
    }
  }

  private mutating func change(
    _ box: inout String.UnicodeScalarView, _ pauses: TypingModel.Pauses, reads: Bool = false,
    _ body: (inout String.UnicodeScalarView) -> Void
  ) {
    body(&box)
    var pause = draw(pauses)
    if reads, random.below(model.readingInterval) == 0 { pause += draw(model.readingPauses) }
    session.append(Keystroke(pauseMilliseconds: pause, text: String(box)))
  }

  private mutating func draw(_ pauses: TypingModel.Pauses) -> Int {
    guard pauses.count > 1 else { return pauses.first ?? 0 }
    let step = random.below(pauses.count - 1)
    return pauses[step] + random.below(max(1, pauses[step + 1] - pauses[step]))
  }
}

/// The neighbours of keys on a QWERTY keyboard.
package enum Keyboard {
  private static let rows: [[Unicode.Scalar]] = [
    Array("qwertyuiop".unicodeScalars), Array("asdfghjkl".unicodeScalars), Array("zxcvbnm".unicodeScalars),
  ]

  /// Returns the neighbours of a small Latin letter, at least two; nil for any other character.
  package static func neighbours(of letter: Unicode.Scalar) -> [Unicode.Scalar]? {
    for (number, row) in rows.enumerated() {
      guard let column = row.firstIndex(of: letter) else { continue }
      // Each row is half a key to the right of the one above it.
      let beside = [(number, column - 1), (number, column + 1), (number - 1, column), (number - 1, column + 1)]
      let below = [(number + 1, column - 1), (number + 1, column)]
      return (beside + below).compactMap { row, column in
        rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column] : nil
      }
    }
    return nil
  }
}
