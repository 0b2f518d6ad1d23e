/// The place of a dataset.
enum DatasetSource {
  /// The path of a file; `-` is standard input.
  case file(String)
  /// The records of a program, as JSON lines.
  case records(RecordText)

  /// The path, for messages.
  var path: String {
    switch self {
    case .file(let path): path
    case .records: recordsPath
    }
  }

  /// Returns the options for reading the dataset.
  func options(_ given: DatasetOptions) -> DatasetOptions {
    guard case .records = self else { return given }
    var options = given
    (options.format, options.dialect) = (.jsonl, DatasetDialect())
    return options
  }
}
