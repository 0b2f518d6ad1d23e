import ShardedIndex

/// The shapes of a shard's records. A shape is the list of a record's fields, in its order. Source: docs/format.md
/// section 4.
struct RecordShapes {
  /// The numbers of the columns' names, in order of first appearance.
  private(set) var columns: [Int] = []
  /// The columns of each shape.
  private(set) var shapes: [[Int]] = []
  /// The number of each record's shape.
  private(set) var codes: [Int] = []
  /// The numbers of shapes, once there are more shapes than a search goes through.
  private var numbers: [[Int]: Int] = [:]

  /// The most shapes that a search compares one by one.
  private static let fewShapes = 16

  /// The most fields in memory at once, records times columns.
  ///
  /// Records without common fields have few bytes and very many fields: ten thousand records with one field of their
  /// own each would have a hundred million fields. More fields are too large for a shard, like too many columns.
  private static let fieldLimit = 1 << 22

  /// - Parameter nameCount: The number of names that records may have.
  /// - Returns: nil if the records have more columns than a shard can have, or more fields than memory holds at once.
  init?(_ records: [RecordBlob], nameCount: Int) {
    var columnOf = [Int](repeating: -1, count: nameCount)
    var lastNames: [UInt32] = []
    var lastCode = -1
    codes.reserveCapacity(records.count)
    for record in records {
      let fields = record.fieldCount
      var isSame = lastCode >= 0 && fields == lastNames.count
      if isSame { for field in 0..<fields where record.fieldName(field) != lastNames[field] { isSame = false } }
      if !isSame {
        lastNames = (0..<fields).map { record.fieldName($0) }
        let shape = lastNames.map { name in
          if columnOf[Int(name)] >= 0 { return columnOf[Int(name)] }
          columnOf[Int(name)] = columns.count
          columns.append(Int(name))
          return columns.count - 1
        }
        guard columns.count <= ShardHeader.columnLimit else { return nil }
        // One record is a shard for any number of fields.
        guard records.count == 1 || columns.count * records.count <= Self.fieldLimit else { return nil }
        lastCode = code(of: shape)
      }
      codes.append(lastCode)
    }
  }

  /// Returns the number of a shape, and adds the shape if it is new.
  private mutating func code(of shape: [Int]) -> Int {
    if let known = shapes.count <= Self.fewShapes ? shapes.firstIndex(of: shape) : numbers[shape] { return known }
    shapes.append(shape)
    if shapes.count > Self.fewShapes {
      for code in numbers.count..<shapes.count { numbers[shapes[code]] = code }
    }
    return shapes.count - 1
  }

  var count: Int { shapes.count }

  /// Writes the columns' names and the shapes in the form of the shard's header.
  func write(names: [String], to header: inout ByteWriter) {
    for column in columns {
      let name = names[column]
      header.writeVarint(name.utf8.count)
      header.write(name)
    }
    for shape in shapes {
      header.writeVarint(shape.count)
      for column in shape { header.writeVarint(column) }
    }
  }
}
