import Answers
import CLibrary
import CShardq
import ShardedIndex

/// The writer of answers that C reads without parsing: sq_answer_head of shardq.h.
final class FlatAnswer {
  /// The last answer, which stays in place until the next answer.
  private(set) var block: Block?
  private(set) var size = 0

  private var buffer = RecordBuffer()
  private var records: [sq_record] = []
  private var values: [sq_value] = []
  private var texts: [UInt8] = []

  /// The largest answer whose memory stays for the next answer, in bytes.
  private static let usualSize = 64 << 10

  deinit { free(block) }

  func reset() {
    if size > Self.usualSize {
      free(block)
      block = nil
      (buffer, records, values, texts) = (RecordBuffer(), [], [], [])
    }
    size = 0
    records.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  /// Writes an answer.
  ///
  /// - Parameter facts: The facts of a search; nil for records that no search found.
  func write(
    _ source: some RecordSource, _ range: Range<Int>, _ facts: AnswerFacts?
  ) throws(AnswerWriter.AnswerError) {
    var decoded = 0
    try source.forEachRun(range, into: buffer, decoded: &decoded) { (_) throws(AnswerWriter.AnswerError) in
      for record in 0..<buffer.count { try append(record) }
    }
    finish(facts)
  }

  private func append(_ record: Int) throws(AnswerWriter.AnswerError) {
    let fields = buffer.rawFields(ofRecord: record)
    records.append(sq_record(first_value: UInt32(values.count), value_count: UInt32(fields.count)))
    for number in fields {
      let field = buffer.rawField(number)
      // The offsets count from the first text; at the end they count from the answer.
      values.append(
        sq_value(
          field: UInt32(field.name), kind: UInt32(field.kind.rawValue), text: UInt32(texts.count),
          size: UInt32(field.text.count)))
      texts.append(contentsOf: field.text)
      texts.append(0)
    }
    guard texts.count + values.count * MemoryLayout<sq_value>.stride <= AnswerWriter.sizeLimit else {
      throw .output(WriteError(errno: EFBIG))
    }
  }

  private func finish(_ facts: AnswerFacts?) {
    let recordsSize = records.count * MemoryLayout<sq_record>.stride
    let valuesSize = values.count * MemoryLayout<sq_value>.stride
    let headSize = MemoryLayout<sq_answer_head>.stride
    let start = headSize + recordsSize + valuesSize
    for number in values.indices { values[number].text += UInt32(start) }
    func append(_ text: String?) -> UInt32 {
      guard let text else { return 0 }
      defer {
        texts += text.utf8
        texts.append(0)
      }
      return UInt32(start + texts.count)
    }
    var head = sq_answer_head()
    (head.record_count, head.value_count) = (UInt32(records.count), UInt32(values.count))
    (head.total, head.total_is_exact, head.keys) = (Int64(records.count), 1, -1)
    if let facts {
      head.total = Int64(facts.total.number)
      head.total_is_exact = facts.total.isExact ? 1 : 0
      head.keys = Int64(facts.keys ?? -1)
      head.correction = append(facts.correction)
      head.interpretation = append(facts.interpretation?.text)
      let conditions = facts.interpretation?.conditions ?? []
      head.interpreted_filters = conditions.isEmpty ? 0 : append(conditions.joined(separator: "\n"))
      head.dropped = facts.dropped.isEmpty ? 0 : append(facts.dropped.joined(separator: " "))
      head.nearest = append(facts.nearest)
      head.cursor = append(facts.cursor)
      head.is_ranked = facts.isRanked ? 1 : 0
    }
    size = start + texts.count
    block = realloc(block, size)
    guard let block else { fatalError("out of memory") }
    memcpy(block, &head, headSize)
    memcpy(block + headSize, records, recordsSize)
    memcpy(block + headSize + recordsSize, values, valuesSize)
    memcpy(block + start, texts, texts.count)
  }
}
