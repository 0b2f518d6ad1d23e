import ShardedIndex

/// The check of an index's side files against the values of its records.
struct SideCheck {
  /// A fault of a file: of a side file, or of the manifest.
  struct SideFault {
    let file: String
    let reason: String
    /// The error of the read; nil if the file is damaged.
    var failure: IndexError?
  }

  let fields: SideFields
  private let generation: Generation
  /// The names of the tables.
  private let names: [String]
  private let tables: [SideTable]
  private let hasSketches: Bool
  /// The side files by page.
  private let pages: [SidePage]
  /// For each shard of the current page its records' values; nil if the records could not be read.
  private var page: [ShardSides?] = []
  private var pageNumber = 0

  /// Reads the list of side files of an index.
  ///
  /// - Returns: nil if the index has no side files.
  init?(of index: ShardedIndex) throws(IndexError) {
    let manifest = index.generation.manifest
    guard manifest.hasSides else { return nil }
    let settings = IndexSettings(of: manifest.root)
    guard let fields = try? SideFields(settings, names: index.fieldNames) else {
      throw .corrupt(
        path: index.directory.filePath(Manifest.fileName), cause: .invalid(reason: "has sides of no setting", offset: 0)
      )
    }
    (generation, self.fields) = (index.generation, fields)
    names = settings.filter.map { "\"\($0)\"" } + (settings.near ? ["cells"] : [])
    (tables, hasSketches) = (SideFields.tables(settings), settings.typos)
    _ = try manifest.sidePages()
    let pageCount = (manifest.shardCount + Manifest.pageCapacity - 1) / Manifest.pageCapacity
    var pages: [SidePage] = []
    for page in 0..<pageCount { pages.append(try manifest.sidePage(page)) }
    self.pages = pages
  }

  private func file(ofPage page: Int) -> ShardFile {
    ShardFile(pages[page], at: generation.manifest.place(ofSides: page))
  }

  /// Compares the files with their digests.
  ///
  /// - Returns: The size of all files in bytes, and the files with a fault.
  func checkFiles() -> (bytes: Int, faults: [SideFault]) {
    var (faults, seen): ([SideFault], Set<String>) = ([], [])
    var bytes = 0
    // Two pages with the same content share one file.
    for (page, side) in pages.enumerated() where side.fileSize > 0 && seen.insert(side.fileName.text).inserted {
      do throws(ShardFile.FileFault) {
        try file(ofPage: page).check(in: generation.directory)
        bytes += side.fileSize
      } catch {
        switch error {
        case .damaged(let reason): faults.append(SideFault(file: side.fileName.text, reason: reason))
        case .unread(let error): faults.append(SideFault(file: side.fileName.text, reason: "", failure: error))
        }
      }
    }
    return (bytes, faults)
  }

  /// Takes the values of the records of a shard; shards come in their order.
  ///
  /// - Parameter sides: The values; nil if the records could not be read.
  /// - Returns: The faults of a page, if this is the last shard of the page.
  mutating func add(_ sides: ShardSides?, ofShard shard: Int) -> [SideFault] {
    var faults: [SideFault] = []
    while pageNumber < shard / Manifest.pageCapacity { faults += finishPage() }
    while page.count < shard % Manifest.pageCapacity { page.append(nil) }
    page.append(sides)
    if page.count == Manifest.pageCapacity { faults += finishPage() }
    return faults
  }

  /// Compares the last page, which is not full.
  mutating func finish() -> [SideFault] { page.isEmpty ? [] : finishPage() }

  private mutating func finishPage() -> [SideFault] {
    defer {
      page.removeAll(keepingCapacity: true)
      pageNumber += 1
    }
    let side = pages[pageNumber]
    guard side.fileSize == 0 || (try? file(ofPage: pageNumber).check(in: generation.directory)) != nil
    else { return [] }
    let file = side.fileSize > 0 ? side.fileName.text : Manifest.fileName
    let count = min(Manifest.pageCapacity, generation.manifest.shardCount - pageNumber * Manifest.pageCapacity)
    var faults: [SideFault] = []
    let isWhole = page.count == count && !page.contains { $0 == nil }
    func add(_ name: String, _ fault: () throws(IndexError) -> String?) {
      let name = "\(name), page \(pageNumber),"
      do throws(IndexError) {
        if let reason = try fault() { faults.append(SideFault(file: file, reason: name + " " + reason)) }
      } catch {
        guard case .corrupt(_, let cause) = error else {
          faults.append(SideFault(file: file, reason: "", failure: error))
          return
        }
        faults.append(SideFault(file: file, reason: name + " \(cause)"))
      }
    }
    for (index, table) in tables.enumerated() {
      add("the table of \(names[index])") { () throws(IndexError) in
        try fault(of: table, index, isWhole: isWhole)
      }
    }
    if hasSketches {
      add("the sketch") { () throws(IndexError) in try faultOfSketch(isWhole: isWhole) }
    }
    return faults
  }

  /// Compares the values of entries with those of the records, which the tables of the records have.
  ///
  /// The tables of entries are made of the values that the entries list. So a value that no record has is found here
  /// alone. A field is left out if a page of the records has no table of it.
  func faultsOfValues(against records: Generation) -> [SideFault] {
    var faults: [SideFault] = []
    let pageCount = (records.manifest.shardCount + Manifest.pageCapacity - 1) / Manifest.pageCapacity
    for (index, table) in tables.enumerated() where table != .cells {
      for (page, side) in pages.enumerated() where side.fileSize > 0 {
        guard var missing = (try? generation.values(table, ofPage: page)).flatMap({ $0 }).map({ Set($0) }) else {
          continue
        }
        for other in 0..<pageCount where !missing.isEmpty {
          guard let known = (try? records.values(table, ofPage: other)).flatMap({ $0 }) else {
            missing.removeAll()
            break
          }
          missing.subtract(known)
        }
        if let value = missing.min(by: { $0.lexicographicallyPrecedes($1) }) {
          let reason =
            "the table of \(names[index]), page \(page), has the value \"\(ReadableFold.readable(value[...]))\" of no record"
          faults.append(SideFault(file: side.fileName.text, reason: reason))
        }
      }
    }
    return faults
  }

  /// Returns the first fault of the page's sketch; nil if there is none.
  ///
  /// - Parameter isWhole: Whether all records of the page could be read.
  private func faultOfSketch(isWhole: Bool) throws(IndexError) -> String? {
    let first = pageNumber * Manifest.pageCapacity
    for (position, sides) in page.enumerated() {
      guard let expected = sides?.sketch else { continue }
      if try generation.sketch(ofShard: first + position) != expected {
        return "has other beginnings than the keys of shard \(first + position)"
      }
    }
    guard isWhole else { return nil }
    let expected = SketchPage.upper(of: page.compactMap { $0?.sketch })
    let found = try generation.sketch(ofPage: pageNumber)
    return found.alphabet == expected.alphabet && found.groups == expected.groups
      ? nil : "has other characters or beginnings than its shards"
  }

  /// Returns the first fault of the page's table; nil if there is none.
  ///
  /// - Parameter isWhole: Whether all records of the page could be read.
  private func fault(of table: SideTable, _ index: Int, isWhole: Bool) throws(IndexError) -> String? {
    let first = pageNumber * Manifest.pageCapacity
    let found = try generation.values(table, ofPage: pageNumber)
    if isWhole {
      let made = page.map { $0?.tables[index] ?? .tooMany }
      var shards: [Generation.ShardValues] = []
      for case .values(let values) in made { shards.append(values) }
      let expected = shards.count == made.count ? ValueTableEncoder.union(shards) : nil
      guard found == expected else {
        return found == nil || expected == nil
          ? "is present with too many values, or missing with few" : "has other values than the records"
      }
    }
    guard found != nil else { return nil }
    for (position, sides) in page.enumerated() {
      guard let sides, case .values(let expected) = sides.tables[index] else { continue }
      if try generation.values(table, ofShard: first + position) != expected {
        return "has other values, counts or weights than the records of shard \(first + position)"
      }
    }
    return nil
  }
}

extension Verifier {
  /// Compares the side files with their digests.
  mutating func checkSideFiles() {
    guard let (bytes, faults) = sides?.checkFiles() else { return }
    summary.bytes += bytes
    for fault in faults { report(fault) }
  }

  /// Compares the side files with the values of a shard's records.
  mutating func checkSides(ofShard number: Int, _ found: ShardSides?) {
    for fault in sides?.add(found, ofShard: number) ?? [] { report(fault) }
  }

  /// Compares the last page.
  mutating func finishSides() { for fault in sides?.finish() ?? [] { report(fault) } }

  /// Compares the values of these entries with those of the records.
  mutating func checkValues(against records: Generation) {
    for fault in sides?.faultsOfValues(against: records) ?? [] { report(fault) }
  }

  private mutating func report(_ fault: SideCheck.SideFault) {
    if let failure = fault.failure { unread(fault.file, failure) } else { damage(fault.file, fault.reason) }
  }
}
