import CLibrary

/// A part of the Earth, in degrees: it goes east from its west end, maybe over the date line.
package struct MapExtent: Equatable, Sendable {
  package var west: Double
  package var width: Double
  package var south: Double
  package var north: Double

  /// All longitudes, and the inhabited latitudes.
  package static let world = MapExtent(west: -180, width: 360, south: -58, north: 84)

  private init(west: Double, width: Double, south: Double, north: Double) {
    (self.west, self.width, self.south, self.north) = (west, width, south, north)
  }

  /// Makes the part around longitudes and between two latitudes, a little larger; ``world`` where it goes half round the
  /// Earth.
  ///
  /// - Parameter longitudes: At least one. The part leaves out the widest gap between two that follow each other.
  package init(longitudes: [Double], south: Double, north: Double) {
    let sorted = longitudes.sorted()
    var (gap, start) = (sorted[0] + 360 - sorted[sorted.count - 1], sorted[0])
    for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > gap {
      (gap, start) = (right - left, right)
    }
    let (wide, high) = (max(Self.least, (360 - gap) * 1.06), max(Self.least, (north - south) * 1.06))
    guard wide < 180 else {
      self = .world
      return
    }
    let (middle, center) = ((south + north) / 2, start + (360 - gap) / 2)
    self.init(
      west: center - wide / 2, width: wide, south: max(-90, middle - high / 2), north: min(90, middle + high / 2))
  }

  /// Makes the part around some places; nil without any.
  package init?(around places: [Coordinates]) {
    guard let first = places.first else { return nil }
    let (south, north) = places.reduce((first.latitude, first.latitude)) {
      (min($0.0, $1.latitude), max($0.1, $1.latitude))
    }
    self.init(longitudes: places.map(\.longitude), south: south, north: north)
  }

  /// The least degrees across and down.
  private static let least = 2.0

  /// The length of a degree of longitude in degrees of latitude. On a map of the whole world both are equally long.
  var squeeze: Double {
    width >= 180 ? 1 : max(0.2, cos((south + north) / 2 * .pi / 180))
  }
}
