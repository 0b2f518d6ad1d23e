import Answers
import ShardedIndex

/// A query of an index on another machine. `shardq-commands` reads it from the command line and hands it to
/// `shardq-remote`.
package enum RemoteIndex {
  /// The executables that query and that serve an index on another machine.
  package static let program = "shardq-remote"
  package static let server = "shardq-serve-remote"

  /// Whether the name of an index is a URL of an index on another machine. The case of the scheme does not matter.
  package static func isURL(_ index: String) -> Bool {
    // The bit makes a capital letter small, and changes neither a digit nor a colon nor a slash.
    ["http://", "https://", "s3://"].contains { index.utf8.lazy.map { $0 | 0x20 }.starts(with: $0.utf8) }
  }
}

#if !hasFeature(Embedded)
  /// The settings by which the files of an index on another machine are fetched and kept.
  package struct RemoteSettings: Equatable, Sendable {
    /// The amount of a shard that a request asks for: a value of `--fetch`.
    package var fetch = "auto"
    /// The directory of the disk cache; empty for the user's.
    package var cacheDirectory = ""
    /// The most bytes in the disk cache; nil for the default.
    package var cacheBytes: Int?

    package init() {}

    /// The arguments that ``set(_:_:)`` reads.
    var arguments: [String] {
      ["fetch=" + fetch] + (cacheDirectory.isEmpty ? [] : ["cache-dir=" + cacheDirectory])
        + (cacheBytes.map { ["cache-bytes=\($0)"] } ?? [])
    }

    /// Sets a setting from a program's argument; returns false for other names and for wrong values.
    mutating func set(_ name: some StringProtocol, _ value: String) -> Bool {
      switch name {
      case "fetch" where ["auto", "shards", "ranges"].contains(value): fetch = value
      case "cache-dir": cacheDirectory = value
      case "cache-bytes":
        guard let number = Int(value), number >= 0 else { return false }
        cacheBytes = number
      default: return false
      }
      return true
    }
  }

  /// The arguments between the two programs are `name=value`; no other program uses them.
  package struct RemoteQuery: Sendable {
    package var request: QueryRequest
    /// The place that near records rank higher for, as it was typed; empty for none.
    package var near = ""
    package var remote = RemoteSettings()
    /// Whether each line of standard input is a query that fills the disk cache and prints no answer.
    package var warms = false

    package init(_ request: QueryRequest) { self.request = request }

    /// The arguments that ``init(arguments:)`` reads.
    package var arguments: [String] {
      var words = ["prefix=" + request.query.text, "index=" + (request.index ?? ""), "offset=\(request.query.offset)"]
      func add(_ name: String, _ value: String?) {
        if let value { words.append(name + "=" + value) }
      }
      add("digest", request.expectedDigest?.description)
      add("limit", request.limit.map(String.init))
      add("sort", request.query.order == .automatic ? nil : request.query.order == .rank ? "rank" : "key")
      add("cursor", request.query.cursor?.description)
      add("format", request.format?.rawValue)
      add("color", request.color?.rawValue)
      add("hyperlink", request.hyperlink?.rawValue)
      add("typos", request.query.typos == .required ? "required" : request.query.typos == .none ? "none" : nil)
      for filter in request.query.filter { for value in filter.values { add("filter", filter.field + "=" + value) } }
      for field in request.fields { add("field", field) }
      for (name, isSet) in flags where isSet { add(name, "true") }
      add("near", near.isEmpty ? nil : near)
      return words + remote.arguments
    }

    private var flags: [(String, Bool)] {
      [
        ("all", request.all), ("count", request.countOnly), ("zero", request.endsWithZero),
        ("quiet", request.isQuiet), ("verbose", request.isVerbose), ("stdin", request.readsLines), ("warm", warms),
      ]
    }

    /// - Returns: nil for arguments that ``arguments`` does not make.
    package init?(arguments: [String]) {
      self.init(QueryRequest(prefix: ""))
      for argument in arguments {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = String(argument[argument.utf8.index(after: equals)...])
        guard set(String(argument[..<equals]), value) else { return nil }
      }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
      func set<Value>(_ target: inout Value?, _ value: Value?) -> Bool {
        target = value
        return value != nil
      }
      func set(_ flag: inout Bool) -> Bool {
        flag = true
        return value == "true"
      }
      switch name {
      case "prefix": request.query.text = value
      case "index": request.index = value
      case "offset":
        guard let number = Int(value), number >= 0 else { return false }
        request.query.offset = number
      case "limit": return set(&request.limit, Int(value).flatMap { $0 >= 1 ? $0 : nil })
      case "digest": return set(&request.expectedDigest, ManifestDigest(value))
      case "sort": request.query.order = value == "key" ? .key : .rank
      case "cursor": return set(&request.query.cursor, ShardedIndex.Cursor(value))
      case "format": return set(&request.format, OutputFormat(rawValue: value))
      case "color": return set(&request.color, StyleMode(rawValue: value))
      case "hyperlink": return set(&request.hyperlink, StyleMode(rawValue: value))
      case "typos": request.query.typos = value == "none" ? .none : .required
      case "filter": if let filter = ShardedIndex.Filter(value) { request.query.filter.append(filter) }
      case "field": request.fields.append(value)
      case "near":
        near = value
        return set(&request.query.near, ShardedIndex.Place(value))
      case "all": return set(&request.all)
      case "count": return set(&request.countOnly)
      case "zero": return set(&request.endsWithZero)
      case "quiet": return set(&request.isQuiet)
      case "verbose": return set(&request.isVerbose)
      case "stdin": return set(&request.readsLines)
      case "warm": return set(&warms)
      default: return remote.set(name, value)
      }
      return true
    }
  }
#endif
