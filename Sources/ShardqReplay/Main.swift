import FootprintReplay
import QueryLog
import ShardedIndex

/// Answers a query log from an index, as an app does that links the library, and prints what `shardq footprint` wants
/// to know: `shardq-replay INDEX LOG MODEL SAMPLE-INTERVAL CACHE-LIMIT`.
///
/// A program of its own, linked as `shardq` is: what else it linked would count as the library's memory.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let interval = Int(arguments[4]), let limit = Int(arguments[5]) else {
      Replay.finish(64, because: "shardq-replay: started by shardq footprint")
    }
    do {
      try Replay.run(log: arguments[2], sampleInterval: interval) {
        try ShardedDesign(arguments[1], isCities: arguments[3] == "cities", cacheLimitBytes: limit)
      }
    } catch let error as IndexError {
      Replay.finish(error.isDamage ? 65 : 74, because: "\(error)")
    } catch {
      Replay.finish(74, because: "\(error)")
    }
    Replay.finish(0)
  }
}

extension IndexError {
  fileprivate var isDamage: Bool { if case .corrupt = self { true } else { false } }
}

/// The library, used as the README says: an index and a session that follows the box.
private struct ShardedDesign: Design {
  private let index: ShardedIndex
  private var session: Session
  private let page = RecordBuffer()
  /// Field numbers in the order of the city list, where the list is one.
  private let cityFields: [Int]?

  init(_ path: String, isCities: Bool, cacheLimitBytes: Int) throws(IndexError) {
    index = try ShardedIndex(opening: path, options: Options(cacheLimitBytes: cacheLimitBytes))
    session = index.session()
    let names = index.fieldNames
    cityFields =
      isCities
      ? ["country", "name", "_id", "coord.lon", "coord.lat"].compactMap { names.firstIndex(of: $0) } : nil
  }

  mutating func beginSession() { session = index.session() }

  mutating func answer(_ text: String) throws -> Int {
    try session.replace(with: text)
    let matches = session.matches
    try matches.read(0..<Replay.pageSize, into: page)
    return matches.count
  }

  func addPage(to digest: inout AnswerDigest) {
    for record in 0..<page.count {
      var texts = [UnsafeBufferPointer<UInt8>?](repeating: nil, count: index.fieldNames.count)
      for number in page.rawFields(ofRecord: record).reversed() {
        let field = page.rawField(number)
        texts[field.name] = field.text
      }
      guard let cityFields else {
        for text in texts { digest.add(text) }
        continue
      }
      for (number, field) in cityFields.enumerated() {
        if number < 3 {
          digest.add(texts[field])
        } else {
          digest.add(texts[field].flatMap { Double(String(decoding: $0, as: UTF8.self)) } ?? .nan)
        }
      }
    }
  }

  var counters: [(name: String, value: Int)] {
    let statistics = index.statistics
    return [
      ("hits", statistics.hits), ("misses", statistics.misses), ("loads", statistics.loads),
      ("evictions", statistics.evictions), ("loaded_bytes", statistics.loadedBytes),
      ("cache_bytes", statistics.residentBytes),
    ]
  }
}
