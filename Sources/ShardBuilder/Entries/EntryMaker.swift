import ShardedIndex

/// The maker of the entries of records, which come in order. Source: docs/format.md section 3.13.
///
/// An entry leads to all records with one folded key, so it is made from all these records together.
struct EntryMaker {
  private let rules: EntryRules
  private let textFields: [TextSource]
  private let rankField: RankField?
  private var writer: EntryWriter
  /// The values and cells of the records with the last key.
  private var values: EntryValues
  /// The last components of the keys in plain form, up to the number that a manifest lists.
  private(set) var lastComponents = LastComponentSet()

  /// The last key; nil before the first record.
  private var folded: [UInt8]?
  /// The greatest weight of the records with the last key.
  private var weight: UInt64 = 0
  /// The forms of the other names of these records, each with its loss.
  private var names: [(text: [UInt8], loss: Int)] = []
  /// The words of other fields of these records, each with its least loss.
  private var fieldWords: [[UInt8]: Int] = [:]

  /// A field whose texts lead to its records.
  private struct TextSource {
    let name: UInt32
    let isOfNames: Bool
    let loss: Int
  }

  /// - Parameters:
  ///   - names: The names of the records' fields, by number.
  ///   - entryNames: The names of the entries' fields.
  init(_ rules: EntryRules, names: [String], rankField: RankField?, entryNames: FieldNames) {
    (self.rules, self.rankField) = (rules, rankField)
    func sources(_ fields: [TextField], ofNames isOfNames: Bool) -> [TextSource] {
      fields.compactMap { field in
        names.firstIndex(of: field.path).map {
          TextSource(name: UInt32($0), isOfNames: isOfNames, loss: field.loss ?? 0)
        }
      }
    }
    textFields = sources(rules.alias, ofNames: true) + sources(rules.searchFields, ofNames: false)
    writer = EntryWriter(entryNames, rules)
    values = EntryValues(rules, names: names)
  }

  /// Takes the next record. If its key is a new one, makes the entries of the records before it.
  mutating func add(_ record: RecordBlob, into chunk: RecordArena) {
    let isSame =
      folded.map { folded in
        unsafe folded.withUnsafeBufferPointer { unsafe equalBytes(record.folded, $0) }
      } ?? false
    if !isSame {
      finish(into: chunk)
      folded = unsafe Array(record.folded)
    }
    if let rankField { weight = max(weight, rankField.weight(of: record)) }
    if !textFields.isEmpty { addTexts(of: record) }
    values.add(record)
  }

  private mutating func addTexts(of record: RecordBlob) {
    var offset = record.textsOffset
    for index in 0..<record.fieldCount {
      let text = unsafe record.text(index, &offset)
      let kind = record.fieldKind(index)
      for field in textFields where field.name == record.fieldName(index) {
        if kind == .literal || !field.isOfNames {
          var found: [[UInt8]] = []
          let kind = ValueKind(rawValue: kind.rawValue) ?? .string
          unsafe FieldTexts.forEach(text, kind) { unsafe found.append(Array($0)) }
          let isCode = rules.words == .code && !field.isOfNames
          for text in found {
            FieldTexts.forEachPart(text, isCode: isCode) { part in
              unsafe part.withUnsafeBufferPointer { unsafe add($0, of: field) }
            }
          }
        } else {
          var start = 0
          for end in 0...text.count where unsafe end == text.count || FieldTexts.dividesNames(text[end]) {
            if start < end { unsafe add(text.part(start..<end), of: field) }
            start = end + 1
          }
        }
      }
    }
  }

  private mutating func add(_ text: UnsafeBufferPointer<UInt8>, of field: TextSource) {
    var folded: [UInt8] = []
    unsafe Fold.fold(text, into: &folded)
    for (_, text) in PlainForm.nameForms(folded) where !text.isEmpty {
      guard !field.isOfNames else {
        names.append((text, field.loss))
        continue
      }
      for word in RankedText.words(of: text[...]) {
        let before = fieldWords[Array(word)]
        fieldWords[Array(word)] = min(before ?? field.loss, field.loss)
      }
    }
  }

  /// Makes the entries of the records with the last key. The caller must add no further record with that key.
  mutating func finish(into chunk: RecordArena) {
    guard let folded else { return }
    let forms = PlainForm.forms(folded, separators: rules.separators).map { $0.text }
    let plain = forms[0]
    if let end = plain.lastIndex(of: Fold.separator) { lastComponents.insert(plain[(end + 1)...]) }
    writer.begin(record: folded, &values, weight: weight)
    for form in forms where plain != folded { writer.write(.form, key: form[...], into: chunk) }
    if let words = rules.words {
      for (number, form) in forms.enumerated() { writeWords(words, form, unlike: forms[..<number], into: chunk) }
    }
    writeNames(forms, into: chunk)
    writeFieldWords(plain, into: chunk)
    self.folded = nil
    weight = 0
    names.removeAll(keepingCapacity: true)
    fieldWords.removeAll(keepingCapacity: true)
  }

  /// Writes an entry for each word of other fields that is no word of the body of the plain form, which leads to the
  /// records with a greater bonus.
  private mutating func writeFieldWords(_ plain: [UInt8], into chunk: RecordArena) {
    guard !fieldWords.isEmpty else { return }
    let end = rules.words == .all ? plain.count : plain.lastIndex(of: Fold.separator) ?? plain.count
    for word in RankedText.words(of: plain[..<end]) { fieldWords[Array(word)] = nil }
    for (word, loss) in fieldWords { writer.write(EntryKind(.field, loss: loss), key: word[...], into: chunk) }
  }

  /// Writes an entry for each later word of the body of a form, unless one of the forms before ends with it.
  private mutating func writeWords(
    _ words: BuildOptions.Words, _ form: [UInt8], unlike before: ArraySlice<[UInt8]>, into chunk: RecordArena
  ) {
    func isBoundary(_ byte: UInt8) -> Bool { byte == Fold.space || byte == Fold.separator }
    let end = words == .all ? form.count : form.lastIndex(of: Fold.separator) ?? form.count
    for index in form[..<end].indices where isBoundary(form[index]) && index + 1 < end {
      let rest = form[(index + 1)...]
      let isKnown = before.contains { other in
        other.count > rest.count && isBoundary(other[other.count - rest.count - 1])
          && other[(other.count - rest.count)...] == rest
      }
      if !isKnown { writer.write(.word, key: rest, beginning: form[...index], into: chunk) }
    }
  }

  /// Writes an entry for each other name.
  ///
  /// - Parameter forms: The forms of the key.
  private mutating func writeNames(_ forms: [[UInt8]], into chunk: RecordArena) {
    let plain = forms[0]
    let name = plain.prefix { $0 != Fold.separator }
    if rules.hasInitials {
      let initials = HangulInitials.initials(of: Array(name))
      if !initials.isEmpty { names.append((initials, 0)) }
    }
    guard !names.isEmpty else { return }
    let ending = plain.lastIndex(of: Fold.separator).map { plain[$0...] } ?? []
    names.sort { $0.text == $1.text ? $0.loss < $1.loss : $0.text.lexicographicallyPrecedes($1.text) }
    for (index, (text, loss)) in names.enumerated()
    where text[...] != name && (index == 0 || names[index - 1].text != text) {
      let key = text + ending
      if !forms.contains(key) { writer.write(EntryKind(.name, loss: loss), key: key[...], into: chunk) }
    }
  }
}

/// A writer of entries: records with given folded keys.
struct EntryWriter {
  private var encoder: RecordEncoder
  /// The numbers of the fields, in their order.
  private let names: [UInt32]
  /// The last fields of all entries of the current records.
  private var valueFields: [FieldSlice] = []
  /// The weights and losses by kind, the texts of those fields, and after them the texts of the last written entry.
  private var bytes: [UInt8] = []
  /// The start of the texts of the entry.
  private var textsStart = 0
  /// The kinds of entries, and the fields of each with its weight and its loss.
  private let kinds: [EntryKind]
  private var kindFields: [(weight: FieldSlice, loss: FieldSlice?)] = []
  private let raise: Int
  /// The numbers of the fields with losses, by the way of a kind.
  private let lossFields: [EntryKind.Way: UInt32]
  private var recordKey: [UInt8] = []
  private var fields: [FieldSlice] = []

  /// - Parameter names: The names of the entries' fields.
  init(_ names: FieldNames, _ rules: EntryRules) {
    var names = names
    let fields = rules.fieldNames
    self.names = fields.map { names.number(of: $0) }
    var lossFields: [EntryKind.Way: UInt32] = [:]
    for (way, field) in [(EntryKind.Way.name, EntryField.nameLoss), (.field, .fieldLoss)]
    where fields.contains(field.rawValue) {
      lossFields[way] = names.number(of: field.rawValue)
    }
    (kinds, raise, self.lossFields) = (rules.kinds, rules.raise, lossFields)
    encoder = RecordEncoder.ofEntries
    encoder.learn(names)
  }

  /// Begins the entries that lead to the records with a folded key.
  ///
  /// - Parameters:
  ///   - values: The values and cells of the records; the function empties this.
  ///   - weight: The greatest weight of the records.
  mutating func begin(record folded: [UInt8], _ values: inout EntryValues, weight: UInt64) {
    bytes.removeAll(keepingCapacity: true)
    kindFields.removeAll(keepingCapacity: true)
    for kind in kinds {
      let weight = number(kind.weight(ofRecords: weight, raise: raise), names[2])
      let lossField = kind == .name ? nil : lossFields[kind.way]
      kindFields.append((weight, lossField.map { number(kind.loss, $0) }))
    }
    valueFields.removeAll(keepingCapacity: true)
    values.finish { index, kind, text in
      valueFields.append(slice(names[3 + index], kind, bytes.count, text.count))
      bytes += text
    }
    textsStart = bytes.count
    recordKey = folded
  }

  /// Appends an entry.
  ///
  /// - Parameters:
  ///   - key: The folded key of the entry.
  ///   - beginning: The text before a word start; nil for any other entry.
  mutating func write(
    _ kind: EntryKind, key: ArraySlice<UInt8>, beginning: ArraySlice<UInt8>? = nil, into chunk: RecordArena
  ) {
    fields.removeAll(keepingCapacity: true)
    bytes.removeLast(bytes.count - textsStart)
    let texts = EntryTarget.texts(key: key, beginning: beginning, recordKey: recordKey)
    if let beginning = texts.beginning {
      fields.append(slice(names[0], .string, bytes.count, beginning.count))
      bytes += beginning
    }
    if let target = texts.target {
      fields.append(slice(names[1], .string, bytes.count, target.count))
      bytes += target
    }
    let ofKind = kindFields[kinds.firstIndex(of: kind)!]
    fields.append(ofKind.weight)
    fields += valueFields
    if let loss = ofKind.loss { fields.append(loss) }
    // An entry with too long a key is left out.
    encoder.append(entry: fields, bytes, folded: key, into: chunk)
  }

  /// Appends the text of a number, and returns its field.
  private mutating func number(_ number: Int, _ name: UInt32) -> FieldSlice {
    let start = bytes.count
    bytes += String(number).utf8
    return slice(name, .number, start, bytes.count - start)
  }

  private func slice(_ name: UInt32, _ kind: FieldKind, _ offset: Int, _ size: Int) -> FieldSlice {
    FieldSlice(name: name, kind: kind, offset: UInt32(offset), length: UInt32(size))
  }
}

/// The distinct last components of keys, up to the number that a manifest lists.
struct LastComponentSet {
  private(set) var texts: Set<[UInt8]> = []
  private var size = 0
  private(set) var isOver = false

  /// Returns the last component of a folded key in plain form; nil for a key of one component.
  ///
  /// - Parameter separators: The most separators in the plain form of a key.
  static func component(of folded: [UInt8], separators: Int) -> [UInt8]? {
    guard separators > 0, let end = folded.lastIndex(of: Fold.separator) else { return nil }
    return PlainForm.plain(Array(folded[(end + 1)...]))
  }

  mutating func insert(_ text: ArraySlice<UInt8>) {
    guard !isOver, texts.insert(Array(text)).inserted else { return }
    size += text.count
    guard texts.count > LastComponents.countLimit || size > LastComponents.byteLimit else { return }
    isOver = true
    texts = []
  }

  /// The components in the form of a manifest.
  var listed: LastComponents { isOver ? .over : LastComponents(texts) }
}
