import ShardBuilder
import ShardedIndex

/// A dataset's records, read by the builder's own reader. The benchmarks prepare the files of other contenders with it.
public final class DatasetRecords {
  private let reader: DatasetReader
  private var batch = RecordBatch()

  /// - Parameter path: A file of any format that `shardq build` recognises by its name and first bytes.
  public init(opening path: String) throws { reader = try DatasetReader(path: path) }

  /// The names of the fields in the records read so far, in the order of their appearance.
  public var fieldNames: [String] { reader.names.names }

  /// Replaces the current records by the next ones.
  ///
  /// - Returns: Whether there were any records left.
  public func readBatch() throws -> Bool { try reader.read(into: &batch) }

  /// Calls `body` with each current record: the texts of the fields `names` (nil if the record lacks the field), and
  /// the number of all fields of the record.
  public func forEachRecord(
    _ names: [String], _ body: (_ texts: [ArraySlice<UInt8>?], _ fieldCount: Int) throws -> Void
  ) rethrows {
    let known = fieldNames
    let numbers = names.map { name in known.firstIndex(of: name).map { UInt32($0) } }
    var texts = [ArraySlice<UInt8>?](repeating: nil, count: names.count)
    var start = 0
    for end in batch.recordEnds {
      let fields = batch.fields[start..<Int(end)]
      for (position, number) in numbers.enumerated() {
        texts[position] = fields.first { $0.name == number }.map { field in
          batch.bytes[Int(field.offset)..<Int(field.offset + field.length)]
        }
      }
      try body(texts, fields.count)
      start = Int(end)
    }
  }
}

/// The fold by which shardq compares texts: docs/matching.md.
public enum FoldedText {
  /// The byte that a comma and the white space around it fold to.
  public static let separator = Fold.separator

  /// Appends the fold of a text in UTF-8.
  public static func append(_ text: [UInt8], to folded: inout [UInt8]) {
    text.withUnsafeBufferPointer { Fold.fold($0, into: &folded) }
  }

  /// Returns the fold of a text.
  public static func of(_ text: String) -> [UInt8] { Fold.fold(text) }
}
