import CSortedArray
import Footprint
import Glibc

/// A city list and the files that are made of it for the contenders.
struct Dataset {
  let json: String
  let array: String
  let index: String

  /// A record in memory, in the layout of the sorted array.
  private struct Entry {
    /// The first eight bytes of the folded key.
    var head: UInt64
    var start: Int
  }

  private static let fieldNames = ["country", "name", "_id", "coord.lon", "coord.lat"]

  /// The times of making the sorted array, in nanoseconds.
  struct Preparation {
    /// The time until the records are sorted, from which each rival's build begins.
    var sorting: Int
    /// The time until the array is on disk.
    var all: Int
  }

  /// Reads the list, sorts it and writes the sorted array.
  func prepare() throws -> Preparation {
    let start = Clock.now
    let list = try DatasetRecords(opening: json)
    var (records, entries): ([UInt8], [Entry]) = ([], [])
    var (key, folded): ([UInt8], [UInt8]) = ([], [])
    while try list.readBatch() {
      guard list.fieldNames == Self.fieldNames else {
        stop("\(json) is not a city list: it has \(list.fieldNames)")
      }
      list.forEachRecord(Self.fieldNames) { found, fieldCount in
        let texts = found.compactMap { $0 }
        guard fieldCount == Self.fieldNames.count, texts.count == fieldCount else {
          stop("a record of \(json) has other fields than the first")
        }
        key.removeAll(keepingCapacity: true)
        folded.removeAll(keepingCapacity: true)
        key += texts[1] + [0x2c, 0x20] + texts[0]
        FoldedText.append(key, to: &folded)
        guard folded.count < 256, texts.allSatisfy({ $0.count < 256 }) else {
          stop("a text is too long for the sorted array")
        }
        var head: UInt64 = 0
        for index in 0..<8 { head = head << 8 | (index < folded.count ? UInt64(folded[index]) : 0) }
        entries.append(Entry(head: head, start: records.count))
        records.append(UInt8(folded.count))
        for text in texts { records.append(UInt8(text.count)) }
        records += folded
        for text in texts { records += text }
      }
    }
    return records.withUnsafeBufferPointer { records in
      let base = records.baseAddress!
      entries.sort { a, b in
        a.head != b.head ? a.head < b.head : Self.isBefore(base + a.start, base + b.start)
      }
      let sorting = Clock.now - start
      write(base, entries)
      Files.sync(array)
      return Preparation(sorting: sorting, all: Clock.now - start)
    }
  }

  /// Compares by folded key, key, then the fields: numbers by value, other texts as bytes.
  private static func isBefore(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>) -> Bool {
    func texts(_ record: UnsafePointer<UInt8>) -> [UnsafeBufferPointer<UInt8>] {
      var start = record + 6
      return (0..<6).map { text in
        defer { start += Int(record[text]) }
        return UnsafeBufferPointer(start: start, count: Int(record[text]))
      }
    }
    func compare(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Int {
      a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    }
    let shared = Int(min(a[0], b[0]))
    let order = memcmp(a + 6, b + 6, shared)
    if order != 0 || a[0] != b[0] { return order != 0 ? order < 0 : a[0] < b[0] }
    let (left, right) = (texts(a), texts(b))
    func key(_ texts: [UnsafeBufferPointer<UInt8>]) -> [UInt8] { texts[2] + [0x2c, 0x20] + texts[1] }
    let keys = compare(key(left), key(right))
    if keys != 0 { return keys < 0 }
    for field in 1..<6 {
      if field > 2, let x = Double(String(decoding: left[field], as: UTF8.self)),
        let y = Double(String(decoding: right[field], as: UTF8.self)), x != y
      {
        return x < y
      }
      let order = compare(left[field], right[field])
      if order != 0 { return order < 0 }
    }
    return false
  }

  private func write(_ base: UnsafePointer<UInt8>, _ entries: [Entry]) {
    func size(_ entry: Entry) -> Int { 6 + (0..<6).reduce(0) { $0 + Int(base[entry.start + $1]) } }
    let total = entries.reduce(0) { $0 + size($1) }
    guard total < 1 << 32 else { stop("too many records for 32-bit offsets") }
    let start = 16 + 4 * (entries.count + 1)
    let file = UnsafeMutableRawPointer.allocate(byteCount: start + total, alignment: 16)
    defer { file.deallocate() }
    let words = file.assumingMemoryBound(to: UInt32.self)
    (words[0], words[1], words[2], words[3]) = (SORTED_ARRAY_MAGIC, UInt32(entries.count), 5, 0)
    var offset = 0
    for (number, entry) in entries.enumerated() {
      words[4 + number] = UInt32(offset)
      (file + start + offset).copyMemory(from: base + entry.start, byteCount: size(entry))
      offset += size(entry)
    }
    words[4 + entries.count] = UInt32(offset)
    Files.write(UnsafeRawBufferPointer(start: file, count: start + total), to: array)
  }

  /// Returns the nanoseconds of reading alone: every record is found and checked.
  func readingTime() throws -> Int {
    let start = Clock.now
    let list = try DatasetRecords(opening: json)
    while try list.readBatch() {}
    return Clock.now - start
  }
}

/// The queries of all contenders: random prefixes, or the texts of a log of typing.
struct Prefixes {
  private let typedBytes: [UInt8]
  private let foldedBytes: [UInt8]
  let typedPath: String
  let foldedPath: String
  let count: Int

  /// - Parameters:
  ///   - array: The same list. Texts whose space has a second meaning in it are skipped: shardq also finds the keys in
  ///     which that space is the separator or the end, rivals do not.
  ///   - next: Returns the next text, nil at the end. A text that folds to nothing is skipped.
  private init(count: Int, in array: SortedArray?, work: String, next: () throws -> String?) rethrows {
    var (typed, folded): ([UInt8], [UInt8]) = ([], [])
    var made = 0
    while made < count, let prefix = try next() {
      let fold = FoldedText.of(prefix)
      guard !fold.isEmpty, fold.last != 0x20, !prefix.utf8.contains(0x0a) else { continue }
      if let array, let space = fold.lastIndex(of: 0x20) {
        var separated = fold
        separated[space] = FoldedText.separator
        let isRead = separated.withUnsafeBufferPointer { array.count(Prefix(typed: $0, folded: $0)) > 0 }
        if isRead { continue }
      }
      typed += Array(prefix.utf8) + [0x0a]
      folded += fold + [0x0a]
      made += 1
    }
    (typedBytes, foldedBytes, self.count) = (typed, folded, made)
    (typedPath, foldedPath) = (work + "/prefixes.typed", work + "/prefixes.folded")
    typed.withUnsafeBytes { Files.write($0, to: work + "/prefixes.typed") }
    folded.withUnsafeBytes { Files.write($0, to: work + "/prefixes.folded") }
  }

  /// Makes prefixes of random records' keys, from one character to all, evenly.
  ///
  /// - Parameter key: Returns the key of a random record, or its part that prefixes may be of.
  init(
    count: Int, in array: SortedArray? = nil, seed: UInt64, work: String, key: (inout Random) throws -> String
  ) rethrows {
    var random = Random(state: seed)
    try self.init(count: count, in: array, work: work) {
      let key = try key(&random)
      let size = 1 + random.below(key.unicodeScalars.count)
      return String(String.UnicodeScalarView(key.unicodeScalars.prefix(size)))
    }
  }

  /// Takes the text of each keystroke of a log: docs/typing.md.
  init(log path: String, count: Int, in array: SortedArray, work: String) throws {
    var reader = try QueryLogReader(opening: path)
    try self.init(count: count, in: array, work: work) { try reader.next()?.text }
    guard self.count > 0 else { stop("\(path) has nothing to ask for") }
  }

  init(of array: SortedArray, count: Int, seed: UInt64, namesOnly: Bool, work: String) {
    self.init(count: count, in: array, seed: seed, work: work) { random in
      let fields = array.record(random.below(array.recordCount)).fields
      let rest = namesOnly ? [] : [0x2c, 0x20] + Array(fields[0])
      return String(decoding: Array(fields[1]) + rest, as: UTF8.self)
    }
  }

  func withAll(_ body: ([Prefix]) throws -> Void) rethrows {
    func lines(_ bytes: UnsafeBufferPointer<UInt8>) -> [UnsafeBufferPointer<UInt8>] {
      bytes.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast().map {
        UnsafeBufferPointer(rebasing: $0)
      }
    }
    try typedBytes.withUnsafeBufferPointer { typed in
      try foldedBytes.withUnsafeBufferPointer { folded in
        try body(zip(lines(typed), lines(folded)).map { Prefix(typed: $0, folded: $1) })
      }
    }
  }
}
