/// One change of a search box, as a query log has it: a line `MILLISECONDS<TAB>TEXT`.
public struct Keystroke: Sendable, Equatable {
  /// The pause before this change.
  public var pauseMilliseconds: Int
  /// The whole text in the box after the key.
  public var text: String

  public init(pauseMilliseconds: Int, text: String) {
    (self.pauseMilliseconds, self.text) = (pauseMilliseconds, text)
  }

  /// Whether this change cleared the box, which begins another session.
  public var beginsSession: Bool { text.isEmpty }

  /// The line of a log, with its line feed.
  public var line: String { "\(pauseMilliseconds)\t\(text)\n" }
}
