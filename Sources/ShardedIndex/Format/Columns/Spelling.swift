/// A text, written as its folded form and the differences from that. Source: docs/format.md section 6.2.
///
/// `San Jos\u{e9}` is the stem `san jose` in title case with one replacement. Most names need no replacement, and
/// neighbours in order need the same ones, so that they compress well.
///
/// A script is a run of operations. Each begins with a byte whose low bits are a distance to copy first:
///
/// | byte | then | does |
/// |---|---|---|
/// | `0ddddddd` | | copies *d* bytes, then the next one with bit 5 flipped (the other case of an ASCII letter) |
/// | `10dddddd` | a UTF-8 character | copies *d* bytes, drops one, inserts the character |
/// | `11dddddd`, d < 63 | u8 *n*, u8 *m*, *m* bytes | copies *d* bytes, drops *n*, inserts the *m* bytes |
/// | `11111111` | the rest of the script | drops everything that is left and inserts the rest |
///
/// After the last operation the rest of the stem is copied.
package enum Spelling {
  /// The bytes of `stem` from separator number `piece` - 1 to the next; the whole stem for 255, empty if there is no
  /// such piece.
  @inline(__always)
  package static func piece(_ piece: UInt8, of stem: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard piece != 255 else { return unsafe stem }
    var left = Int(piece)
    var start = 0
    var index = 0
    while index < stem.count {
      if unsafe stem[index] == Fold.separator {
        if left == 0 { break }
        left &-= 1
        start = index &+ 1
      }
      index &+= 1
    }
    guard left == 0 else { return unsafe .init(start: stem.baseAddress, count: 0) }
    return unsafe .init(start: stem.baseAddress! + start, count: index &- start)
  }

  /// Copies `source` with the case rule applied, 16 bytes at a time.
  ///
  /// A letter starts a word unless a letter, a digit, an apostrophe or a byte of a longer character stands before it. A
  /// byte before the source must be readable and not inside a word. 16 bytes must be readable behind the source, and
  /// writable behind the target.
  @inline(__always)
  package static func applyCase(
    _ rule: UInt8, _ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) {
    guard let base = source.baseAddress else { return }
    guard rule != 0 else { return unsafe copyShort(base, to: target, source.count) }
    let letters = Case(rule)
    var offset = 0
    repeat {
      unsafe letters.apply(to: base + offset, target + offset)
      offset &+= 16
    } while offset < source.count
  }

  /// One byte with the case rule applied, given the byte before it, or 0.
  @inline(__always)
  package static func cased(_ byte: UInt8, behind before: UInt8, _ rule: UInt8) -> UInt8 {
    let isInside = before &- 0x61 < 26 || before &- 0x30 < 10 || before == 0x27 || before >= 0x80
    return byte &- 0x61 < 26 && (rule == 2 || rule == 1 && !isInside) ? byte ^ 0x20 : byte
  }

  /// A case rule, as vectors to compare 16 bytes with at once.
  struct Case {
    private typealias Bytes = SIMD16<UInt8>
    /// The bit in which a capital differs from its small letter, if the rule changes letters.
    private let flip: Bytes
    /// Whether letters inside words change too.
    private let isEverywhere: SIMDMask<SIMD16<Int8>>

    @inline(__always) init(_ rule: UInt8) {
      flip = Bytes(repeating: rule == 0 ? 0 : 0x20)
      isEverywhere = SIMDMask(repeating: rule == 2)
    }

    @inline(__always)
    private func isWithin(_ bytes: Bytes, _ first: UInt8, _ last: UInt8) -> SIMDMask<SIMD16<Int8>> {
      (bytes &- Bytes(repeating: first)) .<= Bytes(repeating: last &- first)
    }

    /// Applies the rule to 16 bytes at `source`. One byte before them is readable.
    @inline(__always)
    func apply(to source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>) {
      unsafe apply(to: source.load(), behind: (source - 1).load(), target)
    }

    /// Applies the rule to the first 16 bytes of a text.
    @inline(__always) func apply(to bytes: SIMD16<UInt8>, _ target: UnsafeMutablePointer<UInt8>) {
      let before = Bytes(
        0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14])
      unsafe apply(to: bytes, behind: before, target)
    }

    @inline(__always)
    private func apply(to bytes: Bytes, behind before: Bytes, _ target: UnsafeMutablePointer<UInt8>) {
      let isInside =
        isWithin(before, 0x61, 0x7a) .| isWithin(before, 0x30, 0x39) .| (before .== Bytes(repeating: 0x27))
        .| (before .>= Bytes(repeating: 0x80))
      let isChanged = isWithin(bytes, 0x61, 0x7a) .& (.!isInside .| isEverywhere)
      // A lane of a mask is all ones or all zeros; `replacing` would rebuild the lanes from one bit each.
      let flips = unsafe unsafeBitCast(isChanged, to: Bytes.self) & flip
      unsafe target.store(bytes ^ flips)
    }
  }

  /// Writes the spelling of a stem or a piece of one; returns its size.
  ///
  /// - Parameter source: The source, with readable bytes as for ``applyCase(_:_:to:)``.
  /// - Parameter scratch: Room for the source and 32 bytes more.
  /// - Parameter target: Room for the source, the script and 16 bytes more.
  @inline(__always)
  static func write(
    stem source: UnsafeBufferPointer<UInt8>, rule: UInt8, script: UnsafePointer<UInt8>, _ scriptSize: Int,
    scratch: UnsafeMutablePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    guard scriptSize > 0 else {
      unsafe applyCase(rule, source, to: target)
      return source.count
    }
    unsafe applyCase(rule, source, to: scratch)
    return unsafe apply(
      .init(start: script, count: scriptSize), to: .init(start: scratch, count: source.count), target)
  }

  /// Writes `source` rewritten by `script`, and returns the number of bytes: at most the bytes of both together.
  ///
  /// Distances end at the end of the source, so a wrong script touches nothing outside the three but 16 bytes behind
  /// each. These must be readable, and behind the target writable.
  package static func apply(
    _ script: UnsafeBufferPointer<UInt8>, to source: UnsafeBufferPointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var (at, from, to) = (0, 0, 0)
    @inline(__always) func copy(_ count: Int) {
      let size = min(count, source.count &- from)
      unsafe copyShort(source.baseAddress! + from, to: target + to, size)
      from &+= size
      to &+= size
    }
    @inline(__always) func insert(_ count: Int) {
      let size = min(count, script.count &- at)
      unsafe copyShort(script.baseAddress! + at, to: target + to, size)
      at &+= size
      to &+= size
    }
    while at < script.count {
      let operation = unsafe script[at]
      at += 1
      if operation < 0x80 {
        copy(Int(operation))
        if from < source.count {
          unsafe target[to] = source[from] ^ 0x20
          from += 1
          to += 1
        }
      } else if operation < 0xc0 {
        copy(Int(operation & 0x3f))
        from = min(from + 1, source.count)
        guard at < script.count else { break }
        let lead = unsafe script[at]
        insert(lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)
      } else if operation < 0xff {
        copy(Int(operation & 0x3f))
        guard at + 1 < script.count else { break }
        let (drop, size) = unsafe (Int(script[at]), Int(script[at + 1]))
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
