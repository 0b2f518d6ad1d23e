#if Server
  import Answers
  import NIOConcurrencyHelpers
  import NIOCore
  import QueryOutput
  import ShardedIndex

  /// The served index and the state of the generation that answers come from.
  final class ServedIndex: Sendable {
    /// The name in the paths of requests; nil if the server has this index only, without a name.
    let name: String?
    let index: ShardedIndex
    let cacheLimit: Int
    let log: ServerLog
    let failedReloads = Atomic<Int>(0)
    let unmatchedAnswers = Atomic<Int>(0)
    /// The newest generation and the generation before it; both may have answers under way.
    private let generations: NIOLockedValueBox<[ServedGeneration]>
    /// The reason why the index refused newer generations. The log has each reason once.
    private let refusal = NIOLockedValueBox<String?>(nil)

    init(_ index: ShardedIndex, name: String?, cacheLimit: Int, log: ServerLog) throws(IndexError) {
      self.name = name
      self.index = index
      self.cacheLimit = cacheLimit
      self.log = log.about(name)
      // If a build removed the generation that was opened, a later one is the first.
      generations = NIOLockedValueBox(
        [try index.following { (generation) throws(IndexError) in try ServedGeneration(generation) }])
    }

    var current: ServedGeneration { generations.withLockedValue { $0[0] } }

    /// Returns the state of the generation that an answer comes from.
    func state(of generation: Generation) throws(IndexError) -> ServedGeneration {
      if let known = generations.withLockedValue({ $0.first { $0.isOf(generation) } }) { return known }
      let made = try ServedGeneration(generation)
      return generations.withLockedValue { generations in
        // Another thread may have been quicker.
        if let known = generations.first(where: { $0.isOf(generation) }) { return known }
        if made.isOf(index.generation) { generations = [made, generations[0]] }
        return made
      }
    }

    /// Looks for a newer generation and logs the result. The current generation stays if the newer one cannot be read.
    func reload() {
      do throws(IndexError) {
        let hasMoved = try index.reload()
        let generation = try state(of: index.generation)
        refusal.withLockedValue { $0 = nil }
        if hasMoved {
          log.write(
            .info, "reloaded", ["generation": generation.name, "records": "\(generation.recordCount)"])
        }
      } catch {
        let text = error.description
        let isNews = refusal.withLockedValue { refusal in
          defer { refusal = text }
          return refusal != text
        }
        if isNews {
          failedReloads.add(1, ordering: .relaxed)
          log.write(.error, "reload failed", ["reason": text])
        }
      }
    }

    /// Answers a request from the newest generation, and again if a build removed a file meanwhile.
    func answering<Answer>(_ body: (Generation) throws -> Answer) throws -> Answer {
      try index.following(fault: { $0 as? IndexError }, reload: reload, body)
    }
  }

  /// All indexes of a server.
  struct ServedIndexes: Sendable {
    /// One index without a name, or one or more with names.
    let all: [ServedIndex]
    let names: IndexNames
    /// The page of a server whose indexes have names.
    let page: Representation

    init(_ all: [ServedIndex], _ options: PageOptions) {
      self.all = all
      names = IndexNames(names: all.compactMap(\.name))
      page = names.page(options)
    }
  }

  /// One generation of the index, with values that are computed once.
  final class ServedGeneration: Sendable {
    let manifest: ManifestReader
    private let overlay: Overlay?
    let recordCount: Int
    let schema: Schema
    /// The abilities of the index that the page shows.
    let facts: PageFacts
    /// The SHA-256 of the manifest.
    let digest: ManifestDigest
    /// The name of the generation in answers.
    let name: String
    /// The entity tag of every answer that depends on the generation and the request only.
    let tag: String
    private let writers = NIOLockedValueBox<[AnswerWriter]>([])
    /// The grid of coordinates. The first request for the grid makes it.
    let grid = OnceMade<PlaceGrid>()
    /// The positions of records by their ids. The first request for a record makes them.
    let ids = OnceMade<IDPositions>()
    /// The path of the field with the ids, and its number; the number is nil if no record has the field. nil without
    /// ids.
    let idField: (path: String, number: Int?)?
    private let dotsBody = NIOLockedValueBox<[UInt8]?>(nil)

    init(_ generation: Generation) throws(IndexError) {
      manifest = generation.manifest
      overlay = generation.overlay
      recordCount = generation.recordCount
      schema = generation.schema
      facts = PageFacts(IndexSettings(of: manifest.root), schema)
      idField = IndexSettings(of: manifest.root, hasTables: false).id.map { [schema] in
        ($0, schema.names.firstIndex(of: $0))
      }
      digest = try manifest.digest()
      // A file in a store has no descriptor that keeps one content.
      if generation.isFar, ReadingTerms.mayWait, generation.isSuperseded {
        throw .superseded(path: generation.directory.path)
      }
      name = generation.name
      tag = "\"" + ServerVersion.answers + "-" + name + "\""
    }

    /// Returns whether an answer is of this generation.
    func isOf(_ generation: Generation) -> Bool {
      manifest === generation.manifest && overlay === generation.overlay
    }

    /// The density grid; nil if no record has coordinates.
    func densityGrid() throws(IndexError) -> DensityGrid? { try manifest.densityGrid(with: overlay) }

    var hasCoordinates: Bool { schema.latitude != nil && schema.longitude != nil }

    // MARK: Writers

    /// Returns the body that `write` writes. No other thread uses the writer meanwhile.
    func withWriter(_ write: (AnswerWriter) throws -> Void) throws -> ByteBuffer {
      let writer = writers.withLockedValue { $0.popLast() } ?? AnswerWriter(schema)
      defer {
        writer.reset()
        writers.withLockedValue { if $0.count < Self.writerLimit { $0.append(writer) } }
      }
      do {
        try write(writer)
      } catch let failure as AnswerWriter.AnswerError {
        switch failure {
        case .index(let error): throw error
        case .output(let error): throw error
        case .largeRecords: throw Problem.largeRecords
        }
      }
      return writer.body.withBytes { ByteBuffer(bytes: $0) }
    }

    /// The most writers that stay for the next requests.
    private static let writerLimit = 16

    /// The body of the answer with the density grid, once it was made.
    var dots: [UInt8]? {
      get { dotsBody.withLockedValue { $0 } }
      set { dotsBody.withLockedValue { $0 = newValue } }
    }
  }

  enum ServerVersion {
    /// The version of the bodies. It changes when the same records are written differently.
    static let answers = "5"
  }
#endif
