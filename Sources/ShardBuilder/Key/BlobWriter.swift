/// The memory for a ``RecordBlob``. Its owner has made room for the blob, and for 16 more bytes after it.
@safe package struct BlobWriter {
  let start: UnsafeMutableRawPointer

  @inline(__always) init(_ start: UnsafeMutableRawPointer) { unsafe self.start = unsafe start }

  /// Writes the header without the part about the fields.
  @inline(__always)
  func writeHeader(isWide: Bool, size: Int, folded: Int, suffix: Int, key: Int, fields: Int) {
    unsafe start.storeBytes(of: UInt32(size << 1 | (isWide ? 1 : 0)).littleEndian, as: UInt32.self)
    if isWide {
      unsafe start.storeBytes(of: UInt32(folded).littleEndian, toByteOffset: 4, as: UInt32.self)
      unsafe start.storeBytes(of: UInt32(suffix).littleEndian, toByteOffset: 8, as: UInt32.self)
      unsafe start.storeBytes(of: UInt32(key).littleEndian, toByteOffset: 12, as: UInt32.self)
      unsafe start.storeBytes(of: UInt32(fields).littleEndian, toByteOffset: 16, as: UInt32.self)
    } else {
      unsafe start.storeBytes(of: UInt8(folded), toByteOffset: 4, as: UInt8.self)
      unsafe start.storeBytes(of: UInt8(suffix), toByteOffset: 5, as: UInt8.self)
      unsafe start.storeBytes(of: UInt8(key), toByteOffset: 6, as: UInt8.self)
      unsafe start.storeBytes(of: UInt8(fields), toByteOffset: 7, as: UInt8.self)
    }
  }

  /// Writes the header's part about one field.
  ///
  /// - Parameter offsetInKey: The offset of the field's text in the key, or ``RecordBlob/nowhere``.
  @inline(__always)
  func writeField(isWide: Bool, _ index: Int, name: UInt32, kind: FieldKind, size: Int, offsetInKey: Int) {
    let word = name << 2 | UInt32(kind.rawValue)
    if isWide {
      unsafe start.storeBytes(of: word.littleEndian, toByteOffset: 20 + 8 * index, as: UInt32.self)
      unsafe start.storeBytes(
        of: UInt32(size | offsetInKey << 24).littleEndian, toByteOffset: 24 + 8 * index, as: UInt32.self)
    } else {
      unsafe start.storeBytes(of: UInt8(word), toByteOffset: 8 + 3 * index, as: UInt8.self)
      unsafe start.storeBytes(of: UInt8(size), toByteOffset: 9 + 3 * index, as: UInt8.self)
      unsafe start.storeBytes(of: UInt8(offsetInKey), toByteOffset: 10 + 3 * index, as: UInt8.self)
    }
  }

  /// Copies a text to `offset`, and returns its size.
  ///
  /// - Parameter all: The readable memory that holds the text.
  @inline(__always)
  func copy(_ text: UnsafeBufferPointer<UInt8>, to offset: Int, endOfSource all: UnsafeBufferPointer<UInt8>) -> Int {
    guard let source = text.baseAddress else { return 0 }
    if text.count <= 16, unsafe all.baseAddress! + all.count - source >= 16 {
      // Most texts are that short: the copy takes two words, and later bytes overwrite the excess.
      let words = unsafe UnsafeRawPointer(source).loadUnaligned(as: SIMD2<UInt64>.self)
      unsafe start.storeBytes(of: words, toByteOffset: offset, as: SIMD2<UInt64>.self)
    } else {
      unsafe (start + offset).copyMemory(from: source, byteCount: text.count)
    }
    return text.count
  }

  /// Returns the `count` written bytes at `offset`.
  @inline(__always)
  func text(_ offset: Int, _ count: Int) -> UnsafeBufferPointer<UInt8> { unsafe .init(room(offset, count)) }

  /// Returns the `count` bytes at `offset`, for writing.
  @inline(__always)
  func room(_ offset: Int, _ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
    unsafe .init(start: (start + offset).assumingMemoryBound(to: UInt8.self), count: count)
  }
}
