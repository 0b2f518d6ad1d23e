/// The reason why work in a store failed.
package struct StoreError: Error, Equatable, Sendable {
  /// The kind of the failure, which decides the exit status of a command.
  package enum Kind: Sendable {
    /// The store does not answer, or refuses.
    case inputOutput
    /// An object has other content than its name or its generation says.
    case badData
    /// An object that a generation names is gone.
    case gone
    /// The prefix has no index.
    case notFound
    /// Another publication came first, or another program removed an object that this one was about to read.
    case busy
    /// The request is wrong.
    case usage
    /// The store has no create-if-absent.
    case noConditions
  }

  package let kind: Kind
  /// The message: the fault, its place and the remedy.
  package let message: String

  package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}
