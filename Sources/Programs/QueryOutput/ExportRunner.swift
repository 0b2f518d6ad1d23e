import Answers
import CLibrary
import ShardedIndex

/// The options of an export, which prints all records of an index.
package struct ExportRequest {
  package var index: String
  package var expectedDigest: ManifestDigest?
  package var format: OutputFormat
  /// The paths of the fields to print in tsv or csv; empty for all fields.
  package var fields: [String] = []
  /// Whether records end with a zero byte instead of a line end, in tsv.
  package var endsWithZero = false

  package init(_ index: String, _ format: OutputFormat) { (self.index, self.format) = (index, format) }
}

extension QueryRunner {
  /// Prints all records of an index.
  package static func export(_ request: ExportRequest) -> ExitStatus {
    var output = Output()
    do throws(QueryError) {
      try export(request, to: &output)
      return .done
    } catch {
      switch error {
      case .index(let error), .unfinished(let error):
        try? output.flush()
        return report(error)
      case .write(let error): return Diagnostics.failed(error)
      case .noField(let message):
        Diagnostics.report(message)
        return .usage
      }
    }
  }

  private static func export(_ request: ExportRequest, to output: inout Output) throws(QueryError) {
    let index = try reading { () throws(IndexError) in
      try ShardedIndex(opening: request.index, options: .init(expectedDigest: request.expectedDigest))
    }
    let matches = try reading { () throws(IndexError) in try index.matches(forPrefix: "") }
    let (manifest, schema) = (index.generation.manifest, index.generation.schema)
    var writer = RecordWriter(request.format, fieldCount: manifest.fieldCount, schema: schema)
    let isChosen = request.endsWithZero || !request.fields.isEmpty
    if isChosen {
      switch NamedFields.find(request.fields, in: schema.names) {
      // This export has no line on its escapes, so its header is the fields' names.
      case .success(let fields): writer.choose(fields, endsWithZero: request.endsWithZero, header: schema.names)
      case .failure(let unknown): throw .noField(unknown.message)
      }
    }
    try writing { () throws(WriteError) in
      if request.format == .tsv, !isChosen { try writer.writeHeader(of: schema, to: &output) }
      if request.format == .json {
        try output.write(JSONText.schema)
        try output.write("\"count\":" as StaticString)
        try output.write(number: matches.count)
        try output.write(",\"records\":[" as StaticString)
      } else {
        try writer.begin(to: &output)
      }
    }
    try write(0..<matches.count, of: matches, with: &writer, to: &output)
    try writing { () throws(WriteError) in
      try writer.end(to: &output)
      if request.format == .json { try output.write("]}\n" as StaticString) }
      try output.flush()
    }
  }
}

/// A measurement of the time since it was made.
struct Stopwatch {
  private let start = Self.now

  /// Microseconds.
  var microseconds: Int { Self.now - start }

  private static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
  }
}
