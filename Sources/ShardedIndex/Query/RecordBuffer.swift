import CLibrary

/// A buffer of decoded records: one run of bytes, which the next records reuse.
///
/// One buffer serves one reader at a time. Numbers become texts at the first use of their text.
@safe public final class RecordBuffer {
  /// In memory of its own, since each use of a class's stored property is checked for exclusive access.
  package let output: UnsafeMutablePointer<RecordOutput>

  /// Makes an empty buffer. It grows with its records, and does not shrink.
  public init() {
    unsafe output = .allocate(capacity: 1)
    unsafe output.initialize(to: RecordOutput())
  }

  deinit {
    unsafe output.pointee.deallocate()
    unsafe output.deallocate()
  }

  /// The number of records in the buffer.
  public var count: Int { unsafe output.pointee.recordCount }

  @inline(__always) func removeAll() { unsafe output.pointee.removeAll() }

  /// Decodes some records of a part, behind the present records.
  ///
  /// - Parameter range: The records, counted within the part.
  @inline(__always)
  func decode(_ range: Range<Int>, _ keys: KeyBlocks, _ columns: FieldColumns) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
      unsafe columns.decode(range, keys: keys, scratch: scratch.baseAddress!, into: &output.pointee)
    }
  }

  /// Throws an error if a record is larger than the limit of all records, and removes the decoded ones.
  ///
  /// - Parameter shard: The shard of the last records.
  @inline(__always)
  func check(_ shards: ShardReader, _ shard: Int) throws(IndexError) {
    if unsafe output.pointee.isOverlong { throw overlong(shards, shard) }
  }

  @inline(never)
  private func overlong(_ shards: ShardReader, _ shard: Int) -> IndexError {
    removeAll()
    let reason = "has a record of over \(FieldColumns.recordLimit) bytes"
    return .corrupt(path: shards.filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
  }

  /// Calls `body` with the text of a field. Fields are numbered over all records.
  @inline(__always)
  func withText<Result>(_ field: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let entry = unsafe output.pointee.fields[field]
    guard entry.isNumber else {
      return unsafe body(UnsafeBufferPointer(start: output.pointee.bytes + Int(entry.value), count: entry.size))
    }
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormat.longestText) { buffer in
      let size = unsafe entry.format.write(entry.value, to: buffer.baseAddress!)
      return unsafe body(UnsafeBufferPointer(start: UnsafePointer(buffer.baseAddress!), count: size))
    }
  }

  /// Makes the texts of all numbers, so that every field has its text in the buffer.
  func renderNumbers() { unsafe output.pointee.renderNumbers() }

  @inline(__always) func fieldRange(_ record: Int) -> Range<Int> {
    unsafe (record == 0 ? 0 : Int(output.pointee.recordEnds[record &- 1]))..<Int(output.pointee.recordEnds[record])
  }
}
