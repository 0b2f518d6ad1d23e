/// The records of a program, each as one line of JSON. Memory holds one record.
final class RecordText {
  /// Appends the next record to the text, and returns true; returns false after the last record.
  private let appendNext: (inout [UInt8]) throws -> Bool
  private var text: [UInt8] = []
  private var offset = 0
  private var count = 0
  private var isOver = false
  /// The error of the record that could not be encoded. The records end before it.
  private(set) var failure: DatasetError?

  init<Records: Sequence>(_ records: Records) where Records.Element: Encodable {
    var iterator = records.makeIterator()
    appendNext = { text in
      guard let record = iterator.next() else { return false }
      try JSONRecordText.append(record, to: &text)
      text.append(0x0A)
      return true
    }
  }

  /// Appends at least one and at most `limit` bytes to `target`, and returns their number; 0 at the end.
  func read(appendingTo target: inout RawVector<UInt8>, upTo limit: Int) -> Int {
    while offset == text.count, !isOver {
      text.removeAll(keepingCapacity: true)
      offset = 0
      count += 1
      do {
        isOver = try !appendNext(&text)
      } catch {
        (isOver, failure) = (true, .bad(bad(error)))
        text.removeAll()
      }
    }
    let size = min(limit, text.count - offset)
    target.reserve(size)
    unsafe text.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { unsafe target.append(start + offset, size) }
    }
    offset += size
    return size
  }

  private func bad(_ error: any Error) -> DatasetReader.BadRecord {
    var reason = String(describing: error)
    if case EncodingError.invalidValue(_, let context) = error {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      reason = (path.isEmpty ? "" : quoted(path) + ": ") + context.debugDescription
    }
    return DatasetReader.BadRecord(
      path: recordsPath, line: count, column: 1, record: count, reason: "cannot be encoded: " + reason)
  }
}
