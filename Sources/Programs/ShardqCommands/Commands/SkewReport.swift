#if CommandLineTool
  import QueryOutput
  import ShardBuilder

  extension RangeSkew {
    /// The text about a range that takes far longer than the others, and the remedy.
    package var note: String {
      let number = QueryRunner.grouped
      let (place, things) = isOfEntries ? ("range \(range) of entries", "entries") : ("range \(range)", "records")
      // The fold puts U+0001 between the components of a key.
      let shown = key.split(separator: 1).map { printable(String(decoding: $0, as: UTF8.self)) }.joined(separator: ", ")
      let remedy =
        isOfEntries
        ? "fewer words or other names make fewer of them (--words, --alias)"
        : "a key with more fields tells them apart (--key)"
      return "\(place) has \(number(records)) of the sample's \(number(total)) \(things), over twice the mean: "
        + "\(number(recordsOfKey)) have its first key, \"\(shown)\". "
        + "\(things.prefix(1).uppercased() + things.dropFirst()) with one key stay in one range, so its process takes "
        + "longer than the others; \(remedy). A larger sample gives more exact numbers"
    }
  }
#endif
