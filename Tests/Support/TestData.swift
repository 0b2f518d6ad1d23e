import ShardBuilder
import ShardedIndex

import CLibrary

/// The real lists: in `$SHARDQ_DATA`, else in `../shared/data` beside the package.
package enum TestData {
  package static let folder: String? = {
    let beside = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/shared/data"
    let path = getenv("SHARDQ_DATA").map { String(cString: $0) } ?? beside
    return access(path + "/cities.json.zst", R_OK) == 0 ? path : nil
  }()

  /// The reason why tests of whole lists do not run here; empty if they run.
  package static let skipReason: String =
    if folder == nil {
      "skipped: no real data at $SHARDQ_DATA or ../shared/data"
    } else if isDebug {
      "skipped in debug builds: swift test -c release runs the tests of whole lists"
    } else {
      ""
    }
  package static var areListsTested: Bool { skipReason.isEmpty }
  /// Whether the tests run in full length, as in Scripts/check-long.sh.
  package static let isLong = getenv("SHARDQ_LONG") != nil

  /// The number of tested cases: `long` in a long run, a quarter of `long` in the gate, and `debug` in a debug build;
  /// never fewer than `debug`.
  package static func count(_ debug: Int, _ long: Int) -> Int { isDebug ? debug : isLong ? long : max(debug, long / 4) }

  package static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}

/// One of the real lists, and the options of its build.
package enum RealList: String, CaseIterable, Sendable, CustomStringConvertible {
  case cities, geonames, japanese, postal

  /// The lists that are tested here: all in a long run, which takes minutes more.
  package static let tested = allCases.filter { TestData.isLong || $0 == .cities || $0 == .geonames }

  package var description: String { rawValue }

  package var file: String {
    switch self {
    case .cities: "cities.json.zst"
    case .geonames: "geonames-cities1000.txt.zst"
    case .japanese: "japanese-addresses.tsv.zst"
    case .postal: "postal-places.tsv.zst"
    }
  }

  package var path: String { TestData.folder! + "/" + file }

  package var count: Int {
    switch self {
    case .cities: 209_556
    case .geonames: 99_824
    case .japanese: 277_676
    case .postal: 1_500_510
    }
  }

  /// The options of the build; the first two lists are recognised.
  package var options: BuildOptions {
    var options = BuildOptions()
    (options.columns, options.key) = (columns, key)
    return options
  }

  package var columns: [String]? {
    switch self {
    case .cities, .geonames: nil
    case .japanese: ["town", "koaza", "city", "prefecture", "lat", "lon"]
    case .postal: ["place", "postcode", "country", "state", "province", "community", "lat", "lon"]
    }
  }

  package var key: String? {
    switch self {
    case .cities, .geonames: nil
    case .japanese: "{town}{koaza}, {city}, {prefecture}"
    case .postal: "{place}, {country}"
    }
  }

  /// The parts of the key's template.
  package var keyParts: [LinearScan.KeyPart] {
    switch self {
    case .cities: [.field("name"), .text(", "), .field("country")]
    case .geonames: [.field("name"), .text(", "), .field("country code")]
    case .japanese:
      [.field("town"), .field("koaza"), .text(", "), .field("city"), .text(", "), .field("prefecture")]
    case .postal: [.field("place"), .text(", "), .field("country")]
    }
  }

  /// The list's index and its linear scan, made once for all tests.
  package var built: BuiltList {
    get throws {
      switch self {
      case .cities: try BuiltList.cities.get()
      case .geonames: try BuiltList.geonames.get()
      case .japanese: try BuiltList.japanese.get()
      case .postal: try BuiltList.postal.get()
      }
    }
  }
}

/// An index of a real list, in a directory that is removed when the process ends.
package final class BuiltList: Sendable {
  package let directory: String
  package let summary: BuildSummary
  package let scan: LinearScan

  package init(_ list: RealList) throws {
    directory = TemporaryDirectory.untilExit()
    summary = try ShardBuilder.build([list.path], into: directory, options: list.options)
    scan = try LinearScan(path: list.path, columns: list.columns, key: list.keyParts)
  }

  fileprivate static let cities = Result { try BuiltList(.cities) }
  fileprivate static let geonames = Result { try BuiltList(.geonames) }
  fileprivate static let japanese = Result { try BuiltList(.japanese) }
  fileprivate static let postal = Result { try BuiltList(.postal) }

  package func open(cacheLimitBytes: Int = 64 << 20) throws -> ShardedIndex {
    try ShardedIndex(opening: directory, options: .init(cacheLimitBytes: cacheLimitBytes))
  }
}

extension TemporaryDirectory {
  private static let kept = Lock<[TemporaryDirectory]>([])

  /// The path of a directory that is removed when the process ends.
  package static func untilExit() -> String {
    let directory = TemporaryDirectory()
    let isFirst = kept.withLock { kept in
      kept.append(directory)
      return kept.count == 1
    }
    if isFirst { atexit { TemporaryDirectory.kept.withLock { $0.removeAll() } } }
    return directory.path
  }
}
