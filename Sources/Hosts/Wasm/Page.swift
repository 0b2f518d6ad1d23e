import Answers
import CLibrary
import ShardedIndex

// The functions of the WebAssembly module (Scripts/build-wasm.sh). A host, such as Sources/Hosts/Wasm/shardq.js, calls a
// function, fetches the missing bytes, and calls the function again. Texts are UTF-8. The module has one thread.

/// The result of a call, for the host.
private enum Status: Int32 {
  /// The answer is complete.
  case done = 0
  /// Bytes are missing. The host fetches them and calls again.
  case waits = 1
  /// The index is damaged, or cannot be read. With this and later statuses the answer is the message.
  case damaged = 2
  /// A shard is missing, because the index was rebuilt. The host opens the index again.
  case superseded = 3
  /// The question is wrong, or the index or this module cannot answer it.
  case refused = 4
  /// There is no index.
  case missing = 5
}

/// A file of the host, or a part of it. The engine's number of the file is the address of this value.
private struct HostFile {
  /// The host's number of the file.
  let number: Int32
  let bytes: Range<Int64>
  let plan: FetchPlan.File
  /// The file that was opened before this one.
  let last: Place?

  typealias Place = UnsafeMutablePointer<HostFile>
}

/// The file that was opened last. All files stay, so that each has one number.
nonisolated(unsafe) private var files: HostFile.Place?

/// Returns the engine's number of a file, or of a part of it.
private func file(
  _ number: Int32, _ kind: FetchPlan.Kind, from start: Int64, size: Int64, in holder: FetchPlan.File? = nil
) -> Int32 {
  let bytes = start..<start + size
  var known = files
  while let file = known, file.pointee.number != number || file.pointee.bytes != bytes { known = file.pointee.last }
  if known == nil {
    let made = HostFile.Place.allocate(capacity: 1)
    made.initialize(
      to: HostFile(number: number, bytes: bytes, plan: FetchPlan().file(kind, bytes, in: holder), last: files))
    (known, files) = (made, made)
  }
  return Int32(Int(bitPattern: known))
}

private func file(_ number: Int32) -> HostFile { HostFile.Place(bitPattern: Int(number))!.pointee }

/// The carrier of the host, to which it names the bytes to fetch.
private let carrier = Carrier(
  context: nil,
  open: { _, name, size in
    let number = host_open(name, size, FetchPlan.headSize)
    if number < 0 { return number }
    let kind: FetchPlan.Kind = strcmp(name!, "manifest") == 0 ? .manifest : size < 0 ? .archive : .other
    return file(number, kind, from: 0, size: host_size(number))
  },
  size: { file($1).bytes.upperBound },
  read: { _, number, offset, size, target in
    let file = file(number)
    let range = file.plan.range(around: offset..<offset + size)
    return host_read(file.number, offset, size, target, range.lowerBound, range.upperBound)
  },
  open_within: { _, archive, name, offset, size in
    let holder = file(archive)
    let kind: FetchPlan.Kind = strcmp(name!, "manifest") == 0 ? .manifest : .other
    return file(holder.number, kind, from: offset, size: size, in: holder.plan)
  },
  gather: nil, reason: nil, close: nil)

private final class Page {
  let index: ShardedIndex
  /// The writer of the last answer.
  private(set) var writer: AnswerWriter
  /// The writers of the index's records, and of the starts' records after their first answer.
  private let ofIndex: AnswerWriter
  private var ofStarts: AnswerWriter?

  init(_ path: String, cacheLimitBytes: Int, isArchive: Bool) throws(IndexError) {
    index = try ShardedIndex(
      IndexDirectory(carrier: carrier, path: path, isArchive: isArchive),
      options: .init(cacheLimitBytes: cacheLimitBytes))
    let generation = index.generation
    ofIndex = AnswerWriter(generation.schema)
    writer = ofIndex
    // The module asks the host for the starts and the entries, but only answers that need them wait for them.
    if generation.manifest.hasStarts {
      _ = try? generation.starts()
      _ = try? generation.entries()
    }
  }

  /// Writes the answer to a search.
  func answer(_ query: ShardedIndex.SearchQuery, _ members: AnswerMembers) throws(HostSearch.Failure) {
    let (search, facts): (ShardedIndex.Search, AnswerFacts)
    do throws(IndexError) { (search, facts) = try found(query) } catch { throw .index(error) }
    do throws(AnswerWriter.AnswerError) {
      try writer(of: search.generation).search(search, facts, members)
    } catch {
      throw HostSearch.Failure(error)
    }
  }

  /// Writes the values of a field.
  func values(of field: String, startingWith start: String, limit: Int) throws(HostSearch.Failure) {
    let facet: ShardedIndex.Facet
    do throws(IndexError) {
      facet = try ShardedIndex.Facet.values(of: field, startingWith: start, limit: limit, in: index.generation)
    } catch { throw .index(error) }
    do throws(AnswerWriter.AnswerError) { try writer(of: index.generation).values(of: facet) } catch {
      throw HostSearch.Failure(error)
    }
  }

  private func found(_ query: ShardedIndex.SearchQuery) throws(IndexError) -> (ShardedIndex.Search, AnswerFacts) {
    var search = try ShardedIndex.Search(query, in: index.generation)
    try search.findAll()
    return (search, try AnswerFacts(search, in: index.generation.name, correction: search.correction))
  }

  /// Returns the writer for the records of a generation.
  private func writer(of generation: Generation) -> AnswerWriter {
    if generation.isOfStarts {
      let made = ofStarts ?? AnswerWriter(generation.schema)
      (ofStarts, writer) = (made, made)
    } else {
      writer = ofIndex
    }
    writer.reset()
    return writer
  }
}

nonisolated(unsafe) private var page: Page?
nonisolated(unsafe) private var message: [UInt8] = []

/// Opens the host's index, and closes an index that was open.
///
/// - Parameters:
///   - size: The size of the question in bytes. The question is the path or the address of the index, for messages.
///   - isArchive: Whether the host has one archive; else the host has files with names.
@_cdecl("shardq_open") public func open(_ size: Int32, _ cacheLimitBytes: Int32, _ isArchive: Int32) -> Int32 {
  asking { () throws(Refusal) in
    page = nil
    do throws(IndexError) {
      let path = String(decoding: question(size), as: UTF8.self)
      page = try Page(path, cacheLimitBytes: Int(cacheLimitBytes), isArchive: isArchive != 0)
    } catch {
      throw Refusal(error)
    }
  }
}

/// Answers a search with a JSON object, as `/v1/search` of shardq serve does.
///
/// - Parameters:
///   - size: The size of the question in bytes. The question is the typed text, a cursor or nothing, an order (`rank`,
///     `key`, `price` or `-price`) or nothing, the field of groups or nothing, filters such as `country=FR`, and fields
///     whose values the answer counts, with a zero byte between each two.
///   - typos: 0 if the answer corrects no typing errors; 2 if it has only records with the fewest errors; else 1.
///   - members: 1 if the answer has the texts that a list shows of each record, 2 if it has the rank of each record; 3
///     for both.
///   - counts: Whether the answer counts the matches, and the keys that begin with the text.
///   - latitude: The latitude of a place near which records rank higher; NaN for none.
///   - radius: The greatest distance of a match from the place in kilometres; NaN for no limit.
///   - facetCount: The number of fields in the question.
///   - facetLimit: The most values of each of these fields.
@_cdecl("shardq_search") public func search(
  _ size: Int32, _ offset: Int32, _ limit: Int32, _ typos: Int32, _ members: Int32, _ counts: Int32,
  _ latitude: Double, _ longitude: Double, _ radius: Double, _ facetCount: Int32, _ facetLimit: Int32
) -> Int32 {
  let texts = texts(size)
  let conditions = texts.dropFirst(4)
  var query: ShardedIndex.SearchQuery
  do throws(HostSearch.Failure) {
    query = try HostSearch.query(
      texts.first ?? "", cursor: texts.count > 1 ? texts[1] : "", filters: Array(conditions.dropLast(Int(facetCount))),
      facets: Array(conditions.suffix(Int(facetCount))), facetLimit: Int(facetLimit), offset: Int(offset),
      limit: Int(limit), sort: texts.count > 2 ? texts[2] : "", typos: HostSearch.typos(typos),
      place: latitude.isFinite && longitude.isFinite ? (latitude, longitude) : nil,
      radius: radius.isNaN ? nil : radius, group: texts.count > 3 ? texts[3] : "")
  } catch {
    return asking { () throws(Refusal) in throw Refusal(error) }
  }
  query.countsMatches = counts != 0
  query.words = members & 4 != 0 ? .all : .automatic
  if counts != 0 { query.needs.keys = .always }
  let status = asking { () throws(Refusal) in
    guard let page else { throw Refusal(.refused, "no index is open") }
    do throws(HostSearch.Failure) {
      try page.answer(query, AnswerMembers(display: members & 1 != 0, hits: members & 2 != 0))
    } catch {
      throw Refusal(error)
    }
  }
  if status == Status.waits.rawValue, let page { query.prefetch(in: page.index.generation) }
  return status
}

/// Answers with a JSON object: the values of a field, as `/v1/facets` of shardq serve does.
///
/// - Parameters:
///   - size: The size of the question in bytes. The question is the field, a zero byte and the beginning of the values.
///   - limit: The most values.
@_cdecl("shardq_facets") public func facets(_ size: Int32, _ limit: Int32) -> Int32 {
  let texts = texts(size)
  return asking { () throws(Refusal) in
    guard let page else { throw Refusal(.refused, "no index is open") }
    do throws(HostSearch.Failure) { try page.values(of: texts[0], startingWith: texts[1], limit: Int(limit)) } catch {
      throw Refusal(error)
    }
  }
}

/// Answers with a JSON object: the cells of the map that have records, as `/v1/dots` of shardq serve does.
@_cdecl("shardq_dots") public func dots() -> Int32 {
  asking { () throws(Refusal) in
    guard let page else { throw Refusal(.refused, "no index is open") }
    let grid: DensityGrid?
    do throws(IndexError) { grid = try page.index.densityGrid() } catch { throw Refusal(error) }
    guard let grid else { throw Refusal(.refused, "the records of this index have no coordinates") }
    message = Array("{\"schema\":1,\"columns\":\(DensityGrid.columns),\"rows\":\(DensityGrid.rows),\"cells\":\"".utf8)
    message += Base64.encoded(grid.bits)
    message += Array("\"}\n".utf8)
  }
}

/// The texts of the question.
private func texts(_ size: Int32) -> [String] {
  question(size).split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}

/// The bytes of the question.
private func question(_ size: Int32) -> [UInt8] { (0..<max(0, size)).map { host_question($0) } }

/// The reason why a question has no answer.
private struct Refusal: Error {
  let status: Status
  let message: String

  init(_ status: Status, _ message: String) { (self.status, self.message) = (status, message) }

  init(_ error: IndexError) {
    message =
      if case .notFound(let path) = error {
        "there is no index at \(path): the file is not an archive of an index; open another one"
      } else { error.commandAdvice }
    status =
      switch error {
      case .io(_, _, EAGAIN): .waits
      case .notFound: .missing
      case .vanished, .superseded: .superseded
      case .refused: .refused
      default: .damaged
      }
  }

  init(_ failure: HostSearch.Failure) {
    switch failure {
    case .index(let error): self.init(error)
    case .question(let message): self.init(.refused, message)
    }
  }
}

private func asking(_ body: () throws(Refusal) -> Void) -> Int32 {
  message = []
  page?.writer.reset()
  var status = Status.done
  do throws(Refusal) {
    try body()
  } catch {
    message = Array(error.message.utf8)
    status = error.status
  }
  // The bytes stay in place until the next call.
  if message.isEmpty {
    page?.writer.body.withBytes { host_answer($0.baseAddress, Int32($0.count)) }
  } else {
    host_answer(message, Int32(message.count))
  }
  return status.rawValue
}
