import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Damaged entries") struct EntryDamageTests {
  /// An index, and the list of its records for changes.
  private let directory = TemporaryDirectory()
  private let list: ChangingList

  init() throws {
    list = ChangingList(count: 200, seed: 4, EntryList.members)
    try build("index", list.records)
  }

  private func build(_ name: String, _ records: [(id: Int, members: ChangingList.Members)]) throws {
    let input = directory.write(ChangingList.text(records), to: name + ".jsonl")
    _ = try ShardBuilder.build([input], into: directory(name), options: EntryList.options())
  }

  private func findings(_ name: String) throws -> [String] {
    var found: [String] = []
    _ = try Verifier.verify(index: directory(name)) { if $0.isDamage { found.append("\($0)") } }
    return found
  }

  /// Makes a copy of the index with another frame of entries and right checksums.
  ///
  /// - Parameters:
  ///   - other: The index whose entries' files are put there too.
  private func forge(_ name: String, _ head: EntriesHead, filesOf other: String? = nil) throws {
    var files = Files.contents(of: directory("index"))
    let frame = ZstdFrame.quick(head.content, with: Compressor())
    files["manifest"] = try ManifestSurgery.replacingChain(12, of: files["manifest"]!, by: frame)
    if let other { files.merge(Files.contents(of: directory(other))) { own, _ in own } }
    mkdir(directory(name), 0o755)
    for (file, bytes) in files { Files.write(bytes, to: directory(name) + "/" + file) }
  }

  private func head(_ name: String) throws -> EntriesHead {
    try ShardedIndex(opening: directory(name)).generation.manifest.entriesHead()!
  }

  @Test("verify finds each entry that the records do not make", arguments: 0..<5) func otherEntries(change: Int) throws
  {
    var records = list.records
    // A weight, a name, a word, a form; one more record.
    switch change {
    case 0: records[3].members[2].1 = .number("299999999")
    case 1:
      records[3].members.removeAll { $0.0 == "alt" }
      records[3].members.append(("alt", .string("another")))
    case 2: records[3].members[0].1 = .string("a b c d e f")
    case 3: records[3].members[0].1 = .string("f.o.r.m.")
    default: records.append((9999, [("name", .string("one more")), ("country", .string("US"))]))
    }
    try build("other", records)
    try forge("forged", head("other"), filesOf: "other")
    let found = try findings("forged")
    #expect(found.contains { $0.contains("has other entries than its records need") })
    #expect(found.allSatisfy { $0.contains("entries") || $0.contains("last components") }, "\(found)")
    #expect(try findings("index") == [])
  }

  @Test("verify finds last components that the records do not have") func otherLastComponents() throws {
    let head = try head("index")
    var components = Set((0..<head.lastComponents.count).map { Array(head.lastComponents[$0]) })
    components.remove(Array("us".utf8))
    try forge(
      "forged",
      EntriesHead(
        fileSize: head.fileSize, digest: head.digest, rootChecksum: head.rootChecksum,
        lastComponents: LastComponents(components)))
    let found = try findings("forged")
    #expect(found.count == 1 && found[0].contains("last components"))
  }

  @Test("a wrong size, digest or checksum of the entries is an error of ranked queries alone") func wrongHead() throws {
    let head = try head("index")
    var digest = head.digest
    digest[15] ^= 1
    let heads = [
      EntriesHead(
        fileSize: head.fileSize + 1, digest: head.digest, rootChecksum: head.rootChecksum,
        lastComponents: head.lastComponents),
      EntriesHead(
        fileSize: head.fileSize, digest: head.digest, rootChecksum: head.rootChecksum ^ 1,
        lastComponents: head.lastComponents),
      EntriesHead(
        fileSize: head.fileSize, digest: Array(repeating: 7, count: 16), rootChecksum: head.rootChecksum,
        lastComponents: head.lastComponents),
      // The last bytes of a digest are for verification.
      EntriesHead(
        fileSize: head.fileSize, digest: digest, rootChecksum: head.rootChecksum, lastComponents: head.lastComponents),
    ]
    for (number, head) in heads.enumerated() {
      try forge("forged\(number)", head)
      let index = try ShardedIndex(opening: directory("forged\(number)"))
      #expect(try index.matches(forPrefix: "san").count > 0)
      if number < 3 {
        #expect(throws: IndexError.self) { try index.generation.entries() }
        #expect(throws: IndexError.self) { try index.search("san", limit: 5) }
      }
      #expect(try !findings("forged\(number)").isEmpty)
    }
  }

  @Test("a changed byte of the entries' frame or manifest is an error, or changes no entry")
  func flips() throws {
    let files = Files.contents(of: directory("index"))
    let expected = try EntryList.entries(of: ShardedIndex(opening: directory("index")))
    let frameSize = try ShardedIndex(opening: directory("index")).generation.manifest.entriesHeadSize
    let name = files.keys.first { $0.hasPrefix("entries-") }!
    var failures = 0
    for (file, range) in [
      ("manifest", files["manifest"]!.count - frameSize..<files["manifest"]!.count), (name, 0..<files[name]!.count),
    ] {
      for offset in stride(from: range.lowerBound, to: range.upperBound, by: TestData.isDebug ? 5 : 1) {
        var bytes = files[file]!
        bytes[offset] ^= 1 << UInt8(offset % 8)
        Files.write(bytes, to: directory("index") + "/" + file)
        let index = try ShardedIndex(opening: directory("index"))
        #expect(try index.matches(forPrefix: "san").count > 0)
        do {
          #expect(try EntryList.entries(of: index) == expected, "\(file) \(offset)")
        } catch is IndexError {
          failures += 1
        }
      }
      Files.write(files[file]!, to: directory("index") + "/" + file)
    }
    #expect(failures > 0)
  }

  @Test("damaged files of entries are repaired from a copy") func repair() throws {
    let files = Files.contents(of: directory("index"))
    let entries = try ShardedIndex(entriesOf: ShardedIndex(opening: directory("index")))!
    let shard = try entries.generation.manifest.shards()[1].fileName
    try build("copy", list.records)
    for file in [files.keys.first { $0.hasPrefix("entries-") }!, shard] {
      var bytes = files[file]!
      bytes[bytes.count / 2] ^= 16
      Files.write(bytes, to: directory("index") + "/" + file)
      #expect(try !findings("index").isEmpty)
      let summary = try ShardBuilder.repair(directory("index"), from: directory("copy"))
      #expect(summary.isSound && summary.repaired == [file])
      #expect(Files.contents(of: directory("index")) == files)
    }
  }

  @Test("texts of entries lead back to the records' keys, for all kinds of keys") func targets() {
    var random = SplitMix64(seed: 2)
    let scalars = Array("ab \u{1}.-'+&".utf8)
    func text(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in scalars.randomElement(using: &random)! }
    }
    for _ in 0..<20_000 {
      let record = text(Int.random(in: 0...8, using: &random))
      let plain = PlainForm.plain(record)
      var keys: [(key: ArraySlice<UInt8>, beginning: ArraySlice<UInt8>?)] = [
        ((PlainForm.plain(text(3)) + (plain.lastIndex(of: Fold.separator).map { plain[$0...] } ?? []))[...], nil)
      ]
      for (_, form) in PlainForm.forms(record) {
        keys.append((form[...], nil))
        for index in form.indices.dropLast() where form[index] <= Fold.space {
          keys.append((form[(index + 1)...], form[...index]))
        }
      }
      for (key, beginning) in keys where beginning != nil || Array(key) != record {
        let texts = EntryTarget.texts(key: key, beginning: beginning, recordKey: record)
        let found = EntryTarget(key: Array(key), beginning: texts.beginning.map { Array($0) }, target: texts.target)
        #expect(found.recordKey == record && found.beginning == beginning.map { Array($0) }, "\(record) \(Array(key))")
      }
    }
  }
}
