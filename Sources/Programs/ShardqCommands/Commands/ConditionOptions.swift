#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  /// The order and the conditions of answers, for `query` and for `ui`.
  struct ConditionOptions: ParsableArguments {
    @Option(
      name: .customLong("sort"), parsing: .unconditional,
      help: ArgumentHelp(
        "rank begins with the best matches, key has them in the order of keys (default: rank if the index has ranks). "
          + "A field of build --number begins with the least numbers, and with a minus sign before it with the greatest.",
        valueName: "order"))
    var sort: SortOrder?

    @Option(
      name: .customLong("filter"),
      help: ArgumentHelp(
        "Only records with this value, in a ranked answer. May be given again, for other values or fields. A field of "
          + "build --number takes a range: price=20..50, price=20.., created=2025-01..2025-03.",
        valueName: "field=value"))
    var filters: [String] = []

    @Option(
      name: .customLong("typos"),
      help: ArgumentHelp(
        "auto corrects typing errors in a ranked answer, min gives only the matches with the fewest errors, "
          + "none corrects none (default: auto if the index was built with --typos).",
        valueName: "mode"))
    var typos: TypoMode?

    @Option(
      name: .customLong("near"), parsing: .unconditional,
      help: ArgumentHelp(
        "Rank records near this place higher, in a ranked answer. Both numbers are degrees, north and east.",
        valueName: "lat,lon"))
    var near: AnswerPlace?

    @Option(
      name: .customLong("radius"), parsing: .unconditional,
      help: ArgumentHelp(
        "Only records at most so far from the place of --near: kilometres, or such as 800m or 10mi.",
        valueName: "distance"))
    var radius: String?

    @Option(
      name: .customLong("group"),
      help: ArgumentHelp(
        "Only the best of the records with the same text in this field, in a ranked answer, and the number of the others "
          + "of its group. key takes the text of the key.",
        valueName: "field"))
    var group: String?

    func validate() throws {
      if let radius {
        if near == nil { throw ValidationError("--radius needs a place; add --near") }
        if RadiusText.kilometres(radius) == nil {
          throw ValidationError(
            "--radius: \(radius) is no distance above 0 and at most 20,040 km; write one such as 25, 800m or 10mi")
        }
      }
      for filter in filters where ShardedIndex.Filter(filter) == nil {
        throw ValidationError("--filter: \(filter) is not valid; write a field and a value, such as country=FR")
      }
    }

    /// Sets the order and the conditions of a search.
    func apply(to query: inout ShardedIndex.SearchQuery) {
      sort?.apply(to: &query)
      query.filter = filters.compactMap { ShardedIndex.Filter($0) }
      query.typos = typos.typos
      query.group = group
      query.near = near?.place
      query.near?.radius = radius.flatMap { RadiusText.kilometres($0) }
    }

    /// The words of the commands for a fault of a search.
    ///
    /// - Parameter options: The options of the command that go with ranks alone.
    static func error(_ fault: SearchFault, rankedOptions options: String) -> ValidationError {
      switch fault {
      case .needsRanks: ValidationError("\(options) go with --sort rank; leave out --sort key")
      case .offsetBesideCursor:
        ValidationError("--after continues a ranked answer; leave out --count and --offset")
      default: ValidationError(fault.description)
      }
    }

    /// The conditions without the filters as a line of information has them, such as `near 48.85,2.35`.
    var notes: [String] {
      let others = [
        near.map { "near " + $0.text }, radius.map { "radius " + $0 }, group.map { "group " + $0 },
        typos.map { "typos " + $0.rawValue }, sort.map { "sort " + $0.rawValue },
      ]
      return others.compactMap { $0 }
    }
  }

  extension SortOrder: ExpressibleByArgument {
    package static var allValueStrings: [String] { named.map(\.rawValue) }
  }

  /// Whether typing errors are corrected, on the command line.
  enum TypoMode: String, ExpressibleByArgument, CaseIterable { case auto, min, none }

  extension TypoMode? {
    /// The mode of a query. The index has to be built for auto, if it is named.
    var typos: ShardedIndex.Typos {
      switch self {
      case .auto?: .required
      case .min?: .min
      case TypoMode.none?: .none
      case nil: .automatic
      }
    }
  }

  /// A place on the command line.
  struct AnswerPlace: ExpressibleByArgument {
    let place: ShardedIndex.Place
    let text: String

    init?(argument: String) {
      guard let place = ShardedIndex.Place(argument) else { return nil }
      self.place = place
      text = argument
    }
  }
#endif
