import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The density grid") struct DensityGridTests {
  private static func cell(_ latitude: String, _ longitude: String) -> [Int]? {
    let cell = Array(latitude.utf8).withUnsafeBufferPointer { latitude in
      Array(longitude.utf8).withUnsafeBufferPointer { DensityGrid.cell(latitude: latitude, longitude: $0) }
    }
    return cell.map { [$0 % DensityGrid.columns, $0 / DensityGrid.columns] }
  }

  @Test("cells are found exactly, for any number of digits")
  func exact() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<20_000 {
      let digits = Int.random(in: 0...15, using: &random)
      let unit = (0..<digits).reduce(1) { unit, _ in unit * 10 }
      /// A number of units, often on a line between cells or next to one, and its text.
      func number(_ limit: Int) -> (Int, String) {
        var number = Int.random(in: -limit * unit...limit * unit, using: &random)
        if Bool.random(using: &random) {
          number = number / max(1, unit / 2) * max(1, unit / 2) + Int.random(in: -1...1, using: &random)
          number = max(-limit * unit, min(limit * unit, number))
        }
        var text = "\(number.magnitude)"
        text = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        let sign = number < 0 ? "-" : Bool.random(using: &random) ? "" : "+"
        return (number, sign + text.dropLast(digits) + (digits > 0 ? "." + text.suffix(digits) : ""))
      }
      let (north, latitude) = number(90)
      let (east, longitude) = number(180)
      let (column, row) = ((180 * unit + east) * 2 / unit, (90 * unit - north) * 2 / unit)
      #expect(Self.cell(latitude, longitude) == [min(719, column), min(359, row)], "\(latitude) \(longitude)")
    }
  }

  @Test("a place that is not on the globe is not on the map")
  func refused() {
    for text in ["", "-", ".", "x", "1x", "1.5.2", "90.0001", "-91", "9e1x", "1e", "1e3", " 1", "1 ", "nan", "0x1"] {
      #expect(Self.cell(text, "0") == nil, "\(text)")
    }
    #expect(Self.cell("0", "180.1") == nil && Self.cell("0", String(repeating: "9", count: 60)) == nil)
    #expect(Self.cell("9e1", "-18e1") == [0, 0] && Self.cell("1.25e1", "0e5") == [360, 155])
    #expect(Self.cell("1e-999", "-1e-999") == [359, 179])
    #expect(Self.cell("0.005e2", "4.4999999999999999999e1") == [449, 179])
    #expect(Self.cell("0e999", "0.00e-5") == [360, 180] && Self.cell("1e99999999999999999999", "0") == nil)
    #expect(Self.cell("-90", "180") == [719, 359] && Self.cell("-.5", "5.") == [370, 181])
  }

  private static func frames(_ map: DensityGrid) -> [(content: [UInt8], checksum: UInt32)] {
    frames(DensityBands(map))
  }

  private static func frames(_ bands: DensityBands) -> [(content: [UInt8], checksum: UInt32)] {
    let checksums = bands.bands.indices.map { UInt32($0) }
    return [(bands.head(checksums: checksums), 7)] + zip(bands.bands, checksums).map { ($0.content, $1) }
  }

  @Test("a map is read as it was written, and a damaged one is another map or refused")
  func bytes() throws {
    var map = DensityGrid()
    #expect(DensityBands(map).bands.isEmpty)
    for cell in [0, 1, 1, 719, 720, 14_399, 14_400, 130_000, 259_199] { map.add(cell) }
    for _ in 0..<300 { map.add(130_001) }
    let frames = Self.frames(map)
    #expect(try DensityGrid(frames) == map)
    #expect(frames.count == 1 + 4)
    #expect(map.count(column: 1, row: 0) == 2 && map.count(column: 130_001 % 720, row: 130_001 / 720) == 300)
    #expect(map.count(column: 720, row: 0) == 0 && map.count(column: 0, row: -1) == 0)
    for (number, frame) in frames.enumerated() {
      for size in 0..<frame.content.count {
        var other = frames
        other[number].content = Array(frame.content[..<size])
        #expect(throws: FormatError.self) { try DensityGrid(other) }
      }
      for bit in 0..<8 * frame.content.count {
        var other = frames
        other[number].content[bit / 8] ^= 1 << UInt8(bit % 8)
        if let found = try? DensityGrid(other) { #expect(found != map) }
      }
    }
    #expect(throws: FormatError.self) { try DensityGrid(frames.dropLast()) }
    #expect(throws: FormatError.self) { try DensityGrid([]) }
  }

  private static func changes(_ changes: [(Int, Int)]) -> CellChanges {
    var all = CellChanges()
    for (cell, more) in changes { all.add(more, to: cell) }
    return all
  }

  @Test("any number of changes are summed by cell")
  func summedChanges() {
    var (changes, expected) = (CellChanges(), [Int: Int]())
    var random = SplitMix64(seed: 6)
    for _ in 0..<10_000 {
      let (cell, more) = (Int.random(in: 0..<3_000, using: &random), Int.random(in: -1...1, using: &random))
      changes.add(more, to: cell)
      expected[cell, default: 0] += more
    }
    #expect(changes.sums.map(\.cell) == expected.keys.sorted())
    #expect(changes.sums.allSatisfy { $0.more == expected[$0.cell] })
  }

  @Test("changes to a map make the map of the changed records")
  func changes() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<30 {
      let cells = [0, 1, 719, 14_399, 14_400, 130_000, 130_001, 259_199].shuffled(using: &random)
      let counts = cells.map { _ in Int.random(in: 0...2, using: &random) }
      let changes = counts.map { Int.random(in: -$0...2, using: &random) }
      func map(_ counts: [Int]) -> DensityGrid {
        var map = DensityGrid()
        for (cell, count) in zip(cells, counts) { for _ in 0..<count { map.add(cell) } }
        return map
      }
      var bands = try DensityBands(Self.frames(map(counts)))
      try bands.change(Self.changes(Array(zip(cells, changes))))
      let expected = DensityBands(map(zip(counts, changes).map { $0 + $1 }))
      #expect(bands.bands.map(\.number) == expected.bands.map(\.number))
      #expect(bands.bands.map(\.content) == expected.bands.map(\.content))
    }
    // Unchanged bands are not read; changed bands must be sound.
    var map = DensityGrid()
    for cell in [3, 200_000] { map.add(cell) }
    var frames = Self.frames(map)
    frames[2].content = [0]
    var bands = try DensityBands(frames)
    try bands.change(Self.changes([(3, 1)]))
    #expect(throws: FormatError.self) { try bands.change(Self.changes([(200_001, 1)])) }
  }

  @Test("an index has a map of its records, if they have coordinates")
  func built() throws {
    let directory = TemporaryDirectory()
    let records = [
      #"{"name":"a","country":"x","lat":10.2,"lon":20.6}"#, #"{"name":"b","country":"x","lat":"10.4","lon":"20.9"}"#,
      #"{"name":"c","country":"x","lat":10.5,"lon":null}"#, #"{"name":"d","country":"x","coord":{"lon":1,"lat":2}}"#,
      #"{"name":"e","country":"x","lat":10.5,"lon":20.5,"coord":{"lat":3}}"#, #"{"name":"f","country":"x"}"#,
    ]
    let input = directory.write(records.joined(separator: "\n"), to: "a.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"))
    var map = DensityGrid()
    for cell in [159 * 720 + 401, 159 * 720 + 401, 176 * 720 + 362, 174 * 720 + 401] { map.add(cell) }
    #expect(try ShardedIndex(opening: directory("index")).densityGrid() == map)
    let plain = directory.write(records[5], to: "b.jsonl")
    _ = try ShardBuilder.build([plain], into: directory("plain"))
    #expect(try ShardedIndex(opening: directory("plain")).densityGrid() == nil)
    // Reading a damaged map and verifying it find the damage.
    let manifest = Files.contents(of: directory("index"))["manifest"]!
    Files.overwrite(directory("index/manifest"), at: manifest.count - 9, with: [manifest[manifest.count - 9] ^ 1])
    #expect(throws: IndexError.self) { try ShardedIndex(opening: directory("index")).densityGrid() }
    #expect(try ShardedIndex(opening: directory("index")).matches(forPrefix: "").count == 6)
    var found: [Verifier.Finding] = []
    _ = try Verifier.verify(index: directory("index")) { found.append($0) }
    #expect(found.count == 1 && "\(found)".contains("in its density grid"))
  }

  @Test("every record of a real list is in its cell", .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"))
  func cities() throws {
    let directory = TemporaryDirectory()
    _ = try ShardBuilder.build([RealList.cities.path], into: directory("index"))
    let index = try ShardedIndex(opening: directory("index"))
    let matches = try index.matches(forPrefix: "")
    var counts: [[Int]: Int] = [:]
    for start in stride(from: 0, to: matches.count, by: 1000) {
      for record in try matches.records(in: start..<min(start + 1000, matches.count)) {
        let (latitude, longitude) = (Double(record["coord.lat"]!)!, Double(record["coord.lon"]!)!)
        counts[[Int((180 + longitude) * 2), Int((90 - latitude) * 2)], default: 0] += 1
      }
    }
    let map = try #require(try index.densityGrid())
    var total = 0
    for row in 0..<DensityGrid.rows {
      for column in 0..<DensityGrid.columns {
        let count = map.count(column: column, row: row)
        total += count
        #expect(count == counts[[column, row], default: 0])
      }
    }
    #expect(total == matches.count && counts.count == 22_970)
  }
}
