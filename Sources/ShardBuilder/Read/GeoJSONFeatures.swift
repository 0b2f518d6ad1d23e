import ShardedIndex

/// Makes records from the features of GeoJSON (RFC 7946): from their properties, and from a point's coordinates.
///
/// A feature is first read as any object. The fields of `properties` lose that step of their path; `type`, `geometry`
/// and `bbox` are dropped. A point's coordinates become the numbers `lat` and `lon`, and `alt` if there is a third one,
/// unless the properties have fields with the usual names of coordinates, or the point's numbers under other names of
/// coordinates. Any other member of a feature, such as `id`, is a field like a property, unless a property has its name.
struct GeoJSONFeatures {
  private(set) var names = FieldNames()
  /// For each field name of the objects, its use in a record.
  private var uses: [Use] = []

  private enum Use {
    case type, geometryType, coordinates, dropped
    /// A property, or a member beside the properties, by its number in ``names``; -1 until the first feature with it.
    case property(String, number: Int32, isCoordinate: Bool)
    case foreign(String, number: Int32)
  }

  /// Replaces the fields of the last object by the fields of its record.
  ///
  /// - Returns: The fault of the feature, if it has one; then its fields are unchanged.
  mutating func replaceFields(
    since mark: RecordSink.Mark, of objects: FieldNames, window: Bytes, _ sink: inout RecordSink
  ) -> String? {
    while uses.count < objects.names.count { uses.append(Self.use(of: objects.names[uses.count])) }
    let range = sink.fieldIndices(since: mark)
    var (isFeature, isPoint, hasCoordinates, hasForeign) = (false, false, false, false)
    var coordinates: Int?
    for index in range {
      switch uses[Int(sink.fields[index].name)] {
      case .type:
        isFeature = unsafe sink.text(ofField: index, since: mark, window: window).elementsEqual("Feature".utf8)
      case .geometryType:
        isPoint = unsafe sink.text(ofField: index, since: mark, window: window).elementsEqual("Point".utf8)
      case .coordinates: coordinates = index
      case .property(_, _, let isCoordinate): hasCoordinates = hasCoordinates || isCoordinate
      case .foreign: hasForeign = true
      case .dropped: break
      }
    }
    guard isFeature else { return "expected a feature, whose \"type\" is \"Feature\"" }
    var point: (latitude: Range<Int>, longitude: Range<Int>, altitude: Range<Int>?)?
    if isPoint, !hasCoordinates, let coordinates {
      point = unsafe Self.numbers(in: sink.text(ofField: coordinates, since: mark, window: window))
      if let found = point, found.altitude == nil,
        unsafe repeats(found, of: coordinates, in: range, since: mark, window: window, sink)
      {
        point = nil
      }
    }
    let taken = hasForeign || point?.altitude != nil ? properties(in: range, sink) : []
    var kept = range.lowerBound
    var pointField: FieldSlice?
    let isPointInExtra = coordinates.map { sink.isInExtra(field: $0, since: mark) } ?? false
    for index in range {
      var field = sink.fields[index]
      let use = Int(field.name)
      switch uses[use] {
      case .property(let name, var number, let isCoordinate):
        if number < 0 {
          number = Int32(names.number(of: name))
          uses[use] = .property(name, number: number, isCoordinate: isCoordinate)
        }
        field.name = UInt32(number)
      case .foreign(let name, var number):
        if Self.isAmong(taken, name) {
          sink.drop(field: index, since: mark)
          continue
        }
        if number < 0 {
          number = Int32(names.number(of: name))
          uses[use] = .foreign(name, number: number)
        }
        field.name = UInt32(number)
      case .coordinates:
        pointField = field
        sink.drop(field: index, since: mark)
        continue
      default:
        sink.drop(field: index, since: mark)
        continue
      }
      sink.move(field: index, to: kept, field, since: mark)
      kept += 1
    }
    sink.cut(to: kept, since: mark)
    if let point, let pointField {
      append(point, of: pointField, isInExtra: isPointInExtra, without: taken, to: &sink)
    }
    return nil
  }

  /// Returns whether properties with names of coordinates have both numbers of a point, as in an export of an index.
  private func repeats(
    _ point: (latitude: Range<Int>, longitude: Range<Int>, altitude: Range<Int>?), of coordinates: Int,
    in range: Range<Int>, since mark: RecordSink.Mark, window: Bytes, _ sink: borrowing RecordSink
  ) -> Bool {
    let position = unsafe sink.text(ofField: coordinates, since: mark, window: window)
    let digits = unsafe (Array(position[point.latitude]), Array(position[point.longitude]))
    var (hasLatitude, hasLongitude) = (false, false)
    for index in range {
      guard case .property(let name, _, _) = uses[Int(sink.fields[index].name)], CoordinateProposal.isCandidate(name)
      else { continue }
      let text = unsafe Array(sink.text(ofField: index, since: mark, window: window))
      let whole = CoordinateFields.number(in: text)
      if let both = CoordinateFields.numbers(in: text) {
        if text[both.latitude] == digits.0[...], text[both.longitude] == digits.1[...] { return true }
      } else if text[whole] == digits.0[...], !hasLatitude {
        hasLatitude = true
      } else if text[whole] == digits.1[...] {
        hasLongitude = true
      }
    }
    return hasLatitude && hasLongitude
  }

  /// Adds the coordinates of a point; the altitude only if no property has its name.
  private mutating func append(
    _ point: (latitude: Range<Int>, longitude: Range<Int>, altitude: Range<Int>?), of pointField: FieldSlice,
    isInExtra: Bool, without taken: [String], to sink: inout RecordSink
  ) {
    let altitude = taken.contains(CoordinateFields.altitude) ? nil : point.altitude
    for (name, digits) in [
      ("lat", point.latitude), ("lon", point.longitude), (CoordinateFields.altitude, altitude),
    ] {
      guard let digits else { continue }
      sink.append(
        FieldSlice(
          name: names.number(of: name), kind: .number, offset: pointField.offset + UInt32(digits.lowerBound),
          length: UInt32(digits.count)), isInExtra: isInExtra)
    }
  }

  private static func use(of name: String) -> Use {
    if name == "type" { return .type }
    if name == "geometry.type" { return .geometryType }
    if name == "geometry.coordinates" { return .coordinates }
    for step in ["geometry", "bbox", "properties"] where name == step { return .dropped }
    if name.hasPrefix("geometry.") || name.hasPrefix("bbox.") { return .dropped }
    guard name.hasPrefix("properties.") else { return .foreign(name, number: -1) }
    let own = String(name.dropFirst("properties.".count))
    let fields = CoordinateFields.usual
    return .property(own, number: -1, isCoordinate: (fields.latitudes + fields.longitudes).contains(own))
  }

  /// Returns the names of a feature's properties.
  private func properties(in range: Range<Int>, _ sink: borrowing RecordSink) -> [String] {
    range.compactMap {
      if case .property(let name, _, _) = uses[Int(sink.fields[$0].name)] { name } else { nil }
    }
  }

  /// Returns whether one of the names is `name`, contains `name`, or is nested in it.
  private static func isAmong(_ names: [String], _ name: String) -> Bool {
    names.contains { $0 == name || $0.hasPrefix(name + ".") || name.hasPrefix($0 + ".") }
  }

  /// Returns the digits of a position `[lon,lat]` or `[lon,lat,alt]`, from the text's start.
  private static func numbers<Position: RandomAccessCollection<UInt8>>(
    in text: Position
  ) -> (latitude: Range<Int>, longitude: Range<Int>, altitude: Range<Int>?)? where Position.Index == Int {
    guard text.first == UInt8(ascii: "["), let comma = text.firstIndex(of: UInt8(ascii: ",")),
      let end = text[(comma + 1)...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") })
    else { return nil }
    func isNumber(_ range: Range<Int>) -> Bool {
      text[range].first.map { $0 == UInt8(ascii: "-") || isDigit($0) } ?? false
    }
    guard isNumber(1..<comma), isNumber(comma + 1..<end) else { return nil }
    var altitude: Range<Int>?
    if text[end] == UInt8(ascii: ","),
      let last = text[(end + 1)...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") }),
      isNumber(end + 1..<last)
    {
      altitude = end + 1..<last
    }
    return (comma + 1..<end, 1..<comma, altitude)
  }
}
