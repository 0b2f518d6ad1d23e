import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("An index that is written in ranges") struct RangeBuildTests {
  static let program = RangePlan.Program(version: "1", digest: String(repeating: "0", count: 64))

  /// One list, and the directories of its plan, its rows and its target.
  struct Job {
    let directory = TemporaryDirectory()
    var lines: [String]
    let options: BuildOptions
    var writerCount = 3

    init(_ lines: [String], _ options: BuildOptions) {
      (self.lines, self.options) = (lines, options)
      directory.write(lines.joined(), to: "all.jsonl")
    }

    var target: String { directory("target") }

    func plan(_ ranges: Int) throws -> RangePlan {
      let plan = try ShardBuilder.planRanges(
        [directory("all.jsonl")], ranges: ranges, options: options, program: program, in: directory.path)
      directory.write(plan.text, to: "plan")
      return plan
    }

    /// Reads the plan with other first keys of its ranges.
    func plan(bounds: [String]) throws -> RangePlan {
      var lines = String(decoding: try plan(1).text, as: UTF8.self).split(separator: "\n")
      let entries = stride(from: 0, to: bounds.count, by: 2).map { "entry-bound\t\(bounds[$0])" }
      lines.insert(contentsOf: (bounds.map { "bound\t\($0)" } + entries).map { $0[...] }, at: lines.count - 1)
      return try read(lines.joined(separator: "\n") + "\n")
    }

    func read(_ text: String) throws -> RangePlan {
      try RangePlan(reading: directory.write(text, to: "plan"), for: program)
    }

    func keyed(_ plan: RangePlan, ids: Bool = false) throws -> [String] {
      var bytes: [UInt8] = []
      _ = try ShardBuilder.writeRangeKeys(plan, of: directory("all.jsonl"), ids: ids) { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { String($0) }
    }

    /// Groups lines by the range that they begin with, and gives the groups to writers; returns the printed rows.
    func written(
      _ lines: [String], _ plan: RangePlan, isOfEntries: Bool = false, progress: ((BuildProgress) -> Void)? = nil
    ) throws -> [String] {
      let groups = Dictionary(grouping: lines) { $0.prefix { $0 != "\t" } }.values.shuffled()
      var resources = BuildOptions()
      (resources.jobs, resources.memoryBytes) = (2, 1 << 20)
      var bytes: [UInt8] = []
      for writer in 0..<writerCount {
        let part = groups.enumerated().filter { $0.offset % writerCount == writer }.flatMap(\.element).shuffled()
        let input = directory.write(part.map { $0 + "\n" }.joined(), to: "part")
        let target = try DirectoryTarget(target)
        if isOfEntries {
          try ShardBuilder.writeEntryRanges(plan, of: input, to: target, resources: resources, progress: progress) {
            bytes += $0
          }
        } else {
          try ShardBuilder.writeRanges(plan, of: input, to: target, resources: resources, progress: progress) {
            bytes += $0
          }
        }
      }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    /// Writes all ranges; returns the rows.
    func rows(_ plan: RangePlan) throws -> [String] {
      let printed = try written(try keyed(plan), plan)
      let entries = printed.filter { $0.hasPrefix("entry\t") }.map { String($0.dropFirst(6)) }
      let rows = printed.filter { !$0.hasPrefix("entry\t") }
      return entries.isEmpty ? rows : rows + (try written(entries, plan, isOfEntries: true))
    }

    @discardableResult
    func merge(
      _ plan: RangePlan, _ rows: [String], records: Int? = nil, repeatedIDs: Int? = nil,
      progress: ((BuildProgress) -> Void)? = nil
    ) throws -> ShardBuilder.MergeSummary {
      let file = directory.write(rows.shuffled().map { $0 + "\n" }.joined(), to: "rows")
      return try ShardBuilder.merge(
        plan, rows: [file], records: records, repeatedIDs: repeatedIDs, in: DirectoryTarget(target),
        resources: BuildOptions(), progress: progress)
    }

    /// Returns the files of one build.
    func whole() throws -> [String: [UInt8]] {
      _ = try ShardBuilder.build([directory("all.jsonl")], into: directory("whole"), options: options)
      return Files.contents(of: directory("whole"))
    }

    func repeatedIDs(_ plan: RangePlan) throws -> Int {
      let ids = try keyed(plan, ids: true).filter { !$0.isEmpty }
      return ids.count - Set(ids).count
    }

    /// Returns the files that differ from those of one build; none if the ranges were put together right.
    func differences(_ plan: RangePlan, _ whole: [String: [UInt8]]) throws -> [String] {
      Files.remove(target)
      try merge(plan, try rows(plan), records: lines.count, repeatedIDs: try repeatedIDs(plan))
      return Files.differences(Files.contents(of: target), whole)
    }

    /// Returns the message of a refusal.
    func refusal(_ body: () throws -> Void) -> String {
      do { try body() } catch { return "\(error)".replacing(directory.path + "/", with: "") }
      Issue.record("not refused")
      return ""
    }
  }

  static func lines(_ list: ChangingList) -> [String] {
    list.records.map { ModelRecord.json([("_id", .number("\($0.id)"))] + $0.members) + "\n" }
  }

  /// Keys of some records, as a plan has them: ranges begin with equal keys, or in the middle of them.
  private static func bounds(_ job: Job, _ count: Int, _ random: inout SplitMix64) throws -> [String] {
    let plan = try job.plan(4000)
    let all = plan.text.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0.hasPrefix("bound\t") }.map { String($0.dropFirst(6)) }
    return Set((0..<count).compactMap { _ in all.indices.randomElement(using: &random) }).sorted().map { all[$0] }
  }

  static func options(_ number: Int) -> BuildOptions {
    var options = BuildOptions()
    (options.level, options.shardLimitBytes, options.partSizeBytes) = (1, 2048, 512)
    (options.key, options.inputFormat) = ("{name}, {country}", .jsonl)
    switch number {
    case 1: (options.typos, options.filter, options.near) = (true, ["country"], true)
    case 2:
      (options.words, options.alias, options.weight) = (.body, ["alt:-1"], "pop")
      (options.number, options.searchFields) = (["pop"], ["alt", "country:-16"])
    case 3:
      (options.words, options.typos, options.filter, options.near) = (.all, true, ["country", "alt"], true)
      (options.weight, options.weightScale, options.number) = ("pop", 0.5, ["_id", "pop"])
    case 4:
      (options.starts, options.words, options.alias, options.weight) = (true, .body, ["initials"], "pop")
      options.number = ["pop"]
    case 5: options.keep = ["name", "country", "_id"]
    default: break
    }
    return options
  }

  @Test(
    "ranges have the bytes of one build, for all options, lists and borders",
    arguments: 0..<6, ["ragged", "smooth", "same", "entries"])
  func ranges(number: Int, kind: String) throws {
    // Only the last of these lists has the fields of weights and other names.
    guard kind == "entries" || ![2, 3, 4].contains(number) else { return }
    let make =
      ["ragged": ChangingList.ragged, "smooth": ChangingList.smooth, "same": ChangingList.same][kind]
      ?? EntryList.members
    var options = Self.options(number)
    if kind != "entries" { options.near = options.near && kind != "same" }
    let list = ChangingList(count: TestData.count(300, 1200), seed: UInt64(number), make)
    let job = Job(Self.lines(list), options)
    let whole = try job.whole()
    var random = SplitMix64(seed: UInt64(number))
    for ranges in [1, 3, 16] {
      #expect(try job.differences(try job.plan(ranges), whole) == [], "\(ranges) ranges")
      let bounds = try Self.bounds(job, ranges, &random)
      #expect(try job.differences(try job.plan(bounds: bounds), whole) == [], "ranges from \(bounds) on")
    }
  }

  @Test("ranges may have repeated ids and records without an id") func ids() throws {
    var list = ChangingList(count: 300, seed: 3, ChangingList.smooth)
    for index in 0..<100 where index % 3 == 0 { list.records[index].id = 7 }
    var lines = Self.lines(list)
    for index in 200..<230 { lines[index] = lines[index].replacing(#""_id""#, with: #""x""#) }
    let job = Job(lines, Self.options(0))
    #expect(try job.differences(try job.plan(5), try job.whole()) == [])
    // A list without the field, and a list whose id field was named.
    let none = Job(lines.map { $0.replacing(#""_id""#, with: #""x""#) }, Self.options(0))
    #expect(try none.differences(try none.plan(5), try none.whole()) == [])
    var options = Self.options(0)
    options.id = "x"
    let named = Job(lines, options)
    #expect(try named.differences(try named.plan(5), try named.whole()) == [])
  }

  @Test("ranges may have records of a megabyte, and a beginning of a third of all records") func skewed() throws {
    var random = SplitMix64(seed: 1)
    var lines = (0..<1500).map { number in
      let name = number % 3 == 0 ? "san \(UInt64.random(in: 0..<1000, using: &random))" : "\(number * 7919)"
      return #"{"name":"\#(name)","country":"X","_id":\#(number)}"# + "\n"
    }
    for number in 0..<3 {
      let text = String(repeating: "y\(number)", count: 500_000)
      lines.append(#"{"name":"m\#(number)","country":"X","_id":\#(9000 + number),"note":"\#(text)"}"# + "\n")
    }
    let job = Job(lines, Self.options(0))
    let whole = try job.whole()
    for bounds in [["san"], ["m0,", "m1", "san 5"], ["0", "9", "zz"]] {
      #expect(try job.differences(try job.plan(bounds: bounds), whole) == [], "\(bounds)")
    }
  }

  @Test("missing ranges, differing rows, and rows of another plan or program are refused") func refusals() throws {
    let list = ChangingList(count: 400, seed: 5, EntryList.members)
    let job = Job(Self.lines(list), Self.options(2))
    let plan = try job.plan(4)
    let rows = try job.rows(plan)
    let records = rows.filter { $0.hasPrefix("row\trecords\t") }.sorted()
    #expect(records.count == 4)
    func refused(_ rows: [String], records: Int? = nil) -> String {
      job.refusal { try job.merge(plan, rows, records: records) }
    }
    let without = rows.filter { $0 != records[2] }
    #expect(refused(without).hasPrefix("range 2 has no row"))
    #expect(refused(without, records: 400).hasPrefix("the rows have "))
    let other = records[2].split(separator: "\t", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset == 6 ? "1" : String($0.element) }.joined(separator: "\t")
    // The checksum finds a changed row; a row of another process has a checksum of its own.
    #expect(refused(rows + [other]).contains("is not a row"))
    var second = try #require(RangeRow(line: Array(records[2].utf8)))
    second.records = 1
    #expect(refused(rows + [second.line]).hasPrefix("range 2 has two different rows"))
    #expect(refused(rows.filter { !$0.hasPrefix("row\tentries\t0\t") }).contains("entries, and rows of entries have"))
    #expect(refused(rows.filter { !$0.hasPrefix("row\t") }, records: 0).hasPrefix("there are no rows"))
    #expect(refused(rows + ["row\trecords\tx"]).contains("is not a row"))
    let larger = try job.plan(5)
    #expect(job.refusal { try job.merge(larger, rows) }.contains("is a row of another plan"))
    // None of the refused merges published an index.
    #expect(Files.read(job.target + "/manifest") == nil)
    // A file that is missing or cut short.
    let shard = Files.names(in: job.target).first { $0.hasPrefix("s") && $0.hasSuffix(".zst") }!
    let bytes = Files.read(job.target + "/" + shard)!
    Files.write(Array(bytes.dropLast()), to: job.target + "/" + shard)
    #expect(refused(rows).contains(shard))
    Files.write(bytes, to: job.target + "/" + shard)
    let manifest = Files.names(in: job.target).first { $0.hasPrefix("manifest-") }!
    let content = Files.read(job.target + "/" + manifest)!
    Files.write(Array("no manifest at all".utf8), to: job.target + "/" + manifest)
    #expect(refused(rows).contains(manifest) || refused(rows).contains("manifest"))
    Files.write(content, to: job.target + "/" + manifest)
    // Two equal rows come from a range that an engine ran twice.
    try job.merge(plan, rows + [records[1]])
    #expect(Files.read(job.target + "/manifest") != nil)
    #expect(Files.names(in: job.target).allSatisfy { !$0.hasPrefix("manifest-") && !$0.hasPrefix(".shardq-range") })
  }

  @Test("a plan cut short, one of another program, and a file that is no plan are refused") func plans() throws {
    let job = Job(Self.lines(ChangingList(count: 50, seed: 5, ChangingList.smooth)), Self.options(0))
    let text = String(decoding: try job.plan(3).text, as: UTF8.self)
    _ = try job.read(text)
    #expect(job.refusal { _ = try job.read(String(text.dropLast(4))) }.contains("the end of the plan is missing"))
    #expect(job.refusal { _ = try job.read(text + "x\n") }.contains("follows the end"))
    #expect(job.refusal { _ = try job.read("a\nb\n") }.contains("is not a plan"))
    #expect(job.refusal { _ = try job.read("") }.contains("is not a plan"))
    #expect(
      job.refusal { _ = try job.read(text.replacing("000", with: "001")) }.contains("another program made this plan"))
    #expect(
      job.refusal { _ = try job.read(text.replacing("zstd", with: "zst")) }.contains("another program made this plan"))
    for line in ["bound\ta\tb", "bound\t", "level\tx", "format\txml", "words\tx", "nonsense\t1", "key\t\\zz"] {
      #expect(
        job.refusal { _ = try job.read(text.replacing("end\n", with: line + "\nend\n")) }.contains("plan:"), "\(line)")
    }
  }

  @Test("lines that cannot be passed on unchanged, and lines of another plan, are refused") func badLines() throws {
    func refusal(_ bytes: [UInt8]) throws -> String {
      let job = Job(["{\"name\":\"a\",\"country\":\"B\"}\n"], Self.options(0))
      let plan = try job.plan(1)
      job.directory.write(bytes, to: "all.jsonl")
      return job.refusal { _ = try job.keyed(plan) }
    }
    let good = Array(#"{"name":"a","country":"B"}"#.utf8)
    #expect(try refusal(good + [0x0A, 0xFF, 0x0A]).hasPrefix("all.jsonl:2:"))
    #expect(try refusal(good + [0x0D] + good + [0x0A]) != "")
    #expect(try refusal(Array(#"{"name":"#.utf8) + [0x22, 0x01, 0x22, 0x7D, 0x0A]) != "")
    #expect(try refusal(Array("{\"country\":1,\"x\":2}\n{\"x\":1}\n".utf8)).contains("all.jsonl:2:1: record 2:"))
    let job = Job(Self.lines(ChangingList(count: 90, seed: 5, ChangingList.smooth)), Self.options(0))
    let plan = try job.plan(3)
    let lines = try job.keyed(plan)
    for line in ["{}", "x\t{}", "3\t{}", "\t{}", "99999999999\t{}", "1"] {
      #expect(
        job.refusal { _ = try job.written(lines + [line], plan) }.contains("does not begin with a range of the plan"),
        "\(line)")
    }
    let moved = lines.map { $0.hasPrefix("1\t") ? "2" + $0.dropFirst() : $0 }
    #expect(job.refusal { _ = try job.written(moved, plan) }.contains("lines name the range 2"))
    #expect(Files.names(in: job.target).allSatisfy { !$0.hasPrefix(".shardq-range") })
    let words = Job(Self.lines(ChangingList(count: 90, seed: 5, EntryList.members)), Self.options(2))
    let wordPlan = try words.plan(2)
    for line in ["0\ta", "9\ta\t\t\t", "0\ta\tzb\t\t", "0\ta\ts\\q\t\t"] {
      #expect(
        words.refusal { _ = try words.written([line], wordPlan, isOfEntries: true) }.contains("part:1: the line"),
        "\(line)")
    }
  }

  @Test("samples that are no lines of records are refused with advice") func samples() {
    func refusal(_ text: String, _ name: String, _ change: (inout BuildOptions) -> Void = { _ in }) -> String {
      var options = BuildOptions()
      change(&options)
      let directory = TemporaryDirectory()
      let input = directory.write(text, to: name)
      do {
        _ = try ShardBuilder.planRanges([input], ranges: 2, options: options, program: Self.program, in: directory.path)
      } catch { return "\(error)".replacing(directory.path + "/", with: "") }
      return ""
    }
    #expect(refusal(#"[{"name":"a","country":"b"}]"#, "a.json").contains("each record of a range must be a line"))
    #expect(refusal("name,country\na,b\n", "a.csv").contains("may have several lines"))
    #expect(refusal("name\tcountry\na\tb\n", "a.tsv").contains("have no header"))
    #expect(refusal("a\tb\n", "a.tsv") { $0.columns = ["name", "country"] } == "")
    #expect(refusal("", "a.jsonl").contains("pass a sample with records"))
    #expect(refusal("a\nb\n", "a.txt") == "")
    #expect(
      refusal("a\nb\n", "a.txt") { ($0.weightsFile, $0.id) = ("w", "_id") }.contains("join the weights to the records"))
    #expect(refusal("a\nb\n", "a.txt") { $0.dialect.encoding = .latin1 }.contains("iconv"))
  }
}
