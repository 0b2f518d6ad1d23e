import TestSupport
import Testing

import ShardedIndex

/// The text after Backspace, derived from the Unicode names of characters, not from ranges.
enum Backspace {
  static func goesWhole(_ base: Unicode.Scalar) -> Bool {
    let properties = base.properties
    guard let name = properties.name else { return true }  // Control characters; no table has names of unified Han.
    guard !name.contains("KATAKANA") else { return false }
    let whole = ["LATIN", "GREEK", "CYRILLIC", "HANGUL", "COMBINING", "DIGIT", "ZERO WIDTH"]
    return properties.isEmoji || whole.contains { name.hasPrefix($0) } || base.isASCII
  }

  static func expected(after text: String) -> String {
    guard let last = text.last else { return "" }
    var scalars = Array(last.unicodeScalars)
    var rest = String(text.dropLast())
    guard scalars.count > 1, !goesWhole(scalars[0]) else { return rest }
    while scalars.removeLast().properties.isVariationSelector, !scalars.isEmpty {}
    rest.unicodeScalars.append(contentsOf: scalars)
    return rest
  }
}

@Suite("Deletion by Backspace") struct BackwardDeletionTests {
  @Test(
    "a script that is typed sign by sign is deleted sign by sign, others by character",
    arguments: [
      ("กรุ", ["กร", "ก", ""]), ("ที่", ["ที", "ท", ""]), ("दि", ["द", ""]), ("क्ष", ["क्", "क", ""]), ("ດີ", ["ດ", ""]),
      ("தி", ["த", ""]), ("শ্রী", ["শ্র", "শ্", "শ", ""]), ("ខ្មែ", ["ខ្ម", "ខ្", "ខ", ""]), ("မြို", ["မြိ", "မြ", "မ", ""]),
      ("དྲི", ["དྲ", "ད", ""]), ("מָ", ["מ", ""]), ("مُّ", ["مُ", "م", ""]), ("か\u{3099}", ["か", ""]),
      ("می\u{200c}", ["می", "م", ""]),
      ("한국", ["한", ""]), ("\u{1112}\u{1161}\u{11ab}", [""]), ("e\u{301}", [""]), ("и\u{306}", [""]), ("α\u{301}", [""]),
      ("a\r\n", ["a", ""]), ("👨‍👩‍👧", [""]), ("👍🏽", [""]), ("☺️", [""]), ("🇫🇷🇸🇬", ["🇫🇷", ""]), ("1️⃣", [""]),
      ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", [""]), ("葛\u{e0100}", [""]), ("ab", ["a", ""]),
    ] as [(String, [String])])
  func table(text: String, left: [String]) throws {
    let index = try SmallIndex(json: #"[{"name":"a"}]"#, key: "{name}").open
    var session = index.session()
    try session.append(text)
    for expected in left {
      session.removeLast()
      #expect(session.text.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(session.text) for \(expected)")
    }
  }

  @Test("every named letter with a mark is deleted as its script is typed")
  func everyScalar() {
    let marks = ["LATIN": "\u{301}", "GREEK": "\u{301}", "CYRILLIC": "\u{306}", "HANGUL": "\u{302e}"]
    let signs = [
      "THAI": "\u{e38}", "LAO": "\u{eb8}", "DEVANAGARI": "\u{93f}", "BENGALI": "\u{9bf}", "GURMUKHI": "\u{a3f}",
      "GUJARATI": "\u{abf}", "ORIYA": "\u{b3f}", "TAMIL": "\u{bbf}", "TELUGU": "\u{c3f}", "KANNADA": "\u{cbf}",
      "MALAYALAM": "\u{d3f}", "SINHALA": "\u{dd2}", "TIBETAN": "\u{f72}", "MYANMAR": "\u{102d}", "KHMER": "\u{17b7}",
      "HEBREW": "\u{5b8}", "ARABIC": "\u{64f}", "SYRIAC": "\u{730}", "THAANA": "\u{7a6}", "JAVANESE": "\u{a9b6}",
    ]
    var (whole, parts) = (0, 0)
    for value in UInt32(0)...0x1ffff {
      guard let scalar = Unicode.Scalar(value), let name = scalar.properties.name,
        scalar.properties.generalCategory != .nonspacingMark
      else { continue }
      let script = String(name.prefix { $0 != " " })
      let isLetter = scalar.properties.isAlphabetic && scalar.properties.numericType == nil
      if let mark = marks[script], isLetter {
        whole += 1
        let character = Character(String(scalar) + mark)
        #expect(BackwardDeletion.steps(of: character).count == 1, "\(name)")
      } else if scalar.properties.isEmojiPresentation {
        whole += 1
        #expect(BackwardDeletion.steps(of: Character(String(scalar) + "\u{1f3fd}")).count == 1, "\(name)")
      } else if let sign = signs[script], isLetter, (String(scalar) + sign).count == 1 {
        parts += 1
        #expect(BackwardDeletion.steps(of: Character(String(scalar) + sign)).count == 2, "\(name)")
      }
    }
    #expect(whole > 14_000 && parts > 1_200, "\(whole), \(parts)")
  }
}
