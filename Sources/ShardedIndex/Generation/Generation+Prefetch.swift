extension Generation {
  /// Asks a carrier for all bytes that the search of a folded text will certainly read.
  func prefetch(_ text: FoldedPrefix, limit: Int) {
    let run = TypedRun(text)
    if let last = run.word.lastSpace {
      text.withSeparator(at: last) { KeySearch(shards, limit: limit).prefetch(TypedRun($0)) }
    }
    // Starts that are being fetched will answer texts with matches in several shards.
    let awaitsStarts = !text.hasSpace && mayAnswerFromStarts(limit, isByRank: false) && lazyStarts.load() == nil
    KeySearch(shards, limit: limit).prefetch(run, isOfOneShard: awaitsStarts)
  }
}
