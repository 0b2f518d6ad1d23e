import ShardedIndex

/// The first 16 bytes of the SHA-256 of all data that a piece's shards are made from.
package struct PieceDigest: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Piece {
  /// Returns the digest that identifies the shards of this piece, without the options of the build, and the numbers of
  /// the piece's fields in the order of their appearance.
  ///
  /// The order of appearance numbers the field names here, so that the digest depends neither on the dataset's numbers
  /// nor on other pieces.
  ///
  /// - Parameter names: The field names, by number.
  package func digest(names: [String]) -> (digest: PieceDigest, fields: [UInt32]) {
    var fields: [UInt32] = []
    var isInOrder = true  // Whether the fields have these numbers already.
    var isSeen = [Bool](repeating: false, count: names.count)
    for index in 0..<count {
      let record = record(index)
      for field in 0..<record.fieldCount {
        let name = record.fieldName(field)
        guard !isSeen[Int(name)] else { continue }
        isSeen[Int(name)] = true
        isInOrder = isInOrder && Int(name) == fields.count
        fields.append(name)
      }
    }
    var stream = Digest.Stream()
    var head = ByteWriter()
    head.write(UInt64(firstWeight))  // The division of a piece depends on this weight.
    head.write(UInt32(fields.count))
    for field in fields {
      let name = names[Int(field)]
      head.write(UInt32(name.utf8.count))
      head.write(name)
    }
    unsafe stream.update(head.bytes.span.bytes)
    if isInOrder {
      unsafe forEachRun { unsafe stream.update($0.bytes) }
    } else {
      hashRenumbered(fields, names.count, into: &stream)
    }
    let digest = stream.finish()
    func word(_ start: Int) -> UInt64 { digest[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    return (PieceDigest(high: word(0), low: word(8)), fields)
  }

  /// Hashes the records' bytes, with each field's name by its index in `fields`.
  private func hashRenumbered(_ fields: [UInt32], _ nameCount: Int, into stream: inout Digest.Stream) {
    var own = [UInt32](repeating: 0, count: nameCount)
    for (number, name) in fields.enumerated() { own[Int(name)] = UInt32(number) }
    var scratch: [UInt8] = []
    for index in 0..<count {
      let record = record(index)
      unsafe record.withHeader(renumbered: own, &scratch) { unsafe stream.update($0.bytes) }
      unsafe stream.update(record.body.bytes)
    }
  }
}
