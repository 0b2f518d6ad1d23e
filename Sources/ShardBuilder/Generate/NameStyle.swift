/// The parts of the names of a language family.
struct NameStyle {
  let onsets: [StaticString]
  let vowels: [StaticString]
  let codas: [StaticString]
  /// The words before the name, the frequent ones first.
  let before: [StaticString]
  /// The endings, the frequent ones first.
  let endings: [StaticString]
  /// ASCII letters, each with the accented letter that may replace it.
  let accents: [(UInt8, StaticString)]
  /// The most syllables of a word.
  let syllables: UInt64
}

extension NameStyle {
  /// The styles, by the number in a country.
  static let all: [NameStyle] = [
    // 0: German and its neighbours
    NameStyle(
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
      accents: [(0x75, "\u{fc}"), (0x6f, "\u{f6}"), (0x61, "\u{e4}"), (0x65, "\u{e9}"), (0x69, "\u{ef}")], syllables: 2),
    // 1: English
    NameStyle(
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
      accents: [(0x65, "\u{e9}"), (0x61, "\u{e1}"), (0x6f, "\u{14d}"), (0x69, "\u{ed}"), (0x75, "\u{fa}")], syllables: 2
    ),
    // 2: French
    NameStyle(
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
      accents: [
        (0x65, "\u{e9}"), (0x65, "\u{e8}"), (0x61, "\u{e2}"), (0x69, "\u{ee}"), (0x6f, "\u{f4}"), (0x63, "\u{e7}"),
        (0x75, "\u{fb}"),
      ],
      syllables: 2),
    // 3: Spanish and Portuguese
    NameStyle(
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
        (0x61, "\u{e1}"), (0x6f, "\u{f3}"), (0x69, "\u{ed}"), (0x61, "\u{e3}"), (0x6e, "\u{f1}"), (0x65, "\u{e9}"),
        (0x75, "\u{fa}"),
        (0x63, "\u{e7}"),
      ], syllables: 3),
    // 4: Italian, Romanian, Greek
    NameStyle(
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
      accents: [
        (0x61, "\u{e0}"), (0x6f, "\u{f2}"), (0x61, "\u{103}"), (0x74, "\u{21b}"), (0x73, "\u{219}"), (0x69, "\u{ee}"),
        (0x65, "\u{e8}"),
      ],
      syllables: 3),
    // 5: Slavic
    NameStyle(
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
        (0x6c, "\u{142}"), (0x6f, "\u{f3}"), (0x63, "\u{10d}"), (0x73, "\u{161}"), (0x7a, "\u{17e}"), (0x72, "\u{159}"),
        (0x61, "\u{105}"),
        (0x69, "\u{ed}"), (0x79, "\u{fd}"), (0x65, "\u{2019}e"),
      ],
      syllables: 3),
    // 6: Chinese and Japanese in Latin letters
    NameStyle(
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
      accents: [(0x6f, "\u{14d}"), (0x75, "\u{16b}"), (0x75, "\u{fc}"), (0x61, "\u{2019}a"), (0x65, "\u{113}")],
      syllables: 2),
    // 7: Malay, Philippine, African
    NameStyle(
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
      accents: [
        (0x61, "\u{1ea1}"), (0x6f, "\u{1ecd}"), (0x6e, "\u{f1}"), (0x75, "\u{fa}"), (0x64, "\u{111}"),
        (0x65, "\u{1eb9}"), (0x69, "\u{ed}"),
      ],
      syllables: 2),
    // 8: South and West Asian
    NameStyle(
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
      accents: [(0x61, "\u{101}"), (0x69, "\u{12b}"), (0x75, "\u{16b}"), (0x6e, "\u{f1}")], syllables: 2),
    // 9: Turkic and Hungarian
    NameStyle(
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
        (0x6f, "\u{f6}"), (0x75, "\u{fc}"), (0x69, "\u{131}"), (0x73, "\u{15f}"), (0x67, "\u{11f}"), (0x61, "\u{e1}"),
        (0x65, "\u{e9}"),
        (0x6f, "\u{151}"),
      ], syllables: 2),
    // 10: Nordic
    NameStyle(
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
      accents: [
        (0x6f, "\u{f6}"), (0x6f, "\u{f8}"), (0x61, "\u{e5}"), (0x61, "\u{e4}"), (0x65, "\u{e6}"), (0x79, "\u{fd}"),
      ], syllables: 2),
  ]
}
