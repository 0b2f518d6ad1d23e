#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  struct UICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ui",
      abstract: "Search in the terminal: the list follows every key, Enter prints a record.",
      usage: "shardq ui [<options>]",
      discussion: """
        EXAMPLES:
          shardq                           the same, if there is an index
          city=$(shardq ui)                the record, as tab-separated fields
          shardq ui --height 40%           below the cursor, not the whole screen
          shardq ui -m --print-key         several records, their keys alone
          shardq ui -1 --exit-0 -q 'san '  no list if one or no record matches
          shardq ui --filter country=FR    only records that have this value
          shardq ui --json | jq .name
          eval "$(shardq ui --bash)"       in ~/.bashrc: Ctrl-T inserts names
          source <(shardq ui --zsh)        in ~/.zshrc
          shardq ui --fish | source        in ~/.config/fish/config.fish

        KEYS:
          F1                               show all keys and their actions
          Up, Down, Page Up, Page Down     go to another record; also Ctrl-P,
                                           Ctrl-N, and the mouse wheel
          Enter, double click              take the record
          Escape, Ctrl-C                   leave without a record
          Tab                              show or hide the preview; with
                                           --multi, select the record
          Shift-Up, Shift-Down             move the preview by a line
          Alt-M, Alt-+, Alt--              fit the map to the matches or the
                                           world; zoom in; zoom out
          Ctrl-/                           show or hide the costs of answers
          Ctrl-X                           list the fields and values to filter by

        The line below the text names the filters, the place, the mode of typing errors and the order \
        that options set. ui reads no standard input: to list the lines of a pipe, build an index of \
        them first.

        Options have the names of fzf's options. --bind gives other actions to keys: \
        ctrl-k:up,alt-enter:print-query. The list is drawn on the terminal itself, so that standard \
        output has only the record. With NO_COLOR, the list has bold and reverse text, and no colours. \
        Exit status 0 if a record was chosen, 1 if nothing matched, 130 if none was chosen, 64 without a \
        terminal.

        $SHARDQ_UI_OPTS holds options for every list, also for that of plain shardq.

        DOCUMENTATION:
          man shardq-ui, docs/terminal.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(
      name: [.customShort("q", allowingJoined: true), .customLong("query")],
      help: "The text in the search box at the beginning.")
    var query = ""

    @OptionGroup(title: "Matches") var conditions: ConditionOptions

    @OptionGroup(title: "Output") var printing: ChoiceOptions

    @OptionGroup(title: "Keys") var keys: KeyOptions

    @OptionGroup(title: "Display") var display: DisplayOptions

    @OptionGroup(title: "Shells") var shells: ShellOptions

    func validate() throws {
      do throws(SearchFault) { try search.check() } catch {
        throw ConditionOptions.error(error, rankedOptions: "--filter, --near, --group and --typos")
      }
    }

    /// The search of each answer, without its text.
    private var search: ShardedIndex.SearchQuery {
      var request = QueryRequest(prefix: "")
      conditions.apply(to: &request.query)
      request.implySort()
      return request.query
    }

    func run() throws {
      if let shell = shells.shell {
        var output = Output()
        do throws(WriteError) {
          try output.write(ShellBindings.script(for: shell, key: shells.key ?? .usual))
          try output.flush()
        } catch {
          finish(Diagnostics.failed(error))
        }
        return
      }
      if location.index == nil, UserSettings.current.index == nil, Self.isInputGiven {
        Diagnostics.report(
          "ui does not read standard input, but lists the records of an index; build one of the lines with shardq build "
            + "-i lines -, or name an index with --index")
        finish(.usage)
      }
      let typed = Array(CommandLine.arguments.dropFirst())
      let line = CommandLineParser.normalized(typed)
      // A line of options alone, `-i DIR`, is one of a query but on a terminal.
      finish(runPopup(line.first == "ui" ? line : ["ui"] + typed) ?? run(on: open(location, options: options)))
    }

    /// Whether standard input is a pipe, or a file that is not empty: a person may want to list its lines.
    private static var isInputGiven: Bool {
      var status = stat()
      guard fstat(STDIN_FILENO, &status) == 0 else { return false }
      let kind = status.st_mode & S_IFMT
      return kind == S_IFIFO || kind == S_IFREG && status.st_size > 0
    }

    /// Runs the command line in a popup of tmux, if one is wanted and possible; else nil.
    private func runPopup(_ line: [String]) -> ExitStatus? {
      guard case .success(let place)? = display.popup, let popup = Popup(place) else { return nil }
      let isUsual =
        printing.format == nil && !printing.isJSON && printing.fields == nil && !printing.endsWithZero
        && !printing.printsKey && UserSettings.current.format == nil
      // The popup's list prints to a file, and should choose the format that this process would.
      return popup.run(line + (isUsual && isatty(STDOUT_FILENO) == 1 ? ["--format", "text"] : []))
    }

    private var options: ShardedIndex.Options {
      .init(reloadInterval: .seconds(1), expectedDigest: pin.expectedDigest)
    }

    private func run(on index: ShardedIndex) -> ExitStatus {
      let printer = ChoicePrinter(printing, color: display.color?.mode, printsExpected: !keys.expected.isEmpty)
      // A wrong field is reported before anything is typed.
      if case .failure(let unknown) = printer.writer(of: index.generation.schema) {
        Diagnostics.report(unknown.message)
        return .usage
      }
      // Conditions that the index was not built for are refused as in a query.
      do throws(SearchFault) { _ = try search.checked(in: index.generation.manifest) } catch {
        return QueryRunner.report(.refused(error))
      }
      var settings = Self.settings(color: display.color?.mode)
      (settings.query, settings.search, settings.conditions) = (query, search, conditions.notes)
      display.apply(to: &settings)
      keys.apply(to: &settings)
      do throws(QueryHistory.HistoryError) {
        let history = try keys.history.map { (path) throws(QueryHistory.HistoryError) in
          try QueryHistory(path, limit: keys.historySize ?? 1000)
        }
        return Self.run(index, settings, history, printer)
      } catch {
        Diagnostics.report(error.message)
        return .notFound
      }
    }

    /// Runs the list as a line without arguments does; nil if there is no index.
    static func runIfIndexed() -> ExitStatus? {
      guard let command = try? Shardq.parseAsRoot(["ui"] + usualOptions) as? UICommand else { return nil }
      do throws(IndexError) {
        let index = try ShardedIndex(opening: command.location.path, options: command.options)
        return command.runPopup(["ui"]) ?? command.run(on: index)
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
      do throws(UserSettings.SettingsError) {
        words = try UserSettings.words(of: variable(name), name + ": ")
      } catch {
        Diagnostics.report(error.message)
        finish(error.status)
      }
      guard !words.isEmpty else { return [] }
      if let alone = words.first(where: { ["--", "-h", "-help", "--help", "--version"].contains($0) }) {
        Diagnostics.report("\(name): \(alone) is for command lines only; leave out \(alone)")
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
      settings.isASCII = isTerminal && terminal == "linux" || MemoryPlot.isUTF8Terminal == false
      return settings
    }

    static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

    /// Runs the list, and prints the chosen records.
    private static func run(
      _ index: ShardedIndex, _ settings: TypingList.Settings, _ history: QueryHistory?, _ printer: ChoicePrinter
    ) -> ExitStatus {
      var list = TypingList(
        index, settings, history: history, land: { (index) throws(IndexError) in try index.land() })
      let outcome: TypingList.Ending
      do throws(Terminal.OpenError) {
        outcome = try list.run()
      } catch {
        Diagnostics.report("there is no terminal to draw on; print matches with shardq query PREFIX")
        return .usage
      }
      // The list went on after damage, but status 0 would hide it.
      let damage = list.met.map(QueryRunner.report)
      switch outcome {
      case .cancelled: return .cancelled
      case .closed: return .inputOutput
      case .nothing, .typed, .chosen: break
      }
      // The chosen records are printed all the same.
      do throws(QueryHistory.HistoryError) { try list.keepQuery() } catch { Diagnostics.report(error.message) }
      do throws(WriteError) {
        let status = try printer.print(outcome, query: list.query, key: list.expectedKey)
        return status == .done || status == .negative ? damage ?? status : status
      } catch {
        return Diagnostics.failed(error)
      }
    }
  }

  extension ShardedIndex {
    /// The cells that continents are drawn with; nil if the index has no density grid.
    func land() throws(IndexError) -> LandGrid? {
      guard let dots = try densityGrid() else { return nil }
      return LandGrid { column, row in dots.count(column: column, row: row) > 0 }
    }
  }
#endif
