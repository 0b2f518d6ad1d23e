import Foundation
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Radius") struct RadiusTests {
  private typealias Degrees = (latitude: Double, longitude: Double)

  /// Returns a random place in millionths of a degree: anywhere, at an edge of cells, at a pole, or at 180 degrees.
  private static func place(_ random: inout SplitMix64) -> Degrees {
    func millionths(_ limit: Int) -> Int {
      let edge = 10_000_000 * Int.random(in: -limit / 10...limit / 10, using: &random)
      return switch Int.random(in: 0..<5, using: &random) {
      case 0: [-limit, limit, 0].randomElement(using: &random)! * 1_000_000
      case 1: edge
      case 2: max(-limit * 1_000_000, min(limit * 1_000_000, edge + Int.random(in: -9000...9000, using: &random)))
      default: Int.random(in: -limit * 1_000_000...limit * 1_000_000, using: &random)
      }
    }
    return (Double(millionths(90)) / 1e6, Double(millionths(180)) / 1e6)
  }

  private static func nearPlace(_ degrees: Degrees) -> NearPlace {
    func rounded(_ degrees: Double, _ unit: Double) -> Int { Int((degrees * unit).rounded(.toNearestOrAwayFromZero)) }
    return NearPlace(
      latitude: rounded(degrees.latitude, 100), longitude: rounded(degrees.longitude, 100),
      millionths: (rounded(degrees.latitude, 1e6), rounded(degrees.longitude, 1e6)))!
  }

  /// Returns the kilometres between two places, by the angle between their directions.
  private static func distance(_ one: Degrees, _ other: Degrees) -> Double {
    func direction(_ place: Degrees) -> SIMD3<Double> {
      let (north, east) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
      return [cos(north) * cos(east), cos(north) * sin(east), sin(north)]
    }
    let (a, b) = (direction(one), direction(other))
    let across = SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    return 6371 * atan2((across * across).sum().squareRoot(), (a * b).sum())
  }

  @Test("a circle has the places within its radius, and its cells leave out none of them") func circles() {
    var random = SplitMix64(seed: 6)
    var (inside, leftOut) = (0, 0)
    for _ in 0..<(TestData.isDebug ? 100 : 1000) {
      let here = Self.place(&random)
      let radius = pow(10, Double.random(in: -1...4.3, using: &random))
      let circle = NearCircle(Self.nearPlace(here), radius: radius)
      let cells = (0..<NearPlace.cellCount).map { circle.reaches(cell: $0) }
      leftOut += cells.count { !$0 }
      for _ in 0..<100 {
        var there = Self.place(&random)
        if Bool.random(using: &random) {
          // A place near the circle's edge, in one direction or along a circle of latitude.
          let reach = radius / 111.2 * Double.random(in: 0...1.5, using: &random)
          let turn = reach / max(0.01, cos(here.latitude * .pi / 180))
          there.latitude = max(-90, min(90, here.latitude + [reach, -reach, 0].randomElement(using: &random)!))
          there.longitude = here.longitude + [turn, -turn, 0].randomElement(using: &random)!
          there.longitude = (there.longitude + 540).truncatingRemainder(dividingBy: 360) - 180
          if abs(there.longitude) > 180 { there.longitude = 180 }
          there = ((there.latitude * 1e6).rounded() / 1e6, (there.longitude * 1e6).rounded() / 1e6)
        }
        let (place, distance) = (Self.nearPlace(there), Self.distance(here, there))
        guard abs(distance - radius) > 1e-6 else { continue }
        #expect(circle.has(place) == (distance < radius), "\(here), \(there), \(distance) km, \(radius) km")
        if distance < radius {
          inside += 1
          #expect(cells[place.cell], "\(here), \(there), \(distance) km, \(radius) km")
        }
      }
      #expect(circle.has(Self.nearPlace(here)) && cells[Self.nearPlace(here).cell])
    }
    #expect(inside > 1000 && leftOut > 10_000)
  }

  @Test("the greatest radius has all places, and cells hold rounded edges") func edges() throws {
    let pole = try #require(NearPlace(latitude: 9000, longitude: 0))
    let all = NearCircle(pole, radius: ShardedIndex.Place.radiusLimit)
    #expect(try all.has(#require(NearPlace(latitude: -9000, longitude: 18000))))
    #expect((0..<NearPlace.cellCount).allSatisfy { all.reaches(cell: $0) })
    // 9.996 degrees are 10.00 in hundredths, in the cell from 10 degrees on.
    let (south, north) = (Self.nearPlace((9.99, 5)), Self.nearPlace((9.996, 5)))
    #expect(south.cell != north.cell && NearCircle(south, radius: 0.7).has(north))
    #expect(NearCircle(south, radius: 0.7).reaches(cell: north.cell))
  }

  @Test("totals, cursors and words count the records within the radius") func answers() throws {
    let directory = TemporaryDirectory()
    let list = ChangingList(count: 900, seed: 21, EntryList.members)
    let input = directory.write(ChangingList.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: EntryList.options { $0.near = true })
    let plain = EntryList.options {
      $0.near = true
      ($0.words, $0.alias) = (nil, [])
    }
    _ = try ShardBuilder.build([input], into: directory("plain"), options: plain)
    for name in ["index", "plain"] {
      let index = try ShardedIndex(opening: directory(name))
      var place = try #require(ShardedIndex.Place(latitude: -16.8, longitude: 179.5))
      place.radius = 3000
      func distance(_ record: ShardedIndex.Record) -> Double {
        Self.distance((-16.8, 179.5), (Double(record["lat"]!)!, Double(record["lon"]!)!))
      }
      for text in ["", "san", "new york", "a b c"] {
        var query = ShardedIndex.SearchQuery(text, words: .all, countsMatches: true)
        let all = try index.search(query, limit: 1000)
        query.near = place
        let wanted = all.filter { distance($0.record) <= 3000 }
        let answer = try index.search(query, limit: 3)
        #expect(answer.total == .init(wanted.count), "\(text)")
        #expect(answer.allSatisfy { distance($0.record) <= 3000 })
        query.countsMatches = false
        #expect(try index.search(query, limit: 3).total.number <= wanted.count)
        let joined = try index.search(query, limit: 1000)
        #expect(joined.map { $0.rank.position }.sorted() == wanted.map { $0.rank.position }.sorted())
        if let cursor = answer.cursor {
          #expect(try index.search(query, limit: 1000, after: cursor).count == wanted.count - 3)
          query.near?.radius = 3001
          #expect(throws: IndexError.self) { try index.search(query, after: cursor) }
        }
      }
      for radius in [0, -1, .nan, .infinity, 1e9, 20_040.001] {
        place.radius = radius
        let error = #expect(throws: IndexError.self) { try index.search(ShardedIndex.SearchQuery("a", near: place)) }
        #expect(error.map { "\($0)".contains("\(radius)") } == true, "\(String(describing: error))")
      }
    }
  }
}
