import ShardedIndex

/// Returns the fold of a text as a string, by which keys and queries are compared.
package func folded(_ text: String) -> String { String(decoding: Fold.fold(text), as: UTF8.self) }

/// A beginning of keys: the folded text, and whether the key has to end there.
package struct KeyBeginning {
  package let text: String
  package let isWhole: Bool

  package init(text: String, isWhole: Bool) { (self.text, self.isWhole) = (text, isWhole) }

  package func matches(_ folded: String) -> Bool {
    isWhole ? folded.utf8.elementsEqual(text.utf8) : folded.utf8.starts(with: text.utf8)
  }
}

/// Returns the beginnings that answer a typed text, in the order of their keys. No key has two of these beginnings.
///
/// A space at the end finishes a word, and the last other space also stands for the separator. Source:
/// docs/matching.md section 8.
package func beginnings(_ text: String) -> [KeyBeginning] {
  let folded = Fold.fold(text)
  guard folded.contains(Fold.space) else { return [KeyBeginning(text: Footprint.folded(text), isWhole: false)] }
  let isFinished = folded.count > 1 && folded.last == Fold.space
  let word = isFinished ? folded.dropLast() : folded[...]
  var readings = [Array(word)]
  if let last = word.lastIndex(of: Fold.space) {
    readings.insert(readings[0], at: 0)
    readings[0][last] = Fold.separator
  }
  return readings.flatMap { reading -> [KeyBeginning] in
    func beginning(_ end: [UInt8], isWhole: Bool = false) -> KeyBeginning {
      KeyBeginning(text: String(decoding: reading + end, as: UTF8.self), isWhole: isWhole)
    }
    guard isFinished else { return [beginning([])] }
    return [beginning([], isWhole: true), beginning([Fold.separator]), beginning([Fold.space])]
  }
}

/// A design that keeps the records of its last answer.
package protocol PagedDesign: Design {
  associatedtype Model: RecordModel
  var page: [Model] { get set }
  /// Counts the keys with a beginning, and adds records to ``page`` up to ``Replay/pageSize``.
  mutating func add(_ beginning: KeyBeginning) throws -> Int
}

extension PagedDesign {
  package mutating func answer(_ text: String) throws -> Int {
    page.removeAll(keepingCapacity: true)
    var count = 0
    for beginning in beginnings(text) { count += try add(beginning) }
    return count
  }

  /// The number of records that still fit on the page.
  package var room: Int { Replay.pageSize - page.count }

  package func addPage(to digest: inout AnswerDigest) { for record in page { record.add(to: &digest) } }
}
