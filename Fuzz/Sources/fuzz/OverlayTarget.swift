import ShardBuilder
import ShardedIndex

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads an overlay of an index of sixty records, and compares the records with a walk over the shards and the overlay.
///
/// Input: a byte of flags, then the overlay behind its checksum and the name of its manifest, which the target makes
/// right; with the first flag, the whole file. With the second flag the target also merges the overlay into shards;
/// with the third it also reads the density grid, which takes a megabyte.
final class OverlayTarget: FuzzTarget {
  private let directory = OverlayTarget.directory()
  private let manifest: [UInt8]
  private let files: Set<String>
  private let index: ShardedIndex
  private let keys: [[UInt8]]
  private let grid: DensityGrid
  private let buffer = RecordBuffer()

  init() {
    files = PackTarget.files(of: directory)
    manifest = RawFile.read(directory + "/manifest")
    guard let index = try? ShardedIndex(opening: directory), let grid = try? index.densityGrid(),
      let keys = try? Self.keys(of: index)
    else { fail("the index of the seeds") }
    require(index.shardCount > 3 && keys.count == Self.recordCount, "the index of the seeds")
    (self.index, self.grid, self.keys) = (index, grid, keys)
  }

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let flags = reader.byte()
    var file = reader.remaining()
    if flags & 1 == 0 { file = Self.whole(file, beside: index.generation.manifest) }
    RawFile.write(file, to: directory + "/overlay")

    let overlay: Overlay?
    do throws(FormatError) {
      overlay = try Self.exactly(file) { (file) throws(FormatError) in
        try index.generation.manifest.overlay(file)
      }
    } catch {
      require((try? ShardedIndex(opening: directory)) == nil, "an index with an overlay that is refused")
      return
    }
    guard let opened = try? ShardedIndex(opening: directory) else { fail("an overlay that is refused as a file alone") }
    require((opened.generation.overlay == nil) == (overlay == nil), "an overlay of another manifest")
    guard let overlay else {
      return require(opened.recordCount == keys.count, "changes that are of another manifest")
    }
    do throws(IndexError) {
      let expected = merged(overlay)
      try check(opened, overlay, expected)
      if flags & 4 != 0 { try checkMap(opened, overlay) }
      let isSound: Bool
      do throws(BuildError) {
        isSound = try OverlayDraft.fault(of: overlay, in: opened) == nil
      } catch {
        isSound = false  // Verification also says so.
      }
      if isSound { require(isAscending(expected), "a sound overlay out of order") }
      if flags & 2 != 0 { try merge(opened, expected, isSound: isSound) }
    } catch {
      fail("\(error)")
    }
  }

  /// The folded keys of the generation.
  private func merged(_ overlay: Overlay) -> [[UInt8]] {
    var (merged, number) = ([[UInt8]](), 0)
    let removed = Set(overlay.removed)
    for place in 0...keys.count {
      while number < overlay.added.count, overlay.added[number].before == place {
        require(overlay.added[number].position == merged.count, "the position of an added record")
        merged.append(Array(overlay.folded(number)))
        number += 1
      }
      if place < keys.count, !removed.contains(place) { merged.append(keys[place]) }
    }
    require(number == overlay.added.count, "an added record that has no place")
    return merged
  }

  private func isAscending(_ keys: [[UInt8]]) -> Bool {
    zip(keys, keys.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
  }

  private func check(_ opened: ShardedIndex, _ overlay: Overlay, _ expected: [[UInt8]]) throws(IndexError) {
    require(opened.recordCount == expected.count, "\(opened.recordCount) records, and not \(expected.count)")
    require(try Self.keys(of: opened) == expected, "other keys than those of a walk")
    let all = try opened.matches(forPrefix: "")
    require(all.count == expected.count && all.lowerBound == 0, "the answer to nothing")
    try decode(all, 0..<all.count)
    // A record read alone equals the record read among others.
    for position in [0, all.count / 2, all.count - 1] where position >= 0 && position < all.count {
      let alone = try all.records(in: position..<position + 1).map(\.key)
      require(alone.count == 1, "a record alone")
      let places = all.positionsInShards(of: position..<position + 1)
      for run in places {
        require(run.lowerBound >= 0 && run.upperBound <= keys.count, "places beyond the shards")
      }
    }

    let isOrdered = isAscending(expected)
    var prefixes = Self.prefixes.map { Array($0.utf8) }
    for number in overlay.added.indices.prefix(3) {
      let key = Array(overlay.folded(number))
      prefixes += [key, Array(key.prefix(2)), key + [0x61]]
    }
    for place in overlay.removed.prefix(2) { prefixes.append(keys[place]) }
    for prefix in prefixes {
      let found = try prefix.withUnsafeBufferPointer { (bytes) throws(IndexError) in
        try opened.matches(forFoldedPrefix: FoldedPrefix(bytes))
      }
      for run in found.positions {
        require(run.lowerBound >= 0 && run.upperBound <= expected.count, "records that are none")
      }
      try decode(found, 0..<min(5, found.count))
      // If keys do not ascend, the matches of a prefix are no range.
      guard isOrdered, !prefix.isEmpty else { continue }
      let answer = Self.positions(ofAnswerTo: prefix, in: expected)
      require(found.positions.flatMap { Array($0) } == answer, "matches at \(found.positions), and not \(answer)")
      let (lower, count) = (answer.first ?? 0, answer.count)
      let text = String(decoding: prefix, as: UTF8.self)
      guard prefix.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), Fold.fold(text) == prefix else { continue }
      require(try opened.count(ofPrefix: text) == count, "another count for a text")
      let few = try opened.matches(forPrefix: text, limit: 2)
      require(few.count == min(2, count) && few.hasMore == (count > 2), "\(few.count) matches of two")
      require(few.isEmpty || few.firstPosition == lower, "two matches from \(few.lowerBound), and not \(lower)")
    }
  }

  /// Walks over all keys. A space at the end finishes a word, and the last other space may stand for the separator.
  private static func positions(ofAnswerTo text: [UInt8], in keys: [[UInt8]]) -> [Int] {
    let isFinished = text.count > 1 && text.last == 0x20
    let word = isFinished ? Array(text.dropLast()) : text
    var words = [word]
    if let space = word.lastIndex(of: 0x20) { words.append(word[..<space] + [0x01] + word[(space + 1)...]) }
    return keys.indices.filter { number in
      words.contains {
        guard keys[number].starts(with: $0) else { return false }
        let next = keys[number].dropFirst($0.count).first
        return !isFinished || next == nil || next == 0x01 || next == 0x20
      }
    }
  }

  private func checkMap(_ opened: ShardedIndex, _ overlay: Overlay) throws(IndexError) {
    guard let map = try opened.densityGrid() else { fail("no map") }
    for (cell, more) in overlay.cells {
      let (row, column) = (cell / DensityGrid.columns, cell % DensityGrid.columns)
      let count = UInt32(truncatingIfNeeded: grid.count(column: column, row: row) + more)
      require(map.count(column: column, row: row) == Int(count), "records of a cell")
    }
  }

  /// Reads every byte of some records.
  private func decode(_ matches: ShardedIndex.Matches, _ positions: Range<Int>) throws(IndexError) {
    try matches.read(positions, into: buffer)
    require(buffer.count == positions.count, "records")
    for record in 0..<buffer.count {
      for slot in buffer.rawFields(ofRecord: record) {
        let field = buffer.rawField(slot)
        require(field.name < index.generation.manifest.fieldCount, "a field without a name")
        _ = field.text.reduce(0, ^)
      }
    }
  }

  /// Merges the overlay into shards, and undoes the merge.
  private func merge(_ opened: ShardedIndex, _ expected: [[UInt8]], isSound: Bool) throws(IndexError) {
    let records = isSound ? try Self.texts(of: opened) : []
    var options = BuildOptions()
    options.jobs = 1
    let summary = try? ShardBuilder.update(directory, upsert: [], delete: [], options: options)
    if isSound {
      guard summary != nil, let merged = try? ShardedIndex(opening: directory) else { fail("a sound overlay to merge") }
      require(merged.generation.overlay == nil, "an overlay that is merged, and still there")
      require(try Self.keys(of: merged) == expected, "other keys when merged")
      require(try Self.texts(of: merged) == records, "other records when merged")
      require((try? Verifier.verify(index: directory) { _ in })?.isSound == true, "a damaged index, merged")
    }
    RawFile.write(manifest, to: directory + "/manifest")
    for name in PackTarget.files(of: directory) where !files.contains(name) { unlink(directory + "/" + name) }
  }

  private static func keys(of index: ShardedIndex) throws(IndexError) -> [[UInt8]] {
    let all = try index.matches(forPrefix: "")
    var keys: [[UInt8]] = []
    try all.forEachFoldedKey(in: 0..<all.count) { keys.append(Array($0.bytes)) }
    return keys
  }

  private static func texts(of index: ShardedIndex) throws(IndexError) -> [[String]] {
    let all = try index.matches(forPrefix: "")
    let buffer = RecordBuffer()
    try all.read(0..<all.count, into: buffer)
    let names = index.fieldNames
    return (0..<buffer.count).map { record in
      buffer.rawFields(ofRecord: record).map { slot in
        let field = buffer.rawField(slot)
        return "\(names[field.name]) \(field.kind) \(field.text.map { $0 })"
      }
    }
  }

  private static let prefixes = ["", "a", "al", "ala", "san ", "lo", "zz", "\u{1}", "~", "東", "aa1\u{1}br"]
  private static let recordCount = 60
  private static var lines: [String] { SeedRecords.lines(recordCount).split(separator: "\n").map(String.init) }

  private static func directory() -> String {
    let directory = RawFile.scratchDirectory()
    RawFile.write(Array(lines.joined(separator: "\n").utf8), to: directory + "/records.jsonl")
    var options = BuildOptions()
    (options.key, options.id, options.shardLimitBytes, options.jobs) = (SeedRecords.key, "id", 1000, 1)
    options.replacesOtherIndex = true  // The directory also has the records.
    guard (try? ShardBuilder.build([directory + "/records.jsonl"], into: directory, options: options)) != nil
    else { fail("the index of the seeds") }
    return directory
  }

  /// Lends memory of exactly the size of the bytes, so that the sanitizer reports reads behind them.
  private static func exactly<Result>(
    _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(FormatError) -> Result
  ) throws(FormatError) -> Result {
    let exact = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    defer { exact.deallocate() }
    _ = exact.update(fromContentsOf: bytes)
    return try body(UnsafeBufferPointer(exact))
  }

  /// A file with an overlay's content behind the name of its manifest.
  private static func whole(_ body: [UInt8], beside manifest: ManifestReader) -> [UInt8] {
    var checked = ByteWriter()
    checked.write(UInt64(manifest.fileSize))
    checked.write(manifest.rootChecksum)
    checked.write(body)
    var whole = ByteWriter()
    whole.write(Overlay.magic)
    whole.write(Overlay.version)
    whole.write(checked.bytes.withUnsafeBufferPointer { Overlay.checksum(of: $0) })
    whole.write(checked.bytes)
    return whole.bytes
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    let directory = directory()
    let lines = lines
    func overlay(_ upserts: [String], _ deletes: [String] = []) -> [UInt8] {
      RawFile.write(Array(upserts.joined(separator: "\n").utf8), to: directory + "/upserts.jsonl")
      RawFile.write(Array(deletes.joined(separator: "\n").utf8), to: directory + "/deletes.jsonl")
      var options = BuildOptions()
      (options.jobs, options.writesOverlay) = (1, true)
      let (upserts, deletes) = (directory + "/upserts.jsonl", directory + "/deletes.jsonl")
      guard (try? ShardBuilder.update(directory, upsert: [upserts], delete: [deletes], options: options)) != nil
      else { fail("an overlay") }
      let file = RawFile.read(directory + "/overlay")
      unlink(directory + "/overlay")
      return file
    }
    func body(_ overlay: [UInt8]) -> ArraySlice<UInt8> { overlay[32...] }
    let changed = lines[10].replacing("town", with: "city")
    let moved = lines[12].replacing("\"lat\":-", with: "\"lat\":")
    let renamed = lines[14].replacing("\"name\":\"", with: "\"name\":\"San ")
    let new = #"{"name":"Ala","country":"AT","id":1000}"#
    let twins = (0..<4).map { #"{"name":"ala0","country":"AT","id":\#(2000 + $0 * 3 % 4),"mixed":\#($0 % 2 + 1).0}"# }
    let gone = overlay([], [lines[0], lines[7], lines[8], lines[59]])
    let all = overlay([changed, moved, renamed, new] + twins, [lines[20], lines[40]])
    return [
      ("changed", [0] + body(overlay([changed]))),
      ("moved", [0] + body(overlay([moved, renamed]))),
      ("new", [0] + body(overlay([new] + twins))), ("gone", [0] + body(gone)), ("all", [0] + body(all)),
      ("none", [0] + [UInt8](repeating: 0, count: 20)), ("everything", [0] + body(overlay([], lines))),
      ("whole", [1] + all), ("cut", [0] + body(all).dropLast(3)), ("more", [0] + body(all) + [0]),
      ("merged", [2] + body(overlay([changed, new], [lines[20]]))), ("merged-all", [2] + body(all)),
      ("map", [4] + body(overlay([moved], lines.suffix(3)))),
    ]
  }
}
