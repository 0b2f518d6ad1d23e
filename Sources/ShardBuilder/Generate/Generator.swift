import ShardedIndex

/// A made-up list of cities of any size: the same bytes for the same seed on every platform.
///
/// It has the shape of the well-known city list and what makes such a list hard or easy to index: names put
/// together from parts of which few are frequent, letters beyond ASCII in 7 % of them, 35 % of the records sharing
/// name and country with another, ids by country, coordinates in clusters, printed as a program prints them that
/// keeps 32-bit floats. A longer list begins with the records of a shorter one. Nothing is kept of what was written.
package struct Generator {
  package enum Format: String, CaseIterable, Sendable {
    /// One array.
    case json
    /// An object a line.
    case jsonl
    /// With a header.
    case tsv
  }

  private let format: Format
  private let seed: UInt64
  private let count: Int
  private var next = 0
  /// Ids given out per country.
  private var given: [Int]
  private let tables: Tables

  /// - Parameter count: Records in the list.
  package init(count: Int, seed: UInt64, format: Format) {
    self.count = count
    self.seed = mixed(seed &+ 0x9e37_79b9_7f4a_7c15)
    self.format = format
    given = Array(repeating: 0, count: Country.all.count)
    tables = Tables()
  }

  /// The most bytes that one record takes.
  private static let recordLimit = 512

  /// Fills `buffer`, which holds at least 1024 bytes, with what comes next.
  ///
  /// - Returns: Bytes written, 0 when the list is complete.
  package mutating func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    precondition(buffer.count >= 2 * Self.recordLimit)
    var writer = Writer(start: buffer.baseAddress!)
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

  private mutating func writeRecord(_ writer: inout Writer) {
    var own = Random(state: mixed(seed ^ UInt64(next)))
    // 36 of 100 records take their name from a pool that grows with the list. The pool's first names are taken most
    // often; some are taken once, which leaves 35 that share theirs.
    var named: Random
    if own.below(1000) < 362 {
      let pool = UInt64(next) / 9 + 1
      let (first, second) = (own.below(pool), own.below(pool))
      named = Random(state: mixed(~seed ^ min(first, second)))
    } else {
      named = Random(state: own.next())
    }
    let country = tables.country(&named)
    switch format {
    case .json: writer.text(next == 0 ? "\n" : ",\n")
    case .jsonl, .tsv: break
    }
    if format == .tsv {
      writer.code(Country.all[country].code)
      writer.byte(0x09)
    } else {
      writer.text("{\"country\":\"")
      writer.code(Country.all[country].code)
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
  private mutating func id(_ country: Int, _ own: inout Random) -> Int {
    let spread = 14
    let number = given[country]
    given[country] += 1
    let room = tables.idRoom[country]
    let (era, place) = number.quotientAndRemainder(dividingBy: room)
    return 100_000 + era * tables.idSpan * spread + (tables.idStart[country] + place) * spread
      + Int(own.below(UInt64(spread)))
  }

  private func writeCoordinates(_ number: Int, _ own: inout Random, to writer: inout Writer) {
    let country = Country.all[number]
    // The towns of a country lie around a few places, most of them around the first ones.
    var cluster = Random(state: mixed(seed ^ UInt64(number) << 32 ^ min(own.below(24), own.below(24)) << 8))
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

/// Bytes one after the other, in memory that is known to be large enough.
private struct Writer {
  let start: UnsafeMutablePointer<UInt8>
  var count = 0

  init(start: UnsafeMutablePointer<UInt8>) { self.start = start }

  @inline(__always) mutating func byte(_ byte: UInt8) {
    start[count] = byte
    count &+= 1
  }

  @inline(__always) mutating func text(_ text: StaticString) {
    let size = text.utf8CodeUnitCount
    for index in 0..<size { start[count &+ index] = text.utf8Start[index] }
    count &+= size
  }

  @inline(__always) mutating func bytes(_ bytes: UnsafeBufferPointer<UInt8>) {
    for index in 0..<bytes.count { start[count &+ index] = bytes[index] }
    count &+= bytes.count
  }

  @inline(__always) mutating func code(_ code: UInt16) {
    byte(UInt8(code >> 8))
    byte(UInt8(truncatingIfNeeded: code))
  }

  mutating func number(_ number: Int) {
    count &+= NumberFormat.write(Int64(number), decimals: 0, trimmed: false, to: start + count)
  }

  /// Degrees times 10^5, as a program prints them that keeps them in 32 bits: exact, or rounded to arc minutes first.
  mutating func coordinate(_ value: Int, isMinutes: Bool) {
    if isMinutes {
      let scaled = value * 60
      let minutes = (scaled + (scaled < 0 ? -50_000 : 50_000)) / 100_000
      count &+= NumberFormat(type: 3, a: 0, b: 6).write(Int64(minutes), to: start + count)
    } else {
      count &+= NumberFormat(type: 2, a: 5, b: 6).write(Int64(value), to: start + count)
    }
  }
}

/// SplitMix64's output function: a bijection that scatters neighbours.
@inline(__always)
private func mixed(_ value: UInt64) -> UInt64 {
  var z = value
  z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
  z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
  return z ^ (z >> 31)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
private struct Random {
  var state: UInt64

  @inline(__always) mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return mixed(state)
  }

  /// A number below `limit`, which is below 2^32 or makes a bias that nobody sees.
  @inline(__always) mutating func below(_ limit: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: limit).high
  }
}

/// How names of a language family are put together.
private struct Style {
  let onsets: [StaticString]
  let vowels: [StaticString]
  let codas: [StaticString]
  /// Words before the name, frequent first.
  let before: [StaticString]
  /// Endings, frequent first.
  let endings: [StaticString]
  /// ASCII letters and what stands for them in the other names.
  let accents: [(UInt8, StaticString)]
  /// The most syllables of a word.
  let syllables: UInt64
}

/// Where a country's made-up towns lie. Degrees.
private struct Country {
  let code: UInt16
  /// Of all records, out of the sum of all weights.
  let weight: Int
  let style: Int
  let west: Int
  let east: Int
  let south: Int
  let north: Int

  init(
    _ code: StaticString, _ weight: Int, _ style: Int, _ west: Int, _ east: Int, _ south: Int, _ north: Int
  ) {
    self.code = UInt16(code.utf8Start[0]) << 8 | UInt16(code.utf8Start[1])
    (self.weight, self.style) = (weight, style)
    (self.west, self.east, self.south, self.north) = (west, east, south, north)
  }

  static let all: [Country] = [
    Country("DE", 2880, 0, 6, 15, 47, 55), Country("US", 2000, 1, -124, -70, 26, 48),
    Country("FR", 2000, 2, -4, 8, 43, 51),
    Country("ES", 1540, 3, -9, 3, 36, 43), Country("IT", 990, 4, 7, 18, 37, 46),
    Country("RU", 880, 5, 30, 136, 43, 66),
    Country("CN", 870, 6, 98, 128, 20, 46), Country("ID", 660, 7, 103, 123, -10, 1),
    Country("AU", 560, 1, 115, 153, -43, -17),
    Country("PH", 500, 7, 119, 126, 6, 18), Country("GB", 490, 1, -6, 2, 50, 58),
    Country("CH", 410, 0, 6, 10, 46, 47),
    Country("PL", 410, 5, 15, 24, 50, 54), Country("AT", 370, 0, 10, 17, 46, 49),
    Country("IN", 360, 8, 70, 93, 8, 32),
    Country("BR", 360, 3, -61, -35, -30, -2), Country("CA", 330, 1, -128, -54, 43, 62),
    Country("PT", 320, 3, -9, -7, 37, 42),
    Country("RO", 290, 4, 21, 28, 44, 48), Country("MX", 240, 3, -112, -88, 16, 31),
    Country("AR", 170, 3, -71, -55, -44, -23),
    Country("UA", 170, 5, 23, 39, 45, 52), Country("CZ", 150, 5, 13, 19, 49, 51),
    Country("BE", 150, 2, 3, 6, 50, 51),
    Country("JP", 140, 6, 128, 144, 26, 44), Country("BG", 140, 5, 23, 28, 41, 44),
    Country("TR", 130, 9, 27, 43, 36, 42),
    Country("GR", 130, 4, 20, 28, 35, 41), Country("IE", 130, 1, -10, -6, 52, 55),
    Country("TH", 120, 7, 98, 105, 7, 20),
    Country("CO", 110, 3, -78, -72, 1, 11), Country("HU", 110, 9, 17, 22, 46, 48),
    Country("NL", 110, 0, 4, 7, 51, 53),
    Country("SE", 105, 10, 12, 22, 56, 66), Country("FI", 90, 10, 22, 30, 60, 67),
    Country("NO", 78, 10, 5, 28, 58, 71),
    Country("VE", 73, 3, -72, -61, 5, 11), Country("DK", 58, 10, 8, 13, 55, 57),
    Country("ZA", 55, 0, 18, 32, -34, -24),
    Country("PK", 55, 8, 62, 75, 25, 35), Country("NG", 52, 7, 3, 13, 5, 13),
    Country("KZ", 53, 9, 49, 83, 42, 54),
    Country("NZ", 44, 1, 167, 178, -46, -35), Country("PE", 42, 3, -81, -70, -17, -4),
    Country("MA", 39, 2, -10, -2, 29, 36),
    Country("CL", 37, 3, -74, -69, -52, -20), Country("IR", 32, 8, 45, 61, 27, 38),
    Country("VN", 20, 7, 104, 109, 9, 22),
  ]
}

private struct Tables {
  /// Per hundredth of a per cent of all records its country.
  private var countries: [UInt8] = []
  var idStart: [Int] = []
  var idRoom: [Int] = []
  var idSpan = 0

  init() {
    for (number, country) in Country.all.enumerated() {
      countries += Array(repeating: UInt8(number), count: country.weight)
      idStart.append(idSpan)
      idRoom.append(country.weight * 40)
      idSpan += country.weight * 40
    }
  }

  @inline(__always) func country(_ random: inout Random) -> Int {
    Int(countries[Int(random.below(UInt64(countries.count)))])
  }

  /// A position below `count`, the first ones most often.
  @inline(__always) private func rank(_ random: inout Random, _ count: Int) -> Int {
    if random.below(5) < 2 { return Int(random.below(UInt64(count))) }
    // Each halving of what is left is as likely as the next.
    let halvings = UInt64(64 - (UInt64(count)).leadingZeroBitCount)
    let limit = min(UInt64(count), 1 << (random.below(halvings) + 1))
    return Int(random.below(limit))
  }

  func writeName(_ country: Int, _ random: inout Random, to writer: inout Writer) {
    let style = Style.all[Country.all[country].style]
    let start = writer.count
    if random.below(100) < 17 {
      writer.text(style.before[rank(&random, style.before.count)])
      writer.byte(0x20)
    }
    writeWord(style, &random, to: &writer)
    if random.below(100) < 12 {
      writer.byte(random.below(5) == 0 ? 0x2d : 0x20)
      writeWord(style, &random, to: &writer)
    }
    if random.below(2500) == 0 {
      writer.text(", ")
      writeWord(style, &random, to: &writer)
    }
    if random.below(1000) < 73 { accent(style, from: start, &random, &writer) }
  }

  private func writeWord(_ style: Style, _ random: inout Random, to writer: inout Writer) {
    let start = writer.count
    // Few words have one syllable only: there are not many of those.
    let syllables = max(1 + random.below(style.syllables), random.below(5) > 0 ? 2 : 1)
    for syllable in 0..<syllables {
      writer.text(style.onsets[rank(&random, style.onsets.count)])
      writer.text(style.vowels[rank(&random, style.vowels.count)])
      if syllable + 1 == syllables || random.below(3) == 0 {
        writer.text(style.codas[rank(&random, style.codas.count)])
      }
    }
    if random.below(100) < 48 || writer.count &- start < 4 {
      writer.text(style.endings[rank(&random, style.endings.count)])
    }
    if writer.start[start] >= 0x61, writer.start[start] <= 0x7a { writer.start[start] &-= 0x20 }
  }

  /// Gives one letter of the name its accent, the first that has one from some place on.
  private func accent(_ style: Style, from start: Int, _ random: inout Random, _ writer: inout Writer) {
    let size = writer.count - start
    let first = Int(random.below(UInt64(size)))
    let preferred = Int(random.below(UInt64(style.accents.count)))
    for step in 0..<size {
      let at = start + (first + step) % size
      for number in 0..<style.accents.count {
        let (plain, accented) = style.accents[(preferred + number) % style.accents.count]
        guard writer.start[at] == plain else { continue }
        let added = accented.utf8CodeUnitCount - 1
        var moved = writer.count &- 1
        while moved > at {
          writer.start[moved &+ added] = writer.start[moved]
          moved &-= 1
        }
        for index in 0...added { writer.start[at + index] = accented.utf8Start[index] }
        writer.count &+= added
        return
      }
    }
  }
}

extension Style {
  static let all: [Style] = [
    // 0: German and its neighbours
    Style(
      onsets: [
        "b", "h", "w", "l", "r", "m", "k", "s", "n", "g", "d", "f", "st", "sch", "br", "kr", "gr", "tr", "fr",
        "z", "schw", "bl", "t", "p", "gl", "kl",
      ],
      vowels: ["e", "a", "i", "o", "u", "ei", "ie", "au", "eu", "aa"],
      codas: ["n", "r", "l", "ch", "rn", "s", "ll", "tt", "ck", "nn", "rg", "ld", "m", "rt", "ng", "hl"],
      before: ["Bad", "Gross", "Klein", "Neu", "Alt", "Ober", "Unter", "Sankt", "Markt", "Hohen"],
      endings: [
        "bach", "dorf", "berg", "heim", "hausen", "feld", "ingen", "au", "burg", "stadt", "en", "stein",
        "wald", "brunn", "kirchen", "hofen", "ow", "itz", "thal",
      ],
      accents: [(0x75, "ü"), (0x6f, "ö"), (0x61, "ä"), (0x65, "é"), (0x69, "ï")], syllables: 2),
    // 1: English
    Style(
      onsets: [
        "b", "w", "h", "m", "c", "l", "r", "s", "g", "d", "p", "br", "st", "f", "n", "t", "wh", "sh", "gr",
        "cl", "k", "ch", "bl", "th", "j", "v",
      ],
      vowels: ["e", "a", "i", "o", "ea", "u", "oo", "ai", "ee", "ow"],
      codas: ["n", "r", "l", "t", "ck", "s", "ll", "nd", "rd", "m", "ng", "ss", "st", "lt", "p", "ven"],
      before: [
        "North", "New", "West", "East", "South", "Saint", "Mount", "Lake", "Fort", "Port", "Upper", "Little",
        "Great", "Glen",
      ],
      endings: [
        "ton", "ville", "field", "wood", "ford", "ham", "burg", "town", "port", "dale", "ley", "land", "view",
        "mont", "worth", "bury", "ridge", "shire",
      ],
      accents: [(0x65, "é"), (0x61, "á"), (0x6f, "ō"), (0x69, "í"), (0x75, "ú")], syllables: 2),
    // 2: French
    Style(
      onsets: [
        "l", "m", "b", "v", "r", "s", "ch", "c", "p", "g", "br", "t", "d", "n", "f", "gr", "fl", "tr", "pl",
        "qu", "j", "cr", "h",
      ],
      vowels: ["a", "e", "i", "ou", "o", "au", "ai", "u", "oi", "eau", "ie"],
      codas: ["n", "r", "s", "l", "y", "x", "lle", "rt", "nt", "ng", "c", "rs", "z", "gne"],
      before: ["Saint", "La", "Le", "Les", "Sainte", "Mont", "Villers", "Bourg", "Font", "Chateau"],
      endings: [
        "ville", "court", "y", "ac", "es", "ay", "ieres", "on", "e", "ont", "eux", "igny", "ette", "oux",
      ],
      accents: [(0x65, "é"), (0x65, "è"), (0x61, "â"), (0x69, "î"), (0x6f, "ô"), (0x63, "ç"), (0x75, "û")],
      syllables: 2),
    // 3: Spanish and Portuguese
    Style(
      onsets: [
        "c", "m", "l", "p", "s", "v", "t", "r", "b", "g", "al", "d", "n", "f", "h", "z", "pr", "br", "tr",
        "ch", "j", "ll", "gu", "qu",
      ],
      vowels: ["a", "o", "e", "i", "u", "ue", "ia", "ie", "ao"],
      codas: ["n", "r", "s", "l", "z", "d", "nt", "x"],
      before: ["San", "Santa", "Villa", "El", "La", "Los", "Las", "Puerto", "Sao", "Santo", "Nova", "Vila"],
      endings: [
        "a", "o", "illa", "os", "as", "eda", "ales", "ar", "era", "ada", "uela", "inho", "eira", "es", "anca",
        "illo",
      ],
      accents: [
        (0x61, "á"), (0x6f, "ó"), (0x69, "í"), (0x61, "ã"), (0x6e, "ñ"), (0x65, "é"), (0x75, "ú"),
        (0x63, "ç"),
      ], syllables: 3),
    // 4: Italian, Romanian, Greek
    Style(
      onsets: [
        "c", "m", "p", "s", "v", "r", "l", "b", "g", "t", "d", "f", "n", "gr", "pr", "z", "tr", "ch", "gl",
        "sc", "br",
      ],
      vowels: ["a", "o", "e", "i", "u", "ia", "io", "ea"],
      codas: ["n", "r", "l", "s", "t", "ll", "cc", "nt", "st"],
      before: ["San", "Castel", "Monte", "Santa", "Borgo", "Villa", "Nea", "Agios", "Valea", "Campo"],
      endings: [
        "o", "a", "ano", "esti", "ello", "ino", "one", "ate", "eni", "ella", "iana", "os", "asco", "ago",
        "ada", "ari",
      ],
      accents: [(0x61, "à"), (0x6f, "ò"), (0x61, "ă"), (0x74, "ț"), (0x73, "ș"), (0x69, "î"), (0x65, "è")],
      syllables: 3),
    // 5: Slavic
    Style(
      onsets: [
        "k", "v", "b", "s", "p", "n", "z", "m", "d", "l", "g", "t", "r", "kr", "st", "ch", "sh", "gr", "br",
        "pr", "zh", "dr", "vl", "sl",
      ],
      vowels: ["o", "a", "e", "i", "u", "y", "ya", "ie"],
      codas: ["v", "n", "k", "r", "l", "sk", "t", "m", "ch", "sh"],
      before: [
        "Novo", "Staro", "Velyka", "Verkhniy", "Nizhniy", "Stary", "Nowa", "Dolni", "Horni", "Krasnyy",
      ],
      endings: [
        "ovo", "ka", "ino", "sk", "ice", "ov", "evo", "any", "nica", "grad", "owo", "ovka", "ets", "nik",
        "in", "yn",
      ],
      accents: [
        (0x6c, "ł"), (0x6f, "ó"), (0x63, "č"), (0x73, "š"), (0x7a, "ž"), (0x72, "ř"), (0x61, "ą"),
        (0x69, "í"), (0x79, "ý"), (0x65, "’e"),
      ],
      syllables: 3),
    // 6: Chinese and Japanese in Latin letters
    Style(
      onsets: [
        "sh", "h", "zh", "x", "l", "j", "d", "b", "y", "n", "g", "t", "m", "q", "w", "k", "c", "f", "s", "z",
        "p", "ch",
      ],
      vowels: ["a", "i", "u", "o", "e", "ia", "ua", "uo", "ai", "ei", "ao", "ou"],
      codas: ["ng", "n", "", "i", "o"],
      before: ["Xin", "Da", "Shang", "Xia", "Dong", "Nan", "Bei", "Kita", "Minami"],
      endings: [
        "zhou", "cheng", "shan", "jiang", "he", "an", "yang", "kou", "mura", "yama", "gawa", "zhen", "tun",
        "shi", "hama", "ling",
      ],
      accents: [(0x6f, "ō"), (0x75, "ū"), (0x75, "ü"), (0x61, "’a"), (0x65, "ē")], syllables: 2),
    // 7: Malay, Philippine, African
    Style(
      onsets: [
        "k", "s", "b", "t", "p", "m", "l", "n", "r", "g", "c", "d", "j", "w", "y", "ng", "h", "kr", "gb",
      ],
      vowels: ["a", "i", "u", "e", "o", "au", "ai"],
      codas: ["n", "ng", "r", "k", "t", "s", "l", "h", "m", "p"],
      before: ["Krajan", "San", "Ban", "Kampung", "Dusun", "Santa", "Nong", "Phu", "Sukorejo"],
      endings: [
        "an", "rejo", "sari", "a", "anyar", "ang", "agan", "gan", "mulyo", "bagan", "ong", "i", "wetan",
        "kulon", "lor", "kidul",
      ],
      accents: [(0x61, "ạ"), (0x6f, "ọ"), (0x6e, "ñ"), (0x75, "ú"), (0x64, "đ"), (0x65, "ẹ"), (0x69, "í")],
      syllables: 2),
    // 8: South and West Asian
    Style(
      onsets: [
        "k", "b", "m", "s", "p", "r", "j", "n", "d", "g", "sh", "h", "ch", "t", "bh", "l", "kh", "v", "th",
        "z", "gh", "dh",
      ],
      vowels: ["a", "i", "u", "aa", "e", "o", "ee", "ai"],
      codas: ["r", "n", "l", "d", "t", "m", "sh", "k", "nd", "rg"],
      before: ["Qal`eh-ye", "Chak", "Deh", "Kot", "Bala", "Goth", "Nai", "Mirza"],
      endings: [
        "pur", "abad", "nagar", "garh", "i", "a", "kot", "ganj", "wal", "an", "gaon", "iya", "palli", "ur",
        "am", "wadi",
      ],
      accents: [(0x61, "ā"), (0x69, "ī"), (0x75, "ū"), (0x6e, "ñ")], syllables: 2),
    // 9: Turkic and Hungarian
    Style(
      onsets: [
        "k", "b", "s", "t", "g", "m", "d", "y", "h", "c", "v", "p", "n", "r", "sz", "l", "gy", "cs", "f",
      ],
      vowels: ["a", "e", "i", "o", "u", "ay", "oe"],
      codas: ["r", "n", "k", "l", "z", "s", "t", "rs", "y", "m"],
      before: ["Yeni", "Kis", "Nagy", "Buyuk", "Orta", "Kara", "Kyzyl", "Eski", "Bala"],
      endings: [
        "koy", "hisar", "lar", "a", "falu", "hegy", "tepe", "pinar", "var", "vasarhely", "li", "ler", "bey",
        "su", "stan",
      ],
      accents: [
        (0x6f, "ö"), (0x75, "ü"), (0x69, "ı"), (0x73, "ş"), (0x67, "ğ"), (0x61, "á"), (0x65, "é"),
        (0x6f, "ő"),
      ], syllables: 2),
    // 10: Nordic
    Style(
      onsets: [
        "h", "s", "k", "b", "l", "v", "m", "t", "r", "n", "st", "f", "g", "j", "sk", "br", "kr", "p", "fj",
        "tr", "sv",
      ],
      vowels: ["a", "o", "e", "i", "u", "aa", "y", "au"],
      codas: ["n", "l", "r", "s", "nd", "lm", "rn", "k", "ll", "rg", "m", "st"],
      before: ["Stora", "Norra", "Sodra", "Vestre", "Nedre", "Ovre", "Gamla", "Store", "Nordre"],
      endings: [
        "by", "vik", "sund", "stad", "nes", "berg", "dal", "torp", "holm", "koski", "fors", "jarvi", "lund",
        "ryd", "um", "bo",
      ],
      accents: [(0x6f, "ö"), (0x6f, "ø"), (0x61, "å"), (0x61, "ä"), (0x65, "æ"), (0x79, "ý")], syllables: 2),
  ]
}
