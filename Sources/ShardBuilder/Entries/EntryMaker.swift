import ShardedIndex

/// The maker of the entries of records, which come in order. Source: docs/format.md section 3.13.
///
/// An entry leads to all records with one folded key, so it is made from all these records together.
struct EntryMaker {
  private let rules: EntryRules
  private let aliasFields: [UInt32]
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
  /// The forms of the other names of these records.
  private var names: [[UInt8]] = []

  /// - Parameters:
  ///   - names: The names of the records' fields, by number.
  ///   - entryNames: The names of the entries' fields.
  init(_ rules: EntryRules, names: [String], rankField: RankField?, entryNames: FieldNames) {
    (self.rules, self.rankField) = (rules, rankField)
    aliasFields = rules.alias.compactMap { name in names.firstIndex(of: name).map { UInt32($0) } }
    writer = EntryWriter(entryNames, rules.fieldNames)
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
    if !aliasFields.isEmpty { addNames(of: record) }
    values.add(record)
  }

  private mutating func addNames(of record: RecordBlob) {
    var offset = record.textsOffset
    for index in 0..<record.fieldCount {
      let text = unsafe record.text(index, &offset)
      guard aliasFields.contains(record.fieldName(index)) else { continue }
      let kind = record.fieldKind(index)
      if kind == .literal {
        var found: [[UInt8]] = []
        unsafe FieldTexts.forEach(text, .literal) { unsafe found.append(Array($0)) }
        for name in found { unsafe name.withUnsafeBufferPointer { unsafe add(name: $0) } }
      } else {
        var start = 0
        for end in 0...text.count where unsafe end == text.count || FieldTexts.dividesNames(text[end]) {
          if start < end { unsafe add(name: text.part(start..<end)) }
          start = end + 1
        }
      }
    }
  }

  private mutating func add(name: UnsafeBufferPointer<UInt8>) {
    var folded: [UInt8] = []
    unsafe Fold.fold(name, into: &folded)
    for (_, text) in PlainForm.nameForms(folded) where !text.isEmpty { names.append(text) }
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
    self.folded = nil
    weight = 0
    names.removeAll(keepingCapacity: true)
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
      if !initials.isEmpty { names.append(initials) }
    }
    guard !names.isEmpty else { return }
    let ending = plain.lastIndex(of: Fold.separator).map { plain[$0...] } ?? []
    names.sort { $0.lexicographicallyPrecedes($1) }
    for (index, other) in names.enumerated() where other[...] != name && (index == 0 || names[index - 1] != other) {
      let key = other + ending
      if !forms.contains(key) { writer.write(.name, key: key[...], into: chunk) }
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
  /// The weights by kind, the texts of those fields, and after them the texts of the last written entry.
  private var bytes: [UInt8] = []
  /// The start of the texts of the entry.
  private var textsStart = 0
  /// The end of the weight of each kind.
  private var weightEnds = [0, 0, 0, 0]
  private var recordKey: [UInt8] = []
  private var fields: [FieldSlice] = []

  /// - Parameters:
  ///   - names: The names of the entries' fields.
  ///   - fields: The fields in the order of ``EntryRules/fieldNames``.
  init(_ names: FieldNames, _ fields: [String]) {
    var names = names
    self.names = fields.map { names.number(of: $0) }
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
    for kind in [EntryKind.form, .word, .name] {
      bytes += String(kind.weight(ofRecords: weight)).utf8
      weightEnds[Int(kind.rawValue)] = bytes.count
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
    let weight = weightEnds[Int(kind.rawValue) - 1]
    fields.append(slice(names[2], .number, weight, weightEnds[Int(kind.rawValue)] - weight))
    fields += valueFields
    // An entry with too long a key is left out.
    encoder.append(entry: fields, bytes, folded: key, into: chunk)
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
