import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

/// Serial, because one test takes the process's standard input.
@Suite("A build, from input to directory", .serialized) struct BuildTests {
  private static let json = #"""
    [{"name":"Zürich","country":"CH","n":1.50},
    {"name":"Aachen","country":"DE","n":-0},
    {"name":"a, b","country":"","n":3}]
    """#

  private static func options(_ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    var options = BuildOptions()
    options.level = 1
    change(&options)
    return options
  }

  private static func keys(_ path: String) throws -> [String] {
    try ShardedIndex(opening: path).matches(forPrefix: "").records(in: 0..<1000).map(\.key)
  }

  @Test("every input format gives its records")
  func formats() throws {
    let directory = TemporaryDirectory()
    let geonames =
      (0..<3).map { row in
        "\(row)\t\(["Zürich", "Aachen", "a, b"][row])\tascii\t\t47.\(row)\t8.5\tP\tPPL\t\(["CH", "DE", ""][row])\t\t\t\t\t\t100\t\t5\tEurope/Zurich\t2020-01-01"
      }.joined(separator: "\n") + "\n"
    let inputs: [(String, String, (inout BuildOptions) -> Void)] = [
      ("a.json", Self.json, { _ in }),
      (
        "b.jsonl", Self.json.split(separator: "\n").map { $0.trimmingBrackets }.joined(separator: "\n"),
        { _ in }
      ),
      ("c.csv", "name,country,n\nZürich,CH,1.50\nAachen,DE,-0\n\"a, b\",,3\n", { _ in }),
      ("d.tsv", "name\tcountry\tn\nZürich\tCH\t1.50\nAachen\tDE\t-0\na, b\t\t3\n", { _ in }),
      (
        "e.csv", "Zürich,CH,1.50\r\nAachen,DE,-0\r\n\"a, b\",,3\r\n",
        { $0.columns = ["name", "country", "n"] }
      ),
      ("f.txt", geonames, { _ in }),
      ("g.data", Self.json, { $0.inputFormat = .json }),
    ]
    for (name, text, change) in inputs {
      for (suffix, bytes) in [
        ("", Array(text.utf8)), (".gz", datasetGzip(Array(text.utf8))),
        (".zst", datasetZstd(Array(text.utf8))),
      ] {
        let input = directory.write(bytes, to: name + suffix)
        let path = directory("index-\(name)\(suffix)")
        let summary = try ShardBuilder.build([input], into: path, options: Self.options(change))
        #expect(summary.recordsRead == 3 && summary.recordsIndexed == 3 && summary.badRecordCount == 0)
        #expect(summary.shardCount == 1 && summary.shardsWritten == 1)
        #expect(try Self.keys(path) == ["a, b, ", "Aachen, DE", "Zürich, CH"], "\(name)\(suffix)")
        let files = Files.contents(of: path)
        #expect(summary.bytes == files.values.reduce(0) { $0 + $1.count }, "\(name)\(suffix)")
        let isSame = files == Files.contents(of: directory("index-\(name)"))
        #expect(isSame, "\(name)\(suffix): packing changes nothing")
        // The texts that each format takes for numbers.
        let n = try ShardedIndex(opening: path).matches(forPrefix: "z").records(in: 0..<1).first?.fields.first {
          $0.name == "n"
        }
        #expect(
          name == "f.txt"
            || (n?.text == "1.50"
              && n?.kind == (name.contains("json") || name == "g.data" ? .number : .string))
        )
      }
    }
    let isSame =
      Files.contents(of: directory("index-a.json")) == Files.contents(of: directory("index-b.jsonl"))
    #expect(isSame)
  }

  @Test("a build reads a pipe, by name and as standard input")
  func pipes() throws {
    let directory = TemporaryDirectory()
    let expected = directory("expected")
    let text = GeneratedList.bytes(count: 5000, seed: 3, format: .jsonl)
    _ = try ShardBuilder.build(
      [directory.write(text, to: "list.jsonl")], into: expected, options: Self.options())
    for bytes in [text, datasetGzip(text), datasetZstd(text)] {
      let pipe = directory("pipe.jsonl")
      #expect(mkfifo(pipe, 0o600) == 0)
      WorkerPool.forEach(2, threads: 2) { side in
        if side == 0 {
          Files.write(bytes, to: pipe)
        } else {
          _ = try? ShardBuilder.build([pipe], into: directory("fifo"), options: Self.options { $0.jobs = 2 })
        }
      }
      Files.remove(pipe)
      #expect(
        Files.differences(Files.contents(of: directory("fifo")), Files.contents(of: expected))
          == [])
      Files.remove(directory("fifo"))

      #expect(mkfifo(pipe, 0o600) == 0)
      let saved = dup(0)
      WorkerPool.forEach(2, threads: 2) { side in
        if side == 0 {
          Files.write(bytes, to: pipe)
        } else {
          let reader = open(pipe, O_RDONLY)
          dup2(reader, 0)
          close(reader)
          _ = try? ShardBuilder.build(["-"], into: directory("stdin"), options: Self.options())
          if saved >= 0 { dup2(saved, 0) } else { close(0) }
        }
      }
      if saved >= 0 { close(saved) }
      Files.remove(pipe)
      #expect(
        Files.differences(Files.contents(of: directory("stdin")), Files.contents(of: expected))
          == [])
      Files.remove(directory("stdin"))
    }
  }

  @Test("a build reads several inputs, and a field that only one of them has")
  func severalInputs() throws {
    let directory = TemporaryDirectory()
    let a = directory.write(#"{"name":"B","country":"X","extra":1}"#, to: "a.jsonl")
    let b = directory.write("country,name\nY,A\n", to: "b.csv")
    let summary = try ShardBuilder.build([a, b], into: directory("index"), options: Self.options())
    #expect(summary.recordsRead == 2 && summary.recordsIndexed == 2)
    #expect(try Self.keys(directory("index")) == ["A, Y", "B, X"])
    let records = try ShardedIndex(opening: directory("index")).matches(forPrefix: "").records(in: 0..<2)
    #expect(records.map { $0.fields.map(\.name) } == [["country", "name"], ["name", "country", "extra"]])
  }

  // MARK: Refusals

  /// Builds a second time, which must fail, over an index that must not change.
  private func expectFailure(
    _ inputs: (TemporaryDirectory) -> [String], _ note: String,
    _ change: (inout BuildOptions) -> Void = { _ in },
    _ check: (BuildError) -> Bool
  ) throws {
    let directory = TemporaryDirectory()
    let path = directory("index")
    let good = directory.write(GeneratedList.bytes(count: 500, seed: 1, format: .json), to: "good.json")
    _ = try ShardBuilder.build([good], into: path, options: Self.options { $0.shardLimitBytes = 2000 })
    let before = Files.contents(of: path)
    do throws(BuildError) {
      _ = try ShardBuilder.build(inputs(directory), into: path, options: Self.options(change))
      Issue.record("\(note) was built")
    } catch {
      #expect(check(error), "\(note): \(error)")
    }
    let isUntouched = Files.contents(of: path) == before
    #expect(isUntouched, "\(note) changed the index that was there")
    #expect(try ShardedIndex(opening: path).recordCount == 500)
    // A refused build into a new directory leaves no index.
    do throws(BuildError) {
      _ = try ShardBuilder.build(inputs(directory), into: directory("new"), options: Self.options(change))
      Issue.record("\(note) was built")
    } catch {}
    #expect(Files.contents(of: directory("new")).keys.sorted() == [], "\(note) left files behind")
  }

  private static func isBad(_ error: BuildError, at place: String) -> Bool {
    guard case .dataset(.bad, let message) = error else { return false }
    return message.description.contains(place)
  }

  @Test("the error for bad input has its place, and the old index stays as it was")
  func badInput() throws {
    try expectFailure(
      { [$0.write("[{\"name\":\"a\",\"country\":\"b\"},\n {\"name\":\"a\",}]", to: "bad.json")] }, "bad JSON"
    ) {
      Self.isBad($0, at: "bad.json:2:14")
    }
    try expectFailure(
      { [$0.write("{\"name\":\"a\",\"country\":\"b\"}\n{\"name\":\"a\"\n", to: "bad.jsonl")] }, "a cut line"
    ) {
      Self.isBad($0, at: "bad.jsonl:2:")
    }
    try expectFailure({ [$0.write("name,country\na,b\nc\n", to: "bad.csv")] }, "a short row") {
      Self.isBad($0, at: "bad.csv:3:")
    }
    try expectFailure({ [$0.write("name,country\na,\"b\n", to: "bad.csv")] }, "an open quote") {
      Self.isBad($0, at: "bad.csv:2:")
    }
    try expectFailure(
      { [$0.write([UInt8]("name\tcountry\na\t".utf8) + [0xff, 0x0a], to: "bad.tsv")] }, "no UTF-8"
    ) {
      Self.isBad($0, at: "bad.tsv:2:3")
    }
    let gzip = datasetGzip(Array(Self.json.utf8))
    try expectFailure({ [$0.write(Array(gzip.dropLast(5)), to: "cut.json.gz")] }, "cut gzip") {
      Self.isBad($0, at: "cut.json.gz")
    }
    let zstd = datasetZstd(Array(Self.json.utf8))
    try expectFailure({ [$0.write(Array(zstd.dropLast(2)), to: "cut.json.zst")] }, "cut zstd") {
      Self.isBad($0, at: "cut.json.zst")
    }
    // The fault may follow many good records, when shards could have been written.
    let long = GeneratedList.bytes(count: 20_000, seed: 2, format: .jsonl)
    try expectFailure(
      { [$0.write(long + Array("{]\n".utf8), to: "long.jsonl")] }, "a bad last line",
      { $0.memoryBytes = 1 << 20 }
    ) {
      Self.isBad($0, at: "long.jsonl:20001:2")
    }
    try expectFailure(
      { [$0.write(long, to: "long.jsonl"), $0.write("[", to: "second.json")] }, "a bad second input"
    ) {
      Self.isBad($0, at: "second.json:1:2")
    }
  }

  @Test("a build without an input, a format or a key is refused")
  func unusableInput() throws {
    try expectFailure({ [$0("none.json")] }, "no file") {
      if case .dataset(.missing, let text) = $0 { text.description.contains("none.json") } else { false }
    }
    try expectFailure({ [$0.path] }, "a directory") {
      if case .dataset(.missing, _) = $0 { true } else { false }
    }
    try expectFailure({ [$0.write("what is\0this", to: "file")] }, "no format") {
      if case .dataset(.options, _) = $0 { true } else { false }
    }
    try expectFailure({ [$0.write(Self.json, to: "a.json")] }, "columns of JSON", { $0.columns = ["a"] }) {
      if case .dataset(.options, _) = $0 { true } else { false }
    }
    try expectFailure({ [$0.write("a,b\n1,2\n", to: "a.csv")] }, "no key template") {
      $0 == .noTemplate(fields: ["a", "b"], proposal: "a", isHeader: true, mayBeLines: false)
    }
    try expectFailure({ [$0.write(Self.json, to: "a.json")] }, "a key without a field", { $0.key = "text" }) {
      if case .template(.noField, _, _) = $0 { true } else { false }
    }
    try expectFailure(
      { [$0.write(Self.json, to: "a.json")] }, "a key with an open brace", { $0.key = "{name" }
    ) {
      if case .template(.unclosed, _, 1) = $0 { true } else { false }
    }
  }

  @Test(
    "the error for a key field that no record has names the field",
    arguments: ["a.csv", "a.tsv", "a.json", "a.jsonl"])
  func unknownKeyField(name: String) throws {
    let text =
      switch name {
      case "a.csv": "name,country\na,b\n"
      case "a.tsv": "name\tcountry\na\tb\n"
      case "a.json": Self.json
      default: #"{"name":"a","country":"b"}"#
      }
    for key in ["{nme}", "{name}, {contry}", "{contry}{name}"] {
      let unknown = key == "{nme}" ? "nme" : "contry"
      try expectFailure({ [$0.write(text, to: name)] }, "\(name) by \(key)", { $0.key = key }) {
        "\($0)".contains(unknown)
      }
    }
  }

  @Test("skipped records are counted and listed, and no other record is missing")
  func skipBad() throws {
    let directory = TemporaryDirectory()
    var lines: [String] = []
    var (good, bad) = (0, 0)
    for row in 0..<2000 {
      switch row % 10 {
      case 3: lines.append("{\"name\":\"x\(row)\"")
      case 5: lines.append("{\"other\":\(row)}")
      case 7: lines.append("[]")
      case 8 where row % 100 == 8: lines.append("{\"name\":\"\(String(repeating: "k", count: 70_000))\"}")
      default: lines.append("{\"name\":\"n\(row)\",\"v\":\(row)}")
      }
      if [3, 5, 7].contains(row % 10) || row % 100 == 8 { bad += 1 } else { good += 1 }
    }
    let input = directory.write(lines.joined(separator: "\n"), to: "a.jsonl")
    for jobs in [1, 4] {
      let summary = try ShardBuilder.build(
        [input], into: directory("index\(jobs)"),
        options: Self.options { ($0.skipBad, $0.key, $0.jobs) = (true, "{name}", jobs) })
      #expect(summary.recordsRead == 2000 && summary.recordsIndexed == good && summary.badRecordCount == bad)
      #expect(summary.badRecords.count == 100)
      #expect(summary.badRecords.allSatisfy { $0.hasPrefix(input) })
      #expect(summary.badRecords.contains { $0.contains("a.jsonl:4:") })
      #expect(try ShardedIndex(opening: directory("index\(jobs)")).recordCount == good)
    }
    // A record that cannot be read is listed with its place, `file:line:column`.
    let few = directory.write(
      "{\"name\":\"a\"}\n{\"other\":1}\n{\"name\":2,}\n{\"name\":\"\(String(repeating: "k", count: 70_000))\"}\n",
      to: "few.jsonl")
    let summary = try ShardBuilder.build(
      [few], into: directory("few"), options: Self.options { ($0.skipBad, $0.key) = (true, "{name}") })
    #expect(summary.badRecordCount == 3 && summary.recordsIndexed == 1)
    #expect(summary.badRecords.contains { $0.hasPrefix("\(few):3:") })
    // So is a record that cannot be indexed; the list is in the file's order.
    #expect(
      summary.badRecords.map { String($0.prefix("\(few):1:1: record 1:".count)) }
        == ["\(few):2:1: record 2:", "\(few):3:11: record 3", "\(few):4:1: record 4:"], "\(summary.badRecords)")
    // Without skipping, a bad record ends the build.
    do throws(BuildError) {
      _ = try ShardBuilder.build(
        [few], into: directory("strict"), options: Self.options { $0.key = "{name}" })
      Issue.record("bad records were taken")
    } catch {
      #expect("\(error)".hasPrefix("\(few):2:1: record 2: "), "\(error)")
    }
    // If all records are bad, the index is empty and all are counted.
    let none = directory.write("{\n{\n", to: "none.jsonl")
    let empty = try ShardBuilder.build(
      [none], into: directory("none"), options: Self.options { ($0.skipBad, $0.key) = (true, "{name}") })
    #expect(empty.recordsRead == 2 && empty.badRecordCount == 2 && empty.recordsIndexed == 0)
    #expect(try ShardedIndex(opening: directory("none")).recordCount == 0)
  }

  // MARK: Over an index

  @Test("a second build replaces the first, and leaves other files alone")
  func replaces() throws {
    let directory = TemporaryDirectory()
    let path = directory("index")
    func build(_ seed: UInt64, _ count: Int = 2000) throws -> BuildSummary {
      let input = directory.write(
        GeneratedList.bytes(count: count, seed: seed, format: .json), to: "\(seed).json")
      return try ShardBuilder.build([input], into: path, options: Self.options { $0.shardLimitBytes = 4000 })
    }
    let first = try build(1)
    let files = Files.contents(of: path)
    #expect(first.shardsWritten == first.shardCount && files.count == first.shardCount + 1)
    // The same build again writes nothing.
    let again = try build(1)
    #expect(again.shardsWritten == 0 && again.shardCount == first.shardCount)
    #expect(Files.differences(Files.contents(of: path), files) == [])

    let strays = [
      "README.md", "notes.zst", "al-xyz.zst", ".hidden", "manifest.old", "AL-0123456789abcdef.zst",
    ]
    for name in strays { Files.write(Array(name.utf8), to: "\(path)/\(name)") }
    mkdir("\(path)/folder", 0o755)
    let held = try ShardedIndex(opening: path)
    let heldMatches = try held.matches(forPrefix: "")
    let second = try build(2)
    #expect(second.shardsWritten == second.shardCount)
    let index = try ShardedIndex(opening: path)
    #expect(index.recordCount == 2000)
    // A reader of the old generation can still read all of it.
    #expect(try heldMatches.records(in: 0..<2000).count == 2000)
    let scan = try LinearScan(path: directory("2.json"), key: RealList.cities.keyParts)
    let buffer = RecordBuffer()
    try index.matches(forPrefix: "").read(0..<2000, into: buffer)
    #expect(scan.difference(buffer, 0..<2000, scan.fieldNumbers(of: index)) == nil)
    // After a third build the first one's shards are gone.
    _ = try build(3)
    let left = Files.contents(of: path)
    #expect(files.keys.filter { $0 != "manifest" && left[$0] != nil }.isEmpty)
    for name in strays { #expect(left[name] == Array(name.utf8), "\(name)") }
    #expect(Files.names(in: path).contains("folder"))
    #expect(Files.names(in: path).filter { $0.hasPrefix(".shardq-") }.isEmpty)
    // One record more changes a shard or two, and the rest stay as they are.
    let grown = try build(3, 2001)
    #expect(grown.shardsWritten <= 2 && grown.recordsIndexed == 2001)
  }

  @Test("a damaged shard that is still needed is written anew")
  func repairs() throws {
    let directory = TemporaryDirectory()
    let path = directory("index")
    let input = directory.write(GeneratedList.bytes(count: 2000, seed: 1, format: .json), to: "a.json")
    _ = try ShardBuilder.build([input], into: path, options: Self.options { $0.shardLimitBytes = 4000 })
    let files = Files.contents(of: path)
    let name = files.keys.filter { $0.hasSuffix(".zst") }.sorted()[3]
    for damage in 0..<3 {
      switch damage {
      case 0: Files.overwrite("\(path)/\(name)", at: 20, with: [files[name]![20] ^ 1])
      case 1: Files.setSize(of: "\(path)/\(name)", to: 10)
      default: Files.remove("\(path)/\(name)")
      }
      let summary = try ShardBuilder.build(
        [input], into: path, options: Self.options { $0.shardLimitBytes = 4000 })
      #expect(summary.shardsWritten == 1)
      #expect(Files.differences(Files.contents(of: path), files) == [])
    }
    // A build replaces a manifest that cannot be read.
    Files.write([1, 2, 3], to: "\(path)/manifest")
    let summary = try ShardBuilder.build([input], into: path, options: Self.options { $0.shardLimitBytes = 4000 })
    #expect(summary.previousDamage?.contains("\(path)/manifest") == true)
    #expect(Files.differences(Files.contents(of: path), files) == [])
  }

  @Test("every shard of the previous generation stays, on whichever page the manifest lists it")
  func previousPages() throws {
    let directory = TemporaryDirectory()
    let path = directory("index")
    func build(_ seed: UInt64) throws {
      let input = directory.write(GeneratedList.bytes(count: 6000, seed: seed, format: .json), to: "\(seed).json")
      _ = try ShardBuilder.build(
        [input], into: path,
        options: Self.options {
          $0.shardLimitBytes = 1024
          $0.level = 1
        })
    }
    let shards = { Set(Files.names(in: path).filter { $0.hasSuffix(".zst") }) }
    try build(1)
    let first = shards()
    #expect(first.count > 3 * Manifest.pageCapacity)
    try build(2)
    #expect(shards().isSuperset(of: first), "\(first.subtracting(shards()).count) of \(first.count) are gone")
  }

  @Test("a build over a damaged manifest removes no shard; the next build removes shards without a use")
  func damagedManifest() throws {
    let directory = TemporaryDirectory()
    let path = directory("index")
    func build(_ seed: UInt64) throws -> BuildSummary {
      let input = directory.write(GeneratedList.bytes(count: 300, seed: seed, format: .json), to: "\(seed).json")
      return try ShardBuilder.build([input], into: path, options: Self.options { $0.shardLimitBytes = 4000 })
    }
    let shards = { Set(Files.names(in: path).filter { $0.hasSuffix(".zst") }) }
    #expect(try build(1).previousDamage == nil)
    let first = shards()
    // A reader that has the index open may still need all shards.
    let held = try ShardedIndex(opening: path)
    Files.remove("\(path)/manifest")
    Files.write([1, 2, 3], to: "\(path)/manifest")
    #expect(try build(2).previousDamage != nil)
    #expect(shards().isSuperset(of: first))
    #expect(try held.matches(forPrefix: "").records(in: 0..<300).count == 300)
    #expect(try build(3).previousDamage == nil)
    #expect(shards().isDisjoint(with: first))
  }

  @Test("the manifest notes kept fields, coordinates and the weight field")
  func settings() throws {
    let directory = TemporaryDirectory()
    let input = directory.write(
      #"[{"name":"A","country":"B","coord":{"lat":1.0,"lon":2},"w":3}]"#, to: "a.json")
    _ = try ShardBuilder.build([input], into: directory("a"), options: Self.options { $0.weight = "w" })
    let index = try ShardedIndex(opening: directory("a"))
    #expect(index.generation.schema.latitude.map { index.fieldNames[$0] } == "coord.lat")
    #expect(index.generation.schema.longitude.map { index.fieldNames[$0] } == "coord.lon")
    #expect(index.generation.manifest.setting("weight") == "w")
    _ = try ShardBuilder.build(
      [input], into: directory("b"), options: Self.options { $0.keep = ["name", "country"] })
    let kept = try ShardedIndex(opening: directory("b"))
    #expect(kept.fieldNames == ["name", "country"] && kept.generation.schema.latitude == nil)
  }
}

extension Substring {
  /// The line without the brackets and commas of an array with an object on each line.
  fileprivate var trimmingBrackets: Substring {
    var text = self
    while let first = text.first, "[ ".contains(first) { text.removeFirst() }
    while let last = text.last, "], ".contains(last) { text.removeLast() }
    return text
  }

  @Test("a manifest that no reader would open is refused, with the settings to change")
  func manifestLimit() throws {
    let limit = Manifest.sizeLimit
    try ManifestEncoder.checkSize(of: [UInt8](repeating: 0, count: limit), hasStarts: true)
    for hasStarts in [false, true] {
      let error = #expect(throws: BuildError.self) {
        try ManifestEncoder.checkSize(of: [UInt8](repeating: 0, count: limit + 1), hasStarts: hasStarts)
      }
      let text = error?.description ?? ""
      #expect(text.contains("67,108,865 bytes") && text.contains("shardLimitBytes"))
      #expect(text.contains("BuildOptions.starts") == hasStarts)
    }
  }
}
