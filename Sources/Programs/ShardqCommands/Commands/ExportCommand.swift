#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput

  struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Print all records, in the index's order.",
      usage: "shardq export [<options>]",
      discussion: """
        EXAMPLES:
          shardq export > records.jsonl            the records of the dataset
          shardq export --format geojson > map.geojson
          shardq export --format csv > records.csv for a spreadsheet
          shardq export --json | jq '.records[0]'  one object
          shardq export | shardq build -i copy --input-format jsonl --key '{name}' -

        JSON lines have the records as the dataset had them. In CSV and TSV all values are texts, also \
        those of an index that is built from them.

        DOCUMENTATION:
          man shardq-export, docs/command.md, docs/datasets.md
        """)

    enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
      case jsonl, csv, tsv, geojson
    }

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(
      name: .customLong("format"),
      help: ArgumentHelp(
        "jsonl, csv, tsv or geojson (default: jsonl). csv and tsv have a header line; in tsv, the line before it says "
          + "how values are escaped.",
        valueName: "format"))
    var format: ExportFormat?

    @Flag(name: .customLong("json"), help: "Print one JSON object with all records in it.")
    var isJSON = false

    @Option(
      name: .customLong("fields"),
      help: ArgumentHelp("The fields to print, separated by commas, in tsv or csv.", valueName: "names"))
    var fields: NameList?

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each record with a zero byte, in tsv.")
    var endsWithZero = false

    func validate() throws {
      if isJSON, format != nil { throw ValidationError("--json and --format exclude each other; leave out one") }
      if fields != nil, isJSON || format != .tsv && format != .csv {
        throw ValidationError("--fields goes with --format tsv or csv; add one")
      }
      if endsWithZero, isJSON || format != .tsv {
        throw ValidationError("-0 goes with --format tsv; add --format tsv")
      }
    }

    func run() throws {
      let format = isJSON ? .json : OutputFormat(rawValue: (format ?? .jsonl).rawValue)!
      var request = ExportRequest(location.path, format)
      request.expectedDigest = pin.expectedDigest
      (request.fields, request.endsWithZero) = (fields?.names ?? [], endsWithZero)
      finish(QueryRunner.export(request))
    }
  }
#endif
