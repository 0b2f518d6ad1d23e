/// A part of a shard in its stored form: the frame of its keys and the frame of its fields.
///
/// The bytes belong to the context that read them, and are valid until its next read.
@safe struct PackedPart {
  private let keys: UnsafeBufferPointer<UInt8>
  private let fields: UnsafeBufferPointer<UInt8>
  private let part: PartTable.Part

  /// Reads a part with `read`, which fills the given memory.
  init<Failure: Error>(
    _ part: PartTable.Part, with context: Decompressor, read: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = unsafe try context.fill(part.fileSize, read)
    unsafe keys = bytes.extracting(..<part.keysSize)
    unsafe fields = bytes.extracting(part.keysSize..<part.keysSize + part.fieldsSize)
    self.part = part
  }

  /// Unpacks and checks the keys.
  func keys(of header: ShardHeader, with context: Decompressor) throws(FormatError) -> KeyBlocks {
    unsafe try context.withContent(of: keys, size: part.keysContentSize, checksum: part.keysChecksum) {
      (content, table) throws(FormatError) in
      unsafe try KeyBlocks(content: content, records: part.recordCount, header: header, table: table)
    }
  }

  /// Unpacks and checks the fields.
  func columns(of header: ShardHeader, with context: Decompressor) throws(FormatError) -> FieldColumns {
    unsafe try FieldColumns(unpacking: fields, part, of: header, with: context)
  }

  /// The compressed fields, with ``FieldColumns/slack`` bytes behind them.
  var packedFields: [UInt8] {
    var packed = unsafe [UInt8](repeating: 0, count: fields.count + FieldColumns.slack)
    // Copied as memory, since Embedded Swift copies a collection byte by byte.
    unsafe packed.withUnsafeMutableBytes { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(fields)) }
    return packed
  }
}

extension FieldColumns {
  /// Unpacks and checks the fields of a part.
  ///
  /// - Parameter packed: The compressed fields, with ``FieldColumns/slack`` bytes behind them.
  init(
    unpacking packed: [UInt8], _ part: PartTable.Part, of header: ShardHeader, with context: Decompressor
  ) throws(FormatError) {
    self = unsafe try packed.withUnsafeBufferPointer { (packed) throws(FormatError) in
      unsafe try FieldColumns(unpacking: packed.extracting(..<part.fieldsSize), part, of: header, with: context)
    }
  }

  fileprivate init(
    unpacking frame: UnsafeBufferPointer<UInt8>, _ part: PartTable.Part, of header: ShardHeader,
    with context: Decompressor
  ) throws(FormatError) {
    self = unsafe try context.withContent(of: frame, size: part.fieldsContentSize, checksum: part.fieldsChecksum) {
      (content, table) throws(FormatError) in
      unsafe try FieldColumns(content: content, records: part.recordCount, header: header, table: table)
    }
  }
}

extension ShardHeader {
  /// Reads, unpacks and checks the header of a shard.
  ///
  /// - Parameters:
  ///   - read: Fills the given memory with the beginning of the file.
  ///   - manifest: The manifest that numbers the fields.
  static func reading<Failure: Error>(
    _ source: Manifest.Source, of manifest: borrowing Manifest, with context: Decompressor,
    read: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) -> Result<ShardHeader, FormatError> {
    let file = source.file
    let frame = unsafe try context.fill(file.headerSize, read)
    return Result { () throws(FormatError) in
      unsafe try context.withContent(of: frame, size: file.headerContentSize, checksum: file.headerChecksum) {
        (content, _) throws(FormatError) in
        unsafe try ShardHeader(
          content: content, records: source.recordCount, fileSize: file.size, frameSize: file.headerSize,
          name: { unsafe manifest.fieldNumber(of: $0) })
      }
    }
  }
}

extension Decompressor {
  /// Lets `read` fill room for a file's bytes, with ``FieldColumns/slack`` readable bytes behind; valid until the next
  /// call.
  fileprivate func fill<Failure: Error>(
    _ size: Int, _ read: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe fileRoom(size)
    var room = unsafe MutableRawSpan(_unsafeStart: start, byteCount: size)
    try read(&room)
    return unsafe UnsafeBufferPointer(start: start, count: size)
  }

  /// Calls `body` with the content of a frame, unpacked or in its place in the frame, and room for a Huffman code's
  /// table.
  ///
  /// - Parameter frame: The frame, with ``FieldColumns/slack`` readable bytes behind it.
  @inline(__always)
  fileprivate func withContent<Result>(
    of frame: UnsafeBufferPointer<UInt8>, size: Int, checksum: UInt32,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeMutablePointer<UInt16>) throws(FormatError) -> Result
  ) throws(FormatError) -> Result {
    guard size <= ZstdFrame.contentLimit else { throw .wrongSize(found: size, expected: ZstdFrame.contentLimit) }
    // The comparison comes before any allocation, and stops at an old shard in the place of a new one.
    guard let found = unsafe ZstdFrame.checksum(of: frame) else { throw .zstd(reason: "it has no checksum") }
    guard found == checksum else { throw .wrongChecksum(found: found, expected: checksum) }
    if let stored = unsafe ZstdFrame.storedContent(of: frame, size: size) { return unsafe try body(stored, table) }
    let declared = unsafe ZstdFrame.contentSize(of: frame) ?? -1
    guard declared == size else { throw .wrongSize(found: declared, expected: size) }
    return unsafe try body(unpack(frame, size: size), table)
  }
}
