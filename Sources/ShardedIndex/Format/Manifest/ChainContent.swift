/// The content of a frame in a chain, or in a file that a chain lists.
protocol ChainContent: Sendable {
  /// The memory of the content, in bytes.
  var size: Int { get }
}
