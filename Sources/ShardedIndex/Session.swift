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
  /// A session stays with the generation that it began on, so that its answers fit together; ``reload()`` moves it.
  public struct Session: Sendable {
    private struct State: Sendable {
      /// The size of the beginning of the text that the matches are of, in bytes of UTF-8.
      var size: Int
      var matches: Matches
    }
    private let index: ShardedIndex
    private(set) var generation: Generation
    /// The text that was typed.
    public private(set) var text = ""
    /// One state for each time that ``removeLast()`` can be called, the first for no text.
    private var states: [State]

    init(_ index: ShardedIndex) {
      self.index = index
      generation = index.newest
      states = [State(size: 0, matches: Matches(generation, generation.allRecords))]
    }

    /// The matches of ``text``.
    public var matches: Matches { states[states.count - 1].matches }

    /// Types `text` at the end, character by character; where that fails, nothing has been typed.
    ///
    /// - Complexity: Each character folds the text once, as typing it does.
    public mutating func append(_ text: String) throws(IndexError) {
      // A combining mark joins the character before it: what was typed is cut into characters as a whole.
      try replace(with: self.text + text)
    }

    /// Removes the last character, as Backspace does, or its last scalar where its script is typed so.
    ///
    /// Of a Thai or Devanagari letter with a vowel sign the session keeps the letter. It takes the whole character
    /// where a half makes no sense: emoji sequences, Hangul syllables, CR LF, and Latin, Greek and Cyrillic letters
    /// with their marks. A text field of another system may differ; ``replace(with:)`` follows any field.
    ///
    /// Loads nothing, so it cannot fail; without text nothing happens.
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
      // What nothing matches, nothing longer matches, as long as the fold only grew: a space before a comma, say,
      // is taken back by the comma.
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

    /// Moves to the generation that the index answers from now, and asks for the text anew.
    ///
    /// - Returns: Whether that is another one than before.
    /// - Throws: ``IndexError`` as typing does; then the session is what it was.
    @discardableResult
    public mutating func reload() throws(IndexError) -> Bool {
      let newest = index.newest
      guard newest !== generation else { return false }
      let before = (generation, text, states)
      (generation, text, states) = (newest, "", [State(size: 0, matches: Matches(newest, newest.allRecords))])
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
