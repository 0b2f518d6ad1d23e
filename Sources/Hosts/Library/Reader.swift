import Answers
import CLibrary
import CShardq
import ShardedIndex

/// The reader behind a handle of the library.
final class Reader {
  /// The opened index; nil if the opening failed.
  private let shared: SharedIndex?
  private var generation: Generation?
  private var json: AnswerWriter?
  private let flat = FlatAnswer()
  private var form = Form.none
  private enum Form { case none, flat, json }

  private var names: [OwnedCharacters?] = []
  private(set) var message: OwnedCharacters? = nil

  init(status: inout Int32, _ open: () throws(Refusal) -> SharedIndex) {
    do throws(Refusal) {
      shared = try open()
    } catch {
      shared = nil
      status = error.status
      message = strdup(error.message)
    }
  }

  deinit {
    shared?.close()
    for name in names { free(name) }
    free(message)
  }

  static func path(_ path: Characters?) throws(Refusal) -> String {
    guard let path, let text = String(validatingCString: path) else {
      throw Refusal(SQ_REFUSED, "the path is not UTF-8")
    }
    return text
  }

  /// Returns the limit of the cache in bytes; nil for the engine's default.
  static func cacheSize(_ size: Int64) throws(Refusal) -> Int? {
    guard size >= 0 else { throw Refusal(SQ_REFUSED, "cache_size must be 0 or more") }
    return size == 0 ? nil : Int(size)
  }

  // MARK: Questions

  /// Returns the number of matches of a text, or a negative status.
  func count(_ characters: Characters?, _ size: Int) -> Int64 {
    var total = 0
    let status = answering { (shared) throws(Refusal) in
      var query = try Self.query(try Self.text(characters, size), sq_options(counting: ()))
      query.needs.keys = .always
      total = try asking(shared) { (generation) throws(HostSearch.Failure) in
        let (_, facts) = try Self.found(query, in: generation)
        return facts.total.number
      }
    }
    return status == 0 ? Int64(total) : -Int64(status)
  }

  /// Answers a question, and returns the status.
  func search(_ characters: Characters?, _ size: Int, _ options: sq_options) -> Int32 {
    form = .none
    return answering { (shared) throws(Refusal) in
      var query = try Self.query(try Self.text(characters, size), options)
      query.needs.keys = .always
      try asking(shared) { (generation) throws(HostSearch.Failure) in try answer(query, in: generation, options) }
    }
  }

  /// Lists the values of a field, and returns the status.
  func facets(_ field: Characters?, _ start: Characters?, _ limit: Int64) -> Int32 {
    form = .none
    return answering { (shared) throws(Refusal) in
      guard let field, let field = String(validatingCString: field),
        let start = start.map({ String(validatingCString: $0) }) ?? ""
      else { throw Refusal(SQ_REFUSED, "the field or the beginning of the values is not UTF-8") }
      guard 1...Int64(ShardedIndex.Facet.valueLimit) ~= limit else {
        throw Refusal(SQ_REFUSED, "the limit is out of range; pass a limit from 1 to 100")
      }
      try asking(shared) { (generation) throws(HostSearch.Failure) in
        try answer(valuesOf: field, start, Int(limit), in: generation)
      }
    }
  }

  /// Looks up the record with an id, and returns the status.
  func lookUp(_ characters: Characters?, _ size: Int, _ flags: Int32) -> Int32 {
    form = .none
    return answering { (shared) throws(Refusal) in
      guard flags == 0 || flags == Int32(SQ_JSON) else { throw Refusal(SQ_REFUSED, "flags must be 0 or SQ_JSON") }
      let id = try Self.text(characters, size)
      try asking(shared) { (generation) throws(HostSearch.Failure) in
        guard IndexSettings(of: generation.manifest.root, hasTables: false).id != nil else {
          throw .question("the records of this index have no ids; build it again with shardq build --id FIELD")
        }
        let records = ShardedIndex.Matches(allOf: generation)
        let position: Int?
        do throws(IndexError) { position = try shared.position(of: id, in: records, of: generation) } catch {
          throw .index(error)
        }
        let range = position.map { $0..<$0 + 1 } ?? 0..<0
        try write(generation, asJSON: flags != 0) { (writer) throws(AnswerWriter.AnswerError) in
          guard let writer else { return try flat.write(records, range, nil) }
          try writer.record(records, range, in: generation.name)
        }
      }
    }
  }

  private func answer(
    valuesOf field: String, _ start: String, _ limit: Int, in generation: Generation
  ) throws(HostSearch.Failure) {
    let facet: ShardedIndex.Facet
    do throws(IndexError) {
      facet = try generation.gathering { () throws(IndexError) in
        try ShardedIndex.Facet.values(of: field, startingWith: start, limit: limit, in: generation)
      }
    } catch {
      throw .index(error)
    }
    try write(generation, asJSON: true) { (writer) throws(AnswerWriter.AnswerError) in
      try writer?.values(of: facet)
    }
  }

  /// Writes an answer from a generation.
  ///
  /// - Parameter body: Writes with the writer of JSON; with ``flat`` if there is none.
  private func write(
    _ generation: Generation, asJSON: Bool, _ body: (AnswerWriter?) throws(AnswerWriter.AnswerError) -> Void
  ) throws(HostSearch.Failure) {
    if self.generation !== generation { take(generation) }
    flat.reset()
    json?.reset()
    if asJSON, json == nil { json = AnswerWriter(generation.schema) }
    do throws(AnswerWriter.AnswerError) { try body(asJSON ? json : nil) } catch { throw HostSearch.Failure(error) }
    form = asJSON ? .json : .flat
  }

  /// Answers a question. If a rebuild removed a file, the next generation answers.
  private func asking<Value>(
    _ shared: SharedIndex, _ body: (Generation) throws(HostSearch.Failure) -> Value
  ) throws(Refusal) -> Value {
    let index = shared.index
    func fault(_ failure: HostSearch.Failure) -> IndexError? {
      if case .index(let error) = failure { error } else { nil }
    }
    do throws(HostSearch.Failure) {
      return try index.following(fault: fault, reload: { _ = try? index.reload() }, body)
    } catch {
      throw Refusal(error)
    }
  }

  private static func found(
    _ query: ShardedIndex.SearchQuery, in generation: Generation
  ) throws(HostSearch.Failure) -> (ShardedIndex.Search, AnswerFacts) {
    do throws(IndexError) {
      return try generation.gathering(ahead: { query.prefetch(in: generation) }) { () throws(IndexError) in
        var search = try ShardedIndex.Search(query, in: generation)
        try search.findAll()
        return (search, try AnswerFacts(search, in: generation.name, correction: search.correction))
      }
    } catch {
      throw .index(error)
    }
  }

  private func answer(
    _ query: ShardedIndex.SearchQuery, in generation: Generation, _ options: sq_options
  ) throws(HostSearch.Failure) {
    let (search, facts) = try Self.found(query, in: generation)
    try write(generation, asJSON: Self.has(SQ_JSON, options)) { (writer) throws(AnswerWriter.AnswerError) in
      guard let writer else { return try flat.write(search, search.range, facts) }
      let members = AnswerMembers(display: Self.has(SQ_DISPLAY, options), hits: Self.has(SQ_HITS, options))
      try writer.search(search, facts, members)
    }
  }

  /// Takes the field numbers of a generation.
  private func take(_ generation: Generation) {
    self.generation = generation
    json = nil
    for name in names { free(name) }
    names = generation.schema.names.map { strdup($0) }
  }

  private func answering(_ body: (SharedIndex) throws(Refusal) -> Void) -> Int32 {
    // The message of the opening stays.
    guard let shared else { return Int32(SQ_REFUSED) }
    do throws(Refusal) {
      try body(shared)
      return 0
    } catch {
      free(message)
      message = strdup(error.message)
      return error.status
    }
  }

  // MARK: Options

  /// The longest text in bytes. Every key is shorter.
  private static let textLimit = 1 << 16

  private static func text(_ characters: Characters?, _ size: Int) throws(Refusal) -> String {
    guard 0...textLimit ~= size else { throw Refusal(SQ_REFUSED, "the text has more than 65536 bytes; send fewer") }
    var bytes = [UInt8](repeating: 0, count: size)
    if let characters { memcpy(&bytes, characters, size) }
    guard characters != nil || size == 0, let text = String(utf8: bytes) else {
      throw Refusal(SQ_REFUSED, "the text is not UTF-8")
    }
    return text
  }

  private static func has(_ flag: Int, _ options: sq_options) -> Bool { options.flags & Int32(flag) != 0 }

  private static func query(_ text: String, _ options: sq_options) throws(Refusal) -> ShardedIndex.SearchQuery {
    guard let order = HostSearch.order(options.sort) else {
      throw Refusal(SQ_REFUSED, "sort must be SQ_SORT_INDEX, SQ_SORT_RANK or SQ_SORT_KEY")
    }
    let flags = SQ_EXACT | SQ_NEAR | SQ_JSON | SQ_DISPLAY | SQ_TOTAL | SQ_HITS | SQ_ALL_WORDS | SQ_MIN_TYPOS
    guard options.flags & ~Int32(flags) == 0 else {
      throw Refusal(SQ_REFUSED, "flags has an unknown bit; use a library of the version of shardq.h")
    }
    var filters: [String] = []
    for number in 0..<Int(options.filter_count) {
      guard let filter = filter_at(options, number).flatMap({ String(validatingCString: $0) }) else {
        throw Refusal(SQ_REFUSED, "a filter is not UTF-8")
      }
      filters.append(filter)
    }
    let sort = options.sort_field.map { String(validatingCString: $0) } ?? ""
    guard let sort else { throw Refusal(SQ_REFUSED, "sort_field is not UTF-8") }
    let group = options.group.map { String(validatingCString: $0) } ?? ""
    guard let group else { throw Refusal(SQ_REFUSED, "group is not UTF-8") }
    var facets: [String] = []
    // The other form of an answer has no place for facets.
    for number in 0..<Int(has(SQ_JSON, options) ? options.facet_count : 0) {
      guard let field = facet_at(options, number).flatMap({ String(validatingCString: $0) }) else {
        throw Refusal(SQ_REFUSED, "a facet is not UTF-8")
      }
      facets.append(field)
    }
    // No cursor has letters outside ASCII.
    let cursor = options.cursor.map { String(cString: $0) } ?? ""
    do throws(HostSearch.Failure) {
      var query = try HostSearch.query(
        text, cursor: cursor, filters: filters, facets: facets, facetLimit: Int(options.facet_limit),
        offset: Int(options.from), limit: Int(options.limit), order: order, sort: sort,
        typos: has(SQ_EXACT, options) ? .none : has(SQ_MIN_TYPOS, options) ? .min : .automatic,
        place: has(SQ_NEAR, options) ? (options.latitude, options.longitude) : nil,
        radius: options.radius == 0 ? nil : options.radius, group: group)
      query.countsMatches = has(SQ_TOTAL, options)
      query.words = has(SQ_ALL_WORDS, options) ? .all : .automatic
      return query
    } catch {
      throw Refusal(error)
    }
  }

  // MARK: Results

  func field(_ number: Int) -> Characters? {
    if generation == nil, let shared { take(shared.index.newest) }
    return number < names.count ? Characters(names[number]) : nil
  }

  /// Calls `body` with the last answer.
  func answer(_ body: (Answer?, Int) -> Void) {
    switch form {
    case .none: body(nil, 0)
    case .flat: body(Answer(flat.block), flat.size)
    case .json: json?.body.withBytes { body($0.baseAddress, $0.count) }
    }
  }
}

extension sq_options {
  /// The options of a question for the number of matches alone.
  fileprivate init(counting: Void) {
    self.init()
    // A search finds out by its first hit which words it leaves out.
    (limit, flags) = (1, Int32(SQ_TOTAL))
  }
}

/// The reason why a call has no result.
struct Refusal: Error {
  let status: Int32
  let message: String

  init(_ status: Int, _ message: String) { (self.status, self.message) = (Int32(status), message) }

  init(_ failure: HostSearch.Failure) {
    switch failure {
    case .index(let error): self.init(error)
    case .question(let message): self.init(SQ_REFUSED, message)
    }
  }

  init(_ error: IndexError) {
    switch error {
    case .notFound:
      let fault = URLSecrets.removed(from: error.fault)
      self.init(SQ_NOT_FOUND, "\(fault); build an index with shardq build, or open another path")
    case .io, .unreachable: self.init(SQ_SYSTEM, error.commandMessage)
    case .superseded: self.init(SQ_CHANGED, error.commandMessage)
    case .refused: self.init(SQ_REFUSED, error.commandMessage)
    default: self.init(SQ_DAMAGED, error.commandMessage)
    }
  }
}
