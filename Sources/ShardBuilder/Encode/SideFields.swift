import ShardedIndex

/// The fields of records that the sides of an index are made from.
struct SideFields: Sendable {
  /// The source of a table.
  private enum Source {
    /// The values of a field, by the field's number; nil if no record has the field.
    case values(Int?)
    /// The cells that a field of entries lists, by the field's number; nil if no record has the field.
    case cells(Int?)
    /// The coordinates of records.
    case places(CellFinder)

    /// Whether the table counts records.
    var countsRecords: Bool { if case .values = self { true } else { false } }
  }

  /// The source of each table.
  private var sources: [Source]
  /// Whether the records are entries, whose fields list the values and cells of other records.
  private let isOfEntries: Bool
  /// The texts for sketches; nil without sketches.
  private var sketched: SketchedTexts?
  private let rank: RankField?

  /// - Parameters:
  ///   - settings: The settings of the index.
  ///   - names: Field names by the numbers that the records use.
  /// - Returns: nil if the index has no sides.
  init?(_ settings: IndexSettings, names: [String]) throws(BuildError) {
    guard settings.hasSides else { return nil }
    isOfEntries = settings.isOfEntries
    let cells: [Source] =
      !settings.near
      ? []
      : [
        isOfEntries
          ? .cells(names.firstIndex(of: EntryField.cells.rawValue))
          : .places(CellFinder(names: names, settings.coordinateFields))
      ]
    sources = settings.filter.map { .values(names.firstIndex(of: $0)) } + cells
    sketched = settings.typos ? (settings.hasEntries ? .plainKeys(separators: settings.separators) : .allKeys) : nil
    rank = try RankField(settings, names: names)
  }

  /// The fields of one table alone, by its number, or of sketches alone if the number is nil.
  func only(_ table: Int?) -> SideFields {
    var fields = self
    fields.sources = table.map { [sources[$0]] } ?? []
    if table != nil { fields.sketched = nil }
    return fields
  }

  /// New collectors of the tables.
  private var collectors: [ValueCollector] {
    sources.map { ValueCollector(countsRecords: $0.countsRecords, steps: WeightStep(ofEntries: isOfEntries)) }
  }

  /// Returns the tables, in their order in a side file.
  static func tables(_ settings: IndexSettings) -> [SideTable] {
    settings.filter.indices.map { .filter($0) } + (settings.near ? [.cells] : [])
  }

  /// Adds the values or cells that a field lists.
  private func add(
    _ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind, of source: Source, to collector: inout ValueCollector
  ) {
    if isOfEntries, kind == .literal, unsafe text.first != UInt8(ascii: "[") { return collector.addTooMany() }
    guard case .cells = source else {
      return unsafe FieldTexts.forEachValue(text, kind) { value in
        // The fields of entries hold folds, and the fold of a fold may be another text.
        if isOfEntries { unsafe collector.add(Array(value)) } else { unsafe collector.add(text: value) }
      }
    }
    unsafe FieldTexts.forEach(text, kind) { digits in
      if let cell = unsafe NearPlace.cell(ofDigits: digits) { collector.add(NearPlace.value(ofCell: cell)) }
    }
  }

  /// Returns the sides of a shard with these records in these parts.
  func sides(of piece: Piece, parts: [Range<Int>]) -> ShardSides {
    var collectors = self.collectors
    var tree = sketched.map { SketchTree(of: $0) }
    for part in parts {
      for table in collectors.indices { collectors[table].beginPart() }
      for number in part {
        let record = piece.record(number)
        tree?.add(unsafe record.folded.span)
        let weight = rank?.weight(of: record) ?? 0
        for (table, source) in sources.enumerated() {
          switch source {
          case .values(let field), .cells(let field):
            unsafe record.withField(field) { unsafe add($0, $1, of: source, to: &collectors[table]) }
          case .places(let places):
            if let place = places.place(of: record) { collectors[table].add(NearPlace.value(ofCell: place.cell)) }
          }
          collectors[table].endRecord(weight: weight)
        }
      }
    }
    return ShardSides(tables: collectors.map { $0.finish() }, sketch: tree?.sketch)
  }

  /// A collector of the sides of a shard of an index.
  struct Reader {
    private let fields: SideFields
    private var collectors: [ValueCollector]
    private var tree: SketchTree?
    private let buffer = RecordBuffer()

    init(_ fields: SideFields) {
      self.fields = fields
      collectors = fields.collectors
      tree = fields.sketched.map { SketchTree(of: $0) }
    }

    /// Whether each table has more values than a table holds, and there is no sketch to make.
    var isOver: Bool { tree == nil && collectors.allSatisfy(\.isOver) }

    /// Adds the next part of the shard.
    mutating func add(_ part: PartContent) {
      if var tree {
        // The tree has one owner, so that nothing is copied.
        self.tree = nil
        unsafe part.forEachKey { tree.add(unsafe $1.span) }
        self.tree = tree
      }
      guard !collectors.isEmpty else { return }
      let weights = part.weights(field: fields.rank?.number.map { Int($0) }, rule: fields.rank?.rule, with: buffer)
      for (table, source) in fields.sources.enumerated() {
        let field: Int?
        switch source {
        case .values(let number), .cells(let number): field = number
        case .places(let places):
          add(part, places, weights, to: &collectors[table])
          continue
        }
        collectors[table].beginPart()
        var (collector, at) = (collectors[table], 0)
        func end(before record: Int) {
          while at < record {
            collector.endRecord(weight: weights[at])
            at += 1
          }
        }
        if let field {
          unsafe part.forEachField(field, with: buffer) { record, value, format in
            end(before: record)
            unsafe format.withText(of: value) { unsafe fields.add($0, .number, of: source, to: &collector) }
          } text: { record, text, kind in
            end(before: record)
            unsafe fields.add(text, kind, of: source, to: &collector)
          }
        }
        end(before: part.count)
        collectors[table] = collector
      }
    }

    private func add(
      _ part: PartContent, _ places: CellFinder, _ weights: [UInt64], to collector: inout ValueCollector
    ) {
      collector.beginPart()
      for start in stride(from: 0, to: part.count, by: part.recordsAtOnce) {
        let run = start..<min(start + part.recordsAtOnce, part.count)
        part.decode(run, into: buffer)
        for record in run {
          let fields = buffer.rawFields(ofRecord: record - start)
          if let place = places.place(of: fields, in: buffer) { collector.add(NearPlace.value(ofCell: place.cell)) }
          collector.endRecord(weight: weights[record])
        }
      }
    }

    func finish() -> ShardSides { ShardSides(tables: collectors.map { $0.finish() }, sketch: tree?.sketch) }
  }
}

extension PartContent {
  /// Returns the weight of each record.
  ///
  /// - Parameter field: The number of the field with weights; nil if no record has the field.
  fileprivate func weights(field: Int?, rule: WeightRule?, with buffer: RecordBuffer) -> [UInt64] {
    var weights = [UInt64](repeating: 0, count: count)
    guard let field, let rule else { return weights }
    unsafe forEachField(field, with: buffer) { record, value, format in
      unsafe format.withText(of: value) { weights[record] = unsafe rule.weight(of: $0) }
    } text: { record, text, _ in
      weights[record] = unsafe rule.weight(of: text)
    }
    return weights
  }
}
