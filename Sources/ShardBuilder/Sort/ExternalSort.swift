/// Sorts any number of records in bounded memory: what does not fit is spilled as sorted runs, which are then merged.
///
/// The order is total, so the result depends on nothing but the records: not on their order, the memory, the threads.
package struct ExternalSort: ~Copyable {
  private let memory: Int
  private let directory: RunDirectory
  private let threads: Int
  /// The records in memory, as they came.
  private var chunks: [RecordArena] = []
  private var countInChunks = 0
  /// Chunks that a spill emptied, to be filled again.
  private var spare: [RecordArena] = []
  /// Bytes of memory that the chunks and the spare ones hold.
  private var held = 0
  /// The memory that the next chunks lie in, and how much of it others have.
  private var block: PageAllocator.Block?
  private var blockUsed = 0
  private static let blockSize = 4 << 20
  /// Runs of level *n* were merged *n* times; a level is merged into the next when it has ``fanIn`` runs.
  private var levels: [[SortRun]] = []
  /// The number of records taken in.
  package private(set) var count = 0
  /// The size of all records as blobs, in bytes.
  package private(set) var size = 0
  private var added = 0  // Chunks.
  /// The largest record, as a blob, in bytes.
  private(set) var largest = 0
  /// Files that are open, one a run.
  package var runCount: Int { levels.reduce(0) { $0 + $1.count } }
  /// The bytes that others hold at the same time and ``memory`` has to do for too. May change at any time.
  package var heldElsewhere = 0

  /// - Parameters:
  ///   - memory: Bytes for records, their index and the buffers of a merge, and for ``heldElsewhere``. A record larger
  ///     than this is held nevertheless, and so are 64 KiB.
  ///   - directory: The directory of the runs. They have no names, so nothing is left behind, however the process ends.
  package init(memory: Int, directory: RunDirectory, threads: Int = WorkerPool.availableThreads) {
    self.memory = memory
    self.directory = directory
    self.threads = threads
  }

  /// The least size of a run's buffer, in bytes.
  static let bufferSize = 64 << 10
  /// A larger record counts by itself: room is made before it is held, and its memory is given back, not kept.
  static let largeRecord = 1 << 20
  /// The number of runs of a level that are merged into one. It bounds the open descriptors.
  private var fanIn: Int { min(Self.mostRuns, max(2, available / (2 * Self.bufferSize))) }
  private static let mostRuns = 128

  /// Returns how many runs, from the first of these on, can be read at once in `memory` bytes; at least 1, of usual
  /// records 2.
  private static func fanIn(_ runs: [SortRun], _ memory: Int) -> Int {
    var (count, needed) = (0, 0)
    while count < min(runs.count, mostRuns) {
      needed += max(2 * bufferSize, runs[count].largest + bufferSize)
      if needed > memory, count >= (runs[count].largest > largeRecord ? 1 : 2) { break }
      count += 1
    }
    return count
  }

  private var available: Int { max(Self.bufferSize, memory - heldElsewhere) }
  /// The most room that a chunk has before it is known what it is to hold: usual records, not the largest.
  private var chunkLimit: Int { min(1 << 20, max(Self.bufferSize, memory / 16)) }
  /// Bytes of memory held: chunks, and the entries that sorting them takes; not what is left of the last block, nor
  /// what chunks that others have had keep of theirs, some megabytes.
  package var charge: Int { held + countInChunks * MemoryLayout<SortEntry>.stride }

  /// Returns a chunk without records, with room for what those that were added have in the mean and a little more.
  mutating func emptyChunk() -> RecordArena {
    if let chunk = acquireSpare() { return chunk }
    func room(_ sum: Int, _ limit: Int) -> Int {
      added > 0 ? min(limit, sum / added + sum / added / 16 + 64) & ~15 : limit / 2
    }
    let (byteCount, records) = (room(size, chunkLimit), room(count, chunkLimit / 128))
    // Several in large pages, where there is much memory; not the first few, which may be all there are. Nor once a run
    // was spilled: what comes to be too small, or stays with a thread, leaves a hole in a block for as long as others
    // are used.
    if added > 0, levels.isEmpty, memory >= 16 * Self.blockSize {
      if block == nil || Self.blockSize - blockUsed < byteCount {
        (block, blockUsed) = (PageAllocator.Block(byteCount: Self.blockSize), 0)
      }
      blockUsed += byteCount
      return RecordArena(blockUsed - byteCount..<blockUsed, of: block!, records: records)
    }
    return RecordArena(0..<byteCount, of: PageAllocator.Block(byteCount: byteCount), records: records)
  }

  private mutating func acquireSpare() -> RecordArena? {
    let chunk = spare.popLast()
    held -= chunk?.charge ?? 0
    return chunk
  }

  /// Takes in the records of a chunk and with them the chunk: it is not to be changed any more.
  ///
  /// - Parameter names: All that occur in the records added so far.
  package mutating func add(_ chunk: RecordArena, names: FieldNames) throws(BuildError) {
    let needed = chunk.charge + chunk.count * MemoryLayout<SortEntry>.stride
    // Spare chunks go first: where others come to need more, a run would be spilled for each chunk.
    while charge + needed > available, acquireSpare() != nil {}
    if charge + needed > available { try spill(names) }
    chunks.append(chunk)
    held += chunk.charge
    countInChunks += chunk.count
    count += chunk.count
    unsafe size += chunk.size
    largest = unsafe max(largest, chunk.largest)
    added += 1
  }

  /// Spills the records held where others are about to take `byteCount` bytes more than ``heldElsewhere`` has.
  ///
  /// - Parameter names: All that occur in the records added so far.
  mutating func makeRoom(for byteCount: Int, names: FieldNames) throws(BuildError) {
    while charge + byteCount > available, acquireSpare() != nil {}
    guard charge + byteCount > available else { return }
    try spill(names)
    while acquireSpare() != nil {}
  }

  private mutating func spill(_ names: FieldNames) throws(BuildError) {
    guard !chunks.isEmpty else { return }
    let order = RecordOrder(names: names)
    let writer = try RunWriter(directory: directory)
    try writeSorted(to: writer, order)
    push(try writer.finish(), level: 0)
    // The one that filled a chunk may still have it. Chunks of large records are not kept, nor those of shared blocks.
    for index in chunks.indices where isKnownUniquelyReferenced(&chunks[index]) {
      chunks[index].removeAll()
      if chunks[index].charge <= 2 * chunkLimit, !chunks[index].sharesBlock { spare.append(chunks[index]) }
    }
    chunks.removeAll()
    block = nil
    (held, countInChunks) = (spare.reduce(0) { $0 + $1.charge }, 0)
    while charge > available, acquireSpare() != nil {}
    var level = 0
    while level < levels.count {
      if levels[level].count >= fanIn {
        while acquireSpare() != nil {}  // Their memory is the merge's now.
        let merged = try reduced(levels[level], order, to: 0, mergedIn: available)
        levels[level].removeAll()
        for run in merged { push(run, level: level + 1) }
      }
      level += 1
    }
  }

  private func writeSorted(to writer: RunWriter, _ order: RecordOrder) throws(BuildError) {
    let entries = EntrySort(order: order, threads: threads).sorted(chunks)
    for index in 0..<entries.count { try writer.append(entries[index].record) }
  }

  private mutating func push(_ run: SortRun, level: Int) {
    while levels.count <= level { levels.append([]) }
    levels[level].append(run)
  }

  /// Merges the shortest of some runs until those that are left can be read at once.
  ///
  /// - Parameters:
  ///   - memory: What there is to read them, in bytes; 0 for one run.
  ///   - merging: What there is for a merge, in bytes.
  private func reduced(
    _ runs: [SortRun], _ order: RecordOrder, to memory: Int, mergedIn merging: Int
  ) throws(BuildError) -> [SortRun] {
    var runs = runs
    while runs.count > 1 {
      runs.sort { $0.size < $1.size }  // The shortest first: they are merged the cheapest.
      let last = memory > 0 ? Self.fanIn(runs, memory) : 1
      guard runs.count > last else { break }
      let count = max(2, min(Self.fanIn(runs, merging), runs.count - last + 1))
      let group = Array(runs.prefix(count))
      runs.removeFirst(count)
      runs.append(try Self.merge(group, order, memory: merging, directory: directory))
    }
    return runs
  }

  private static func merge(
    _ runs: [SortRun], _ order: RecordOrder, memory: Int, directory: RunDirectory
  ) throws(BuildError) -> SortRun {
    let writer = try RunWriter(directory: directory)
    let merge = try RunMerge(runs, order, memory: memory)
    while let batch = try merge.nextBatch() {
      for record in batch { try writer.append(record) }
    }
    return try writer.finish()
  }

  /// Sorts the rest and returns all records in order. ``heldElsewhere`` counts the bytes that others hold meanwhile.
  package consuming func finish(names: FieldNames) throws(BuildError) -> SortedRecords {
    let order = RecordOrder(names: names)
    while acquireSpare() != nil {}
    if levels.isEmpty, charge <= available {
      let entries = EntrySort(order: order, threads: threads).sorted(chunks)
      for index in chunks.indices where isKnownUniquelyReferenced(&chunks[index]) { chunks[index].forgetEntries() }
      return SortedRecords(count: count, entries: entries, chunks: chunks)
    }
    try spill(names)
    while acquireSpare() != nil {}
    // While they are merged, the merged records are not read yet.
    let runs = try reduced(
      levels.joined().map { $0 }, order, to: available, mergedIn: largest > Self.largeRecord ? memory : available)
    return SortedRecords(count: count, merge: try RunMerge(runs, order, memory: available))
  }
}
