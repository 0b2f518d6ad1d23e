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
    /// Another publication came first, or another program removed an object that this one was about to read.
    case busy
    /// The request cannot be made so.
    case usage
    /// The store has no create-if-absent.
    case noConditions
  }

  package let kind: Kind
  /// The message: the fault, its place and an advice.
  package let message: String

  package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}
