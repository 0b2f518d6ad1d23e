import ShardedIndex

/// A query as it was asked for on a command line.
package struct QueryRequest: Equatable, Sendable {
  package var prefix: String { prefixText.text }
  var prefixText: ArgumentText
  /// The index's directory; nil for the one of the environment or the default.
  package var index: String? {
    get { isIndexSaid ? indexText.text : nil }
    set { (isIndexSaid, indexText) = (newValue != nil, ArgumentText(newValue ?? "")) }
  }
  // In two, because copying an optional text out of this makes up its type at run time.
  var isIndexSaid = false
  var indexText = ArgumentText("")
  /// The SHA-256 that the manifest must have; nil for any.
  package var expectedDigest: ManifestDigest?
  /// The most records to print; nil when not said.
  package var limit: Int?
  /// Matches to pass over.
  package var offset = 0
  package var all = false
  /// The number of matches and nothing else.
  package var countOnly = false
  /// nil when not said: text on a terminal, tsv elsewhere.
  package var format: OutputFormat?

  /// Paths of the fields to print, in tsv or csv; all if there are none.
  package var fields: [String] = []
  /// Whether records end with a zero byte instead of a line end, in tsv.
  package var endsWithZero = false
  /// The command that the only word is nearly spelt as, by its number in ``FrontParser/commandNames``; -1 for none.
  package var nearCommand = -1

  /// Whether each line of standard input is a prefix; then there is no other.
  package var readsLines = false

  package static let defaultLimit = 20
  static let defaultIndex: StaticString = "shards"

  package init(prefix: String) { prefixText = ArgumentText(prefix) }
}

/// A text of a command line: one of its own, or an argument where it stands.
///
/// Of an argument in ASCII no `String` is made before somebody wants one: what makes it lies in three places of the
/// standard library, far from all else that a query runs, and a start would map 64 KiB of the program around each. Safe,
/// because whoever makes one of an argument promises that it stays.
@safe struct ArgumentText: Equatable, @unchecked Sendable {
  /// Zero-terminated and in ASCII, where it stands; nil for a text of its own.
  let argument: UnsafePointer<CChar>?
  private let own: String

  init(_ text: String) { unsafe (argument, own) = (nil, text) }

  /// nil if the bytes are no UTF-8.
  ///
  /// - Parameter argument: Zero-terminated; stays where it is and as it is for as long as this value, and what is copied
  ///   of it, is used.
  init?(_ argument: UnsafePointer<CChar>) {
    var end = unsafe argument
    // Signed on some processors, unsigned on others.
    while unsafe 1..<0x80 ~= UInt8(truncatingIfNeeded: end.pointee) { unsafe end += 1 }
    if unsafe end.pointee == 0 {
      unsafe (self.argument, own) = (argument, "")
    } else {
      guard let text = unsafe String(validatingCString: argument) else { return nil }
      unsafe (self.argument, own) = (nil, text)
    }
  }

  var text: String { if let argument = unsafe argument { unsafe String(cString: argument) } else { own } }

  static func == (one: ArgumentText, other: ArgumentText) -> Bool { one.text == other.text }
}
