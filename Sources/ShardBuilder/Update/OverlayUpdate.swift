import CSystem
import ShardedIndex

/// An update with ``BuildOptions/writesOverlay`` of a few records, in the executable that answers queries: without the
/// start of a larger one, without all that an update may come upon, and without a look at the whole manifest.
///
/// It does what ``ShardBuilder/update(_:upsert:delete:options:progress:)`` does, to the byte, or nothing.
package enum OverlayUpdate {
  package struct Summary: Sendable {
    package var upserted = 0
    package var removed = 0
    package var recordCount = 0
    package var shardCount = 0
    package var overlayBytes = 0
    package var isUnchanged = false
  }

  package enum Outcome: Sendable {
    case done(Summary)
    /// Nothing was changed, nor has anything failed: what is in the way, the other one knows or says.
    case left
    case failed(BuildError)
  }

  /// No larger file is read, in bytes, nor more records.
  private static let inputLimit = 16 << 10
  private static let recordLimit = 16

  /// - Parameters:
  ///   - directory: The index.
  ///   - input: A file of JSON, by its name an array (`.json`) or lines (`.jsonl`).
  package static func run(_ directory: String, upsert input: String) -> Outcome {
    do throws(BuildError) {
      guard let (batch, own) = records(in: input) else { return .left }
      // Nothing is created where no index is.
      guard access(directory + "/" + Publisher.manifestName, F_OK) == 0 else { return .left }
      let publisher = try Publisher(directory: directory, isForOverlay: true)
      let index = try BuildError.ofIndex { () throws(IndexError) in
        try ShardedIndex(publisher.openDirectory(), options: Options())
      }
      guard let (draft, summary) = try changed(index, batch, own) else { return .left }
      var done = summary
      let published = try publisher.publish(overlay: draft.encoded(), isOverStale: index.overlay == nil)
      done.isUnchanged = !published.isChanged
      done.overlayBytes = published.fileSize
      return .done(done)
    } catch {
      // Not tried again: what failed may be what must not be.
      return .failed(error)
    }
  }

  /// An index's overlay with some records more; nil where that takes another look than this one has.
  private static func changed(
    _ index: ShardedIndex, _ records: RecordBatch, _ own: [String]
  ) throws(BuildError) -> (OverlayDraft, Summary)? {
    let settings = IndexSettings(of: index.generation)
    let head = try BuildError.ofIndex { () throws(IndexError) in try index.generation.notesHead() }
    // Each id is there once at most, so that one that is found is all there is.
    guard let id = settings.id, index.storesKeys, let head, let notes = try? BuildNotesHead(head),
      notes.isOfThisEncoder, notes.repeatedIDs == 0
    else { return nil }
    var names = FieldNames()
    for name in index.fieldNames { _ = names.number(of: name) }
    let known = names.names.count
    guard known == index.fieldNames.count else { return nil }
    var records = records
    let numbers = own.map { names.number(of: $0) }
    for field in records.fields.indices { records.fields[field].name = numbers[Int(records.fields[field].name)] }
    let idNumber = names.number(of: id)

    guard let template = try? KeyTemplate(settings.key) else { return nil }
    var encoder = RecordEncoder(template: template, keep: settings.keep, id: id)
    let chunk = RecordArena(capacity: 4096)
    defer { withExtendedLifetime(chunk) {} }
    guard encoder.encode(records, names: names, into: chunk).isEmpty else { return nil }
    for record in 0..<chunk.count {
      let blob = chunk.record(record)
      for field in 0..<blob.fieldCount where blob.fieldName(field) >= known { return nil }
      for other in 0..<record where isSame(blob, chunk.record(other), idNumber) { return nil }
    }

    var draft = OverlayDraft(index, template: template, names: names)
    var isReplaced = [Bool](repeating: false, count: chunk.count)
    var summary = Summary(upserted: chunk.count, shardCount: index.shardCount)
    let overlay = index.overlay
    guard chunk.size + 16 * chunk.count + (overlay?.size ?? 0) <= OverlayDraft.usualLimit else { return nil }
    if let overlay {
      try draft.take(overlay, field: idNumber) { text in
        for number in 0..<chunk.count
        where chunk.record(number).id(ofField: idNumber).map({ equalBytes($0, text) }) == true {
          isReplaced[number] = true
          return true
        }
        return false
      }
    }
    summary.removed = chunk.count
    for number in 0..<chunk.count where !isReplaced[number] {
      let record = chunk.record(number)
      guard let text = record.id(ofField: idNumber) else { return nil }
      if draft.isNew(text) {
        summary.removed -= 1
        continue
      }
      guard let place = try draft.place(ofKey: record.folded, field: idNumber, text: text, limit: 64) else {
        return nil
      }
      try draft.remove(place)
    }
    for number in 0..<chunk.count { try draft.add(chunk.record(number)) }
    summary.recordCount = index.recordCount + chunk.count - summary.removed
    return (draft, summary)
  }

  private static func isSame(_ a: RecordBlob, _ b: RecordBlob, _ field: UInt32) -> Bool {
    guard let text = a.id(ofField: field), let other = b.id(ofField: field) else { return false }
    return equalBytes(text, other)
  }

  /// The records of a file and the names of their fields; nil where it is not just these.
  private static func records(in path: String) -> (RecordBatch, [String])? {
    let isLines = path.hasSuffix(".jsonl")
    guard isLines || path.hasSuffix(".json") else { return nil }
    let file = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= inputLimit else {
      return nil
    }
    let size = Int(status.st_size)
    // What follows the file's bytes tells the reader of their end.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 64, alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let content = UnsafeMutableRawBufferPointer(rebasing: memory[..<size])
    guard size > 0, let count = try? SystemFile.read(content, at: 0, from: file, path: path), count == size else {
      return nil
    }
    let start = UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
    let end = start + size
    var json = JSONRecords(isLines: isLines)
    var sink = RecordSink()
    defer {
      json.deallocate()
      sink.deallocate()
    }
    var at = json.skip(start)
    if !isLines {
      guard at < end, at.pointee == UInt8(ascii: "[") else { return nil }
      at = json.skip(at + 1)
    }
    while true {
      guard sink.recordEnds.count < recordLimit,
        case .record(let next) = json.read(at: at, window: start, end: end, isLast: true, into: &sink)
      else { return nil }
      at = json.skip(next)
      if isLines {
        if at >= end { break }
      } else if at < end, at.pointee == UInt8(ascii: ",") {
        at = json.skip(at + 1)
      } else {
        guard at < end, at.pointee == UInt8(ascii: "]"), json.skip(at + 1) >= end else { return nil }
        break
      }
    }
    var batch = RecordBatch()
    sink.deliver(text: UnsafeBufferPointer(start: start, count: size), to: &batch)
    return (batch, json.names.names)
  }
}
