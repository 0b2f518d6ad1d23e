/// Why something in a store was not done.
package struct StoreError: Error, Equatable, Sendable {
  /// What a command ends with.
  package enum Kind: Sendable {
    /// The store cannot be asked, or refuses.
    case inputOutput
    /// The store has something else than what belongs there.
    case badData
    /// An object is gone that a generation names.
    case gone
    /// There is no index.
    case notFound
    /// Another publication came first, or took away what was to be read.
    case busy
    /// The request cannot be made so.
    case usage
    /// The store has no create-if-absent.
    case noConditions
  }

  package let kind: Kind
  /// What is wrong, where, and what to do.
  package let message: String

  package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}
