#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The options of the list's look.
  struct DisplayOptions: ParsableArguments {
    @Option(
      name: .customLong("height"),
      help: ArgumentHelp(
        "Lines below the cursor to draw on, or a part of the screen (default: all of it).", valueName: "n|n%"))
    var height: ScreenPart?

    @OptionGroup(title: "Display") var color: ColorOption

    @Option(
      name: .customLong("preview-window"),
      help: ArgumentHelp(
        "The preview's place and look: right, left, up or down, its size as n or n%, wrap, hidden; commas between.",
        valueName: "list"),
      transform: { (text: String) throws -> PreviewWindow in
        switch PreviewWindow.read(text) {
        case .success(let window): return window
        case .failure(let unknown):
          throw ValidationError(
            "there is no " + unknown.word + "; choose right, left, up, down, 12, 40%, wrap, nowrap, hidden, nohidden")
        }
      })
    var preview = PreviewWindow()

    @Flag(name: .customLong("stats"), help: "Show what each answer cost: time, shards, bytes loaded.")
    var stats = false

    @Flag(name: .customLong("no-map"), help: "Draw no map.")
    var noMap = false

    @Flag(name: .customLong("no-mouse"), help: "Leave the mouse to the terminal.")
    var noMouse = false

    @Flag(name: .customLong("ascii"), help: "Draw with ASCII characters only.")
    var ascii = false

    @Flag(
      name: .customLong("plain"),
      help: "Say each change in a line of its own and draw nothing: for screen readers (default where TERM is dumb).")
    var plain = false
  }

  struct UICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ui",
      abstract: "Type in the terminal; the list follows every key, Enter prints the record.",
      usage: "shardq ui [<options>]",
      discussion: """
        EXAMPLES:
          shardq                           the same, where there is an index
          city=$(shardq ui)                the record, as tab-separated fields
          shardq ui --height 40%           below the cursor, not the whole screen
          shardq ui --query 'san '         with something typed already
          shardq ui --json | jq .name

        KEYS:
          Up, Down, Page Up, Page Down     another record; also Ctrl-P, Ctrl-N,
                                           and the mouse wheel
          Ctrl-Home, Ctrl-End              the first and the last match
          Enter, double click              take it
          Escape, Ctrl-C                   leave without one
          Left, Right, Ctrl-A, E, U, K, W  edit what was typed, as in a shell
          Tab                              the preview, or none
          Shift-Up, Shift-Down             its lines; also the wheel over it
          Alt-W                            wrap long fields, or cut them off
          Alt-M, Alt-+, Alt--              the map: of the matches or all;
                                           closer, farther
          Ctrl-/                           the costs of each answer, or none
          Ctrl-Y                           copy the key, if the terminal lets it
          Ctrl-Z, Ctrl-L                   suspend; draw again

        Draws on the terminal itself, so that standard output has the record and \
        nothing else. NO_COLOR leaves bold and reverse. Exit status 0 if a record was \
        chosen, 1 if nothing matched, 130 if none was chosen, 64 without a terminal.

        $SHARDQ_UI_OPTS holds options for every list, also that of plain shardq.

        DOCUMENTATION:
          man shardq-ui, docs/terminal.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(name: [.customShort("q", allowingJoined: true), .customLong("query")], help: "What is typed already.")
    var query = ""

    @Option(name: .customLong("format"), help: "How the record is printed (default: text on a terminal, else tsv).")
    var format: OutputFormat?

    @Flag(name: .customLong("json"), help: "The same as --format json: the record as an object.")
    var isJSON = false

    @Option(
      name: .customLong("fields"),
      help: ArgumentHelp("The record's fields to print, with commas between, in tsv or csv.", valueName: "names"))
    var fields: NameList?

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End the record with a zero byte, in tsv.")
    var endsWithZero = false

    @Flag(name: .customLong("with-header"), help: "Print a line with the fields' names before the record, in tsv.")
    var hasHeader = false

    @Flag(name: .customLong("print-query"), help: "Print what was typed on a line before the record.")
    var printsQuery = false

    @OptionGroup(title: "Display") var display: DisplayOptions

    func validate() throws {
      if isJSON, format != nil { throw ValidationError("--json is --format json; leave out one of the two") }
      let format = isJSON ? .json : format
      if fields != nil || hasHeader, format ?? .tsv != .tsv, format != .csv {
        throw ValidationError("--fields and --with-header go with --format tsv or csv; leave out one of the two")
      }
      if endsWithZero, format ?? .tsv != .tsv {
        throw ValidationError("-0 goes with --format tsv; leave out one of the two")
      }
    }

    /// The options of printing the chosen record.
    struct Printing {
      var format: OutputFormat?
      var fields: [String] = []
      var endsWithZero = false
      var hasHeader = false
      var printsQuery = false
      var color: StyleMode?

      /// The format and the look of the record. One record in JSON is its object alone.
      var presentation: Presentation {
        let settings = UserSettings.current
        let hasFields = endsWithZero || hasHeader || !fields.isEmpty
        let format = format ?? (hasFields ? nil : settings.format)
        return Presentation(
          format == .json ? .jsonl : format, hasFields: hasFields, color: color ?? settings.color,
          hyperlink: settings.hyperlink)
      }

      /// Returns a writer of the named fields.
      func writer(of schema: Schema) -> Result<RecordWriter, FieldNames.Unknown> {
        let isChosen = endsWithZero || hasHeader || !fields.isEmpty
        let presentation = presentation
        var writer = RecordWriter(presentation.format, fieldCount: schema.names.count, schema: schema)
        writer.show(presentation.look)
        return FieldNames.find(fields, in: schema.names).map { numbers in
          if isChosen {
            writer.choose(numbers, endsWithZero: endsWithZero, header: hasHeader ? schema.names : nil)
          }
          return writer
        }
      }
    }

    func run() throws { finish(run(on: open(location, options: options))) }

    private var options: ShardedIndex.Options {
      .init(reloadInterval: .seconds(1), expectedDigest: pin.expectedDigest)
    }

    private func run(on index: ShardedIndex) -> ExitStatus {
      let printing = Printing(
        format: isJSON ? .json : format, fields: fields?.names ?? [], endsWithZero: endsWithZero, hasHeader: hasHeader,
        printsQuery: printsQuery, color: display.color.mode)
      // A wrong field is reported before anything is typed.
      if case .failure(let unknown) = printing.writer(of: index.generation.schema) {
        Diagnostics.report(unknown.message)
        return .usage
      }
      var settings = Self.settings(color: display.color.mode)
      settings.query = query
      settings.height = display.height
      settings.preview = display.preview
      settings.showsCost = display.stats
      settings.showsMap = !display.noMap
      settings.usesMouse = !display.noMouse
      settings.isASCII = settings.isASCII || display.ascii
      settings.isPlain = settings.isPlain || display.plain
      return Self.run(index, settings, printing)
    }

    /// Runs the list as a line without arguments does; nil where there is no index.
    static func runIfIndexed() -> ExitStatus? {
      guard let command = try? Shardq.parseAsRoot(["ui"] + usualOptions) as? UICommand else { return nil }
      do throws(IndexError) {
        return command.run(on: try ShardedIndex(opening: command.location.path, options: command.options))
      } catch {
        if case .notFound = error { return nil }
        return QueryRunner.report(error)
      }
    }

    /// The options of `$SHARDQ_UI_OPTS`, which come before those of the command line: the last of two counts. Options
    /// that cannot be used end the process.
    static var usualOptions: [String] {
      let name = "SHARDQ_UI_OPTS"
      let words: [String]
      do throws(UserSettings.Failure) {
        words = try UserSettings.words(of: variable(name), name + ": ")
      } catch {
        Diagnostics.report(error.message)
        finish(error.status)
      }
      if let alone = words.first(where: { ["--", "-h", "-help", "--help", "--version"].contains($0) }) {
        Diagnostics.report("\(name): \(alone) stands on a command line alone; leave it out")
        finish(.usage)
      }
      do {
        _ = try Shardq.parseAsRoot(["ui"] + words)
        return words
      } catch {
        Diagnostics.report("\(name): " + UsageError(["ui"] + words, typed: ["ui"]).text(error))
        finish(.usage)
      }
    }

    /// The settings that the environment implies.
    ///
    /// - Parameter isTerminal: Whether colours go to a terminal, as those of the list do.
    static func settings(color: StyleMode?, isTerminal: Bool = true) -> TypingList.Settings {
      var settings = TypingList.Settings()
      settings.hasColor = StyleMode.hasColor(color ?? UserSettings.current.color, isTerminal: isTerminal)
      let terminal = variable("TERM")
      settings.isPlain = terminal == "dumb" || terminal == ""
      // The console's font has no Braille.
      settings.isASCII = terminal == "linux"
      return settings
    }

    static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

    /// Runs the list, and prints the chosen record.
    static func run(
      _ index: ShardedIndex, _ settings: TypingList.Settings, _ printing: Printing
    ) -> ExitStatus {
      var list = TypingList(index, settings, land: { (index) throws(IndexError) in try index.land() })
      let outcome: TypingList.Outcome
      do throws(Terminal.OpenError) {
        outcome = try list.run()
      } catch {
        Diagnostics.report("there is no terminal to draw on: shardq query PREFIX prints matches without one")
        return .usage
      }
      // The list went on after damage, but status 0 would hide it.
      let damage = list.met.map(QueryRunner.report)
      switch outcome {
      case .cancelled: return .cancelled
      case .closed: return .inputOutput
      case .nothing, .chosen: break
      }
      do throws(WriteError) {
        var output = printing.presentation.output
        if printing.printsQuery {
          try output.write(printing.presentation.look == nil ? list.query : printable(list.query))
          try output.write(printing.endsWithZero ? 0 : 0x0a)
        }
        guard case .chosen(let records, let count) = outcome else {
          try output.flush()
          return damage ?? .negative
        }
        let printed = try print(records, of: count, list.query, printing, &output)
        return printed == .done ? damage ?? .done : printed
      } catch {
        return Diagnostics.failed(error)
      }
    }

    private static func print(
      _ records: ShardedIndex.Records, of count: Int, _ query: String, _ printing: Printing, _ output: inout Output
    ) throws(WriteError) -> ExitStatus {
      var writer: RecordWriter
      switch printing.writer(of: records.schema) {
      case .success(let made): writer = made
      case .failure(let unknown):
        // A rebuild has removed the field.
        Diagnostics.report(unknown.message)
        return .usage
      }
      if let keys = records.folded { writer.foldedKeys = keys }
      try writer.begin(query: query, count: count, to: &output)
      try writer.write(records.buffer, to: &output)
      try writer.end(to: &output)
      try output.flush()
      return .done
    }
  }

  extension ScreenPart: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
  }

  extension ShardedIndex {
    /// The cells that continents are drawn with; nil where the index has no density grid.
    func land() throws(IndexError) -> LandGrid? {
      guard let dots = try densityGrid() else { return nil }
      return LandGrid { column, row in dots.count(column: column, row: row) > 0 }
    }
  }
#endif
