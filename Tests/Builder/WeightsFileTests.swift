import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Weights from a file of their own") struct WeightsFileTests {
  private typealias List = ChangingList

  private static func options(_ weights: String, _ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    var options = ChangingList.weightedOptions { ($0.weight, $0.id, $0.weightsFile) = (nil, "_id", weights) }
    change(&options)
    return options
  }

  /// Returns the refusal of a build of three records, `a`, `b` and `c` with ids 1 to 3, with these weights.
  private static func refusal(_ weights: String, _ change: (inout BuildOptions) -> Void = { _ in }) -> String {
    let directory = TemporaryDirectory()
    let list = directory.write(
      #"[{"_id":1,"name":"a"},{"_id":"2","name":"b"},{"_id":3,"name":"c","rank":{"x":5}}]"#, to: "list.json")
    let file = directory.write(weights, to: "weights.tsv")
    do {
      let options = Self.options(file) {
        $0.key = "{name}"
        change(&$0)
      }
      _ = try ShardBuilder.build([list], into: directory("index"), options: options)
    } catch {
      #expect(Files.read(directory("index/manifest")) == nil)
      return "\(error)".replacing(directory.path + "/", with: "")
    }
    Issue.record("built with \(weights)")
    return ""
  }

  @Test("a weight becomes the last field of the record that has the id") func fields() throws {
    let directory = TemporaryDirectory()
    let list = directory.write(
      #"""
      [{"_id":1,"name":"a"},{"_id":"2","name":"b"},{"_id":3,"name":"c"},{"_id":4,"name":"d"},
      {"_id":5,"name":"e"},{"name":"f"},{"_id":1.0,"name":"g"}]
      """#, to: "list.json")
    let text = "3\t1e30\n\n1\t12\r\n2\t-7\n5\t+.5\n9\t1\n"
    var files: [[String: [UInt8]]] = []
    for name in ["weights.tsv", "other"] {
      let options = Self.options(directory.write(text, to: name)) {
        ($0.key, $0.jobs) = ("{name}", files.count + 1)
      }
      let summary = try ShardBuilder.build([list], into: directory(name + ".index"), options: options)
      #expect(summary.weightsFound == 4 && summary.greatestWeight == UInt64(Int64.max))
      files.append(Files.contents(of: directory(name + ".index")))
    }
    #expect(files[0] == files[1])
    let index = try ShardedIndex(opening: directory("other.index"))
    #expect(index.fieldNames.last == "weight")
    #expect(index.generation.manifest.setting("weights") == "file")
    let weights = try SmallIndex.export(index).map { $0.fields.first { $0.name == "weight" }.map { "\($0.text)" } }
    #expect(weights == ["12", "-7", "1e30", nil, "+.5", nil, nil])
    #expect(try RanksTests.found(in: index) == [[UInt64(Int64.max)]])
    // The index is that of a dataset with the field.
    var own = ChangingList.weightedOptions { ($0.key, $0.weight, $0.id) = ("{name}", "weight", "_id") }
    own.weightScale = nil
    let merged = directory.write(
      #"""
      [{"_id":1,"name":"a","weight":12},{"_id":"2","name":"b","weight":-7},{"_id":3,"name":"c","weight":1e30},
      {"_id":4,"name":"d"},{"_id":5,"name":"e","weight":"+.5"},{"name":"f"},{"_id":1.0,"name":"g"}]
      """#, to: "merged.json")
    _ = try ShardBuilder.build([merged], into: directory("merged"), options: own)
    #expect(Files.differences(Files.contents(of: directory("merged")), files[0]) == ["manifest"])
  }

  @Test("a wrong file is refused with its line, and nothing is published")
  func refusals() {
    #expect(
      Self.refusal("1\t5\n\n2\tmany\n")
        == "weights.tsv:3:1: \"many\" is not a decimal number; write an id, a tab and a number on each line")
    for text in ["NaN", "inf", "", "0x10", "1 ", "1,000", "1e", String(repeating: "1", count: 65)] {
      #expect(Self.refusal("1\t\(text)\n").contains("is not a decimal number"), "\(text)")
    }
    #expect(
      Self.refusal("1\t5\n2\t6\n1\t5\n") == "weights.tsv:3:1: the id \"1\" is in line 1 already; keep one of them")
    #expect(Self.refusal("1\t5\n2\n").hasPrefix("weights.tsv:2:1: "))
    #expect(Self.refusal("1\t5\t6\n").hasPrefix("weights.tsv:1:1: "))
    #expect(Self.refusal("1\t5\n") { $0.id = nil }.contains("needs BuildOptions.id"))
    #expect(
      Self.refusal("1\t5\n") { $0.weight = "rank" }
        == "list.json:1:46: record 3: has a field \"rank\", the name for the weights of the file; choose another name"
        + " with BuildOptions.weight")
    #expect(Self.refusal("1\t5\n") { $0.weight = "name" }.contains("choose another name with BuildOptions.weight"))
    #expect(Self.refusal("1\t5\n") { $0.keep = ["name", "_id"] }.contains("keep it too"))
    #expect(Self.refusal("1\t5\n") { $0.weightScale = -2 }.contains("scale"))
  }

  @Test("a file that is too large for the memory is refused with the memory that it needs") func memory() throws {
    let directory = TemporaryDirectory()
    let list = directory.write(#"[{"_id":1,"name":"a"}]"#, to: "list.json")
    let weights = directory.write((0..<20_000).map { "\($0)\t\($0)\n" }.joined(), to: "weights.tsv")
    func build(_ memory: Int) throws {
      let options = Self.options(weights) { ($0.key, $0.memoryBytes) = ("{name}", memory) }
      _ = try ShardBuilder.build([list], into: directory("index"), options: options)
    }
    let error = try #require(throws: BuildError.self) { try build(1 << 20) }
    let advice = try #require(
      "\(error)".firstRange(of: "set BuildOptions.memoryBytes to ").map { "\(error)"[$0.upperBound...] })
    let size = try #require(Int(advice.prefix { $0.isNumber }))
    #expect(throws: BuildError.self) { try build(size - (1 << 20)) }
    try build(size)
  }

  @Test("an update and a verification take the weights of changed records from the file", arguments: [false, true])
  func updates(writesOverlay: Bool) throws {
    let directory = TemporaryDirectory()
    var list = List(count: 400, seed: 2) { random in
      ChangingList.weighted(&random).filter { $0.0 != "pop" }
    }
    var weights: [Int: Int] = [:]
    func write() -> String {
      directory.write(weights.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }.joined(), to: "weights.tsv")
    }
    for id in 0..<400 where id % 3 > 0 { weights[id] = id * 7 % 1000 }
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: Self.options(write()))
    for round in 0..<6 {
      // In every second round only weights change.
      let change = round % 2 == 0 ? list.change(10) : (upsert: Array(list.records.prefix(5)), delete: [])
      for record in change.upsert { weights[record.id] = Int.random(in: 0..<2000, using: &list.random) }
      let upsert = directory.write(List.text(change.upsert), to: "upsert.jsonl")
      let delete = directory.write("_id\n" + change.delete.map { "\($0)\n" }.joined(), to: "delete.csv")
      var options = BuildOptions()
      #expect(throws: BuildError.self) { try ShardBuilder.update(directory("index"), upsert: [upsert], delete: []) }
      (options.weightsFile, options.writesOverlay) = (write(), writesOverlay && round % 2 == 0)
      let summary = try ShardBuilder.update(
        directory("index"), upsert: [upsert], delete: [delete], options: options)
      #expect(summary.weightsFound == change.upsert.count)
      if options.writesOverlay { continue }
      let changed = directory.write(List.text(list.records), to: "list.jsonl")
      Files.remove(directory("built"))
      _ = try ShardBuilder.build([changed], into: directory("built"), options: Self.options(write()))
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
    var source = Verifier.Source([directory("list.jsonl")], options: DatasetOptions())
    source.weightsFile = directory("weights.tsv")
    #expect(try Verifier.verify(index: directory("built"), source: source) { _ in }.isSound)
    weights[list.records[0].id] = 1_000_000
    _ = write()
    #expect(try !Verifier.verify(index: directory("built"), source: source) { _ in }.isSound)
    source.weightsFile = nil
    #expect(throws: Verifier.VerifyError.self) {
      try Verifier.verify(index: directory("built"), source: source) { _ in }
    }
  }

  @Test("an index that was built without a file takes none") func without() throws {
    let directory = TemporaryDirectory()
    let list = directory.write(#"[{"_id":1,"name":"a"}]"#, to: "list.json")
    _ = try ShardBuilder.build(
      [list], into: directory("index"),
      options: ChangingList.weightedOptions { ($0.key, $0.weight, $0.id) = ("{name}", nil, "_id") })
    var options = BuildOptions()
    options.weightsFile = directory.write("1\t5\n", to: "weights.tsv")
    #expect(throws: BuildError.self) {
      try ShardBuilder.update(directory("index"), upsert: [list], delete: [], options: options)
    }
  }
}
