/// The places that are at most a distance from a middle. Source: docs/ranking.md section 9.
///
/// The arithmetic has sums, products and quotients of doubles alone, which have the same bits on every machine.
package struct NearCircle: Sendable {
  private let middle: NearPlace
  /// The greatest haversine of a place in the circle.
  private let limit: Double

  /// - Parameter radius: The greatest distance in kilometres, above 0.
  package init(_ middle: NearPlace, radius: Double) {
    let half = radius / Self.diameter
    self.middle = middle
    // Beyond half the way round the globe all places are in the circle, also with a haversine rounded to above 1.
    limit = half < .pi / 2 ? Self.square(Self.sine(half)) : 2
  }

  /// Returns whether a place is in the circle.
  package func has(_ other: NearPlace) -> Bool {
    let turn = Self.turn(middle.longitudeMillionths, other.longitudeMillionths)
    let haversine = Self.haversine(
      latitudes: Self.squaredSine(abs(middle.latitudeMillionths - other.latitudeMillionths)),
      turn: Self.squaredSine(turn),
      cosines: Self.cosine(middle.latitudeMillionths) * Self.cosine(other.latitudeMillionths))
    return haversine <= limit
  }

  /// Returns for each cell whether it may have a place in the circle.
  ///
  /// As in ``NearPlace/greatestNear(inCell:)``, each term of the haversine has its least value in the cell.
  package func cells() -> [Bool] {
    let cosine = Self.cosine(middle.latitudeMillionths)
    let turns = NearPlace.cellColumns.map { column in
      if column.contains(middle.longitudeMillionths) { return 0.0 }
      let west = Self.turn(middle.longitudeMillionths, column.lowerBound)
      return Self.squaredSine(min(west, Self.turn(middle.longitudeMillionths, column.upperBound)))
    }
    var cells: [Bool] = []
    for row in NearPlace.cellRows {
      let (south, north) = (row.lowerBound, row.upperBound)
      let gap = max(0, south - middle.latitudeMillionths, middle.latitudeMillionths - north)
      let (latitudes, cosines) = (Self.squaredSine(gap), cosine * Self.cosine(max(abs(south), abs(north))))
      for turn in turns {
        // Rounding changes a haversine by less than this share of it.
        cells.append(Self.haversine(latitudes: latitudes, turn: turn, cosines: cosines) <= limit * (1 + 1e-9))
      }
    }
    return cells
  }

  // MARK: Distances

  /// The diameter of the globe in kilometres.
  private static let diameter = 12_742.0

  private static func haversine(latitudes: Double, turn: Double, cosines: Double) -> Double {
    latitudes + cosines * turn
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
