import ShardBuilder
import ShardedIndex

/// Any number of made-up cities in the order of their keys, without a sort and without memory for them.
///
/// The folded keys of a sample of `shardq generate` give the frequency of each byte after the bytes before it. A number
/// of keys is divided among the possible first bytes, each part among the possible second bytes, and so on, which gives
/// random keys in order. Some keys belong to several records, as in the sample.
package struct SortedCities {
  private struct Edge {
    var byte: UInt8  // 0 ends the key.
    var next: Int32
    /// The count of this edge and of those before it in its context.
    var countThrough: Int32
  }

  package static let fields = ["country", "name", "_id", "coord.lon", "coord.lat"]
  /// The bytes of a context.
  private static let order = 6

  private var edges: [Edge] = []
  /// The beginnings of each context's edges, and the end of the last ones.
  private var first: [Int] = []
  /// The coordinates of the sample: texts, the ends of each longitude and latitude, and the places of each country.
  private var texts: [UInt8] = []
  private var textEnds = [0]
  private var places: [UInt16: [Int32]] = [:]
  private var random: SplitMix64

  private var key: [UInt8] = []
  /// The parts of the numbers that are being divided.
  private var parts: [Int] = []
  private var idLimit: UInt64 = 0
  private var batch = RecordBatch()
  private var ids: [UInt64] = []
  private var portion = 1
  /// The greatest number of keys of a run that is made or left out as a whole; 0 within a run that is made.
  private var run = 0

  package init(sample: Int, seed: UInt64) {
    random = SplitMix64(seed: seed)
    var keys: Set<[UInt8]> = []
    let list = GeneratedList.bytes(count: sample, seed: seed, format: .tsv)
    for line in list.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let columns = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      keys.insert(
        Fold.fold(String(decoding: columns[1], as: UTF8.self)) + [Fold.separator]
          + Fold.fold(
            String(decoding: columns[0], as: UTF8.self)))
      places[Self.number(ofCountry: columns[0]), default: []].append(Int32(textEnds.count / 2))
      for text in columns[3...4] {
        texts += text
        textEnds.append(texts.count)
      }
    }
    var steps: [UInt64] = []
    for key in keys {
      var context: UInt64 = 0
      for byte in key + [0] {
        steps.append(context << 8 | UInt64(byte))
        context = Self.next(context, byte)
      }
    }
    steps.sort()
    count(steps)
  }

  private static func next(_ context: UInt64, _ byte: UInt8) -> UInt64 {
    (context << 8 | UInt64(byte)) & (1 << (8 * UInt64(order)) - 1)
  }

  private static func number(ofCountry code: ArraySlice<UInt8>) -> UInt16 {
    code.reduce(0) { $0 << 8 | UInt16($1 & 0xDF) }
  }

  private mutating func count(_ steps: [UInt64]) {
    var numbers: [UInt64: Int32] = [:]
    for step in steps where numbers[step >> 8] == nil { numbers[step >> 8] = Int32(numbers.count) }
    var last: UInt64?
    for step in steps {
      if step == last {
        edges[edges.count - 1].countThrough += 1
        continue
      }
      let isFirst = step >> 8 != last.map { $0 >> 8 }
      if isFirst { first.append(edges.count) }
      let byte = UInt8(truncatingIfNeeded: step)
      edges.append(
        Edge(
          byte: byte, next: byte == 0 ? 0 : numbers[Self.next(step >> 8, byte)]!,
          countThrough: isFirst ? 1 : edges[edges.count - 1].countThrough + 1))
      last = step
    }
    first.append(edges.count)
  }

  /// Calls `body` with batches of records, about `count` in all.
  ///
  /// - Parameter portion: The keys are divided into about 2,000 runs of neighbours; one run in `portion` is made.
  package mutating func forEachBatch(_ count: Int, oneIn portion: Int = 1, _ body: (RecordBatch) throws -> Void)
    rethrows
  {
    (self.portion, run) = (portion, portion > 1 ? count / 2000 : 0)
    // The limit of ids is that of the generator.
    idLimit = UInt64(max(count, 872_000)) * 14
    try divide(Int(Double(count) / Self.recordsPerKey), at: 0, body)
    try body(batch)
    batch = RecordBatch()
  }

  // 638 of 1,000 records have a name of their own. The others take one of a pool that has a name for every nine records,
  // the first ones most often: with u a place in the pool, from 0 to 1, 9 x 0.362 x 2 (1 - u) records on average.
  private static let own = 0.638
  private static let pool = 1.0 / 9
  private static let picks = 9 * 0.362 * 2
  private static let recordsPerKey = 1 / (own + pool)

  /// Draws `count` keys that begin with ``key``, which leads to a context.
  private mutating func divide(_ count: Int, at start: Int, _ body: (RecordBatch) throws -> Void) rethrows {
    let (size, outer) = (key.count, run)
    if count <= run {
      guard below(portion) == 0 else { return }
      run = 0
    }
    defer {
      key.removeLast(key.count - size)
      run = outer
    }
    var context = start
    while true {
      let range = first[context]..<first[context + 1]
      guard count == 1 || range.count == 1 else { break }
      let edge = edges[range.count == 1 ? range.lowerBound : drawn(range)]
      guard edge.byte != 0 else { return try add(count, body) }
      key.append(edge.byte)
      context = Int(edge.next)
    }
    let base = parts.count
    defer { parts.removeLast(parts.count - base) }
    let range = first[context]..<first[context + 1]
    share(count, among: range)
    for (part, index) in zip(base..., range) where parts[part] > 0 {
      guard edges[index].byte != 0 else {
        try add(parts[part], body)
        continue
      }
      key.append(edges[index].byte)
      try divide(parts[part], at: Int(edges[index].next), body)
      key.removeLast()
    }
  }

  private mutating func below(_ limit: Int) -> Int { Int(random.next().multipliedFullWidth(by: UInt64(limit)).high) }

  private mutating func drawn(_ range: Range<Int>) -> Int {
    let number = below(Int(edges[range.upperBound - 1].countThrough))
    var index = range.lowerBound
    while edges[index].countThrough <= number { index += 1 }
    return index
  }

  /// Appends random parts of a number to ``parts``.
  private mutating func share(_ count: Int, among range: Range<Int>) {
    let base = parts.count
    parts.append(contentsOf: repeatElement(0, count: range.count))
    if count <= 16 {
      for _ in 0..<count { parts[base + drawn(range) - range.lowerBound] += 1 }
      return
    }
    var (left, before) = (count, 0)
    let total = Int(edges[range.upperBound - 1].countThrough)
    for (part, index) in zip(base..., range) {
      let through = Int(edges[index].countThrough)
      parts[part] = through == total ? left : binomial(left, Double(through - before) / Double(total - before))
      left -= parts[part]
      before = through
    }
  }

  private mutating func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }

  /// An approximation with the normal distribution's mean and deviation, from the usual twelve random numbers.
  private mutating func binomial(_ count: Int, _ chance: Double) -> Int {
    guard count > 64 else { return (0..<count).reduce(0) { sum, _ in unit() < chance ? sum + 1 : sum } }
    let mean = Double(count) * chance
    let noise = (0..<12).reduce(-6.0) { sum, _ in sum + unit() }
    return min(count, max(0, Int((mean + noise * (mean * (1 - chance)).squareRoot()).rounded())))
  }

  /// Returns the number of records for a key that was drawn once.
  private mutating func recordsOfKey() -> Int {
    if unit() < Self.own * Self.recordsPerKey { return 1 }
    // A number of Poisson's distribution: the count of exponential numbers that add up to less than its mean.
    var (picks, left) = (-1, Self.picks * unit())
    repeat {
      left -= exponential()
      picks += 1
    } while left >= 0
    return picks
  }

  /// A number of the exponential distribution with the mean 1, by von Neumann: without a logarithm.
  private mutating func exponential() -> Double {
    var whole = 0.0
    while true {
      let start = unit()
      var (last, isEven) = (start, true)
      while case let next = unit(), next < last {
        last = next
        isEven.toggle()
      }
      if isEven { return whole + start }
      whole += 1
    }
  }

  /// Adds the records whose key is ``key``, which was drawn `count` times.
  private mutating func add(_ count: Int, _ body: (RecordBatch) throws -> Void) rethrows {
    ids.removeAll(keepingCapacity: true)
    for _ in 0..<count {
      for _ in 0..<recordsOfKey() { ids.append(100_000 + random.next().multipliedFullWidth(by: idLimit).high) }
    }
    if ids.count > 1 { ids.sort() }
    guard let places = places[Self.number(ofCountry: key.suffix(2))] else { return }
    let name = key.count - 3
    for index in ids.indices {
      var start = batch.bytes.count
      batch.bytes.append(contentsOf: key)
      // The separator is no longer than its text in a key.
      for byte in start..<start + name where batch.bytes[byte] == Fold.separator {
        batch.bytes[byte] = UInt8(ascii: ",")
      }
      if (0x61...0x7A).contains(batch.bytes[start]) { batch.bytes[start] -= 0x20 }
      batch.bytes[start + name + 1] -= 0x20
      batch.bytes[start + name + 2] -= 0x20
      add(0, .string, start + name + 1..<start + name + 3)
      add(1, .string, start..<start + name)
      start = batch.bytes.count
      batch.bytes.append(contentsOf: String(ids[index]).utf8)
      add(2, .number, start..<batch.bytes.count)
      let place = 2 * Int(places[below(places.count)])
      start = batch.bytes.count - textEnds[place]
      batch.bytes.append(contentsOf: texts[textEnds[place]..<textEnds[place + 2]])
      add(3, .number, start + textEnds[place]..<start + textEnds[place + 1])
      add(4, .number, start + textEnds[place + 1]..<start + textEnds[place + 2])
      batch.recordEnds.append(UInt32(batch.fields.count))
    }
    if batch.bytes.count >= 1 << 17 {
      try body(batch)
      batch.bytes.removeAll(keepingCapacity: true)
      batch.fields.removeAll(keepingCapacity: true)
      batch.recordEnds.removeAll(keepingCapacity: true)
    }
  }

  private mutating func add(_ field: UInt32, _ kind: FieldKind, _ range: Range<Int>) {
    batch.fields.append(
      FieldSlice(name: field, kind: kind, offset: UInt32(range.lowerBound), length: UInt32(range.count)))
  }
}
