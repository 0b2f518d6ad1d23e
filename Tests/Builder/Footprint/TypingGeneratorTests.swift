import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import Footprint

@Suite("Made-up typing") struct TypingGeneratorTests {
  private static let list: ShardedIndex = {
    let directory = TemporaryDirectory.untilExit()
    Files.write(GeneratedList.bytes(count: 20_000, seed: 5, format: .jsonl), to: directory + "/list.jsonl")
    var options = BuildOptions()
    options.key = "{name}, {country}"
    _ = try! ShardBuilder.build([directory + "/list.jsonl"], into: directory + "/index", options: options)
    return try! ShardedIndex(opening: directory + "/index")
  }()

  private static func typing(
    _ count: Int, seed: UInt64, index: ShardedIndex = list, model: TypingModel = TypingModel()
  ) throws -> [Keystroke] {
    var generator = try TypingGenerator(index: index, seed: seed, model: model)
    return try (0..<count).compactMap { _ in try generator.next() }
  }

  @Test("The same seed gives the same typing on every platform")
  func deterministic() throws {
    let log = try Self.typing(2000, seed: 1).map(\.line).joined()
    #expect(try log == Self.typing(2000, seed: 1).map(\.line).joined())
    #expect(try log.hasPrefix(Self.typing(300, seed: 1).map(\.line).joined()))
    #expect(try log != Self.typing(2000, seed: 2).map(\.line).joined())
    // The recorded digest finds a platform or a version that types otherwise.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in log.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    #expect(digest == 2_043_856_349_201_682_662)
  }

  @Test("Every change is one key: a letter more, a letter fewer, or a clear")
  func changes() throws {
    let typing = try Self.typing(20_000, seed: 3)
    #expect(typing.count == 20_000 && typing[0].text.isEmpty)
    var (appended, removed, sessions) = (0, 0, 0)
    for (before, keystroke) in zip(typing, typing.dropFirst()) {
      let (old, new) = (Array(before.text.unicodeScalars), Array(keystroke.text.unicodeScalars))
      if new.isEmpty {
        sessions += 1
        #expect(!old.isEmpty)
      } else if new.count > old.count {
        appended += 1
        #expect(new.dropLast() == old[...])
      } else {
        removed += 1
        #expect(new == old.dropLast())
      }
      #expect(keystroke.pauseMilliseconds >= 0 && keystroke.pauseMilliseconds < 120_000)
      #expect(!keystroke.text.unicodeScalars.contains { $0.value < 0x20 })
    }
    // 4.5 % mistakes, each with about two backspaces.
    #expect(removed * 100 > appended * 4 && removed * 100 < appended * 14, "\(removed) of \(appended)")
    #expect(sessions * 25 > typing.count && sessions * 4 < typing.count, "\(sessions)")
  }

  @Test("Pauses are those of people: a median of about 200 ms between letters, less for backspaces, more for thinking")
  func pauses() throws {
    let typing = try Self.typing(20_000, seed: 4)
    var (letters, backspaces, starts): ([Int], [Int], [Int]) = ([], [], [])
    var wasBackspace = false
    for (before, keystroke) in zip(typing, typing.dropFirst()) {
      let isBackspace = !keystroke.text.isEmpty && keystroke.text.utf8.count < before.text.utf8.count
      if keystroke.text.isEmpty || before.text.isEmpty {
        starts.append(keystroke.pauseMilliseconds)
      } else if !isBackspace {
        letters.append(keystroke.pauseMilliseconds)
      } else if wasBackspace {
        backspaces.append(keystroke.pauseMilliseconds)
      }
      wasBackspace = isBackspace
    }
    func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
    #expect(median(letters) > 170 && median(letters) < 230, "\(median(letters))")
    #expect(median(backspaces) > 110 && median(backspaces) < 140, "\(median(backspaces))")
    #expect(median(starts) > 2000 && median(starts) < 3200, "\(median(starts))")
  }

  @Test("A session without mistakes types the beginning of a key and ends when the list shows it")
  func sessions() throws {
    var model = TypingModel()
    model.mistakesPerThousand = 0
    model.noticedPercent = 100
    model.rows = [10]
    model.letters = 60...60
    model.accentPercent = 100
    let typing = try Self.typing(3000, seed: 6, model: model)
    let sessions = typing.split { $0.beginsSession }.dropLast()
    #expect(sessions.count > 200)
    for session in sessions {
      #expect(session.map { $0.text.unicodeScalars.count } == Array(1...session.count))
      let counts = try session.map { try Self.list.count(ofPrefix: $0.text) }
      #expect(counts.last! > 0, "nothing begins with \(session.last!.text)")
      // A list of at most ten matches shows the wanted record.
      #expect(counts.dropLast().allSatisfy { $0 > 10 }, "\(session.last!.text) continues behind the end")
    }
    #expect(try sessions.count { try Self.list.count(ofPrefix: $0.last!.text) <= 10 } * 3 > sessions.count)
  }

  @Test("A person types without accents or with them, for any other characters of the key")
  func accents() throws {
    let index = try SmallIndex(
      json: #"[{"name":"ÅŁ\tß’東"}]"#, key: "{name}"
    ).open
    var model = TypingModel()
    model.mistakesPerThousand = 0
    model.noticedPercent = 0
    model.letters = 60...60
    model.accentPercent = 0
    #expect(try Self.typing(8, seed: 1, index: index, model: model).last?.text == "al ss'東")
    model.accentPercent = 100
    #expect(try Self.typing(7, seed: 1, index: index, model: model).last?.text == "ÅŁ ß’東")
  }

  @Test("Records are typed as often as Zipf's law says")
  func popularity() {
    var random = Footprint.SplitMix64(seed: 1)
    for count in [1, 2, 3, 1000, 209_556] {
      let popularity = Popularity(count: count, seed: 9)
      var drawn = [Int](repeating: 0, count: count)
      let draws = 200_000
      for _ in 0..<draws { drawn[Int(popularity.rank(&random))] += 1 }
      let sum = (1...count).reduce(0.0) { $0 + 1 / Double($1) }
      for rank in [1, 2, 3, 4, 7, 8, 100] where rank <= count {
        let expected = Double(draws) / Double(rank) / sum
        // Five standard deviations.
        #expect(abs(Double(drawn[rank - 1]) - expected) < 5 * expected.squareRoot() + 1, "rank \(rank) of \(count)")
      }
      let tail = drawn.dropFirst(count / 2).reduce(0, +)
      let expected = ((count / 2 + 1)...count).reduce(0.0) { $0 + Double(draws) / Double($1) / sum }
      #expect(abs(Double(tail) - expected) < 5 * expected.squareRoot() + 1, "the rarer half of \(count)")
    }
  }

  @Test("Every record has a rank and every rank a record", arguments: [1, 2, 3, 4, 5, 17, 1000, 65_537])
  func ranks(count: Int) {
    let popularity = Popularity(count: count, seed: 3)
    let positions = Set((0..<count).map { popularity.position(ofRank: UInt64($0)) })
    #expect(positions.count == count && positions.allSatisfy { $0 < count })
  }

  @Test("An index without anything to type gives no typing")
  func nothing() throws {
    #expect(try Self.typing(5, seed: 1, index: SmallIndex(json: "[]", key: "{name}").open).isEmpty)
    let blank = try SmallIndex(json: #"[{"name":""},{"name":" \t "}]"#, key: "{name}").open
    #expect(try Self.typing(5, seed: 1, index: blank).isEmpty)
  }

  @Test("A model with single values, and one with a mistake at every letter, end")
  func models() throws {
    var model = TypingModel()
    (model.letterPauses, model.sessionPauses, model.readingPauses) = ([5], [], [1])
    model.mistakesPerThousand = 1000
    let typing = try Self.typing(2000, seed: 2, model: model)
    #expect(typing.count == 2000)
    #expect(typing.contains { $0.beginsSession && $0.pauseMilliseconds == 0 })
    for kind in [\TypingModel.neighbourPercent, \.doubledPercent, \.droppedPercent, \.swappedPercent] {
      var model = model
      (model.neighbourPercent, model.doubledPercent) = (0, 0)
      (model.droppedPercent, model.swappedPercent) = (0, 0)
      model[keyPath: kind] = 100
      #expect(try Self.typing(500, seed: 2, model: model).count == 500)
    }
  }

  @Test("Mistakes are neighbours on the keyboard")
  func keyboard() {
    func beside(_ letter: Unicode.Scalar) -> String? {
      Keyboard.neighbours(of: letter).map { letters in letters.map { String($0) }.sorted().joined() }
    }
    #expect(beside("g") == "bfhtvy")
    #expect(beside("q") == "aw" && beside("p") == "lo" && beside("a") == "qswz" && beside("m") == "jkn")
    #expect(beside("é") == nil && beside(" ") == nil && beside("1") == nil)
    for letter in "abcdefghijklmnopqrstuvwxyz".unicodeScalars {
      for neighbour in Keyboard.neighbours(of: letter)! {
        #expect(Keyboard.neighbours(of: neighbour)!.contains(letter))
      }
    }
  }
}
