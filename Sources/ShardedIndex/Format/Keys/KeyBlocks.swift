import CLibrary

/// The folded keys of one part of a shard. A search reads them in their stored form. Source: docs/format.md section 5.
///
/// A key is a *stem*, `san jose`. In shards with *suffix fields*, the separator and a suffix field, `us`, follow the
/// stem. Stems are front-coded in blocks of ``blockSize`` records; the first stem of each block, the restart point, is
/// stored whole. Pointers lead into the value's own memory, which lives until ``deallocate()``, and into the shard's
/// header, which must outlive it. The value is plain, so that a query copies it without counting references.
///
/// Counts and offsets have 32 bits, so the products and sums below cannot wrap.
@safe package struct KeyBlocks {
  package static let magic: UInt32 = 0x334b_5153  // "SQK3"
  /// The usual size of the header before the suffixes, in bytes: magic, count, size, flags. The count and the size are
  /// varints.
  package static let headerSize = 9
  /// The number of records in a block. With 16 the city index is 0.7 % larger than with 32, and the walk inside a block
  /// is half as long.
  package static let blockSize = 16
  static let blockShift = 4

  /// The memory of the keys, one list after the other. Per block: the first eight bytes of its restart key, and the
  /// start of its suffixes. Per record: the size that it shares, the size that it adds, and its suffix field if the
  /// shard has suffix fields. Then the suffixes. Offsets have 32 bits, since the cache keeps many parts.
  let content: UnsafeRawPointer
  private let recordCount: UInt32
  private let (sharedOffset, suffixOffset): (UInt32, UInt32)
  private var longest: UInt32
  private let keptBytes: UInt32
  private let suffixFieldLimit: UInt16
  /// Whether `shared` and `length` have 32 bits each, for a long stem, or 8; and whether starts have 32 bits, as they
  /// do with a long stem.
  let (isWide, hasWideStarts): (Bool, Bool)
  private let suffixFieldTable: UnsafePointer<SuffixFieldTable>

  @inline(__always) var heads: UnsafePointer<UInt64> { unsafe content.assumingMemoryBound(to: UInt64.self) }
  @inline(__always) var starts: BlockStarts {
    unsafe BlockStarts(content + 8 &* blockCount, isWide: hasWideStarts)
  }
  @inline(__always) var shared: UnsafeRawPointer { unsafe content + Int(sharedOffset) }
  @inline(__always) private var length: UnsafeRawPointer { unsafe shared + (isWide ? 4 &* count : count) }
  @inline(__always) var suffixes: UnsafePointer<UInt8> {
    unsafe (content + Int(suffixOffset)).assumingMemoryBound(to: UInt8.self)
  }
  /// The number of each record's suffix field, in a shard that has suffix fields.
  @inline(__always) package var suffixFields: UnsafePointer<UInt8> { unsafe suffixes - count }

  /// The number of records in the part, at least one.
  @inline(__always) package var count: Int { Int(recordCount) }
  /// The longest stem, in bytes.
  @inline(__always) package var longestStem: Int { Int(longest) }
  /// The number of distinct suffix fields; 0 if keys are only stems.
  @inline(__always) package var suffixFieldCount: Int { Int(suffixFieldLimit) }
  /// The memory that the keys keep, in bytes.
  var charge: Int { Int(keptBytes) }

  /// The approximate size of the content without packing, in bytes.
  package var unpackedSize: Int { Self.headerSize + charge - FieldColumns.slack - Int(sharedOffset) }

  /// Prefetches the memory that a search reads before suffixes: heads, starts and sizes of a part of the usual size.
  @inline(__always) func prefetch() {
    for line in 0..<6 { unsafe CShims.prefetch(content + 64 &* line) }
  }

  /// Frees the memory. The value must not be used afterwards.
  package func deallocate() { unsafe content.deallocate() }

  /// Checks `content`, unpacks its packed columns, and keeps the bytes that searches read.
  ///
  /// - Parameter content: The decompressed keys frame of a part, with ``FieldColumns/slack`` readable bytes behind it.
  /// - Parameter table: Room for a Huffman code's table, ``Decompressor/table``.
  /// - Throws: ``FormatError`` if a size or an offset leads outside the content.
  package init(
    content: UnsafeBufferPointer<UInt8>, records: Int, header: __shared ShardHeader, table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    let layout = unsafe header.layout
    var reader = unsafe ByteReader(content)
    let start = unsafe try FrameStart(&reader, records: records, isPacked: layout.pointee.suffixCode.isPresent)
    // A record has at least a byte of sizes in the content, so memory is bounded by a multiple of the content.
    let suffixFieldCount = unsafe layout.pointee.suffixFieldTable.pointee.count
    let hasWideStarts = unsafe start.isWide || BlockStarts.areWide(upTo: start.suffixBytes)
    let blocks = (records + Self.blockSize - 1) >> Self.blockShift
    let derivedSize = unsafe (8 + BlockStarts.stride(isWide: hasWideStarts)) * blocks
    let ownOffset = derivedSize + 2 * records * (start.isWide ? 4 : 1) + (suffixFieldCount > 0 ? records : 0)
    let size = ownOffset + start.suffixBytes + FieldColumns.slack
    let storage = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe self.content = .init(storage)
    unsafe (suffixFieldTable, recordCount) = (layout.pointee.suffixFieldTable, UInt32(records))
    (sharedOffset, suffixOffset) = (UInt32(derivedSize), UInt32(ownOffset))
    (keptBytes, suffixFieldLimit, isWide, self.hasWideStarts) = (
      UInt32(size), UInt16(suffixFieldCount), start.isWide, hasWideStarts
    )
    longest = 0
    do throws(FormatError) {
      let (position, longest) = unsafe try unpackSizes(&reader, content.baseAddress! + start.sizesOffset)
      guard position == start.suffixBytes else {
        throw .invalid(reason: "has suffixes that do not fill their section", offset: Self.headerSize)
      }
      self.longest = UInt32(longest)
      unsafe try unpack(&reader, of: content.baseAddress!, start, layout, table: table)
    } catch {
      unsafe storage.deallocate()
      throw error
    }
    let heads = unsafe storage.bindMemory(to: UInt64.self, capacity: blocks)
    for block in 0..<blocks { unsafe heads[block] = head(ofBlock: block) }
  }

  /// Returns the number of bytes that a record's stem shares with the one before.
  @inline(__always) package func sharedSize(_ index: Int) -> Int {
    unsafe isWide
      ? Int(UInt32(littleEndian: shared.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
      : Int(shared.load(fromByteOffset: index, as: UInt8.self))
  }

  /// Returns the number of bytes that a record's stem adds to the shared ones.
  @inline(__always) package func suffixSize(_ index: Int) -> Int {
    unsafe isWide
      ? Int(UInt32(littleEndian: length.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
      : Int(length.load(fromByteOffset: index, as: UInt8.self))
  }

  /// The sizes of all records if they have 8 bits: the size that each shares with the one before, and the size that it
  /// adds.
  @inline(__always) var sizes: (shared: UnsafePointer<UInt8>, suffix: UnsafePointer<UInt8>)? {
    unsafe isWide ? nil : (shared.assumingMemoryBound(to: UInt8.self), length.assumingMemoryBound(to: UInt8.self))
  }

  /// The folded text of suffix field number `number`.
  @inline(__always) package func suffixField(_ number: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe suffixFieldTable.pointee[number]
  }

  package var blockCount: Int { (count + Self.blockSize - 1) >> Self.blockShift }
  @inline(__always) package func suffixes(ofBlock block: Int) -> UnsafePointer<UInt8> {
    unsafe suffixes + starts[block]
  }

  /// The head of a block's restart key, from the stem and the suffix field.
  private func head(ofBlock block: Int) -> UInt64 {
    let record = block << Self.blockShift
    // The bytes behind suffixes and suffix fields are readable.
    let size = suffixSize(record)
    var head = unsafe UInt64(bigEndian: suffixes(ofBlock: block).load()) & Self.headMask(size)
    if suffixFieldCount > 0, size < 8 {
      head |= UInt64(Fold.separator) &<< UInt64(56 &- 8 &* size)
      if size < 7 {
        let suffixField = unsafe self.suffixField(Int(suffixFields[record]))
        let word = unsafe UInt64(bigEndian: suffixField.baseAddress!.load()) & Self.headMask(suffixField.count)
        head |= word &>> UInt64(8 &* (size &+ 1))
      }
    }
    return head
  }
}
