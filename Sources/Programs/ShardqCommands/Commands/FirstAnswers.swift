#if CommandLineTool
  import Answers
  import QueryOutput
  import ShardedIndex

  /// The first rows of short texts, which a page without a server shows before its module runs: docs/static-page.md.
  ///
  /// A file has the texts that begin with one character. The page asks the module again once it runs, so a file needs
  /// neither all texts nor whole records.
  struct FirstAnswers {
    /// The bytes of each file, by its name.
    private(set) var files: [String: [UInt8]] = [:]
    /// The characters that have a file.
    private(set) var characters = ""
    private let recordCount: Int
    /// The answer to an empty text in the order of ranks, which the page has before any request; nil for none.
    private var top: String?

    /// The facts that the page needs before it has a file.
    var json: String { facts + (top.map { ",\"top\":\($0)" } ?? "") + "}" }
    /// The facts that the box for other pages needs. It has no rows before the first letter.
    var boxJSON: String { facts + "}" }

    private var facts: String {
      "{\"records\":\(recordCount),\"from\":\(mark.place.lowerBound),\"to\":\(mark.place.upperBound),"
        + "\"mark\":\"\(mark.digits)\",\"characters\":\(JSONText.string(characters))"
    }

    /// The most characters of a text.
    private static let depth = 3
    /// The rows of a text, which fill a screen. The page never asks for fewer.
    private static let rowCount = 8
    /// The rows at the beginning of the page (begin.js), and the most bytes of them.
    private static let (topCount, topLimit) = (12, 8 << 10)
    /// The records that the page asks for (answer.js). They decide the number of matches that an answer knows.
    private static let pageSize = 20
    /// The most files.
    private static let fileLimit = 64
    /// The most bytes of a file's answers: a third of a second on a line of 50 KB/s, when compressed.
    private static let sizeLimit = 48 << 10
    /// A text has at least a record of so many in the index.
    private static let share = 4000
    /// The most steps of the walk over keys, since many keys may begin with a separator.
    private static let lookLimit = 100_000
    /// The longest text of a field in a row, in bytes.
    private static let textLimit = 300

    private let index: ShardedIndex
    private let fields: [String]
    private let mark: PageIndexMark
    private var texts: [(text: [UInt8], count: Int)] = []
    private var looks = 0

    /// - Parameters:
    ///   - fields: The fields that a row shows beside its key.
    ///   - mark: The mark of the index.
    init(of index: ShardedIndex, showing fields: [String], _ mark: PageIndexMark) throws(CommandFailure) {
      (self.index, self.fields, self.mark) = (index, fields, mark)
      recordCount = index.generation.recordCount
      do throws(IndexError) {
        let all = try index.matches(forPrefix: "")
        try walk(all, 0..<all.count, depth: 1)
        try write()
        let best = try answer(to: "", rows: Self.topCount, limit: Self.topLimit)
        top = best?.isRanked == true ? best?.json : nil
      } catch {
        throw CommandFailure(error)
      }
    }

    // MARK: Texts

    /// Collects the texts of `depth` characters that keys in a range begin with, and the longer texts behind each.
    private mutating func walk(
      _ all: ShardedIndex.Matches, _ range: Range<Int>, depth: Int
    ) throws(IndexError) {
      let least = max(Self.rowCount, recordCount / Self.share)
      var at = range.lowerBound
      while at < range.upperBound, looks < Self.lookLimit {
        looks += 1
        let key = Array(try all.foldedKeys(in: at..<at + 1)[0])
        let text = Self.beginning(of: key, depth)
        // A folded key shows a comma in the place of its separator, which no text has.
        guard let text, !text.contains(UInt8(ascii: ",")) else {
          at += 1
          continue
        }
        let count = try text.withFoldedPrefix { (text) throws(IndexError) in
          try index.matchesInShards(forFoldedPrefix: text).count
        }
        // The meaning of a space depends on the keys.
        if count >= least, !text.contains(UInt8(ascii: " ")) {
          texts.append((text, count))
          if depth < Self.depth { try walk(all, at..<min(at + count, range.upperBound), depth: depth + 1) }
        }
        at += max(1, count)
      }
    }

    /// Returns the first characters of a folded key; nil if it has fewer.
    private static func beginning(of key: [UInt8], _ count: Int) -> [UInt8]? {
      var starts = 0
      for (at, byte) in key.enumerated() where byte & 0xc0 != 0x80 {
        if starts == count { return Array(key[..<at]) }
        starts += 1
      }
      return starts == count ? key : nil
    }

    // MARK: Files

    private mutating func write() throws(IndexError) {
      func length(_ text: [UInt8]) -> Int { text.reduce(0) { $0 + ($1 & 0xc0 == 0x80 ? 0 : 1) } }
      let letters = texts.filter { length($0.text) == 1 }.sorted { $0.count > $1.count }.prefix(Self.fileLimit)
      for (letter, _) in letters {
        // Short texts come first, and among them the texts with the most keys.
        let own = texts.filter { $0.text.starts(with: letter) }
          .sorted { (length($0.text), -$0.count) < (length($1.text), -$1.count) }
        var answers: [String] = []
        var size = 0
        for (text, _) in own where size < Self.sizeLimit {
          let typed = String(decoding: text, as: UTF8.self)
          guard let (_, json) = try answer(to: typed, rows: Self.rowCount, limit: Self.sizeLimit) else { continue }
          let answer = JSONText.string(typed) + ":" + json
          size += answer.utf8.count
          if size <= Self.sizeLimit { answers.append(answer) }
        }
        guard !answers.isEmpty, let scalar = String(decoding: letter, as: UTF8.self).unicodeScalars.first else {
          continue
        }
        let name = "first-\(String(scalar.value, radix: 16)).json"
        characters.unicodeScalars.append(scalar)
        files[name] = Array(
          "{\"schema\":1,\"mark\":\"\(mark.digits)\",\"answers\":{\n\(answers.joined(separator: ",\n"))}}\n".utf8)
      }
    }

    /// Returns the numbers of the answer to a text and its first rows, as JSON of at most `limit` bytes; nil for an
    /// answer to another text.
    private func answer(
      to text: String, rows count: Int, limit: Int
    ) throws(IndexError) -> (isRanked: Bool, json: String)? {
      var query = ShardedIndex.SearchQuery(text, typos: .automatic)
      (query.order, query.limit, query.limits) = (.automatic, Self.pageSize, .host)
      let generation = index.generation
      var search = try ShardedIndex.Search(query, in: generation)
      try search.findAll()
      let facts = try AnswerFacts(search, in: generation.name, correction: search.correction)
      guard !search.range.isEmpty, facts.correction == nil, facts.interpretation == nil, facts.dropped.isEmpty else {
        return nil
      }
      let rows = search.range.prefix(count)
      let buffer = RecordBuffer()
      try search.read(rows, into: buffer)
      var places = PlaceWriter(generation.schema)
      if places.needsFoldedKeys { places.foldedKeys = try search.foldedKeys(in: rows) }
      var output = Output(inMemory: limit)
      do throws(WriteError) {
        try output.write("{\"sort\":\"\(facts.isRanked ? "rank" : "key")\"")
        try output.write(",\"total\":\(facts.total.number),\"totalIsExact\":\(facts.total.isExact),\"rows\":[")
        for number in 0..<rows.count {
          let record = places.record(number, of: buffer)
          if number > 0 { try output.write(0x2c) }
          try output.write("{\"record\":{" as StaticString)
          try write(record, to: &output)
          try output.write("},\"display\":" as StaticString)
          let match = search.matched(rows.lowerBound + number, record)
          try places.writeDisplay(buffer, number, match: match, to: &output)
          try output.write(0x7d)
        }
        try output.write("]}" as StaticString)
      } catch {
        return nil  // The rows of long records take too much room.
      }
      return (facts.isRanked, output.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    private func write(_ record: ShardedIndex.Record, to output: inout Output) throws(WriteError) {
      var isFirst = true
      for name in fields {
        guard let text = record[name], !text.isEmpty, text.utf8.count <= Self.textLimit else { continue }
        if !isFirst { try output.write(0x2c) }
        isFirst = false
        try JSONText.write(name, to: &output)
        try output.write(0x3a)
        try JSONText.write(text, to: &output)
      }
    }
  }

  /// Bytes that tell an index from any other index. The page compares them with the host's bytes before it shows a first
  /// answer.
  struct PageIndexMark {
    /// The place of the bytes in `manifest` or in the archive.
    let place: Range<Int>
    /// The bytes, in hexadecimal digits.
    let digits: String

    /// - Parameters:
    ///   - bytes: The beginning of `manifest` or of the archive.
    ///   - rootSize: The size of the frame that a manifest begins with. The frame's end has the checksum of its content,
    ///     which has a checksum of every frame below.
    ///   - isArchive: Whether the index is an archive. It begins with the checksum and the size of its manifest.
    init(_ bytes: [UInt8], rootSize: Int, isArchive: Bool) {
      place = isArchive ? 0..<32 : max(0, rootSize - 32)..<rootSize
      digits = bytes[place].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
#endif
