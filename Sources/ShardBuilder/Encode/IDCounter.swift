import CLibrary

/// The counter of distinct ids, in memory that does not grow with their number. Source: docs/format.md section 3.8.
///
/// 64 bits of hash stand for an id. The hashes are divided into partitions, and those of one partition are compared in
/// memory. Hashes beyond the memory go to a file without a name. The count takes linear time.
package struct IDCounter: ~Copyable {
  /// Returns the FNV-1a hash of an id's text.
  @inline(__always)
  package static func hash(_ text: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    // FNV-1a needs a product that wraps.
    for at in text.indices { hash = (hash ^ UInt64(text[at])) &* 0x0000_0100_0000_01b3 }
    return hash
  }

  /// Returns the hashes of a piece's ids.
  package static func hashes(of piece: Piece, field: UInt32) -> [UInt64] {
    var hashes: [UInt64] = []
    hashes.reserveCapacity(piece.count)
    for index in 0..<piece.count {
      if let id = unsafe piece.record(index).id(ofField: field) { unsafe hashes.append(hash(id.span)) }
    }
    return hashes
  }

  private static let partitionBits = 8

  /// The most hashes in memory before they go to the file.
  private let capacity: Int
  private var hashes: [UInt64] = []
  private var count = 0
  /// The ends of each spill's partitions, counted in hashes from the spill's beginning.
  private var spills: [[UInt32]] = []
  private let file: TemporaryFile?
  private let mixer = Mixer()

  /// - Parameters:
  ///   - memory: The bytes of hashes in memory before a spill, at least 64 KiB.
  ///   - directory: The directory of the file, if the counter needs one.
  ///   - expected: The most ids that the caller will add. If they need a file, the counter makes the file now, before
  ///     other code has taken the last descriptor.
  package init(memory: Int, directory: RunDirectory, expected: Int) throws(BuildError) {
    capacity = max(64 << 10, memory) / (3 * MemoryLayout<UInt64>.stride)
    file =
      expected > capacity
      ? try TemporaryFile(in: directory) : nil
    hashes.reserveCapacity(min(expected, capacity))
  }

  package mutating func add(_ more: [UInt64]) throws(BuildError) {
    if let file, hashes.count + more.count > capacity { try spill(to: file) }
    hashes += more
    count += more.count
  }

  /// The result of counting.
  package struct Count: Sendable {
    /// The number of added ids.
    package var ids = 0
    /// The number of distinct ids.
    package var distinct = 0
    /// The number of distinct ids that were added more than once.
    package var shared = 0
    /// The shared id with the least hash, and the number of times that it was added.
    package var example: (hash: UInt64, times: Int)?

  }

  package consuming func finish() throws(BuildError) -> Count {
    let ends = partition()
    var result = Count(ids: count)
    var table = Table(mixer)
    for number in 0..<1 << Self.partitionBits {
      func range(_ ends: [UInt32]) -> Range<Int> { (number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number]) }
      table.removeAll()
      var more: [UInt64: Int] = [:]  // For each hash, its repetitions.
      func insert(_ hash: UInt64) { if !table.insert(hash) { more[hash, default: 0] += 1 } }
      var start = 0
      for ends in spills {
        for hash in try read(range(ends), ofSpillAt: start) { insert(hash) }
        start += Int(ends.last!)
      }
      for hash in hashes[range(ends)] { insert(hash) }
      result.distinct += table.count
      result.shared += more.count
      if let least = more.min(by: { $0.key < $1.key }), least.key < result.example?.hash ?? .max {
        result.example = (least.key, least.value + 1)
      }
    }
    return result
  }

  /// Sorts the hashes in memory by partition; returns the end of each partition.
  private mutating func partition() -> [UInt32] {
    func partition(_ hash: UInt64) -> Int { Int(mixer.mix(hash) >> UInt64(64 - Self.partitionBits)) }
    var ends = [UInt32](repeating: 0, count: 1 << Self.partitionBits)
    for hash in hashes { ends[partition(hash)] += 1 }
    for number in ends.indices.dropFirst() { ends[number] += ends[number - 1] }
    var next = ends
    var ordered = [UInt64](repeating: 0, count: hashes.count)
    for hash in hashes {
      let number = partition(hash)
      next[number] -= 1
      ordered[Int(next[number])] = hash
    }
    hashes = ordered
    return ends
  }

  private mutating func spill(to file: TemporaryFile) throws(BuildError) {
    guard !hashes.isEmpty else { return }
    spills.append(partition())
    try unsafe hashes.withUnsafeBufferPointer { (hashes) throws(BuildError) in try unsafe file.append(.init(hashes)) }
    hashes.removeAll(keepingCapacity: true)
  }

  private func read(_ range: Range<Int>, ofSpillAt start: Int) throws(BuildError) -> [UInt64] {
    guard let file, !range.isEmpty else { return [] }
    let stride = MemoryLayout<UInt64>.stride
    let offset = (start + range.lowerBound) * stride
    var hashes = [UInt64](repeating: 0, count: range.count)
    try unsafe hashes.withUnsafeMutableBufferPointer { (hashes) throws(BuildError) in
      try unsafe file.read(.init(hashes), at: offset)
    }
    return hashes
  }

  /// A mixer that differs in each process. So a forger cannot choose ids that fall into one partition, or into one slot of
  /// a table.
  private struct Mixer {
    private let key = UInt64.random(in: .min ... .max)

    @inline(__always)
    func mix(_ hash: UInt64) -> UInt64 {
      let product = (hash ^ key).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
      return product.high ^ product.low
    }
  }

  /// A set by open addressing, at most half full.
  private struct Table {
    private let mixer: Mixer
    private var slots = [UInt64](repeating: 0, count: 1 << 11)
    private var hasZero = false
    private(set) var count = 0

    init(_ mixer: Mixer) { self.mixer = mixer }

    mutating func removeAll() {
      for slot in slots.indices { slots[slot] = 0 }
      (hasZero, count) = (false, 0)
    }

    /// - Returns: Whether the hash is new.
    mutating func insert(_ hash: UInt64) -> Bool {
      guard hash != 0 else {
        defer { hasZero = true }
        if !hasZero { count += 1 }
        return !hasZero
      }
      if 2 * count >= slots.count {
        let old = slots
        slots = [UInt64](repeating: 0, count: 4 * old.count)
        for hash in old where hash != 0 { slots[slot(of: hash)] = hash }
      }
      let slot = slot(of: hash)
      guard slots[slot] == 0 else { return false }
      slots[slot] = hash
      count += 1
      return true
    }

    /// Returns the slot of a hash, or the slot for it. The bits that chose the hash's partition are not used again.
    private func slot(of hash: UInt64) -> Int {
      var slot = Int(truncatingIfNeeded: mixer.mix(hash)) & (slots.count - 1)
      while slots[slot] != 0, slots[slot] != hash { slot = (slot + 1) & (slots.count - 1) }
      return slot
    }
  }
}
