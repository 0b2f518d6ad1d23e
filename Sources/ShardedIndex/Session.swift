extension ShardedIndex {
  /// One person's typing: the matches of a text that grows and shrinks at its end.
  ///
  /// ```swift
  /// var session = index.session()
  /// try session.append("sa")
  /// try session.append("n")
  /// session.removeLast()  // Loads nothing.
  /// print(session.matches.count)
  /// ```
  ///
  /// A session stays with its first generation, so that its answers fit together; ``reload()`` moves it to the newest
  /// one.
  public struct Session: Sendable {
    private struct State: Sendable {
      /// The size of the text that these matches answer, in bytes of UTF-8.
      var size: Int
      var matches: Matches
    }
    private let index: ShardedIndex
    private(set) var generation: Generation
    /// The text that was typed.
    public private(set) var text = ""
    /// The states: one for the empty text, and one for each step that ``removeLast()`` can take back.
    private var states: [State]

    init(_ index: ShardedIndex) {
      self.index = index
      generation = index.newest
      states = [State(size: 0, matches: Matches(allOf: generation))]
    }

    /// The matches of ``text``.
    public var matches: Matches { states[states.count - 1].matches }

    /// Types `text` at the end, character by character. If a search fails, the session stays as it was.
    ///
    /// - Complexity: Each character folds the whole text once.
    public mutating func append(_ text: String) throws(IndexError) {
      // A combining mark joins the character before it, so the whole text is cut into characters.
      try replace(with: self.text + text)
    }

    /// Removes the last character as Backspace does, or only its last scalar in scripts that are typed scalar by
    /// scalar.
    ///
    /// A Thai or Devanagari letter stays when its vowel sign goes. Emoji sequences, Hangul syllables, CR LF, and Latin,
    /// Greek and Cyrillic letters with their marks go as a whole. A text field of another system may differ;
    /// ``replace(with:)`` follows any field.
    ///
    /// The call loads nothing, so it cannot fail. If the text is empty, nothing happens.
    public mutating func removeLast() {
      if states.count > 1 { cut(to: states.count - 2) }
    }

    /// Replaces the typed text. The session keeps the answers to the beginning that both texts share. If a search fails,
    /// the session stays as it was.
    public mutating func replace(with text: String) throws(IndexError) {
      let before = (self.text, states)
      let common = zip(text.utf8, self.text.utf8).prefix { $0 == $1 }.count
      var (kept, size) = (0, 0)
      do throws(IndexError) {
        for character in text {
          for step in BackwardDeletion.steps(of: character) {
            size += step.utf8.count
            if kept + 1 < states.count, states[kept + 1].size == size, size <= common {
              kept += 1
            } else {
              cut(to: kept)
              try type(step)
              kept += 1
            }
          }
        }
        cut(to: kept)
      } catch {
        (self.text, states) = before
        throw error
      }
    }

    private mutating func type(_ step: String) throws(IndexError) {
      let (last, longer) = (matches, text + step)
      // If no record matches a fold, no record matches a longer one. But a new character may also shorten the fold: a
      // comma removes the space before it.
      let matches =
        last.isEmpty && Fold.fold(longer).starts(with: Fold.fold(text))
        ? last : try index.matches(forPrefix: longer, in: generation)
      text = longer
      states.append(State(size: longer.utf8.count, matches: matches))
    }

    private mutating func cut(to count: Int) {
      states.removeLast(states.count - 1 - count)
      text.removeSubrange(text.utf8.index(text.startIndex, offsetBy: states[count].size)...)
    }

    /// Moves to the newest generation of the index, and searches for the text again.
    ///
    /// - Returns: Whether the generation is another one than before.
    /// - Throws: ``IndexError`` as typing does; then the session stays as it was.
    @discardableResult
    public mutating func reload() throws(IndexError) -> Bool {
      let newest = index.newest
      guard newest !== generation else { return false }
      let before = (generation, text, states)
      (generation, text, states) = (newest, "", [State(size: 0, matches: Matches(allOf: newest))])
      do throws(IndexError) {
        try append(before.1)
      } catch {
        (generation, text, states) = before
        throw error
      }
      return true
    }
  }
}

extension ShardedIndex {
  /// Makes a session, which follows one person's typing.
  public func session() -> Session { Session(self) }
}
