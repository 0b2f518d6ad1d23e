import ShardedIndex

extension DensityGrid {
  /// One bit a cell, set if the cell has a record: row by row, the most significant bit first.
  package var bits: [UInt8] {
    var bits = [UInt8](repeating: 0, count: Self.columns * Self.rows / 8)
    for row in 0..<Self.rows {
      for column in 0..<Self.columns where count(column: column, row: row) > 0 {
        let bit = row * Self.columns + column
        bits[bit / 8] |= 0x80 >> UInt8(bit % 8)
      }
    }
    return bits
  }
}
