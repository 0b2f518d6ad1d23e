/// A guess at the encoding of a text that is not UTF-8, by the bytes above 7F.
///
/// The guess is for a message, and a person sees whether it is right.
struct EncodingGuess {
  /// The name that `iconv` knows.
  let name: String

  /// The most bytes of text that a guess reads.
  static let sampleLimit = 64 << 10

  init(_ text: some Sequence<UInt8>) {
    let text = Array(text.prefix(Self.sampleLimit))
    name = Self.ofPairs(text) ?? Self.ofSingles(Runs(text))
  }

  /// The encoding for ``DatasetDialect/encoding``; nil if only `iconv` knows the encoding.
  var encoding: DatasetDialect.Encoding? { DatasetDialect.Encoding(name: name) }

  /// Returns the shell line that converts a file to UTF-8 and builds from it.
  ///
  /// - Parameter format: The format of the file; nil for the format that the file's name shows.
  static func line(_ name: String, path: String, format: DatasetFormat?) -> BuildMessage {
    let format = format ?? DatasetFormat.promised(byPath: path)
    return Opener(before: "iconv -f \(name) -t UTF-8 ", format: format?.rawValue).line(path: path)
  }

  // MARK: Pairs of bytes

  /// Returns the encoding of a text whose characters above 7F have two bytes; nil for another text.
  private static func ofPairs(_ text: [UInt8]) -> String? {
    var pairs = Pairs()
    for leads in [0x81...0xFC, 0xA1...0xFE] as [ClosedRange<UInt8>] {
      pairs = Pairs(text, leads: leads)
      if pairs.count > 0, 50 * pairs.faults <= pairs.count { break }
    }
    guard pairs.count > 1, 50 * pairs.faults <= pairs.count else { return nil }
    // Western letters stand alone between ASCII letters. Cyrillic words have as many odd as even sizes, and no byte
    // below C0.
    func isMost(_ part: Int, of share: Double) -> Bool { Double(part) >= share * Double(pairs.count) }
    if isMost(pairs.lowLeads, of: 0.3), isMost(pairs.japaneseLeads, of: 0.3) { return "SHIFT_JIS" }
    guard isMost(pairs.both, of: 0.5), !isMost(pairs.letters, of: 0.9), pairs.lowTrails > 0 || Runs(text).areEven
    else { return isMost(pairs.lowLeads, of: 0.3) ? "GBK" : nil }
    if isMost(pairs.lowTrails, of: 0.1) { return isMost(pairs.lowLeads, of: 0.02) ? "GBK" : "BIG5" }
    if isMost(pairs.kanaLeads, of: 0.1) { return "EUC-JP" }
    return isMost(pairs.hangulLeads, of: 0.9) ? "EUC-KR" : "GBK"
  }

  /// The pairs of a lead and a trail byte in a text.
  private struct Pairs {
    private(set) var count = 0
    /// The number of bytes that begin no pair.
    private(set) var faults = 0
    private(set) var lowLeads = 0, japaneseLeads = 0, kanaLeads = 0, hangulLeads = 0
    private(set) var lowTrails = 0
    /// The number of pairs of two bytes from A1 on.
    private(set) var both = 0
    /// The number of pairs of two bytes from C0 on.
    private(set) var letters = 0

    init() {}

    init(_ text: [UInt8], leads: ClosedRange<UInt8>) {
      var at = 0
      while at < text.count {
        let lead = text[at]
        at += 1
        guard lead >= 0x80 else { continue }
        let trail = at < text.count ? text[at] : 0x40
        guard leads.contains(lead), trail >= 0x40, trail != 0x7F, trail != 0xFF else {
          faults += 1
          continue
        }
        at += 1
        count += 1
        lowLeads += lead < 0xA0 ? 1 : 0
        japaneseLeads += (0x81...0x83).contains(lead) || (0x88...0x9F).contains(lead) ? 1 : 0
        kanaLeads += lead == 0xA4 || lead == 0xA5 ? 1 : 0
        hangulLeads += (0xB0...0xC8).contains(lead) ? 1 : 0
        lowTrails += trail < 0x7F ? 1 : 0
        both += lead >= 0xA1 && trail >= 0xA1 ? 1 : 0
        letters += lead >= 0xC0 && trail >= 0xC0 ? 1 : 0
      }
    }
  }

  // MARK: Single bytes

  /// The runs of bytes above 7F.
  private struct Runs {
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var odd = 0
    /// The number of bytes of runs that are not the first of their run, by the upper four bits.
    private(set) var inner = [Int](repeating: 0, count: 16)
    /// The number of runs of one byte.
    private(set) var single = 0
    /// The number of signs A1 to BF beside an ASCII letter, where Western text has no sign, and of those that are
    /// letters of ISO 8859-2.
    private(set) var signs = 0, centralSigns = 0

    var areEven: Bool { 20 * odd <= count }

    init(_ text: [UInt8]) {
      func isLetter(_ at: Int) -> Bool {
        text.indices.contains(at) && (0x61...0x7A).contains(text[at] | 0x20)
      }
      var start = 0
      for at in 0...text.count {
        if at < text.count, text[at] >= 0x80 { continue }
        let size = at - start
        if size > 0 {
          count += 1
          bytes += size
          odd += size % 2
          single += size == 1 ? 1 : 0
          for byte in text[start + 1..<at] { inner[Int(byte >> 4)] += 1 }
          if size == 1, isLetter(start - 1), isLetter(at) || (0xB1...0xBF).contains(text[start]) {
            if (0x80...0xBF).contains(text[start]), ![0x92, 0xAD, 0xB7].contains(text[start]) {
              signs += 1
              centralSigns += [0xB1, 0xB6, 0xBC].contains(text[start]) ? 1 : 0
            }
          }
        }
        start = at + 1
      }
    }
  }

  /// Returns the encoding of a text whose characters are single bytes.
  private static func ofSingles(_ runs: Runs) -> String {
    let words = runs.bytes - runs.single
    if words < runs.single {
      if 10 * runs.signs > runs.count { return 2 * runs.centralSigns > runs.signs ? "ISO-8859-2" : "WINDOWS-1250" }
      return DatasetDialect.Encoding.windows1252.rawValue
    }
    let (low, middle, high) = (
      runs.inner[8] + runs.inner[9] + runs.inner[10], runs.inner[12] + runs.inner[13], runs.inner[14] + runs.inner[15]
    )
    if low > middle, low + runs.inner[14] > high { return "CP866" }
    return middle > high ? "KOI8-R" : "WINDOWS-1251"
  }
}
