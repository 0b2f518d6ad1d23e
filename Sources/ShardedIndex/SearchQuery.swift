extension ShardedIndex {
  /// A ranked query: a text, and how long the index may search for it.
  public struct SearchQuery: Sendable {
    /// The text, as a person typed it.
    public var text: String
    /// What the search may open before it stops early; nil for no limit.
    public var budget: SearchBudget?

    /// - Parameters:
    ///   - text: The text, as a person typed it. An empty one matches every record.
    ///   - budget: What the search may open before it stops early; nil for no limit.
    public init(_ text: String, budget: SearchBudget? = nil) {
      self.text = text
      self.budget = budget
    }
  }

  /// A limit on the work of one ranked query.
  @nonexhaustive
  public enum SearchBudget: Sendable {
    /// The number of shards that the search may open.
    case shards(Int)
    /// The number of parts of shards that the search may open.
    case parts(Int)
    /// A condition that ends the search, by a clock of the caller's: the search asks before it opens a container.
    case until(@Sendable () -> Bool)
  }
}
