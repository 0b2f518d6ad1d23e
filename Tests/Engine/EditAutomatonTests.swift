import ShardedIndex
import TestSupport
import Testing

@Suite("Edits between a query and the beginnings of texts") struct EditAutomatonTests {
  /// The distance of the end of a walk, and the step at which the walk was dead.
  static func walked(_ automaton: EditAutomaton, _ text: [UInt32]) -> (distance: Int, death: Int?) {
    var state = automaton.start
    var death: Int?
    for (step, character) in text.enumerated() {
      if death == nil, !state.isLive { death = step }
      state = automaton.step(state, automaton.characterClass(of: character))
      if death != nil { #expect(!state.isLive, "a dead state came to life") }
    }
    return (Int(state.distance), death)
  }

  private static func text(_ letters: [String], _ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    Array((0..<count).map { _ in letters.randomElement(using: &random)! }.joined().utf8)
  }

  @Test("the automaton gives the distance of the whole table, up to the limit", arguments: [1, 2, 3])
  func equalsTable(limit: Int) {
    var random = SplitMix64(seed: UInt64(limit))
    let letters = ["a", "b", "c", " ", "\u{1}", "\u{e9}", "\u{6771}", "\u{10330}"]
    for round in 0..<20_000 {
      let some = Array(letters.prefix(round % 7 + 2))
      let query = Self.text(some, 1 + Int(random.next() % (round % 50 == 0 ? 64 : limit > 2 ? 14 : 9)), &random)
      // Near texts are the query with a few changed characters.
      var text = FoldedCharacters.all(of: query)
      for _ in 0..<random.next() % 4 {
        let at = Int(random.next() % UInt64(text.count + 1))
        let other = FoldedCharacters.all(of: Self.text(some, 1, &random))
        switch random.next() % 4 {
        case 0: text.insert(contentsOf: other, at: at)
        case 1: if at < text.count { text.remove(at: at) }
        case 2: if at < text.count { text[at] = other[0] }
        default: if at + 1 < text.count { text.swapAt(at, at + 1) }
        }
      }
      text += FoldedCharacters.all(of: Self.text(some, Int(random.next() % 4), &random))
      if round % 3 == 0 { text = FoldedCharacters.all(of: Self.text(some, Int(random.next() % 12), &random)) }
      let isFinished = round % 2 == 0
      let automaton = EditAutomaton(query, isFinished: isFinished, limit: limit)
      let characters = FoldedCharacters.all(of: query) + (isFinished ? [0x20] : [])
      #expect(automaton.count == characters.count)
      let (found, death) = Self.walked(automaton, text)
      let expected = EditTable.distance(characters, text, limit: limit)
      #expect(found == expected, "\(characters) \(text)")
      // The walk dies no sooner than it may: the characters read until then decide the distance.
      if let death { #expect(EditTable.distance(characters, Array(text[..<death]), limit: limit) == expected) }
    }
  }

  @Test("rows that are kept from text to text give the same distances", arguments: [1, 2, 3])
  func rows(limit: Int) {
    var random = SplitMix64(seed: UInt64(20 + limit))
    for round in 0..<200 {
      let letters = round % 3 == 0 ? ["a", "\u{e9}", "\u{6771}", "\u{10330}"] : ["a", "b", " ", "\u{1}"]
      let query = Self.text(letters, 4 + Int(random.next() % 4), &random) + Array("a".utf8)
      let isFinished = round % 2 == 0
      var rows = EditRows(
        NearText(RankedText(query + (isFinished ? [0x20] : [])), limit: limit))
      let texts = (0..<60).map { _ in Self.text(letters, Int(random.next() % 9), &random) }
      for text in texts.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let end: [UInt32] = isFinished ? [0x20] : []
        let expected = EditTable.distance(
          FoldedCharacters.all(of: query) + end, FoldedCharacters.all(of: text) + end, limit: limit)
        #expect(rows.distance(of: text.span) == expected, "\(query) \(text)")
      }
    }
  }

  @Test("no continuation of a dead walk is near") func death() {
    let automaton = EditAutomaton(Array("lodnon".utf8), isFinished: false, limit: 1)
    func state(_ text: String) -> EditAutomaton.State {
      text.unicodeScalars.reduce(automaton.start) { automaton.step($0, automaton.characterClass(of: $1.value)) }
    }
    #expect(state("london").distance == 1)
    #expect(state("londo").isLive && state("londo").distance == 2)
    #expect(!state("lox").isLive || state("lox").distance == 2)
    #expect(!state("xy").isLive)
    #expect(state("lodnonxyz").distance == 0)
    #expect(!state("lodnonxyz").isLive)
  }

  @Test("a third edit is behind the sixth character") func thirdEdit() {
    for (query, text, distance) in [
      ("acomadatin", "accommodating", 3), ("abcdefgh", "abcdefxyz", 2),
      ("abcdefghi", "abcdefxyz", 3), ("abcdefghi", "abxdeyghz", 3), ("abcdefghi", "xbydezghi", 4),
      ("abcdefghi", "abcdef", 4), ("abcdefghij", "abcdefg", 3),
    ] {
      let automaton = EditAutomaton(Array(query.utf8), isFinished: false, limit: 3)
      #expect(Self.walked(automaton, FoldedCharacters.all(of: Array(text.utf8))).distance == distance, "\(text)")
    }
  }

  @Test("the words decide the number of edits of a query") func limits() {
    for (text, ofText, ofWords) in [
      ("ab", 0, 0), ("ab de", 1, 1), ("a b", 0, 0), ("abc", 1, 0), ("a abcd", 1, 1), ("abcd abcd", 2, 2),
      ("abcd abcd abcd abcd", 2, 3), ("abcde", 2, 0), ("abcdefg", 2, 0), ("abcdefgh", 3, 0), ("a abcde", 1, 1),
      ("a\u{1}abcdefgh", 2, 2), ("abcdefgh abcdefgh", 2, 3), ("", 0, 0), ("\u{6771}\u{4eac}", 0, 0),
      ("\u{6771}\u{4eac}\u{6771}\u{4eac}", 1, 0), (String(repeating: "a", count: 64), 3, 0),
      (String(repeating: "a", count: 65), 0, 0), ("a b c d e f g hi", 2, 1), ("a b c d e f g h ij", 2, 0),
    ] {
      let budget = EditBudget(Array(text.utf8), inAnyOrder: true)
      #expect((budget.text, budget.words) == (ofText, ofWords), "\(text)")
      #expect(EditBudget(Array(text.utf8), inAnyOrder: false).limit == ofText, "\(text)")
    }
  }
}
