/// A place on the globe, in hundredths and in millionths of a degree. Source: docs/ranking.md section 9.
package struct NearPlace: Hashable, Sendable {
  /// From -9,000 to 9,000.
  package let latitude: Int
  /// From -18,000 to 18,000.
  package let longitude: Int
  /// The latitude in millionths of a degree.
  let latitudeMillionths: Int
  /// The longitude in millionths of a degree.
  let longitudeMillionths: Int

  /// - Parameters:
  ///   - latitude: In hundredths of a degree.
  ///   - longitude: In hundredths of a degree.
  ///   - millionths: The same in millionths of a degree; nil for a place at whole hundredths.
  /// - Returns: nil beyond the globe.
  package init?(latitude: Int, longitude: Int, millionths: (latitude: Int, longitude: Int)? = nil) {
    guard -9000...9000 ~= latitude, -18000...18000 ~= longitude else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
    latitudeMillionths = millionths?.latitude ?? latitude * Self.millionthsInHundredth
    longitudeMillionths = millionths?.longitude ?? longitude * Self.millionthsInHundredth
  }

  /// Reads decimal degrees exactly; nil for other texts, and beyond the globe.
  package init?(latitude: UnsafeBufferPointer<UInt8>, longitude: UnsafeBufferPointer<UInt8>) {
    guard let latitude = unsafe Self.parts(latitude, limit: 90),
      let longitude = unsafe Self.parts(longitude, limit: 180)
    else { return nil }
    (self.latitude, self.longitude) = (latitude.hundredths, longitude.hundredths)
    (latitudeMillionths, longitudeMillionths) = (latitude.millionths, longitude.millionths)
  }

  /// Reads the texts of a record's fields.
  package init?(
    latitude: UnsafeBufferPointer<UInt8>, longitude: UnsafeBufferPointer<UInt8>, of fields: CoordinateFields
  ) {
    guard let numbers = unsafe fields.form.numbers(in: latitude, longitude) else { return nil }
    unsafe self.init(
      latitude: .init(rebasing: latitude[numbers.latitude]), longitude: .init(rebasing: longitude[numbers.longitude]))
  }

  /// Returns the hundredths and the millionths of a degree in a decimal number, each rounded half away from zero; nil
  /// for another text, or a number beyond the limit.
  ///
  /// - Parameter limit: The most degrees in either direction.
  private static func parts(
    _ text: UnsafeBufferPointer<UInt8>, limit: Int
  ) -> (hundredths: Int, millionths: Int)? {
    // The comparison with the limit is exact.
    guard unsafe DensityGrid.halfDegrees(text, limit: limit) != nil, let number = unsafe DecimalNumber(text) else {
      return nil
    }
    // Adds a half and rounds down.
    let doubled = Int(DecimalNumber.wholeProduct(number, DecimalNumber(2_000_000), limit: WeightRule.limit))
    let (hundredths, millionths) = ((doubled / millionthsInHundredth + 1) / 2, (doubled + 1) / 2)
    return number.isNegative ? (-hundredths, -millionths) : (hundredths, millionths)
  }

  static let millionthsInHundredth = 10_000

  // MARK: Cells

  /// The degrees of a cell in either direction.
  package static let cellDegrees = 10
  private static let cellSize = 100 * cellDegrees
  private static let (rows, columns) = (180 / cellDegrees, 360 / cellDegrees)
  /// The number of cells.
  package static var cellCount: Int { rows * columns }

  /// The number of the place's cell: 36 times the row plus the column, from the south and the west.
  package var cell: Int {
    let row = min(Self.rows - 1, (latitude + 9000) / Self.cellSize)
    let column = min(Self.columns - 1, (longitude + 18000) / Self.cellSize)
    return row * Self.columns + column
  }

  /// Returns the least and the greatest latitude and longitude of places in a cell, in hundredths of a degree.
  static func edges(ofCell cell: Int) -> (south: Int, north: Int, west: Int, east: Int) {
    let (row, column) = cell.quotientAndRemainder(dividingBy: columns)
    let (south, west) = (row * cellSize - 9000, column * cellSize - 18000)
    // The edge of a cell belongs to the next cell, except at the pole and at 180 degrees.
    return (
      south, row == rows - 1 ? 9000 : south + cellSize - 1, west, column == columns - 1 ? 18000 : west + cellSize - 1
    )
  }

  /// The value of a cell in a table: its number in two bytes, the high byte first.
  package static func value(ofCell cell: Int) -> [UInt8] { [UInt8(cell >> 8), UInt8(cell & 0xff)] }

  /// Returns the cell of a value; nil for another value.
  package static func cell(ofValue value: ArraySlice<UInt8>) -> Int? {
    guard value.count == 2, let high = value.first, let low = value.last else { return nil }
    let cell = Int(high) << 8 | Int(low)
    return cell < rows * columns ? cell : nil
  }

  /// Returns the cell whose number these decimal digits are; nil for another text.
  package static func cell(ofDigits digits: UnsafeBufferPointer<UInt8>) -> Int? {
    guard (1...3).contains(digits.count) else { return nil }
    var cell = 0
    for index in digits.indices {
      let digit = unsafe digits[index]
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      cell = 10 * cell + Int(digit - UInt8(ascii: "0"))
    }
    return cell < cellCount ? cell : nil
  }

  // MARK: Nearness

  /// The greatest nearness, at the place itself: eight octaves.
  package static let greatest = 8 * 2048

  /// Returns the nearness of a record at another place, in steps of a score.
  package func near(_ other: NearPlace) -> Int {
    let turn = abs(longitude - other.longitude)
    return Self.near(
      latitudes: abs(latitude - other.latitude), turn: min(turn, 36000 - turn),
      cosines: Self.cosine(latitude) * Self.cosine(other.latitude))
  }

  /// Returns a bound on the nearness of the places in a cell.
  ///
  /// Each term of the haversine has its least value in the cell. The terms are the difference of latitudes, the turn by
  /// the shorter way round the globe, and the cosine, which is least at the edge nearer to a pole.
  package func greatestNear(inCell cell: Int) -> Int {
    let (south, north, west, east) = Self.edges(ofCell: cell)
    let latitudes = max(0, south - latitude, latitude - north)
    var turn = 0
    if longitude < west || longitude > east {
      let turns = [abs(longitude - west), abs(longitude - east)].map { min($0, 36000 - $0) }
      turn = min(turns[0], turns[1])
    }
    return Self.near(
      latitudes: latitudes, turn: turn, cosines: Self.cosine(latitude) * Self.cosine(max(abs(south), abs(north))))
  }

  /// - Parameters:
  ///   - latitudes: The difference of latitudes, in hundredths of a degree.
  ///   - turn: The difference of longitudes, at most 18,000.
  ///   - cosines: The product of the latitudes' cosines, with 60 bits.
  private static func near(latitudes: Int, turn: Int, cosines: UInt64) -> Int {
    // The unit of the table of sines is half a hundredth of a degree.
    let (north, east) = (sine(latitudes), sine(turn))
    let product = cosines.multipliedFullWidth(by: east * east)
    // The upper 60 bits of the product of two factors of 60 bits.
    let haversine = north * north + (product.high << 4 | product.low >> 60)
    let root = Int(squareRoot(haversine) >> 18)
    return root < NearTables.steps.count ? Int(NearTables.steps[root]) : 0
  }

  private static func cosine(_ latitude: Int) -> UInt64 { sine(2 * (9000 - abs(latitude))) }

  /// Returns the sine of `number` / 200 degrees, up to 90 degrees, times 2^30.
  private static func sine(_ number: Int) -> UInt64 {
    let (degree, rest) = number.quotientAndRemainder(dividingBy: 200)
    let first = NearTables.degreeSines[degree].multipliedFullWidth(by: NearTables.fractionCosines[rest])
    let second = NearTables.degreeSines[90 - degree].multipliedFullWidth(by: NearTables.fractionSines[rest])
    let (low, carries) = first.low.addingReportingOverflow(second.low)
    let high = first.high + second.high + (carries ? 1 : 0)
    // The upper 62 of 124 bits, and of these the upper 30, rounded.
    return ((high << 2 | low >> 62) + (1 << 31)) >> 32
  }

  /// Returns the square root of a number of 61 bits, rounded down.
  private static func squareRoot(_ number: UInt64) -> UInt64 {
    var root = UInt64(Double(number).squareRoot())
    while root * root > number { root -= 1 }
    while (root + 1) * (root + 1) <= number { root += 1 }
    return root
  }
}
