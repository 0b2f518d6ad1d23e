#if CommandLineTool
  import ArgumentParser
  import QueryOutput

  struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Print all records, in the index's order.",
      discussion: """
        EXAMPLES:
          shardq export > records.jsonl            as the objects that came in
          shardq export --format geojson > map.geojson
          shardq export --format csv > records.csv for a spreadsheet
          shardq export | shardq build -i copy --input-format jsonl --key '{name}, {country}' -

        JSON lines come back exactly. CSV and TSV make everything text: numbers are
        texts in what is built from it.
        """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
      case jsonl, csv, tsv, geojson
    }

    @OptionGroup var location: IndexLocation
    @OptionGroup var pin: IndexPin

    @Option(
      name: .customLong("format"),
      help:
        "jsonl, csv, tsv or geojson. csv has a header line; tsv has one too, after a line that says how it escapes. In both all values are text."
    )
    var format = Format.jsonl

    func run() throws {
      finish(
        QueryRunner.export(
          location.index, OutputFormat(rawValue: format.rawValue)!, expectedDigest: pin.expectedDigest))
    }
  }
#endif
