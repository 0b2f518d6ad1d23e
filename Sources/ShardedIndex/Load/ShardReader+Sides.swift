// This file reads side files. Source: docs/format.md section 3.12.

extension ShardReader {
  /// Returns the table of a page; nil if the page has too many values for a table.
  func table(_ table: SideTable, ofPage page: Int) throws(IndexError) -> ValueTable? {
    let content = try side(table.ofShards, ofPage: page) { (content) throws(FormatError) in
      .table(try ValueTable(content, shardCount: manifest.root.tree.shards(below: page, level: 0)))
    }
    guard case .table(let table) = content else { return nil }
    return table
  }

  /// Returns the values of the parts of a shard's group, and the shard's position in the group. The page must have the
  /// table.
  func parts(
    of table: SideTable, _ values: ValueTable, shard: Int
  ) throws(IndexError) -> (parts: ValueParts, index: Int) {
    let (page, position) = shard.quotientAndRemainder(dividingBy: Manifest.pageCapacity)
    let (group, index) = position.quotientAndRemainder(dividingBy: SidePage.groupCapacity)
    let content = try side(table.ofParts(group: group), ofPage: page) { (content) throws(FormatError) in
      let first = group * SidePage.groupCapacity
      let end = min(first + SidePage.groupCapacity, manifest.root.tree.shards(below: page, level: 0))
      return .parts(try ValueParts(content, of: values, shards: first..<end, steps: WeightStep(ofEntries: isOfEntries)))
    }
    guard case .parts(let parts) = content else {
      throw .corrupt(
        path: directory.filePath(Manifest.fileName),
        cause: .invalid(reason: "lacks the frame with the values of shard \(shard)", offset: 0))
    }
    return (parts, index)
  }

  /// Returns the content of a frame of a page's side file; nil if the file has no such frame. Reads the frame unless it
  /// is in memory.
  ///
  /// - Parameter parse: Checks the bytes of the content.
  func side(
    _ name: SideFrameName, ofPage page: Int, parse: ([UInt8]) throws(FormatError) -> SideContent
  ) throws(IndexError) -> SideContent? {
    if let content = manifest.sides[.page(page, name)] { return content }
    let side = try manifest.sidePage(page)
    guard let frame = side.frame(name) else { return nil }
    let file: IndexFile
    do throws(IndexError) { file = try loader.open(side, at: manifest.place(ofSides: page)) } catch {
      throw explained(error)
    }
    let content = try file.frame(
      frame.start..<frame.start + frame.size, checksum: frame.checksum, name: "sides", with: loader.contexts
    ) { (content, _) throws(FormatError) in
      guard content.count == frame.contentSize else {
        throw .wrongSize(found: content.count, expected: frame.contentSize)
      }
      return try parse(content)
    }
    manifest.sides.keep(content, of: .page(page, name))
    return content
  }

  /// Returns the numbers of the parts of a shard in a side file, and checks their count against the shard.
  func range(of tables: ValueParts, ofShard index: Int, count: Int, shard: Int) throws(IndexError) -> Range<Int> {
    let range = tables.range(ofShard: index)
    guard range.count == count else {
      let reason = "has \(count) parts, and tables of \(range.count) parts"
      throw .corrupt(path: filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
    }
    return range
  }
}

extension ShardLoader {
  /// Opens a side file. If digests are checked, the whole file is read, checked and held.
  fileprivate func open(_ side: SidePage, at place: ArchivePlace?) throws(IndexError) -> IndexFile {
    var file = try directory.file(side.fileName, size: side.fileSize, at: place)
    if checksDigests {
      try file.hold()
      guard try file.digest().starts(with: side.digest) else { throw .corrupt(path: file.path, cause: .wrongDigest) }
    }
    return file
  }
}
