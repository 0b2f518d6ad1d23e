#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The options of the list's look.
  struct DisplayOptions: ParsableArguments {
    @Option(
      name: .customLong("height"),
      help: ArgumentHelp(
        "The lines below the cursor, or the percentage of the screen, to draw on (default: all).",
        valueName: "n|n%"))
    var height: ScreenPart?

    @Option(
      name: .customLong("prompt"),
      help: ArgumentHelp("The text before the typed text (default: '> ').", valueName: "text"))
    var prompt: String?

    @Option(
      name: .customLong("header"),
      help: ArgumentHelp("Lines above the list.", valueName: "text"))
    var header: String?

    // The parser takes a style that is none for an argument too many, or for the flag alone; so any text is one here.
    @Option(
      name: .customLong("border"),
      defaultAsFlag: BorderStyle.rounded.rawValue,
      help: ArgumentHelp(
        "A border around the list (default: none): rounded or sharp.", valueName: "style"))
    var border: String?

    @Option(
      name: .customLong("preview-window"),
      help: ArgumentHelp(
        "The preview's place and look, with commas between: right, left, up, down; its size, n or n%; wrap, hidden.",
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

    @Option(
      name: .customLong("color"),
      help: ArgumentHelp(
        "auto, always or never draw colours; hl:red:bold and the like choose them (default: auto).",
        valueName: "list"),
      transform: { (text: String) throws -> ThemeSpecification in
        do throws(ThemeSpecification.ThemeError) {
          return try ThemeSpecification(text)
        } catch {
          throw ValidationError(error.message)
        }
      })
    var color: ThemeSpecification?

    // As with the border, any text is a place until it is checked.
    @Option(
      name: .customLong("tmux"),
      defaultAsFlag: "center",
      help: ArgumentHelp(
        "In tmux, draw in a popup (default: no popup). Its place is center, top, bottom, left or right; its size is n or n%.",
        valueName: "place"))
    var tmux: String?

    @Flag(name: .customLong("stats"), help: "Show the cost of each answer: time, shards, bytes loaded.")
    var stats = false

    @Flag(name: .customLong("no-map"), help: "Draw no map.")
    var noMap = false

    @Flag(name: .customLong("no-mouse"), help: "Leave the mouse to the terminal.")
    var noMouse = false

    @Flag(
      name: .customLong("plain"),
      help: "Print a line for each change and draw nothing, for screen readers (default if TERM is dumb).")
    var plain = false

    /// The wanted popup; nil for none.
    var popup: Result<PopupPlace, UnknownWord>? { tmux.map(PopupPlace.read) }

    func validate() throws {
      if case .failure(let unknown)? = popup {
        throw ValidationError(
          "--tmux: there is no \(unknown.word); choose center, top, bottom, left, right, 12, 40%")
      }
      guard let border, BorderStyle(rawValue: border) == nil else { return }
      let names = BorderStyle.allCases.map(\.rawValue)
      let near = Misspelling.nearest(to: border, among: names).map { "; did you mean \($0)?" }
      throw ValidationError("--border: there is no \(border)" + (near ?? "; choose " + names.joined(separator: ", ")))
    }

    func apply(to settings: inout TypingList.Settings) {
      settings.height = height
      if let prompt { settings.prompt = prompt }
      settings.header =
        header.map { $0.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init) } ?? []
      settings.border = border.flatMap(BorderStyle.init) ?? .none
      settings.preview = preview
      settings.styles = color?.styles ?? [:]
      settings.showsCost = stats
      settings.showsMap = !noMap
      settings.usesMouse = !noMouse
      settings.isPlain = settings.isPlain || plain
    }
  }

  /// The options that print a shell's script.
  struct ShellOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive) var shell: CompletionsCommand.Shell?

    @Option(
      name: .customLong("shell-key"),
      help: ArgumentHelp("The key that the script binds (default: ctrl-t).", valueName: "key"),
      transform: { (text: String) throws -> ShellBindings.ShellKey in
        guard let key = ShellBindings.ShellKey(argument: text) else {
          throw ValidationError("shells bind ctrl-a to ctrl-z and alt-a to alt-z; choose one of these")
        }
        return key
      })
    var key: ShellBindings.ShellKey?

    func validate() throws {
      if key != nil, shell == nil { throw ValidationError("--shell-key goes with --bash, --zsh or --fish; add one") }
    }
  }

  /// The options of keys and of their actions.
  struct KeyOptions: ParsableArguments {
    @Flag(name: [.customShort("m"), .customLong("multi")], help: "Select several records with Tab.")
    var multi = false

    @Option(
      name: .customLong("bind"),
      help: ArgumentHelp("Other actions of keys, like ctrl-k:up,alt-a:select-all+accept.", valueName: "list"))
    var bindings: [String] = []

    @Option(
      name: .customLong("expect"),
      help: ArgumentHelp(
        "Other keys that take the record. The output begins with a line that names the key.", valueName: "keys"))
    var expected: [String] = []

    @Flag(
      name: [.customShort("1"), .customLong("select-1")],
      help: "Take the only match at once, without a list.")
    var selectsOne = false

    @Flag(name: .customLong("exit-0"), help: "End at once if nothing matches, without a list.")
    var exitsOnNone = false

    @Option(
      name: .customLong("history"),
      help: ArgumentHelp(
        "A file that keeps the typed texts of lists. Ctrl-P and Ctrl-N go through the texts.", valueName: "file"),
      completion: .file())
    var history: String?

    @Option(
      name: .customLong("history-size"),
      help: ArgumentHelp("The most texts in that file (default: 1000).", valueName: "n"))
    var historySize: Int?

    func validate() throws {
      if history == "" { throw ValidationError("--history is empty; name a file") }
      guard (1...1000).contains(historySize ?? 1000) else {
        throw ValidationError("--history-size must be from 1 to 1000")
      }
      _ = try table()
      _ = try expectedKeys()
    }

    func table() throws -> KeyBindings {
      var table = KeyBindings(marks: multi, hasHistory: history != nil)
      do throws(KeyBindings.BindingError) {
        for text in bindings { try table.bind(text) }
      } catch {
        throw ValidationError("--bind: " + error.message + (error.message.contains(";") ? "" : "; write ctrl-k:up"))
      }
      return table
    }

    func expectedKeys() throws -> [(name: String, key: Key)] {
      do throws(KeyBindings.BindingError) {
        var keys: [(name: String, key: Key)] = []
        for text in expected { keys += try KeyBindings.keys(text) }
        return keys
      } catch {
        throw ValidationError("--expect: " + error.message)
      }
    }

    func apply(to settings: inout TypingList.Settings) {
      settings.marks = multi
      (settings.takesOnly, settings.endsEmpty) = (selectsOne, exitsOnNone)
      // Both were checked when the options were read.
      if let table = try? table() { settings.bindings = table }
      settings.expected = (try? expectedKeys()) ?? []
    }
  }

  extension ScreenPart: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
  }

  /// The options that say how the chosen records are printed.
  struct ChoiceOptions: ParsableArguments {
    @Option(name: .customLong("format"), help: "The format of the record (default: text on a terminal, else tsv).")
    var format: OutputFormat?

    @Flag(name: .customLong("json"), help: "The same as --format json: the record as an object.")
    var isJSON = false

    @Option(
      name: .customLong("fields"),
      help: ArgumentHelp("The fields to print, separated by commas, in tsv or csv.", valueName: "names"))
    var fields: NameList?

    @Flag(
      name: [.customShort("0"), .customLong("null"), .customLong("print0")],
      help: "End each record with a zero byte, in tsv.")
    var endsWithZero = false

    @Flag(name: .customLong("print-query"), help: "Print the typed text on a line before the record.")
    var printsQuery = false

    @Flag(name: .customLong("print-key"), help: "Print the key alone, as the list shows it.")
    var printsKey = false

    func validate() throws {
      if isJSON, format != nil { throw ValidationError("--json and --format exclude each other; leave out one") }
      let format = isJSON ? .json : format
      if fields != nil, format ?? .tsv != .tsv, format != .csv {
        throw ValidationError("--fields goes with --format tsv or csv; leave out one")
      }
      if endsWithZero, format ?? .tsv != .tsv {
        throw ValidationError("-0 goes with --format tsv; leave out one")
      }
      if printsKey, format != nil || fields != nil {
        throw ValidationError("--print-key prints no fields; leave it out, or --format and --fields")
      }
    }
  }

  /// The printing of the chosen records.
  struct ChoicePrinter {
    var format: OutputFormat?
    var fields: [String] = []
    var endsWithZero = false
    var printsQuery = false
    var printsKey = false
    /// Whether a line names the key that ended the list.
    var printsExpected = false
    var color: StyleMode?

    init(_ options: ChoiceOptions, color: StyleMode?, printsExpected: Bool) {
      format = options.isJSON ? .json : options.format
      fields = options.fields?.names ?? []
      endsWithZero = options.endsWithZero
      (printsQuery, printsKey) = (options.printsQuery, options.printsKey)
      (self.color, self.printsExpected) = (color, printsExpected)
    }

    /// The format and the look of the record. Records in JSON are an object each.
    private var presentation: Presentation {
      let settings = UserSettings.current
      let hasFields = endsWithZero || !fields.isEmpty
      let format = format ?? (hasFields ? nil : settings.format)
      return Presentation(
        format == .json ? .jsonl : format, hasFields: hasFields, color: color ?? settings.color,
        hyperlink: settings.hyperlink)
    }

    /// Returns a writer of the named fields.
    func writer(of schema: Schema) -> Result<RecordWriter, NamedFields.Unknown> {
      let isChosen = endsWithZero || !fields.isEmpty
      let presentation = presentation
      var writer = RecordWriter(presentation.format, fieldCount: schema.names.count, schema: schema)
      writer.show(presentation.look)
      return NamedFields.find(fields, in: schema.names).map { numbers in
        if isChosen {
          writer.choose(numbers, endsWithZero: endsWithZero)
        }
        return writer
      }
    }

    /// Prints the outcome of a list; returns whether it was a record or the wanted text.
    func print(_ outcome: TypingList.Ending, query: String, key: String?) throws(WriteError) -> ExitStatus {
      let presentation = presentation
      var output = presentation.output
      func write(line: String) throws(WriteError) {
        try output.write(presentation.look == nil ? line : printable(line))
        try output.write(endsWithZero ? 0 : 0x0a)
      }
      if case .typed = outcome { try write(line: query) } else if printsQuery { try write(line: query) }
      if printsExpected { try write(line: key ?? "") }
      guard case .chosen(let chosen) = outcome else {
        try output.flush()
        if case .typed = outcome { return .done }
        return .negative
      }
      if printsKey {
        for records in chosen { for record in records { try write(line: record.key) } }
        try output.flush()
        return .done
      }
      return try print(chosen, &output)
    }

    private func print(
      _ chosen: [ShardedIndex.Records], _ output: inout Output
    ) throws(WriteError) -> ExitStatus {
      guard let first = chosen.first else { return .negative }
      var writer: RecordWriter
      switch self.writer(of: first.schema) {
      case .success(let made): writer = made
      case .failure(let unknown):
        // A rebuild has removed the field.
        Diagnostics.report(unknown.message)
        return .usage
      }
      try writer.begin(to: &output)
      for records in chosen {
        if let keys = records.folded { writer.foldedKeys = keys }
        try writer.write(records.buffer, to: &output)
      }
      try writer.end(to: &output)
      try output.flush()
      return .done
    }
  }
#endif
