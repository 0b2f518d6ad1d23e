import ShardBuilder
import ShardedIndex

extension ChangingList {
  /// Texts of a weight field, each with its weight at the scale 1.
  package static let weightTexts: [(value: ModelRecord.Value?, weight: UInt64)] = [
    (.number("0"), 0), (.number("7"), 7), (.number("7"), 7), (.number("250000"), 250_000), (.number("1.99"), 1),
    (.number("-4"), 0), (.number("1e3"), 1000), (.number("1e30"), UInt64(Int64.max)), (.string("12"), 12),
    (.string("12 "), 0), (.string("NaN"), 0), (.string("-inf"), 0), (.string("many"), 0), (.string(""), 0),
    (.number("9223372036854775807"), UInt64(Int64.max)), (.number("9223372036854775806"), UInt64(Int64.max) - 1),
    (.number("9223372036854775808"), UInt64(Int64.max)), (.number("0.5"), 0),
    (.number("18446744073709551619"), UInt64(Int64.max)), (.literal("null"), 0),
    (.literal("true"), 0), (nil, 0), (.string(String(repeating: "0", count: 63) + "5"), 5),
    (.string(String(repeating: "0", count: 64) + "5"), 0),
  ]
  /// A name, a country and, in most records, a weight; small numbers most of the time, so that parts differ.
  package static func weighted(_ random: inout SplitMix64) -> Members {
    let letters = (0..<Int.random(in: 1..<6, using: &random)).map { _ in "abcdeiorst".randomElement(using: &random)! }
    var members: Members = [
      ("name", .string(String(letters))), ("country", .string(["CH", "FR"].randomElement(using: &random)!)),
    ]
    if let weight = weight(&random) { members.append(("pop", weight)) }
    return members
  }

  package static func weight(_ random: inout SplitMix64) -> ModelRecord.Value? {
    Int.random(in: 0..<4, using: &random) == 0
      ? weightTexts.randomElement(using: &random)!.value : .number("\(Int.random(in: 0..<300_000, using: &random))")
  }

  /// The options of a build with weights.
  package static func weightedOptions(_ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    var options = BuildOptions()
    (options.level, options.shardLimitBytes, options.partSizeBytes) = (3, 512, 128)
    (options.key, options.weight) = ("{name}, {country}", "pop")
    change(&options)
    return options
  }

  /// Texts of a filter field, each with its values.
  package static let tags: [(value: ModelRecord.Value?, values: Set<String>)] = [
    (.string("River"), ["river"]), (.string("ÉTÉ"), ["ete"]), (.string(""), [""]), (.number("7"), ["7"]),
    (.number("1e3"), ["1e3"]), (.literal("true"), ["true"]), (.literal("null"), []), (nil, []), (.literal("{}"), []),
    (.literal("[]"), []), (.literal(#"["river","RIVER","a b"]"#), ["river", "a b"]),
    (
      .literal(#"["a\"]b",7,null,["lake"],{"x":"lake"},"\u00c9\ud83d\ude00\n",-2.5]"#),
      ["a\"]b", "7", "e\u{1F600} ", "-2.5"]
    ),
    (.literal(#"[true,[],"lake, north"]"#), ["lake\u{1}north"]),
  ]
  /// A name, a country, a weight and, in most records, a tag.
  package static func tagged(_ random: inout SplitMix64) -> Members {
    var members = weighted(&random)
    if let tag = tags.randomElement(using: &random)!.value { members.append(("tag", tag)) }
    return members
  }

  /// The options of a build with weights and filters.
  package static func taggedOptions(_ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    weightedOptions {
      $0.filter = ["country", "tag"]
      change(&$0)
    }
  }
}
