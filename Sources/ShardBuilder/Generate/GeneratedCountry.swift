/// A country with made-up towns, and its position in degrees.
struct GeneratedCountry {
  let code: UInt16
  /// The country's share of all records, out of the sum of all weights.
  let weight: Int
  let style: Int
  let west: Int
  let east: Int
  let south: Int
  let north: Int

  init(
    _ code: StaticString, _ weight: Int, _ style: Int, _ west: Int, _ east: Int, _ south: Int, _ north: Int
  ) {
    self.code = unsafe UInt16(code.utf8Start[0]) << 8 | UInt16(code.utf8Start[1])
    (self.weight, self.style) = (weight, style)
    (self.west, self.east, self.south, self.north) = (west, east, south, north)
  }

  static let all: [GeneratedCountry] = [
    GeneratedCountry("DE", 2880, 0, 6, 15, 47, 55), GeneratedCountry("US", 2000, 1, -124, -70, 26, 48),
    GeneratedCountry("FR", 2000, 2, -4, 8, 43, 51),
    GeneratedCountry("ES", 1540, 3, -9, 3, 36, 43), GeneratedCountry("IT", 990, 4, 7, 18, 37, 46),
    GeneratedCountry("RU", 880, 5, 30, 136, 43, 66),
    GeneratedCountry("CN", 870, 6, 98, 128, 20, 46), GeneratedCountry("ID", 660, 7, 103, 123, -10, 1),
    GeneratedCountry("AU", 560, 1, 115, 153, -43, -17),
    GeneratedCountry("PH", 500, 7, 119, 126, 6, 18), GeneratedCountry("GB", 490, 1, -6, 2, 50, 58),
    GeneratedCountry("CH", 410, 0, 6, 10, 46, 47),
    GeneratedCountry("PL", 410, 5, 15, 24, 50, 54), GeneratedCountry("AT", 370, 0, 10, 17, 46, 49),
    GeneratedCountry("IN", 360, 8, 70, 93, 8, 32),
    GeneratedCountry("BR", 360, 3, -61, -35, -30, -2), GeneratedCountry("CA", 330, 1, -128, -54, 43, 62),
    GeneratedCountry("PT", 320, 3, -9, -7, 37, 42),
    GeneratedCountry("RO", 290, 4, 21, 28, 44, 48), GeneratedCountry("MX", 240, 3, -112, -88, 16, 31),
    GeneratedCountry("AR", 170, 3, -71, -55, -44, -23),
    GeneratedCountry("UA", 170, 5, 23, 39, 45, 52), GeneratedCountry("CZ", 150, 5, 13, 19, 49, 51),
    GeneratedCountry("BE", 150, 2, 3, 6, 50, 51),
    GeneratedCountry("JP", 140, 6, 128, 144, 26, 44), GeneratedCountry("BG", 140, 5, 23, 28, 41, 44),
    GeneratedCountry("TR", 130, 9, 27, 43, 36, 42),
    GeneratedCountry("GR", 130, 4, 20, 28, 35, 41), GeneratedCountry("IE", 130, 1, -10, -6, 52, 55),
    GeneratedCountry("TH", 120, 7, 98, 105, 7, 20),
    GeneratedCountry("CO", 110, 3, -78, -72, 1, 11), GeneratedCountry("HU", 110, 9, 17, 22, 46, 48),
    GeneratedCountry("NL", 110, 0, 4, 7, 51, 53),
    GeneratedCountry("SE", 105, 10, 12, 22, 56, 66), GeneratedCountry("FI", 90, 10, 22, 30, 60, 67),
    GeneratedCountry("NO", 78, 10, 5, 28, 58, 71),
    GeneratedCountry("VE", 73, 3, -72, -61, 5, 11), GeneratedCountry("DK", 58, 10, 8, 13, 55, 57),
    GeneratedCountry("ZA", 55, 0, 18, 32, -34, -24),
    GeneratedCountry("PK", 55, 8, 62, 75, 25, 35), GeneratedCountry("NG", 52, 7, 3, 13, 5, 13),
    GeneratedCountry("KZ", 53, 9, 49, 83, 42, 54),
    GeneratedCountry("NZ", 44, 1, 167, 178, -46, -35), GeneratedCountry("PE", 42, 3, -81, -70, -17, -4),
    GeneratedCountry("MA", 39, 2, -10, -2, 29, 36),
    GeneratedCountry("CL", 37, 3, -74, -69, -52, -20), GeneratedCountry("IR", 32, 8, 45, 61, 27, 38),
    GeneratedCountry("VN", 20, 7, 104, 109, 9, 22),
  ]
}
