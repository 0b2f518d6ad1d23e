/// Which texts count as the same: case, accents, width and the way a letter is encoded do not matter.
///
/// Two keys that fold to the same bytes are found by the same queries, and folded keys compare as bytes. The
/// fold depends on nothing but ``FoldTable``, so that an index means the same on every platform.
///
/// Source: docs/matching.md, which has the rules and their reasons.
package enum Fold {
  /// Stands in the manifest: an index answers only the fold that made it.
  package static let version: UInt32 = FoldTable.version
  /// Of the table's bytes.
  package static let tableHash: UInt64 = FoldTable.hash
  /// What a comma and the white space around it fold to. Sorts before all else: city first, then country.
  package static let separator: UInt8 = 0x01
  /// What white space folds to.
  package static let space: UInt8 = 0x20

  /// Appends the fold of `text` to `output`.
  ///
  /// - Parameter text: UTF-8. Each maximal part that is ill-formed counts as U+FFFD.
  /// - Complexity: O(*n*), whatever the text.
  package static func fold(_ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    guard let input = text.baseAddress, !text.isEmpty else { return }
    // Most texts are short, and growing an array only to shrink it again costs more than their fold.
    if text.count <= Folder.shortText, unsafe foldShort(input, count: text.count, into: &output) { return }
    let base = output.count
    var folder = Folder()
    var position = 0
    var room = text.count + Folder.slack
    repeat {
      output.append(contentsOf: repeatElement(0, count: room))
      unsafe output.withUnsafeMutableBufferPointer { buffer in
        let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[base...])
        unsafe folder.run(input, count: text.count, from: &position, into: target)
        if position == text.count { unsafe folder.endRun(in: target.baseAddress) }
      }
      output.removeLast(output.count - base - folder.count)
      // What is left may grow: a syllable of three bytes becomes three letters, nine bytes.
      room = Folder.slack + 3 * (text.count - position)
    } while position < text.count
  }

  /// Folds by way of the stack; false, and nothing appended, if the fold is too long for that.
  private static func foldShort(_ input: UnsafePointer<UInt8>, count: Int, into output: inout [UInt8]) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: shortCapacity) { target in
      guard let size = unsafe foldShort(UnsafeBufferPointer(start: input, count: count), into: target) else {
        return false
      }
      unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: target[..<size]))
      return true
    }
  }

  /// What ``foldShort(_:into:)`` wants, in bytes: small enough for the stack.
  package static let shortCapacity = 3 * Folder.shortText + Folder.slack

  /// Folds a short text without allocating.
  ///
  /// - Parameter target: Of ``shortCapacity`` bytes.
  /// - Returns: The size of the fold in bytes; nil if the text or its fold is too long for that.
  package static func foldShort(
    _ text: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard let input = text.baseAddress, !text.isEmpty else { return 0 }
    guard text.count <= Folder.shortText, target.count >= shortCapacity else { return nil }
    var folder = Folder()
    var position = 0
    unsafe folder.run(input, count: text.count, from: &position, into: target)
    guard position == text.count else { return nil }
    unsafe folder.endRun(in: target.baseAddress)
    return folder.count
  }

  /// The fold of `text`, in an array of its own.
  package static func fold(_ text: some StringProtocol) -> [UInt8] {
    var output: [UInt8] = []
    var text = String(text)
    text.withUTF8 { unsafe fold($0, into: &output) }
    return output
  }

  /// Folds ASCII without allocating: what most queries are.
  ///
  /// - Parameter output: Where the fold goes. Bytes behind it, up to the end of the buffer, may change too.
  /// - Returns: The size of the fold in bytes; nil if `text` is not all ASCII or is longer than `output`. Then
  ///   ``fold(_:into:)`` has the answer.
  package static func foldASCII(
    _ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard let input = text.baseAddress, !text.isEmpty else { return 0 }
    guard text.count <= output.count, let target = output.baseAddress else { return nil }
    var count = 0
    let position = unsafe foldASCIIPrefix(
      input, count: text.count, into: target, capacity: output.count, at: &count)
    return position == text.count ? count : nil
  }

  /// Folds up to the first byte that is not ASCII, and returns how many bytes that was.
  ///
  /// `written` starts at zero: this is how a fold begins. `capacity` is at least `count`, so that every byte
  /// has room: none becomes more than one.
  @inline(__always)
  fileprivate static func foldASCIIPrefix(
    _ input: UnsafePointer<UInt8>, count: Int, into target: UnsafeMutablePointer<UInt8>, capacity: Int,
    at written: inout Int
  ) -> Int {
    var position = 0
    while position < count {
      let size = min(8, count - position)
      let word = unsafe loadWord(input, count: count, at: position)
      // In words, a space at the start of the fold and one behind a space or a separator need a closer look.
      let start = written == 0 ? 0x20 : unsafe target[written - 1]
      if written + 8 <= capacity, let small = foldWord(word, afterGap: start <= 0x20) {
        unsafe UnsafeMutableRawPointer(target + written).storeBytes(of: small.littleEndian, as: UInt64.self)
        written += size
        position += size
        continue
      }
      let end = position + size
      while position < end {
        let byte = unsafe input[position]
        guard byte < 0x80 else { return position }
        unsafe appendASCII(byte, to: target, at: &written)
        position += 1
      }
    }
    return position
  }

  /// Up to eight bytes of the input from `position` on, the first in the lowest; letters "a" fill the word.
  @inline(__always)
  private static func loadWord(_ input: UnsafePointer<UInt8>, count: Int, at position: Int) -> UInt64 {
    let left = count - position
    if left >= 8 { return unsafe load(input + position) }
    let fill: UInt64 = 0x6161_6161_6161_6161 << UInt64(8 * left)
    if count >= 8 {  // The last eight bytes; those before `position` are shifted out.
      let last: UInt64 = unsafe load(input + (count - 8))
      return last >> UInt64(64 - 8 * left) | fill
    }
    // Here `position` is 0, and loads of fewer bytes overlap.
    if left >= 4 {
      let low = UInt32(littleEndian: unsafe UnsafeRawPointer(input).loadUnaligned(as: UInt32.self))
      let high = UInt32(
        littleEndian: unsafe UnsafeRawPointer(input + (left - 4)).loadUnaligned(as: UInt32.self))
      let shifted: UInt64 = UInt64(high) << UInt64(8 * (left - 4))
      return UInt64(low) | shifted | fill
    }
    let first: UInt64 = unsafe UInt64(input[0])
    let middle: UInt64 = unsafe UInt64(input[left / 2]) << UInt64(8 * (left / 2))
    let last: UInt64 = unsafe UInt64(input[left - 1]) << UInt64(8 * (left - 1))
    return first | middle | last | fill
  }

  @inline(__always)
  private static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: unsafe UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }

  /// Eight bytes in small letters, or nil if one of them is not ASCII, goes away or minds its neighbours.
  @inline(__always)
  private static func foldWord(_ word: UInt64, afterGap: Bool) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high = ones &* 0x80
    // The high bit of each byte: no carry leaves a byte below 0x80, and `~word` catches the others.
    let printable = word &+ ones &* 0x60  // At least 0x20
    let notComma = (word ^ ones &* 0x2c) &+ ones &* 0x7f
    let notGrave = (word ^ ones &* 0x60) &+ ones &* 0x7f
    let notDelete = (word ^ ones &* 0x7f) &+ ones &* 0x7f
    guard ~word & printable & notComma & notGrave & notDelete & high == high else { return nil }
    let spaces = ~((word ^ ones &* 0x20) &+ ones &* 0x7f) & high
    guard spaces & (spaces << 8 | (afterGap ? 0x80 : 0)) == 0 else { return nil }
    let capitals = (word &+ ones &* 0x3f) & ~(word &+ ones &* 0x25) & high  // At least "A", not over "Z"
    return word | capitals >> 2
  }

  /// Appends what one ASCII byte becomes; white space and separators look at the byte before.
  @inline(__always)
  fileprivate static func appendASCII(
    _ byte: UInt8, to target: UnsafeMutablePointer<UInt8>, at written: inout Int
  ) {
    let mapped = unsafe FoldTable.ascii.utf8Start[Int(byte)]
    if mapped > 0x20 {
      unsafe target[written] = mapped
      written += 1
    } else if mapped == 0x20 {
      unsafe appendSpace(to: target, at: &written)
    } else if mapped == separator {
      unsafe appendSeparator(to: target, at: &written)
    }
  }

  @inline(__always)
  fileprivate static func appendSpace(to target: UnsafeMutablePointer<UInt8>, at written: inout Int) {
    // No other byte of a fold is below 0x21: the one before is a space or a separator.
    guard written > 0, unsafe target[written - 1] > 0x20 else { return }
    unsafe target[written] = 0x20
    written += 1
  }

  @inline(__always)
  fileprivate static func appendSeparator(to target: UnsafeMutablePointer<UInt8>, at written: inout Int) {
    if written > 0, unsafe target[written - 1] == 0x20 { written -= 1 }
    unsafe target[written] = separator
    written += 1
  }
}

extension Fold {
  /// The folded texts whose keys answer a folded text, in the order of the keys: the text with its last space as the
  /// separator, the one that finishes a word aside, and the text.
  package static func readings(of text: [UInt8]) -> [[UInt8]] {
    guard let last = text.dropLast().lastIndex(of: space) else { return [text] }
    var separated = text
    separated[last] = separator
    return [separated, text]
  }

  /// What of `key` a folded text stands for: from its start to the end of the first character with which the fold has
  /// all of the text.
  ///
  /// Characters are marked whole, with their marks: one letter of a syllable or of a ligature marks all of it. Where a
  /// space at the end of the text finishes the word, and the key ends there or goes on with a comma, the word is marked.
  ///
  /// - Parameter text: Folded.
  /// - Returns: nil if the key is none that the text asks for.
  /// - Complexity: O(*n*), *n* being what is marked, in bytes.
  package static func matchedRange(ofFolded text: [UInt8], in key: String) -> Range<String.Index>? {
    for reading in readings(of: text) {
      if let range = range(ofPrefix: reading, in: key) { return range }
      guard reading.count > 1, reading.last == space else { continue }
      let word = Array(reading.dropLast())
      guard let range = range(ofPrefix: word, in: key) else { continue }
      if self.range(ofPrefix: word + [separator], in: key) != nil || fold(key) == word { return range }
    }
    return nil
  }

  /// The same for what the fold of `key` begins with.
  private static func range(ofPrefix prefix: [UInt8], in key: String) -> Range<String.Index>? {
    guard !prefix.isEmpty else { return key.startIndex..<key.startIndex }
    var key = key
    key.makeContiguousUTF8()
    let end: String.Index?? = key.utf8.withContiguousStorageIfAvailable { text in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + 1024) { target in
        guard let input = text.baseAddress, let output = target.baseAddress else { return nil }
        var folder = Folder()
        var (position, size) = (0, 0)
        var end = key.startIndex
        // What comes next may still change the end of a fold, a space before a comma, a voiced kana; never more.
        while end < key.endIndex, folder.count <= prefix.count + Folder.slack {
          let next = key.index(after: end)
          size += key.utf8.distance(from: end, to: next)
          end = next
          unsafe folder.run(input, count: size, from: &position, into: target)
          unsafe folder.endRun(in: output)
          if folder.count >= prefix.count, unsafe target.starts(with: prefix) { return end }
        }
        return nil
      }
    }
    return (end ?? nil).map { key.startIndex..<$0 }
  }
}

/// A fold in progress: what the next scalar must know of those before it.
private struct Folder {
  /// Bytes of the fold so far.
  var count = 0
  /// Where the marks behind the last letter begin, in the fold.
  private var runStart = 0
  /// The combining class of the last of them, 0 without any.
  private var lastClass: UInt8 = 0
  private var isUnordered = false

  /// More bytes than one step writes: the longest replacement has 63, and a syllable five letters of three.
  static let slack = 64
  /// The longest text that is folded on the stack, in bytes.
  static let shortText = 96

  /// Folds `input` from `position` until it ends or less than ``slack`` bytes are left in `target`.
  mutating func run(
    _ input: UnsafePointer<UInt8>, count size: Int, from position: inout Int,
    into target: UnsafeMutableBufferPointer<UInt8>
  ) {
    guard let output = target.baseAddress else { return }
    if position == 0, count == 0, target.count >= size {
      position = unsafe Fold.foldASCIIPrefix(
        input, count: size, into: output, capacity: target.count, at: &count)
      runStart = count
    }
    let limit = target.count - Self.slack
    while position < size, count <= limit {
      let byte = unsafe input[position]
      if byte < 0x80 {
        position += 1
        let mapped = unsafe FoldTable.ascii.utf8Start[Int(byte)]
        if mapped == 0 { continue }
        unsafe endRun(in: output)
        unsafe Fold.appendASCII(byte, to: output, at: &count)
        runStart = count
      } else {
        let (scalar, length) = unsafe Self.decode(input + position, available: size - position)
        position += length
        if scalar &- 0xac00 < 11_172 {
          unsafe appendSyllable(scalar &- 0xac00, to: output)
        } else {
          unsafe append(scalar, to: output)
        }
      }
    }
  }

  /// Puts the marks behind the last letter in canonical order.
  @inline(__always)
  mutating func endRun(in output: UnsafeMutablePointer<UInt8>?) {
    lastClass = 0
    guard isUnordered, let output = unsafe output else { return }
    isUnordered = false
    unsafe Self.orderMarks(output + runStart, count: count - runStart)
  }

  /// A Hangul syllable, as the letters it is typed with.
  private mutating func appendSyllable(_ index: UInt32, to output: UnsafeMutablePointer<UInt8>) {
    unsafe append(0x1100 &+ index / 588, to: output)
    unsafe append(0x1161 &+ index % 588 / 28, to: output)
    if index % 28 > 0 { unsafe append(0x11a7 &+ index % 28, to: output) }
  }

  private mutating func append(_ scalar: UInt32, to output: UnsafeMutablePointer<UInt8>) {
    let value = Self.lookUp(scalar)
    if value == 0 {
      unsafe appendKept(scalar, to: output)
    } else if value < FoldValue.removed {
      unsafe appendMark(scalar, class: UInt8(truncatingIfNeeded: value), to: output)
    } else if value == FoldValue.removed {
      unsafe composeCyrillic(with: scalar, in: output)
    } else {
      let entry = unsafe FoldTable.pool.utf8Start + Int(value - FoldValue.firstReplacement) * 2
      let size = unsafe Int(entry[0] & 0x3f)
      if unsafe entry[0] & FoldValue.complex == 0 {
        unsafe endRun(in: output)
        unsafe (output + count).update(from: entry + 1, count: size)
        count += size
        runStart = count
      } else {
        unsafe appendPieces(entry + 1, size: size, to: output)
      }
    }
  }

  /// A replacement with marks, white space or separators in it. What it holds is kept or a mark itself.
  private mutating func appendPieces(
    _ pieces: UnsafePointer<UInt8>, size: Int, to output: UnsafeMutablePointer<UInt8>
  ) {
    var position = 0
    while position < size {
      let (scalar, length) = unsafe Self.decode(pieces + position, available: size - position)
      position += length
      let value = Self.lookUp(scalar)
      if scalar <= 0x20 {
        unsafe endRun(in: output)
        if scalar == 0x20 {
          unsafe Fold.appendSpace(to: output, at: &count)
        } else {
          unsafe Fold.appendSeparator(to: output, at: &count)
        }
        runStart = count
      } else if value > 0, value < FoldValue.removed {
        unsafe appendMark(scalar, class: UInt8(truncatingIfNeeded: value), to: output)
      } else {
        unsafe appendKept(scalar, to: output)
      }
    }
  }

  @inline(__always)
  private mutating func appendKept(_ scalar: UInt32, to output: UnsafeMutablePointer<UInt8>) {
    unsafe endRun(in: output)
    unsafe encode(scalar, to: output)
    runStart = count
  }

  private mutating func appendMark(
    _ mark: UInt32, class combining: UInt8, to output: UnsafeMutablePointer<UInt8>
  ) {
    if mark == 0x3099 || mark == 0x309a, runStart >= 3, unsafe output[runStart - 3] == 0xe3 {
      let (base, _) = unsafe Self.decode(output + (runStart - 3), available: 3)
      if let voiced = Self.voice(base, isHalf: mark == 0x309a) {
        let end = count
        count = runStart - 3
        unsafe encode(voiced, to: output)
        count = end
        return
      }
    }
    if combining < lastClass { isUnordered = true }
    lastClass = max(lastClass, combining)
    unsafe encode(mark, to: output)
  }

  /// Takes what is removed; a mark of that may make й ў ї ѓ ќ of the letter that the run of marks belongs to.
  private func composeCyrillic(with mark: UInt32, in output: UnsafeMutablePointer<UInt8>) {
    guard runStart >= 2 else { return }
    let base = unsafe UInt16(output[runStart - 2]) << 8 | UInt16(output[runStart - 1])
    let (breve, diaeresis, acute): (Bool, Bool, Bool) =
      switch mark {
      case 0x0306: (true, false, false)
      case 0x0308: (false, true, false)
      case 0x0301, 0x0341, 0x0385, 0x1fee: (false, false, true)  // The last two hold one, behind a removed ¨.
      case 0x0344: (false, true, true)
      default: (false, false, false)
      }
    // Each letter and its composed form have two bytes in UTF-8, and a byte from 0xC0 on begins a scalar: these
    // two are the whole of the last one.
    let composed: UInt16? =
      switch base {
      case 0xd0b8 where breve: 0xd0b9  // й
      case 0xd183 where breve: 0xd19e  // ў
      case 0xd196 where diaeresis: 0xd197  // ї
      case 0xd0b3 where acute: 0xd193  // ѓ
      case 0xd0ba where acute: 0xd19c  // ќ
      default: nil
      }
    guard let composed else { return }
    unsafe output[runStart - 2] = UInt8(composed >> 8)
    unsafe output[runStart - 1] = UInt8(truncatingIfNeeded: composed)
  }

  /// The kana that `base` and a voicing mark make, if there is one.
  private static func voice(_ base: UInt32, isHalf: Bool) -> UInt32? {
    let isKatakana = base >= 0x30a1
    let hiragana = isKatakana ? base - 0x60 : base  // The two blocks are alike, but for wa to wo.
    if isHalf {
      return hiragana >= 0x306f && hiragana <= 0x307b && (hiragana - 0x306f) % 3 == 0 ? base + 2 : nil
    }
    switch hiragana {
    case 0x304b...0x3061: return hiragana % 2 == 1 ? base + 1 : nil  // か to ち
    case 0x3064, 0x3066, 0x3068, 0x309d: return base + 1  // つ て と ゝ
    case 0x306f...0x307b: return (hiragana - 0x306f) % 3 == 0 ? base + 1 : nil  // は to ほ
    case 0x3046: return isKatakana ? 0x30f4 : 0x3094  // う
    case 0x308f...0x3092: return isKatakana ? base + 8 : nil  // ワ to ヲ
    default: return nil
    }
  }

  @inline(__always)
  private static func lookUp(_ scalar: UInt32) -> UInt16 {
    guard scalar < 0x30000 else { return scalar &- 0xe0000 < 0x1000 ? FoldValue.removed : 0 }
    // In bounds: the first stage covers every scalar below, and every block it names is in the second.
    let block = unsafe unpack(FoldTable.stage1.utf8Start + Int(scalar >> 6) * 2)
    return unsafe unpack(FoldTable.stage2.utf8Start + (Int(block) * 64 + Int(scalar & 63)) * 2)
  }

  /// Fourteen bits, seven a byte.
  @inline(__always)
  private static func unpack(_ bytes: UnsafePointer<UInt8>) -> UInt16 {
    let raw = UInt16(littleEndian: unsafe UnsafeRawPointer(bytes).loadUnaligned(as: UInt16.self))
    return raw & 0x7f | raw >> 1 & 0x3f80
  }

  @inline(__always)
  private mutating func encode(_ scalar: UInt32, to output: UnsafeMutablePointer<UInt8>) {
    let low = UInt8(truncatingIfNeeded: scalar) & 0x3f | 0x80
    let next = UInt8(truncatingIfNeeded: scalar >> 6)
    if scalar < 0x80 {
      unsafe output[count] = UInt8(truncatingIfNeeded: scalar)
      count += 1
    } else if scalar < 0x800 {
      unsafe output[count] = next | 0xc0
      unsafe output[count + 1] = low
      count += 2
    } else if scalar < 0x10000 {
      unsafe output[count] = UInt8(truncatingIfNeeded: scalar >> 12) | 0xe0
      unsafe output[count + 1] = next & 0x3f | 0x80
      unsafe output[count + 2] = low
      count += 3
    } else {
      unsafe output[count] = UInt8(truncatingIfNeeded: scalar >> 18) | 0xf0
      unsafe output[count + 1] = UInt8(truncatingIfNeeded: scalar >> 12) & 0x3f | 0x80
      unsafe output[count + 2] = next & 0x3f | 0x80
      unsafe output[count + 3] = low
      count += 4
    }
  }

  /// The scalar at `bytes` and its length, or U+FFFD and the length of the maximal ill-formed part.
  @inline(__always)
  private static func decode(_ bytes: UnsafePointer<UInt8>, available: Int) -> (scalar: UInt32, length: Int) {
    let first = unsafe bytes[0]
    if first < 0x80 { return (UInt32(first), 1) }
    // Behind four of the first bytes the second has a narrower range: no overlong forms, no surrogates,
    // nothing beyond U+10FFFF.
    var (low, high): (UInt8, UInt8) = (0x80, 0xbf)
    let length: Int
    switch first {
    case 0xc2...0xdf: length = 2
    case 0xe0...0xef:
      length = 3
      if first == 0xe0 { low = 0xa0 } else if first == 0xed { high = 0x9f }
    case 0xf0...0xf4:
      length = 4
      if first == 0xf0 { low = 0x90 } else if first == 0xf4 { high = 0x8f }
    default: return (0xfffd, 1)
    }
    guard available >= 2, unsafe bytes[1] >= low, unsafe bytes[1] <= high else { return (0xfffd, 1) }
    var scalar = unsafe UInt32(first & (0x7f >> UInt8(length))) << 6 | UInt32(bytes[1] & 0x3f)
    var position = 2
    while position < length {
      guard position < available, unsafe bytes[position] & 0xc0 == 0x80 else { return (0xfffd, position) }
      scalar = unsafe scalar << 6 | UInt32(bytes[position] & 0x3f)
      position += 1
    }
    return (scalar, length)
  }

  /// Sorts marks by combining class, those of one class as they stood: two passes, however many there are, so
  /// that a million marks behind one letter cost what a million letters do.
  @inline(never)
  private static func orderMarks(_ marks: UnsafeMutablePointer<UInt8>, count: Int) {
    var starts = [Int](repeating: 0, count: 257)
    var position = 0
    while position < count {
      let (mark, length) = unsafe decode(marks + position, available: count - position)
      starts[Int(lookUp(mark)) + 1] += length
      position += length
    }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    let unordered = unsafe Array(UnsafeBufferPointer(start: marks, count: count))
    unsafe unordered.withUnsafeBufferPointer { unordered in
      guard let source = unordered.baseAddress else { return }
      var position = 0
      while position < count {
        let (mark, length) = unsafe decode(source + position, available: count - position)
        let slot = Int(lookUp(mark))
        unsafe (marks + starts[slot]).update(from: source + position, count: length)
        starts[slot] += length
        position += length
      }
    }
  }
}

/// What the second stage says of a scalar: 0 keeps it; below ``removed`` it is a kept mark's combining class.
private enum FoldValue {
  static let removed: UInt16 = 255
  static let firstReplacement: UInt16 = 256
  /// In the first byte of a replacement.
  static let complex: UInt8 = 0x40
}
