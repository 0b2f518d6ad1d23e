import ShardedIndex

/// The choice of the fields with coordinates, by the names of fields.
enum CoordinateProposal {
  /// The last words of the names of both fields, as GTFS, OpenStreetMap, OurAirports and spreadsheets write them.
  private static let endings = [
    ("lat", ["lon", "lng", "long"]), ("latitude", ["longitude"]), ("latitud", ["longitud"]),
    ("latitudine", ["longitudine"]), ("breitengrad", ["l\u{e4}ngengrad", "laengengrad"]),
    ("\u{7def}\u{5ea6}", ["\u{7d4c}\u{5ea6}"]), ("\u{7eac}\u{5ea6}", ["\u{7ecf}\u{5ea6}"]), ("y", ["x"]),
  ]
  /// Words behind the ending that name the unit or the system.
  private static let units = ["deg", "degree", "degrees", "decimal", "dd", "wgs84"]
  /// The words of names of fields that hold both numbers, the latitude first.
  private static let both = [
    "latlng", "latlon", "latlong", "lat lng", "lat lon", "lat long", "latitude longitude", "coordinates", "coords",
    "geopoint", "geo point", "geo point 2d", "geolocation", "gps", "gps coordinates",
  ]

  /// Returns the fields with coordinates; nil if the names are the usual ones, or no names are those of coordinates.
  ///
  /// Two fields belong together if their names have the same words before the last. The names with the fewest words
  /// win, then the first in `names`.
  static func fields(of names: [String]) -> [String]? {
    guard !CoordinateFields.usual.areAmong(names) else { return nil }
    let words = names.map { Self.words(of: $0) }
    var found: (count: Int, names: [String])?
    for (number, own) in words.enumerated() where own.count < found?.count ?? .max {
      guard let last = own.last, let partners = endings.first(where: { $0.0 == last })?.1,
        let partner = words.firstIndex(where: { $0.dropLast() == own.dropLast() && partners.contains($0.last ?? "") })
      else { continue }
      // Letters of axes alone are coordinates only if nothing stands before them.
      if last == "y", own.count > 1 { continue }
      found = (own.count, [names[number], names[partner]])
    }
    return found?.names ?? words.firstIndex { both.contains($0.joined(separator: " ")) }.map { [names[$0]] }
  }

  /// Returns whether a field may hold a coordinate, by its name alone.
  static func isCandidate(_ name: String) -> Bool {
    let usual = CoordinateFields.usual
    if usual.latitudes.contains(name) || usual.longitudes.contains(name) { return true }
    let words = words(of: name)
    guard let last = words.last else { return false }
    return endings.contains { $0.0 == last || $0.1.contains(last) } || both.contains(words.joined(separator: " "))
  }

  private static func words(of name: String) -> [String] {
    var words = ColumnNames.words(name)
    while let last = words.last, words.count > 1, units.contains(last) { words.removeLast() }
    return words
  }
}
