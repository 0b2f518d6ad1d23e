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
/// A session stays with the generation it began on, so that what it shows fits together; ``reload()`` moves it on.
public struct Session: Sendable {
  private struct State: Sendable {
    var text: String
    var matches: Matches
  }
  private let index: ShardedIndex
  private var generation: Generation
  /// One state per character, the first for no text.
  private var states: [State]

  init(_ index: ShardedIndex) {
    self.index = index
    generation = index.newest
    states = [State(text: "", matches: generation.allMatches)]
  }

  /// What has been typed.
  public var text: String { states[states.count - 1].text }
  /// The matches of ``text``.
  public var matches: Matches { states[states.count - 1].matches }

  /// Types `text` at the end, character by character; where that fails, nothing has been typed.
  public mutating func append(_ text: String) throws(IndexError) {
    let before = states
    // A combining mark joins the character before it: what was typed is cut into characters as a whole.
    let whole = self.text + text
    let kept = whole.commonPrefix(with: self.text).count
    states.removeLast(states.count - 1 - min(kept, states.count - 1))
    var typed = self.text
    for character in whole.dropFirst(typed.count) {
      typed.append(character)
      do throws(IndexError) {
        states.append(State(text: typed, matches: try narrowed(to: typed)))
      } catch {
        states = before
        throw error
      }
    }
  }

  /// Takes the last character back. Loads nothing, so it cannot fail; without text nothing happens.
  public mutating func removeLast() {
    if states.count > 1 { states.removeLast() }
  }

  /// Makes the text `text`, keeping what it has in common with the present one.
  public mutating func replace(with text: String) throws(IndexError) {
    let before = states
    let kept = text.commonPrefix(with: self.text).count
    states.removeLast(states.count - 1 - min(kept, states.count - 1))
    do throws(IndexError) {
      try append(String(text.dropFirst(self.text.count)))
    } catch {
      states = before
      throw error
    }
  }

  /// Moves to the generation that the index answers from now, and asks for the text anew.
  ///
  /// - Returns: Whether that is another one than before.
  /// - Throws: ``IndexError`` as typing does; then the session is what it was.
  @discardableResult
  public mutating func reload() throws(IndexError) -> Bool {
    let newest = index.newest
    guard newest !== generation else { return false }
    let (before, states) = (generation, states)
    generation = newest
    self.states = [State(text: "", matches: newest.allMatches)]
    do throws(IndexError) {
      try append(states[states.count - 1].text)
    } catch {
      (generation, self.states) = (before, states)
      throw error
    }
    return true
  }

  private func narrowed(to text: String) throws(IndexError) -> Matches {
    let last = states[states.count - 1]
    // What nothing matches, nothing longer matches, as long as the fold only grew: a space before a comma, say,
    // is taken back by the comma.
    if last.matches.isEmpty, Fold.fold(text).starts(with: Fold.fold(last.text)) {
      return last.matches
    }
    return try index.matches(forPrefix: text, in: generation)
  }
}

extension ShardedIndex {
  /// Follows one person's typing.
  public func session() -> Session { Session(self) }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> Substring {
    var end = startIndex
    for (mine, theirs) in zip(indices, other) {
      // Characters are equal when canonically equivalent; typed text is kept as it was typed.
      guard self[mine].utf8.elementsEqual(theirs.utf8) else { break }
      end = index(after: mine)
    }
    return self[..<end]
  }
}
