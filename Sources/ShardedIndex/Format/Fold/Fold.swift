/// The rules by which texts are comparable: case, accents, width and the encoding of a letter do not matter.
///
/// The same queries find two keys with the same fold, and folded keys compare as bytes. The fold depends only on
/// ``FoldTable``, so that an index has the same answers on every platform.
///
/// Source: docs/matching.md, which has the rules and their reasons.
package enum Fold {
  /// The version in the manifest. A program reads only indexes of its own fold.
  package static let version: UInt32 = FoldTable.version
  /// The hash of the table's bytes.
  package static let tableHash: UInt64 = FoldTable.hash
  /// The byte that a comma and the white space around it fold to. It sorts before all other bytes: city first, then
  /// country.
  package static let separator: UInt8 = 0x01
  /// The byte that white space folds to.
  package static let space: UInt8 = 0x20

  /// Appends the fold of `text` to `output`.
  ///
  /// - Parameter text: UTF-8. Each maximal ill-formed part counts as U+FFFD.
  /// - Complexity: O(*n*) for any text of *n* bytes.
  package static func fold(_ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    guard !text.isEmpty else { return }
    // Most texts are short, and growing and shrinking an array would cost more than their fold.
    if text.count <= Folder.shortText, unsafe foldShort(text, into: &output) { return }
    let base = output.count
    var count = 0
    var state = Folder.State()
    var position = 0
    var room = text.count + Folder.slack
    repeat {
      output.append(contentsOf: repeatElement(0, count: room))
      unsafe output.withUnsafeMutableBufferPointer { buffer in
        var folder = unsafe Folder(FoldOutput(buffer.extracting(base...), count: count), state)
        unsafe folder.run(text, from: &position)
        if position == text.count { folder.endRun() }
        (count, state) = unsafe (folder.output.count, folder.state)
      }
      output.removeLast(output.count - base - count)
      // The rest may grow: a syllable of three bytes becomes three letters of nine bytes.
      room = Folder.slack + 3 * (text.count - position)
    } while position < text.count
  }

  /// Folds on the stack; returns false, and appends nothing, if the fold is too long.
  private static func foldShort(_ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: shortCapacity) { target in
      guard let size = unsafe foldShort(text, into: target) else { return false }
      unsafe output.append(contentsOf: target[..<size])
      return true
    }
  }

  /// The size in bytes of the target of ``foldShort(_:into:)``: small enough for the stack.
  package static let shortCapacity = 3 * Folder.shortText + Folder.slack

  /// Folds a short text without allocating.
  ///
  /// - Parameter target: The memory of the fold, ``shortCapacity`` bytes.
  /// - Returns: The size of the fold in bytes; nil if the text or its fold is too long.
  package static func foldShort(
    _ text: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard !text.isEmpty else { return 0 }
    guard text.count <= Folder.shortText, target.count >= shortCapacity else { return nil }
    var folder = unsafe Folder(FoldOutput(target))
    var position = 0
    unsafe folder.run(text, from: &position)
    guard position == text.count else { return nil }
    folder.endRun()
    return unsafe folder.output.count
  }

  /// Returns the fold of `text`, in an array of its own.
  package static func fold(_ text: some StringProtocol) -> [UInt8] {
    var output: [UInt8] = []
    var text = String(text)
    text.withUTF8 { unsafe fold($0, into: &output) }
    return output
  }

  /// Folds ASCII without allocating: most queries are ASCII.
  ///
  /// - Parameter target: The memory of the fold. Bytes behind the fold, up to the end of the buffer, may change too.
  /// - Returns: The size of the fold in bytes; nil if `text` is not all ASCII or is longer than `target`. Then
  ///   ``fold(_:into:)`` folds it.
  package static func foldASCII(
    _ text: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard !text.isEmpty else { return 0 }
    guard text.count <= target.count else { return nil }
    var output = unsafe FoldOutput(target)
    return unsafe output.appendASCIIPrefix(of: text) == text.count ? output.count : nil
  }
}
