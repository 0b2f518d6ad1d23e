import ShardedIndex

/// The radius of a search as people write it: `25` and `25km` are kilometres, `800m` metres, `10mi` miles.
package enum RadiusText {
  /// The units, each with its kilometres. A unit stands before those that its last letter alone would end.
  private static let units = [("km", 1.0), ("mi", 1.609_344), ("m", 0.001), ("", 1.0)]

  /// Returns the kilometres of a text; nil for a text that is no number, or a radius that a search refuses.
  package static func kilometres(_ text: String) -> Double? {
    guard let (unit, size) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let number = text.dropLast(unit.count)
    // `Double` reads nan, inf and hexadecimal digits too.
    guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }), let number = Double(number) else {
      return nil
    }
    let kilometres = number * size
    return kilometres > 0 && kilometres <= ShardedIndex.Place.radiusLimit ? kilometres : nil
  }
}
