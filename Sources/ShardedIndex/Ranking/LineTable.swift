/// Lines of columns with tabs between, sorted by their first columns, from a setting of the manifest. Source:
/// docs/format.md section 3.6.
struct LineTable: Sendable {
  private let lines: [ArraySlice<UInt8>]

  /// - Parameter setting: The value of the setting; nil for no lines.
  init(_ setting: String?) {
    lines = setting.map { Array($0.utf8).split(separator: UInt8(ascii: "\n")) } ?? []
  }

  /// Returns the columns behind the first one, of each line whose first column is a text.
  ///
  /// - Parameter isBegun: Whether the first column begins with the text instead, and is longer.
  /// - Complexity: O(log *n*): *n* lines.
  func rows(_ text: [UInt8], isBegun: Bool = false) -> some Sequence<[String]> {
    let first = partitionPoint(lines.count) { Self.name(lines[$0]).lexicographicallyPrecedes(text) }
    return lines[first...].lazy.prefix { Self.name($0).starts(with: text) }
      .filter { (Self.name($0).count > text.count) == isBegun }
      .map { line in
        line.split(separator: Self.tab, omittingEmptySubsequences: false).dropFirst()
          .map { String(decoding: $0, as: UTF8.self) }
      }
  }

  private static let tab = UInt8(ascii: "\t")

  private static func name(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.prefix { $0 != tab }
  }
}
