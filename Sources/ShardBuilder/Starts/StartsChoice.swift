import ShardedIndex

/// The texts that starts answer, where the starts of all texts would be too large for the index.
///
/// In an index with ranks those texts remain that save the most reads for the bytes of their records. The reads are
/// counted by lower bounds, so first letters and the beginnings of many records remain, and a few long records do not
/// take the room of the answers to many texts. Without ranks texts with long records are left out first, and among texts
/// with records of a like size the longer ones.
struct StartsChoice {
  /// A text, and the numbers of its records.
  private struct Text {
    let text: [UInt8]
    /// The number of lower bounds that begin with the text.
    let bounds: Int
    let records: [Int]
    /// The class of the longest record: the bits of its size.
    let longest: Int
    /// The size of all its records.
    let size: Int
  }

  /// The most times that the content of starts is larger than their files. Content beyond it is not even tried, so that
  /// the memory for it has a bound.
  static let greatestRatio = 16
  /// Records of fewer bytes are of one class.
  private static let shortRecord = 255

  private let texts: [Text]
  /// The order in which texts are taken.
  private let order: [Int]
  /// The positions and the sizes of all records, by their numbers.
  private let positions: [Int]
  private let sizes: [Int]

  /// The most bytes of the starts of an index.
  static func limit(ofIndex size: Int) -> Int { max(1 << 14, size / 50) }

  /// - Parameter isByRank: Whether the records are the best ones of each text alone.
  init(of texts: [WrittenStarts.Text], in index: ShardedIndex, isByRank: Bool) throws(BuildError) {
    let found = try BuildError.ofIndex { () throws(IndexError) in
      var found: [[Int]] = []
      for each in texts {
        found.append(Array(try WrittenStarts.positions(of: [each.text], in: index, isByRank: isByRank)))
      }
      return found
    }
    let positions = found.reduce(into: Set<Int>()) { $0.formUnion($1) }.sorted()
    let sizes = try WrittenStarts.sizes(of: positions, in: index)
    let all = zip(texts, found).map { each, found in
      let records = found.map { Self.number(of: $0, among: positions) }
      return Text(
        text: each.text, bounds: each.bounds, records: records,
        longest: Int.bitWidth - max(Self.shortRecord, records.map { sizes[$0] }.max() ?? 0).leadingZeroBitCount,
        size: records.reduce(0) { $0 + sizes[$1] })
    }
    order = all.indices.filter { !all[$0].records.isEmpty }.sorted {
      let (a, b) = (all[$0], all[$1])
      // Of fractions the greater one comes first.
      return isByRank
        ? (b.bounds * a.size, $0) < (a.bounds * b.size, $1)
        : (a.longest, a.text.count, $0) < (b.longest, b.text.count, $1)
    }
    (self.texts, self.positions, self.sizes) = (all, positions, sizes)
  }

  /// Returns the place of a position among ascending ones that have it.
  private static func number(of position: Int, among positions: [Int]) -> Int {
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if positions[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns texts whose records have at most so many bytes before compression, in their order; the positions of the
  /// records; and the bytes of the records.
  func chosen(within room: Int) -> (texts: [[UInt8]], positions: Set<Int>, size: Int) {
    var isTaken = [Bool](repeating: false, count: positions.count)
    var (numbers, size): ([Int], Int) = ([], 0)
    for number in order {
      let added = texts[number].records.reduce(0) { $0 + (isTaken[$1] ? 0 : sizes[$1]) }
      guard size + added <= room else { continue }
      size += added
      for record in texts[number].records { isTaken[record] = true }
      numbers.append(number)
    }
    let taken = positions.indices.filter { isTaken[$0] }.map { positions[$0] }
    return (numbers.sorted().map { texts[$0].text }, Set(taken), size)
  }
}
