import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Archives") struct ArchiveTests {
  @Test("an archive has the files of its directory, and the same bytes each time") func sameFiles() throws {
    for archived in [try ArchivedIndex.whole.get(), try ArchivedIndex.few.get()] {
      let scratch = TemporaryDirectory()
      let made = try ShardBuilder.unarchive(archived.path, into: scratch("made"))
      let files = Files.contents(of: archived.small.path)
      #expect(Files.contents(of: scratch("made")) == files)
      #expect(made.files == files.count && made.bytes == files.values.reduce(0) { $0 + $1.count })
      var told: [FileProgress] = []
      let again = try ShardBuilder.archive(archived.path, to: scratch("again")) { told.append($0) }
      let count = told.count
      #expect(
        count >= made.files - 1 && told == (1...count).map { FileProgress(phase: .archiving, done: $0, total: count) })
      #expect(Files.read(scratch("again")) == archived.bytes && again.bytes == archived.bytes.count)
      #expect(again.digest == made.digest)
      try expectSound(archived.path)
      let empty = try SmallIndex([], key: "{name}")
      _ = try ShardBuilder.archive(empty.path, to: scratch("empty"))
      #expect(try ShardedIndex(opening: scratch("empty")).count(ofPrefix: "") == 0)
      try expectSound(scratch("empty"))
    }
  }

  private func expectSound(_ path: String) throws {
    let summary = try Verifier.verify(index: path) { Issue.record("\(path): \($0)") }
    #expect(summary.isSound)
  }

  @Test("shards of the same content are one entry") func repeatedShards() throws {
    let names = Array(repeating: "same", count: 300)
    let small = try SmallIndex(names.map { ModelRecord([("name", .string($0))]) }, key: "{name}", shardLimitBytes: 1)
    let archived = try ArchivedIndex(small)
    #expect(small.open.shardCount > 100)
    let scratch = TemporaryDirectory()
    let made = try ShardBuilder.unarchive(archived.path, into: scratch("made"))
    #expect(made.files == Files.contents(of: small.path).count && made.files < 10)
    #expect(try ShardedIndex(opening: archived.path).matches(forPrefix: "sam").count == 300)
    try expectSound(archived.path)
  }

  @Test(
    "an archive of over 65,535 files has the files of its directory",
    .enabled(if: TestData.isLong, "skipped: SHARDQ_LONG=1 writes 70,000 files"))
  func manyFiles() throws {
    // Each record fills a shard.
    var random = SplitMix64(seed: 17)
    let records = (0..<70_000).map { number in
      let text = (0..<12).map { _ in String(random.next(), radix: 36) }.joined()
      return ModelRecord([("name", .string("\(String(number * 14, radix: 36)) \(text)"))])
    }
    let archived = try ArchivedIndex(SmallIndex(records, key: "{name}", shardLimitBytes: 1))
    let entries = ZIPEntries(archived.bytes)
    #expect(entries.isWide && entries.count > 65_535 && entries.count == entries.local.count)
    #expect(entries.central == entries.local)
    let scratch = TemporaryDirectory()
    _ = try ShardBuilder.unarchive(archived.path, into: scratch("made"))
    #expect(Files.contents(of: scratch("made")) == Files.contents(of: archived.small.path))
    let index = try ShardedIndex(opening: archived.path)
    #expect(try SmallIndex.export(index) == SmallIndex.export(archived.small.open))
    try expectSound(archived.path)
  }

  @Test("every answer is that of the directory, also with an expected digest") func sameAnswers() throws {
    let archived = try ArchivedIndex.whole.get()
    let expected = archived.small.open
    let digest = try expected.manifestDigest()
    let index = try ShardedIndex(opening: archived.path, options: .init(cacheLimitBytes: 0))
    let pinned = try ShardedIndex(opening: archived.path, options: .init(cacheLimitBytes: 0, expectedDigest: digest))
    for text in try ArchivedIndex.texts(of: expected, count: TestData.count(60, 2000)) {
      let answers = try ArchivedIndex.answers(expected, text)
      #expect(try ArchivedIndex.answers(index, text) == answers)
      #expect(try ArchivedIndex.answers(pinned, text) == answers)
    }
    #expect(try SmallIndex.export(index) == SmallIndex.export(expected))
  }

  @Test("one read of 16 KiB opens an archive, and a carrier of one file answers as the directory does")
  func oneRead() throws {
    let archived = try ArchivedIndex.whole.get()
    let files = CarriedFiles(archive: archived.bytes)
    let index = try files.openArchive()
    #expect(files.reads.map(\.range) == [0..<16_384])
    for text in try ArchivedIndex.texts(of: archived.small.open, count: 40) {
      #expect(try ArchivedIndex.answers(index, text) == ArchivedIndex.answers(archived.small.open, text))
    }
    #expect(try SmallIndex.export(index) == SmallIndex.export(archived.small.open))
  }

  @Test("an index moves to the archive that replaces its own, and answers from the old one until then")
  func reload() throws {
    let scratch = TemporaryDirectory()
    func build(_ names: [String]) throws {
      let input = scratch.write(names.map { "{\"name\":\"\($0)\"}\n" }.joined(), to: "list.jsonl")
      var options = BuildOptions()
      options.key = "{name}"
      _ = try ShardBuilder.build([input], into: scratch("index"), options: options)
      _ = try ShardBuilder.archive(scratch("index"), to: scratch("archive"), replaces: true)
    }
    try build(["one", "two"])
    Files.link(scratch("link"), to: "archive")
    let options = ShardedIndex.Options(cacheLimitBytes: 0)
    let index = try ShardedIndex(opening: scratch("archive"), options: options)
    let linked = try ShardedIndex(opening: scratch("link"), options: options)
    #expect(try !index.reload())
    try build(["one", "two", "three"])
    #expect(try index.matches(forPrefix: "").records(in: 0..<2).map(\.key) == ["one", "two"])
    #expect(try index.reload())
    #expect(try linked.reload())
    for index in [index, linked] {
      #expect(try index.matches(forPrefix: "").records(in: 0..<3).map(\.key) == ["one", "three", "two"])
    }
    // The same content in another file is no newer generation.
    _ = try ShardBuilder.archive(scratch("index"), to: scratch("archive"), replaces: true)
    #expect(try !index.reload())
    unlink(scratch("archive"))
    #expect(throws: IndexError.notFound(path: scratch("archive"))) { try index.reload() }
    #expect(try index.count(ofPrefix: "t") == 2)
  }

  @Test("a pack of archives is that of their directories, and repair takes files out of an archive")
  func packsAndRepair() throws {
    let (whole, few) = (try ArchivedIndex.whole.get(), try ArchivedIndex.few.get())
    let scratch = TemporaryDirectory()
    func diff(_ old: String, _ new: String) throws -> [UInt8] {
      try ShardBuilder.diff(old: old, new: new, to: scratch("pack"))
      return Files.read(scratch("pack"))!
    }
    let pack = try diff(few.small.path, whole.small.path)
    #expect(try diff(few.path, whole.small.path) == pack)
    #expect(try diff(few.small.path, whole.path) == pack)
    #expect(try diff(few.path, whole.path) == pack)
    Files.copy(whole.small.path, to: scratch("copy"))
    var damaged: [String] = []
    for name in Files.names(in: scratch("copy")) where name != "manifest" {
      if name.hasPrefix("entries-") || name.hasPrefix("side-") || damaged.count < 3 {
        Files.overwrite(scratch("copy/\(name)"), at: 20, with: [0, 1, 2, 3, 4, 5])
        damaged.append(name)
      }
    }
    let repair = try ShardBuilder.repair(scratch("copy"), from: whole.path)
    #expect(repair.isSound && Set(repair.repaired) == Set(damaged))
    #expect(Files.contents(of: scratch("copy")) == Files.contents(of: whole.small.path))
  }

  @Test("no archive is changed in place, none replaces another unasked, and none has an overlay") func refusals() throws
  {
    let archived = try ArchivedIndex.few.get()
    let bytes = archived.bytes
    let scratch = TemporaryDirectory()
    let records = scratch.write("{\"name\":\"new\",\"country\":\"C1\",\"w\":1}\n", to: "new.jsonl")
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: (any Error).self) { try body() }
      #expect("\(error!)".contains("directory"), "\(error!)")
    }
    refused { _ = try ShardBuilder.update(archived.path, upsert: [records], delete: []) }
    refused { _ = try ShardBuilder.build([records], into: archived.path) }
    refused { _ = try ShardBuilder.repair(archived.path, from: archived.small.path) }
    try ShardBuilder.diff(old: archived.path, new: archived.small.path, to: scratch("pack"))
    refused { _ = try ShardBuilder.apply(pack: scratch("pack"), to: archived.path) }
    #expect(archived.bytes == bytes)
    // The same archive is written again; another file stays.
    for _ in 0..<2 { _ = try ShardBuilder.archive(archived.small.path, to: scratch("same")) }
    #expect(Files.read(scratch("same")) == bytes)
    Files.write([1], to: scratch("letter"))
    #expect(throws: PackError.exists(path: scratch("letter"))) {
      try ShardBuilder.archive(archived.small.path, to: scratch("letter"))
    }
    Files.link(scratch("link"), to: archived.path)
    #expect(throws: PackError.exists(path: scratch("link"))) {
      try ShardBuilder.archive(archived.small.path, to: scratch("link"), replaces: true)
    }
    let other = try ArchivedIndex.whole.get().small.path
    #expect(throws: PackError.exists(path: other)) { try ShardBuilder.unarchive(archived.path, into: other) }
    #expect(throws: PackError.self) { try ShardBuilder.unarchive(archived.small.path, into: scratch("made")) }
    #expect(throws: PackError.self) { try ShardBuilder.archive(archived.small.path, to: scratch("none/archive")) }
    let list = scratch.write("{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n", to: "list.jsonl")
    var options = BuildOptions()
    (options.key, options.id) = ("{name}", "id")
    _ = try ShardBuilder.build([list], into: scratch("overlaid"), options: options)
    options.writesOverlay = true
    scratch.write("{\"id\":2,\"name\":\"c\"}\n", to: "list.jsonl")
    _ = try ShardBuilder.update(scratch("overlaid"), upsert: [list], delete: [], options: options)
    let error = #expect(throws: PackError.self) { try ShardBuilder.archive(scratch("overlaid"), to: scratch("a")) }
    guard case .unshippable(scratch("overlaid/overlay"), _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(Files.names(in: scratch.path).filter { $0.hasSuffix(".tmp") || $0 == "a" } == [])
  }

  @Test("a damaged shard is not archived, and nothing is left of the attempt") func damagedSource() throws {
    let scratch = TemporaryDirectory()
    Files.copy(try ArchivedIndex.few.get().small.path, to: scratch("copy"))
    for name in Files.names(in: scratch("copy")) where name != "manifest" {
      let sound = Files.read(scratch("copy/\(name)"))!
      Files.overwrite(scratch("copy/\(name)"), at: sound.count - 1, with: [sound.last! ^ 1])
      #expect(throws: PackError.self, "\(name)") { try ShardBuilder.archive(scratch("copy"), to: scratch("archive")) }
      Files.remove(scratch("copy/\(name)"))
      #expect(throws: PackError.self, "\(name)") { try ShardBuilder.archive(scratch("copy"), to: scratch("archive")) }
      #expect(Files.names(in: scratch.path) == ["copy"])
      Files.write(sound, to: scratch("copy/\(name)"))
    }
  }
}
