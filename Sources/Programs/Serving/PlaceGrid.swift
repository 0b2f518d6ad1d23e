#if Server
  import Answers
  import QueryOutput
  import ShardedIndex

  /// The coordinates of one generation's records, by cells of one degree.
  ///
  /// An index is sorted by key; the grid finds records by their coordinates. The grid takes 254 KiB and 12 bytes per
  /// record, or 14 bytes if records have weights. While the grid is made, it takes twice the bytes per record.
  final class PlaceGrid: Sendable {
    static let columns = 360
    static let rows = 180
    /// The units in one degree. A unit of 1e-7 degrees is about a centimetre on the ground.
    static let unitsPerDegree: Int32 = 10_000_000

    struct LocatedRecord {
      /// The coordinates in 1e-7 degrees.
      var latitude: Int32
      var longitude: Int32
      /// The record's position in the index.
      var position: UInt32
    }

    /// The entries by cell, rows from the south, and within a cell by position.
    let entries: [LocatedRecord]
    /// The start of each cell's entries, and at the end the number of all entries.
    let starts: [UInt32]
    /// The codes of the records' weights, in the order of the entries; none if the index has no weights.
    private let codes: [UInt16]
    /// Whether records have weights. A box with too many records keeps the heaviest.
    var isRanked: Bool { !codes.isEmpty }

    static func size(records: Int, isRanked: Bool) -> Int {
      records * (MemoryLayout<LocatedRecord>.stride + (isRanked ? 2 : 0)) + (columns * rows + 1) * 4
    }

    /// - Parameter degrees: A number from -180 to 180.
    static func units(_ degrees: Double) -> Int32 { Int32((degrees * Double(unitsPerDegree)).rounded()) }

    /// - Parameter matches: All records of a generation.
    init(_ matches: ShardedIndex.Matches) throws(IndexError) {
      let schema = matches.generation.schema
      let manifest = matches.generation.manifest
      let weight = manifest.hasRanks ? try manifest.weightField : nil
      let buffer = RecordBuffer()
      var unsorted: [LocatedRecord] = []
      unsorted.reserveCapacity(matches.count)
      var unsortedCodes: [UInt16] = []
      var counts = [UInt32](repeating: 0, count: Self.columns * Self.rows + 1)
      var at = 0
      while at < matches.count {
        let end = min(matches.count, at + min(64, try matches.recordsAtOnce(at: at)))
        try matches.read(at..<end, into: buffer)
        for record in 0..<buffer.count {
          guard let (latitude, longitude) = Degrees.degrees(ofRecord: record, in: buffer, schema) else { continue }
          let entry = LocatedRecord(
            latitude: Self.units(latitude), longitude: Self.units(longitude), position: UInt32(at + record))
          counts[Self.cell(entry) + 1] += 1
          unsorted.append(entry)
          if let weight { unsortedCodes.append(Self.code(ofRecord: record, in: buffer, weight.number, weight.rule)) }
        }
        at = end
      }
      for cell in 1..<counts.count { counts[cell] += counts[cell - 1] }
      starts = counts
      var sorted = [LocatedRecord](
        repeating: LocatedRecord(latitude: 0, longitude: 0, position: 0), count: unsorted.count)
      var codes = unsortedCodes
      for (number, entry) in unsorted.enumerated() {
        let cell = Self.cell(entry)
        sorted[Int(counts[cell])] = entry
        if weight != nil { codes[Int(counts[cell])] = unsortedCodes[number] }
        counts[cell] += 1
      }
      (entries, self.codes) = (sorted, codes)
    }

    private static func code(
      ofRecord record: Int, in buffer: RecordBuffer, _ field: Int?, _ rule: WeightRule
    ) -> UInt16 {
      for slot in buffer.rawFields(ofRecord: record) where Int(buffer.rawName(ofField: slot)) == field {
        return UInt16(WeightRule.code(rule.weight(of: buffer.rawField(slot).text)))
      }
      return 0
    }

    static func row(_ latitude: Int32) -> Int {
      min(rows - 1, Int((latitude + 90 * unitsPerDegree) / unitsPerDegree))
    }
    static func column(_ longitude: Int32) -> Int {
      min(columns - 1, (Int(longitude) + 180 * Int(unitsPerDegree)) / Int(unitsPerDegree))
    }
    private static func cell(_ entry: LocatedRecord) -> Int { row(entry.latitude) * columns + column(entry.longitude) }

    /// Returns the turn of a position. A box with too many records keeps the lowest turns; the lowest positions would
    /// all have names that begin with A.
    ///
    /// An odd factor gives every position its own turn; ``position(_:)`` has the inverse factor.
    // Both products wrap: modulo 2^32 the two factors are inverse to each other.
    private static func turn(_ position: UInt32) -> UInt32 { position &* 0x9e37_79b1 }
    private static func position(_ turn: UInt32) -> UInt32 { turn &* 0x0e8b_2f51 }

    /// Returns the turn of an entry. If records have weights, the heaviest come first.
    private func turn(ofEntry number: Int) -> UInt64 {
      let turn = UInt64(Self.turn(entries[number].position))
      return codes.isEmpty ? turn : UInt64(UInt16.max - codes[number]) << 32 | turn
    }

    /// Returns the positions of the records in a box, its edges included: the heaviest first if records have weights,
    /// else in ascending order.
    ///
    /// - Parameters:
    ///   - west: The western edge; all edges are in 1e-7 degrees. If `west` is more than `east`, the box crosses the
    ///     antimeridian.
    ///   - limit: At least 1.
    /// - Returns: At most `limit` positions, and whether there are more. The returned positions have the lowest turns,
    ///   so that a smaller box inside returns them again.
    /// - Complexity: O(*r* log *limit*), *r* records in the cells that the box touches.
    func positions(west: Int32, south: Int32, east: Int32, north: Int32, limit: Int) -> (found: [Int], more: Bool) {
      // The list holds turns.
      var found: [UInt64] = []
      var isCut = false
      // The search drops turns from this one on.
      var ceiling = UInt64.max
      func collect(_ longitudes: ClosedRange<Int32>) {
        for row in Self.row(south)...Self.row(north) {
          let first = row * Self.columns + Self.column(longitudes.lowerBound)
          let last = row * Self.columns + Self.column(longitudes.upperBound)
          for number in Int(starts[first])..<Int(starts[last + 1]) {
            let entry = entries[number]
            guard entry.latitude >= south, entry.latitude <= north, longitudes.contains(entry.longitude) else {
              continue
            }
            let turn = turn(ofEntry: number)
            guard turn < ceiling else {
              isCut = true
              continue
            }
            found.append(turn)
            if found.count >= 4 * limit + 64 { cut() }
          }
        }
      }
      func cut() {
        found.sort()
        guard found.count > limit else { return }
        ceiling = found[limit]
        found.removeSubrange(limit...)
        isCut = true
      }
      guard south <= north else { return ([], false) }
      if west <= east {
        collect(west...east)
      } else {
        collect(west...180 * Self.unitsPerDegree)
        collect(-180 * Self.unitsPerDegree...east)
      }
      cut()
      let positions = found.map { Int(Self.position(UInt32(truncatingIfNeeded: $0))) }
      return (isRanked ? positions : positions.sorted(), isCut)
    }
  }
#endif
