#if CommandLineTool
  import ArgumentParser
  import ShardBuilder
  import ShardedIndex

  /// The options of a build by which answers are ranked.
  struct RankingOptions: ParsableArguments {
    @Option(
      name: .customLong("weight"),
      help: ArgumentHelp(
        "The field with each record's weight, a number. Answers begin with the greatest weights.",
        valueName: "field"))
    var weight: String?

    @Option(
      name: .customLong("weights"),
      help: ArgumentHelp(
        "A file of weights, each line an id, a tab and a number; plain, .gz or .zst. Needs --id.",
        valueName: "file"),
      completion: .file())
    var weights: String?

    @Option(
      name: .customLong("weight-scale"),
      help: ArgumentHelp(
        "Multiply weights by this before rounding down, such as 100 for ratings of two decimals (default: 1).",
        valueName: "number"))
    var scale: String?

    @Option(
      name: .customLong("filter"),
      help: ArgumentHelp(
        "A field to filter answers by, such as country. May be given again. Adds about 3 % to the index.",
        valueName: "field"))
    var filter: [String] = []

    @Option(
      name: .customLong("names"),
      help: ArgumentHelp(
        "A file with other names of the values of a filter, so that 'paris france' finds Paris. Each line has a "
          + "value, a tab and a name, and perhaps a tab and a condition. May be given again.",
        valueName: "field=file"))
    var names: [NamesFile] = []

    @Option(
      name: .customLong("synonyms"),
      help: ArgumentHelp(
        "A file of words that stand for others in searches, with 'st, saint' or 'hbf => hauptbahnhof' on a line. "
          + "May be given again.",
        valueName: "file"),
      completion: .file())
    var synonyms: [String] = []

    @Option(
      name: .customLong("typos"), defaultAsFlag: .letters,
      help: ArgumentHelp(
        "Correct one typing error in a word of 3 letters, and two in a word of 8, three if it is alone. Words with a digit have errors "
          + "only with the value digits. Adds 3 to 13 % to the index.",
        valueName: "letters|digits"))
    var typos: EditedWords?

    @Option(
      name: .customLong("number"),
      help: ArgumentHelp(
        "Let queries sort by the numbers or the dates (ISO 8601) of this field, and filter by ranges of them; may be given "
          + "again. Adds about 1 % to the index.",
        valueName: "field"))
    var number: [String] = []

    @Flag(
      name: .customLong("near"),
      help: "Let queries rank records near a place higher, by their coordinates. Adds about 2 % to the index.")
    var near = false

    @Option(
      name: .customLong("coordinates"),
      help: ArgumentHelp(
        "The fields with latitude and longitude, or one field with both (default: found by names like lat and lon).",
        valueName: "lat,lon"))
    var coordinates: NameList?

    @Option(
      name: .customLong("words"), defaultAsFlag: .body,
      help: ArgumentHelp(
        "Find records by later words too: those of all components but the last (body), or of all (all). With code, "
          + "the capitals of getUserName begin words too.",
        valueName: "body|all|code"))
    var words: BuildOptions.Words?

    @Option(
      name: .customLong("alias"),
      help: ArgumentHelp(
        "Find records by the other names in this field too: an array, or a text with commas, semicolons or | between. "
          + "May be given again. 'initials' stands for the leading consonants of Hangul names. A bonus such as -3 "
          + "puts matches by these names lower, by powers of two in weight: -16 to 0.",
        valueName: "field[:bonus]"))
    var alias: [String] = []

    @Option(
      name: .customLong("search-field"),
      help: ArgumentHelp(
        "Find records by the words of this field too, in any order with those of the key. May be given again. Turns on "
          + "--words. The bonus, in powers of two in weight, is -16 to -4 (default: -5).",
        valueName: "field[:bonus]"))
    var searchFields: [String] = []

    func validate() throws {
      if Set(filter).count < filter.count { throw ValidationError("--filter names a field twice; leave out one") }
      if filter.count > IndexSettings.filterLimit {
        throw ValidationError("--filter is given over \(IndexSettings.filterLimit) times; leave out some")
      }
      if Set(number).count < number.count { throw ValidationError("--number names a field twice; leave out one") }
      if number.count > IndexSettings.filterLimit {
        throw ValidationError("--number is given over \(IndexSettings.filterLimit) times; leave out some")
      }
      if let coordinates, coordinates.names.count > 2 {
        throw ValidationError("--coordinates has over two fields; name that of the latitude and that of the longitude")
      }
      if scale != nil, weight == nil, weights == nil {
        throw ValidationError("--weight-scale needs --weight or --weights; add one")
      }
      if WeightRule(scale: scale) == nil { throw ValidationError("--weight-scale must be a number above 0.") }
    }

    /// The field that records are ranked by; nil if they are not.
    var field: String? { weight ?? weights.map { _ in BuildOptions.usualWeight } }
    /// The files that are read for ranking.
    var files: [String] { [weights].compactMap { $0 } + names.map(\.path) + synonyms }

    func apply(to options: inout BuildOptions) {
      (options.weight, options.weightsFile, options.scaleText) = (weight, weights, scale)
      (options.words, options.alias, options.searchFields) = (words, alias, searchFields)
      (options.filter, options.number) = (filter, number)
      (options.near, options.typos) = (near, typos != nil)
      options.typosInDigits = typos == .digits
      options.coordinates = coordinates?.names
      (options.namesFiles, options.synonymsFiles) = (names.map { ($0.field, $0.path) }, synonyms)
    }
  }

  /// A file with other names of a field's values.
  struct NamesFile: ExpressibleByArgument {
    let field: String
    let path: String

    init?(argument: String) {
      guard let filter = ShardedIndex.Filter(argument), !filter.values[0].isEmpty else { return nil }
      (field, path) = (filter.field, filter.values[0])
    }
  }

  extension BuildOptions.Words: ExpressibleByArgument {}

  /// The words in which typing errors are corrected.
  enum EditedWords: String, ExpressibleByArgument, CaseIterable {
    case letters, digits
  }
#endif
