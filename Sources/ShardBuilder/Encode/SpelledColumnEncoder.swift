import ShardedIndex

/// The encoder of a column whose texts are spellings of the key's stem. A script turns the stem into the text.
struct SpelledColumnEncoder {
  var rule: UInt8
  var piece: UInt8
  /// The scripts of all records; empty if the rule alone is right.
  var scripts: FlatTexts
  /// The estimated bits of the scripts.
  var bits: Int

  init(_ texts: Texts, _ stems: [Text]) {
    // A sample of the column tells which piece of the stem and which letter case are nearest to the texts.
    var best: (cost: Int, rule: UInt8, piece: UInt8)?
    let step = max(1, texts.count / 64)
    for piece in [255, 0, 1, 2] as [UInt8] {
      for rule in [0, 1, 2] as [UInt8] {
        var cost = 0
        for index in stride(from: 0, to: texts.count, by: step) where cost < best?.cost ?? Int.max {
          unsafe cost += Self.script(from: Spelling.piece(piece, of: stems[index]), rule, to: texts[index]).count
        }
        if best == nil || cost < best!.cost { best = (cost, rule, piece) }
      }
    }
    rule = best!.rule
    piece = best!.piece
    scripts = FlatTexts(count: texts.count)
    for unsafe(text, stem) in unsafe zip(texts, stems) {
      let script = unsafe Self.script(from: Spelling.piece(piece, of: stem), rule, to: text)
      scripts.append(script)
    }
    bits = scripts.byteCount * 6 + texts.count
  }

  /// Returns the script that makes `text` from a folded text.
  static func script(from folded: Text, _ rule: UInt8, to text: Text) -> [UInt8] {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * folded.count + 64) { scratch in
      // The bytes before the text belong to no word.
      let (copy, cased) = unsafe (scratch.baseAddress! + 1, scratch.baseAddress! + folded.count + 32)
      unsafe copy[-1] = 0
      if let start = folded.baseAddress { unsafe copy.update(from: start, count: folded.count) }
      unsafe Spelling.applyCase(rule, UnsafeBufferPointer(start: UnsafePointer(copy), count: folded.count), to: cased)
      let source = unsafe UnsafeBufferPointer(start: UnsafePointer(cased), count: folded.count)
      if unsafe equalBytes(source, text) { return [] }
      if let script = unsafe differences(source, text), script.count <= text.count { return script }
      return unsafe [0xff] + text
    }
  }

  private static func differences(_ source: Text, _ text: Text) -> [UInt8]? {
    var script: [UInt8] = []
    var (from, to, copied) = (0, 0, 0)
    func pad(_ limit: Int) {
      // An operation has no room for a longer distance: the script gets copies without a change.
      while copied > limit {
        script += [0xc0 | 62, 0, 0]
        copied -= 62
      }
    }
    while to < text.count {
      let byte = unsafe text[to]
      if from < source.count, unsafe source[from] == byte {
        (from, to, copied) = (from + 1, to + 1, copied + 1)
      } else if from < source.count, byte < 0x80, unsafe source[from] ^ 0x20 == byte, (byte | 0x20) &- 0x61 < 26 {
        pad(127)
        script.append(UInt8(copied))
        (from, to, copied) = (from + 1, to + 1, 0)
      } else {
        let size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
        guard to + size <= text.count else { return nil }
        let character = unsafe text.part(to..<to + size)
        guard let dropped = unsafe foldedSize(of: character, in: source, at: from) else { return nil }
        pad(62)
        if dropped == 1 {
          script.append(0x80 | UInt8(copied))
        } else {
          script += [0xc0 | UInt8(copied), UInt8(dropped), UInt8(size)]
        }
        unsafe script += character
        (from, to, copied) = (from + dropped, to + size, 0)
      }
    }
    if from < source.count {
      guard source.count - from < 256 else { return nil }
      pad(62)
      script += [0xc0 | UInt8(copied), UInt8(source.count - from), 0]
    }
    return script
  }

  /// Returns the number of bytes of `source` from `at` on that `character` folds to, letter case aside; nil if there is
  /// no match.
  private static func foldedSize(of character: Text, in source: Text, at: Int) -> Int? {
    var folded: [UInt8] = []
    unsafe Fold.fold(character, into: &folded)
    guard at + folded.count <= source.count, folded.count < 256 else { return nil }
    for (offset, byte) in folded.enumerated() {
      let other = unsafe source[at + offset]
      guard other == byte || (other ^ 0x20 == byte && (byte &- 0x61) < 26) else { return nil }
    }
    return folded.count
  }
}
