import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// Manifests of several pages: every record is a shard of its own, so that record and shard have one number.
@Suite("A manifest of many pages") struct ManyPagesTests {
  private static let capacity = Manifest.pageCapacity

  /// 330 keys on six pages. All begin with `k`; one run of equal keys crosses the border of pages 0 and 1, one begins
  /// page 2, and one begins page 3 and continues on page 4.
  private static let names: [String] = (0..<330).map { position in
    switch position {
    case 60..<71: "kbx"
    case 128..<131: "kd"
    case 192..<262: "kf"
    default: ["ka", "kc", "ke", "kg"][[60, 128, 192].count { $0 <= position }] + "\(1000 + position)"
    }
  }

  private static func records(_ names: [String]) -> [ModelRecord] {
    names.enumerated().map { ModelRecord([("name", .string($1)), ("id", .number("\($0)"))]) }
  }

  private static func build(_ names: [String] = names) throws -> (built: SmallIndex, scan: LinearScan) {
    let records = records(names)
    let built = try SmallIndex(records, key: "{name}", shardLimitBytes: 1)
    #expect(built.open.shardCount == names.count)
    return (built, LinearScan(records, key: [.field("name")]))
  }

  private static func ask(_ index: ShardedIndex, _ prefix: [UInt8]) throws(IndexError) -> ShardedIndex.Matches {
    try CorruptionTests.Probe.ask(index, prefix)
  }

  /// Every prefix of every key, and texts near it with which no key begins; all with the answers of a linear scan.
  private static func questions(_ scan: LinearScan) -> [(prefix: [UInt8], range: ScanAnswer)] {
    var questions: [(prefix: [UInt8], range: ScanAnswer)] = []
    var others: Set<[UInt8]> = []
    scan.forEachPrefix(firstIn: 0..<scan.count, atBytes: true) { prefix, range in
      questions.append((Array(prefix), range))
      let last = prefix[prefix.count - 1]
      let rest = prefix.dropLast()
      others.formUnion([prefix + [0x21], prefix + [0xf4], rest + [last - 1], rest + [last + 1]])
    }
    let asked = Set(questions.map(\.prefix))
    for prefix in others where !asked.contains(prefix) { questions.append((prefix, scan.answer(to: prefix))) }
    return questions
  }

  private static func fault(
    _ index: ShardedIndex, _ scan: LinearScan, _ question: (prefix: [UInt8], range: ScanAnswer), _ buffer: RecordBuffer
  ) throws -> String? {
    let matches = try ask(index, question.prefix)
    let found = ScanAnswer(matches)
    guard found == question.range else {
      return "\(String(decoding: question.prefix, as: UTF8.self)): \(found), not \(question.range)"
    }
    try matches.read(0..<matches.count, into: buffer)
    return scan.difference(buffer, question.range, scan.fieldNumbers(of: index))
  }

  /// The ranges of the frames of the root, the pages and the notes in the file.
  private static func frames(_ path: String) -> [Range<Int>] {
    let bytes = Files.read(path)!
    var frames: [Range<Int>] = []
    while (frames.last?.upperBound ?? 0) < bytes.count {
      let start = frames.last?.upperBound ?? 0
      let size = bytes[start...].withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }
      frames.append(start..<start + size)
    }
    return frames
  }

  @Test("the keys of the test lie on their pages")
  func layout() throws {
    let (built, _) = try Self.build()
    let shards = try built.open.generation.manifest.shards()
    #expect(Self.frames(built.path + "/manifest").count == 7 + 7)
    #expect(shards.map(\.firstRecord) == Array(0..<330))
    let begins = [0, 64, 128, 192, 256, 320].map { shards[$0] }
    #expect(begins.map { String(decoding: $0.bound, as: UTF8.self) } == ["", "kbx", "kd", "kf", "kf", "kg132"])
    #expect(begins.map(\.file.isContinuation) == [false, true, false, false, true, false])
  }

  @Test("every prefix has the right answer, with pages read before and without")
  func everyPrefix() throws {
    let (built, scan) = try Self.build()
    let buffer = RecordBuffer()
    for question in Self.questions(scan) {
      #expect(try Self.fault(built.open, scan, question, buffer) == nil)
      #expect(try Self.fault(ShardedIndex(opening: built.path), scan, question, buffer) == nil)
    }
    let all = try built.open.matches(forPrefix: "")
    try all.read(0..<scan.count, into: buffer)
    #expect(scan.difference(buffer, 0..<scan.count, scan.fieldNumbers(of: built.open)) == nil)
  }

  @Test("every prefix of random keys, most of them in runs, has the right answer", arguments: UInt64(1)...6)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (letters, longest) = [(1, 3), (2, 3), (2, 9), (3, 5), (4, 4), (2, 20)][Int(seed - 1)]
    let names = (0..<400).map { _ in
      String(
        decoding: (0..<Int.random(in: 1...longest, using: &random)).map { _ in
          UInt8(ascii: "a") + UInt8.random(in: 0..<UInt8(letters), using: &random)
        }, as: UTF8.self)
    }
    let (built, scan) = try Self.build(names)
    let buffer = RecordBuffer()
    for question in Self.questions(scan) {
      #expect(try Self.fault(built.open, scan, question, buffer) == nil, "seed \(seed)")
    }
  }

  @Test("opening reads no page")
  func opening() throws {
    let (built, scan) = try Self.build()
    let path = built.path + "/manifest"
    for frame in Self.frames(path).dropFirst() {
      Files.overwrite(path, at: frame.lowerBound, with: [UInt8](repeating: 0, count: frame.count))
    }
    let index = try ShardedIndex(opening: built.path)
    #expect((index.recordCount, index.shardCount) == (scan.count, scan.count))
    #expect(Set(index.fieldNames) == ["name", "id"] && index.keyTemplate == "{name}")
    #expect(try index.count(ofPrefix: "") == scan.count)
    for question in Self.questions(scan) {
      let error = #expect(throws: IndexError.self) { try Self.ask(index, question.prefix) }
      guard case .corrupt(path, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("a query reads only the pages on which its answer begins and ends")
  func atMostTwoPages() throws {
    let (built, scan) = try Self.build()
    let path = built.path + "/manifest"
    let frames = Array(Self.frames(path).dropFirst())
    let bytes = Files.read(path)!
    let questions = Self.questions(scan)
    var pagesOf = [Set<Int>](repeating: [], count: questions.count)
    let buffer = RecordBuffer()
    for (page, frame) in frames.enumerated() {
      let last = frame.upperBound - 1
      Files.overwrite(path, at: last, with: [bytes[last] ^ 1])
      for (number, question) in questions.enumerated() {
        let index = try ShardedIndex(opening: built.path)
        do throws(IndexError) {
          let matches = try Self.ask(index, question.prefix)
          #expect(matches.count == question.range.count)
        } catch {
          pagesOf[number].insert(page)
          guard case .corrupt(path, .wrongChecksum) = error else {
            Issue.record("\(error)")
            return
          }
        }
      }
      // Records are on the page of their shard in every answer.
      let index = try ShardedIndex(opening: built.path)
      let all = try index.matches(forPrefix: "")
      for start in stride(from: 0, to: scan.count, by: Self.capacity) {
        let range = start..<min(scan.count, start + Self.capacity)
        if start / Self.capacity == page {
          #expect(throws: IndexError.self) { try all.read(range, into: buffer) }
        } else {
          try all.read(range, into: buffer)
          #expect(scan.difference(buffer, range, scan.fieldNumbers(of: index)) == nil)
        }
      }
      // A failed read is tried again.
      Files.overwrite(path, at: last, with: [bytes[last]])
      try all.read(0..<scan.count, into: buffer)
    }
    for (pages, (prefix, range)) in zip(pagesOf, questions) {
      #expect((1...2).contains(pages.count), "\(prefix) reads \(pages)")
      guard !range.isEmpty else { continue }
      // The first shard may be the one before the first match, because its last keys may have the prefix.
      let near = Set([range.lowerBound - 1, range.lowerBound, range.upperBound - 1].map { max(0, $0) / Self.capacity })
      #expect(pages.isSubset(of: near), "\(prefix) reads \(pages)")
      #expect(pages.contains((range.upperBound - 1) / Self.capacity))
    }
  }

  @Test("a manifest that is cut off before or after opening is an error")
  func truncation() throws {
    let (built, scan) = try Self.build()
    let path = built.path + "/manifest"
    let frames = Self.frames(path)
    let index = try ShardedIndex(opening: built.path)
    Files.setSize(of: path, to: frames[2].upperBound)
    let buffer = RecordBuffer()
    let all = try index.matches(forPrefix: "")
    try all.read(0..<128, into: buffer)
    #expect(scan.difference(buffer, 0..<128, scan.fieldNumbers(of: index)) == nil)
    for position in [128, 200, 329] {
      let error = #expect(throws: IndexError.self) { try all.read(position..<position + 1, into: buffer) }
      guard case .corrupt(path, .wrongSize) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    let error = #expect(throws: IndexError.self) { try ShardedIndex(opening: built.path) }
    guard case .corrupt(path, .wrongSize) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("eight threads may read the same pages first")
  func concurrentFirstUse() throws {
    let (built, scan) = try Self.build()
    let questions = Self.questions(scan)
    let wrong = Atomic<Int>(0)
    for round in 0..<100 {
      let index = try ShardedIndex(opening: built.path)
      let gate = Atomic<Int>(0)
      WorkerPool.forEach(8, threads: 8) { thread in
        // All threads that came begin together; the test does not wait for the full number of threads.
        gate.add(1, ordering: .relaxed)
        let started = monotonicSeconds()
        while gate.load(ordering: .relaxed) < 8, monotonicSeconds() - started < 0.01 {}
        for step in 0..<40 {
          let (prefix, range) = questions[(round * 37 + (thread & 1) * 500 + step * 29) % questions.count]
          let count = try? Self.ask(index, prefix).count
          if count != range.count { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  /// Keys with a long common beginning, so that pages have about 70 KB, or about 390 KB, and queries of them.
  private static func buildLong(
    _ size: Int
  ) throws -> (built: SmallIndex, scan: LinearScan, questions: [(prefix: [UInt8], range: ScanAnswer)]) {
    let common = String(repeating: "x", count: size)
    let (built, scan) = try build(names.map { common + $0 })
    let questions = questions(LinearScan(records(names), key: [.field("name")]))
    return (built, scan, questions.map { (Array(common.utf8) + $0.prefix, $0.range) })
  }

  @Test("of pages above the kept size, the last used pages stay", arguments: [1000, 6000])
  func recentPages(size: Int) throws {
    let (built, scan, questions) = try Self.buildLong(size)
    let limit = 256 << 10
    let index = try ShardedIndex(opening: built.path, options: .init(cacheLimitBytes: 1 << 20))
    let manifest = index.generation.manifest
    let root = manifest.residentSize
    #expect(manifest.size - root > limit)
    let buffer = RecordBuffer()
    var random = SplitMix64(seed: 1)
    var most = 0
    for question in questions.shuffled(using: &random) {
      #expect(try Self.fault(index, scan, question, buffer) == nil)
      most = max(most, manifest.residentSize - root)
    }
    // Of the larger pages only the last used page is resident.
    #expect(size == 1000 ? most <= limit && most > limit / 2 : most > limit && most < 512 << 10)
    #expect(index.statistics.manifestBytes == manifest.residentSize)
    index.removeResidentShards()
    #expect(manifest.residentSize == root)
    #expect(try Self.fault(index, scan, questions[0], buffer) == nil)
    // An eighth of this limit has room for all pages.
    let roomy = try ShardedIndex(opening: built.path, options: .init(cacheLimitBytes: 64 << 20))
    for question in questions { #expect(try Self.fault(roomy, scan, question, buffer) == nil) }
    roomy.removeResidentShards()
    #expect(roomy.generation.manifest.residentSize == manifest.size)
    // A list of all shards keeps the pages.
    #expect(try manifest.shards().map(\.firstRecord) == Array(0..<330))
    #expect(manifest.residentSize >= manifest.size)
  }

  @Test("eight threads read pages that are evicted all the time")
  func concurrentRecentPages() throws {
    let (built, scan, questions) = try Self.buildLong(1000)
    let index = try ShardedIndex(opening: built.path, options: .init(cacheLimitBytes: 1 << 20))
    let root = index.generation.manifest.residentSize
    let wrong = Atomic<Int>(0)
    WorkerPool.forEach(8, threads: 8) { thread in
      let buffer = RecordBuffer()
      var random = SplitMix64(seed: UInt64(thread))
      for step in 0..<400 {
        let question = questions.randomElement(using: &random)!
        if (try? Self.fault(index, scan, question, buffer)) != .some(nil) { wrong.add(1, ordering: .relaxed) }
        if index.generation.manifest.residentSize - root > 256 << 10 { wrong.add(1, ordering: .relaxed) }
        if thread == 0, step % 50 == 0 { index.removeResidentShards() }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  @Test("the cache finds all of its shards, more than its first table has room for")
  func manyShards() throws {
    let (built, scan) = try Self.build()
    let buffer = RecordBuffer()
    var random = SplitMix64(seed: 1)
    let index = try ShardedIndex(opening: built.path, options: .init(cacheLimitBytes: 64 << 20))
    let all = try index.matches(forPrefix: "")
    for _ in 0..<2 {
      for position in (0..<scan.count).shuffled(using: &random) { try all.read(position..<position + 1, into: buffer) }
    }
    #expect(index.statistics.misses == scan.count && index.statistics.loads == scan.count)
    // With room for a few shards the last used one is always resident.
    let tight = try ShardedIndex(opening: built.path, options: .init(cacheLimitBytes: 32 << 10))
    let some = try tight.matches(forPrefix: "")
    for _ in 0..<5000 {
      let position = Int.random(in: 0..<scan.count, using: &random)
      try some.read(position..<position + 1, into: buffer)
      #expect(scan.difference(buffer, position..<position + 1, scan.fieldNumbers(of: tight)) == nil)
      let hits = tight.statistics.hits
      try some.read(position..<position + 1, into: buffer)
      #expect(tight.statistics.hits == hits + 1)
    }
    #expect(tight.statistics.evictions > 1000)
  }

  @Test("an open index stays with its generation when another takes its place")
  func replacement() throws {
    let (built, scan) = try Self.build()
    let index = try ShardedIndex(opening: built.path)
    let touched = try ShardedIndex(opening: built.path)
    _ = try touched.count(ofPrefix: "ke1140")
    let others = Self.names.map { $0 + "x" } + ["kz"]
    let json = Self.records(others).map { "{\"name\":\"\($0.fields[0].text)\",\"id\":1}" }.joined(separator: "\n")
    Files.write(Array(json.utf8), to: built.directory + "/other.jsonl")
    var options = BuildOptions()
    (options.key, options.shardLimitBytes) = ("{name}", 1)
    _ = try ShardBuilder.build([built.directory + "/other.jsonl"], into: built.path, options: options)
    let buffer = RecordBuffer()
    for question in Self.questions(scan) {
      #expect(try Self.fault(index, scan, question, buffer) == nil)
      #expect(try Self.fault(touched, scan, question, buffer) == nil)
    }
    #expect(try ShardedIndex(opening: built.path).count(ofPrefix: "kz") == 1)
    #expect(try index.count(ofPrefix: "kz") == 0)
  }

  // MARK: Entries of the root and of pages about each other

  private static func refused(
    _ surgery: FrameSurgery, _ bytes: [UInt8], asking prefix: String? = nil, _ what: String
  ) throws {
    let path = surgery.path + "/manifest"
    Files.write(bytes, to: path)
    let error = #expect(throws: IndexError.self, "\(what)") {
      let index = try ShardedIndex(opening: surgery.path)
      // Without a query, opening must find the fault.
      if let prefix { _ = try index.count(ofPrefix: prefix) }
    }
    guard case .corrupt(path, _) = error else {
      Issue.record("\(what): \(String(describing: error))")
      return
    }
  }

  @Test("pages that are right by themselves but in the wrong place are refused")
  func pagesAgainstTheRoot() throws {
    let (built, _) = try Self.build()
    let surgery = try FrameSurgery(built.path)
    #expect(surgery.pages.count == 6)
    Files.write(surgery.manifestFile(), to: built.path + "/manifest")
    #expect(try ShardedIndex(opening: built.path).count(ofPrefix: "kf") == 70)
    // The last bound of page 2 is above the first of page 3, then equal to it, without a continuation.
    for text in ["kfffff", "kf"] {
      let count = Self.capacity
      var page = surgery.pages[2]
      let bound = Array("ke1191".utf8)
      #expect(page.suffix(6).elementsEqual(bound))
      page.replaceSubrange((page.count - 6)..., with: Array(text.utf8))
      FrameSurgery.set(&page, 16 * count + 8 + 4 * (count - 1), page.count - 64 * count - 8, size: 4)
      let head = Array(text.utf8).withUnsafeBufferPointer { KeyBlocks.head(of: $0) }
      FrameSurgery.set(&page, 8 * (count - 1), Int(bitPattern: UInt(head)), size: 8)
      try Self.refused(surgery, surgery.manifestFile(pages: [2: page]), asking: "ke115", "bound \(text)")
    }
    // One page in another's place, under right checksums.
    try Self.refused(
      surgery, surgery.manifestFile(pages: [1: surgery.pages[2], 2: surgery.pages[1]]), asking: "kc", "swapped")
    // A page has a flag that the root lacks.
    var page = surgery.pages[2]
    page[20 * Self.capacity + 8 + 16] ^= 1
    try Self.refused(surgery, surgery.manifestFile(pages: [2: page]), asking: "ke", "continuation")
    // Bytes between frames and behind them, which a page's entry includes.
    let good = surgery.manifestFile()
    for padding in [1, 100_000] {
      try Self.refused(surgery, good + [UInt8](repeating: 0, count: padding), "\(padding) bytes behind")
      var root = surgery.root
      let entry = surgery.lastPageEntry
      let end = (0..<8).reduce(0) { $0 | Int(root[entry + $1]) << (8 * $1) }
      FrameSurgery.set(&root, entry, end + padding, size: 8)
      try Self.refused(
        surgery, surgery.manifestFile(changedRoot: root) + [UInt8](repeating: 0, count: padding),
        asking: padding == 1 ? "kg1329" : nil, "\(padding) bytes of the last page")
    }
  }

  @Test("a builder stops before it writes a manifest that readers refuse")
  func limits() {
    func file(names: [String]) throws -> [UInt8] {
      var encoder = ManifestEncoder(level: 1)
      return try encoder.file(shardLimit: 1, fieldNames: names, settings: [])
    }
    #expect(throws: Never.self) { try file(names: (0..<65536).map(String.init)) }
    #expect(throws: BuildError.self) { try file(names: (0...65536).map(String.init)) }
    #expect(throws: BuildError.self) { try file(names: [String(repeating: "x", count: 1 << 24)]) }
  }

  @Test("verify finds a field's name that stands twice")
  func twoOfAName() throws {
    let (built, _) = try Self.build(["a", "b"])
    let surgery = try FrameSurgery(built.path)
    var root = surgery.root
    let names = Array("\u{4}name\u{2}id".utf8)
    let at = (0..<root.count - names.count).first { root[$0..<$0 + names.count].elementsEqual(names) }
    root.replaceSubrange(try #require(at)..<at! + names.count, with: Array("\u{3}ids\u{3}ids".utf8))
    Files.write(surgery.manifestFile(changedRoot: root), to: built.path + "/manifest")
    let findings = Lock<[Verifier.Finding]>([])
    let summary = try Verifier.verify(index: built.path) { finding in findings.withLock { $0.append(finding) } }
    #expect(!summary.isSound)
    let wanted = Verifier.Finding.damage(file: built.path + "/manifest", reason: "names the field ids twice")
    #expect(findings.withLock { $0.contains(wanted) })
  }

  @Test("verify continues behind a damaged page, and names damage in the manifest's order")
  func damageBehindDamage() throws {
    let (built, _) = try Self.build()
    let shards = try built.open.generation.manifest.shards()
    let frames = Self.frames(built.path + "/manifest")
    // A bit of the checksums of two pages' frames: each page is named.
    for page in [1, 3] {
      let last = frames[1 + page].upperBound - 1
      let byte = Files.read(built.path + "/manifest")![last]
      Files.overwrite(built.path + "/manifest", at: last, with: [byte ^ 1])
    }
    // Shards of sound pages, and of a damaged one.
    let damaged = [5, 61, 130, 140, 200, 300, 329]
    for number in damaged { Files.setSize(of: "\(built.path)/\(shards[number].fileName)", to: 5) }
    Files.remove("\(built.path)/\(shards[300].fileName)")
    Files.write([1], to: built.path + "/zz-0123456789abcdef.zst")
    var findings: [Verifier.Finding] = []
    let summary = try Verifier.verify(index: built.path) { findings.append($0) }
    #expect(summary.damagedFiles == 8)
    let names = findings.map { finding in
      guard case .damage(let file, let reason) = finding else { return "\(finding)" }
      #expect(
        reason.contains(
          file.hasSuffix("manifest") ? "has checksum" : file.contains(shards[300].fileName) ? "missing" : "5 bytes"))
      return String(file.dropFirst(built.path.utf8.count + 1))
    }
    let wanted = [5, 61, 130, 140, 300, 329].map { shards[$0].fileName }
    #expect(names == ["manifest", "manifest"] + wanted)
  }
}
