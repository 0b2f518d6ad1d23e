import ShardedIndex

/// A made-up list of cities of any size: the same bytes for the same seed on every platform.
///
/// The list has the properties of the well-known city list that matter for an index. Names consist of parts, few of
/// which are frequent. 7 % of the names have letters beyond ASCII. 35 % of the records share name and country with
/// another record. Ids go by country. Coordinates lie in clusters, and look as a program with 32-bit floats prints
/// them. A longer list begins with the records of a shorter list. The generator keeps no record.
package struct Generator {
  package enum Format: String, CaseIterable, Sendable {
    /// The list is one array.
    case json
    /// The list has one object a line.
    case jsonl
    /// The format TSV, with a header.
    case tsv
  }

  private let format: Format
  private let seed: UInt64
  private let count: Int
  private var next = 0
  /// The number of ids given to each country.
  private var given: [Int]
  private let tables: GeneratorTables

  /// - Parameter count: The number of records in the list.
  package init(count: Int, seed: UInt64, format: Format) {
    self.count = count
    // The sum must wrap, as in `GeneratorRandom.next()`.
    self.seed = GeneratorRandom.mixed(seed &+ 0x9e37_79b9_7f4a_7c15)
    self.format = format
    given = Array(repeating: 0, count: GeneratedCountry.all.count)
    tables = GeneratorTables()
  }

  /// The most bytes that one record takes.
  private static let recordLimit = 512

  /// Fills `buffer`, which holds at least 1024 bytes, with the next bytes of the list.
  ///
  /// - Returns: The number of written bytes, 0 after the end of the list.
  package mutating func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    precondition(buffer.count >= 2 * Self.recordLimit)
    var writer = unsafe GeneratorWriter(start: buffer.baseAddress!)
    if next == 0 {
      switch format {
      case .json: writer.text("[")
      case .jsonl: break
      case .tsv: writer.text("country\tname\t_id\tcoord.lon\tcoord.lat\n")
      }
    }
    while next < count, buffer.count - writer.count >= Self.recordLimit {
      writeRecord(&writer)
      next += 1
    }
    if next == count {
      if format == .json { writer.text(count > 0 ? "\n]\n" : "]\n") }
      next += 1  // So the end is written only once.
    }
    return writer.count
  }

  private mutating func writeRecord(_ writer: inout GeneratorWriter) {
    var own = GeneratorRandom(state: GeneratorRandom.mixed(seed ^ UInt64(next)))
    // 36 of 100 records take their name from a pool that grows with the list. The first names of the pool are taken
    // most often; some names are taken once, so that 35 records of 100 share their name.
    var named: GeneratorRandom
    if own.below(1000) < 362 {
      let pool = UInt64(next) / 9 + 1
      let (first, second) = (own.below(pool), own.below(pool))
      named = GeneratorRandom(state: GeneratorRandom.mixed(~seed ^ min(first, second)))
    } else {
      named = GeneratorRandom(state: own.next())
    }
    let country = tables.country(&named)
    switch format {
    case .json: writer.text(next == 0 ? "\n" : ",\n")
    case .jsonl, .tsv: break
    }
    if format == .tsv {
      writer.code(GeneratedCountry.all[country].code)
      writer.byte(0x09)
    } else {
      writer.text("{\"country\":\"")
      writer.code(GeneratedCountry.all[country].code)
      writer.text("\",\"name\":\"")
    }
    tables.writeName(country, &named, to: &writer)
    writer.text(format == .tsv ? "\t" : "\",\"_id\":")
    writer.number(id(country, &own))
    writer.text(format == .tsv ? "\t" : ",\"coord\":{\"lon\":")
    writeCoordinates(country, &own, to: &writer)
    writer.text(format == .tsv ? "\n" : format == .jsonl ? "}}\n" : "}}")
  }

  /// The ids of a country lie thinly in a range of its own. A long list that has filled the ranges begins new ranges.
  private mutating func id(_ country: Int, _ own: inout GeneratorRandom) -> Int {
    let spread = 14
    let number = given[country]
    given[country] += 1
    let room = tables.idRoom[country]
    let (era, place) = number.quotientAndRemainder(dividingBy: room)
    return 100_000 + era * tables.idSpan * spread + (tables.idStart[country] + place) * spread
      + Int(own.below(UInt64(spread)))
  }

  private func writeCoordinates(_ number: Int, _ own: inout GeneratorRandom, to writer: inout GeneratorWriter) {
    let country = GeneratedCountry.all[number]
    // The towns of a country lie around a few places, most of them around the first places.
    var cluster = GeneratorRandom(
      state: GeneratorRandom.mixed(seed ^ UInt64(number) << 32 ^ min(own.below(24), own.below(24)) << 8))
    let isMinutes = own.below(100) < 26
    func degree(_ low: Int, _ high: Int) -> Int {
      let size = (high - low) * 100_000
      let middle = Int(cluster.below(UInt64(size)))
      // The mean of four numbers: more towns lie near the middle than far from it.
      var offset = 0
      for _ in 0..<4 { offset += Int(own.below(UInt64(size / 2))) }
      return low * 100_000 + min(max(middle + offset / 4 - size / 4, 0), size)
    }
    let longitude = degree(country.west, country.east)
    let latitude = degree(country.south, country.north)
    writer.coordinate(longitude, isMinutes: isMinutes)
    writer.text(format == .tsv ? "\t" : ",\"lat\":")
    writer.coordinate(latitude, isMinutes: isMinutes)
  }
}
