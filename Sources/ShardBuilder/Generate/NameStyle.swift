/// The parts that names of a language family are put together from.
struct NameStyle {
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

extension NameStyle {
  /// The styles, by the number that a country has.
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
      accents: [(0x75, "ü"), (0x6f, "ö"), (0x61, "ä"), (0x65, "é"), (0x69, "ï")], syllables: 2),
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
      accents: [(0x65, "é"), (0x61, "á"), (0x6f, "ō"), (0x69, "í"), (0x75, "ú")], syllables: 2),
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
      accents: [(0x65, "é"), (0x65, "è"), (0x61, "â"), (0x69, "î"), (0x6f, "ô"), (0x63, "ç"), (0x75, "û")],
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
        (0x61, "á"), (0x6f, "ó"), (0x69, "í"), (0x61, "ã"), (0x6e, "ñ"), (0x65, "é"), (0x75, "ú"),
        (0x63, "ç"),
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
      accents: [(0x61, "à"), (0x6f, "ò"), (0x61, "ă"), (0x74, "ț"), (0x73, "ș"), (0x69, "î"), (0x65, "è")],
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
        (0x6c, "ł"), (0x6f, "ó"), (0x63, "č"), (0x73, "š"), (0x7a, "ž"), (0x72, "ř"), (0x61, "ą"),
        (0x69, "í"), (0x79, "ý"), (0x65, "’e"),
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
      accents: [(0x6f, "ō"), (0x75, "ū"), (0x75, "ü"), (0x61, "’a"), (0x65, "ē")], syllables: 2),
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
      accents: [(0x61, "ạ"), (0x6f, "ọ"), (0x6e, "ñ"), (0x75, "ú"), (0x64, "đ"), (0x65, "ẹ"), (0x69, "í")],
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
      accents: [(0x61, "ā"), (0x69, "ī"), (0x75, "ū"), (0x6e, "ñ")], syllables: 2),
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
        (0x6f, "ö"), (0x75, "ü"), (0x69, "ı"), (0x73, "ş"), (0x67, "ğ"), (0x61, "á"), (0x65, "é"),
        (0x6f, "ő"),
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
      accents: [(0x6f, "ö"), (0x6f, "ø"), (0x61, "å"), (0x61, "ä"), (0x65, "æ"), (0x79, "ý")], syllables: 2),
  ]
}
