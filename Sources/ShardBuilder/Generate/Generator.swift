import ShardedIndex

/// A made-up list of cities of any size: the same bytes for the same seed on every platform.
///
/// It has the shape of the well-known city list and what makes such a list hard or easy to index: names put
/// together from parts of which few are frequent, letters beyond ASCII in 7 % of them, 35 % of the records sharing
/// name and country with another, ids by country, coordinates in clusters, printed as a program prints them that
/// keeps 32-bit floats. A longer list begins with the records of a shorter one. No record is kept once it is written.
package struct Generator {
  package enum Format: String, CaseIterable, Sendable {
    /// One array.
    case json
    /// An object a line.
    case jsonl
    /// The format TSV, with a header.
    case tsv
  }

  private let format: Format
  private let seed: UInt64
  private let count: Int
  private var next = 0
  /// Ids given out per country.
  private var given: [Int]
  private let tables: GeneratorTables

  /// - Parameter count: Records in the list.
  package init(count: Int, seed: UInt64, format: Format) {
    self.count = count
    // It wraps on purpose, as in `GeneratorRandom.next()`.
    self.seed = GeneratorRandom.mixed(seed &+ 0x9e37_79b9_7f4a_7c15)
    self.format = format
    given = Array(repeating: 0, count: GeneratedCountry.all.count)
    tables = GeneratorTables()
  }

  /// The most bytes that one record takes.
  private static let recordLimit = 512

  /// Fills `buffer`, which holds at least 1024 bytes, with what comes next.
  ///
  /// - Returns: Bytes written, 0 when the list is complete.
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
      next += 1  // The end is written once.
    }
    return writer.count
  }

  private mutating func writeRecord(_ writer: inout GeneratorWriter) {
    var own = GeneratorRandom(state: GeneratorRandom.mixed(seed ^ UInt64(next)))
    // 36 of 100 records take their name from a pool that grows with the list. The pool's first names are taken most
    // often; some are taken once, which leaves 35 that share theirs.
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

  /// Ids of a country lie in a range of its own, thinly; when a long list has filled the ranges it begins new ones.
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
    // The towns of a country lie around a few places, most of them around the first ones.
    var cluster = GeneratorRandom(
      state: GeneratorRandom.mixed(seed ^ UInt64(number) << 32 ^ min(own.below(24), own.below(24)) << 8))
    let isMinutes = own.below(100) < 26
    func degree(_ low: Int, _ high: Int) -> Int {
      let size = (high - low) * 100_000
      let middle = Int(cluster.below(UInt64(size)))
      // The mean of four: around the middle more than far off.
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
