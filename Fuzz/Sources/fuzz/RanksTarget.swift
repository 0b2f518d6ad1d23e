import ShardedIndex

/// Reads the contents of the frames of ranks and of numbers by themselves.
///
/// Input: a byte, the number of pages, a u16 and as many bytes of the first frame, and the content of a page's frame.
final class RanksTarget: FuzzTarget {
  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let count = Int(reader.byte())
    let head = reader.bytes(reader.word())
    for end in [0, 40] {
      guard let head = try? MaximaHead(head, frameSize: 10, chainSize: 10 + end, pageCount: count) else { continue }
      require(head.maximum(ofPages: 0..<count) <= WeightRule.limit, "a weight over 63 bits")
      for page in 0..<count { require(head.range(ofPage: page).upperBound <= end, "a page behind the ranks") }
    }
    let form = MaximaForm.numbers(fields: 1)
    _ = try? MaximaHead(head, frameSize: 10, chainSize: 50, pageCount: count, form: form)
    readNumber(input)
    let content = Array(reader.rest)
    for shardCount in [1, 2, 64] {
      for maximum in [0, 1, 200, WeightRule.limit] {
        let ends = [maximum, NumberCode.negated(maximum)]
        _ = try? MaximaPage(content, shardCount: shardCount, maxima: ends, form: form)
        guard let page = try? MaximaPage(content, shardCount: shardCount, maxima: [maximum]) else { continue }
        for shard in 0..<shardCount {
          let weights = page.values(ofShard: shard)
          require(
            weights.max() == page.maximum(ofShard: shard) && weights.max()! <= maximum, "a shard's greatest weight")
        }
      }
    }
    require(unsafe WeightRule(scale: nil)!.weight(of: input) <= WeightRule.limit, "a weight over 63 bits")
    guard let rule = WeightRule(scale: String(decoding: input.prefix(20), as: UTF8.self)) else { return }
    require(unsafe rule.weight(of: input) <= WeightRule.limit, "a weight over 63 bits")
  }

  /// Reads a text as a number and as a range.
  private func readNumber(_ text: UnsafeBufferPointer<UInt8>) {
    _ = NumberCode.range(Array(text), ofDates: text.count % 2 == 0)
    guard let code = unsafe NumberCode.code(of: text.span) else { return }
    require(NumberCode.code(of: NumberCode.text(code).span) == code, "a code whose text has another code")
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    var head = ByteWriter()
    head.write(MaximaForm.ranks.magic)
    for word in [2, 15, 40, 1, 2] as [UInt32] { head.write(word) }
    for weight in [200, 1] as [UInt64] { head.write(weight) }
    let page: [UInt8] = [2, 1, 0xc8, 1, 0, 7]
    return [
      ("frames", [2, UInt8(head.bytes.count), 0] + head.bytes + page), ("number", Array("1.5e3".utf8)),
      ("product", Array("+.00012e-2".utf8)), ("date", Array("2025-01-31T23:30:00.5+01:00".utf8)),
      ("range", Array("20..50".utf8)),
    ]
  }
}
