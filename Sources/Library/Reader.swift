import CLibrary
import CShardq
import QueryOutput
import ShardedIndex

/// The reader behind a handle of the library.
final class Reader {
  /// The opened index; nil if the opening failed.
  private let shared: SharedIndex?
  private var generation: Generation?
  private var generationName = ""
  private var json: AnswerWriter?
  private let flat = FlatAnswer()
  private var form = Form.none
  private enum Form { case none, flat, json }

  private var names: [OwnedCharacters?] = []
  private(set) var message: OwnedCharacters? = nil

  init(_ path: Characters?, cacheSize: Int64, status: inout Int32) {
    do throws(Refusal) {
      guard let path, let text = String(validatingCString: path) else {
        throw Refusal(SQ_REFUSED, "the path is not UTF-8")
      }
      guard cacheSize >= 0 else { throw Refusal(SQ_REFUSED, "cache_size must be 0 or more") }
      shared = try SharedIndex.opening(text, cacheSize: cacheSize == 0 ? nil : Int(cacheSize))
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

  // MARK: Questions

  /// Returns the number of matches of a text, or a negative status.
  func count(_ characters: Characters?, _ size: Int) -> Int64 {
    let counted = CountedAnswer()
    let status = answering { (shared) throws(Refusal) in
      let search = try Self.search(try Self.text(characters, size), sq_options(counting: ()))
      try asking(shared) { () throws(HostSearch.Failure) in
        try search.answer(try search.matches(in: shared.index), as: counted, generation: "")
      }
    }
    return status == 0 ? Int64(counted.total.number) : -Int64(status)
  }

  /// Answers a question, and returns the status.
  func search(_ characters: Characters?, _ size: Int, _ options: sq_options) -> Int32 {
    form = .none
    flat.reset()
    json?.reset()
    return answering { (shared) throws(Refusal) in
      let search = try Self.search(try Self.text(characters, size), options)
      try asking(shared) { () throws(HostSearch.Failure) in try answer(search, from: shared.index, options) }
    }
  }

  /// Answers a question. If a rebuild removed a file, the next generation answers.
  private func asking(_ shared: SharedIndex, _ body: () throws(HostSearch.Failure) -> Void) throws(Refusal) {
    for attempt in 0..<8 {
      do throws(HostSearch.Failure) {
        return try body()
      } catch {
        guard case .index(.superseded) = error, attempt < 7 else { throw Refusal(error) }
        _ = try? shared.index.reload()
      }
    }
  }

  private func answer(
    _ search: HostSearch, from index: ShardedIndex, _ options: sq_options
  ) throws(HostSearch.Failure) {
    flat.reset()
    let matches = try search.matches(in: index)
    if generation !== matches.generation { take(matches.generation) }
    guard Self.has(SQ_JSON, options) else {
      try search.answer(matches, as: flat, generation: "")
      return form = .flat
    }
    let writer = json ?? AnswerWriter(matches.generation.schema)
    json = writer
    writer.reset()
    try search.answer(matches, as: writer, generation: generationName)
    form = .json
  }

  /// Takes the field numbers of a generation.
  private func take(_ generation: Generation) {
    self.generation = generation
    generationName = String(generation.manifest.rootChecksum, radix: 16)
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
    guard characters != nil || size == 0, let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(SQ_REFUSED, "the text is not UTF-8")
    }
    return text
  }

  private static func has(_ flag: Int, _ options: sq_options) -> Bool { options.flags & Int32(flag) != 0 }

  private static func search(_ text: String, _ options: sq_options) throws(Refusal) -> HostSearch {
    guard let order = HostSearch.Order(rawValue: options.sort) else {
      throw Refusal(SQ_REFUSED, "sort must be SQ_SORT_INDEX, SQ_SORT_RANK or SQ_SORT_KEY")
    }
    guard options.flags & ~Int32(SQ_EXACT | SQ_NEAR | SQ_JSON | SQ_DISPLAY | SQ_TOTAL) == 0 else {
      throw Refusal(SQ_REFUSED, "flags has an unknown bit; use a library of the version of shardq.h")
    }
    var filters: [String] = []
    for number in 0..<Int(options.filter_count) {
      guard let filter = filter_at(options, number).flatMap({ String(validatingCString: $0) }) else {
        throw Refusal(SQ_REFUSED, "a filter is not UTF-8")
      }
      filters.append(filter)
    }
    // No cursor has letters outside ASCII.
    let cursor = options.cursor.map { String(cString: $0) } ?? ""
    return HostSearch(
      text: text, cursor: cursor, filters: filters, offset: Int(options.from), limit: Int(options.limit), order: order,
      typos: !has(SQ_EXACT, options), hasDisplay: has(SQ_DISPLAY, options),
      countsMatches: has(SQ_TOTAL, options), place: has(SQ_NEAR, options) ? (options.latitude, options.longitude) : nil)
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
    flags = Int32(SQ_TOTAL)
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
    case .io: self.init(SQ_SYSTEM, error.commandMessage)
    case .superseded: self.init(SQ_CHANGED, error.commandMessage)
    case .notBuilt, .noFilter, .wrongCursor: self.init(SQ_REFUSED, error.commandMessage)
    default: self.init(SQ_DAMAGED, error.commandMessage)
    }
  }
}
