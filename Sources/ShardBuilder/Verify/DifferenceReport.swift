import ShardedIndex

/// The report of the differences between the records of a dataset and of some shards of an index.
///
/// The report first counts all records by their digests: the records of the index, then those of the dataset. Then it
/// reads both again. It lists the first different records of each side, together if they have one key, and counts all
/// of them by the fields that differ.
struct DifferenceReport {
  private let records: ExaminedRecords
  private let report: (Verifier.Finding) -> Void

  /// The surplus of each record in the dataset over the index, by the record's digest; never 0.
  private var counts: [[UInt8]: Int] = [:]
  private var bytes: [UInt8] = []
  private var differences = RecordDifferences()
  private var missing = 0
  private var unexpected = 0
  private var listed = 0
  /// The number of listed records of the index without a near record of the dataset.
  private var alone = 0
  /// The records of the dataset to list, each with its number among the differences.
  private var lines: [(number: Int?, text: String, count: Int)] = []
  /// The size of the lines, in bytes.
  private var held = 0

  /// The size in bytes of the lines above which the report writes them; the last line may exceed it.
  private static let heldLimit = 4 << 20

  init(
    of index: ShardedIndex, _ shards: [Manifest.Shard], examined: Set<Int>,
    _ report: @escaping (Verifier.Finding) -> Void
  ) {
    records = ExaminedRecords(index: index, shards: shards, examined: examined)
    self.report = report
  }

  /// The number of different records.
  var count: Int { missing + unexpected }
  /// The number of different records that no finding names.
  var unlisted: Int { count - listed }

  var causes: [Verifier.Summary.Cause] {
    differences.causes.map { Verifier.Summary.Cause(text: $0.key, records: $0.value) }.sorted {
      ($1.records, $0.text) < ($0.records, $1.text)
    }
  }

  private var hasRoom: Bool { lines.count < Verifier.reportLimit && held < Self.heldLimit }

  private mutating func note(_ change: Int) {
    let digest = Digest.sha256(bytes)
    let count = (counts[digest] ?? 0) + change
    counts[digest] = count == 0 ? nil : count
  }

  mutating func countIndexed() {
    let records = records
    let schema = records.index.generation.schema
    records.forEach { key, buffer in
      RecordSum.serialize(key, buffer.rawFields(ofRecord: 0), of: buffer, schema, into: &bytes)
      note(-1)
    }
  }

  /// Counts a record of the dataset.
  mutating func count(_ record: RecordBlob, _ names: [String]) {
    guard unsafe records.has(record.folded.span) else { return }
    RecordSum.serialize(record, names, into: &bytes)
    note(1)
  }

  /// Adds a record of the dataset to the list if the index lacks it.
  mutating func listIfMissing(_ record: RecordBlob, _ names: [String]) {
    guard unsafe records.has(record.folded.span) else { return }
    RecordSum.serialize(record, names, into: &bytes)
    let digest = Digest.sha256(bytes)
    guard let count = counts[digest], count > 0 else { return }
    counts[digest] = nil
    missing += count
    var texts = record.textsOffset
    var line = RecordLine()
    var fields: [RecordDifferences.ComparedField] = []
    for field in 0..<record.fieldCount {
      let name = names[Int(record.fieldName(field))]
      let (kind, text) = unsafe (record.fieldKind(field), record.text(field, &texts))
      unsafe fields.append(differences.field(name, kind, text.span))
      if hasRoom { unsafe line.add(name, kind, text) }
    }
    let number = unsafe differences.add(record.folded.span, fields)
    guard hasRoom else { return }
    lines.append((number, line.finish(), count))
    held += lines[lines.count - 1].text.utf8.count
  }

  /// Lists the records of the index that the dataset lacks, each after the nearest record of the dataset.
  mutating func listUnexpected() {
    let records = records
    let schema = records.index.generation.schema
    records.forEach { key, buffer in
      RecordSum.serialize(key, buffer.rawFields(ofRecord: 0), of: buffer, schema, into: &bytes)
      let digest = Digest.sha256(bytes)
      guard let count = counts[digest], count < 0 else { return }
      counts[digest] = nil
      unexpected -= count
      list(key, buffer, schema, count: -count)
    }
  }

  private mutating func list(_ key: Span<UInt8>, _ buffer: RecordBuffer, _ schema: Schema, count: Int) {
    var line = RecordLine()
    var fields: [RecordDifferences.ComparedField] = []
    for slot in buffer.rawFields(ofRecord: 0) {
      let field = buffer.rawField(slot)
      unsafe fields.append(differences.field(schema.names[field.name], FieldKind(field.kind), field.text.span))
      if listed < 2 * Verifier.reportLimit {
        unsafe line.add(schema.names[field.name], FieldKind(field.kind), field.text)
      }
    }
    let pair = differences.pair(key, fields)
    if let at = pair.flatMap({ pair in lines.firstIndex { $0.number == pair } }) {
      report(.missing(record: lines[at].text, count: lines[at].count))
      listed += lines.remove(at: at).count
    } else {
      // The other record of the pair is not in the list, or there is none.
      guard pair == nil, alone < Verifier.reportLimit else { return }
      alone += 1
    }
    report(.unexpected(record: line.finish(), count: count))
    listed += count
  }

  /// Reports the records of the dataset without a near record of the index.
  mutating func finish() {
    for line in lines {
      report(.missing(record: line.text, count: line.count))
      listed += line.count
    }
  }
}

/// The records of an index whose keys begin in an examined shard.
private struct ExaminedRecords {
  let index: ShardedIndex
  let shards: [Manifest.Shard]
  /// The numbers of the examined shards.
  let examined: Set<Int>

  func has(_ key: Span<UInt8>) -> Bool { examined.contains(Verifier.shard(of: key, in: index.generation.manifest)) }

  /// Calls `body` with the key of each record and with the record, which is alone in the buffer.
  func forEach(_ body: (Span<UInt8>, RecordBuffer) -> Void) {
    if index.generation.overlay != nil {
      guard let all = try? index.matches(forPrefix: "") else { return }
      return Verifier.forEachRecord(of: all, in: 0..<all.count) { key, buffer in
        if has(key) { body(key, buffer) }
      }
    }
    let buffer = RecordBuffer()
    // Records of equal keys belong to the shard in which the key begins, so the check reads the next shards as well.
    for shard in shards {
      guard examined.contains(shard.number) || examined.contains(shard.number - 1) || shard.file.isContinuation
      else { continue }
      _ = try? index.generation.readWhole(shard) { part in
        unsafe part.forEachKey { record, key in
          guard unsafe has(key.span) else { return }
          part.decode(record..<record + 1, into: buffer)
          unsafe body(key.span, buffer)
        }
      }
    }
  }
}
