/// Sorts any number of records in bounded memory: records beyond the memory go to files as sorted runs, which are
/// merged.
///
/// The order is total, so the result depends on the records alone: not on their order, the memory or the threads.
package struct ExternalSort: ~Copyable {
  private let memory: Int
  private let directory: RunDirectory
  private let threads: Int
  /// The records in memory, in the order of their arrival.
  private var chunks: [RecordArena] = []
  private var countInChunks = 0
  /// Chunks that a spill emptied, for reuse.
  private var spare: [RecordArena] = []
  /// The bytes of memory that the chunks and the spare chunks hold.
  private var held = 0
  /// The memory for the next chunks, and the part of it that chunks have already.
  private var block: PageAllocator.Block?
  private var blockUsed = 0
  private static let blockSize = 4 << 20
  /// The runs by level. Runs of level *n* were merged *n* times; ``fanIn`` runs of a level are merged into one of the
  /// next.
  private var levels: [[SortRun]] = []
  /// The number of records added so far.
  package private(set) var count = 0
  /// The size of all records as blobs, in bytes.
  package private(set) var size = 0
  private var added = 0  // The number of chunks.
  /// The size of the largest record as a blob, in bytes.
  private(set) var largest = 0
  /// The number of open files, one for each run.
  package var runCount: Int { levels.reduce(0) { $0 + $1.count } }
  /// The bytes that others hold at the same time, and that also count against ``memory``. May change at any time.
  package var heldElsewhere = 0

  /// - Parameters:
  ///   - memory: The bytes for records, their index and the buffers of a merge, and for ``heldElsewhere``. The sort
  ///     also holds a single record that is larger than this, and always 64 KiB.
  ///   - directory: The directory of the runs. The runs have no names, so no file is left, however the process ends.
  package init(memory: Int, directory: RunDirectory, threads: Int = WorkerPool.availableThreads) {
    self.memory = memory
    self.directory = directory
    self.threads = threads
  }

  /// The least size of a run's buffer, in bytes.
  static let bufferSize = 64 << 10
  /// The size from which on a record counts by itself: the sort makes room for it first, and frees its memory
  /// afterwards.
  static let largeRecord = 1 << 20
  /// The number of runs of a level that are merged into one. It limits the open descriptors.
  private var fanIn: Int { min(Self.mostRuns, max(2, available / (2 * Self.bufferSize))) }
  private static let mostRuns = 128

  /// Returns the number of runs, from the first of `runs` on, that fit into `memory` bytes at once: at least 1, and at
  /// least 2 with usual records.
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
  /// The most room of a new chunk: its size is for usual records, not for the largest.
  private var chunkLimit: Int { min(1 << 20, max(Self.bufferSize, memory / 16)) }
  /// The bytes of memory in use: chunks, and the entries for sorting them. This does not count the rest of the last
  /// block, and some megabytes in chunks that went to others.
  package var charge: Int { held + countInChunks * MemoryLayout<SortEntry>.stride }

  /// Returns an empty chunk, with room for a little more than the mean of the added chunks.
  mutating func emptyChunk() -> RecordArena {
    if let chunk = acquireSpare() { return chunk }
    func room(_ sum: Int, _ limit: Int) -> Int {
      added > 0 ? min(limit, sum / added + sum / added / 16 + 64) & ~15 : limit / 2
    }
    let (byteCount, records) = (room(size, chunkLimit), room(count, chunkLimit / 128))
    // With much memory, several chunks share large pages. The first few chunks do not, because there may be no others.
    // After a spill no chunk does: a chunk that is too small, or stays with a thread, would leave a hole in a block for
    // as long as other chunks use the block.
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

  /// Adds the records of a chunk, and takes the chunk: its owner may not change it any more.
  ///
  /// - Parameter names: All field names in the records so far.
  package mutating func add(_ chunk: RecordArena, names: FieldNames) throws(BuildError) {
    let needed = chunk.charge + chunk.count * MemoryLayout<SortEntry>.stride
    // Spare chunks are freed first: otherwise, when others need more memory, each chunk would be spilled as a run.
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

  /// Spills the records in memory if others will take `byteCount` bytes more than ``heldElsewhere``.
  ///
  /// - Parameter names: All field names in the records so far.
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
    // The thread that filled a chunk may still hold it. Chunks of large records and of shared blocks are not kept.
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
        while acquireSpare() != nil {}  // The merge takes their memory.
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

  /// Merges the shortest of some runs until the sort can read the remaining runs at once.
  ///
  /// - Parameters:
  ///   - memory: The bytes for reading the runs; 0 to get one run.
  ///   - merging: The bytes for a merge.
  private func reduced(
    _ runs: [SortRun], _ order: RecordOrder, to memory: Int, mergedIn merging: Int
  ) throws(BuildError) -> [SortRun] {
    var runs = runs
    while runs.count > 1 {
      runs.sort { $0.size < $1.size }  // The shortest first: their merge is the cheapest.
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

  /// Sorts the remaining records, and returns all records in order. ``heldElsewhere`` counts the bytes that others hold
  /// meanwhile.
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
    // During this merge no thread reads the merged records.
    let runs = try reduced(
      levels.joined().map { $0 }, order, to: available, mergedIn: largest > Self.largeRecord ? memory : available)
    return SortedRecords(count: count, merge: try RunMerge(runs, order, memory: available))
  }
}
