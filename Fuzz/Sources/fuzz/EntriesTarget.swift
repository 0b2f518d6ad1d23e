import ShardedIndex

/// Reads the content of the frame of entries, and the texts of an entry, by themselves.
///
/// Input: the content of the frame. Or two bytes, the sizes of an entry's key and of its text before a word start; then
/// both texts, and the text that names the entry's records.
final class EntriesTarget: FuzzTarget {
  func run(_ input: UnsafeBufferPointer<UInt8>) {
    if let head = try? EntriesHead(Array(input)) {
      let list = head.lastComponents
      require(
        list.count <= LastComponents.countLimit && list.size <= LastComponents.byteLimit + 4 * list.count, "its size")
      for index in 0..<list.count {
        require(index == 0 || list[index - 1].lexicographicallyPrecedes(list[index]), "the order of last components")
        require(list[index].isEmpty || list.hasWord(beginning: list[index]), "a last component that is not found")
      }
      require((try? EntriesHead(head.content)) == head, "its content")
    }
    var reader = InputReader(input)
    let sizes = (reader.byte(), reader.byte())
    let (key, beginning) = (Array(reader.bytes(Int(sizes.0))), Array(reader.bytes(Int(sizes.1))))
    let target = Array(reader.rest)
    for beginning in [nil, beginning] {
      let entry = EntryTarget(key: key, beginning: beginning, target: target)
      require(entry.recordKey.count <= key.count + target.count, "a key of a record from nowhere")
      require((entry.beginning == nil) == (beginning == nil), "the kind of an entry")
    }
    PlainForm.plain(target).withUnsafeBufferPointer { _ = PlainForm.isPlain($0) }
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    let head = EntriesHead(
      fileSize: 700, digest: Array(0..<16), rootChecksum: 77,
      lastComponents: LastComponents([Array("fr".utf8), Array("us".utf8)]))
    return [
      ("frame", head.content), ("over", head.content.dropLast(7) + [0x81, 0x20]),
      ("word", [4, 3] + Array("ab\u{1}cst st. ".utf8) + [0]), ("name", [4, 0] + Array("ab\u{1}cx y\u{1}".utf8)),
    ]
  }
}
