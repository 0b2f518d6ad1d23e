import ShardedIndex

/// Coordinates on Earth in degrees: north and east are positive.
package struct Coordinates: Equatable, Sendable {
  package var latitude: Double
  package var longitude: Double

  /// Makes coordinates of numbers; nil if they are not on Earth.
  package init?(latitude: Double, longitude: Double) {
    guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// - Parameters: The texts of the record's fields.
  package init?(latitude: String, longitude: String) {
    guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Returns the texts of a record's coordinates; nil if the record lacks one.
  static func texts(of record: ShardedIndex.Record, _ schema: Schema) -> (latitude: String, longitude: String)? {
    guard let latitude = schema.latitude.flatMap({ record[fieldNumber: $0] }).map({ Array($0.utf8) }),
      let longitude = schema.longitude.flatMap({ record[fieldNumber: $0] }).map({ Array($0.utf8) }),
      let numbers = schema.coordinates.numbers(in: latitude, longitude)
    else { return nil }
    return (
      String(decoding: latitude[numbers.latitude], as: UTF8.self),
      String(decoding: longitude[numbers.longitude], as: UTF8.self)
    )
  }
}

/// The cells of half a degree that hold a record, by which continents are drawn.
package struct LandGrid: Sendable {
  package static let columns = 720
  package static let rows = 360
  /// The degrees of a cell.
  fileprivate static let cell = 0.5
  /// The cells, one bit each, from 180 degrees west on, from 90 degrees north on.
  private var bits: [UInt64]
  /// The share of the cells that hold records.
  let density: Double

  package init(_ isLand: (_ column: Int, _ row: Int) -> Bool) {
    bits = [UInt64](repeating: 0, count: Self.columns * Self.rows / 64 + 1)
    for row in 0..<Self.rows {
      for column in 0..<Self.columns where isLand(column, row) {
        let cell = row * Self.columns + column
        bits[cell >> 6] |= 1 << UInt64(cell & 63)
      }
    }
    density = Double(bits.reduce(0) { $0 + $1.nonzeroBitCount }) / Double(Self.columns * Self.rows)
  }

  private func isLand(_ column: Int, _ row: Int) -> Bool {
    let cell = row * Self.columns + (column % Self.columns + Self.columns) % Self.columns
    return bits[cell >> 6] >> UInt64(cell & 63) & 1 == 1
  }

  /// Returns the middles of the cells that hold records, of some columns and rows.
  fileprivate func middles(_ cells: (columns: ClosedRange<Int>, rows: ClosedRange<Int>)) -> [Coordinates] {
    var places: [Coordinates] = []
    for row in cells.rows.clamped(to: 0...Self.rows - 1) where cells.rows.contains(row) {
      for column in cells.columns where isLand(column, row) {
        let east = Double((column % Self.columns + Self.columns) % Self.columns)
        let place = Coordinates(
          latitude: 90 - (Double(row) + 0.5) * Self.cell, longitude: (east + 0.5) * Self.cell - 180)
        if let place { places.append(place) }
      }
    }
    return places
  }

  /// The part of the Earth that has the records; nil if there are none.
  package var extent: MapExtent? {
    var columns = [Bool](repeating: false, count: Self.columns)
    var rows: [Int] = []
    for row in 0..<Self.rows {
      var isEmpty = true
      for column in 0..<Self.columns where isLand(column, row) { (columns[column], isEmpty) = (true, false) }
      if !isEmpty { rows.append(row) }
    }
    guard let first = rows.first, let last = rows.last else { return nil }
    let cells = columns.indices.filter { columns[$0] }
    return MapExtent(
      longitudes: cells.flatMap { [Double($0) * Self.cell - 180, Double($0 + 1) * Self.cell - 180] },
      south: 90 - Double(last + 1) * Self.cell, north: 90 - Double(first) * Self.cell)
  }

  /// Returns the number of cells in a range that hold records. Columns go round the Earth, rows end at the poles.
  func landCount(columns: ClosedRange<Int>, rows: ClosedRange<Int>) -> Int {
    var count = 0
    for row in rows where row >= 0 && row < Self.rows {
      for column in columns {
        let wrapped = (column % Self.columns + Self.columns) % Self.columns
        let cell = row * Self.columns + wrapped
        count += Int(bits[cell >> 6] >> UInt64(cell & 63) & 1)
      }
    }
    return count
  }
}

/// A map of the Earth, or of part of it, in characters: degrees of longitude and latitude are equally long on it.
package struct WorldMap: Sendable {
  /// The content of a character of the map, the more important later.
  package enum Layer: UInt8, Sendable {
    case sea, land, match, selected
  }

  /// The drawn part of the Earth, and its size in characters.
  package struct View: Equatable, Sendable {
    package private(set) var columns: Int
    package private(set) var rows: Int
    package let isASCII: Bool
    /// The degrees from one dot to the next.
    fileprivate private(set) var stepX: Double
    fileprivate private(set) var stepY: Double
    fileprivate private(set) var west: Double
    fileprivate private(set) var north: Double

    /// The least degrees from one dot to the next.
    private static let leastStep = 0.02

    /// The largest zoom of a part of the Earth.
    package static func zoomLimit(columns: Int, extent: MapExtent = .world) -> Int {
      var zoom = 1
      while extent.width / Double(max(1, columns) * 2 * zoom) > 2 * leastStep { zoom *= 2 }
      return zoom
    }

    /// - Parameters:
    ///   - rows: The most rows; a map needs no more than its shape gives.
    ///   - zoom: The zoom; 1 is the whole extent.
    ///   - center: The middle of a map that shows less; nil for that of the extent.
    package init(
      columns: Int, rows: Int, extent: MapExtent = .world, zoom: Int = 1, center: Coordinates? = nil, isASCII: Bool
    ) {
      self.isASCII = isASCII
      let (dotsX, dotsY) = isASCII ? (1.0, 1.0) : (2.0, 4.0)
      // A character is twice as high as it is wide, a dot of Braille as high as wide.
      let aspect = isASCII ? 2.0 : 1.0
      let (across, height) = (extent.width * extent.squeeze, extent.north - extent.south)
      let (width, limit) = (Double(max(1, columns)), Double(max(1, rows)))
      let step = max(across / (width * dotsX), height / (limit * dotsY * aspect))
      self.columns = max(1, min(columns, Int((across / (step * dotsX)).rounded(.up))))
      self.rows = max(1, min(rows, Int((height / (step * dotsY * aspect)).rounded(.up))))
      stepX = step / extent.squeeze / Double(max(1, zoom))
      stepY = step * aspect / Double(max(1, zoom))
      let (spanX, spanY) = (stepX * dotsX * Double(self.columns), stepY * dotsY * Double(self.rows))
      if zoom <= 1 || center == nil {
        west = extent.width >= 360 ? -180 : extent.west + (extent.width - spanX) / 2
        north = (extent.north + extent.south + spanY) / 2
      } else {
        west = center!.longitude - spanX / 2
        north = min(90, max(-90 + spanY, center!.latitude + spanY / 2))
      }
    }

    var dotsAcross: Int { columns * (isASCII ? 1 : 2) }
    var dotsDown: Int { rows * (isASCII ? 1 : 4) }

    /// Returns the dot of coordinates; nil outside. Near the poles the world ends with its last row.
    func dot(of place: Coordinates) -> (x: Int, y: Int)? {
      var east = place.longitude - west
      east -= (east / 360).rounded(.down) * 360
      let x = Int(east / stepX)
      var y = Int(((north - place.latitude) / stepY).rounded(.down))
      if y == dotsDown, place.latitude == -90 { y -= 1 }  // The pole is the end of the last row.
      let isWorld = stepX * Double(dotsAcross) >= 359
      guard x < dotsAcross || isWorld else { return nil }
      guard isWorld || (y >= 0 && y < dotsDown) else { return nil }
      return (min(x, dotsAcross - 1), max(0, min(y, dotsDown - 1)))
    }

    /// The cells of ``LandGrid`` that the whole map covers.
    fileprivate var cells: (columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
      let (first, last) = (cells(x: 0, y: 0), cells(x: dotsAcross - 1, y: dotsDown - 1))
      // Not more than once round the Earth.
      let end = min(last.columns.upperBound, first.columns.lowerBound + LandGrid.columns - 1)
      return (
        first.columns.lowerBound...max(first.columns.lowerBound, end),
        first.rows.lowerBound...max(first.rows.lowerBound, last.rows.upperBound)
      )
    }

    /// Returns the cells of ``LandGrid`` that a dot covers.
    fileprivate func cells(x: Int, y: Int) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
      let left = (west + Double(x) * stepX + 180) * 2
      let top = (90 - (north - Double(y) * stepY)) * 2
      let (column, row) = (Int(left.rounded(.down)), Int(top.rounded(.down)))
      return (
        column...max(column, Int((left + stepX * 2).rounded(.up)) - 1),
        row...max(row, Int((top + stepY * 2).rounded(.up)) - 1)
      )
    }
  }

  package let view: View
  /// The dots of each character: eight in Braille's order, or one.
  private var dots: [UInt8]
  private var layers: [Layer]

  /// Makes a map with only land.
  package init(_ view: View, land: LandGrid?) {
    self.view = view
    dots = [UInt8](repeating: 0, count: view.columns * view.rows)
    layers = [Layer](repeating: .sea, count: dots.count)
    guard let land else { return }
    if view.stepX <= LandGrid.cell, view.stepY <= LandGrid.cell {
      // Closer than that, a cell is the dot in its middle, not a block of dots.
      for place in land.middles(view.cells) { mark(place, .land) }
      return
    }
    for y in 0..<view.dotsDown {
      for x in 0..<view.dotsAcross {
        let (columns, rows) = view.cells(x: x, y: y)
        // One record in a dot of a hundred cells is no land where land has more: seas would fill with islands.
        let wanted = max(1, Int(Double(columns.count * rows.count) * land.density / 2))
        if land.landCount(columns: columns, rows: rows) >= wanted { set(x, y, .land) }
      }
    }
  }

  private mutating func set(_ x: Int, _ y: Int, _ layer: Layer) {
    let cell = view.isASCII ? y * view.columns + x : y / 4 * view.columns + x / 2
    // Braille numbers its upper six dots by column, and the two below them come last.
    let bit: UInt8 = view.isASCII ? 1 : y % 4 < 3 ? 1 << UInt8(y % 4 + 3 * (x % 2)) : 0x40 << UInt8(x % 2)
    dots[cell] |= bit
    if layer.rawValue > layers[cell].rawValue { layers[cell] = layer }
  }

  /// Puts a record on the map, and returns whether it lies on the drawn part.
  @discardableResult
  package mutating func mark(_ place: Coordinates, _ layer: Layer) -> Bool {
    guard let dot = view.dot(of: place) else { return false }
    set(dot.x, dot.y, layer)
    return true
  }

  /// Returns one row of characters.
  ///
  /// - Parameters:
  ///   - style: The escape sequence that begins a layer; `reset` ends all.
  ///   - isColored: Whether the style tells matches from land. If not, their character does.
  package func row(_ row: Int, style: (Layer) -> String, reset: String, isColored: Bool) -> DisplayText {
    var text = DisplayText()
    var current = Layer.sea
    for column in 0..<view.columns {
      let cell = row * view.columns + column
      var layer = layers[cell]
      // Empty characters have no colour of their own, so a row of land with gaps is one run.
      if layer == .sea, current != .selected { layer = current }
      if layer != current {
        if !style(current).isEmpty { text.control(reset) }
        text.control(style(layer))
        current = layer
      }
      switch layers[cell] {
      case .selected: text.plain("X")
      case .sea: text.plain(" ")
      case .land where view.isASCII: text.plain(".")
      case .match where view.isASCII || !isColored: text.plain("o")
      default:
        // U+2800 and the dots.
        text.raw([0xe2, 0xa0 | dots[cell] >> 6, 0x80 | dots[cell] & 0x3f], columns: 1)
      }
    }
    if !style(current).isEmpty { text.control(reset) }
    return text
  }
}
