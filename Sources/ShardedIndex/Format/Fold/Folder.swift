/// A fold in progress.
@safe struct Folder {
  var output: FoldOutput
  private(set) var state: State

  /// The state before the next scalar.
  struct State {
    /// The offset of the marks behind the last letter, in the fold.
    fileprivate var runStart = 0
    /// The combining class of the last mark; 0 if there is none.
    fileprivate var lastClass: UInt8 = 0
    fileprivate var isUnordered = false
  }

  /// More bytes than one step writes: the longest replacement has 63 bytes, and a syllable has five letters of three
  /// bytes.
  static let slack = 64
  /// The longest text that is folded on the stack, in bytes.
  static let shortText = 96

  /// - Parameter state: The state of the folder that wrote the output so far.
  init(_ output: FoldOutput, _ state: State = State()) { unsafe (self.output, self.state) = (output, state) }

  /// Folds `text` from `position` until it ends or less than ``slack`` bytes are left of the output.
  ///
  /// - Parameter text: Not empty.
  mutating func run(_ text: UnsafeBufferPointer<UInt8>, from position: inout Int) {
    let input = unsafe text.baseAddress.unsafelyUnwrapped
    if position == 0, unsafe output.count == 0, unsafe output.capacity >= text.count {
      position = unsafe output.appendASCIIPrefix(of: text)
      state.runStart = unsafe output.count
    }
    let limit = unsafe output.capacity - Self.slack
    while position < text.count, unsafe output.count <= limit {
      let byte = unsafe input[position]
      if byte < 0x80 {
        position += 1
        let mapped = unsafe FoldTable.ascii.utf8Start[Int(byte)]
        if mapped == 0 { continue }
        endRun()
        unsafe output.append(ascii: byte)
        state.runStart = unsafe output.count
      } else {
        let scalar = unsafe FoldScalar(at: input + position, available: text.count - position)
        position += scalar.length
        // Below the first syllable the difference wraps to a number above all of them.
        if scalar.value &- 0xac00 < 11_172 {
          appendSyllable(scalar.value - 0xac00)
        } else {
          append(scalar.value)
        }
      }
    }
  }

  /// Puts the marks behind the last letter in canonical order.
  @inline(__always)
  mutating func endRun() {
    state.lastClass = 0
    guard state.isUnordered else { return }
    state.isUnordered = false
    unsafe Self.orderMarks(output.address(state.runStart), count: output.count - state.runStart)
  }

  /// Appends the letters of a Hangul syllable, as people type them.
  private mutating func appendSyllable(_ index: UInt32) {
    append(0x1100 + index / 588)
    append(0x1161 + index % 588 / 28)
    if index % 28 > 0 { append(0x11a7 + index % 28) }
  }

  private mutating func append(_ scalar: UInt32) {
    let value = FoldScalar.lookUp(scalar)
    if value == 0 {
      appendKept(scalar)
    } else if value < FoldScalar.removed {
      appendMark(scalar, combiningClass: UInt8(truncatingIfNeeded: value))
    } else if value == FoldScalar.removed {
      composeCyrillic(with: scalar)
    } else {
      let entry = unsafe FoldScalar.replacement(value)
      let size = unsafe Int(entry[0] & 0x3f)
      if unsafe entry[0] & FoldScalar.complex == 0 {
        endRun()
        unsafe output.address(output.count).update(from: entry + 1, count: size)
        unsafe output.count += size
        state.runStart = unsafe output.count
      } else {
        unsafe appendPieces(entry + 1, size: size)
      }
    }
  }

  /// Appends a replacement with marks, white space or separators. Each of its scalars is kept or is a mark.
  private mutating func appendPieces(_ pieces: UnsafePointer<UInt8>, size: Int) {
    var position = 0
    while position < size {
      let scalar = unsafe FoldScalar(at: pieces + position, available: size - position)
      position += scalar.length
      let value = FoldScalar.lookUp(scalar.value)
      if scalar.value <= UInt32(Fold.space) {
        endRun()
        if scalar.value == UInt32(Fold.space) { unsafe output.appendSpace() } else { unsafe output.appendSeparator() }
        state.runStart = unsafe output.count
      } else if value > 0, value < FoldScalar.removed {
        appendMark(scalar.value, combiningClass: UInt8(truncatingIfNeeded: value))
      } else {
        appendKept(scalar.value)
      }
    }
  }

  @inline(__always)
  private mutating func appendKept(_ scalar: UInt32) {
    endRun()
    unsafe output.append(scalar: scalar)
    state.runStart = unsafe output.count
  }

  private mutating func appendMark(_ mark: UInt32, combiningClass combining: UInt8) {
    let letter = state.runStart - 3
    if mark == 0x3099 || mark == 0x309a, letter >= 0, unsafe output[letter] == 0xe3 {
      let base = unsafe FoldScalar(at: output.address(letter), available: 3)
      if let voiced = FoldScalar.voice(base.value, isHalf: mark == 0x309a) {
        let end = unsafe output.count
        unsafe output.count = letter
        unsafe output.append(scalar: voiced)
        unsafe output.count = end
        return
      }
    }
    if combining < state.lastClass { state.isUnordered = true }
    state.lastClass = max(state.lastClass, combining)
    unsafe output.append(scalar: mark)
  }

  /// Takes a removed mark, which may turn the letter before it into U+0439, U+045E, U+0457, U+0453 or U+045C.
  private func composeCyrillic(with mark: UInt32) {
    let letter = state.runStart - 2
    guard letter >= 0 else { return }
    let (breve, diaeresis, acute): (Bool, Bool, Bool) =
      switch mark {
      case 0x0306: (true, false, false)
      case 0x0308: (false, true, false)
      case 0x0301, 0x0341, 0x0385, 0x1fee: (false, false, true)  // The last two have a diaeresis before it.
      case 0x0344: (false, true, true)
      default: (false, false, false)
      }
    // Each letter and its composed form have two bytes in UTF-8. A byte from 0xC0 on begins a scalar, so the last two
    // bytes are the last scalar.
    let composed: UInt16? =
      switch unsafe UInt16(output[letter]) << 8 | UInt16(output[letter + 1]) {
      case 0xd0b8 where breve: 0xd0b9  // U+0439
      case 0xd183 where breve: 0xd19e  // U+045E
      case 0xd196 where diaeresis: 0xd197  // U+0457
      case 0xd0b3 where acute: 0xd193  // U+0453
      case 0xd0ba where acute: 0xd19c  // U+045C
      default: nil
      }
    guard let composed else { return }
    unsafe output[letter] = UInt8(composed >> 8)
    unsafe output[letter + 1] = UInt8(truncatingIfNeeded: composed)
  }

  /// Sorts marks by combining class, and keeps the order within a class. It takes two passes for any number of marks,
  /// so that a million marks behind one letter take as long as a million letters.
  @inline(never)
  private static func orderMarks(_ marks: UnsafeMutablePointer<UInt8>, count: Int) {
    var starts = [Int](repeating: 0, count: 257)
    var position = 0
    while position < count {
      let mark = unsafe FoldScalar(at: marks + position, available: count - position)
      starts[Int(FoldScalar.lookUp(mark.value)) + 1] += mark.length
      position += mark.length
    }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    let unordered = unsafe Array(UnsafeBufferPointer(start: marks, count: count))
    unsafe unordered.withUnsafeBufferPointer { unordered in
      guard let source = unordered.baseAddress else { return }
      var position = 0
      while position < count {
        let mark = unsafe FoldScalar(at: source + position, available: count - position)
        let slot = Int(FoldScalar.lookUp(mark.value))
        unsafe (marks + starts[slot]).update(from: source + position, count: mark.length)
        starts[slot] += mark.length
        position += mark.length
      }
    }
  }
}
