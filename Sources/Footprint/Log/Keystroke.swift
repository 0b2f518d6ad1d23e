/// One change of a search box, as a query log has it: a line `MILLISECONDS<TAB>TEXT`.
public struct Keystroke: Sendable, Equatable {
  /// Between the change before and this one.
  public var pauseMilliseconds: Int
  /// All that the box holds after the key.
  public var text: String

  public init(pauseMilliseconds: Int, text: String) {
    (self.pauseMilliseconds, self.text) = (pauseMilliseconds, text)
  }

  /// Whether the box was cleared: somebody begins to look for something else.
  public var beginsSession: Bool { text.isEmpty }

  /// The line of a log, with its end.
  public var line: String { "\(pauseMilliseconds)\t\(text)\n" }
}
