#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  struct MapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "map",
      abstract: "Draw the records whose keys begin with a prefix on a map of the world.",
      usage: "shardq map [<options>] <prefix> ...",
      discussion: """
        EXAMPLES:
          shardq map san                           all matches, as dots
          shardq map san --format geojson          the matches as GeoJSON

        The map draws land where the index has records. Exit status 1 if nothing matches.

        DOCUMENTATION:
          man shardq-map, docs/terminal.md
        """)

    enum MapFormat: String, ExpressibleByArgument, CaseIterable {
      case text, geojson
    }

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(name: .customLong("format"), help: "text draws the map, geojson prints the matches.")
    var format = MapFormat.text

    @Flag(name: .customLong("json"), help: "The same as --format geojson.")
    var isJSON = false

    @OptionGroup var color: ColorOption

    @Argument(
      help: ArgumentHelp("The beginning of keys; case and accents do not matter.", valueName: "prefix"),
      completion: .nothing)
    var words: [String]

    private var prefix: String { words.joined(separator: " ") }

    func run() throws {
      if format == .geojson || isJSON {
        var request = QueryRequest(prefix: prefix)
        request.index = location.path
        request.expectedDigest = pin.expectedDigest
        (request.all, request.query.order) = (true, .key)
        request.format = .geojson
        finish(QueryRunner.run(request))
      }
      let index = open(location, options: .init(expectedDigest: pin.expectedDigest))
      do throws(IndexError) {
        finish(try draw(index))
      } catch {
        finish(QueryRunner.report(error))
      }
    }

    private func draw(_ index: ShardedIndex) throws(IndexError) -> ExitStatus {
      let schema = index.generation.schema
      guard schema.latitude != nil, schema.longitude != nil else {
        Diagnostics.report(
          index.path + " has no coordinates; build it from records with fields such as lat and lon, or name the fields "
            + "with --coordinates")
        return .badData
      }
      let matches = try index.matches(forPrefix: prefix)
      guard !matches.isEmpty else {
        Diagnostics.note(try QueryRunner.noMatch(of: prefix, in: matches.generation))
        return .negative
      }
      let places = try Self.places(of: matches)
      var window = winsize()
      let isTerminal =
        isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
      let settings = UICommand.settings(color: color.mode, isTerminal: isTerminal)
      let theme = Theme(hasColor: settings.hasColor, isASCII: settings.isASCII)
      let land = try index.land()
      let view = WorldMap.View(
        columns: isTerminal ? Int(window.ws_col) : 80,
        // Two lines are for the texts below the map.
        rows: isTerminal ? max(4, Int(window.ws_row) - 2) : 1000,
        extent: land?.extent ?? .world, isASCII: theme.isASCII)
      var map = WorldMap(view, land: land)
      var shown = 0
      for place in places where map.mark(place, places.count == 1 ? .selected : .match) { shown += 1 }
      do throws(WriteError) {
        var output = Output(draws: true)
        let isStyled = settings.hasColor || isTerminal && !settings.isPlain
        for row in 0..<view.rows {
          let line = map.row(
            row, style: { isStyled ? theme.map($0) : "" }, reset: isStyled ? theme.reset : "",
            isColored: theme.hasColor)
          try output.write(line.bytes)
          try output.write(0x0a)
        }
        try output.flush()
      } catch {
        return Diagnostics.failed(error)
      }
      var note = QueryRunner.counted(matches.count, "match", "matches")
      if places.count < matches.count {
        note += ", \(QueryRunner.grouped(matches.count - places.count)) without coordinates"
      }
      if shown < places.count { note += ", \(QueryRunner.grouped(places.count - shown)) beyond the map's edge" }
      Diagnostics.note(note)
      return .done
    }

    /// Returns the coordinates of the matches that have some.
    private static func places(of matches: ShardedIndex.Matches) throws(IndexError) -> [Coordinates] {
      let buffer = RecordBuffer()
      var places: [Coordinates] = []
      for start in stride(from: 0, to: matches.count, by: QueryRunner.chunkSize) {
        try matches.read(start..<start + QueryRunner.chunkSize, into: buffer)
        for record in 0..<buffer.count {
          guard let degrees = Degrees.degrees(ofRecord: record, in: buffer, matches.generation.schema),
            let place = Coordinates(latitude: degrees.latitude, longitude: degrees.longitude)
          else { continue }
          places.append(place)
        }
      }
      return places
    }
  }
#endif
