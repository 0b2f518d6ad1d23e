#if Server
  import NIOConcurrencyHelpers
  import QueryOutput
  import ShardedIndex

  /// The index that is served, and what is kept of the generation that it answers from.
  final class ServedIndex: Sendable {
    let index: ShardedIndex
    let cacheLimit: Int
    private let log: ServerLog
    private let metrics: Metrics
    /// The newest generation first, and the one before it: answers that began on that one may still come.
    private let generations: NIOLockedValueBox<[ServedGeneration]>
    /// What newer generations were refused for, so that it is said once.
    private let refusal = NIOLockedValueBox<String?>(nil)

    /// How often a question is asked anew that rebuilds overtake.
    private static let attemptCount = 8

    init(_ index: ShardedIndex, cacheLimit: Int, log: ServerLog, metrics: Metrics) throws(IndexError) {
      self.index = index
      self.cacheLimit = cacheLimit
      self.log = log
      self.metrics = metrics
      generations = NIOLockedValueBox([try ServedGeneration(try index.matches(forPrefix: ""))])
    }

    var current: ServedGeneration { generations.withLockedValue { $0[0] } }

    /// What is kept of the generation that an answer is of.
    func generation(of matches: ShardedIndex.Matches) throws(IndexError) -> ServedGeneration {
      if let known = generations.withLockedValue({ $0.first { $0.isOf(matches) } }) { return known }
      let made = try ServedGeneration(matches)
      return generations.withLockedValue { generations in
        // Somebody else may have been quicker.
        if let known = generations.first(where: { $0.isOf(matches) }) { return known }
        if matches.generation.manifest === index.generation.manifest,
          matches.generation.overlay === index.generation.overlay
        {
          generations = [made, generations[0]]
        }
        return made
      }
    }

    /// Looks for a newer generation and says what became of it. What cannot be taken leaves all as it is.
    func reload() {
      do throws(IndexError) {
        let hasMoved = try index.reload()
        // No records are read for it.
        let generation = try generation(of: index.matches(forPrefix: ""))
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
          metrics.failedReloads.add(1, ordering: .relaxed)
          log.write(.error, "reload failed", ["reason": text])
        }
      }
    }

    /// Answers a question, and asks again where builds took away what was to be read.
    func asking<Answer>(_ body: () throws -> Answer) throws -> Answer {
      var attempts = 0
      while true {
        do {
          return try body()
        } catch let error as IndexError {
          // Who may not wait leaves it to others.
          guard ReadingTerms.mayWait else { throw error }
          attempts += 1
          switch error {
          case .superseded where attempts < Self.attemptCount: reload()
          // A shard that is gone under the manifest that names it: a build may be about to say why.
          case .vanished where attempts < 2: reload()
          default: throw error
          }
        }
      }
    }
  }

  /// One generation of the index, and what is made of it once.
  final class ServedGeneration: Sendable {
    let manifest: Manifest
    private let overlay: Overlay?
    let recordCount: Int
    let schema: Schema
    /// The SHA-256 of the manifest.
    let digest: ManifestDigest
    /// The beginning of that, and the checksum of the overlay if there is one: what answers call the generation.
    let name: String
    /// Of every answer that follows from the generation and the request alone.
    let tag: String
    private let writers = NIOLockedValueBox<[AnswerWriter]>([])
    /// Where records lie, once somebody asks for it.
    let grid = PlaceGridMaker()
    private let dotsBody = NIOLockedValueBox<[UInt8]?>(nil)

    init(_ matches: ShardedIndex.Matches) throws(IndexError) {
      manifest = matches.generation.manifest
      overlay = matches.generation.overlay
      recordCount = matches.recordCount
      schema = matches.generation.schema
      digest = try manifest.digest()
      let change = overlay.map { "-" + String($0.checksum, radix: 16) } ?? ""
      name = digest.description.prefix(16) + change
      tag = "\"" + ServerVersion.answers + "-" + name + "\""
    }

    /// Whether an answer is of this generation.
    func isOf(_ matches: ShardedIndex.Matches) -> Bool {
      manifest === matches.generation.manifest && overlay === matches.generation.overlay
    }

    /// How many records lie where; nil if no record has coordinates.
    func densityGrid() throws(IndexError) -> DensityGrid? { try manifest.densityGrid(with: overlay) }

    var hasCoordinates: Bool { schema.latitude != nil && schema.longitude != nil }

    // MARK: Writers

    /// Hands out a writer, which nobody else has meanwhile.
    func withWriter<Answer>(_ body: (AnswerWriter) throws -> Answer) rethrows -> Answer {
      let writer = writers.withLockedValue { $0.popLast() } ?? AnswerWriter(schema)
      defer {
        writer.reset()
        writers.withLockedValue { if $0.count < Self.writerLimit { $0.append(writer) } }
      }
      return try body(writer)
    }

    /// Writers that are kept for the next requests.
    private static let writerLimit = 16

    /// The map of dots as it is answered, once somebody has made it.
    var dots: [UInt8]? {
      get { dotsBody.withLockedValue { $0 } }
      set { dotsBody.withLockedValue { $0 = newValue } }
    }
  }

  /// Makes the grid of one generation when it is first asked for.
  final class PlaceGridMaker: Sendable {
    private enum State {
      case none
      /// With those who want to be told of it.
      case making([@Sendable () -> Void])
      case made(PlaceGrid)
    }
    private let state = NIOLockedValueBox(State.none)

    /// The grid; made by `make` if nobody did so before.
    ///
    /// - Throws: What `make` throws; ``Unfinished`` if another thread is at it.
    func made(_ make: () throws -> PlaceGrid) throws -> PlaceGrid {
      let known: PlaceGrid? = try state.withLockedValue { state in
        switch state {
        case .made(let grid): return grid
        case .making: throw Unfinished(grid: self)
        case .none:
          state = .making([])
          return nil
        }
      }
      if let known { return known }
      do {
        let grid = try make()
        end(.made(grid))
        return grid
      } catch {
        // The next one who asks tries again.
        end(.none)
        throw error
      }
    }

    private func end(_ new: State) {
      let waiting = state.withLockedValue { state in
        defer { state = new }
        if case .making(let waiting) = state { return waiting }
        return []
      }
      for call in waiting { call() }
    }

    /// Calls `call` once nobody is making the grid any more.
    func whenMade(_ call: @Sendable @escaping () -> Void) {
      let waits = state.withLockedValue { state in
        guard case .making(let waiting) = state else { return false }
        state = .making(waiting + [call])
        return true
      }
      if !waits { call() }
    }
  }

  enum ServerVersion {
    /// Of the bodies that answers have: another one where the same records are written otherwise.
    static let answers = "2"
  }
#endif
