import ShardedIndex

/// Records in order -> a shard file. Source: docs/format.md §4 to §6.
///
/// What comes out is a function of the records alone: no clock, no floating point in a decision, no order of a hash.
package struct ShardEncoder {
  /// The content of a frame, and where in it new blocks begin.
  struct FrameContent: Sendable {
    var bytes: [UInt8]
    /// Its bytes, were nothing in it packed.
    var plainSize: Int
    var cuts: [Int] = []
    /// No match is to be shorter, in bytes; nil for what zstd's level says.
    var minMatch: Int? = nil
    /// Whether a Huffman code for what no match covers can be worth its table.
    var codesLiterals = true
  }

  /// A shard before compression.
  package struct Content: Sendable {
    fileprivate var recordCount: Int
    /// The header but for its parts, which are known when the frames are: what stands before and behind them.
    fileprivate var tails: Tails
    fileprivate var suffixPacking = HuffmanPacking()
    fileprivate var headerEnd: [UInt8]
    fileprivate var counts: (columns: Int, shapes: Int, rowFormats: Int)
    fileprivate var parts:
      [(firstRecord: Int, bound: [UInt8], isContinuation: Bool, keys: FrameContent, fields: FrameContent)]

    /// Uncompressed and unpacked, in bytes, all frames together: what the limit of a shard is held against.
    package var size: Int {
      // More columns than a reader accepts, or more cells than are held: too large, whatever its bytes.
      guard counts.columns <= ShardHeader.columnLimit else { return Int.max }
      let tailSize = tails.texts.reduce(0) { $0 + 1 + $1.count }
      let codeSize = suffixPacking.headerSize + (tails.texts.count > 1 ? tails.packing.headerSize : 0)
      // What varints there are take is known when the frames are: about so much.
      return parts.reduce(16 + headerEnd.count + tailSize + codeSize) { sum, part in
        sum + 20 + part.bound.count + part.keys.plainSize + part.fields.plainSize
      }
    }
  }

  /// A finished shard.
  package struct File: Sendable {
    package var bytes: [UInt8]
    package var recordCount: Int
    /// Uncompressed and unpacked, in bytes.
    package var contentSize: Int
    package var headerSize: Int
    package var headerContentSize: Int
    package var headerChecksum: UInt32
  }

  /// Uncompressed bytes of a part, about: what a query that misses unpacks. Found by measuring, see docs/measurements.md.
  package static let usualPartSize = 1536

  /// The most cells, records times columns, that are held at once.
  ///
  /// Records with hardly a field in common are few bytes and very many cells: ten thousand records with a field of their
  /// own each would be a hundred million. What has more is too large for a shard, like what has too many columns.
  package static let cellLimit = 1 << 22

  /// No record adds less to ``Content/size``: the sizes of what its key shares and of what it does not, in bytes.
  package static let leastRecordSize = 2

  private let names: [String]
  private let partSize: Int

  /// - Parameters:
  ///   - names: Field names by the numbers that the records use.
  ///   - partSize: Uncompressed bytes of a part, about; at least 1.
  package init(names: [String], partSize: Int = usualPartSize) { (self.names, self.partSize) = (names, partSize) }

  package func encode(_ records: [RecordBlob]) -> Content {
    precondition(!records.isEmpty, "a shard without records")
    let tails = Tails(records)
    let fields = encodeFields(records, tails)
    guard fields.counts.columns <= ShardHeader.columnLimit else {
      return Content(
        recordCount: records.count, tails: tails, headerEnd: [], counts: fields.counts, parts: [])
    }
    let shared = SharedBytes(records, tails)
    let total = shared.size + fields.size
    let blocks = (records.count + KeyBlocks.blockSize - 1) / KeyBlocks.blockSize
    let parts = shared.parts(min(blocks, max(1, (total + partSize / 2) / partSize)))
    let keys = KeyColumns(records, tails, shared.ofStems, parts)
    var content = Content(
      recordCount: records.count, tails: tails, suffixPacking: keys.packing, headerEnd: fields.header,
      counts: fields.counts, parts: [])
    for part in parts {
      let first = part.lowerBound
      let (bound, isContinuation) = first == 0 ? ([], false) : Self.bound(records[first - 1], records[first])
      content.parts.append((first, bound, isContinuation, keys.content(part, tails), fields.content(part)))
    }
    return content
  }

  /// The shortest text that is above one key and not above the next; the key itself where both are equal.
  package static func bound(_ before: RecordBlob, _ after: RecordBlob) -> (bytes: [UInt8], isContinuation: Bool) {
    let (a, b) = (before.folded, after.folded)
    var common = 0
    while common < a.count, common < b.count, a[common] == b[common] { common += 1 }
    return common == b.count ? (Array(b), true) : (Array(b[...common]), false)
  }

  /// Compresses a shard, all but the frames that are known.
  package func file(
    _ content: consuming Content, level: Int, with compressor: Compressor, known: KnownFrames = KnownFrames()
  ) -> File {
    var header = ByteWriter()
    header.write(ShardHeader.magic)
    header.writeVarint(content.recordCount)
    header.writeVarint(content.parts.count)
    header.writeVarint(content.tails.texts.count)
    header.writeVarint(content.counts.columns)
    header.writeVarint(content.counts.shapes)
    header.writeVarint(content.counts.rowFormats)
    var body: [UInt8] = []
    for (index, part) in content.parts.enumerated() {
      let end = index + 1 < content.parts.count ? content.parts[index + 1].firstRecord : content.recordCount
      header.writeVarint(end - part.firstRecord)
      header.writeVarint(part.bound.count << 1 | (part.isContinuation ? 1 : 0))
      for frame in [part.keys, part.fields] {
        let compressed =
          known[frame.bytes]
          ?? ZstdFrame.compress(
            frame.bytes, cuts: frame.cuts, level: level, minMatch: frame.minMatch, codesLiterals: frame.codesLiterals,
            with: compressor)
        header.writeVarint(compressed.count)
        header.writeVarint(frame.bytes.count)
        header.write(compressed.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! })
        body += compressed
      }
    }
    for part in content.parts { header.write(part.bound) }
    let tails = content.tails.texts
    if let first = tails.first {
      let areEqual = tails.allSatisfy { $0.count == first.count }
      header.writeVarint(areEqual ? first.count : 0)
      if !areEqual { for text in tails { header.bytes.append(UInt8(text.count)) } }
    }
    for text in tails { header.write(text) }
    if content.tails.texts.count > 1 { content.tails.packing.writeLengths(to: &header) }
    content.suffixPacking.writeLengths(to: &header)
    header.write(content.headerEnd)
    var file = File(
      bytes: [], recordCount: content.recordCount, contentSize: content.size, headerSize: 0,
      headerContentSize: header.bytes.count, headerChecksum: 0)
    content.headerEnd = []  // A large record is in it.
    file.bytes = ZstdFrame.storedUnlessSaved(header.bytes, level: level, with: compressor)
    header.bytes = []
    file.headerSize = file.bytes.count
    file.headerChecksum = file.bytes.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! }
    file.bytes += body
    return file
  }

  // MARK: Keys

  /// The folds of the template's last field, when they are few.
  struct Tails {
    var texts: [[UInt8]] = []
    /// Per record.
    var codes: [UInt8] = []
    private(set) var packing = HuffmanPacking()

    init(_ records: [RecordBlob]) {
      var table = TextTable(limit: 256)
      var perRecord: [UInt8] = []
      var total = 0
      perRecord.reserveCapacity(records.count)
      for record in records {
        let size = record.foldedTailCount
        guard size > 0, size < 256, record.foldedCount > size else { return }
        let folded = record.folded
        guard folded[folded.count - size - 1] == Fold.separator else { return }
        let known = table.texts.count
        let number = table.number(of: UnsafeBufferPointer(rebasing: folded[(folded.count - size)...]))
        if number == known {
          guard number < 256, total + size <= Int(UInt16.max) else { return }
          total += size
        }
        perRecord.append(UInt8(truncatingIfNeeded: number))
      }
      let found = table.texts
      let order = found.indices.sorted { compareBytes(found[$0], found[$1]) < 0 }
      var codeOf = [UInt8](repeating: 0, count: found.count)
      for (code, number) in order.enumerated() { codeOf[number] = UInt8(code) }
      codes = perRecord.map { codeOf[Int($0)] }
      texts = order.map { Array(found[$0]) }
      packing = HuffmanPacking(codes)
    }

    var isEmpty: Bool { codes.isEmpty }
  }

  private static func stem(_ record: RecordBlob, _ tails: Tails) -> UnsafeBufferPointer<UInt8> {
    let folded = record.folded
    guard !tails.isEmpty else { return folded }
    return UnsafeBufferPointer(rebasing: folded[..<(folded.count - record.foldedTailCount - 1)])
  }

  /// What the keys of a shard have in common, each with the one before it.
  private struct SharedBytes {
    private var ofKeys: [UInt32] = []
    private(set) var ofStems: [UInt32] = []
    /// Bytes that the keys take as one part.
    private(set) var size: Int

    init(_ records: [RecordBlob], _ tails: Tails) {
      ofKeys.reserveCapacity(records.count)
      ofStems.reserveCapacity(records.count)
      size = records.count * (tails.isEmpty ? 2 : 3)
      var previous = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
      var previousStem = 0
      for (index, record) in records.enumerated() {
        let (key, stem) = (record.folded, ShardEncoder.stem(record, tails).count)
        let common = commonPrefix(previous, key)
        ofKeys.append(UInt32(common))
        // A stem that runs on where the last one had its tail shares no more than that stem.
        let ofStem = min(common, stem, previousStem)
        ofStems.append(UInt32(ofStem))
        size += stem - (index % KeyBlocks.blockSize == 0 ? 0 : ofStem)
        (previous, previousStem) = (key, stem)
      }
    }

    /// The records of `count` parts, which begin where parts as long as each other would, or near that where it separates fewer
    /// first matches.
    func parts(_ count: Int) -> [Range<Int>] {
      let reach = ofKeys.count * 2 / (5 * count)
      let starts = (0..<count).map { part in
        guard part > 0 else { return 0 }
        let middle = ofKeys.count * part / count
        var (best, least) = (middle, separated(at: middle))
        var distance = 1
        while least > 0, distance <= reach {
          for place in stride(from: middle - distance, through: middle + distance, by: 2 * distance) {
            let count = separated(at: place)
            if count < least { (best, least) = (place, count) }
          }
          distance += 1
        }
        return best
      }
      return zip(starts, starts.dropFirst() + [ofKeys.count]).map { $0..<$1 }
    }

    /// How many prefixes have some of their first matches before a record and others from it on.
    ///
    /// They are what the record shares with the one before it, but for those that begin earlier than their first matches go: a
    /// prefix begins where a record shares less than it with the one before.
    private func separated(at place: Int) -> UInt32 {
      ofKeys[place] - ofKeys[max(0, place - Self.firstMatches + 1)...place].min()!
    }

    /// What should lie in one part: twenty, which a list shows, and one that says that there are more.
    private static let firstMatches = 21
  }

  /// The stems of a shard, front-coded in parts.
  private struct KeyColumns {
    private let shared: [UInt32]
    private var length: [UInt32] = []
    private var suffixes: [UInt8] = []
    /// Where each record's suffix ends.
    private var ends: [Int] = []
    private let hasTails: Bool
    private(set) var packing = HuffmanPacking()

    /// - Parameter shared: What each stem has in common with the one before it.
    init(_ records: [RecordBlob], _ tails: Tails, _ shared: [UInt32], _ parts: [Range<Int>]) {
      hasTails = !tails.isEmpty
      self.shared = shared
      length.reserveCapacity(records.count)
      ends.reserveCapacity(records.count)
      for part in parts {
        for index in part {
          let stem = ShardEncoder.stem(records[index], tails)
          let from = (index - part.lowerBound) % KeyBlocks.blockSize == 0 ? 0 : Int(shared[index])
          length.append(UInt32(stem.count - from))
          suffixes.append(contentsOf: UnsafeBufferPointer(rebasing: stem[from...]))
          ends.append(suffixes.count)
        }
      }
      packing = HuffmanPacking(text: suffixes, records: records.count)
    }

    func content(_ range: Range<Int>, _ tails: Tails) -> FrameContent {
      var writer = ByteWriter()
      let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
      var isWide = false
      for record in range where shared[record] + length[record] > 255 { isWide = true }
      let text = suffixes[start..<ends[range.upperBound - 1]]
      writer.write(KeyBlocks.magic)
      writer.writeVarint(range.count)
      writer.writeVarint(text.count)
      writer.write(UInt8(isWide ? 1 : 0))
      if !packing.isPresent { writer.write(text) }
      var cuts = packing.isPresent ? [] : [writer.bytes.count]
      var excess = ByteWriter()
      for record in range {
        // The first record of a part shares nothing: the one before lies elsewhere.
        let sizes = (record == range.lowerBound ? 0 : shared[record], length[record])
        writer.bytes.append(UInt8(min(sizes.0, 15) | min(sizes.1, 15) << 4))
        for size in [sizes.0, sizes.1] where size >= 15 { excess.writeVarint(Int(size) - 15) }
      }
      writer.write(excess.bytes)
      let codes = tails.codes[hasTails ? range : 0..<0]
      if hasTails, !tails.packing.isPresent {
        cuts.append(writer.bytes.count)
        writer.write(codes)
      }
      cuts.append(writer.bytes.count)
      if packing.isPresent { packing.pack(text, to: &writer) }
      if tails.packing.isPresent { tails.packing.pack(codes, to: &writer) }
      // Front coding has found most of what letters share: matches of three and four cost more than they save, and a
      // reader a quarter of its time. Where letters take several bytes each that is not so.
      let isMostlyASCII = text.reduce(into: 0) { $0 += Int($1 >> 7) } < text.count / 4
      return FrameContent(
        bytes: writer.bytes,
        plainSize: KeyBlocks.headerSize + text.count + range.count * ((isWide ? 8 : 2) + (hasTails ? 1 : 0)),
        cuts: cuts, minMatch: isMostlyASCII ? 5 : nil)
    }
  }

  // MARK: Fields

  private typealias Text = UnsafeBufferPointer<UInt8>
  /// A column's text for every record.
  typealias Texts = UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>

  /// All texts of a shard and their kinds, column by column: of every record, those without the field included.
  private struct Cells: ~Copyable {
    private let texts: UnsafeMutableBufferPointer<Text>
    private let kindsOfAll: UnsafeMutableBufferPointer<UInt8>
    private let count: Int
    private static let missing: UInt8 = 0xff

    /// - Parameters:
    ///   - shapes: The columns of the fields, in the records' own order.
    ///   - shapeCodes: Per record.
    init(_ records: [RecordBlob], columnCount: Int, _ shapes: [[Int]], _ shapeCodes: [Int]) {
      count = records.count
      texts = .allocate(capacity: columnCount * count)
      kindsOfAll = .allocate(capacity: columnCount * count)
      kindsOfAll.initialize(repeating: Self.missing)
      texts.initialize(repeating: Text(start: nil, count: 0))
      var code = -1
      var shape: [Int] = []
      for (row, record) in records.enumerated() {
        if shapeCodes[row] != code {
          code = shapeCodes[row]
          shape = shapes[code]
        }
        var offset = record.textsOffset
        for (field, column) in shape.enumerated() {
          texts[column * count + row] = record.text(field, &offset)
          kindsOfAll[column * count + row] = record.fieldKind(field).rawValue
        }
      }
      if shapes.count > 1 {
        for column in 0..<columnCount { fill(column * count..<(column + 1) * count) }
      }
    }

    deinit {
      texts.deallocate()
      kindsOfAll.deallocate()
    }

    /// Gives records that lack a field the text of the one before, or else of the first: what repeats costs nothing.
    private func fill(_ column: Range<Int>) {
      guard var last = column.first(where: { kindsOfAll[$0] != Self.missing }) else { return }
      for cell in column {
        if kindsOfAll[cell] == Self.missing {
          (texts[cell], kindsOfAll[cell]) = (texts[last], kindsOfAll[last])
        } else {
          last = cell
        }
      }
    }

    /// Valid as long as the cells are.
    func texts(_ column: Int) -> Texts {
      Texts(rebasing: UnsafeBufferPointer(texts)[column * count..<(column + 1) * count])
    }
    func kinds(_ column: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: UnsafeBufferPointer(kindsOfAll)[column * count..<(column + 1) * count])
    }
  }

  /// The fields of a shard: how they are encoded, and their data.
  private struct FieldData {
    var counts = (columns: 0, shapes: 1, rowFormats: 0)
    /// Names, shapes, columns and row formats: the end of the shard's header.
    var header: [UInt8] = []
    var shapeCodes: [Int] = []
    var shapePacking = HuffmanPacking()
    var columns: [ColumnData] = []
    var rowCodes: [UInt8] = []
    var rowPacking = HuffmanPacking()
    /// Per record the bits of its row, and where they end.
    var rowValues: [NumberColumn.Cell] = []
    var numberCount = 0

    var size: Int {
      var size = 0
      if counts.shapes > 1 { size += shapeCodes.count }
      for column in columns { size += column.size }
      var bits = 0
      for row in rowValues { bits += row.width }
      return size + rowCodes.count + bits / 8
    }

    func content(_ range: Range<Int>) -> FrameContent {
      var (writer, packed) = (ByteWriter(), ByteWriter())
      /// What the numbers that are packed would take as they are, and the texts.
      var (unpackedSize, packedTexts) = (0, 0)
      func codes(_ codes: [Int], _ limit: Int, _ packing: HuffmanPacking) {
        guard limit > 1 else { return }
        if limit > 256 {
          for code in codes[range] { writer.write(UInt16(code)) }
        } else {
          bytes(codes[range].lazy.map { UInt8($0) }, packing)
        }
      }
      func bytes(_ numbers: some RandomAccessCollection<UInt8>, _ packing: HuffmanPacking) {
        guard packing.isPresent else {
          writer.write(numbers)
          return
        }
        packing.pack(numbers, to: &packed)
        unpackedSize += numbers.count
      }
      let values = rowValues[range.lowerBound * numberCount..<range.upperBound * numberCount]
      var rows = BitWriter(bitCount: values.reduce(0) { $0 + $1.width })
      var blockBits: [UInt16] = []
      if numberCount > 0 {
        var start = 0
        values.withUnsafeBufferPointer { values in
          var next = 0
          for row in range {
            if row > range.lowerBound, (row - range.lowerBound) % KeyBlocks.blockSize == 0 {
              blockBits.append(UInt16(rows.bitCount - start))
              start = rows.bitCount
            }
            for _ in 0..<numberCount {
              rows.write(values[next].value, values[next].width)
              next += 1
            }
          }
        }
        blockBits.append(UInt16(rows.bitCount - start))
      }
      let rowBytes = rows.finish()
      codes(shapeCodes, counts.shapes, shapePacking)
      for column in columns {
        switch column {
        case .codes(let values, let limit, let packing):
          codes(values, limit, packing)
        case .texts(let texts, let packing, let textPacking):
          var (total, long) = (0, [(Int, Int)]())
          for record in range {
            let size = texts.size(record)
            total += size
            if size >= 255 { long.append((record - range.lowerBound, size)) }
          }
          writer.writeVarint(total)
          writer.writeVarint(long.count)
          bytes(range.lazy.map { UInt8(min(texts.size($0), 255)) }, packing)
          for (record, size) in long {
            writer.write(UInt32(record))
            writer.write(UInt32(size))
          }
          if textPacking.isPresent {
            textPacking.pack(texts.bytes(range), to: &packed)
            packedTexts += total
          } else {
            writer.write(texts.bytes(range))
          }
        }
      }
      if counts.rowFormats > 1 { bytes(rowCodes[range], rowPacking) }
      if let least = blockBits.min(), let most = blockBits.max() {
        let width = most == least ? 0 : most - least < 256 ? 1 : 2
        writer.writeVarint(Int(least))
        writer.write(UInt8(width))
        for bits in blockBits {
          if width > 0 { writer.write(UInt8(truncatingIfNeeded: bits - least)) }
          if width > 1 { writer.write(UInt8(truncatingIfNeeded: (bits - least) >> 8)) }
        }
      }
      var content = ByteWriter()
      content.write(FieldColumns.magic)
      for size in [range.count, rowBytes.count, packed.bytes.count, packedTexts] { content.writeVarint(size) }
      content.write(writer.bytes)
      let codesLiterals = Self.hasEntropyToSave(content.bytes)
      // What is packed, and rows, do not compress: in blocks of their own they are stored as they are. What stands before
      // them is short, and one block of it is as small as several, and unpacked sooner.
      var cuts = [content.bytes.count]
      content.write(packed.bytes)
      if !packed.bytes.isEmpty, !rowBytes.isEmpty { cuts.append(content.bytes.count) }
      content.write(rowBytes)
      return FrameContent(
        bytes: content.bytes, plainSize: content.bytes.count - packed.bytes.count + unpackedSize + packedTexts,
        cuts: cuts, codesLiterals: codesLiterals)
    }

    /// Whether a Huffman code would save 128 of these bytes, its table aside: one that saves less takes a reader more time
    /// than all else about a block.
    private static func hasEntropyToSave(_ bytes: [UInt8]) -> Bool {
      var counts = [Int](repeating: 0, count: 256)
      for byte in bytes { counts[Int(byte)] += 1 }
      let whole = binaryLogarithm(max(1, bytes.count))
      let bits = counts.reduce(0) { $1 > 0 ? $0 + $1 * (whole - binaryLogarithm($1)) / 64 : $0 }
      return bytes.count - bits / 8 >= 128
    }
  }

  /// What a column has in the parts.
  private enum ColumnData {
    /// A dictionary's codes, how many texts it has, and how the codes are packed.
    case codes([Int], Int, HuffmanPacking)
    /// And how their sizes are, and their bytes.
    case texts(FlatTexts, HuffmanPacking, HuffmanPacking)

    var size: Int {
      switch self {
      case .codes(let codes, let limit, _): codes.count * (limit > 256 ? 2 : 1)
      case .texts(let texts, _, _): texts.byteCount + texts.count
      }
    }
  }

  /// Texts one after the other.
  struct FlatTexts {
    private(set) var all: [UInt8] = []
    private var ends: [Int] = []

    init(count: Int) { ends.reserveCapacity(count) }

    mutating func append(_ text: some Sequence<UInt8>) {
      all.append(contentsOf: text)
      ends.append(all.count)
    }

    var count: Int { ends.count }
    var byteCount: Int { all.count }
    private func start(_ index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }
    func size(_ index: Int) -> Int { ends[index] - start(index) }
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { all[start(range.lowerBound)..<ends[range.upperBound - 1]] }

    /// Lends pointers to the texts.
    func withPointers(_ body: (Texts) -> Void) {
      all.withUnsafeBufferPointer { bytes in
        ends.indices.map { UnsafeBufferPointer(rebasing: bytes[start($0)..<ends[$0]]) }
          .withUnsafeBufferPointer { body($0) }
      }
    }
  }

  private func encodeFields(_ records: [RecordBlob], _ tails: Tails) -> FieldData {
    let count = records.count
    // Shapes, and columns in order of first appearance.
    var columnOf = [Int](repeating: -1, count: names.count)
    var columns: [Int] = []  // Their names' numbers.
    var shapes: [[Int]] = []
    var shapeNumbers: [[Int]: Int] = [:]  // Once they are more than are looked through.
    var shapeCodes: [Int] = []
    var lastShape: [UInt32] = []
    var lastColumns: [Int] = []
    var lastCode = -1
    for record in records {
      let fields = record.fieldCount
      var isSame = lastCode >= 0 && fields == lastShape.count
      if isSame { for field in 0..<fields where record.fieldName(field) != lastShape[field] { isSame = false } }
      if !isSame {
        lastShape = (0..<fields).map { record.fieldName($0) }
        lastColumns = lastShape.map { name in
          if columnOf[Int(name)] >= 0 { return columnOf[Int(name)] }
          columnOf[Int(name)] = columns.count
          columns.append(Int(name))
          return columns.count - 1
        }
        // One record is a shard whatever it has.
        if count > 1, columns.count > ShardHeader.columnLimit || columns.count * count > Self.cellLimit {
          var tooLarge = FieldData()
          tooLarge.counts.columns = Int.max
          return tooLarge
        }
        let fewShapes = 16
        if let code = shapes.count <= fewShapes ? shapes.firstIndex(of: lastColumns) : shapeNumbers[lastColumns] {
          lastCode = code
        } else {
          lastCode = shapes.count
          shapes.append(lastColumns)
          for code in shapes.count <= fewShapes ? 0..<0 : (shapeNumbers.isEmpty ? 0 : lastCode)..<shapes.count {
            shapeNumbers[shapes[code]] = code
          }
        }
      }
      shapeCodes.append(lastCode)
    }
    let cells = Cells(records, columnCount: columns.count, shapes, shapeCodes)

    var numbers: [NumberColumn] = []
    var numberSections: [Int] = []  // Where each of them will be written.
    var sections: [ByteWriter] = []
    var data: [ColumnData?] = []
    let stems = records.map { Self.stem($0, tails) }
    for column in columns.indices {
      let (texts, kinds) = (cells.texts(column), cells.kinds(column))
      let isMixed = kinds.contains { $0 != kinds[0] }
      var writer = ByteWriter()
      writer.write(isMixed ? ShardHeader.mixedKinds : kinds[0])
      if isMixed {
        var flat = FlatTexts(count: count)
        for (text, kind) in zip(texts, kinds) { flat.append([kind] + text) }
        flat.withPointers { data.append(chooseText($0, into: &writer)) }
      } else {
        switch chooseEncoding(texts, stems, tails, numberColumns: numbers.count, into: &writer) {
        case .inHeader: data.append(nil)
        case .data(let own): data.append(own)
        case .number(let number):
          numbers.append(number)
          numberSections.append(sections.count)
          data.append(nil)
        }
      }
      sections.append(writer)
    }

    // Row formats: the formats of all number columns together.
    var rowFormatTable: [[UInt8]] = []
    var rowCodes: [UInt8] = []
    func makeRows() -> Bool {
      rowFormatTable = []
      rowCodes = []
      guard !numbers.isEmpty else { return true }
      rowCodes = [UInt8](repeating: 0, count: count)
      var firstRows = [0]  // Per combination, in order of first appearance.
      for number in numbers {
        let formats = number.formats.count
        var known = [Int](repeating: -1, count: firstRows.count * formats)
        firstRows.removeAll()
        for row in 0..<count {
          let pair = Int(rowCodes[row]) * formats + Int(number.codes[row])
          if known[pair] < 0 {
            guard firstRows.count < 256 else { return false }
            known[pair] = firstRows.count
            firstRows.append(row)
          }
          rowCodes[row] = UInt8(truncatingIfNeeded: known[pair])
        }
      }
      rowFormatTable = firstRows.map { row in numbers.map { $0.codes[row] } }
      return true
    }
    while !makeRows() {
      // Too many combinations: the column with the most formats is kept as text.
      let worst = numbers.indices.max { numbers[$0].formats.count < numbers[$1].formats.count }!
      numbers.remove(at: worst)
      let column = numberSections.remove(at: worst)
      data[column] = chooseText(cells.texts(column), into: &sections[column])
    }
    let contexts = max(1, tails.texts.count)
    for (number, section) in zip(numbers, numberSections) { number.write(to: &sections[section], contexts: contexts) }

    var result = FieldData()
    result.counts = (columns.count, shapes.count, rowFormatTable.count)
    result.shapeCodes = shapeCodes
    if 2...256 ~= shapes.count { result.shapePacking = HuffmanPacking(shapeCodes.map { UInt8($0) }) }
    result.columns = data.compactMap { $0 }
    result.rowCodes = rowCodes
    if rowFormatTable.count > 1 { result.rowPacking = HuffmanPacking(rowCodes) }
    result.numberCount = numbers.count
    // Of no elements it would be the array that all threads share, and its size be written there.
    let capacity = max(1, count * numbers.count)
    result.rowValues = [NumberColumn.Cell](unsafeUninitializedCapacity: capacity) { rows, size in
      for (index, number) in numbers.enumerated() {
        number.store(to: rows.baseAddress! + index, stride: numbers.count, tails)
      }
      size = count * numbers.count
    }
    var writer = ByteWriter()
    for column in columns {
      let name = names[column]
      writer.writeVarint(name.utf8.count)
      writer.write(name)
    }
    for shape in shapes {
      writer.writeVarint(shape.count)
      for column in shape { writer.writeVarint(column) }
    }
    if 2...256 ~= shapes.count { result.shapePacking.writeLengths(to: &writer) }
    for section in sections { writer.write(section.bytes) }
    var rowBits = BitWriter(bitCount: 8 * rowFormatTable.count * numbers.count)
    for row in rowFormatTable {
      for (code, number) in zip(row, numbers) {
        rowBits.write(UInt64(code), Int.bitWidth - (number.formats.count - 1).leadingZeroBitCount)
      }
    }
    writer.write(rowBits.finish())
    if rowFormatTable.count > 1 { result.rowPacking.writeLengths(to: &writer) }
    result.header = writer.bytes
    return result
  }

  private enum Chosen {
    case inHeader
    case data(ColumnData)
    case number(NumberColumn)
  }

  /// Chooses a column's encoding and writes what stands of it in the header; a number column is written when all rows are known.
  private func chooseEncoding(
    _ texts: Texts, _ stems: [Text], _ tails: Tails, numberColumns: Int, into writer: inout ByteWriter
  ) -> Chosen {
    if texts.allSatisfy({ equalBytes($0, texts[0]) }) {
      writer.write(ShardHeader.Encoding.constant.rawValue)
      writer.writeVarint(texts[0].count)
      writer.write(texts[0])
      return .inHeader
    }
    if !tails.isEmpty, let perTail = Self.textsPerTail(texts, tails) {
      writer.write(ShardHeader.Encoding.tail.rawValue)
      let rule = (0..<ShardHeader.ownTexts).first { rule in
        zip(tails.texts, perTail).allSatisfy { tail, text in
          tail.withUnsafeBufferPointer { SpelledColumn.script(from: $0, rule, to: text).isEmpty }
        }
      }
      writer.write(rule ?? ShardHeader.ownTexts)
      guard rule == nil else { return .inHeader }
      for text in perTail { writer.writeVarint(text.count) }
      for text in perTail { writer.write(text) }
      return .inHeader
    }
    let asText = TextCost(texts)
    let textBits = min(asText.dictionaryBits ?? Int.max, asText.plainBits)
    // Bits do not compress; texts do, to about half, and a dictionary's codes to their entropy.
    if numberColumns < 64, let number = NumberColumn(texts, tails), number.bitCount < textBits {
      return .number(number)
    }
    if let spelled = SpelledColumn(texts, stems), spelled.bits < textBits {
      writer.write(ShardHeader.Encoding.spelled.rawValue)
      writer.write(spelled.rule)
      writer.write(spelled.piece)
      return .data(self.texts(spelled.scripts, into: &writer))
    }
    return .data(chooseText(texts, asText, into: &writer))
  }

  private func chooseText(_ texts: Texts, into writer: inout ByteWriter) -> ColumnData {
    chooseText(texts, TextCost(texts), into: &writer)
  }

  private func chooseText(_ texts: Texts, _ cost: TextCost, into writer: inout ByteWriter) -> ColumnData {
    guard let dictionary = cost.dictionaryBits, dictionary < cost.plainBits else {
      writer.write(ShardHeader.Encoding.text.rawValue)
      var flat = FlatTexts(count: texts.count)
      for text in texts { flat.append(text) }
      return self.texts(flat, into: &writer)
    }
    writer.write(ShardHeader.Encoding.dictionary.rawValue)
    writer.writeVarint(cost.distinct.count)
    for text in cost.distinct { writer.writeVarint(text.count) }
    for text in cost.distinct { writer.write(text) }
    var packing = HuffmanPacking()
    if 2...256 ~= cost.distinct.count {
      packing = HuffmanPacking(cost.codes.map { UInt8($0) })
      packing.writeLengths(to: &writer)
    }
    return .codes(cost.codes, cost.distinct.count, packing)
  }

  private func texts(_ flat: FlatTexts, into writer: inout ByteWriter) -> ColumnData {
    let packing = HuffmanPacking((0..<flat.count).map { UInt8(min(flat.size($0), 255)) })
    packing.writeLengths(to: &writer)
    let textPacking = HuffmanPacking(text: flat.all, records: flat.count)
    textPacking.writeLengths(to: &writer)
    return .texts(flat, packing, textPacking)
  }

  /// What a column would take as text, in bits: an estimate in whole numbers.
  private struct TextCost {
    var distinct: [Text] = []
    var codes: [Int] = []
    var plainBits = 0
    /// nil if the column repeats too little.
    var dictionaryBits: Int?

    init(_ texts: Texts) {
      var table = TextTable(limit: min(texts.count / 2 + 2, 65536))
      codes = [Int](unsafeUninitializedCapacity: texts.count) { codes, size in
        for text in texts {
          plainBits += 4 * text.count + 5
          guard table.texts.count <= texts.count / 2 + 1, table.texts.count < 65536 else { continue }
          codes.initializeElement(at: size, to: table.number(of: text))
          size += 1
        }
      }
      distinct = table.texts
      guard distinct.count <= texts.count / 2 + 1, codes.count == texts.count else { return }
      var counts = [Int](repeating: 0, count: distinct.count)
      for code in codes { counts[code] += 1 }
      var bits = 0
      for (number, count) in counts.enumerated() {
        bits += 4 * distinct[number].count + 8
        // The entropy of the codes, log2 in 64ths.
        bits += count * (binaryLogarithm(texts.count) - binaryLogarithm(count)) / 64
      }
      dictionaryBits = bits + texts.count / 4
    }
  }

  private static func textsPerTail(_ texts: Texts, _ tails: Tails) -> [Text]? {
    var perTail = [Text?](repeating: nil, count: tails.texts.count)
    for (text, code) in zip(texts, tails.codes) {
      if let known = perTail[Int(code)] {
        guard equalBytes(known, text) else { return nil }
      } else {
        perTail[Int(code)] = text
      }
    }
    return perTail.map { $0! }
  }
}

/// log2 of a positive number in 64ths, linear between powers of two: good to 6/64, the same on every machine.
func binaryLogarithm(_ value: Int) -> Int {
  let whole = Int.bitWidth - 1 - value.leadingZeroBitCount
  return whole * 64 + (((value - (1 << whole)) << 6) >> whole)
}

/// Writes runs of bits, lowest first, as many as were announced.
struct BitWriter: ~Copyable {
  private let bytes: UnsafeMutableRawBufferPointer
  private var byteCount = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0
  private let announced: Int
  private(set) var bitCount = 0

  /// - Parameter bitCount: The most that will be written.
  init(bitCount: Int) {
    announced = bitCount
    bytes = .allocate(byteCount: bitCount / 8 + 16, alignment: 8)
  }

  deinit { bytes.deallocate() }

  /// Writes the low `width` bits of `value`, at most 56; those above are 0.
  mutating func write(_ value: UInt64, _ width: Int) {
    bitCount += width
    precondition(width <= 56 && bitCount <= announced, "more bits than there is room for")
    // Fewer than eight are pending: 63 together.
    pending |= value << UInt64(pendingCount)
    pendingCount += width
    // All eight bytes, of which the whole ones stay: there is room for them behind the last.
    (bytes.baseAddress! + byteCount).storeBytes(of: pending.littleEndian, as: UInt64.self)
    let whole = pendingCount >> 3
    byteCount += whole
    pending >>= UInt64(whole << 3)
    pendingCount &= 7
  }

  /// What was written, zeros behind the last bit.
  mutating func finish() -> [UInt8] {
    if pendingCount > 0 {
      bytes[byteCount] = UInt8(truncatingIfNeeded: pending)
      byteCount += 1
      (pending, pendingCount) = (0, 0)
    }
    return Array(bytes[..<byteCount])
  }
}
