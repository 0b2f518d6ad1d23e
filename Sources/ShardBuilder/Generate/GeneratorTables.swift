/// The tables of countries. They give made-up names, and the ids of countries.
struct GeneratorTables {
  /// For each hundredth of a per cent of all records, the country.
  private var countries: [UInt8] = []
  var idStart: [Int] = []
  var idRoom: [Int] = []
  var idSpan = 0

  init() {
    for (number, country) in GeneratedCountry.all.enumerated() {
      countries += Array(repeating: UInt8(number), count: country.weight)
      idStart.append(idSpan)
      idRoom.append(country.weight * 40)
      idSpan += country.weight * 40
    }
  }

  @inline(__always) func country(_ random: inout GeneratorRandom) -> Int {
    Int(countries[Int(random.below(UInt64(countries.count)))])
  }

  /// Returns a position below `count`; the first positions are the most frequent.
  @inline(__always) private func rank(_ random: inout GeneratorRandom, _ count: Int) -> Int {
    if random.below(5) < 2 { return Int(random.below(UInt64(count))) }
    // Each next halving of the rest is equally likely.
    let halvings = UInt64(64 - (UInt64(count)).leadingZeroBitCount)
    let limit = min(UInt64(count), 1 << (random.below(halvings) + 1))
    return Int(random.below(limit))
  }

  func writeName(_ country: Int, _ random: inout GeneratorRandom, to writer: inout GeneratorWriter) {
    let style = NameStyle.all[GeneratedCountry.all[country].style]
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

  private func writeWord(_ style: NameStyle, _ random: inout GeneratorRandom, to writer: inout GeneratorWriter) {
    let start = writer.count
    // Few words have only one syllable, because there are not many such words.
    let syllables = max(1 + random.below(style.syllables), random.below(5) > 0 ? 2 : 1)
    for syllable in 0..<syllables {
      writer.text(style.onsets[rank(&random, style.onsets.count)])
      writer.text(style.vowels[rank(&random, style.vowels.count)])
      if syllable + 1 == syllables || random.below(3) == 0 {
        writer.text(style.codas[rank(&random, style.codas.count)])
      }
    }
    if random.below(100) < 48 || writer.count - start < 4 {
      writer.text(style.endings[rank(&random, style.endings.count)])
    }
    if unsafe writer.start[start] >= 0x61, unsafe writer.start[start] <= 0x7a { unsafe writer.start[start] -= 0x20 }
  }

  /// Gives an accent to one letter of the name: the first letter with an accent in this style, from a chosen letter on.
  private func accent(
    _ style: NameStyle, from start: Int, _ random: inout GeneratorRandom, _ writer: inout GeneratorWriter
  ) {
    let size = writer.count - start
    let first = Int(random.below(UInt64(size)))
    let preferred = Int(random.below(UInt64(style.accents.count)))
    for step in 0..<size {
      let at = start + (first + step) % size
      for number in 0..<style.accents.count {
        let (plain, accented) = style.accents[(preferred + number) % style.accents.count]
        guard unsafe writer.start[at] == plain else { continue }
        let added = accented.utf8CodeUnitCount - 1
        var moved = writer.count - 1
        while moved > at {
          unsafe writer.start[moved + added] = unsafe writer.start[moved]
          moved -= 1
        }
        for index in 0...added { unsafe writer.start[at + index] = unsafe accented.utf8Start[index] }
        writer.count += added
        return
      }
    }
  }
}
