/// Folded keys, one after the other, in a form for people: the separator is a comma and a space.
package struct FoldedKeys: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  package init() {}

  mutating func append(_ key: UnsafeBufferPointer<UInt8>) {
    for index in key.indices {
      let byte = unsafe key[index]
      if byte == Fold.separator { bytes += [0x2c, 0x20] } else { bytes.append(byte) }
    }
    ends.append(bytes.count)
  }

  package subscript(_ number: Int) -> ArraySlice<UInt8> { bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]] }

  func text(_ number: Int) -> String { String(decoding: self[number], as: UTF8.self) }
}
