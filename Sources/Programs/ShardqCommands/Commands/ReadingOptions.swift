#if CommandLineTool
  import ArgumentParser
  import ShardBuilder

  /// The options of reading a dataset, the same for each command that takes one.
  struct ReadingOptions: ParsableArguments {
    @Option(
      name: .customLong("input-format"),
      help: ArgumentHelp(
        "\(DatasetFormat.list) (default: found from the name and the first line).", valueName: "format"),
      completion: .list(DatasetFormat.allCases.map(\.rawValue)))
    var inputFormat: String?

    @Option(
      name: .customLong("columns"),
      help: ArgumentHelp("csv, tsv: the columns' names, for a file without a header line.", valueName: "a,b,c"))
    var columns: NameList?

    @Option(
      name: .customLong("delimiter"),
      help: ArgumentHelp(
        "csv: the character between fields, or 'tab' (default: found from the first line).", valueName: "c"))
    var delimiter: Delimiter?

    @Option(
      name: .customLong("skip-lines"),
      help: ArgumentHelp("The number of lines to leave out before the header.", valueName: "n"))
    var skippedLines: Int?

    @Option(
      name: .customLong("comment"),
      help: ArgumentHelp("Leave out lines that begin with this text, like '#'.", valueName: "text"))
    var comment: String?

    @Flag(
      name: .customLong("name-columns"),
      help: "csv, tsv: give columns without a name names like column1, and repeated names an ending like _2.")
    var namesColumns = false

    @Flag(name: .customLong("ragged"), help: "csv, tsv: accept records without their last fields.")
    var isRagged = false

    @Option(
      name: .customLong("null"),
      help: ArgumentHelp("csv, tsv: the text that stands for null, like '\\N'.", valueName: "text"))
    var null: String?

    @Option(
      name: .customLong("encoding"),
      help: ArgumentHelp("latin1, windows-1252, utf-16, utf-16le or utf-16be (default: utf-8).", valueName: "name"),
      completion: .list(DatasetDialect.Encoding.allCases.map(\.rawValue)))
    var encoding: EncodingArgument?

    @Option(
      name: .customLong("decimal"),
      help: ArgumentHelp(
        "The sign before decimals in weights and coordinates, a comma or a point; signs between thousands are left out "
          + "(default: plain numbers, like 1234.5).",
        valueName: "c"))
    var decimal: Delimiter?

    @Option(
      name: .customLong("records"),
      help: ArgumentHelp(
        "json: the path to the array of records in an object, like data.items.", valueName: "path"))
    var records: String?

    @Flag(name: .customLong("skip-bad"), help: "Leave out bad records and report them.")
    var skipBad = false

    struct Delimiter: ExpressibleByArgument {
      var byte: UInt8

      init?(argument: String) {
        switch argument {
        case "tab", "\\t": byte = 0x09
        default:
          guard argument.utf8.count == 1, let only = argument.utf8.first, DatasetDialect.canDelimit(only) else {
            return nil
          }
          byte = only
        }
      }

      var text: String { byte == 0x09 ? "tab" : String(Unicode.Scalar(byte)) }
    }

    struct EncodingArgument: ExpressibleByArgument {
      var encoding: DatasetDialect.Encoding

      init?(argument: String) {
        guard let encoding = DatasetDialect.Encoding(name: argument) else { return nil }
        self.encoding = encoding
      }
    }

    func validate() throws {
      if let inputFormat, format == nil {
        throw ValidationError("--input-format: there is no \(inputFormat); choose \(DatasetFormat.list)")
      }
      if let skippedLines, skippedLines < 0 { throw ValidationError("--skip-lines must be at least 0") }
      if let decimal, decimal.byte != UInt8(ascii: ","), decimal.byte != UInt8(ascii: ".") {
        throw ValidationError("--decimal must be ',' or '.'")
      }
      if comment == "" { throw ValidationError("--comment is empty; name the text that such lines begin with") }
    }

    private var format: DatasetFormat? { inputFormat.flatMap { DatasetFormat(rawValue: $0) } }

    var dialect: DatasetDialect {
      var dialect = DatasetDialect()
      dialect.delimiter = delimiter?.byte
      dialect.skippedLines = skippedLines ?? 0
      dialect.comment = comment
      (dialect.namesColumns, dialect.isRagged) = (namesColumns, isRagged)
      dialect.encoding = encoding?.encoding ?? .utf8
      (dialect.null, dialect.decimal) = (null, decimal?.byte)
      dialect.recordsPath = records
      return dialect
    }

    func apply(to options: inout BuildOptions) {
      options.inputFormat = format
      options.columns = columns?.names
      options.skipBad = skipBad
      options.dialect = dialect
    }

    var datasetOptions: DatasetOptions {
      var options = DatasetOptions(format: format, columns: columns?.names, skipBad: skipBad)
      options.dialect = dialect
      return options
    }

    /// The options as arguments.
    var words: [String] {
      var words: [String] = []
      func add(_ option: String, _ value: String?) { if let value { words += [option, value] } }
      add("--input-format", inputFormat)
      add("--columns", columns?.text)
      add("--delimiter", delimiter?.text)
      add("--skip-lines", skippedLines.map(String.init))
      add("--comment", comment)
      if namesColumns { words.append("--name-columns") }
      if isRagged { words.append("--ragged") }
      add("--null", null)
      add("--encoding", encoding?.encoding.rawValue)
      add("--decimal", decimal?.text)
      add("--records", records)
      if skipBad { words.append("--skip-bad") }
      return words
    }
  }
#endif
