import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Builds over an index, and updates") struct UpdateTests {
  private typealias List = ChangingList

  private static func options(_ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    var options = BuildOptions()
    (options.level, options.shardLimitBytes, options.key) = (3, 1 << 10, "{name}, {country}")
    change(&options)
    return options
  }

  @Test("an updated index has the bytes of a build of the changed list", arguments: 0..<6)
  func sameBytes(seed: Int) throws {
    let directory = TemporaryDirectory()
    let (make, count) = [(List.ragged, 2000), (List.smooth, 3000), (List.same, 3000)][seed % 3]
    var list = List(count: TestData.isDebug ? count / 5 : count, seed: UInt64(seed), make)
    let partSize = [BuildOptions().partSizeBytes, 150][seed / 3]
    let options = Self.options { ($0.jobs, $0.partSizeBytes) = (1 + seed % 2, partSize) }
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    var shards = 0
    var written = 0
    for round in 0..<TestData.count(8, 40) {
      let many = Int.random(in: 7..<100, using: &list.random)
      let change = list.change([1, 1, 2, 5, many][round % 5])
      let upsert = directory.write(List.text(change.upsert), to: "upsert.jsonl")
      let delete = directory.write("_id\n" + change.delete.map { "\($0)\n" }.joined(), to: "delete.csv")
      let summary = try ShardBuilder.update(directory("index"), upsert: [upsert], delete: [delete])
      #expect(summary.recordsIndexed == list.records.count)
      #expect(summary.idsNotFound == 0)
      (shards, written) = (shards + summary.shardCount, written + summary.shardsWritten)
      let changed = directory.write(
        List.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      Files.remove(directory("built"))
      _ = try ShardBuilder.build([changed], into: directory("built"), options: options)
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round), \(change)")
    }
    #expect(try Self.mostParts(of: directory("index")) > 1 || partSize > 150)
    // The update did not write all shards.
    #expect(written < shards / 2)
  }

  private static func repeatedIDs(of directory: String) throws -> Int? {
    let index = try ShardedIndex(opening: directory)
    let frames = try #require(try index.generation.manifest.notes())
    return try BuildNotes(frames, shardCount: index.shardCount).repeatedIDs
  }

  @Test("all records with an id are replaced, wherever their keys are") func repeatedIDs() throws {
    let directory = TemporaryDirectory()
    let options = Self.options()
    var list = List(count: 900, seed: 17, List.smooth)
    for place in list.records.indices.dropFirst(800) { list.records[place].id -= 800 }
    func build(_ name: String) throws {
      let input = directory.write(List.text(list.records), to: "list.jsonl")
      Files.remove(directory(name))
      _ = try ShardBuilder.build([input], into: directory(name), options: options)
    }
    try build("index")
    #expect(try Self.repeatedIDs(of: directory("index")) == 100)
    for round in 0..<10 {
      // Ten ids at a time: one of each id's two records changes, or both go, named by the id alone or by the key too.
      let ids = Set(round * 10..<round * 10 + 10)
      var seen: Set<Int> = []
      var kept = list.records.filter { ids.contains($0.id) && seen.insert($0.id).inserted }
      for place in kept.indices { kept[place].members[2].1 = .number("\(round)") }
      let upsert = round % 2 == 0 ? kept : []
      let delete = round % 2 == 1 ? kept : []
      list.records.removeAll { ids.contains($0.id) }
      list.records = upsert + list.records
      let text =
        round % 4 == 1 ? List.text(delete) : delete.map { "{\"_id\":\($0.id)}\n" }.joined()
      let summary = try ShardBuilder.update(
        directory("index"), upsert: [directory.write(List.text(upsert), to: "upsert.jsonl")],
        delete: [directory.write(text, to: "delete.jsonl")])
      #expect(summary.recordsRemoved == 20 && summary.idsNotFound == 0)
      #expect(try Self.repeatedIDs(of: directory("index")) == 90 - 10 * round)
      try build("built")
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
  }

  @Test("a record is found by its key or by its id, and a file that no change needs has to be sound")
  func likelyShards() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 3000, seed: 5, List.smooth)
    _ = try ShardBuilder.build(
      [directory.write(List.text(list.records), to: "list.jsonl")], into: directory("index"), options: Self.options())
    #expect(try Self.repeatedIDs(of: directory("index")) == 0)
    let sorted = list.records.sorted { ModelRecord.json($0.members) < ModelRecord.json($1.members) }
    let (first, last) = (sorted[0], sorted[2999])
    let index = try ShardedIndex(opening: directory("index"))
    let names = try withExtendedLifetime(index) { try index.generation.manifest.shards().map(\.fileName) }
    var changed = first
    changed.members[2].1 = .number("2.5")
    func update(upsert: [(id: Int, members: List.Members)], delete: String = "") throws -> BuildSummary {
      try ShardBuilder.update(
        directory("index"), upsert: [directory.write(List.text(upsert), to: "upsert.jsonl")],
        delete: [directory.write(delete, to: "delete.jsonl")])
    }
    // The last shard is far from the change, and the new index would keep it.
    let shard = directory("index/\(names[names.count - 1])")
    let bytes = Files.read(shard)!
    Files.remove(shard)
    #expect(throws: BuildError.self) { try update(upsert: [changed]) }
    Files.write(bytes, to: shard)
    #expect(try update(upsert: [changed]).recordsRemoved == 1)
    // A changed key has another place; an id alone gives no place; a new id may be anywhere.
    #expect(try update(upsert: [(last.id, first.members)]).recordsRemoved == 1)
    #expect(try update(upsert: [], delete: "{\"_id\":\(last.id)}\n").recordsRemoved == 1)
    #expect(try update(upsert: [(5000, first.members)]).recordsRemoved == 0)
    #expect(try update(upsert: [], delete: List.text([changed])).recordsRemoved == 1)
  }

  @Test("repeated ids are counted in any amount of memory", arguments: [1, 1 << 30]) func idCounter(
    memory: Int
  ) throws {
    let directory = TemporaryDirectory()
    var random = SplitMix64(seed: 3)
    var counter = try IDCounter(memory: memory, directory: RunDirectory(path: directory.path), expected: 60_000)
    var times: [UInt64: Int] = [:]
    var count = 0
    for round in 0..<60 {
      let hashes = (0..<Int.random(in: 0..<1000, using: &random)).map { _ -> UInt64 in
        round % 3 == 0 ? UInt64.random(in: 0..<500, using: &random) : random.next()
      }
      try counter.add(hashes)
      for hash in hashes { times[hash, default: 0] += 1 }
      count += hashes.count
    }
    #expect(count > 20_000 && times[0] ?? 0 > 1)
    let shared = times.filter { $0.value > 1 }
    let counted = try counter.finish()
    #expect(counted.ids == count && counted.distinct == times.count && counted.shared == shared.count)
    #expect(counted.example?.hash == 0 && counted.example?.times == times[0])
    var notes = BuildNotes(level: 1)
    #expect(notes.repeatedIDs(replacing: 3, of: 1) == nil)
    notes.repeatedIDs = 2
    #expect(notes.repeatedIDs(replacing: 3, of: 1) == 0 && notes.repeatedIDs(replacing: 2, of: 2) == 2)
    // Notes come from a file: their counts may be too small.
    #expect(notes.repeatedIDs(replacing: 4, of: 1) == nil)
  }

  /// The greatest number of parts of one shard.
  private static func mostParts(of directory: String) throws -> Int {
    let index = try ShardedIndex(opening: directory)
    var most = 0
    for shard in try index.generation.manifest.shards() {
      _ = try index.generation.readWhole(shard) { (part: PartContent) throws(IndexError) in
        most = max(most, part.number + 1)
      }
    }
    return most
  }

  @Test("one change anywhere writes at most two shards")
  func oneChange() throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(500, 4000), seed: 77, List.smooth)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: Self.options { $0.shardLimitBytes = 4096 })
    for round in 0..<TestData.count(10, 60) {
      let change = list.change(1)
      let upsert = directory.write(List.text(change.upsert), to: "upsert.jsonl")
      let delete = directory.write("_id\n" + change.delete.map { "\($0)\n" }.joined(), to: "delete.csv")
      let summary = try ShardBuilder.update(directory("index"), upsert: [upsert], delete: [delete])
      #expect(summary.shardsWritten <= 2, "round \(round)")
    }
  }

  @Test("a build over an unchanged dataset writes nothing, in any order of the records")
  func unchanged() throws {
    let directory = TemporaryDirectory()
    var list = List(count: 1500, seed: 5, List.ragged)
    let options = Self.options()
    _ = try ShardBuilder.build(
      [directory.write(List.text(list.records), to: "1.jsonl")], into: directory("index"), options: options)
    let before = FileStates(directory("index"))
    let shuffled = List.text(list.records.shuffled(using: &list.random))
    let summary = try ShardBuilder.build(
      [directory.write(shuffled, to: "2.jsonl")], into: directory("index"), options: options)
    #expect(summary.isUnchanged && summary.shardsWritten == 0)
    #expect(FileStates(directory("index")) == before)
    let update = try ShardBuilder.update(
      directory("index"), upsert: [directory.write(List.text(list.records.prefix(50)), to: "3.jsonl")], delete: [])
    #expect(update.isUnchanged && update.recordsRemoved == 50)
    #expect(FileStates(directory("index")) == before)
  }

  /// The identities of a directory's files: a file that is written anew has another, even with equal content.
  private struct FileStates: Equatable {
    let files: [String]

    init(_ directory: String) {
      files = Files.names(in: directory).map { "\($0) \(Files.identity("\(directory)/\($0)"))" }
    }
  }

  @Test("a build over an index encodes changed shards and damaged ones")
  func overDamage() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 1500, seed: 6, List.smooth)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    let options = Self.options()
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    let sound = Files.contents(of: directory("index"))
    let names = sound.keys.filter { $0.hasSuffix(".zst") }.sorted()
    #expect(names.count > 9)
    Files.overwrite(directory("index/" + names[2]), at: 30, with: [sound[names[2]]![30] ^ 1])
    Files.setSize(of: directory("index/" + names[4]), to: 7)
    Files.remove(directory("index/" + names[6]))
    let summary = try ShardBuilder.build([input], into: directory("index"), options: options)
    #expect(summary.shardsWritten == 3 && !summary.isUnchanged)
    #expect(Files.contents(of: directory("index")) == sound)
    // Other options make other shards: no old shard may stay in their place.
    for other in [
      Self.options { $0.level = 1 }, Self.options { $0.shardLimitBytes = 2048 },
      Self.options { $0.partSizeBytes = 300 },
    ] {
      Files.remove(directory("other"))
      _ = try ShardBuilder.build([input], into: directory("index"), options: other)
      _ = try ShardBuilder.build([input], into: directory("other"), options: other)
      let (built, found) = (Files.contents(of: directory("other")), Files.contents(of: directory("index")))
      #expect(built["manifest"] != sound["manifest"])
      #expect(built.allSatisfy { found[$0.key] == $0.value })
    }
  }

  @Test("updates may delete all records and add them again")
  func emptied() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 40, seed: 8, List.smooth)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    let options = Self.options { $0.id = "_id" }
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    let full = Files.contents(of: directory("index"))
    #expect(throws: BuildError.self) { try ShardBuilder.update(directory("index"), upsert: [], delete: [input]) }
    #expect(Files.contents(of: directory("index")) == full)
    let emptied = try ShardBuilder.update(
      directory("index"), upsert: [], delete: [input], options: Self.options { $0.allowsEmpty = true })
    #expect(emptied.recordsIndexed == 0 && emptied.shardCount == 0)
    #expect(try ShardedIndex(opening: directory("index")).recordCount == 0)
    _ = try ShardBuilder.update(directory("index"), upsert: [input], delete: [])
    #expect(full.allSatisfy { Files.read(directory("index/" + $0.key)) == $0.value })
    let unknown = try ShardBuilder.update(
      directory("index"), upsert: [], delete: [directory.write("_id\n7\n99999\nx\n", to: "d.csv")])
    #expect(unknown.idsNotFound == 2 && unknown.recordsRemoved == 1)
  }

  @Test("ids are compared by their texts, in any encoding of the column; a repeated id names both records")
  func ids() throws {
    let directory = TemporaryDirectory()
    let texts = [
      #""x1""#, #""x2""#, "7", "7.0", "-7", #""007""#, "null", #""""#, "1e3", #""7x""#, "12345678901234567890123",
    ]
    let lines = texts.enumerated().map { #"{"name":"n\#($0)","id":\#($1)}"# }
    let input = directory.write((lines + lines.prefix(1)).joined(separator: "\n"), to: "list.jsonl")
    var options = Self.options { ($0.key, $0.id) = ("{name}", "id") }
    for text in texts {
      Files.remove(directory("index"))
      _ = try ShardBuilder.build([input], into: directory("index"), options: options)
      let delete = directory.write(#"{"id":\#(text)}"#, to: "d.jsonl")
      if text == "null" || text == "\"\"" {
        // Null and empty texts are no ids, so they name no record.
        #expect(throws: BuildError.self) {
          try ShardBuilder.update(directory("index"), upsert: [], delete: [delete])
        }
        continue
      }
      let summary = try ShardBuilder.update(directory("index"), upsert: [], delete: [delete])
      #expect(summary.recordsRemoved == (text == texts[0] ? 2 : 1), "\(text)")
    }
    options.keep = ["name"]
    #expect(throws: BuildError.self) { try ShardBuilder.build([input], into: directory("index"), options: options) }
    options.keep = nil
    options.id = "nme"
    #expect(throws: BuildError.self) { try ShardBuilder.build([input], into: directory("index"), options: options) }
  }

  @Test("an update stores the kept fields alone")
  func kept() throws {
    let directory = TemporaryDirectory()
    let lines = (0..<50).map { #"{"id":\#($0),"name":"n\#($0)","a,b":{"c":1,"d":2},"x\\y":3,"z":4}"# }
    let input = directory.write(lines.joined(separator: "\n"), to: "list.jsonl")
    let options = Self.options { ($0.key, $0.id, $0.keep) = ("{name}", "id", ["id", "name", "a,b", "x\\\\y"]) }
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    let changed = lines.map { $0.replacing("n7\"", with: "m7\"") }
    let upsert = directory.write(changed[7], to: "u.jsonl")
    _ = try ShardBuilder.update(directory("index"), upsert: [upsert], delete: [])
    let input2 = directory.write(changed.joined(separator: "\n"), to: "list.jsonl")
    _ = try ShardBuilder.build([input2], into: directory("built"), options: options)
    let found = Files.contents(of: directory("index"))
    #expect(Files.contents(of: directory("built")).allSatisfy { found[$0.key] == $0.value })
    #expect(try ShardedIndex(opening: directory("index")).fieldNames.count == 5)
  }

  @Test("an update that is refused leaves the index as it was")
  func refused() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 300, seed: 9, List.smooth)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: Self.options())
    let before = Files.contents(of: directory("index"))
    func refusal(_ name: String, upsert: String? = nil, delete: String? = nil, index: String = "index") -> String {
      do {
        _ = try ShardBuilder.update(
          directory(index), upsert: upsert.map { [directory.write($0, to: "u.jsonl")] } ?? [],
          delete: delete.map { [directory.write($0, to: "d.jsonl")] } ?? [])
        return ""
      } catch {
        return "\(error)".replacing(directory.path + "/", with: "")
      }
    }
    let good = #"{"_id":1,"name":"x","country":"CH"}"#
    #expect(
      refusal("no id", upsert: good + "\n" + #"{"name":"x"}"#).hasPrefix("u.jsonl:2:1: record 2: the record has no id"))
    #expect(
      refusal("twice", upsert: good + "\n" + good).hasPrefix(
        "u.jsonl:2:1: record 2: the id 1 is in the changes twice"))
    #expect(refusal("both", upsert: good, delete: #"{"_id":1}"#).hasPrefix("d.jsonl:1:1: record 1: the id 1 is in"))
    #expect(refusal("no id", delete: #"{"id":1}"#).hasPrefix(#"d.jsonl:1:1: record 1: has no field "_id""#))
    #expect(refusal("no JSON", upsert: good + "\n{").hasPrefix("u.jsonl:2:"))
    #expect(refusal("no index", upsert: good, index: "none").hasPrefix("no index at none"))
    #expect(Files.names(in: directory.path).contains("none") == false)
    #expect(Files.contents(of: directory("index")) == before)

    let plain = Self.options { $0.key = "{name}" }
    let noID = directory.write(#"{"name":"x","n":1}"#, to: "n.jsonl")
    _ = try ShardBuilder.build([noID], into: directory("noID"), options: plain)
    #expect(refusal("no id", upsert: good, index: "noID").contains("built without BuildOptions.id"))
    _ = try ShardBuilder.build([input], into: directory("keyless"), options: Self.options { $0.keep = ["_id", "n"] })
    #expect(refusal("no key", upsert: good, index: "keyless").contains("does not store all fields of its key"))
    // The ids of a shard cannot be read.
    let name = before.keys.filter { $0.hasSuffix(".zst") }.min()!
    Files.overwrite(directory("index/" + name), at: 40, with: [before[name]![40] ^ 4])
    let damaged = Files.contents(of: directory("index"))
    #expect(refusal("damage", upsert: good).contains(name))
    #expect(Files.contents(of: directory("index")) == damaged)
  }

  @Test("notes that are damaged, missing or of another version cost only time")
  func notes() throws {
    let directory = TemporaryDirectory()
    // Without coordinates the notes are last in the manifest.
    let list = List(count: 300, seed: 10) { Array(List.smooth(&$0).dropLast(2)) }
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    let options = Self.options()
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    let sound = Files.contents(of: directory("index"))
    let shardCount = try ShardedIndex(opening: directory("index")).shardCount
    let frames = try #require(try ShardedIndex(opening: directory("index")).generation.manifest.notes())
    let notes = try BuildNotes(frames, shardCount: shardCount)
    #expect(notes.groups == frames.dropFirst().map(\.content) && frames.count == 1 + (notes.pieces.count + 63) / 64)
    #expect(notes.head(checksums: frames.dropFirst().map(\.checksum)) == frames[0].content)
    #expect(notes.isOfThisEncoder && notes.level == 3)
    #expect(notes.pieces.reduce(0) { $0 + $1.shardCount } == shardCount)
    // Every truncation and every changed byte gives an error or other notes, never a trap.
    for (number, frame) in frames.enumerated() {
      for size in 0..<frame.content.count {
        var other = frames
        other[number].content = Array(frame.content[..<size])
        #expect(throws: FormatError.self) { try BuildNotes(other, shardCount: shardCount) }
      }
      for offset in frame.content.indices {
        for bit in 0..<8 {
          var other = frames
          other[number].content[offset] ^= 1 << UInt8(bit)
          _ = try? BuildNotes(other, shardCount: shardCount)
        }
      }
    }
    #expect(throws: FormatError.self) { try BuildNotes(Array(frames.dropLast()), shardCount: shardCount) }
    // Without notes: FrameSurgery omits them.
    let surgery = try FrameSurgery(directory("index"))
    Files.write(surgery.manifestFile(), to: directory("index/manifest"))
    #expect(throws: BuildError.self) { try ShardBuilder.update(directory("index"), upsert: [input], delete: []) }
    let summary = try ShardBuilder.build([input], into: directory("index"), options: options)
    #expect(summary.shardsWritten == 0 && !summary.isUnchanged)
    #expect(Files.contents(of: directory("index")) == sound)
    // A reader of the notes finds a flipped byte in their frame.
    let manifest = sound["manifest"]!
    Files.overwrite(directory("index/manifest"), at: manifest.count - 9, with: [manifest[manifest.count - 9] ^ 1])
    #expect(throws: BuildError.self) { try ShardBuilder.update(directory("index"), upsert: [input], delete: []) }
    var found: [Verifier.Finding] = []
    _ = try Verifier.verify(index: directory("index")) { found.append($0) }
    #expect(found.count == 1 && "\(found)".contains("in its notes"))
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    #expect(Files.contents(of: directory("index")) == sound)
  }
}
