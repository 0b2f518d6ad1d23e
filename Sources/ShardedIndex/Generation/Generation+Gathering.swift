extension Generation {
  /// Returns the result of `body`, once all bytes that it reads have arrived.
  ///
  /// A carrier that can gather fetches missing bytes of several places side by side. `body` runs again until no bytes
  /// are missing. If bytes are damaged and the manifest is the same, they are fetched again once.
  ///
  /// - Parameter ahead: Asks for more bytes that `body` will certainly read, after `body` stopped at a first place.
  package func gathering<Value>(
    ahead: () -> Void = {}, _ body: () throws(IndexError) -> Value
  ) throws(IndexError) -> Value {
    guard let carried = directory.carried, carried.gathers, ReadingTerms.mayWait else { return try body() }
    var isAnew = false
    func renew(_ error: IndexError) throws(IndexError) {
      switch error {
      case .corrupt, .vanished:
        if isSuperseded { throw .superseded(path: directory.path) }
        guard case .corrupt = error, !isAnew else { throw error }
        isAnew = true
        manifest.archive?.removePlaces()
      default: throw error
      }
    }
    return try carried.gathering(ahead: ahead, renew: renew, body)
  }

  #if !hasFeature(Embedded)
    /// Begins to fetch the manifest of the entries beside the starts. Only a search that the starts do not answer waits
    /// for it.
    ///
    /// - Parameter count: The number of matches that a search finds, from the first on.
    func beginEntries(_ count: Int) {
      guard mayAnswerFromStarts(count, isByRank: true), lazyStarts.load() == nil, let carried = directory.carried,
        carried.gathers, ReadingTerms.mayWait
      else { return }
      carried.beginning { _ = try? entries() }
    }
  #endif
}
