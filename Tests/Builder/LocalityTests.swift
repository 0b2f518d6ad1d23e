import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// A list as the builder sorts it: a test changes a record, then cuts and encodes again without reading, sorting or
/// writing.
private final class SortedList: Sendable {
  let names: FieldNames
  /// In order.
  let records: RecordArena
  let limit: Int

  /// The list of the real cities.
  init(cities path: String, limit: Int) throws {
    let reader = try DatasetReader(path: path)
    var encoder = RecordEncoder(template: try KeyTemplate(checking: "{name}, {country}"))
    var sort = ExternalSort(memory: 1 << 30, directory: RunDirectory(path: "/tmp"))
    var batch = RecordBatch()
    while try reader.read(into: &batch) {
      let chunk = RecordArena(capacity: batch.bytes.count * 2)
      precondition(encoder.encode(batch, names: reader.names, into: chunk).isEmpty)
      try sort.add(chunk, names: reader.names)
    }
    names = reader.names
    let sorted = try sort.finish(names: names)
    let records = RecordArena(capacity: 64 << 20)
    while let batch = try sorted.nextBatch() { for record in batch { records.append(record) } }
    self.records = records
    self.limit = limit
  }

  var order: RecordOrder { RecordOrder(names: names) }

  /// Cuts the list in which record `old` is left out, or replaced by `new`, or `new` is added.
  func pieces(without old: Int? = nil, with new: RecordBlob? = nil) -> [Piece] {
    var cutter = Cutter(limit: limit, order: order)
    let order = order
    var waiting = new
    for index in 0..<records.count {
      let record = records.record(index)
      // Finding the place is cheap, because most comparisons end at the first bytes.
      if let next = waiting, order.compare(next, record) <= 0 {
        cutter.append(next)
        waiting = nil
      }
      if index != old { cutter.append(record) }
    }
    if let waiting { cutter.append(waiting) }
    cutter.finish()
    return cutter.finished
  }

  /// The names of a piece's files, which depend on its content and the beginning of its first key.
  func files(of piece: Piece, _ compressor: Compressor) throws -> [String] {
    let encoder = ShardEncoder(names: names.names)
    let shards = try piece.encoded(limit: limit) { (part) throws(BuildError) in
      (part, encoder.encode((0..<part.count).map { part.record($0) }))
    } size: {
      $0.1.size
    }
    return shards.map { part, content in
      let file = encoder.file(content, level: 1, with: compressor)
      return Manifest.fileName(
        label: Manifest.label(ofKey: part.record(0).folded),
        digest: Digest.sha256(file.bytes))
    }
  }
}

/// Serial, because each test uses all processors.
@Suite("A small change, few files", .serialized) struct LocalityTests {
  private static let isSkipped = TestData.skipReason

  /// Pieces that differ between both lists: a few in the middle, because a change is local.
  private static func changed(_ a: [Piece], _ b: [Piece]) -> (Range<Int>, Range<Int>) {
    func isSame(_ a: Piece, _ b: Piece) -> Bool {
      guard a.count == b.count, a.lowerBound == b.lowerBound else { return false }
      for index in 0..<a.count {
        let (left, right) = (a.record(index), b.record(index))
        guard left.size == right.size, memcmp(left.start, right.start, left.size) == 0 else { return false }
      }
      return true
    }
    var start = 0
    while start < min(a.count, b.count), isSame(a[start], b[start]) { start += 1 }
    var end = 0
    while end < min(a.count, b.count) - start, isSame(a[a.count - 1 - end], b[b.count - 1 - end]) { end += 1 }
    return (start..<a.count - end, start..<b.count - end)
  }

  /// A copy of a record with one field's text changed, its key made again.
  private static func edited(_ record: RecordBlob, _ names: FieldNames, _ change: (String, String) -> String)
    throws -> RecordArena
  {
    var fields: [BuilderSupport.Field] = []
    var offset = record.textsOffset
    for field in 0..<record.fieldCount {
      let text = String(decoding: record.text(field, &offset), as: UTF8.self)
      let name = names.names[Int(record.fieldName(field))]
      fields.append((name, record.fieldKind(field), change(name, text)))
    }
    var names = names
    return try BuilderSupport.chunk([fields], template: "{name}, {country}", names: &names)
  }

  @Test(
    "changing, adding or removing a city anywhere and at borders replaces at most two shards",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"))
  func cities() throws {
    let started = monotonicSeconds()
    let list = try SortedList(cities: RealList.cities.path, limit: BuildOptions().shardLimitBytes)
    let base = list.pieces()
    let compressor = Compressor()
    // The shards of each piece, and the first and last records of shards.
    var borders: [Int] = []
    var first = 0
    for piece in base {
      let parts = try piece.encoded(limit: list.limit) { (part) throws(BuildError) in
        (part, ShardEncoder(names: list.names.names).encode((0..<part.count).map { part.record($0) }))
      } size: {
        $0.1.size
      }
      for (part, _) in parts {
        borders += [first, first + part.count - 1]
        first += part.count
      }
    }
    #expect(first == list.records.count)
    var random = SplitMix64(seed: 2)
    let places =
      borders.indices.filter { TestData.isLong || $0 % 5 == 0 }.map { borders[$0] }
      + (0..<TestData.count(50, 300)).map { _ in Int.random(in: 0..<list.records.count, using: &random) }
    // Per kind of change, the counts of changes by the numbers of new files and of removed files.
    let counts = Lock<[String: [String: Int]]>([:])
    let worst = Lock<[String]>([])
    let seeds = places.map { _ in random.next() }
    WorkerPool.forEach(places.count, threads: WorkerPool.availableThreads) { number in
      do {
        let place = places[number]
        var random = SplitMix64(seed: seeds[number])
        let record = list.records.record(place)
        let kind = ["removed", "added", "doubled", "changed", "renamed a little"][number % 5]
        let pieces: [Piece]
        switch kind {
        case "removed": pieces = list.pieces(without: place)
        case "doubled": pieces = list.pieces(with: record)
        case "changed":
          let new = try Self.edited(record, list.names) {
            $0 == "_id" || $0.hasPrefix("coord") ? "\(Int.random(in: 0...179, using: &random))" : $1
          }
          pieces = list.pieces(without: place, with: new.record(0))
        case "added":
          let new = try Self.edited(record, list.names) { name, text in
            name == "name"
              ? text + ["a", " Nord", "zz", "-sur-Mer"][number / 5 % 4] : name == "_id" ? "\(number)" : text
          }
          pieces = list.pieces(with: new.record(0))
        default:
          // The new key stays among its neighbours, or next to them.
          let new = try Self.edited(record, list.names) { $0 == "name" ? $1 + "'" : $1 }
          pieces = list.pieces(without: place, with: new.record(0))
        }
        let (old, new) = Self.changed(base, pieces)
        let compressor = Compressor()
        let oldFiles = try base[old].flatMap { try list.files(of: $0, compressor) }
        let newFiles = try pieces[new].flatMap { try list.files(of: $0, compressor) }
        let (gone, come) = (
          Set(oldFiles).subtracting(newFiles).count, Set(newFiles).subtracting(oldFiles).count
        )
        counts.withLock { $0[kind, default: [:]]["\(gone) gone, \(come) new", default: 0] += 1 }
        if max(gone, come) > 2 {
          worst.withLock {
            $0.append(
              "\(kind) at \(place) (\(String(decoding: record.key, as: UTF8.self))): \(gone) gone, \(come) new"
            )
          }
        }
      } catch {
        worst.withLock { $0.append("\(error)") }
      }
    }
    _ = compressor
    for (kind, counts) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      print(
        "\(kind): \(counts.sorted { $0.value > $1.value }.map { "\($0.key) x \($0.value)" }.joined(separator: "; "))"
      )
    }
    print(
      "\(places.count) changes, \(base.count) pieces, \(borders.count / 2) shards: \(hundredths(monotonicSeconds() - started)) s"
    )
    let found = worst.withLock { $0 }
    #expect(found.isEmpty, "\(found.count) of \(places.count): \(found.prefix(5).joined(separator: "; "))")
  }

  @Test(
    "whole builds replace at most two shards too",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"),
    arguments: [BuildOptions().partSizeBytes, 1500])
  func builds(partSize: Int) throws {
    let directory = TemporaryDirectory()
    let bytes = try #require(BuilderSupport.dataset("cities.json"))
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.dropFirst().split(separator: ",{").map { $0.hasPrefix("{") ? String($0) : "{" + $0 }
    var records = parts
    records[records.count - 1] = String(records.last!.trimming { $0 != "]" })
    #expect(records.count == 209_556)
    var options = BuildOptions()
    (options.level, options.partSizeBytes) = (1, partSize)
    func build(_ records: [String]) throws -> [String: [UInt8]] {
      let input = directory.write("[" + records.joined(separator: ",") + "]", to: "list.json")
      _ = try ShardBuilder.build([input], into: directory("index"), options: options)
      let files = Files.contents(of: directory("index"))
      Files.remove(directory("index"))
      return files
    }
    let expected = try build(records)
    var random = SplitMix64(seed: 6)
    for step in 0..<6 {
      var changed = records
      let place = Int.random(in: 0..<records.count, using: &random)
      switch step % 3 {
      case 0: changed.remove(at: place)
      case 1: changed.insert(changed[place].replacing("\"_id\":", with: "\"_id\":9"), at: place)
      default: changed[place] = changed[place].replacing("\"lat\":", with: "\"lat\":1")
      }
      let found = try build(changed)
      let come = found.keys.filter { $0 != "manifest" && expected[$0] == nil }.count
      let gone = expected.keys.filter { $0 != "manifest" && found[$0] == nil }.count
      #expect(
        (1...2).contains(come) && gone <= 2, "step \(step): \(gone) gone, \(come) new; \(records[place])")
    }
  }

  // MARK: Sizes

  /// The decompressed size of each shard's frames together, and its number of records.
  private static func sizes(_ path: String) throws -> [(bytes: Int, records: Int)] {
    let index = try ShardedIndex(opening: path)
    return try index.generation.manifest.shards().map { shard in
      var size = shard.file.headerContentSize
      _ = try index.generation.readWhole(shard) { (part: PartContent) throws(IndexError) in size += part.unpackedSize }
      return (size, shard.recordCount)
    }
  }

  private static func checkSizes(_ path: String, _ limit: Int, _ what: String) throws {
    let sizes = try sizes(path)
    let over = sizes.filter { $0.bytes > limit }
    let small = sizes.filter { $0.bytes < limit / 4 }
    let sorted = sizes.map(\.bytes).sorted()
    print(
      "\(what): \(sizes.count) shards of \(sorted.first!) to \(sorted.last!) bytes, median \(sorted[sorted.count / 2]),"
        + " limit \(limit); \(over.count) over it, \(small.count) under a quarter")
    #expect(over.allSatisfy { $0.records == 1 }, "\(what): \(over)")
    #expect(small.count * 10 < max(sizes.count, 11), "\(what)")
  }

  @Test(
    "no shard of a real list is over the limit, and few are under a quarter of it",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"), arguments: RealList.tested)
  func sizes(list: RealList) throws {
    try Self.checkSizes(list.built.directory, BuildOptions().shardLimitBytes, "\(list)")
  }

  @Test("a hundred thousand keys that all begin with a0 are divided", arguments: [16 << 10, 64 << 10])
  func onePrefix(limit: Int) throws {
    var random = SplitMix64(seed: 8)
    let count = TestData.count(20_000, 100_000)
    for shape in 0..<3 {
      let text = (0..<count).map { row in
        let rest =
          switch shape {
          case 0: "\(row)"
          case 1: String(random.next(), radix: 36)
          default: String(repeating: "0", count: 30) + "\(row % 1000)"
          }
        return "{\"name\":\"a0\(rest)\",\"n\":\(Int.random(in: 0...99_999, using: &random))}"
      }.joined(separator: "\n")
      let index = try SmallIndex(json: text, key: "{name}", suffix: ".jsonl") {
        $0.shardLimitBytes = limit
        $0.level = 1
      }
      try Self.checkSizes(index.path, limit, "a0, \(["counted", "random", "in a hundred heaps"][shape])")
      #expect(try index.open.matches(forPrefix: "a0").count == count)
    }
  }

  @Test("large records and identical ones are divided")
  func largeRecords() throws {
    var random = SplitMix64(seed: 8)
    let limit = 4000
    let records = (0..<300).map { row -> ModelRecord in
      let size =
        row % 10 == 0
        ? Int.random(in: 3000...20_000, using: &random) : Int.random(in: 0...300, using: &random)
      let text = (0..<size).map { _ in String(Unicode.Scalar(UInt8.random(in: 0x61...0x7a, using: &random))) }
        .joined()
      return ModelRecord([("name", .string("n\(row % 40)")), ("text", .string(text))])
    }
    let index = try SmallIndex(records, key: "{name}", shardLimitBytes: limit)
    let sizes = try Self.sizes(index.path)
    #expect(sizes.filter { $0.bytes > limit }.allSatisfy { $0.records == 1 })
    #expect(try SmallIndex.export(index.open).multiset == records.multiset)
  }
}

extension StringProtocol {
  /// Up to and with the last object.
  fileprivate func trimming(_ isKept: (Character) -> Bool) -> SubSequence { prefix(while: isKept) }
}

import CLibrary
