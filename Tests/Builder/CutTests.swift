import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The cut") struct CutTests {
  private static let limit = 32 << 10

  private static func pieces(_ records: [RecordBlob], _ names: FieldNames, limit: Int = limit) -> [Piece] {
    var cutter = Cutter(limit: limit, order: RecordOrder(names: names))
    for record in records { cutter.append(record) }
    cutter.finish()
    return cutter.finished
  }

  /// Divides by weight, as the builder divides by the size of shards.
  private static func divided(_ pieces: [Piece], limit: Int = limit) throws -> [Piece] {
    try pieces.flatMap { piece in
      try piece.encoded(
        limit: limit * RecordWeight.perByte, { (piece) throws(BuildError) -> Piece in piece }, size: { $0.weight })
    }
  }

  /// Stands for the records of the shard; the manifest alone has the lower bound.
  private static func content(_ piece: Piece) -> Int {
    var hasher = Hasher()
    for index in 0..<piece.count {
      let record = piece.record(index)
      hasher.combine(bytes: UnsafeRawBufferPointer(start: record.start, count: record.size))
    }
    return hasher.finalize()
  }

  @Test("all records are cut even if they are out of order, as in a forged index") func disorder() throws {
    var names = FieldNames()
    let texts = (0..<400).map { "\(($0 * 263) % 400)\($0 % 3 == 0 ? "" : "\u{FF}")" } + ["b", "a", "b, c", "b, a", ""]
    let chunk = try BuilderSupport.chunk(
      texts.flatMap { [[("k", .string, $0), ("v", .string, $0)], [("k", .string, "x"), ("v", .string, $0)]] },
      template: "{k}", names: &names)
    let pieces = Self.pieces((0..<chunk.count).map { chunk.record($0) }, names, limit: 256)
    #expect(pieces.count > 1)
    #expect(pieces.reduce(0) { $0 + $1.count } == chunk.count)
  }

  // MARK: Against the definition

  /// The rank and value of a gap, from all the strings between two keys, unlike the library's own way.
  private func naivePriority(_ a: RecordBlob, _ b: RecordBlob, _ order: RecordOrder) -> GapPriority {
    func value(_ a: [UInt8], _ b: [UInt8], _ depth: Int) -> UInt64 {
      (0...255).map { b[..<depth] + [UInt8($0)] }
        .filter { a.lexicographicallyPrecedes($0) && !b.lexicographicallyPrecedes($0) }
        .map { string in
          var hash: UInt64 = 0xCBF2_9CE4_8422_2325
          for byte in string { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
          hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
          hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
          return hash ^ hash >> 31
        }.max()!
    }
    let (left, right) = (Array(a.folded), Array(b.folded))
    if left != right {
      let depth = zip(left, right).prefix { $0 == $1 }.count
      let begun = right[...depth].filter { $0 & 0xC0 != 0x80 }.count
      let behind = right[...depth].reversed().prefix { $0 & 0xC0 == 0x80 }.count
      return GapPriority(rank: UInt32(4 * begun + behind), value: value(left, right, depth))
    }
    var (leftRest, rightRest): ([UInt8], [UInt8]) = ([], [])
    order.serializeRest(a, into: &leftRest)
    order.serializeRest(b, into: &rightRest)
    if leftRest == rightRest { return .lowest }
    let depth = zip(leftRest, rightRest).prefix { $0 == $1 }.count
    return GapPriority(rank: UInt32(1 << 20 + depth), value: value(leftRest, rightRest, depth))
  }

  @Test("boundaries follow the definition", arguments: UInt64(1)...30) func definition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let letters = Array("ab éß漢, ")
    let records: [[BuilderSupport.Field]] = (0..<Int.random(in: 1...300, using: &random)).map { _ in
      let key = (0..<Int.random(in: 0...6, using: &random)).map { _ in letters.randomElement(using: &random)! }
      return [("k", .string, String(key)), ("n", .number, String(Int.random(in: 0...5, using: &random)))]
    }
    var names = FieldNames()
    let unsorted = try BuilderSupport.chunk(records, template: "{k}", names: &names)
    let chunk = RecordArena()
    for bytes in try BuilderSupport.sorted([unsorted], names) {
      bytes.withUnsafeBytes { chunk.append(RecordBlob($0.baseAddress!)) }
    }
    let order = RecordOrder(names: names)
    let sorted = (0..<chunk.count).map { chunk.record($0) }
    for limit in [16, 60, 200, 1000] {
      let window = limit * RecordWeight.perByte * 33 / 100
      var (starts, priorities) = ([0], [GapPriority.lowest])
      for index in 0..<sorted.count {
        let previous = index > 0 ? sorted[index - 1] : nil
        let common = previous.map { zip($0.folded, sorted[index].folded).prefix { $0 == $1 }.count } ?? 0
        starts.append(starts[index] + RecordWeight.weight(of: sorted[index], after: previous, common: common))
        if let previous { priorities.append(naivePriority(previous, sorted[index], order)) }
      }
      func isBeaten(_ gap: Int, by other: Int) -> Bool {
        other != gap && abs(starts[other] - starts[gap]) <= window && priorities[other] >= priorities[gap]
      }
      var boundaries: [Int] = []
      for gap in 0..<sorted.count where starts[gap] > window && starts[sorted.count] - starts[gap] > window {
        if !(1..<sorted.count).contains(where: { isBeaten(gap, by: $0) }) { boundaries.append(gap) }
      }
      // Above that weight a cut outside the definition bounds the memory.
      let ends = boundaries + [sorted.count]
      guard zip([0] + boundaries, ends).allSatisfy({ starts[$1] - starts[$0] <= Cutter.longestWindows * window })
      else { continue }
      let pieces = Self.pieces(sorted, names, limit: limit)
      var found: [Int] = []
      for piece in pieces { found.append((found.last ?? 0) + piece.count) }
      #expect(found == ends, "seed \(seed), limit \(limit)")
      #expect(pieces[0].lowerBound.isEmpty)
      for (piece, boundary) in zip(pieces.dropFirst(), boundaries) {
        let (before, first) = (Array(sorted[boundary - 1].folded), Array(sorted[boundary].folded))
        #expect(first.starts(with: piece.lowerBound))
        if before == first {
          #expect(piece.lowerBound == first)
        } else {
          #expect(before.lexicographicallyPrecedes(piece.lowerBound))
          #expect(!before.lexicographicallyPrecedes(piece.lowerBound.dropLast()))
        }
      }
    }
  }

  @Test("identical and equal keys are cut too, and memory stays bounded") func equalKeys() throws {
    for isNumbered in [false, true] {
      let records: [[BuilderSupport.Field]] = (0..<20_000).map {
        [("k", .string, "same"), ("n", .number, isNumbered ? String($0) : "7")]
      }
      var names = FieldNames()
      let chunk = try BuilderSupport.chunk(records, template: "{k}", names: &names)
      let sorted = RecordArena()
      for bytes in try BuilderSupport.sorted([chunk], names) {
        bytes.withUnsafeBytes { sorted.append(RecordBlob($0.baseAddress!)) }
      }
      let cut = Self.pieces((0..<sorted.count).map { sorted.record($0) }, names, limit: 4096)
      let pieces = try Self.divided(cut, limit: 4096)
      #expect(pieces.reduce(0) { $0 + $1.count } == records.count)
      #expect(pieces.count > 10)
      for piece in pieces {
        #expect(piece.weight <= 4096 * RecordWeight.perByte)
      }
      for piece in pieces { #expect(piece.weight * 4 >= 4096 * RecordWeight.perByte) }
      for piece in pieces.dropFirst() { #expect(piece.lowerBound == Array("same".utf8)) }
    }
  }

  @Test("records that share most bytes with their neighbours make pieces that fit in memory") func longKeys() throws {
    let same = String(repeating: "x", count: 8000)
    let records: [[BuilderSupport.Field]] = (0..<1500).map { [("k", .string, same + String($0 + 10_000))] }
    var names = FieldNames()
    let chunk = try BuilderSupport.chunk(records, template: "{k}", names: &names)
    let pieces = Self.pieces((0..<chunk.count).map { chunk.record($0) }, names, limit: 4096)
    #expect(pieces.reduce(0) { $0 + $1.count } == records.count)
    // The records have 36 MB; by the 20 bytes of each that neighbours do not share, all would be two pieces.
    let window = 4096 * RecordWeight.perByte * 33 / 100
    for piece in pieces {
      let bytes = (0..<piece.count).reduce(0) { $0 + piece.record($1).size }
      #expect(bytes <= 2 * (32 * window + RecordWeight.perByte * 3 * 8100))
    }
  }

  // MARK: On real lists

  private struct List {
    var name: String
    var names: FieldNames
    var chunk: RecordArena  // Sorted.
  }

  private static func list(_ name: String) throws -> List? {
    var names = FieldNames()
    let batch: RecordBatch
    let template: String
    switch name {
    case "cities":
      guard let cities = BuilderSupport.cities(&names) else { return nil }
      (batch, template) = (cities, "{name}, {country}")
    case "addresses":
      guard let bytes = BuilderSupport.dataset("japanese-addresses.tsv") else { return nil }
      batch = BuilderSupport.tabSeparated(bytes, ["town", "koaza", "city", "prefecture", "lat", "lon"], &names)
      template = "{town}{koaza}, {city}, {prefecture}"
    default:
      var random = SplitMix64(seed: 1)
      batch = BuilderSupport.batch(
        (0..<100_000).map {
          [("k", .string, "a0" + String(random.next() % 1_000_000_000)), ("n", .number, String($0))]
        }, &names)
      template = "{k}"
    }
    var encoder = RecordEncoder(template: try KeyTemplate(checking: template))
    let chunk = RecordArena(capacity: 1 << 20)
    #expect(encoder.encode(batch, names: names, into: chunk).isEmpty)
    var sort = ExternalSort(memory: 1 << 30, directory: RunDirectory(path: "/tmp"))
    try sort.add(chunk, names: names)
    let records = try sort.finish(names: names)
    let sorted = RecordArena(capacity: 1 << 20)
    while let batch = try records.nextBatch() {
      for record in batch { sorted.append(record) }
    }
    return List(name: name, names: names, chunk: sorted)
  }

  @Test("pieces have like weights", arguments: ["cities", "addresses", "a0"]) func distribution(name: String) throws {
    guard let list = try Self.list(name) else { return print("\(name): skipped, the list is not here") }
    let cut = Self.pieces((0..<list.chunk.count).map { list.chunk.record($0) }, list.names)
    let limit = Self.limit * RecordWeight.perByte
    let over = cut.filter { $0.weight > limit }.count
    let pieces = try Self.divided(cut)
    let weights = pieces.map(\.weight).sorted()
    let dust = weights.filter { $0 * 4 < limit }.count
    let total = weights.reduce(0, +)
    print(
      "\(name): \(list.chunk.count) records, \(total / 16) bytes by weight; cut into \(cut.count) pieces, \(over) over"
        + " the limit; divided \(pieces.count), mean \(total / 16 / pieces.count), median"
        + " \(weights[weights.count / 2] / 16), least \(weights[0] / 16), most \(weights.last! / 16), \(dust) under a"
        + " quarter of \(Self.limit)")
    #expect(pieces.reduce(0) { $0 + $1.count } == list.chunk.count)
    #expect(dust * 10 < pieces.count)
    #expect(weights.last! <= limit)
  }

  /// Tries each change within the pieces around it: no other piece can differ, because the definition is local.
  @Test("one record more, less or changed makes at most two new pieces", arguments: ["cities", "addresses", "a0"])
  func locality(name: String) throws {
    guard let list = try Self.list(name) else { return print("\(name): skipped, the list is not here") }
    let order = RecordOrder(names: list.names)
    let all = (0..<list.chunk.count).map { list.chunk.record($0) }
    let cut = Self.pieces(all, list.names)
    var starts = [0]
    for piece in cut { starts.append(starts.last! + piece.count) }
    var random = SplitMix64(seed: 9)
    var (undivided, divided) = ([String: [Int: Int]](), [String: [Int: Int]]())
    let rounds = TestData.count(1, 4)
    for piece in cut.indices {
      #if DEBUG
        guard piece % 8 == 0 else { continue }
      #endif
      let (first, last) = (starts[max(0, piece - 4)], starts[min(cut.count, piece + 5)])
      let region = Array(all[first..<last])
      let before = Self.pieces(region, list.names)
      let oldCut = Set(before.map(Self.content))
      let old = Set(try Self.divided(before).map(Self.content))
      func count(_ change: String, _ changed: [RecordBlob]) throws {
        let after = Self.pieces(changed, list.names)
        let cut = after.filter { !oldCut.contains(Self.content($0)) }.count
        let parts = try Self.divided(after).filter { !old.contains(Self.content($0)) }.count
        undivided[change, default: [:]][cut, default: 0] += 1
        divided[change, default: [:]][parts, default: 0] += 1
      }
      func remove(_ index: Int) throws {
        var changed = region
        changed.remove(at: index)
        try count("removed", changed)
      }
      /// Inserts any record of the list at its place.
      func insert(_ record: RecordBlob, replacing index: Int? = nil) throws {
        var changed = region
        if let index { changed.remove(at: index) }
        let place = changed.firstIndex { order.compare(record, $0) < 0 } ?? changed.count
        changed.insert(record, at: place)
        try count(index == nil ? "inserted" : place == index ? "changed in place" : "moved", changed)
      }
      // Both records at the piece's border, then any record.
      let border = starts[piece] - first
      try remove(border)
      if border > 0 { try remove(border - 1) }
      for _ in 0..<rounds {
        let index = Int.random(in: border..<starts[piece + 1] - first, using: &random)
        try remove(index)
        // A new record between two neighbours: the first record's key with one more letter, at the border and within.
        for place in [index, border] {
          let new = RecordArena()
          Self.appendVariant(of: region[place], to: new, &random)
          try insert(new.record(0))
          try insert(new.record(0), replacing: place)
        }
      }
    }
    for (change, counts) in divided.sorted(by: { $0.key < $1.key }) {
      func text(_ counts: [Int: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) in \($0.value)" }.joined(separator: ", ")
      }
      print("\(name), \(change): new pieces as cut: \(text(undivided[change]!)); divided: \(text(counts))")
      // A record that moves to another place is one removed and one added.
      let limit = change == "moved" ? 4 : 2
      #expect(undivided[change]!.keys.max()! <= limit)
      #expect(counts.keys.max()! <= limit)
    }
  }

  /// The record with a letter put into its folded key, and a digit changed in its last field that is not in the key.
  private static func appendVariant(
    of record: RecordBlob, to chunk: RecordArena, _ random: inout SplitMix64
  ) {
    var folded = Array(record.folded)
    let head = folded.count - record.foldedSuffixCount
    let place = Int.random(in: max(0, head - 3)...head, using: &random)
    // The place is not within a character of several bytes.
    if place == folded.count || folded[place] & 0xC0 != 0x80 {
      folded.insert(UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &random), at: place)
    }
    var bytes = BuilderSupport.bytes(record)
    let start = record.headerSize
    bytes.replaceSubrange(start..<start + record.foldedCount, with: folded)
    bytes[bytes.count - 1] = UInt8(ascii: "0") + UInt8(random.next() % 10)
    precondition(bytes[0] & 1 == 0 && folded.count < 256)  // Narrow.
    for byte in 0..<4 { bytes[byte] = UInt8(truncatingIfNeeded: (bytes.count << 1) >> (8 * byte)) }
    bytes[4] = UInt8(folded.count)
    bytes.withUnsafeBytes { chunk.append(RecordBlob($0.baseAddress!)) }
  }
}
