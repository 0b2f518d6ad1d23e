import ShardBuilder
import ShardedIndex

/// A dataset in the order of an index, in flat arrays and searched by walking, for comparing with the engine.
///
/// The scan follows docs/matching.md §1. It shares only the dataset reader and the fold with engine and builder, and
/// has its own order, numbers and prefixes.
package final class LinearScan: Sendable {
  package enum KeyPart: Sendable {
    case text(String)
    case field(String)
  }

  /// Names of fields, by the numbers in `fieldNames`.
  package let names: [String]
  package let count: Int
  /// The records' texts in order, field after field and record after record.
  private let bytes: [UInt8]
  /// Per field, over all records in order: the end of its text, its name, its kind.
  private let fieldEnds: [UInt32]
  private let fieldNames: [UInt16]
  private let fieldKinds: [UInt8]
  /// Per record and one more: its first field.
  private let firstFields: [UInt32]
  private let keys: [UInt8]
  /// Per record and one more: the start of its folded key.
  private let keyStarts: [Int]
  /// Per record: the number of bytes that its folded key shares with the previous one, at most 65,535.
  private let shared: [UInt16]

  package convenience init(path: String, columns: [String]? = nil, key: [KeyPart], format: DatasetFormat? = nil)
    throws
  {
    let reader = try DatasetReader(path: path, options: DatasetOptions(format: format, columns: columns))
    var pile = Pile(key: key)
    var batch = RecordBatch()
    while try reader.read(into: &batch) {
      let names = reader.names.names
      var first = 0
      for end in batch.recordEnds {
        for field in batch.fields[first..<Int(end)] {
          let start = Int(field.offset)
          pile.append(
            names[Int(field.name)], Int(field.name), field.kind.rawValue,
            batch.bytes[start..<start + Int(field.length)])
        }
        pile.endRecord()
        first = Int(end)
      }
    }
    self.init(pile, names: reader.names.names)
  }

  /// The records of a test, as it wrote them down.
  package convenience init(_ records: [ModelRecord], key: [KeyPart]) {
    var pile = Pile(key: key)
    var names: [String] = []
    var numbers: [[UInt8]: Int] = [:]
    for record in records {
      for field in record.fields {
        let name = Array(field.name.utf8)
        if numbers[name] == nil {
          numbers[name] = names.count
          names.append(field.name)
        }
        pile.append(field.name, numbers[name]!, field.kind.rawValue, Array(field.text.utf8)[...])
      }
      pile.endRecord()
    }
    self.init(pile, names: names)
  }

  /// Records as they come, and their order afterwards.
  private struct Pile {
    let key: [KeyPart]
    var bytes: [UInt8] = []
    var fieldEnds: [UInt32] = []
    var fieldNames: [UInt16] = []
    var fieldKinds: [UInt8] = []
    var firstFields: [UInt32] = [0]
    var rawKeys: [UInt8] = []
    var rawKeyStarts: [Int] = [0]
    var keys: [UInt8] = []
    var keyStarts: [Int] = [0]
    private var current: [String: ArraySlice<UInt8>] = [:]
    private let wanted: Set<String>

    init(key: [KeyPart]) {
      self.key = key
      wanted = Set(key.compactMap { if case .field(let name) = $0 { name } else { nil } })
    }

    mutating func append(_ name: String, _ number: Int, _ kind: UInt8, _ text: ArraySlice<UInt8>) {
      bytes += text
      fieldEnds.append(UInt32(bytes.count))
      fieldNames.append(UInt16(number))
      fieldKinds.append(kind)
      if wanted.contains(name), current[name] == nil { current[name] = text }
    }

    mutating func endRecord() {
      firstFields.append(UInt32(fieldEnds.count))
      for part in key {
        switch part {
        case .text(let text): rawKeys += Array(text.utf8)
        case .field(let name): rawKeys += current[name] ?? []
        }
      }
      let start = rawKeyStarts.last!
      rawKeyStarts.append(rawKeys.count)
      rawKeys.withUnsafeBufferPointer {
        Fold.fold(UnsafeBufferPointer(rebasing: $0[start...]), into: &keys)
      }
      keyStarts.append(keys.count)
      current.removeAll(keepingCapacity: true)
    }
  }

  private init(_ pile: Pile, names: [String]) {
    let count = pile.firstFields.count - 1
    let names8 = names.map { Array($0.utf8) }
    let order: [Int32] = pile.bytes.withUnsafeBufferPointer { texts in
      pile.keys.withUnsafeBufferPointer { keys in
        pile.rawKeys.withUnsafeBufferPointer { rawKeys in
          func text(_ field: Int) -> Bytes {
            let start = field == 0 ? 0 : Int(pile.fieldEnds[field - 1])
            return Bytes(rebasing: texts[start..<Int(pile.fieldEnds[field])])
          }
          func compare(_ a: Int, _ b: Int) -> Int {
            func key(_ starts: [Int], _ bytes: Bytes, _ record: Int) -> Bytes {
              Bytes(rebasing: bytes[starts[record]..<starts[record + 1]])
            }
            var order = Self.compare(key(pile.keyStarts, keys, a), key(pile.keyStarts, keys, b))
            if order != 0 { return order }
            order = Self.compare(key(pile.rawKeyStarts, rawKeys, a), key(pile.rawKeyStarts, rawKeys, b))
            if order != 0 { return order }
            let (left, right) = (Int(pile.firstFields[a]), Int(pile.firstFields[b]))
            let leftCount = Int(pile.firstFields[a + 1]) - left
            let rightCount = Int(pile.firstFields[b + 1]) - right
            for field in 0..<min(leftCount, rightCount) {
              order = Self.compareTexts(text(left + field), text(right + field))
              if order != 0 { return order }
            }
            if leftCount != rightCount { return leftCount - rightCount }
            for field in 0..<leftCount {
              order = Int(pile.fieldKinds[left + field]) - Int(pile.fieldKinds[right + field])
              if order != 0 { return order }
            }
            for field in 0..<leftCount {
              let (a, b) = (
                names8[Int(pile.fieldNames[left + field])], names8[Int(pile.fieldNames[right + field])]
              )
              if a != b { return a.lexicographicallyPrecedes(b) ? -1 : 1 }
            }
            return 0
          }
          return (0..<Int32(count)).sorted { compare(Int($0), Int($1)) < 0 }
        }
      }
    }
    var (bytes, fieldEnds, fieldNames, fieldKinds) = ([UInt8](), [UInt32](), [UInt16](), [UInt8]())
    var (firstFields, keys, keyStarts, shared): ([UInt32], [UInt8], [Int], [UInt16]) = ([0], [], [0], [])
    bytes.reserveCapacity(pile.bytes.count)
    keys.reserveCapacity(pile.keys.count)
    fieldEnds.reserveCapacity(pile.fieldEnds.count)
    fieldNames.reserveCapacity(pile.fieldEnds.count)
    fieldKinds.reserveCapacity(pile.fieldEnds.count)
    for record in order.map(Int.init) {
      for field in Int(pile.firstFields[record])..<Int(pile.firstFields[record + 1]) {
        bytes += pile.bytes[(field == 0 ? 0 : Int(pile.fieldEnds[field - 1]))..<Int(pile.fieldEnds[field])]
        fieldEnds.append(UInt32(bytes.count))
        fieldNames.append(pile.fieldNames[field])
        fieldKinds.append(pile.fieldKinds[field])
      }
      firstFields.append(UInt32(fieldEnds.count))
      let previous = keyStarts.count > 1 ? keyStarts[keyStarts.count - 2]..<keyStarts.last! : 0..<0
      let start = keys.count
      keys += pile.keys[pile.keyStarts[record]..<pile.keyStarts[record + 1]]
      var common = 0
      while common < previous.count, start + common < keys.count,
        keys[previous.lowerBound + common] == keys[start + common]
      { common += 1 }
      shared.append(UInt16(min(common, 65535)))
      keyStarts.append(keys.count)
    }
    self.names = names
    self.count = count
    self.bytes = bytes
    self.fieldEnds = fieldEnds
    self.fieldNames = fieldNames
    self.fieldKinds = fieldKinds
    self.firstFields = firstFields
    self.keys = keys
    self.keyStarts = keyStarts
    self.shared = shared
  }

  package typealias Bytes = UnsafeBufferPointer<UInt8>

  // MARK: Order

  private static func compare(_ a: Bytes, _ b: Bytes) -> Int {
    let shared = min(a.count, b.count)
    let order = shared == 0 ? 0 : Int(memcmp(a.baseAddress!, b.baseAddress!, shared))
    return order != 0 ? order : a.count - b.count
  }

  /// A number before any other text, smaller numbers before larger ones, the rest and equal numbers as bytes.
  private static func compareTexts(_ a: Bytes, _ b: Bytes) -> Int {
    let order = compare(a, b)
    if order == 0 { return 0 }
    if let (left, right) = naturals(a, b) {
      return left.count != right.count ? left.count - right.count : order
    }
    switch (Number(a), Number(b)) {
    case (nil, nil): return order
    case (nil, _): return 1
    case (_, nil): return -1
    case (let left?, let right?):
      let value = left.compare(right)
      return value != 0 ? value : order
    }
  }

  /// Both, if they are digits alone, without a zero in front: the most frequent case.
  private static func naturals(_ a: Bytes, _ b: Bytes) -> (Bytes, Bytes)? {
    func isNatural(_ text: Bytes) -> Bool {
      guard let first = text.first, first != 0x30 else { return false }
      return text.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }
    return isNatural(a) && isNatural(b) ? (a, b) : nil
  }

  /// A JSON number as sign, digits and the place of the point: 0.digits × 10^scale.
  private struct Number {
    var isNegative = false
    var digits: [UInt8] = []
    var scale = 0

    init?(_ text: Bytes) {
      var rest = text[...]
      func digit() -> UInt8? {
        guard let byte = rest.first, byte >= 0x30, byte <= 0x39 else { return nil }
        rest = rest.dropFirst()
        return byte - 0x30
      }
      if rest.first == 0x2d {
        isNegative = true
        rest = rest.dropFirst()
      }
      guard let first = digit() else { return nil }
      digits.append(first)
      if first != 0 { while let next = digit() { digits.append(next) } }
      scale = digits.count
      if rest.first == 0x2e {
        rest = rest.dropFirst()
        guard let first = digit() else { return nil }
        digits.append(first)
        while let next = digit() { digits.append(next) }
      }
      if rest.first == 0x65 || rest.first == 0x45 {
        rest = rest.dropFirst()
        let isDown = rest.first == 0x2d
        if rest.first == 0x2d || rest.first == 0x2b { rest = rest.dropFirst() }
        guard let first = digit() else { return nil }
        var exponent = Int(first)
        while let next = digit() { exponent = min(exponent * 10 + Int(next), 1 << 40) }
        scale += isDown ? -exponent : exponent
      }
      guard rest.isEmpty else { return nil }
      while digits.first == 0 {
        digits.removeFirst()
        scale -= 1
      }
      while digits.last == 0 { digits.removeLast() }
      if digits.isEmpty { (isNegative, scale) = (false, 0) }
    }

    func compare(_ other: Number) -> Int {
      func sign(_ number: Number) -> Int { number.digits.isEmpty ? 0 : number.isNegative ? -1 : 1 }
      let (left, right) = (sign(self), sign(other))
      if left != right || left == 0 { return left - right }
      if scale != other.scale { return (scale < other.scale ? -1 : 1) * left }
      if digits == other.digits { return 0 }
      return (digits.lexicographicallyPrecedes(other.digits) ? -1 : 1) * left
    }
  }

  // MARK: Search

  package func withKey<Result>(_ record: Int, _ body: (Bytes) throws -> Result) rethrows -> Result {
    try keys.withUnsafeBufferPointer {
      try body(Bytes(rebasing: $0[keyStarts[record]..<keyStarts[record + 1]]))
    }
  }

  package func key(_ record: Int) -> [UInt8] { Array(keys[keyStarts[record]..<keyStarts[record + 1]]) }

  /// Every distinct prefix but the empty one that first occurs in `records`, with the records that answer it.
  ///
  /// - Parameter atBytes: Whether prefixes that end inside a character count too.
  package func forEachPrefix(
    firstIn records: Range<Int>, atBytes: Bool = false, _ body: (Bytes, ScanAnswer) throws -> Void
  ) rethrows {
    try keys.withUnsafeBufferPointer { keys in
      try shared.withUnsafeBufferPointer { shared in
        for record in records {
          let start = keyStarts[record]
          let key = Bytes(rebasing: keys[start..<keyStarts[record + 1]])
          var end = record + 1
          var size = key.count
          while size > (record == 0 ? 0 : Int(shared[record])) {
            if atBytes || size == key.count || key[size] & 0xC0 != 0x80 {
              while end < count, Int(shared[end]) >= size { end += 1 }
              let prefix = Bytes(rebasing: key[..<size])
              try body(prefix, prefix.contains(0x20) ? searched(prefix) : ScanAnswer(record..<end))
            }
            size -= 1
          }
        }
      }
    }
  }

  /// The records that answer the first `size` bytes of a record's key.
  package func answer(toPrefix size: Int, of record: Int) -> ScanAnswer {
    let prefix = Array(key(record)[..<size])
    if prefix.contains(0x20) { return prefix.withUnsafeBufferPointer { searched($0) } }
    var (first, end) = (record, record + 1)
    while first > 0, Int(shared[first]) >= size { first -= 1 }
    while end < count, Int(shared[end]) >= size { end += 1 }
    return ScanAnswer(first..<end)
  }

  /// The records that answer a folded text, found among all records.
  package func answer(to text: [UInt8]) -> ScanAnswer {
    let readings = text.withUnsafeBufferPointer { Self.readings(of: $0) }
    let matching = (0..<count).filter { record in
      withKey(record) { key in readings.contains { Self.begins(key, with: $0) } }
    }
    guard let first = matching.first, let last = matching.last else { return ScanAnswer(0..<0) }
    let gap = zip(matching, matching.dropFirst()).first { $0 + 1 < $1 }
    let answer = gap.map { ScanAnswer(first..<$0.0 + 1, $0.1..<last + 1) } ?? ScanAnswer(first..<last + 1)
    precondition(answer.count == matching.count, "in more than two runs")
    return answer
  }

  /// A reading of a text: a key must begin with these bytes and, if they are finished, end there or continue with white
  /// space or a separator.
  private typealias Reading = (bytes: [UInt8], isFinished: Bool)

  /// Source: docs/matching.md §8.
  private static func readings(of text: Bytes) -> [Reading] {
    var own: Reading = (Array(text), false)
    if own.bytes.count > 1, own.bytes.last == 0x20 { own = (own.bytes.dropLast(), true) }
    guard let space = own.bytes.lastIndex(of: 0x20) else { return [own] }
    var separated = own
    separated.bytes[space] = 0x01
    return [separated, own]
  }

  private static func begins(_ key: Bytes, with reading: Reading) -> Bool {
    let size = reading.bytes.count
    guard key.count >= size, size == 0 || memcmp(key.baseAddress!, reading.bytes, size) == 0 else { return false }
    return !reading.isFinished || key.count == size || key[size] == 0x01 || key[size] == 0x20
  }

  /// The same as ``answer(to:)``, by bisection.
  private func searched(_ text: Bytes) -> ScanAnswer {
    func count(_ isBefore: (Bytes) -> Bool) -> Int {
      var (low, high) = (0, self.count)
      while low < high {
        let middle = (low + high) / 2
        if withKey(middle, isBefore) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let runs = Self.readings(of: text).map { reading in
      reading.bytes.withUnsafeBufferPointer { bytes in
        count { Self.compare($0, bytes) < 0 }..<count { Self.compare($0, bytes) < 0 || Self.begins($0, with: reading) }
      }
    }
    return ScanAnswer(runs[0], runs.count > 1 ? runs[1] : 0..<0)
  }

  // MARK: Comparison

  /// The scan's numbers of an index's fields, by the index's numbers; -1 for an unknown field.
  package func fieldNumbers(of index: ShardedIndex) -> [Int] {
    index.fieldNames.map { name in names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? -1 }
  }

  /// The first fault of a buffer that should have the records `range`; nil if there is none.
  ///
  /// - Parameter fieldNumbers: ``fieldNumbers(of:)`` of the index that filled the buffer.
  package func difference(_ buffer: RecordBuffer, _ range: Range<Int>, _ fieldNumbers: [Int]) -> String? {
    difference(buffer, ScanAnswer(range), fieldNumbers)
  }

  /// The same for the records of an answer.
  package func difference(_ buffer: RecordBuffer, _ answer: ScanAnswer, _ fieldNumbers: [Int]) -> String? {
    guard buffer.count == answer.count else { return "\(buffer.count) records, not \(answer.count)" }
    return difference(buffer, 0, answer.first, fieldNumbers)
      ?? difference(buffer, answer.first.count, answer.second, fieldNumbers)
  }

  /// - Parameter start: The first record of the buffer that is compared.
  private func difference(
    _ buffer: RecordBuffer, _ start: Int, _ range: Range<Int>, _ fieldNumbers: [Int]
  ) -> String? {
    guard !range.isEmpty else { return nil }
    let inBuffer = buffer.rawFields(ofRecord: start).lowerBound
    let firstField = Int(firstFields[range.lowerBound])
    let fieldCount = Int(firstFields[range.upperBound]) - firstField
    for record in 0..<range.count {
      let end = Int(firstFields[range.lowerBound + record + 1]) - firstField
      guard buffer.rawFields(ofRecord: start + record).upperBound == inBuffer + end else {
        return "record \(record) of them has other fields than \(describe(range.lowerBound + record))"
      }
    }
    guard fieldCount > 0 else { return nil }
    var textStart = firstField == 0 ? 0 : Int(fieldEnds[firstField - 1])
    return bytes.withUnsafeBufferPointer { bytes in
      for field in firstField..<firstField + fieldCount {
        let raw = buffer.rawField(inBuffer + field - firstField)
        let end = Int(fieldEnds[field])
        let isSame =
          fieldNumbers[raw.name] == Int(fieldNames[field]) && raw.kind.rawValue == fieldKinds[field]
          && raw.text.count == end - textStart
          && (end == textStart
            || memcmp(bytes.baseAddress! + textStart, raw.text.baseAddress!, end - textStart) == 0)
        guard isSame else {
          return "field \(field - firstField) is \(names[max(0, fieldNumbers[raw.name])]), \(raw.kind), "
            + "\"\(String(decoding: raw.text, as: UTF8.self))\", not "
            + "\(names[Int(fieldNames[field])]), kind \(fieldKinds[field]), "
            + "\"\(String(decoding: text(field), as: UTF8.self))\""
        }
        textStart = end
      }
      return nil
    }
  }

  private func text(_ field: Int) -> ArraySlice<UInt8> {
    bytes[(field == 0 ? 0 : Int(fieldEnds[field - 1]))..<Int(fieldEnds[field])]
  }

  package func describe(_ record: Int) -> String {
    (Int(firstFields[record])..<Int(firstFields[record + 1])).map {
      "\(names[Int(fieldNames[$0])])=\(String(decoding: text($0), as: UTF8.self))"
    }.joined(separator: " ")
  }
}

import CLibrary
