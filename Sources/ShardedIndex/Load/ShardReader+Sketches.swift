// This file reads sketches from side files. Source: docs/format.md section 3.12.

extension ShardReader {
  /// Returns the sketch of a page. The index must have sketches.
  func sketch(ofPage page: Int) throws(IndexError) -> SketchForest {
    try sketch(.pageSketch, ofPage: page) { (content) throws(FormatError) in
      try SketchForest(page: content, shardCount: manifest.root.tree.shards(below: page, level: 0))
    }
  }

  /// Returns the sketches of a group of shards of a page.
  func sketch(ofGroup group: Int, ofPage page: Int) throws(IndexError) -> SketchForest {
    let alphabet = try sketch(ofPage: page).alphabet
    return try sketch(.sketches(group: group), ofPage: page) { (content) throws(FormatError) in
      let first = group * SketchForest.groupSize
      let end = min(first + SketchForest.groupSize, manifest.root.tree.shards(below: page, level: 0))
      return try SketchForest(group: content, shardCount: end - first, alphabet: alphabet)
    }
  }

  private func sketch(
    _ name: SideFrameName, ofPage page: Int, parse: ([UInt8]) throws(FormatError) -> SketchForest
  ) throws(IndexError) -> SketchForest {
    let content = try side(name, ofPage: page) { (content) throws(FormatError) in .sketch(try parse(content)) }
    guard case .sketch(let forest) = content else {
      throw .corrupt(
        path: directory.filePath(Manifest.fileName),
        cause: .invalid(reason: "lacks the sketch of page \(page)", offset: 0))
    }
    return forest
  }
}
