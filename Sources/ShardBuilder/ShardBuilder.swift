import CLibrary
import ShardedIndex

/// Builds index directories from datasets.
public enum ShardBuilder {
  /// Builds the index of one or more datasets into `directory`, which the build creates if it is missing.
  ///
  /// The same records give the same files, for any order, `memoryBytes`, `jobs` and previous index.
  /// If the directory has an index, the build encodes and writes only shards whose records changed, and nothing if no
  /// record did. The previous index answers until the new one is complete; on any error it stays. A damaged index is
  /// replaced too. An index that cannot be read is an error, because the build cannot know which files its readers
  /// need.
  ///
  /// - Parameter inputs: The paths of the datasets; `-` is standard input.
  /// - Parameter progress: Called from time to time, on the caller's thread.
  /// - Throws: ``BuildError``; then the previous index stays.
  public static func build(
    _ inputs: [String], into directory: String, options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    try build(inputs, into: directory, options: options, progress: progress, refusal: { nil })
  }

  /// Builds the index of records of a program into `directory`.
  ///
  /// The index is, byte for byte, that of a file of JSON lines with the same members in the same order: a nested value
  /// is a field with a path, an array is one field, and a `nil` that the record encodes is `null`. Numbers have the
  /// fewest digits that give the same value. Each record is encoded when the build reads it, so that memory holds only
  /// a few at a time. The members of a `Dictionary` have a random order; a record with a fixed order gives the same
  /// index each time.
  ///
  /// ```swift
  /// struct City: Encodable { var name: String, country: String, population: Int }
  /// var options = BuildOptions()
  /// (options.key, options.weight) = ("{name}, {country}", "population")
  /// try ShardBuilder.build(records: cities, into: "cities", options: options)
  /// ```
  ///
  /// - Parameter records: The records. Each encodes itself with a keyed container.
  /// - Parameter options: The options of the build. Those for reading files have no use.
  /// - Throws: ``BuildError``; ``BuildError/dataset(_:message:)`` with the number of a record that cannot be encoded.
  @discardableResult
  public static func build(
    records: some Sequence<some Encodable>, into directory: String, options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    try build([.records(RecordText(records))], into: directory, options: options, progress: progress, refusal: { nil })
  }

  /// Builds an index, unless `refusal` returns a reason.
  ///
  /// - Parameter refusal: Called after all records were read; returns the reason to write nothing, or nil.
  package static func build(
    _ inputs: [String], into directory: String, options: BuildOptions, progress: ((BuildProgress) -> Void)?,
    refusal: () -> BuildError?
  ) throws(BuildError) -> BuildSummary {
    try build(inputs.map { .file($0) }, into: directory, options: options, progress: progress, refusal: refusal)
  }

  private static func build(
    _ inputs: [DatasetSource], into directory: String, options: BuildOptions, progress: ((BuildProgress) -> Void)?,
    refusal: () -> BuildError?
  ) throws(BuildError) -> BuildSummary {
    var options = options
    if options.weightsFile != nil { options.weight = options.weight ?? BuildOptions.usualWeight }
    try checkOptions(options)
    try checkStandardInput(inputs.map(\.path) + [options.weightsFile].compactMap { $0 })
    options.tables = try TableReader.tables(of: options)
    if !options.replacesOtherIndex, let entry = Publisher.otherEntry(in: directory) {
      throw .otherFiles(path: directory, entry: entry)
    }
    var summary = BuildSummary()
    let publisher = try Publisher(directory: directory)
    let previous = try PreviousIndex.found(in: publisher, &summary)
    let weights = try WeightTable(of: &options)
    var intake = RecordIntake(options: options, publisher.runDirectory, weights: weights)
    if !options.replacesOtherIndex { intake.previousKey = previous.map(\.index.keyTemplate) }
    summary.fieldUses = FieldUse.all(options, readsWeight: weights == nil)
    for input in inputs { try intake.read(input, &summary, progress) }
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: summary.recordsRead))
    try intake.checkFields()
    for use in summary.fieldUses { try use.check(names: intake.names.names) }
    options = intake.options
    let (names, template, site) = (intake.names, intake.template, BuildSite(publisher, options))
    let id = options.id ?? intake.usualId
    var settings = settings(options, key: template?.text ?? options.key ?? previous?.index.keyTemplate ?? "")
    settings.chooseCoordinates(among: names.names)
    settings.flat = intake.flatNames()
    let collector = try EntryCollector(
      settings, names: names, options: options, directory: publisher.runDirectory)
    let sorted = try intake.finish(held: collector == nil ? 0 : EntryCollector.share(of: options.workMemory))
    let total = sorted.count
    try checkCount(total, directory, previous, options, summary)
    if let refusal = refusal() { throw refusal }
    previous?.offerPieces(for: options.packing)
    let pipeline = try Pipeline(
      .index(id: id, records: total), settings, names: names, at: site, replacing: previous)
    var output = try pipeline.write(
      PieceStream(
        sorted, limit: options.shardLimitBytes, names: names,
        observe: { (records) throws(BuildError) in try collector?.add(records) })
    ) { progress?(BuildProgress(phase: .writing, done: $0, total: total, records: $0)) }
    let entries = try collector?.write(settings, at: site, replacing: previous?.entries)
    output.noteID(options.id ?? id.flatMap { output.fieldNames.contains($0) ? $0 : nil })
    summary.recordsIndexed = output.manifest.recordCount
    if let previous, total > 0, summary.previousDamage == nil {
      summary.recordsBefore = previous.index.recordCount
      let (before, now) = (previous.index.fieldNames, output.fieldNames)
      if previous.index.recordCount > 0 { summary.newFields = now.filter { !before.contains($0) } }
      summary.goneFields = before.filter { !now.contains($0) }
    }
    let (ids, indexID, recordsWithoutID) = (output.ids, output.settings.id, output.notes.recordsWithoutID)
    try Publication(of: output, entries: entries, replacing: previous).publish(&summary)
    if let ids, let id = indexID {
      summary.recordsWithoutID = recordsWithoutID
      summary.sharedIDCount = ids.shared
      summary.sharedIDExample = ids.example.map { (firstID(in: publisher, id, hash: $0.hash) ?? "", $0.times) }
    }
    return summary
  }

  /// Returns the settings of an index with these options, all but its id.
  static func settings(_ options: BuildOptions, key: String) -> IndexSettings {
    var settings = IndexSettings(key: key)
    settings.weight = options.weight
    settings.weightScale = options.scaleText
    settings.weights = options.weightsFile.map { _ in "file" }
    settings.keep = options.keep
    (settings.filter, settings.number) = (options.filter, options.number)
    (settings.near, settings.typos) = (options.near, options.typos)
    settings.editsDigits = options.typosInDigits
    (settings.starts, settings.coordinates) = (options.starts, options.coordinates)
    settings.skipsEmptyKeys = options.skipEmptyKeys
    settings.valueNames = options.filter.map { options.tables.names[$0] }
    settings.synonyms = options.tables.synonyms
    options.setEntries(of: &settings)
    return settings
  }

  /// Returns the first id with a hash in the index that was just published; nil if that index is gone already.
  ///
  /// - Complexity: Linear in the number of records.
  private static func firstID(in publisher: Publisher, _ field: String, hash: UInt64) -> String? {
    guard let index = try? ShardedIndex(publisher.openDirectory(), options: .init()),
      let number = index.fieldNames.firstIndex(of: field),
      let shards = try? index.generation.manifest.shards()
    else { return nil }
    let buffer = RecordBuffer()
    var found: String?
    func look(_ text: UnsafeBufferPointer<UInt8>) {
      if found == nil, unsafe IDCounter.hash(text.span) == hash { found = unsafe printable(text, limit: 60) }
    }
    for shard in shards where found == nil {
      _ = try? index.generation.readWhole(shard) { part in
        unsafe part.forEachField(number, with: buffer) { _, value, format in
          unsafe format.withText(of: value) { unsafe look($0) }
        } text: { _, text, kind in
          if unsafe RecordID.isOne(text, FieldKind(kind)) { unsafe look(text) }
        }
      }
    }
    return found
  }

  /// Refuses options that are wrong for any inputs.
  static func checkOptions(_ options: BuildOptions) throws(BuildError) {
    if let key = options.key { _ = try KeyTemplate(checking: key) }
    _ = try WeightRule(checking: options.scaleText)
    if let weight = options.weight, let keep = options.keep, !RecordEncoder.isKept(weight, keep: keep) {
      throw .dataset(
        .options, message: "the field \"\(weight)\" ranks records, so the index must store it; keep it too")
    }
    for field in options.filter {
      if let keep = options.keep, !RecordEncoder.isKept(field, keep: keep) {
        throw .dataset(
          .options, message: "the field \"\(field)\" filters answers, so the index must store it; keep it too")
      }
    }
    for field in options.number where !RecordEncoder.isKept(field, keep: options.keep) {
      throw .dataset(
        .options, message: "the numbers of \"\(field)\" order answers, so the index must store it; keep it too")
    }
    if Set(options.number).count < options.number.count || options.number.count > IndexSettings.filterLimit {
      throw .dataset(
        .options,
        message: "\(.number) may name up to \(IndexSettings.filterLimit) fields; name each field once")
    }
    if let fields = options.coordinates, !(1...2).contains(fields.count) || Set(fields).count < fields.count {
      throw .dataset(.options, message: "coordinates are in one field or in two; name these")
    }
    for field in options.coordinates ?? [] where !RecordEncoder.isKept(field, keep: options.keep) {
      throw .dataset(
        .options, message: "the field \"\(field)\" has coordinates, so the index must store it; keep it too")
    }
    if Set(options.filter).count < options.filter.count || options.filter.count > IndexSettings.filterLimit {
      throw .dataset(
        .options, message: "filters may be up to \(IndexSettings.filterLimit) fields; name each field once")
    }
    if options.weightsFile != nil, options.id == nil {
      throw .dataset(.options, message: "a file of weights needs \(.id), the field with the ids in the file")
    }
    try options.checkStoredTexts()
    for (setting, texts) in [(BuildSetting.alias, options.alias), (.searchField, options.searchFields)] {
      let losses = TextField.losses(ofNames: setting == .alias)
      for text in texts where TextField(text, ofNames: setting == .alias).loss == nil {
        throw .dataset(
          .options,
          message: """
            \(setting) has \(quoted(text)), and a bonus is a whole number from \(-losses.upperBound) to \
            \(-losses.lowerBound), in octaves of weight
            """)
      }
    }
    if let id = options.id, let keep = options.keep, !RecordEncoder.isKept(id, keep: keep) {
      throw .dataset(.options, message: "the field \"\(id)\" is the id, so the index must store it; keep it too")
    }
  }

  /// Refuses a closed standard input, before any opened file gets its number.
  static func checkStandardInput(_ inputs: [String]) throws(BuildError) {
    var status = stat()
    if inputs.contains("-"), unsafe fstat(STDIN_FILENO, &status) != 0, errno == EBADF {
      throw .dataset(.missing, message: "standard input is closed; name a file, or pass one to standard input")
    }
  }

  /// Refuses an index of too few records.
  private static func checkCount(
    _ count: Int, _ directory: String, _ previous: PreviousIndex?, _ options: BuildOptions, _ summary: BuildSummary
  ) throws(BuildError) {
    let held = previous?.index.recordCount ?? 0
    if count == 0, !options.allowsEmpty, held > 0 || summary.previousDamage != nil {
      let (bad, leftOut) = (summary.badRecordCount, summary.recordsLeftOut)
      let all = bad + leftOut == 1 ? "1 record" : "\(grouped(bad + leftOut)) records"
      let reason: BuildMessage =
        leftOut > 0
        ? "of \(all) none has text in its key, and \(.skipsEmptyKeys) leaves such records out"
        : bad > 0 ? "of \(all) none is good" : "\(summary.emptyInputs.joined(separator: ", "))"
      throw .noRecord(reason: reason, path: directory, held: summary.previousDamage == nil ? held : nil)
    }
    guard count >= options.minimumRecords else {
      throw .tooFewRecords(path: directory, found: count, minimum: options.minimumRecords)
    }
  }
}
