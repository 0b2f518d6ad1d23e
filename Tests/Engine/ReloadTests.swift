import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Readers of an index that is rebuilt") struct ReloadTests {
  /// The generation of all records of the index.
  private static func generation(_ index: ShardedIndex, _ live: LiveIndex) throws -> Int {
    try LiveIndex.generation(of: index.matches(forPrefix: ""), count: live.recordCount)
  }

  @Test("an index keeps its generation until it is told to reload")
  func held() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open()
    #expect(try Self.generation(index, live) == 0)
    #expect(try !index.reload(), "nothing happened")
    try live.build(1)
    index.removeResidentShards()
    #expect(try Self.generation(index, live) == 0, "one build leaves the shards of the previous one")
    let before = try index.matches(forPrefix: "s")
    #expect(try index.reload())
    #expect(try Self.generation(index, live) == 1)
    #expect(try LiveIndex.generation(of: before, count: 12) == 0, "an answer stays the same")
    #expect(try !index.reload() && index.statistics.reloads == 1)
    try live.build(2)
    try live.build(3)
    #expect(try index.reload())
    #expect(try Self.generation(index, live) == 3 && index.statistics.reloads == 2)
  }

  @Test("a manifest of the same bytes is no newer generation")
  func sameBytes() throws {
    let live = LiveIndex()
    try live.build(0)
    for interval: Duration? in [nil, .zero] {
      let index = try live.open(reloadInterval: interval)
      Files.write(Files.read(live.path + "/manifest")!, to: live.path + "/copy")
      Files.move(live.path + "/copy", to: live.path + "/manifest")
      #expect(try Self.generation(index, live) == 0)
      #expect(try !index.reload() && index.statistics.reloads == 0)
      // A shard that is missing now was not removed by a build.
      index.removeResidentShards()
      let shard = live.path + "/" + live.shardFiles[0]
      Files.move(shard, to: shard + ".away")
      #expect(throws: IndexError.vanished(path: shard)) { try Self.generation(index, live) }
      Files.move(shard + ".away", to: shard)
      #expect(try Self.generation(index, live) == 0)
    }
  }

  @Test("an index that looks at every query answers from the newest generation")
  func noticed() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open(reloadInterval: .zero)
    let negative = try live.open(reloadInterval: .seconds(-5))
    let seldom = try live.open(reloadInterval: .seconds(1 << 62))
    for generation in 1...5 {
      try live.build(generation)
      #expect(try Self.generation(index, live) == generation)
      #expect(try Self.generation(negative, live) == generation)
      #expect(try generation > 1 || Self.generation(seldom, live) == 0, "it was not yet time to look")
      #expect(index.statistics.reloads == generation)
    }
    #expect(seldom.statistics.reloads == 0)
    #expect(try index.matches(forPrefix: "zu-11").records(in: 0..<1)[0]["g"] == "5")
  }

  @Test("an index that looks at intervals finds a new generation in time")
  func interval() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open(reloadInterval: .milliseconds(20))
    #expect(try Self.generation(index, live) == 0)
    try live.build(1)
    let start = monotonicSeconds()
    while try Self.generation(index, live) == 0, monotonicSeconds() - start < 30 {}
    #expect(try Self.generation(index, live) == 1)
  }

  @Test("after two builds old answers cannot be read, and new queries that look always can")
  func superseded() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open()
    let looking = try live.open(reloadInterval: .seconds(1 << 40))
    let (old, oldLooking) = (try index.matches(forPrefix: ""), try looking.matches(forPrefix: ""))
    let resident = try index.matches(forPrefix: "sa-0")
    #expect(try resident.records(in: 0..<1)[0]["g"] == "0")
    try live.build(1)
    try live.build(2)
    let gone = IndexError.superseded(path: live.path)
    #expect(throws: gone) { try old.records(in: 0..<Int.max) }
    #expect(throws: gone) { try oldLooking.records(in: 0..<Int.max) }
    #expect(try resident.records(in: 0..<1)[0]["g"] == "0", "resident parts still answer")
    // A new query: an index that looks answers, and another index throws an error with advice.
    #expect(try LiveIndex.generation(of: looking.matches(forPrefix: "be"), count: 12) == 2)
    #expect(looking.statistics.reloads == 1)
    #expect(throws: gone) { try index.matches(forPrefix: "be-1") }
    #expect(throws: gone) { try index.matches(forPrefix: "be-1") }
    #expect(try index.reload())
    #expect(try LiveIndex.generation(of: index.matches(forPrefix: "be"), count: 12) == 2)
    #expect(throws: gone) { try old.records(in: 0..<Int.max) }
  }

  @Test("a session stays with its generation until it is told to reload")
  func session() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open(reloadInterval: .zero)
    var session = index.session()
    try session.append("sa")
    #expect(try !session.reload())
    try live.build(1)
    try session.append("-")
    #expect(try LiveIndex.generation(of: session.matches, count: 12) == 0)
    #expect(try LiveIndex.generation(of: index.matches(forPrefix: "sa-"), count: 12) == 1)
    #expect(try session.reload() && session.text == "sa-")
    #expect(try LiveIndex.generation(of: session.matches, count: 12) == 1)
    session.removeLast()
    session.removeLast()
    #expect(try LiveIndex.generation(of: session.matches, count: 12) == 1)
    #expect(session.text == "s")
    #expect(try LiveIndex.generation(of: index.session().matches, count: live.recordCount) == 1)
  }

  // MARK: Resident shards

  @Test("shards whose files are in both generations stay resident")
  func adoption() throws {
    let live = LiveIndex(countPerStem: 60)
    let stems = Set(LiveIndex.stems)
    try live.build(0, keeping: stems)
    let index = try live.open()
    let fresh = try live.open()
    let all = try index.matches(forPrefix: "").records(in: 0..<Int.max).count
    #expect(all == live.recordCount)
    let before = index.statistics
    #expect(before.residentShards == index.shardCount && index.shardCount > 20)
    // All shards keep their bytes, except those with two of the stems.
    try live.build(1, keeping: stems.subtracting(["lo", "sa"]))
    #expect(try index.reload())
    let records = try index.matches(forPrefix: "").records(in: 0..<Int.max)
    #expect(records.map { $0["g"]! } == records.map { $0.key.hasPrefix("lo") || $0.key.hasPrefix("sa") ? "1" : "0" })
    let loaded = index.statistics.misses - before.misses
    #expect(loaded >= 2 && loaded <= index.shardCount / 3, "\(loaded) of \(index.shardCount) loaded")
    #expect(try fresh.reload())
    #expect(try fresh.matches(forPrefix: "").records(in: 0..<Int.max).map(\.fields) == records.map(\.fields))
    #expect(index.statistics.residentBytes >= fresh.statistics.residentBytes)
  }

  @Test("resident parts keep their fields when a new field moves the numbers of others")
  func otherFields() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open()
    let old = try index.matches(forPrefix: "")
    #expect(try old.records(in: 0..<Int.max).allSatisfy { $0.fields.map(\.name) == ["name", "g", "t"] })
    let (names, files) = (index.fieldNames, Set(live.shardFiles))
    try live.build(0, extending: ["al"])
    #expect(!files.isDisjoint(with: live.shardFiles), "shards that both generations have")
    #expect(try index.reload())
    #expect(index.fieldNames.firstIndex(of: "g") != names.firstIndex(of: "g"), "numbers that moved")
    for record in try index.matches(forPrefix: "").records(in: 0..<Int.max) {
      #expect(record.fields.map(\.name) == (record.key.hasPrefix("al") ? ["a"] : []) + ["name", "g", "t"])
      #expect(record["g"] == "0" && record["t"] == "x" && record["name"] == record.key)
    }
    #expect(try old.records(in: 0..<Int.max).allSatisfy { $0.fields.map(\.name) == ["name", "g", "t"] })
    try live.build(0)
    #expect(try index.reload())
    #expect(try Self.generation(index, live) == 0)
  }

  @Test("the cache limit holds over all generations in use", arguments: [0, 900, 3000, 20_000])
  func limit(bytes: Int) throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open(cacheLimitBytes: bytes)
    var random = SplitMix64(seed: UInt64(bytes))
    var held: [(generation: Int, matches: ShardedIndex.Matches)] = []
    var generation = 0
    for step in 0..<600 {
      if step % 7 == 0 {
        generation += 1
        let kept = LiveIndex.stems.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
        try live.build(generation, keeping: Set(kept))
        #expect(try index.reload())
      }
      let stem = LiveIndex.stems.randomElement(using: &random)!
      let matches = try index.matches(forPrefix: stem)
      let found = try LiveIndex.generation(of: matches, count: 12)
      #expect(found == generation || found == 0)
      #expect(index.statistics.residentBytes <= bytes)
      held.append((found, matches))
      // An answer of this generation or the previous one: its shards exist.
      if let last = held.suffix(6).randomElement(using: &random) {
        #expect(try LiveIndex.generation(of: last.matches, count: 12) == last.generation)
      }
      #expect(index.statistics.residentBytes <= bytes)
      if step % 100 == 99 {
        index.removeResidentShards()
        #expect(index.statistics.residentBytes == 0 && index.statistics.residentShards == 0)
      }
    }
  }

  // MARK: Damage

  @Test("an index does not take an unreadable manifest, and still answers")
  func damagedManifest() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open()
    let looking = try live.open(reloadInterval: .zero)
    let manifest = live.path + "/manifest"
    let good = Files.read(manifest)!
    Files.write(Array(good.dropLast()), to: live.path + "/new")
    Files.move(live.path + "/new", to: manifest)
    #expect(throws: IndexError.self) { try index.reload() }
    #expect(try Self.generation(index, live) == 0)
    #expect(try Self.generation(looking, live) == 0 && looking.statistics.reloads == 0)
    Files.remove(manifest)
    #expect(throws: IndexError.notFound(path: live.path)) { try index.reload() }
    #expect(try Self.generation(looking, live) == 0)
    try live.build(1)
    #expect(try index.reload())
    #expect(try Self.generation(index, live) == 1)
    #expect(try Self.generation(looking, live) == 1)
  }

  @Test("an index does not follow a link in the place of the manifest")
  func link() throws {
    let live = LiveIndex()
    try live.build(0)
    let index = try live.open()
    let manifest = live.path + "/manifest"
    Files.move(manifest, to: live.path + "/other")
    Files.link(manifest, to: "other")
    #expect(throws: IndexError.self) { try index.reload() }
    #expect(try Self.generation(index, live) == 0)
  }

  // MARK: Threads

  @Test("over reloads, eight threads with room for one shard see whole generations and none go back")
  func threads() throws {
    let live = LiveIndex()
    try live.build(0)
    let room = try live.open()
    _ = try room.matches(forPrefix: "sa-3").records(in: 0..<1)
    let told = try live.open(cacheLimitBytes: room.statistics.residentBytes)
    let looking = try live.open(cacheLimitBytes: room.statistics.residentBytes, reloadInterval: .zero)
    let generations = 40
    let newest = Atomic(0)
    let isOver = Atomic(false)
    let faults = Lock<[String]>([])
    let answers = Atomic(0)
    WorkerPool.forEach(9, threads: 9) { thread in
      func fault(_ text: String) { faults.withLock { $0.append(text) } }
      if thread == 8 {
        defer { isOver.store(true, ordering: .releasing) }
        do {
          for generation in 1...generations {
            try live.build(generation)
            newest.store(generation, ordering: .releasing)
            // The index that does not look must reload before a second build.
            if try !told.reload() { fault("generation \(generation) was not taken") }
          }
        } catch {
          fault("building: \(error)")
        }
        return
      }
      let index = thread < 4 ? told : looking
      var last = 0
      var round = thread
      while !isOver.load(ordering: .acquiring) {
        round += 1
        let stem = LiveIndex.stems[round % LiveIndex.stems.count]
        let atLeast = newest.load(ordering: .acquiring)
        do {
          let found = try LiveIndex.generation(of: index.matches(forPrefix: stem), count: 12)
          if found < last { fault("\(found) after \(last)") }
          if thread >= 4, found < atLeast { fault("\(found) when \(atLeast) was there") }
          last = max(last, found)
          answers.add(1, ordering: .relaxed)
        } catch IndexError.superseded {
          // After two builds between the query and the records the answer throws an error.
        } catch {
          fault("thread \(thread): \(error)")
        }
      }
    }
    #expect(faults.withLock { $0.prefix(5) } == [])
    #expect(answers.load(ordering: .relaxed) >= generations)
    #expect(told.statistics.reloads == generations && looking.statistics.reloads <= generations)
    #expect(told.statistics.residentBytes <= room.statistics.residentBytes)
    print("reloads: \(answers.load(ordering: .relaxed)) answers by 8 threads during \(generations) builds")
  }
}
