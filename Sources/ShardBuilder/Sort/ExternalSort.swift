import CSystem

/// Sorts any number of records in bounded memory: what does not fit is spilled as sorted runs, which are then merged.
///
/// The order is total, so the result depends on nothing but the records: not on their order, the memory, the threads.
package struct ExternalSort: ~Copyable {
  private let memory: Int
  private let directory: RunDirectory
  private let threads: Int
  /// Records in memory, as they came.
  private var chunks: [RecordArena] = []
  private var countInChunks = 0
  /// Emptied by a spill: for who fills the next ones.
  private var spare: [RecordArena] = []
  /// Bytes of memory that both hold.
  private var held = 0
  /// What the next chunks lie in, and how much of it others have.
  private var block: PageAllocator.Block?
  private var blockUsed = 0
  private static let blockSize = 4 << 20
  /// Runs of level *n* were merged *n* times; a level is merged into the next when it has ``fanIn`` runs.
  private var levels: [[SortRun]] = []
  /// Records taken in.
  package private(set) var count = 0
  /// All records as blobs, in bytes.
  package private(set) var size = 0
  private var added = 0  // Chunks.
  /// The largest record, as a blob, in bytes.
  private(set) var largest = 0
  /// Files that are open, one a run.
  package var runCount: Int { levels.reduce(0) { $0 + $1.count } }
  /// What others hold at the same time and ``memory`` has to do for too, in bytes. May change at any time.
  package var heldElsewhere = 0

  /// - Parameters:
  ///   - memory: Bytes for records, their index and the buffers of a merge, and for ``heldElsewhere``. A record larger
  ///     than this is held nevertheless, and so are 64 KiB.
  ///   - directory: Where runs go. They have no names, so nothing is left behind, however the process ends.
  package init(memory: Int, directory: RunDirectory, threads: Int = WorkerPool.availableThreads) {
    self.memory = memory
    self.directory = directory
    self.threads = threads
  }

  /// Bytes that one run's buffer has at least.
  static let bufferSize = 64 << 10
  /// A larger record counts by itself: room is made before it is held, and its memory is given back, not kept.
  static let largeRecord = 1 << 20
  /// Bounds the open descriptors: this many a level.
  private var fanIn: Int { min(Self.mostRuns, max(2, available / (2 * Self.bufferSize))) }
  private static let mostRuns = 128

  /// How many runs, from the first of these on, can be read at once in `memory` bytes; at least 1, of usual records 2.
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
  /// What a chunk has room for at most before it is known what it is to hold: usual records, not the largest.
  private var chunkLimit: Int { min(1 << 20, max(Self.bufferSize, memory / 16)) }
  /// Bytes of memory held: chunks, and the entries that sorting them takes; not what is left of the last block, nor what
  /// chunks that others have had keep of theirs, some megabytes.
  package var charge: Int { held + countInChunks * MemoryLayout<SortEntry>.stride }

  /// A chunk without records, with room for what those that were added have in the mean and a little more.
  mutating func emptyChunk() -> RecordArena {
    if let chunk = takeSpare() { return chunk }
    func room(_ sum: Int, _ limit: Int) -> Int {
      added > 0 ? min(limit, sum / added + sum / added / 16 + 64) & ~15 : limit / 2
    }
    let (byteCount, records) = (room(size, chunkLimit), room(count, chunkLimit / 128))
    // Several in large pages, where there is much memory; not the first few, which may be all there are. Nor once a run was
    // spilled: what comes to be too small, or stays with a thread, leaves a hole in a block for as long as others are used.
    if added > 0, levels.isEmpty, memory >= 16 * Self.blockSize {
      if block == nil || Self.blockSize - blockUsed < byteCount {
        (block, blockUsed) = (PageAllocator.Block(byteCount: Self.blockSize), 0)
      }
      blockUsed += byteCount
      return RecordArena(blockUsed - byteCount..<blockUsed, of: block!, records: records)
    }
    return RecordArena(0..<byteCount, of: PageAllocator.Block(byteCount: byteCount), records: records)
  }

  private mutating func takeSpare() -> RecordArena? {
    let chunk = spare.popLast()
    held -= chunk?.charge ?? 0
    return chunk
  }

  /// Takes in the records of a chunk and with them the chunk: it is not to be changed any more.
  ///
  /// - Parameter names: All that occur in the records added so far.
  package mutating func add(_ chunk: RecordArena, names: FieldNames) throws(BuildError) {
    let needed = chunk.charge + chunk.count * MemoryLayout<SortEntry>.stride
    // What is kept for the next run goes first: where others come to need more, a run would be spilled for each chunk.
    while charge + needed > available, takeSpare() != nil {}
    if charge + needed > available { try spill(names) }
    chunks.append(chunk)
    held += chunk.charge
    countInChunks += chunk.count
    count += chunk.count
    size += chunk.size
    largest = max(largest, chunk.largest)
    added += 1
  }

  /// Spills what is held where others are about to take `byteCount` bytes more than ``heldElsewhere`` has.
  ///
  /// - Parameter names: All that occur in the records added so far.
  mutating func makeRoom(for byteCount: Int, names: FieldNames) throws(BuildError) {
    while charge + byteCount > available, takeSpare() != nil {}
    guard charge + byteCount > available else { return }
    try spill(names)
    while takeSpare() != nil {}
  }

  private mutating func spill(_ names: FieldNames) throws(BuildError) {
    guard !chunks.isEmpty else { return }
    let order = RecordOrder(names: names)
    let writer = try RunWriter(directory: directory)
    try writeSorted(to: writer, order)
    push(try writer.finish(), level: 0)
    // Who filled a chunk may still have it; those of large records are not kept, nor is what others have come to need.
    for index in chunks.indices where isKnownUniquelyReferenced(&chunks[index]) {
      chunks[index].removeAll()
      if chunks[index].charge <= 2 * chunkLimit, !chunks[index].sharesBlock { spare.append(chunks[index]) }
    }
    chunks.removeAll()
    block = nil
    (held, countInChunks) = (spare.reduce(0) { $0 + $1.charge }, 0)
    while charge > available, takeSpare() != nil {}
    var level = 0
    while level < levels.count {
      if levels[level].count >= fanIn {
        while takeSpare() != nil {}  // Their memory is the merge's now.
        let merged = try reduced(levels[level], order, to: 0, mergedIn: available)
        levels[level].removeAll()
        for run in merged { push(run, level: level + 1) }
      }
      level += 1
    }
  }

  private func writeSorted(to writer: RunWriter, _ order: RecordOrder) throws(BuildError) {
    let entries = EntrySort(order: order, threads: threads).sorted(chunks)
    defer { EntrySort.deallocate(entries) }
    for entry in entries { try writer.append(entry.record) }
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

  /// Sorts what is left and returns all records in order. ``heldElsewhere`` is what others hold while they are read.
  package consuming func finish(names: FieldNames) throws(BuildError) -> SortedRecords {
    let order = RecordOrder(names: names)
    while takeSpare() != nil {}
    if levels.isEmpty, charge <= available {
      let entries = EntrySort(order: order, threads: threads).sorted(chunks)
      for index in chunks.indices where isKnownUniquelyReferenced(&chunks[index]) { chunks[index].forgetEntries() }
      return SortedRecords(count: count, entries: entries, chunks: chunks)
    }
    try spill(names)
    while takeSpare() != nil {}
    // As long as they are merged nobody reads them.
    let runs = try reduced(
      levels.joined().map { $0 }, order, to: available, mergedIn: largest > Self.largeRecord ? memory : available)
    return SortedRecords(count: count, merge: try RunMerge(runs, order, memory: available))
  }
}

/// Sorted records, delivered once.
package final class SortedRecords {
  package let count: Int
  private var entries: UnsafeMutableBufferPointer<SortEntry>?
  private let chunks: [RecordArena]
  private let merge: RunMerge?
  private var position = 0
  private var batch: [RecordBlob] = []
  /// Whole pages of memory.
  private static let entriesPerBlock = (1 << 20) / MemoryLayout<SortEntry>.stride

  fileprivate init(count: Int, entries: UnsafeMutableBufferPointer<SortEntry>, chunks: [RecordArena]) {
    (self.count, self.entries, self.chunks, merge) = (count, entries, chunks, nil)
  }

  fileprivate init(count: Int, merge: RunMerge) {
    (self.count, entries, chunks, self.merge) = (count, nil, [], merge)
  }

  deinit {
    if let entries { EntrySort.deallocate(entries) }
  }

  /// Gives back what large records took that were delivered: they are valid no longer.
  func release() { merge?.release() }

  /// The next records in order, at least one; nil behind the last. They are valid until the next call.
  package func nextBatch() throws(BuildError) -> [RecordBlob]? {
    if let merge { return try merge.nextBatch() }
    guard let entries, position < entries.count else { return nil }
    let end = min(entries.count, position + 1024)
    batch.removeAll(keepingCapacity: true)
    for index in position..<end { batch.append(entries[index].record) }
    position = end
    if position >= Self.entriesPerBlock {
      // Nobody looks at them again, and writing takes memory as well.
      EntrySort.deallocate(UnsafeMutableBufferPointer(rebasing: entries[..<Self.entriesPerBlock]))
      let rest = UnsafeMutableBufferPointer(rebasing: entries[Self.entriesPerBlock...])
      self.entries = rest.isEmpty ? nil : rest  // What follows the last is somebody else's.
      position -= Self.entriesPerBlock
    }
    return batch
  }
}

/// A sorted run in a file without a name.
final class SortRun {
  let descriptor: CInt
  let directory: RunDirectory
  /// In bytes.
  let size: Int
  /// The largest record of it, in bytes.
  let largest: Int

  init(descriptor: CInt, directory: RunDirectory, size: Int, largest: Int = 0) {
    (self.descriptor, self.directory, self.size, self.largest) = (descriptor, directory, size, largest)
  }

  deinit { _ = close(descriptor) }
}

private final class RunWriter {
  private static let capacity = 256 << 10
  private let descriptor: CInt
  private let directory: RunDirectory
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var size = 0
  private var largest = 0
  private var isFinished = false

  init(directory: RunDirectory) throws(BuildError) {
    self.directory = directory
    descriptor = try SystemFile.openTemporary(in: directory)
    // Behind what can fail: who has not become whole is not deinitialised.
    buffer = .allocate(byteCount: Self.capacity, alignment: 16)
  }

  deinit {
    buffer.deallocate()
    if !isFinished { _ = close(descriptor) }
  }

  func append(_ record: RecordBlob) throws(BuildError) {
    let bytes = UnsafeRawBufferPointer(start: record.start, count: record.size)
    if bytes.count > Self.capacity - filled { try flush() }
    size += bytes.count
    largest = max(largest, bytes.count)
    if bytes.count > Self.capacity {
      return try SystemFile.write(bytes, to: descriptor, path: "a temporary file in \(directory.path)")
    }
    (buffer.baseAddress! + filled).copyMemory(from: record.start, byteCount: bytes.count)
    filled += bytes.count
  }

  private func flush() throws(BuildError) {
    try SystemFile.write(
      UnsafeRawBufferPointer(rebasing: buffer[..<filled]), to: descriptor,
      path: "a temporary file in \(directory.path)")
    filled = 0
  }

  func finish() throws(BuildError) -> SortRun {
    try flush()
    isFinished = true
    return SortRun(descriptor: descriptor, directory: directory, size: size, largest: largest)
  }
}

/// Reads a run through a buffer; ``record`` points into it.
private struct RunReader {
  let run: SortRun
  private var buffer: UnsafeMutableRawBufferPointer
  /// What the buffer has but for a larger record, in bytes.
  private let usualSize: Int
  private var offset = 0  // In the file, of the next byte to be read.
  private var position = 0  // In the buffer, of the current record.
  private var filled = 0
  private(set) var record: RecordBlob
  private(set) var head: UInt64 = 0

  init(_ run: SortRun, capacity: Int) {
    self.run = run
    usualSize = capacity
    buffer = PageAllocator.allocate(capacity)
    record = RecordBlob(UnsafeRawPointer(buffer.baseAddress!))
  }

  func deallocate() { PageAllocator.deallocate(buffer) }

  var isAtEnd: Bool { position == filled && offset == run.size }

  /// Gives back what a large record took, which is not looked at any more.
  mutating func release() {
    if buffer.count > max(usualSize, ExternalSort.largeRecord) { replace(usualSize) }
  }

  /// Takes another buffer. What was read and not taken yet is read again: copied, it would be held twice.
  private mutating func replace(_ size: Int) {
    offset -= filled - position
    (position, filled) = (0, 0)
    PageAllocator.deallocate(buffer)
    buffer = PageAllocator.allocate(size)
  }

  private var isWhole: Bool {
    filled - position >= 4 && filled - position >= RecordBlob(buffer.baseAddress! + position).size
  }

  private mutating func take() {
    record = RecordBlob(UnsafeRawPointer(buffer.baseAddress! + position))
    head = RecordArena.head(of: record, from: 0)
  }

  /// Steps to the next record and returns true, if it lies in the buffer as a whole.
  mutating func advance() -> Bool {
    position += record.size
    guard isWhole else { return false }
    take()
    return true
  }

  /// Reads on after ``advance()`` returned false, or at the beginning; false when there is nothing left.
  ///
  /// Moves the buffer: records seen before are gone.
  mutating func refill() throws(BuildError) -> Bool {
    if isAtEnd { return false }
    while true {
      if filled - position >= 4 {
        let needed = RecordBlob(buffer.baseAddress! + position).size
        if needed > buffer.count { replace(needed) }
      }
      let rest = filled - position
      if position > 0 {
        memmove(buffer.baseAddress!, buffer.baseAddress! + position, rest)
        (position, filled) = (0, rest)
      }
      let path = "a temporary file in \(run.directory.path)"
      let space = UnsafeMutableRawBufferPointer(
        rebasing: buffer[filled..<min(buffer.count, filled + run.size - offset)])
      let count = try SystemFile.read(space, at: offset, from: run.descriptor, path: path)
      guard count == space.count, count > 0 else { throw .io(operation: "read", path: path, errno: EIO) }
      offset += count
      filled += count
      if isWhole {
        take()
        return true
      }
    }
  }
}

/// Merges sorted runs by a tree of losers: one comparison a level for each record.
private final class RunMerge {
  private var readers: [RunReader] = []
  private let order: RecordOrder
  private var losers: [Int]  // Inner node n has the children 2n and 2n + 1; leaf r is node count + r.
  private var winner = 0
  private var isLive: [Bool] = []
  private var needsRefill = false
  private var isStarted = false
  private var batch: [RecordBlob] = []
  private static let batchCount = 1024

  init(_ runs: [SortRun], _ order: RecordOrder, memory: Int) throws(BuildError) {
    self.order = order
    let capacity = min(1 << 20, max(ExternalSort.bufferSize, memory / (runs.count + 1)))
    losers = Array(repeating: -1, count: runs.count)
    for run in runs { readers.append(RunReader(run, capacity: capacity)) }
  }

  deinit { for reader in readers { reader.deallocate() } }

  /// Gives back what large records took that were delivered.
  func release() {
    for index in isLive.indices where !isLive[index] || needsRefill && index == winner { readers[index].release() }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    guard isLive[a] else { return false }
    guard isLive[b] else { return true }
    if readers[a].head != readers[b].head { return readers[a].head < readers[b].head }
    return order.compare(readers[a].record, readers[b].record) < 0
  }

  private func replay(_ leaf: Int) {
    var (current, node) = (leaf, (leaf + readers.count) / 2)
    while node > 0 {
      if isBefore(losers[node], current) { swap(&losers[node], &current) }
      node /= 2
    }
    winner = current
  }

  private func start() throws(BuildError) {
    for index in readers.indices { isLive.append(try readers[index].refill()) }
    let count = readers.count
    var winners = Array(repeating: 0, count: 2 * count)
    for leaf in 0..<count { winners[count + leaf] = leaf }
    for node in stride(from: count - 1, to: 0, by: -1) {
      let (left, right) = (winners[2 * node], winners[2 * node + 1])
      let isLeft = !isBefore(right, left)
      winners[node] = isLeft ? left : right
      losers[node] = isLeft ? right : left
    }
    winner = count > 1 ? winners[1] : 0
    isStarted = true
  }

  func nextBatch() throws(BuildError) -> [RecordBlob]? {
    if !isStarted { try start() }
    if needsRefill {
      isLive[winner] = try readers[winner].refill()
      needsRefill = false
      replay(winner)
    }
    guard isLive[winner] else { return nil }
    batch.removeAll(keepingCapacity: true)
    while batch.count < Self.batchCount {
      batch.append(readers[winner].record)
      if readers[winner].advance() {
        replay(winner)
      } else if readers[winner].isAtEnd {
        isLive[winner] = false
        replay(winner)
        if !isLive[winner] { break }
      } else {
        needsRefill = true  // Reading would move what the batch points to.
        break
      }
    }
    return batch
  }
}
