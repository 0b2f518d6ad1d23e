import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The engine against a linear scan") struct ExhaustiveTests {
  /// The first faults, with one sentence each, so that a fault in everything does not fill the terminal.
  private final class Faults: Sendable {
    private let list = Lock<(count: Int, first: [String])>((0, []))

    func add(_ fault: @autoclosure () -> String) {
      list.withLock {
        $0.count += 1
        if $0.first.count < 5 { $0.first.append(fault()) }
      }
    }

    var description: String? {
      list.withLock { $0.count == 0 ? nil : "\($0.count) wrong: " + $0.first.joined(separator: "; ") }
    }
  }

  /// Asks for one prefix, given folded, as typed text, and compares the count and the first `limit` records.
  ///
  /// - Parameter asString: Whether the text is passed as a `String` or as its bytes.
  private static func check(
    _ index: ShardedIndex, _ scan: LinearScan, _ fieldNumbers: [Int], _ prefix: UnsafeBufferPointer<UInt8>,
    _ answer: ScanAnswer, limit: Int = 20, asString: Bool, _ typed: inout [UInt8], _ buffer: RecordBuffer
  ) -> String? {
    // The separator is typed as a comma; all other characters of a fold fold to themselves.
    typed.removeAll(keepingCapacity: true)
    typed.append(contentsOf: prefix)
    for index in typed.indices where typed[index] == Fold.separator { typed[index] = UInt8(ascii: ",") }
    do {
      let matches =
        asString
        ? try index.matches(forPrefix: String(decoding: typed, as: UTF8.self))
        : try typed.withUnsafeBufferPointer { try index.matches(forPrefix: $0) }
      func name() -> String { "\"\(String(decoding: typed, as: UTF8.self))\"" }
      guard matches.count == answer.count, ScanAnswer(matches) == answer else {
        return "\(name()) has \(matches.count) matches, \(ScanAnswer(matches)), not \(answer)"
      }
      try matches.read(0..<limit, into: buffer)
      return scan.difference(buffer, answer.prefix(limit), fieldNumbers).map { "\(name()): \($0)" }
    } catch {
      return "\"\(String(decoding: typed, as: UTF8.self))\" failed: \(error)"
    }
  }

  @Test(
    "every prefix of every key of the city list has the right count and first twenty records",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"))
  func everyPrefix() throws {
    let built = try RealList.cities.built
    let scan = built.scan
    let index = try built.open()
    #expect(scan.count == 209_556 && index.recordCount == scan.count)
    let started = monotonicSeconds()
    let fieldNumbers = scan.fieldNumbers(of: index)
    let faults = Faults()
    let count = Atomic<Int>(0)
    let step = 2048
    WorkerPool.forEach((scan.count + step - 1) / step, threads: WorkerPool.availableThreads) { chunk in
      let buffer = RecordBuffer()
      var typed: [UInt8] = []
      var asked = 0
      scan.forEachPrefix(firstIn: chunk * step..<min(scan.count, (chunk + 1) * step)) { prefix, range in
        asked += 1
        if let fault = Self.check(
          index, scan, fieldNumbers, prefix, range, asString: asked & 1 == 0, &typed, buffer)
        {
          faults.add(fault)
        }
      }
      count.add(asked, ordering: .relaxed)
    }
    let asked = count.load(ordering: .relaxed)
    print("cities: \(asked) prefixes in \(hundredths(monotonicSeconds() - started)) s")
    #expect(faults.description == nil)
    #expect(asked == 1_247_333)  // With the separator as one character, by the fold of version 1.
  }

  @Test(
    "every prefix in bytes has the right count, also if it ends inside a character",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"),
    arguments: [RealList.cities, .japanese].filter(RealList.tested.contains))
  func everyBytePrefix(list: RealList) throws {
    let built = try list.built
    let (scan, index) = (built.scan, try built.open())
    let faults = Faults()
    let count = Atomic<Int>(0)
    let started = monotonicSeconds()
    let step = 2048
    WorkerPool.forEach((scan.count + step - 1) / step, threads: WorkerPool.availableThreads) { chunk in
      var asked = 0
      scan.forEachPrefix(firstIn: chunk * step..<min(scan.count, (chunk + 1) * step), atBytes: true) {
        prefix, range in
        asked += 1
        do {
          let matches = try index.matches(forFoldedPrefix: FoldedPrefix(prefix))
          if matches.count != range.count || ScanAnswer(matches) != range {
            faults.add("\(Array(prefix)): \(matches.count), \(ScanAnswer(matches)), not \(range)")
          }
        } catch {
          faults.add("\(Array(prefix)) failed: \(error)")
        }
      }
      count.add(asked, ordering: .relaxed)
    }
    let seconds = hundredths(monotonicSeconds() - started)
    print("\(list): \(count.load(ordering: .relaxed)) prefixes in bytes in \(seconds) s")
    #expect(faults.description == nil)
  }

  @Test(
    "a thousand random prefixes of the city list have all their records",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"))
  func allRecords() throws {
    let built = try RealList.cities.built
    let (scan, index) = (built.scan, try built.open())
    let fieldNumbers = scan.fieldNumbers(of: index)
    let buffer = RecordBuffer()
    var (random, typed) = (SplitMix64(seed: 1000), [UInt8]())
    for _ in 0..<1000 {
      let record = Int.random(in: 0..<scan.count, using: &random)
      // Short prefixes have the long answers: half of the prefixes end within the first three characters.
      let key = scan.key(record)
      let ends = (1...key.count).filter { $0 == key.count || key[$0] & 0xC0 != 0x80 }
      let size =
        Bool.random(using: &random)
        ? ends.prefix(3).randomElement(using: &random)! : ends.randomElement(using: &random)!
      let range = scan.answer(toPrefix: size, of: record)
      let fault = key.withUnsafeBufferPointer {
        Self.check(
          index, scan, fieldNumbers, UnsafeBufferPointer(rebasing: $0[..<size]), range, limit: range.count,
          asString: true, &typed, buffer)
      }
      #expect(fault == nil)
      if fault != nil { return }
    }
  }

  @Test(
    "twenty thousand random prefixes have right answers under any cache limit",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"), arguments: RealList.tested,
    [0, 64 << 10, 1 << 20, 1 << 30])
  func sampled(list: RealList, cacheLimitBytes: Int) throws {
    let built = try list.built
    let (scan, index) = (built.scan, try built.open(cacheLimitBytes: cacheLimitBytes))
    #expect(scan.count == list.count && index.recordCount == scan.count)
    let fieldNumbers = scan.fieldNumbers(of: index)
    let faults = Faults()
    let started = monotonicSeconds()
    let chunks = 20
    WorkerPool.forEach(chunks, threads: WorkerPool.availableThreads) { chunk in
      var random = SplitMix64(seed: UInt64(chunk) &* 7919 &+ UInt64(cacheLimitBytes))
      let buffer = RecordBuffer()
      var typed: [UInt8] = []
      for asked in 0..<20_000 / chunks {
        let record = Int.random(in: 0..<scan.count, using: &random)
        let key = scan.key(record)
        let ends = (1...key.count).filter { $0 == key.count || key[$0] & 0xC0 != 0x80 }
        let size = ends.randomElement(using: &random)!
        let range = scan.answer(toPrefix: size, of: record)
        key.withUnsafeBufferPointer {
          if let fault = Self.check(
            index, scan, fieldNumbers, UnsafeBufferPointer(rebasing: $0[..<size]), range,
            asString: asked & 1 == 0, &typed, buffer)
          {
            faults.add(fault)
          }
        }
        if index.statistics.residentBytes > cacheLimitBytes { faults.add("more resident than the limit") }
      }
    }
    let statistics = index.statistics
    print(
      "\(list): 20,000 prefixes with a cache of \(cacheLimitBytes) bytes in"
        + " \(hundredths(monotonicSeconds() - started)) s, \(statistics.misses) misses, \(statistics.loads) loads"
    )
    #expect(faults.description == nil)
  }

  @Test("every prefix of generated keys over a small alphabet has the right answer", arguments: UInt64(1)...8)
  func smallAlphabet(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let letters: [[String]] = [
      ["a", "b", ",", " "], ["a", "a", "a", "b"], ["a", "é", "ł", "ü", ", "], ["한", "국", "ㅎ", "a", ","],
      ["か", "が", "ー", "・"], ["क", "ि", "a", "𝔘", "👍🏽"], [",", ",", "a"], ["a", "b", "c", "d", "e", "f", ", "],
    ]
    let alphabet = letters[Int(seed - 1)]
    let records = (0..<600).map { number in
      let name = (0..<Int.random(in: 0...7, using: &random)).map { _ in
        alphabet.randomElement(using: &random)!
      }
      let country = ["", "A", "AB", "B", "É", "a,b"].randomElement(using: &random)!
      return ModelRecord([
        ("name", .string(name.joined())), ("country", .string(country)), ("id", .number("\(number)")),
      ])
    }
    for limit in [400, 4000, 64 << 10] {
      let index = try SmallIndex(records, key: "{name}, {country}", shardLimitBytes: limit)
      let scan = LinearScan(records, key: [.field("name"), .text(", "), .field("country")])
      let fieldNumbers = scan.fieldNumbers(of: index.open)
      let buffer = RecordBuffer()
      var (typed, faults) = ([UInt8](), [String]())
      scan.forEachPrefix(firstIn: 0..<scan.count) { prefix, range in
        // A prefix that folds to another text is passed as bytes.
        if let fault = Self.check(
          index.open, scan, fieldNumbers, prefix, range, limit: range.count, asString: true, &typed, buffer)
        {
          faults.append(fault)
        }
      }
      #expect(faults.first == nil, "seed \(seed), limit \(limit)")
      // Texts that may be no prefix of a key.
      let rawKeys = try index.open.matches(forPrefix: "").records(in: 0..<scan.count).map(\.key)
      for _ in 0..<2000 {
        let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in
          alphabet.randomElement(using: &random)!
        }.joined()
        let expected = scan.answer(to: Fold.fold(text))
        let matches = try index.open.matches(forPrefix: text)
        #expect(matches.count == expected.count, "seed \(seed), \"\(text)\"")
        #expect(ScanAnswer(matches) == expected, "seed \(seed), \"\(text)\"")
        // Only keys that match have marked ranges.
        let folded = Fold.fold(text)
        for _ in 0..<4 {
          let record = Int.random(in: 0..<scan.count, using: &random)
          let isMarked = Fold.matchedRange(ofFolded: folded, in: rawKeys[record]) != nil
          let isMatch = expected.first.contains(record) || expected.second.contains(record)
          #expect(isMarked == (isMatch || folded.isEmpty), "seed \(seed), \"\(text)\", \"\(rawKeys[record])\"")
        }
        for key in try matches.records(in: 0..<5).map(\.key) {
          #expect(Fold.matchedRange(ofFolded: folded, in: key) != nil, "seed \(seed), \"\(text)\", \"\(key)\"")
        }
      }
    }
  }
}
