extension Generation {
  /// Reads a shard from its file, checks it as a query does, and passes its parts to `body` one by one.
  package func readWhole<Failure: Error>(
    _ shard: Manifest.Shard, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(shard, parts: { 0..<$0.count }, body)
  }

  /// Reads the first part of a shard from its file and checks it.
  package func readFirst<Failure: Error>(
    _ shard: Manifest.Shard, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(shard, parts: { _ in 0..<1 }, body)
  }

  /// Reads the last part of a shard from its file and checks it.
  package func readLast<Failure: Error>(
    _ shard: Manifest.Shard, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(shard, parts: { $0.count - 1..<$0.count }, body)
  }

  /// Returns the numbers of the fields of a shard's records, in the order of its columns.
  package func fieldNumbers(of shard: Manifest.Shard) throws(IndexError) -> [UInt32] {
    let file = try shards.loader.open(shard.source, at: manifest.place(ofShard: shard.number))
    let header = try shards.loader.header(file, shard.source, of: manifest.root)
    return (0..<header.columnCount).map { unsafe UInt32(header.layout.pointee.columns[$0].name) }
  }

  /// Reads the parts that may have folded keys in the closed range `keys`, likewise; all parts if `keys` is nil.
  package func read<Failure: Error>(
    _ shard: Manifest.Shard, keys: (least: [UInt8], greatest: [UInt8])?, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(
      shard,
      parts: { parts in
        guard let keys else { return 0..<parts.count }
        let first = keys.least.withFoldedPrefix { parts.first(for: $0) }
        let last = keys.greatest.withFoldedPrefix { parts.last(for: $0, from: first) }
        return first..<last + 1
      }, body)
  }

  private func read<Failure: Error>(
    _ shard: Manifest.Shard, parts: (PartTable) -> Range<Int>, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    let loader = shards.loader
    var file = try loader.open(shard.source, at: manifest.place(ofShard: shard.number))
    let header = try loader.header(file, shard.source, of: manifest.root)
    let numbers = parts(header.parts)
    if numbers.count > 1 { try file.hold() }
    for number in numbers {
      let part = try loader.part(number, of: header, file, unpacks: true)
      let columns = try part.columns(
        unpack: { (packed) throws(IndexError) in try loader.columns(packed, of: part, path: file.path) },
        grew: { _ in })
      do throws(Failure) {
        try body(PartContent(number, of: header, part.keys, columns))
      } catch {
        return .failure(error)
      }
      withExtendedLifetime(part) {}
    }
    return .success(())
  }
}
