/// The places that are at most a distance from a middle. Source: docs/ranking.md section 9.
///
/// The arithmetic has sums, products and quotients of doubles alone, which have the same bits on every machine.
package struct NearCircle: Sendable {
  private let middle: NearPlace
  /// The cosine of the middle's latitude.
  private let cosine: Double
  /// The greatest haversine of a place in the circle.
  private let limit: Double

  /// - Parameter radius: The greatest distance in kilometres, above 0.
  package init(_ middle: NearPlace, radius: Double) {
    let half = radius / Self.diameter
    (self.middle, cosine) = (middle, Self.cosine(middle.latitudeMillionths))
    // Beyond half the way round the globe all places are in the circle, also with a haversine rounded to above 1.
    limit = half < .pi / 2 ? Self.square(Self.sine(half)) : 2
  }

  /// Returns whether a place is in the circle.
  package func has(_ other: NearPlace) -> Bool {
    let haversine = Self.haversine(
      latitudes: abs(middle.latitudeMillionths - other.latitudeMillionths),
      turn: Self.turn(middle.longitudeMillionths, other.longitudeMillionths),
      cosines: cosine * Self.cosine(other.latitudeMillionths))
    return haversine <= limit
  }

  /// Returns whether a cell may have a place in the circle.
  ///
  /// As in ``NearPlace/greatestNear(inCell:)``, each term of the haversine has its least value in the cell.
  package func reaches(cell: Int) -> Bool {
    let edges = NearPlace.edges(ofCell: cell)
    // The cells of places follow from hundredths of a degree, which are rounded.
    let (unit, half) = (NearPlace.millionthsInHundredth, NearPlace.millionthsInHundredth / 2)
    let (south, north) = (edges.south * unit - half, edges.north * unit + half)
    let west = max(edges.west * unit - half, -180_000_000)
    let east = min(edges.east * unit + half, 180_000_000)
    let (latitude, longitude) = (middle.latitudeMillionths, middle.longitudeMillionths)
    var turn = 0
    if longitude < west || longitude > east { turn = min(Self.turn(longitude, west), Self.turn(longitude, east)) }
    let least = Self.haversine(
      latitudes: max(0, south - latitude, latitude - north), turn: turn,
      cosines: cosine * Self.cosine(min(90_000_000, max(-south, north))))
    // Rounding changes a haversine by less than this share of it.
    return least <= limit * (1 + 1e-9)
  }

  // MARK: Distances

  /// The diameter of the globe in kilometres.
  private static let diameter = 12_742.0

  /// - Parameters:
  ///   - latitudes: The difference of latitudes, in millionths of a degree.
  ///   - turn: The difference of longitudes, at most 180 degrees.
  ///   - cosines: The product of the latitudes' cosines.
  private static func haversine(latitudes: Int, turn: Int, cosines: Double) -> Double {
    squaredSine(latitudes) + cosines * squaredSine(turn)
  }

  /// Returns the difference of two longitudes the shorter way round, in millionths of a degree.
  private static func turn(_ one: Int, _ other: Int) -> Int {
    let turn = abs(one - other)
    return min(turn, 360_000_000 - turn)
  }

  /// Returns the squared sine of half an angle.
  ///
  /// - Parameter angle: From 0 to 180 degrees, in millionths of a degree.
  private static func squaredSine(_ angle: Int) -> Double { square(sine(Double(angle) * (.pi / 360_000_000))) }

  private static func cosine(_ latitude: Int) -> Double {
    sine(Double(90_000_000 - abs(latitude)) * (.pi / 180_000_000))
  }

  private static func square(_ number: Double) -> Double { number * number }

  /// Returns the sine of an angle from 0 to a quarter turn, in radians, by the Taylor series up to the 23rd power. The
  /// next term is below the precision of the sum.
  private static func sine(_ angle: Double) -> Double {
    let square = angle * angle
    var (sum, power) = (1.0, 22.0)
    while power > 0 {
      sum = 1 - square / (power * (power + 1)) * sum
      power -= 2
    }
    return angle * sum
  }
}
