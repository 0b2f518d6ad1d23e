/// The records of one window. They become a ``RecordBatch`` when the reader leaves the window.
///
/// A field's text is in the window, as the dataset has it, or in ``extra``, if it has resolved escapes. The place of
/// `extra` in the batch is known only at the end, so a list has those fields.
struct RecordSink: ~Copyable {
  var fields = RawVector<FieldSlice>(capacity: 1 << 8)
  var recordEnds = RawVector<UInt32>(capacity: 1 << 6)
  /// The beginning of each record, in bytes from ``origin``.
  var recordStarts = RawVector<UInt32>(capacity: 1 << 6)
  /// For each bad record after the first good record, the number of good records before it.
  private var badAfter = RawVector<UInt32>()
  var extra = RawVector<UInt8>(capacity: 1 << 6)
  private var inExtra = RawVector<Int>()
  /// The offset in the window of the batch's first byte.
  var origin = 0

  /// A state to restore if a record is incomplete or bad.
  struct Mark {
    fileprivate var fields, extra, inExtra: Int
  }

  var mark: Mark { Mark(fields: fields.count, extra: extra.count, inExtra: inExtra.count) }

  mutating func back(to mark: Mark) {
    (fields.count, extra.count, inExtra.count) = (mark.fields, mark.extra, mark.inExtra)
  }

  func fieldIndices(since mark: Mark) -> Range<Int> { mark.fields..<fields.count }

  /// Returns the fields' texts, as long as the sink has them.
  func texts(since mark: Mark, window: Bytes) -> [String] {
    let moved = unsafe Set(inExtra.buffer)
    return fieldIndices(since: mark).map { index in
      unsafe String(decoding: text(of: fields[index], isInExtra: moved.contains(index), window), as: UTF8.self)
    }
  }

  /// Returns whether field `index` of the record that began at `mark` has its text in ``extra``.
  func isInExtra(field index: Int, since mark: Mark) -> Bool {
    unsafe inExtra.buffer[mark.inExtra...].contains(index)
  }

  /// Returns the text of field `index`, of the record that began at `mark`.
  func text(ofField index: Int, since mark: Mark, window: Bytes) -> UnsafeBufferPointer<UInt8> {
    unsafe text(of: fields[index], isInExtra: isInExtra(field: index, since: mark), window)
  }

  private func text(of field: FieldSlice, isInExtra: Bool, _ window: Bytes) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe (isInExtra ? Bytes(extra.start) : window + origin) + Int(field.offset)
    return unsafe stretch(start, start + Int(field.length))
  }

  /// Moves field `index`, now `field`, to an earlier position among the fields of the record that began at `mark`.
  mutating func move(field index: Int, to position: Int, _ field: FieldSlice, since mark: Mark) {
    fields[position] = field
    guard position != index else { return }
    for number in mark.inExtra..<inExtra.count where inExtra[number] == index { inExtra[number] = position }
  }

  /// Notes that another field takes the position `index`, in the record that began at `mark`.
  mutating func drop(field index: Int, since mark: Mark) {
    for number in mark.inExtra..<inExtra.count where inExtra[number] == index { inExtra[number] = .max }
  }

  /// Drops the fields from `count` on of the record that began at `mark`.
  mutating func cut(to count: Int, since mark: Mark) {
    var kept = mark.inExtra
    for number in mark.inExtra..<inExtra.count where inExtra[number] < count {
      inExtra[kept] = inExtra[number]
      kept += 1
    }
    (fields.count, inExtra.count) = (count, kept)
  }

  /// Appends a field to the last record.
  mutating func append(_ field: FieldSlice, isInExtra: Bool) {
    if isInExtra { inExtra.append(fields.count) }
    fields.append(field)
  }

  /// Notes the end of the last record's fields, after a change of the fields.
  mutating func endRecord() { recordEnds[recordEnds.count - 1] = UInt32(truncatingIfNeeded: fields.count) }

  /// Adds a record that starts `offset` bytes into the window, and whose fields are all in the sink.
  @inline(__always) mutating func appendRecord(offset: Int) {
    recordEnds.append(UInt32(truncatingIfNeeded: fields.count))
    recordStarts.append(UInt32(truncatingIfNeeded: offset - origin))
  }

  /// Drops the last record.
  mutating func dropRecord(_ mark: Mark) {
    recordEnds.count -= 1
    recordStarts.count -= 1
    back(to: mark)
  }

  /// Notes that a record was left out here.
  mutating func skipRecord() {
    if recordEnds.count > 0 { badAfter.append(UInt32(recordEnds.count)) }
  }

  /// Appends a field whose text starts `offset` bytes into the window.
  @inline(__always) mutating func append(name: UInt32, kind: FieldKind, offset: Int, length: Int) {
    fields.append(
      FieldSlice(
        name: name, kind: kind, offset: UInt32(truncatingIfNeeded: offset - origin),
        length: UInt32(truncatingIfNeeded: length)))
  }

  /// Appends a field whose text is the end of ``extra``, from `extraStart` on.
  mutating func append(name: UInt32, kind: FieldKind, extraFrom extraStart: Int) {
    inExtra.append(fields.count)
    fields.append(
      FieldSlice(name: name, kind: kind, offset: UInt32(extraStart), length: UInt32(extra.count - extraStart))
    )
  }

  /// Makes the end of ``extra``, from `extraStart` on, the text of field `index`.
  mutating func moveToExtra(field index: Int, from extraStart: Int) {
    inExtra.append(index)
    fields[index].offset = UInt32(extraStart)
    fields[index].length = UInt32(extra.count - extraStart)
  }

  /// Moves all records to `batch`; the last of them ends `end` bytes into the window.
  mutating func moveRecords(from window: Bytes, upTo end: Int, to batch: inout RecordBatch) {
    let text = unsafe stretch(window + origin, window + end)
    for number in 0..<inExtra.count { fields[inExtra[number]].offset += UInt32(text.count) }
    // A second run would copy the first.
    if extra.count > 0 { batch.bytes.reserveCapacity(text.count + extra.count) }
    unsafe batch.bytes.append(contentsOf: text)
    batch.places.end = batch.bytes.count
    unsafe batch.bytes.append(contentsOf: extra.buffer)
    unsafe batch.fields.append(contentsOf: fields.buffer)
    unsafe batch.recordEnds.append(contentsOf: recordEnds.buffer)
    unsafe batch.places.starts.append(contentsOf: recordStarts.buffer)
    unsafe batch.places.badAfter.append(contentsOf: badAfter.buffer)
    removeAll()
  }

  mutating func removeAll() {
    (fields.count, extra.count, inExtra.count) = (0, 0, 0)
    (recordEnds.count, recordStarts.count, badAfter.count) = (0, 0, 0)
  }

  /// Frees the memory of a large record. The sink must be empty.
  mutating func release() {
    if extra.charge > 1 << 20 { extra = RawVector(capacity: 1 << 6) }
    if fields.charge > 1 << 20 { fields = RawVector(capacity: 1 << 8) }
  }

  /// The bytes of memory that the sink holds.
  var charge: Int {
    fields.charge + recordEnds.charge + recordStarts.charge + badAfter.charge + extra.charge + inExtra.charge
  }
}

/// The outcome of an attempt to read one record.
@safe enum RecordStep {
  /// A record; it ends before this byte.
  case record(end: Bytes)
  /// There is no record up to this byte, but a blank line.
  case nothing(end: Bytes)
  /// The window ends first.
  case incomplete
  /// A bad record, and its end; nil if the end is unknown.
  case bad(Fault, end: Bytes?)
}

/// A fault: its reason, and the byte of the fault.
@safe struct Fault {
  var at: Bytes
  var reason: String
  var remedy = Remedy.usual
}

/// The advice of a fault's message. The reader writes the words, because it knows the file.
enum Remedy {
  /// Leave the record out, or correct the file.
  case usual
  /// The reason has the advice.
  case said
  case blankBeforeQuote, quoteInside, backslashBeforeQuote, carriageReturn, encoding, escape
  /// The record has too many fields, so many, with an empty last field or not; or it has too few.
  case tooManyFields(Int, lastIsEmpty: Bool)
  case tooFewFields
  /// A column in the header has no name of its own.
  case columnNames
  /// An object has no array of records on the path.
  case recordsPath
  /// An object has so many members that each is a record.
  case entries
}
