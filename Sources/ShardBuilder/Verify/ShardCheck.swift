import ShardedIndex

/// The check of one shard without its neighbours: first its bytes, then its records.
struct ShardCheck {
  struct CheckedShard: Sendable {
    var shard: Manifest.Shard
    /// The fault of the shard; nil if there is none.
    var reason: String?
    /// The error of the read; nil if the shard could be read.
    var failure: IndexError?
    /// The first key; nil if no key could be read.
    var firstKey: [UInt8]?
    /// The greatest key.
    var lastKey: [UInt8] = []
    /// The sums of records by the shard in which their keys begin, in order.
    var sums: [(shard: Int, sum: RecordSum)] = []
    /// The greatest id of this shard, as ``Overlay/greatestID`` defines it.
    var greatestID: UInt64 = 0
    /// The greatest weight of each part, if the index has ranks.
    var greatestWeights: [UInt64] = []
    /// The shard's share of its page's side file, if the index has sides.
    var sides: ShardSides?
    /// The columns of the shard's numbers, if the index has numbers.
    var numbers: [[UInt64]]?
  }

  private let schema: Schema
  private let generation: ManifestReader
  private let idField: Int?
  private let weightField: WeightField?
  private let isCompared: Bool
  private var sideReader: SideFields.Reader?
  private var numberReader: NumberFields.Reader?
  private let buffer = RecordBuffer()
  private var result: CheckedShard
  /// The number of records of the checked parts, and of the current part.
  private var recordCount = 0
  private var before = KeysBefore()
  /// The records of the part in the buffer.
  private var decoded = 0..<0
  /// The shard in which the last key begins; -1 before the first key.
  private var origin = -1
  private var key: [UInt8] = []
  private var folded: [UInt8] = []
  private var bytes: [UInt8] = []

  static func check(
    _ shard: Manifest.Shard, of index: ShardedIndex, idField: Int?, weightField: WeightField?,
    sideFields: SideFields?, numberFields: NumberFields?, isCompared: Bool
  ) -> CheckedShard {
    var check = ShardCheck(
      shard, of: index, idField: idField, weightField: weightField, sideFields: sideFields, isCompared: isCompared)
    check.numberReader = numberFields.map { NumberFields.Reader($0) }
    do throws(IndexError) {
      do throws(ShardFile.FileFault) {
        try ShardFile(shard, of: index).check(in: index.directory)
      } catch {
        switch error {
        case .damaged(let reason): check.result.reason = reason
        case .unread(let error): check.result.failure = error
        }
        return check.result
      }
      _ = try index.generation.readWhole(shard) { check.check($0) }
      check.finish()
    } catch {
      check.finish()
      switch ShardFile.FileFault(error) {
      case .damaged(let reason): check.result.reason = reason
      case .unread(let error): check.result.failure = error
      }
    }
    return check.result
  }

  private init(
    _ shard: Manifest.Shard, of index: ShardedIndex, idField: Int?, weightField: WeightField?,
    sideFields: SideFields?, isCompared: Bool
  ) {
    (schema, generation) = (index.generation.schema, index.generation.manifest)
    (self.idField, self.weightField, self.isCompared) = (idField, weightField, isCompared)
    sideReader = sideFields.map { SideFields.Reader($0) }
    result = CheckedShard(shard: shard)
  }

  private mutating func finish() {
    result.lastKey = before.key
    result.sides = sideReader?.finish()
    result.numbers = numberReader?.finish()
    guard result.reason == nil, recordCount != result.shard.recordCount else { return }
    result.reason = "has \(recordCount) records, and the manifest says \(result.shard.recordCount)"
  }

  private mutating func check(_ part: PartContent) {
    guard result.reason == nil else { return }
    result.reason = structuralFault(of: part)
    guard result.reason == nil else { return }
    recordCount += part.count
    sideReader?.add(part)
    numberReader?.add(part)
    decoded = 0..<0
    if weightField != nil { result.greatestWeights.append(0) }
    unsafe part.forEachKey { record, stored in
      guard result.reason == nil, let fault = unsafe fault(of: record, stored.span, in: part) else { return }
      result.reason = "record \(part.firstRecord + record) " + fault
    }
  }

  /// Returns the fault of a part's structure; nil if there is none.
  private func structuralFault(of part: PartContent) -> String? {
    guard part.firstRecord == recordCount else {
      return "part \(part.number) begins at record \(part.firstRecord), not \(recordCount)"
    }
    if part.number == 0, !part.hasOrderedSuffixFields { return "its suffix fields do not ascend" }
    if let record = part.firstWrongShared {
      return "record \(recordCount + record) has a wrong number of bytes shared with the record before"
    }
    if let block = part.firstMisplacedRows {
      return "part \(part.number): the size of the numbers in block \(block) is wrong"
    }
    return nil
  }

  /// Returns the fault of a record; a record without a fault is added to the sums, and nil is returned.
  private mutating func fault(of record: Int, _ stored: Span<UInt8>, in part: PartContent) -> String? {
    let order = compareBytes(before.key.span, stored)
    if order > 0 { return "has a key below the previous key" }
    if record == 0, let fault = faultOfFirst(stored, order: order, in: part) { return fault }
    before.isAdjacent = true
    if order != 0 { before.key.replace(with: stored) }
    if !decoded.contains(record) {
      decoded = record..<min(record + part.recordsAtOnce, part.count)
      part.decode(decoded, into: buffer)
      if buffer.isOverlong { return "or a later record has over \(FieldColumns.recordLimit) bytes" }
    }
    let fields = buffer.rawFields(ofRecord: record - decoded.lowerBound)
    if let idField, let id = fields.first(where: { Int(buffer.rawName(ofField: $0)) == idField }),
      let number = unsafe Overlay.wholeNumber(buffer.rawField(id).text)
    {
      result.greatestID = max(result.greatestID, number)
    }
    if let weight = weightField?.weight(of: fields, in: buffer) {
      let part = result.greatestWeights.count - 1
      result.greatestWeights[part] = max(result.greatestWeights[part], weight)
    }
    if schema.isKeyStored {
      schema.composeKey(of: fields, in: buffer, into: &key)
      folded.removeAll(keepingCapacity: true)
      unsafe key.withUnsafeBufferPointer { unsafe Fold.fold($0, into: &folded) }
      if compareBytes(folded.span, stored) != 0 { return "is stored under a key that is not the fold of its own" }
    }
    if isCompared { subtract(fields, under: stored, isNewKey: order != 0) }
    return nil
  }

  /// Returns the fault of the first record of a part; nil if there is none.
  private mutating func faultOfFirst(_ stored: Span<UInt8>, order: Int, in part: PartContent) -> String? {
    if part.number > 0 {
      return unsafe before.fault(
        first: stored, order: order, bound: part.bound.span, isContinuation: part.isContinuation, "its part's")
    }
    // The bound of a shard's first part is empty: the previous key is another shard's, and is compared later.
    let shard = result.shard
    result.firstKey = Array(copying: stored)
    let label = unsafe stored.withUnsafeBufferPointer { unsafe Manifest.label(ofKey: $0) }
    guard unsafe shard.fileName == Manifest.fileName(label: label, digest: Array(shard.digest)) else {
      return "is the first, and the file is not named by its key"
    }
    return nil
  }

  private mutating func subtract(_ fields: Range<Int>, under stored: Span<UInt8>, isNewKey: Bool) {
    RecordSum.serialize(stored, fields, of: buffer, schema, into: &bytes)
    if origin < 0 || isNewKey { origin = Verifier.shard(of: stored, in: generation) }
    if result.sums.last?.shard != origin { result.sums.append((origin, RecordSum())) }
    result.sums[result.sums.count - 1].sum.subtract(bytes)
  }
}

extension Schema {
  /// Makes the key of the record with these fields of a buffer.
  ///
  /// A template may name one long field many times: the key ends after the field that makes it longer than any key.
  func composeKey(of fields: Range<Int>, in buffer: RecordBuffer, into key: inout [UInt8]) {
    key.removeAll(keepingCapacity: true)
    for part in template.parts where key.count <= FieldColumns.recordLimit {
      switch part {
      case .text(let text): key.append(contentsOf: text.utf8)
      case .field(let name):
        if let field = fields.first(where: { Int(buffer.rawName(ofField: $0)) == name }) {
          unsafe key.append(contentsOf: buffer.rawField(field).keyText)
        }
      }
    }
  }
}
