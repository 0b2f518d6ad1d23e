import CSystem
import ShardedIndex

/// Proves an index: every byte of it, and on demand that it answers for a dataset, the whole and nothing else.
///
/// Memory does not grow with the index but by 48 bytes a shard and by the lower bounds that the manifest has of shards,
/// which are longer where keys have much in common.
package struct Verifier {
  /// What was found.
  package enum Finding: Sendable, Equatable {
    /// A file is damaged.
    case damage(file: String, reason: String)
    /// The system did not hand a file out, so that nobody knows what is in it.
    case unread(file: String, reason: String)
    /// A record of the dataset that the index lacks, or has less often.
    case missing(record: String, count: Int)
    /// A record of the index that the dataset lacks, or has less often.
    case unexpected(record: String, count: Int)
    /// The index answers a prefix with other records than begin with it.
    case wrongAnswer(prefix: String, reason: String)
    /// A file in the directory that the index does not use: of a shard's name, so that the generation before had it and
    /// its readers may still, or of any other. No damage.
    case stray(file: String, isShard: Bool)

    package var isDamage: Bool { if case .stray = self { false } else { true } }
  }

  package struct Summary: Sendable, Equatable {
    package var records = 0
    package var shards = 0
    /// Of all files of the index.
    package var bytes = 0
    package var damagedFiles = 0
    /// Files, or pages of the manifest, that the system did not hand out.
    package var unreadFiles = 0
    /// Records of the dataset; nil without one.
    package var sourceRecords: Int? = nil
    /// Records of the dataset that no index can hold: those a build reports.
    package var badRecords = 0
    /// Distinct prefixes that were asked for.
    package var prefixes = 0
    /// Records missing from the index or in it without being in the dataset.
    package var differences = 0
    package var wrongAnswers = 0
    /// Of the differences, those that no finding names.
    package var unlisted = 0
    /// What records of the same key differ in, by how many do so.
    package var causes: [Cause] = []
    /// Shards that differ and were not looked into.
    package var unexaminedShards = 0

    package struct Cause: Sendable, Equatable {
      package var text: String
      package var records: Int
    }

    package var isSound: Bool { damagedFiles == 0 && unreadFiles == 0 && differences == 0 && wrongAnswers == 0 }
  }

  /// What an index is compared with, named as for a build.
  package struct Source: Sendable {
    /// Files, `-` for standard input.
    package var inputs: [String]
    package var options: DatasetOptions
    /// nil for the one of the index.
    package var template: String?
    package var keep: [String]?

    package init(_ inputs: [String], options: DatasetOptions, template: String? = nil, keep: [String]? = nil) {
      self.inputs = inputs
      self.options = options
      self.template = template
      self.keep = keep
    }
  }

  package enum Failure: Error {
    case index(IndexError)
    case source(DatasetError)
    case template(BuildError)
  }

  private let index: ShardedIndex
  private let report: (Finding) -> Void
  private var summary = Summary()
  /// What the manifest says of each shard.
  private var shards: [Manifest.Shard] = []
  /// Per shard what the records whose keys begin in it add up to: those of the dataset less those of the index.
  private var sums: [RecordSum] = []
  /// The field by which records are told apart, where the overlay says which of them is the greatest.
  private let idField: Int?
  /// As ``Overlay/greatestID``, of the shards that could be read.
  private var greatestID: UInt64 = 0

  /// The most findings of one kind that are reported one by one.
  private static let reportLimit = 100
  /// What records that the dataset alone has are held up to until they are reported, in bytes: the last may go over it.
  private static let heldLimit = 4 << 20

  /// Checks every byte: sizes, digests, checksums, structure, order, that each key is the fold of its record's, and
  /// that counts add up. Files that do not belong are named.
  ///
  /// - Parameter source: A dataset that the index was made from; read again, to name the records, where it differs.
  /// - Throws: ``Failure`` if there is no index or no dataset to be read. What is damaged is reported instead.
  package static func verify(
    index path: String, source: Source? = nil, options: ShardedIndex.Options = .init(),
    report: @escaping (Finding) -> Void
  ) throws(Failure) -> Summary {
    do throws(BuildError) {
      if let source { try ShardBuilder.checkStandardInput(source.inputs) }
    } catch {
      throw .template(error)
    }
    let index: ShardedIndex
    do throws(IndexError) {
      index = try ShardedIndex(opening: path, options: options)
    } catch {
      // A manifest that is there and cannot be believed is damage like any other.
      guard case .corrupt(let path, let cause) = error else { throw .index(error) }
      report(.damage(file: path, reason: cause.description))
      var summary = Summary()
      summary.damagedFiles = 1
      return summary
    }
    var verifier = Verifier(index: index, report: report)
    try verifier.run(source)
    // Shards that a rebuild removed are no damage.
    if verifier.summary.damagedFiles > 0, index.generation.isSuperseded { throw .index(.superseded(path: path)) }
    return verifier.summary
  }

  private init(index: ShardedIndex, report: @escaping (Finding) -> Void) {
    self.index = index
    self.report = report
    idField =
      index.generation.overlay.map { $0.greatestID < .max } ?? false
      ? IndexSettings(of: index.generation.manifest).id.flatMap { index.fieldNames.firstIndex(of: $0) } : nil
  }

  private mutating func run(_ source: Source?) throws(Failure) {
    let template: KeyTemplate?
    do throws(BuildError) {
      template = source == nil ? nil : try KeyTemplate(source!.template ?? index.keyTemplate)
    } catch {
      throw .template(error)
    }
    if source != nil { sums = Array(repeating: RecordSum(), count: max(1, index.shardCount)) }
    let isWhole = checkManifest()
    // With a page of the manifest damaged, what its shards should be is not known; those of other pages are.
    if isWhole { checkDirectory() }
    checkShards(isCompared: source != nil && isWhole)
    if isWhole, summary.damagedFiles == 0, summary.unreadFiles == 0 { checkOverlay(isCompared: source != nil) }
    summary.records = index.recordCount
    summary.shards = index.shardCount
    guard isWhole, let source, let template else { return }
    try compare(source, template)
    if summary.damagedFiles == 0, summary.unreadFiles == 0 { checkAnswers() }
  }

  // MARK: Every byte

  private func path(_ name: String) -> String { index.directory.filePath(name) }

  private mutating func damage(_ name: String, _ reason: String) {
    summary.damagedFiles += 1
    report(.damage(file: path(name), reason: reason))
  }

  private mutating func unread(_ name: String, _ error: IndexError) {
    summary.unreadFiles += 1
    report(.unread(file: path(name), reason: error.description))
  }

  /// - Returns: Whether every page can be believed.
  private mutating func checkManifest() -> Bool {
    let generation = index.generation.manifest
    summary.bytes += generation.fileSize
    var isWhole = true
    var number = 0
    while number < generation.shardCount {
      do throws(IndexError) {
        shards.append(try generation.shard(number))
        number += 1
      } catch {
        isWhole = false
        let page = number / Manifest.pageCapacity
        switch error {
        case .corrupt(_, let cause): damage(Manifest.fileName, "page \(page) \(cause)")
        default: unread(Manifest.fileName, error)
        }
        number = (page + 1) * Manifest.pageCapacity
      }
    }
    func check(_ what: String, _ body: () throws(IndexError) -> FormatError?) {
      do throws(IndexError) {
        if let error = try body() { damage(Manifest.fileName, "\(error), in its \(what)") }
      } catch {
        switch error {
        case .corrupt: damage(Manifest.fileName, "\(error.description), in its \(what)")
        default: unread(Manifest.fileName, error)
        }
      }
    }
    check("notes") { () throws(IndexError) in
      guard let frames = try generation.notes() else { return nil }
      do throws(FormatError) {
        _ = try BuildNotes(frames, shardCount: generation.shardCount)
        return nil
      } catch {
        return error
      }
    }
    check("map of dots") { () throws(IndexError) in
      _ = try generation.densityGrid()
      return nil
    }
    // Every opening would pay for this check; a name that stands twice makes no query wrong.
    var names: Set<[UInt8]> = []
    for name in generation.fieldNames where !names.insert(Array(name.utf8)).inserted {
      damage(Manifest.fileName, "names the field \(name) twice")
      break
    }
    return isWhole
  }

  /// Whether there is an overlay's file with no overlay in it, as far as can be seen.
  private var hasBlankOverlay: Bool {
    do throws(IndexError) {
      return try Overlay.isBlank(in: index.directory)
    } catch {
      if case .io = error { return true }
      return false
    }
  }

  /// Names what lies in the directory and belongs to no index.
  private func checkDirectory() {
    guard let directory = opendir(index.path) else { return }
    defer { closedir(directory) }
    var known: Set<String> = [".", "..", Publisher.manifestName, Publisher.lockName, "README.md"]
    for shard in shards { known.insert(shard.fileName) }
    if index.generation.overlay != nil || hasBlankOverlay { known.insert(Overlay.fileName) }
    var strays: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(cString: $0)
        }
      }
      if !known.contains(name) { strays.append(name) }
    }
    for name in strays.sorted() { report(.stray(file: path(name), isShard: Publisher.isShardName(name))) }
  }

  /// What there is to know of one shard without its neighbours.
  private struct Found: Sendable {
    var shard: Manifest.Shard
    /// What is wrong; nil if nothing is.
    var reason: String?
    /// Why it could not be read; nil if it could.
    var failure: IndexError?
    /// The first key; nil if none could be read.
    var first: [UInt8]?
    /// The greatest one.
    var last: [UInt8] = []
    /// Of records by the shard that their keys begin in, in order.
    var sums: [(shard: Int, sum: RecordSum)] = []
    /// As ``Overlay/greatestID``, of the shard alone.
    var greatestID: UInt64 = 0
  }

  /// What the shards that are looked at together may take, in bytes.
  private static let budget = 16 << 20

  /// Looks at shards on all processors, and at what lies between them in their order, so that what is found does not
  /// depend on the number of threads.
  private mutating func checkShards(isCompared: Bool) {
    let (index, shards, idField) = (index, shards, idField)
    var previous = Before()
    var checked: Set<String> = []
    var (given, next) = (0, 0)
    do throws(BuildError) {
      try WorkerPool.orderedMap(
        threads: WorkerPool.availableThreads, budget: Self.budget,
        // Its bytes, and of a large record its header, what is kept of that, and the record as it is decoded.
        cost: { $0.file.size + 3 * $0.file.headerContentSize },
        next: { () throws(BuildError) -> Manifest.Shard? in
          given += 1
          return given <= shards.count ? shards[given - 1] : nil
        },
        transform: { (shard) throws(BuildError) in Self.check(shard, of: index, idField, isCompared: isCompared) },
        deliver: { (found) throws(BuildError) in
          let shard = found.shard
          let name = shard.fileName
          // Shards with the same content are one file.
          if found.first != nil, checked.insert(name).inserted { summary.bytes += shard.file.size }
          for (number, sum) in found.sums { sums[number].add(sum) }
          greatestID = max(greatestID, found.greatestID)
          if shard.number != next { previous.isLast = false }  // A page between is damaged.
          next = shard.number + 1
          let reason = found.reason ?? previous.fault(before: found)
          if let failure = found.failure { unread(name, failure) } else if let reason { damage(name, reason) }
          // Behind a shard that cannot be believed, nobody knows which key is the last.
          previous.isLast = reason == nil && found.failure == nil
          if found.first != nil, previous.key.lexicographicallyPrecedes(found.last) { previous.key = found.last }
        })
    } catch {
      preconditionFailure("nothing of this throws: \(error)")
    }
  }

  /// The keys before the one that is looked at.
  private struct Before {
    /// The greatest one.
    var key: [UInt8] = []
    /// Whether there is one, and no other stands between.
    var isLast = false

    /// What is wrong with where a run of keys begins; nil if nothing is.
    ///
    /// - Parameter order: Of the greatest key before and `first`.
    func fault(
      first: UnsafeBufferPointer<UInt8>, order: Int, bound: UnsafeBufferPointer<UInt8>, isContinuation: Bool,
      _ what: String
    ) -> String? {
      if compareBytes(bound, first) > 0 { return "has a key below \(what) lower bound" }
      if isContinuation {
        return isLast && order != 0 || compareBytes(bound, first) != 0
          ? "does not go on with the key before it, as \(what) flag says" : nil
      }
      let isAbove = !isLast || key.withUnsafeBufferPointer { compareBytes($0, bound) } < 0
      return isAbove ? nil : "follows keys that are not below \(what) lower bound"
    }

    /// What is wrong with where a shard begins that is sound by itself.
    func fault(before found: Found) -> String? {
      guard let first = found.first else { return nil }
      return first.withUnsafeBufferPointer { first in
        let order = key.withUnsafeBufferPointer { compareBytes($0, first) }
        if order > 0 { return "record 0 has a key below the one before" }
        let shard = found.shard
        return fault(
          first: first, order: order, bound: shard.bound, isContinuation: shard.file.isContinuation, "the shard's"
        ).map { "record 0 " + $0 }
      }
    }
  }

  /// Checks a shard's bytes, then what they say.
  private static func check(
    _ shard: Manifest.Shard, of index: ShardedIndex, _ idField: Int?, isCompared: Bool
  ) -> Found {
    var found = Found(shard: shard)
    do throws(IndexError) {
      let file = try index.directory.read(shard.fileName, size: shard.file.size)
      let digest = Digest.sha256(UnsafeBufferPointer(file))
      file.deallocate()
      guard digest.prefix(16).elementsEqual(shard.digest) else {
        found.reason = "has another SHA-256 than the manifest says"
        return found
      }
      try checkContent(&found, of: index, idField, isCompared: isCompared)
    } catch {
      switch error {
      case .corrupt(_, let cause): found.reason = cause.description
      case .vanished: found.reason = "is missing"
      default: found.failure = error
      }
    }
    return found
  }

  private static func checkContent(
    _ found: inout Found, of index: ShardedIndex, _ idField: Int?, isCompared: Bool
  ) throws(IndexError) {
    let shard = found.shard
    let buffer = RecordBuffer()
    var reason: String? = nil
    var records = 0
    var key: [UInt8] = []
    var folded: [UInt8] = []
    let schema = index.generation.schema
    var bytes: [UInt8] = []
    var first: [UInt8]?
    var last = Before()
    var canonical = -1
    var sums: [(shard: Int, sum: RecordSum)] = []
    var greatestID: UInt64 = 0
    let generation = index.generation.manifest
    defer {
      (found.first, found.last, found.sums, found.reason) = (first, last.key, sums, reason)
      found.greatestID = greatestID
    }
    _ = try index.generation.readWhole(shard) { part in
      guard reason == nil else { return }
      guard part.firstRecord == records else {
        reason = "part \(part.number) begins at record \(part.firstRecord), not \(records)"
        return
      }
      if part.number == 0, !part.hasOrderedTails {
        reason = "its tails do not ascend"
        return
      }
      if let record = part.firstWrongShared {
        reason = "record \(records + record) says that it shares more or less with the one before than it does"
        return
      }
      if let block = part.firstMisplacedRows {
        reason = "part \(part.number): the numbers of block \(block) have another size than it says"
        return
      }
      records += part.count
      var decoded = 0..<0
      part.forEachKey { record, stored in
        guard reason == nil else { return }
        func fail(_ text: String) { reason = "record \(part.firstRecord + record) " + text }
        let order = last.key.withUnsafeBufferPointer { compareBytes($0, stored) }
        if order > 0 { return fail("has a key below the one before") }
        if record == 0, part.number > 0 {
          if let fault = last.fault(
            first: stored, order: order, bound: part.bound, isContinuation: part.isContinuation, "its part's")
          {
            return fail(fault)
          }
        } else if record == 0 {
          // The bound of a shard's first part is empty: what stands before it is another shard's, and seen to later.
          first = Array(stored)
          if shard.fileName != Manifest.fileName(label: Manifest.label(ofKey: stored), digest: Array(shard.digest)) {
            return fail("is the first, and the file is not named by its key")
          }
        }
        last.isLast = true
        if order != 0 { last.key.replace(with: stored) }
        if !decoded.contains(record) {
          decoded = record..<min(record + part.recordsAtOnce, part.count)
          part.decode(decoded, into: buffer)
          if buffer.isOverlong { return fail("or one behind it has over \(FieldColumns.recordLimit) bytes") }
        }
        let fields = buffer.rawFields(ofRecord: record - decoded.lowerBound)
        if let idField, let id = fields.first(where: { Int(buffer.rawName(ofField: $0)) == idField }),
          let number = Overlay.wholeNumber(buffer.rawField(id).text)
        {
          greatestID = max(greatestID, number)
        }
        if schema.isKeyStored {
          key.removeAll(keepingCapacity: true)
          // A template may name one long field over and over. No key is that long.
          for piece in schema.template.parts where key.count <= FieldColumns.recordLimit {
            switch piece {
            case .text(let text): key.append(contentsOf: text.utf8)
            case .field(let name):
              if let field = fields.first(where: { Int(buffer.rawName(ofField: $0)) == name }) {
                key.append(contentsOf: buffer.rawField(field).keyText)
              }
            }
          }
          folded.removeAll(keepingCapacity: true)
          key.withUnsafeBufferPointer { Fold.fold($0, into: &folded) }
          if !folded.elementsEqual(stored) {
            return fail("is stored under a key that is not the fold of its own")
          }
        }
        if isCompared {
          RecordSum.begin(&bytes, key: stored)
          for number in fields {
            let field = buffer.rawField(number)
            RecordSum.append(schema.names[field.name].utf8, field.kind.rawValue, field.text, to: &bytes)
          }
          if canonical < 0 || order != 0 { canonical = Self.shard(of: stored, in: generation) }
          if sums.last?.shard != canonical { sums.append((canonical, RecordSum())) }
          sums[sums.count - 1].sum.subtract(bytes)
        }
      }
    }
    if reason == nil, records != shard.recordCount {
      reason = "has a count of \(records) where \(shard.recordCount) was promised"
    }
  }

  /// Makes the overlay anew of the records that it adds and the places of those that it removes: it has to be what it is.
  private mutating func checkOverlay(isCompared: Bool) {
    guard index.generation.overlay != nil || hasBlankOverlay else { return }
    do throws(IndexError) {
      try Overlay.checkSectors(in: index.directory)
    } catch {
      guard case .corrupt(_, let cause) = error else { return unread(Overlay.fileName, error) }
      return damage(Overlay.fileName, cause.description)
    }
    guard let overlay = index.generation.overlay else { return }
    summary.bytes += overlay.fileSize
    let reason: String?
    do throws(BuildError) {
      reason = try OverlayDraft.fault(of: overlay, in: index)
    } catch {
      reason = error.description
    }
    if let reason { return damage(Overlay.fileName, reason) }
    guard idField == nil || greatestID <= overlay.greatestID else {
      return damage(Overlay.fileName, "says that no id is above \(overlay.greatestID), and \(greatestID) is one")
    }
    guard isCompared else { return }
    let schema = index.generation.schema
    let generation = index.generation.manifest
    var bytes: [UInt8] = []
    for number in overlay.added.indices {
      let key = overlay.folded(number)
      RecordSum.begin(&bytes, key: key)
      overlay.forEachField(of: number) {
        RecordSum.append(schema.names[$0.name].utf8, $0.kind, $0.text, to: &bytes)
      }
      sums[Self.shard(of: key, in: generation)].subtract(bytes)
    }
    // They were read, and are sound.
    let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    guard let all = try? index.matchesInShards(forFoldedPrefix: none) else { return }
    for place in overlay.removed {
      Self.forEachRecord(of: all, in: place..<place + 1) { key, buffer in
        Self.serialize(key, buffer, schema, into: &bytes)
        sums[Self.shard(of: key, in: generation)].add(bytes)
      }
    }
  }

  /// Calls `body` with the folded key of each record of an answer, and the record, the first one of the buffer.
  private static func forEachRecord(
    of matches: ShardedIndex.Matches, in positions: Range<Int>,
    _ body: (UnsafeBufferPointer<UInt8>, RecordBuffer) -> Void
  ) {
    let buffer = RecordBuffer()
    for position in positions {
      guard (try? matches.read(position..<position + 1, into: buffer)) != nil else { return }
      try? matches.forEachFoldedKey(in: position..<position + 1) { body($0, buffer) }
    }
  }

  private static func serialize(
    _ key: UnsafeBufferPointer<UInt8>, _ buffer: RecordBuffer, _ schema: Schema, into bytes: inout [UInt8]
  ) {
    RecordSum.begin(&bytes, key: key)
    for slot in buffer.rawFields(ofRecord: 0) {
      let field = buffer.rawField(slot)
      RecordSum.append(schema.names[field.name].utf8, field.kind.rawValue, field.text, to: &bytes)
    }
  }

  // MARK: Against a dataset

  private mutating func compare(_ source: Source, _ template: KeyTemplate) throws(Failure) {
    var records = 0
    var bad = 0
    let generation = index.generation.manifest
    var sums = sums
    self.sums = []
    var bytes: [UInt8] = []
    try Self.read(source, template, bad: &bad) { record, names in
      records += 1
      Self.serialize(record, names, into: &bytes)
      sums[Self.shard(of: record.folded, in: generation)].add(bytes)
    }
    summary.sourceRecords = records
    summary.badRecords = bad
    let differing = Set(sums.indices.filter { !sums[$0].isZero })
    guard !differing.isEmpty else { return }
    guard !source.inputs.contains("-") else {
      // It cannot be read again: how many shards differ is all that is known.
      summary.differences = differing.count
      return
    }
    try explain(differing, source, template)
  }

  private static func shard(of key: UnsafeBufferPointer<UInt8>, in generation: Manifest) -> Int {
    guard !key.isEmpty, generation.shardCount > 0 else { return 0 }
    // Every page was read before: it cannot fail.
    return (try? generation.places(forPrefix: key, head: KeyBlocks.head(of: key)).first.number) ?? 0
  }

  /// Delivers the dataset's records as the builder sees them.
  private static func read(
    _ source: Source, _ template: KeyTemplate, bad: inout Int, _ body: (RecordBlob, [String]) -> Void
  ) throws(Failure) {
    bad = 0
    var batch = RecordBatch()
    var fieldCheck = FieldCheck()
    fieldCheck.add(template, source.template == nil ? .indexKey : .key)
    for name in source.keep ?? [] { fieldCheck.add(name, .keep) }
    for input in source.inputs {
      // Names are numbered anew in each file.
      var encoder = RecordEncoder(template: template, keep: source.keep)
      let reader: DatasetReader
      do throws(DatasetError) {
        reader = try DatasetReader(path: input, options: source.options)
      } catch {
        throw .source(error)
      }
      var isChecked = false
      func read() throws(Failure) -> Bool {
        var failure: DatasetError?
        var isMore = false
        do throws(DatasetError) { isMore = try reader.read(into: &batch) } catch { failure = error }
        if !isChecked, reader.format.hasColumns, !reader.names.names.isEmpty {
          isChecked = true
          do throws(BuildError) {
            try fieldCheck.check(reader.names.names, of: [input])
          } catch {
            throw .template(error)
          }
        }
        if let failure { throw .source(failure) }
        return isMore
      }
      while try read() {
        let chunk = RecordArena()
        let names = reader.names
        bad += encoder.encode(batch, names: names, into: chunk).count
        for record in 0..<chunk.count { body(chunk.record(record), names.names) }
      }
      bad += reader.badCount
    }
  }

  private static func serialize(_ record: RecordBlob, _ names: [String], into bytes: inout [UInt8]) {
    RecordSum.begin(&bytes, key: record.folded)
    var offset = record.textsOffset
    for field in 0..<record.fieldCount {
      RecordSum.append(
        names[Int(record.fieldName(field))].utf8, record.fieldKind(field).rawValue, record.text(field, &offset),
        to: &bytes)
    }
  }

  /// Finds out which records of some shards differ. Memory grows with those shards, so it looks at few.
  private mutating func explain(
    _ differing: Set<Int>, _ source: Source, _ template: KeyTemplate
  ) throws(Failure) {
    let shards = Set(differing.sorted().prefix(Self.reportLimit))
    let generation = index.generation.manifest
    var counts: [[UInt8]: Int] = [:]
    var bytes: [UInt8] = []
    func note(_ change: Int) {
      let digest = bytes.withUnsafeBufferPointer { Digest.sha256($0) }
      let count = (counts[digest] ?? 0) + change
      counts[digest] = count == 0 ? nil : count
    }
    let schema = index.generation.schema
    // Equal keys run over shards: what counts is where they begin, so the shards behind are read as well.
    func forEachIndexed(_ body: (UnsafeBufferPointer<UInt8>, RecordBuffer) -> Void) {
      if index.generation.overlay != nil {
        guard let all = try? index.matches(forPrefix: "") else { return }
        return Self.forEachRecord(of: all, in: 0..<all.count) { key, buffer in
          if shards.contains(Self.shard(of: key, in: generation)) { body(key, buffer) }
        }
      }
      let buffer = RecordBuffer()
      for shard in self.shards {
        guard shards.contains(where: { $0 <= shard.number && shard.number <= $0 + 1 }) || shard.file.isContinuation
        else { continue }
        _ = try? index.generation.readWhole(shard) { part in
          part.forEachKey { record, key in
            guard shards.contains(Self.shard(of: key, in: generation)) else { return }
            part.decode(record..<record + 1, into: buffer)
            body(key, buffer)
          }
        }
      }
    }
    forEachIndexed { key, buffer in
      Self.serialize(key, buffer, schema, into: &bytes)
      note(-1)
    }
    var bad = 0
    try Self.read(source, template, bad: &bad) { record, names in
      guard shards.contains(Self.shard(of: record.folded, in: generation)) else { return }
      Self.serialize(record, names, into: &bytes)
      note(1)
    }
    // Of each side the first are listed, those of one key together, and all are summed up by what they differ in.
    var differences = RecordDifferences()
    var (missing, unexpected, listed, alone) = (0, 0, 0, 0)
    var lines: [(number: Int?, text: String, count: Int)] = []
    var held = 0
    var isRoom: Bool { lines.count < Self.reportLimit && held < Self.heldLimit }
    try Self.read(source, template, bad: &bad) { record, names in
      guard shards.contains(Self.shard(of: record.folded, in: generation)) else { return }
      Self.serialize(record, names, into: &bytes)
      let digest = bytes.withUnsafeBufferPointer { Digest.sha256($0) }
      guard let count = counts[digest], count > 0 else { return }
      counts[digest] = nil
      missing += count
      var texts = record.textsOffset
      var line = RecordLine()
      var fields: [RecordDifferences.Field] = []
      for field in 0..<record.fieldCount {
        let (name, kind, text) = (
          names[Int(record.fieldName(field))], record.fieldKind(field), record.text(field, &texts)
        )
        fields.append(differences.field(name, kind, text))
        if isRoom { line.add(name, kind, text) }
      }
      let number = differences.add(record.folded, fields)
      guard isRoom else { return }
      lines.append((number, line.finish(), count))
      held += lines[lines.count - 1].text.utf8.count
    }
    forEachIndexed { key, buffer in
      Self.serialize(key, buffer, schema, into: &bytes)
      let digest = bytes.withUnsafeBufferPointer { Digest.sha256($0) }
      guard let count = counts[digest], count < 0 else { return }
      counts[digest] = nil
      unexpected -= count
      var line = RecordLine()
      var fields: [RecordDifferences.Field] = []
      for slot in buffer.rawFields(ofRecord: 0) {
        let field = buffer.rawField(slot)
        fields.append(differences.field(schema.names[field.name], FieldKind(field.kind), field.text))
        if listed < 2 * Self.reportLimit { line.add(schema.names[field.name], FieldKind(field.kind), field.text) }
      }
      let pair = differences.pair(key, fields)
      let at = pair.flatMap { pair in lines.firstIndex { $0.number == pair } }
      if let at {
        report(.missing(record: lines[at].text, count: lines[at].count))
        listed += lines.remove(at: at).count
      }
      if at == nil {
        // The other one of a pair is not listed, or there is none.
        guard pair == nil, alone < Self.reportLimit else { return }
        alone += 1
      }
      report(.unexpected(record: line.finish(), count: -count))
      listed -= count
    }
    for line in lines {
      report(.missing(record: line.text, count: line.count))
      listed += line.count
    }
    summary.unlisted = missing + unexpected - listed
    summary.causes = differences.causes.map { Summary.Cause(text: $0.key, records: $0.value) }.sorted {
      ($1.records, $0.text) < ($0.records, $1.text)
    }
    summary.unexaminedShards = differing.count - shards.count
    // At least one per shard that was not looked into.
    summary.differences = missing + unexpected + differing.count - shards.count
  }

  // MARK: Every prefix

  /// Asks for every prefix of every key and compares with where such keys stand in the order of all keys.
  ///
  /// The keys have been proven: ascending, those of the dataset, each as often as it is there.
  private mutating func checkAnswers() {
    var previous: [UInt8] = []
    /// Where the run of keys that begin with the first *n* bytes of `previous` starts, for each *n*.
    var starts: [Int] = [0]
    var position = 0
    var asked = 0
    var wrong = 0
    let index = index
    let report = report
    let all = try? index.matches(forPrefix: "")
    func describe(_ prefix: UnsafeBufferPointer<UInt8>) -> String { FoldedText.readable(prefix) }
    func ask(_ prefix: UnsafeBufferPointer<UInt8>, expecting runs: [Range<Int>]) {
      asked += 1
      let reason: String
      do throws(IndexError) {
        let (found, expected) = (
          try index.matches(forFoldedPrefix: prefix).positions.filter { !$0.isEmpty }, runs.filter { !$0.isEmpty }
        )
        if found == expected { return }
        func describe(_ runs: [Range<Int>]) -> String {
          runs.isEmpty
            ? "none" : runs.map { "\($0.lowerBound) to before \($0.upperBound)" }.joined(separator: " and from ")
        }
        reason = "answered with the positions from \(describe(found)), not from \(describe(expected))"
      } catch {
        reason = error.description
      }
      wrong += 1
      if wrong <= Self.reportLimit { report(.wrongAnswer(prefix: describe(prefix), reason: reason)) }
    }
    /// Asks for the prefixes of `previous` that the next key does not have, longest last.
    func close(above common: Int) {
      previous.withUnsafeBufferPointer { bytes in
        var size = bytes.count
        while size > common {
          // A prefix that somebody can type ends where a character does.
          if size == bytes.count || bytes[size] & 0xc0 != 0x80 {
            let prefix = UnsafeBufferPointer(rebasing: bytes[..<size])
            // Before the keys that begin with a word and a space stand those that end behind it or go on with a comma.
            let isFinished = prefix[size - 1] == Fold.space
            let own = starts[isFinished ? size - 1 : size]..<position
            let word = prefix.dropLast(isFinished ? 1 : 0)
            if let space = word.lastIndex(of: Fold.space), let all {
              let before = starts[space]..<starts[space + 1]
              ask(prefix, expecting: [Self.run(ofSeparated: prefix, at: space, of: all, among: before), own])
            } else {
              ask(prefix, expecting: [own])
            }
          }
          size -= 1
        }
      }
    }
    var key: [UInt8] = []
    var lastKey: [UInt8] = []
    let schema = index.generation.schema
    /// - Parameter record: Decodes the record; returns where it is, and its number there.
    func visit(_ stored: UnsafeBufferPointer<UInt8>, _ record: () -> (RecordBuffer, Int)) {
      let common = previous.withUnsafeBufferPointer { commonPrefix($0, stored) }
      if common < max(stored.count, previous.count) || position == 0 {
        close(above: common)
        // The separator sorts first: a key that goes on with it would come next.
        if position > 0,
          !(common == previous.count && stored.count > common && stored[common] == Fold.separator)
        {
          previous.append(Fold.separator)
          previous.withUnsafeBufferPointer { ask($0, expecting: [position..<position]) }
        }
        previous.replace(with: stored)
        starts.removeLast(starts.count - min(starts.count, common + 1))
        while starts.count <= stored.count { starts.append(position) }
      }
      defer { position += 1 }
      // And as it is typed, by way of the fold.
      guard schema.isKeyStored else { return }
      let (buffer, number) = record()
      key.removeAll(keepingCapacity: true)
      for piece in schema.template.parts {
        switch piece {
        case .text(let text): key.append(contentsOf: text.utf8)
        case .field(let name):
          let fields = buffer.rawFields(ofRecord: number)
          if let field = fields.first(where: { Int(buffer.rawName(ofField: $0)) == name }) {
            key.append(contentsOf: buffer.rawField(field).keyText)
          }
        }
      }
      guard key != lastKey else { return }
      swap(&key, &lastKey)
      asked += 1
      let isFound = lastKey.withUnsafeBufferPointer { bytes in
        if let matches = try? index.matches(forPrefix: bytes) {
          matches.index(ofPosition: position) != nil
        } else {
          false
        }
      }
      guard !isFound else { return }
      wrong += 1
      if wrong <= Self.reportLimit {
        report(
          .wrongAnswer(prefix: String(decoding: lastKey, as: UTF8.self), reason: "does not find its own record"))
      }
    }
    if index.generation.overlay != nil {
      if let all = try? index.matches(forPrefix: "") {
        Self.forEachRecord(of: all, in: 0..<all.count) { key, buffer in visit(key) { (buffer, 0) } }
      }
    } else {
      let buffer = RecordBuffer()
      for shard in shards {
        _ = try? index.generation.readWhole(shard) { part in
          var decoded = 0..<0
          part.forEachKey { record, stored in
            visit(stored) {
              if !decoded.contains(record) {
                decoded = record..<min(record + part.recordsAtOnce, part.count)
                part.decode(decoded, into: buffer)
              }
              return (buffer, record - decoded.lowerBound)
            }
          }
        }
      }
    }
    close(above: 0)
    ask(UnsafeBufferPointer(start: nil, count: 0), expecting: [0..<index.recordCount])
    summary.prefixes = asked
    summary.wrongAnswers = wrong
  }
}

extension Verifier {
  /// The positions of the keys that answer a prefix by way of the comma that one of its spaces stands for.
  ///
  /// - Parameter positions: Those of the keys before the ones that begin with what the prefix has up to that space, and
  ///   with what it has before it.
  private static func run(
    ofSeparated prefix: UnsafeBufferPointer<UInt8>, at space: Int, of all: ShardedIndex.Matches,
    among positions: Range<Int>
  ) -> Range<Int> {
    var word = Array(prefix)
    word[space] = Fold.separator
    let isFinished = word.last == Fold.space
    if isFinished { word.removeLast() }
    /// The first position whose key is not below `key`.
    func first(notBelow key: [UInt8]) -> Int {
      var (low, high) = (positions.lowerBound, positions.upperBound)
      while low < high {
        let middle = (low + high) / 2
        var isBelow = false
        try? all.forEachFoldedKey(in: middle..<middle + 1) { isBelow = $0.lexicographicallyPrecedes(key) }
        if isBelow { low = middle + 1 } else { high = middle }
      }
      return low
    }
    // 0xff is above every byte of a fold, and no byte of one lies between the space and 0x21.
    return first(notBelow: word)..<first(notBelow: word + [isFinished ? Fold.space + 1 : 0xff])
  }
}

/// A sum of records' digests: two lists have the same sum when they hold the same records equally often, in any
/// order. 256-bit numbers, so that no accident makes different ones equal.
private struct RecordSum {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var count = 0

  var isZero: Bool { words == (0, 0, 0, 0) && count == 0 }

  mutating func add(_ record: [UInt8]) {
    count += 1
    add(Self.number(record))
  }

  mutating func add(_ other: RecordSum) {
    count += other.count
    add(other.words)
  }

  mutating func subtract(_ record: [UInt8]) {
    count -= 1
    // Two's complement: the inverse and one more.
    let number = Self.number(record)
    add((~number.0, ~number.1, ~number.2, ~number.3))
    add((1, 0, 0, 0))
  }

  private mutating func add(_ other: (UInt64, UInt64, UInt64, UInt64)) {
    var carry: UInt64 = 0
    func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let (first, overflow) = a.addingReportingOverflow(b)
      let (second, more) = first.addingReportingOverflow(carry)
      carry = overflow || more ? 1 : 0
      return second
    }
    words.0 = sum(words.0, other.0)
    words.1 = sum(words.1, other.1)
    words.2 = sum(words.2, other.2)
    words.3 = sum(words.3, other.3)
  }

  private static func number(_ record: [UInt8]) -> (UInt64, UInt64, UInt64, UInt64) {
    let digest = record.withUnsafeBufferPointer { Digest.sha256($0) }
    return digest.withUnsafeBytes { bytes in
      func word(_ at: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * at, as: UInt64.self))
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  // A record's bytes: sizes before texts, so that no two records have the same.

  static func begin(_ bytes: inout [UInt8], key: UnsafeBufferPointer<UInt8>) {
    bytes.removeAll(keepingCapacity: true)
    append(key.count, to: &bytes)
    bytes.append(contentsOf: key)
  }

  static func append(
    _ name: String.UTF8View, _ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]
  ) {
    append(name.count, to: &bytes)
    bytes.append(contentsOf: name)
    bytes.append(kind)
    append(text.count, to: &bytes)
    bytes.append(contentsOf: text)
  }

  private static func append(_ size: Int, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: size).littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Folded text as people can read it.
package enum FoldedText {
  /// The separator as a comma; control characters as `\u{…}`.
  package static func readable(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar.value == UInt32(Fold.separator) {
        text += ", "
      } else if scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension [UInt8] {
  /// Becomes what `bytes` are, in the memory it has.
  fileprivate mutating func replace(with bytes: UnsafeBufferPointer<UInt8>) {
    removeAll(keepingCapacity: true)
    append(contentsOf: bytes)
  }
}
