/// A text written as its folded form and the differences from it. Source: docs/format.md §6.2.
///
/// `San José` is the stem `san jose` in title case with one replacement. Most names need none, and neighbours
/// in order need the same ones, so that compression leaves little of them.
///
/// A script is a run of operations, each one byte with a distance that is copied first:
///
/// | byte | then | does |
/// |---|---|---|
/// | `0ddddddd` | | copies *d* bytes, then the next one with bit 5 flipped (the other case of an ASCII letter) |
/// | `10dddddd` | a UTF-8 character | copies *d* bytes, drops one, inserts the character |
/// | `11dddddd`, d < 63 | u8 *n*, u8 *m*, *m* bytes | copies *d* bytes, drops *n*, inserts the *m* bytes |
/// | `11111111` | the rest of the script | drops everything that is left and inserts the rest |
///
/// Behind the last operation what is left is copied.
package enum Spelling {
  /// The bytes of `stem` from separator number `piece` - 1 to the next; all of it for 255, empty if there is no such piece.
  @inline(__always)
  package static func piece(_ piece: UInt8, of stem: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard piece != 255 else { return stem }
    var left = Int(piece)
    var start = 0
    var index = 0
    while index < stem.count {
      if stem[index] == Fold.separator {
        if left == 0 { break }
        left &-= 1
        start = index &+ 1
      }
      index &+= 1
    }
    guard left == 0 else { return UnsafeBufferPointer(start: stem.baseAddress, count: 0) }
    return UnsafeBufferPointer(start: stem.baseAddress! + start, count: index &- start)
  }

  /// Copies `source` with the case rule applied, eight bytes at a time.
  ///
  /// A letter starts a word unless a letter, a digit, an apostrophe or a byte of a longer character stands before it.
  /// 16 bytes must be readable behind the source and writable behind what is written.
  @inline(__always)
  package static func applyCase(
    _ rule: UInt8, _ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) {
    guard let base = source.baseAddress else { return }
    guard rule != 0 else { return copyShort(base, to: target, source.count) }
    // Tests of all eight bytes at once leave their answers in each byte's highest bit.
    let high: UInt64 = 0x8080_8080_8080_8080
    let one: UInt64 = 0x0101_0101_0101_0101
    var inside: UInt64 = 0  // Whether the byte before is inside a word, in the highest bit of the lowest byte.
    var offset = 0
    repeat {
      let word = UInt64(littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
      let ascii = word & ~high
      let isLower = (ascii &+ (one &* 0x1f)) & ~(ascii &+ (one &* 0x05)) & ~word & high
      var flips = isLower
      if rule == 1 {
        let isDigit = (ascii &+ (one &* 0x50)) & ~(ascii &+ (one &* 0x46)) & ~word
        let isApostrophe = ~((ascii ^ (one &* 0x27)) &+ (one &* 0x7f)) & ~word
        let isInside = (isLower | isDigit | isApostrophe | word) & high
        flips &= ~((isInside << 8) | inside)
        inside = isInside >> 56
      }
      UnsafeMutableRawPointer(target + offset).storeBytes(of: (word ^ (flips >> 2)).littleEndian, as: UInt64.self)
      offset &+= 8
    } while offset < source.count
  }

  /// Writes the spelling of a stem behind what is in `output`; returns its size.
  @inline(__always)
  static func write(
    stem: UnsafeBufferPointer<UInt8>, rule: UInt8, piece: UInt8, script: UnsafePointer<UInt8>, _ scriptSize: Int,
    to output: inout RecordOutput
  ) -> Int {
    let source = Self.piece(piece, of: stem)
    let target = output.reserve(source.count &+ scriptSize)
    applyCase(rule, source, to: target)
    return scriptSize == 0
      ? source.count
      : rewrite(target, source.count, by: UnsafeBufferPointer(start: script, count: scriptSize))
  }

  /// Rewrites in place the `size` bytes at `target`; returns how many they are then.
  @inline(never)
  private static func rewrite(
    _ target: UnsafeMutablePointer<UInt8>, _ size: Int, by script: UnsafeBufferPointer<UInt8>
  ) -> Int {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size + 1) { source in
      let base = source.baseAddress!
      base.update(from: target, count: size)
      return apply(script, to: UnsafeBufferPointer(start: UnsafePointer(base), count: size), target)
    }
  }

  /// Writes `source` rewritten by `script`, at most the bytes of both together; returns how many.
  ///
  /// Whatever the script says, nothing outside of the three is touched: distances end where the source does.
  package static func apply(
    _ script: UnsafeBufferPointer<UInt8>, to source: UnsafeBufferPointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var (at, from, to) = (0, 0, 0)
    func copy(_ count: Int) {
      let end = min(from + count, source.count)
      while from < end {
        target[to] = source[from]
        from += 1
        to += 1
      }
    }
    func insert(_ count: Int) {
      let end = min(at + count, script.count)
      while at < end {
        target[to] = script[at]
        at += 1
        to += 1
      }
    }
    while at < script.count {
      let operation = script[at]
      at += 1
      if operation < 0x80 {
        copy(Int(operation))
        if from < source.count {
          target[to] = source[from] ^ 0x20
          from += 1
          to += 1
        }
      } else if operation < 0xc0 {
        copy(Int(operation & 0x3f))
        from = min(from + 1, source.count)
        guard at < script.count else { break }
        let lead = script[at]
        insert(lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)
      } else if operation < 0xff {
        copy(Int(operation & 0x3f))
        guard at + 1 < script.count else { break }
        let (drop, size) = (Int(script[at]), Int(script[at + 1]))
        at += 2
        from = min(from + drop, source.count)
        insert(size)
      } else {
        from = source.count
        insert(script.count - at)
      }
    }
    copy(source.count)
    return to
  }
}
