#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  /// The options of the page's rows and records, which `serve` and `page` share.
  struct PageRows: ParsableArguments {
    @Option(
      name: .customLong("row"),
      help: ArgumentHelp(
        "The first line of a row, with fields in braces (default: the key).",
        valueName: "template"))
    var row: String?

    @Option(
      name: .customLong("subtitle"),
      help: ArgumentHelp(
        "The second line of a row, with fields in braces. A piece between two \u{b7} without a value is left out.",
        valueName: "template"))
    var subtitle: String?

    @Option(
      name: .customLong("row-right"),
      help: ArgumentHelp(
        "The right side of a row, such as a price, with numbers as the language writes them.",
        valueName: "template"))
    var right: String?

    @Option(
      name: .customLong("link"),
      help: ArgumentHelp(
        "The address that a row leads to: a field with an address, or an address with fields in braces.",
        valueName: "field"))
    var link: String?

    @Option(
      name: .customLong("fields"),
      help: ArgumentHelp("The fields of a record to show, in this order (default: all).", valueName: "field,..."))
    var fields: String?

    @Option(
      name: .customLong("label"),
      help: ArgumentHelp("The name that a field has on the page. May be given again.", valueName: "field=text"))
    var labels: [String] = []

    @Option(
      name: .customLong("order"), parsing: .unconditionalSingleValue,
      help: ArgumentHelp(
        "An order by a field of numbers, for the page's menu: price=Cheapest first, -price=Dearest first. May be "
          + "given again.",
        valueName: "field=text"))
    var orders: [String] = []

    @Option(
      name: .customLong("image"), help: ArgumentHelp("The field with the address of an image.", valueName: "field"))
    var image: String?

    @Option(
      name: .customLong("image-origin"),
      help: ArgumentHelp("An origin that images may come from. May be given again.", valueName: "url"))
    var imageOrigins: [String] = []

    /// The settings of these options, by their names.
    fileprivate var settings: [(String, String?)] {
      [
        ("row", row), ("subtitle", subtitle), ("row-right", right), ("link", link), ("fields", fields),
        ("image", image),
      ] + labels.map { ("label", $0) } + orders.map { ("order", $0) } + imageOrigins.map { ("image-origin", $0) }
    }
  }

  /// The options of the page's look, which `serve` and `page` share.
  struct PageLook: ParsableArguments {
    @Option(name: .customLong("title"), help: ArgumentHelp("The title (default: shardq).", valueName: "text"))
    var title: String?

    @Option(
      name: .customLong("lang"),
      help: ArgumentHelp(
        "The language of the page: en, de, fr, es, or another for which --page-file gives all texts.", valueName: "tag")
    )
    var language: String?

    @Option(
      name: .customLong("accent"),
      help: ArgumentHelp(
        "The colour of the title, links and the chosen row, such as teal or #0a7. The page makes it readable.",
        valueName: "colour"))
    var accent: String?

    @Option(
      name: .customLong("logo"),
      help: ArgumentHelp(
        "The address of an image beside the title.",
        valueName: "url"))
    var logo: String?

    @Option(
      name: .customLong("home"),
      help: ArgumentHelp(
        "The address that the title leads to.",
        valueName: "url"))
    var home: String?

    @Option(
      name: .customLong("page-file"),
      help: ArgumentHelp(
        "A file with such options and the texts of the page, like title = Shop. Options of the command line win.",
        valueName: "file"),
      completion: .file())
    var file: String?

    /// Returns the options of the file and of the command line.
    ///
    /// - Parameter index: The index, whose fields they may name.
    func options(_ rows: PageRows, for index: String) throws(CommandFailure) -> PageOptions {
      var options = PageOptions()
      do throws(PageOptions.SettingsError) {
        if let file { try options.addFile(file) }
        let given = [
          ("title", title), ("lang", language), ("accent", accent), ("logo", logo), ("home", home),
        ]
        for (name, value) in given + rows.settings {
          if let value { try options.add(name, value, place: "--\(name): ") }
        }
        try options.checkLanguage()
      } catch {
        throw CommandFailure(status: error.status, message: error.message)
      }
      guard options.namesFields else { return options }
      let generation: Generation
      do throws(IndexError) { generation = try ShardedIndex(opening: index).generation } catch {
        throw CommandFailure(error)
      }
      do throws(PageOptions.SettingsError) {
        try options.check(generation.schema.names, numbers: generation.manifest.numberFields)
      } catch {
        throw CommandFailure(status: error.status, message: error.message)
      }
      return options
    }
  }
#endif
