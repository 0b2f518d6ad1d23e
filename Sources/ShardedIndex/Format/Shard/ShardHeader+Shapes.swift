extension ShardHeader {
  /// Reads the number of each column's field among the index's field names.
  static func readNames(
    _ reader: inout ByteReader, _ counts: HeaderCounts, _ scratch: inout Arena,
    name: (UnsafeBufferPointer<UInt8>) -> Int?
  ) throws(FormatError) -> ArenaList<UInt16> {
    var names = unsafe ArenaList<UInt16>(capacity: counts.columns, in: &scratch)
    for _ in 0..<counts.columns {
      let at = reader.offset
      guard let number = unsafe name(try reader.read(bytes: try reader.readVarint())) else {
        throw .invalid(reason: "has a field that the manifest does not name", offset: at)
      }
      // There are few columns: comparing all of them takes less time than looking up their names.
      for other in unsafe 0..<names.count where unsafe Int(names[other]) == number {
        throw .invalid(reason: "has two columns of one field", offset: at)
      }
      unsafe names.append(UInt16(truncatingIfNeeded: number), in: &scratch)
    }
    return unsafe names
  }

  /// The shapes of records. A shape is the list of a record's columns, in order.
  @safe struct Shapes {
    /// The end of each shape's columns.
    let ends: UnsafePointer<UInt32>
    let columns: UnsafePointer<UInt16>
    let code: HuffmanCode
    /// Whether every record has every column once.
    let isPlain: Bool
    /// The position of each column's cell among the cells of a record.
    let cells: ArenaList<UInt16>

    init(_ reader: inout ByteReader, _ counts: HeaderCounts, _ memory: inout ParsingMemory) throws(FormatError) {
      // A shape has at least two bytes in the file, so the bytes bound the number of shapes.
      guard counts.shapes <= reader.count else {
        throw .truncated(offset: reader.offset, needed: counts.shapes, available: reader.count)
      }
      let ends = unsafe memory.kept.allocate(UInt32.self, counts.shapes)
      let fields = unsafe try Self.readFields(&reader, counts, ends, &memory.scratch)
      unsafe self.ends = .init(ends)
      code = 2...256 ~= counts.shapes ? try memory.readCode(&reader, below: counts.shapes) : HuffmanCode()
      isPlain = unsafe counts.shapes == 1 && fields.count == counts.columns
      var cells = unsafe ArenaList<UInt16>(capacity: counts.columns, in: &memory.scratch)
      for index in 0..<counts.columns { unsafe cells.append(UInt16(index), in: &memory.scratch) }
      if isPlain { for index in 0..<counts.columns { unsafe cells[Int(fields[index])] = UInt16(index) } }
      unsafe self.cells = cells
      unsafe columns = memory.kept.copy(fields)
    }

    /// Reads the columns of all shapes, and puts the end of each shape into `ends`.
    private static func readFields(
      _ reader: inout ByteReader, _ counts: HeaderCounts, _ ends: UnsafeMutablePointer<UInt32>, _ scratch: inout Arena
    ) throws(FormatError) -> ArenaList<UInt16> {
      var fields = unsafe ArenaList<UInt16>(capacity: counts.columns, in: &scratch)
      // For each column, the number of the last shape with it, plus one.
      let shapeOf = unsafe scratch.allocate(repeating: 0 as UInt32, counts.columns)
      for shape in 0..<counts.shapes {
        let count = try reader.readVarint()
        guard count <= counts.columns else {
          throw .invalid(reason: "has a shape with more fields than columns", offset: reader.offset)
        }
        for _ in 0..<count {
          let column = try reader.readVarint()
          guard column < counts.columns else {
            throw .invalid(reason: "has a shape that names the missing column \(column)", offset: reader.offset)
          }
          guard unsafe Int(shapeOf[column]) != shape + 1 else {
            throw .invalid(reason: "has a shape that names column \(column) twice", offset: reader.offset)
          }
          unsafe shapeOf[column] = UInt32(shape + 1)
          unsafe fields.append(UInt16(column), in: &scratch)
        }
        unsafe ends[shape] = UInt32(fields.count)
      }
      return unsafe fields
    }
  }
}
