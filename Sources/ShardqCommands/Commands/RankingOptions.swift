#if CommandLineTool
  import ArgumentParser
  import ShardBuilder
  import ShardedIndex

  /// The options of a build by which answers are ranked.
  struct RankingOptions: ParsableArguments {
    @Option(
      name: .customLong("weight"),
      help: ArgumentHelp(
        "The field with each record's weight, a number: of the records that match, the heaviest are answered first.",
        valueName: "field"))
    var weight: String?

    @Option(
      name: .customLong("weights"),
      help: ArgumentHelp(
        "Take weights from a file: an id, a tab and a number a line; plain, .gz or .zst. Needs --id.",
        valueName: "file"),
      completion: .file())
    var weights: String?

    @Option(
      name: .customLong("weight-scale"),
      help: ArgumentHelp(
        "Multiply each weight by this before it is rounded down, 100 for a rating of two decimals (default: 1).",
        valueName: "number"))
    var scale: String?

    @Option(
      name: .customLong("filter"),
      help: ArgumentHelp(
        "A field to filter answers by, like a country; repeat it for several. Costs about 3 % of the index.",
        valueName: "field"))
    var filter: [String] = []

    @Flag(
      name: .customLong("typos"),
      help: "Correct typing errors: one in a word of 4 letters, two in one of 8. Costs about 3 % of the index.")
    var typos = false

    @Flag(
      name: .customLong("near"),
      help: "Let answers be near to a place, by the records' coordinates. Costs about 2 % of the index.")
    var near = false

    @Option(
      name: .customLong("words"), defaultAsFlag: .body,
      help: ArgumentHelp(
        "Find records by later words too: of all components but the last (body), or of the whole key (all).",
        valueName: "body|all"))
    var words: BuildOptions.Words?

    @Option(
      name: .customLong("alias"),
      help: ArgumentHelp(
        "Find records by the other names in this field too, an array or a text with commas between; repeatable. "
          + "'initials' stands for the leading consonants of Hangul names.",
        valueName: "field"))
    var alias: [String] = []

    @Option(
      name: .customLong("weight-bits"),
      help: ArgumentHelp(
        "Round the weights of words and other names up to as many significant bits (default: 12). With fewer, fewer "
          + "updates of weights touch them; answers stay the same.",
        valueName: "n"))
    var weightBits: Int?

    func validate() throws {
      if Set(filter).count < filter.count { throw ValidationError("--filter names a field twice.") }
      if filter.count > IndexSettings.filterLimit {
        throw ValidationError("--filter is given \(IndexSettings.filterLimit) times at most.")
      }
      if let weightBits, weightBits < 1 || weightBits > 63 { throw ValidationError("--weight-bits is 1 to 63.") }
      if weightBits != nil, words == nil, alias.isEmpty {
        throw ValidationError("--weight-bits needs --words or --alias.")
      }
      if scale != nil, weight == nil, weights == nil {
        throw ValidationError("--weight-scale needs --weight or --weights.")
      }
      if WeightRule(scale: scale) == nil { throw ValidationError("--weight-scale must be a number above 0.") }
    }

    /// The field that records are ranked by; nil if they are not.
    var field: String? { weight ?? weights.map { _ in BuildOptions.usualWeight } }
    /// The files that are read for ranking.
    var files: [String] { [weights].compactMap { $0 } }

    func apply(to options: inout BuildOptions) {
      (options.weight, options.weightsFile, options.weightScale) = (weight, weights, scale)
      (options.words, options.alias) = (words, alias)
      options.weightBits = weightBits ?? BuildOptions.usualWeightBits
      (options.filter, options.near, options.typos) = (filter, near, typos)
    }
  }

  extension BuildOptions.Words: ExpressibleByArgument {}
#endif
