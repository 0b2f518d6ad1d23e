import ShardedIndex

/// The bytes of one text; valid as long as the text's record.
package typealias Text = UnsafeBufferPointer<UInt8>
/// The texts of a column, one for every record.
package typealias Texts = UnsafeBufferPointer<Text>

/// The texts of a shard and their kinds, column by column: one text for every record, also for those without the field.
@safe struct ColumnTexts: ~Copyable {
  private let texts: UnsafeMutableBufferPointer<Text>
  private var kinds: [UInt8]
  private let count: Int
  private static let missing: UInt8 = 0xff

  init(_ records: [RecordBlob], _ shapes: RecordShapes) {
    count = records.count
    let size = shapes.columns.count * count
    unsafe texts = .allocate(capacity: size)
    unsafe texts.initialize(repeating: .empty)
    var allKinds = [UInt8](repeating: Self.missing, count: size)
    // This is a span: each access of an array's element asks whether the array is shared.
    var kinds = allKinds.mutableSpan
    var code = -1
    var shape: [Int] = []
    for (row, record) in records.enumerated() {
      if shapes.codes[row] != code {
        code = shapes.codes[row]
        shape = shapes.shapes[code]
      }
      var offset = record.textsOffset
      for (field, column) in shape.enumerated() {
        unsafe texts[column * count + row] = unsafe record.text(field, &offset)
        kinds[column * count + row] = record.fieldKind(field).rawValue
      }
    }
    self.kinds = allKinds
    guard shapes.count > 1 else { return }
    for column in shapes.columns.indices { fill(column * count..<(column + 1) * count) }
  }

  deinit { unsafe texts.deallocate() }

  /// Gives each record without a field the text of the record before, or else of the first: a repeated text costs
  /// nothing.
  private mutating func fill(_ column: Range<Int>) {
    guard var last = column.first(where: { kinds[$0] != Self.missing }) else { return }
    for slot in column {
      if kinds[slot] == Self.missing {
        unsafe (texts[slot], kinds[slot]) = unsafe (texts[last], kinds[last])
      } else {
        last = slot
      }
    }
  }

  /// Returns the texts of a column; valid as long as this value.
  func texts(_ column: Int) -> Texts { unsafe Texts(rebasing: texts[column * count..<(column + 1) * count]) }

  func kinds(_ column: Int) -> ArraySlice<UInt8> { kinds[column * count..<(column + 1) * count] }
}

/// Texts in one buffer, one after the other.
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
    unsafe all.withUnsafeBufferPointer { bytes in
      unsafe ends.indices.map { unsafe bytes.part(start($0)..<ends[$0]) }.withUnsafeBufferPointer { unsafe body($0) }
    }
  }
}
