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

    func validate() throws {
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
    }
  }
#endif
