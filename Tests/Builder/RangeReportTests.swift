import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The reports about ranges") struct RangeReportTests {
  private typealias Job = RangeBuildTests.Job

  private static func job(_ count: Int, _ options: Int) -> Job {
    Job(
      RangeBuildTests.lines(ChangingList(count: count, seed: 5, EntryList.members)), RangeBuildTests.options(options))
  }

  @Test("a summary follows each row, and merge skips it") func summaries() throws {
    let job = Self.job(400, 2)
    let plan = try job.plan(4)
    let lines = try job.rows(plan)
    let rows = lines.indices.filter { lines[$0].hasPrefix("row\t") }
    #expect(rows.count > 4 && lines.count == 2 * rows.count)
    for at in rows {
      let row = try #require(RangeRow(line: Array(lines[at].utf8)))
      let columns = lines[at + 1].split(separator: "\t")
      #expect(
        columns.prefix(4) == ["summary", row.isOfEntries ? "entries" : "records", "\(row.range)", "\(row.records)"])
      #expect(columns.count == 6 && columns[5].contains(/^[0-9]+\.[0-9]$/), "\(lines[at + 1])")
    }
    try job.merge(plan, lines, records: 400)
    let line = RangeSummary(isOfEntries: false, range: 3, records: 5, bytes: 7, milliseconds: 12_350).line
    #expect(line == "summary\trecords\t3\t5\t7\t12.4")
  }

  @Test("a summary has the bytes of all files of the range", arguments: [0, 3]) func bytes(options: Int) throws {
    let job = Self.job(300, options)
    let plan = try job.plan(1)
    let summary = try #require(try job.written(try job.keyed(plan), plan).first { $0.hasPrefix("summary\t") })
    let files = Files.contents(of: job.target).values.reduce(0) { $0 + $1.count }
    #expect(summary.split(separator: "\t")[4] == "\(files)")
  }

  @Test("each function of a job tells its progress") func progress() throws {
    var job = Self.job(400, 2)
    job.writerCount = 1
    var steps: [BuildProgress] = []
    func last(_ phase: BuildProgress.Phase) -> BuildProgress? { steps.last { $0.phase == phase } }
    let input = job.directory("all.jsonl")
    let plan = try ShardBuilder.planRanges(
      [input], ranges: 4, options: job.options, program: RangeBuildTests.program, in: job.directory.path,
      progress: { steps.append($0) })
    #expect(last(.reading)?.records == 400 && last(.reading)?.done == Files.bytes(input).count)
    #expect(last(.sorting)?.records == 400)
    steps = []
    let keys = try ShardBuilder.writeRangeKeys(plan, of: input, ids: false, progress: { steps.append($0) }) { _ in }
    #expect((keys.records, keys.bytes) == (400, Files.bytes(input).count))
    #expect((last(.reading)?.records, last(.reading)?.done) == (400, keys.bytes))
    steps = []
    let printed = try job.written(try job.keyed(plan), plan, progress: { steps.append($0) })
    #expect(last(.reading)?.records == 400 && last(.sorting)?.records == 400)
    #expect((last(.writing)?.done, last(.writing)?.total) == (400, 400))
    let entries = printed.filter { $0.hasPrefix("entry\t") }.map { String($0.dropFirst(6)) }
    steps = []
    let rows = try job.written(entries, plan, isOfEntries: true, progress: { steps.append($0) })
    #expect(last(.sorting)?.records == entries.count)
    #expect((last(.writing)?.done, last(.writing)?.total) == (entries.count, entries.count))
    steps = []
    let all = printed.filter { !$0.hasPrefix("entry\t") } + rows
    try job.merge(plan, all, progress: { steps.append($0) })
    let ranges = all.count { $0.hasPrefix("row\t") }
    #expect((last(.reading)?.done, last(.reading)?.total) == (ranges, ranges))
    #expect((last(.writing)?.done, last(.writing)?.total) == (400 + entries.count, 400 + entries.count))
  }

  @Test("a key with many records makes a skewed range, and other keys make none") func skew() throws {
    func skews(_ names: [String], others: [String] = [], ranges: Int) throws -> [RangeSkew] {
      let lines = names.indices.map { number in
        let other = others.isEmpty ? "" : #""alt":"\#(others[number])","#
        return #"{"name":"\#(names[number])",\#(other)"_id":\#(number)}"# + "\n"
      }
      var options = BuildOptions()
      (options.key, options.inputFormat, options.alias) = ("{name}", .jsonl, others.isEmpty ? [] : ["alt"])
      let directory = TemporaryDirectory()
      let input = directory.write(lines.shuffled().joined(), to: "sample.jsonl")
      var found: [RangeSkew] = []
      _ = try ShardBuilder.planRanges(
        [input], ranges: ranges, options: options, program: RangeBuildTests.program, in: directory.path,
        reportSkew: { found.append($0) })
      return found
    }
    let distinct = (0..<1000).map { "name \(1000 + $0)" }
    for ranges in [1, 2, 7, 64, 1000, 4000] { #expect(try skews(distinct, ranges: ranges) == []) }
    // A range of 10 begins in the middle of the key, with its first record.
    let many = Array(repeating: "name 1500", count: 400)
    let skew = try #require(try skews(distinct + many, ranges: 10).first)
    #expect((skew.isOfEntries, skew.total, skew.recordsOfKey) == (false, 1400, 401))
    #expect(skew.key == Array("name 1500".utf8) && (401...541).contains(skew.records))
    // The first range begins with the first key.
    let first = try #require(try skews(distinct + Array(repeating: "a", count: 900), ranges: 10).first)
    #expect((first.range, first.recordsOfKey, first.key) == (0, 900, Array("a".utf8)))
    // Twice the mean is the limit.
    #expect(try skews(Array(repeating: "a", count: 40) + distinct.prefix(60), ranges: 5) == [])
    #expect(try skews(["a", "a", "a"], ranges: 5) == [])
    // Other names make entries, and half of these have one key.
    let others = (0..<500).map { "w\($0)" } + Array(repeating: "same", count: 500)
    let ofEntries = try skews(distinct, others: others, ranges: 8)
    #expect(ofEntries.map(\.isOfEntries) == [true] && ofEntries.map(\.recordsOfKey) == [500], "\(ofEntries)")
    #expect(ofEntries.map(\.key) == [Array("same".utf8)])
  }

  @Test("what a failed job left in a directory is removed, and no other file") func prune() throws {
    let job = Self.job(300, 0)
    let plan = try job.plan(3)
    func pruned(_ age: Int = 0, isDryRun: Bool = false) throws -> [String] {
      try ShardBuilder.pruneRanges(in: job.target, olderThan: age, isDryRun: isDryRun).map(\.name)
    }
    let rows = try job.written(try job.keyed(plan), plan)
    let left = Files.names(in: job.target)
    let shard = try #require(left.first { $0.hasSuffix(".zst") })
    mkdir(job.target + "/.shardq-range-1-2-3", 0o755)
    Files.write(Files.bytes(job.target + "/" + shard), to: job.target + "/.shardq-range-1-2-3/" + shard)
    let own = ["letter.txt", "backup-0123456789abcdef.zst", "manifest-" + String(repeating: "0", count: 32)]
    for name in own { Files.write([1, 2, 3], to: job.target + "/" + name) }
    mkdir(job.target + "/.shardq-range-4-5-6", 0o755)
    Files.write([1], to: job.target + "/.shardq-range-4-5-6/letter.txt")
    let users = own + [".shardq-range-4-5-6"]
    let all = Files.names(in: job.target)
    let removed = ([".shardq-range-1-2-3"] + left).sorted()
    #expect(try pruned(3600) == [] && pruned(isDryRun: true) == removed)
    #expect(Files.names(in: job.target) == all)
    #expect(try pruned() == removed)
    #expect(Files.names(in: job.target) == (users + [".lock"]).sorted())
    #expect(try pruned() == [])
    for name in own { Files.remove(job.target + "/" + name) }
    Files.remove(job.target + "/.shardq-range-4-5-6")
    // Beside an index, its own files stay. The files of the job are written again.
    #expect(try job.written(try job.keyed(plan), plan).count == rows.count)
    try job.merge(plan, rows)
    let merged = Files.contents(of: job.target)
    #expect(try pruned().allSatisfy { $0.hasSuffix(".zst") })
    let whole = Files.contents(of: job.target)
    #expect(try pruned() == [])
    _ = try job.written(try job.keyed(plan), plan)
    #expect(Files.names(in: job.target).count > whole.count)
    // A reader of the generation before may need its files while the manifest is young.
    for name in Files.names(in: job.target) where name != "manifest" {
      Files.setModified(job.target + "/" + name, seconds: 1)
    }
    #expect(try pruned(3600) == [])
    #expect(try pruned() != [] && Files.contents(of: job.target) == whole)
    #expect(Set(whole.keys).isSubset(of: merged.keys))
    // Without the names in the manifest nothing is removed.
    _ = try job.written(try job.keyed(plan), plan)
    let count = Files.names(in: job.target).count
    Files.write([1, 2, 3], to: job.target + "/manifest")
    #expect(throws: BuildError.self) { _ = try pruned() }
    #expect(Files.names(in: job.target).count == count)
    #expect(job.refusal { _ = try ShardBuilder.pruneRanges(in: job.target + "x", olderThan: 0, isDryRun: false) } != "")
  }
}
