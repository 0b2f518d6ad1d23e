#if CommandLineTool
  import Footprint
  import ShardedIndex

  /// shardq itself, used as the README says: an index that is opened, and a session that follows the box.
  struct ShardedDesign: Design {
    static let name = "shardq"

    private let index: ShardedIndex
    private var session: ShardedIndex.Session
    private let page = RecordBuffer()
    /// Field numbers in the order of the city list, where the list is one.
    private let cityFields: [Int]?

    init(_ path: String, isCities: Bool) throws(IndexError) {
      index = try ShardedIndex(opening: path)
      session = index.session()
      let names = index.fieldNames
      cityFields = isCities ? City.fieldNames.compactMap { names.firstIndex(of: $0) } : nil
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
        var texts = [[UInt8]?](repeating: nil, count: index.fieldNames.count)
        for number in page.rawFields(ofRecord: record).reversed() {
          let field = page.rawField(number)
          texts[field.name] = Array(field.text)
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
#endif
