#if !hasFeature(Embedded)
  extension ShardedIndex {
    /// Returns the records that a person most likely means by a text, as `search(_:limit:)` does, but not on the main
    /// thread.
    ///
    /// A task that is cancelled ends its search before the next shard.
    ///
    /// ```swift
    /// let answer = try await index.answer(to: "par", limit: 10)
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text, as typed.
    ///   - limit: The most hits.
    /// - Throws: `CancellationError` if the task was cancelled, else ``IndexError``.
    @concurrent
    public func answer(to text: String, limit: Int = 10) async throws -> Answer {
      try await answer(toQuery: SearchQuery(text), limit: limit)
    }

    /// Returns the best records for a query, from the first on or behind a cursor, but not on the main thread.
    ///
    /// A task that is cancelled ends its search before the next shard.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: The most hits.
    ///   - cursor: The position behind the last hit of the page before; nil for the first page.
    /// - Throws: `CancellationError` if the task was cancelled, else ``IndexError``.
    @concurrent
    public func answer(
      toQuery query: SearchQuery, limit: Int = 10, after cursor: Cursor? = nil
    ) async throws -> Answer {
      try Task.checkCancellation()
      let answer = try search(query, limit: limit, after: cursor) { Task.isCancelled }
      try Task.checkCancellation()
      return answer
    }

    /// Returns the answers to texts that a person types one after the other: only the newest text gets an answer.
    ///
    /// A newer text cancels the search for the text before, and its answer replaces an answer that the reader has not
    /// taken yet. If one search fails, its error is the answer to that text, and the next search runs as usual. The
    /// sequence ends when `texts` ends.
    ///
    /// ```swift
    /// let (texts, field) = AsyncStream.makeStream(of: String.self)
    /// field.yield("par")
    /// field.finish()
    /// for await answer in index.answers(to: texts) { print(try answer.get().count) }
    /// ```
    ///
    /// - Parameters:
    ///   - texts: The texts, as typed. If the sequence throws, the answers end.
    ///   - limit: The most hits of an answer.
    public func answers<Texts: AsyncSequence & Sendable>(
      to texts: Texts, limit: Int = 10
    ) -> AsyncStream<Result<Answer, IndexError>> where Texts.Element == String {
      newest(of: texts) { try await self.answer(to: $0, limit: limit) }
    }

    /// Returns the answers to queries one after the other, as ``answers(to:limit:)`` to texts: only the newest query
    /// gets an answer.
    ///
    /// - Parameters:
    ///   - queries: The queries.
    ///   - limit: The most hits of an answer.
    public func answers<Queries: AsyncSequence & Sendable>(
      toQueries queries: Queries, limit: Int = 10
    ) -> AsyncStream<Result<Answer, IndexError>> where Queries.Element == SearchQuery {
      newest(of: queries) { try await self.answer(toQuery: $0, limit: limit) }
    }

    private func newest<Queries: AsyncSequence & Sendable>(
      of queries: Queries, _ search: @escaping @Sendable (Queries.Element) async throws -> Answer
    ) -> AsyncStream<Result<Answer, IndexError>> where Queries.Element: Sendable {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let newest = NewestSearch()
        let reader = Task {
          var last: Task<Void, Never>?
          var iterator = queries.makeAsyncIterator()
          while let query = try? await iterator.next() {
            last = newest.start { number in
              let answer: Result<Answer, IndexError>
              do { answer = .success(try await search(query)) } catch let error as IndexError {
                answer = .failure(error)
              } catch {
                return
              }
              newest.ifNewest(number) { continuation.yield(answer) }
            }
          }
          await last?.value
          continuation.finish()
        }
        continuation.onTermination = { _ in
          reader.cancel()
          newest.cancel()
        }
      }
    }
  }

  extension ShardedIndex.Answer {
    /// Returns the next hits, as ``next(limit:)`` does, but not on the main thread.
    ///
    /// - Parameter limit: The most hits; nil for the limit of this answer.
    /// - Throws: `CancellationError` if the task was cancelled, else ``IndexError``.
    @concurrent
    public func nextAnswer(limit: Int? = nil) async throws -> ShardedIndex.Answer {
      try Task.checkCancellation()
      let answer = try next(limit: limit, isStopped: { Task.isCancelled })
      try Task.checkCancellation()
      return answer
    }
  }

  /// The search for the newest of several texts.
  private final class NewestSearch: Sendable {
    private struct State: Sendable {
      var number = 0
      var task: Task<Void, Never>?
    }
    private let state = Lock(State())

    /// Cancels the previous search and starts a new one, whose number `body` gets.
    func start(_ body: @escaping @Sendable (Int) async -> Void) -> Task<Void, Never> {
      state.withLock { state in
        state.task?.cancel()
        state.number += 1
        let task = Task { [number = state.number] in await body(number) }
        state.task = task
        return task
      }
    }

    /// Calls `body` if no newer search has started; none starts before `body` returns.
    func ifNewest(_ number: Int, _ body: () -> Void) { state.withLock { if $0.number == number { body() } } }

    func cancel() { state.withLock { $0.task?.cancel() } }
  }
#endif
