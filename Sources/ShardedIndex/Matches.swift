extension ShardedIndex {
  /// The answer to a prefix: which records match, counted; nothing is decoded before it is asked for.
  ///
  /// It is of one generation, and stays so when the index moves on. When builds have removed shards of that generation,
  /// reading records that are not in memory fails with ``IndexError/superseded(path:)``: then ask again.
  public struct Matches: Sendable {
    /// The generation that the answer is of.
    package let generation: Generation
    /// Positions in the order of the whole index, or, of what is asked below the overlay, of its shards. Of two runs, the
    /// first position, and as many as both have together.
    let range: Range<Int>
    /// Whether there are matches beyond these, which the limit that was asked for left out.
    public let hasMore: Bool
    /// The part that the query found the first match in, or right before.
    private var first: PartReference? {
      @inline(__always) get {
        guard firstShard >= 0 else { return nil }
        return PartReference(part: unsafeDowncast(holder, to: LoadedPart.self), shard: firstShard, start: firstStart)
      }
    }
    /// That part, or the two runs, or, if there is neither, the generation. Not an optional: of one, a program that uses the library makes up
    /// the type at run time when it lets go of its first answer, which takes some 0.7 MB of code and tables.
    private let holder: AnyObject & Sendable
    private let firstShard: Int
    private let firstStart: Int

    /// - Parameter range: Of matches that are known; all there are, unless it is longer than the limit.
    @inline(__always)
    init(_ generation: Generation, range: Range<Int>, limit: Int, first: PartReference) {
      self.generation = generation
      (self.range, hasMore) = Self.cut(range, limit)
      (holder, firstShard, firstStart) = (first.part, first.shard, first.start)
    }

    /// Where no part is known.
    ///
    /// - Parameter isOverlaid: Whether positions are those of the generation's overlay.
    init(_ generation: Generation, range: Range<Int>, limit: Int, isOverlaid: Bool = false) {
      self.generation = generation
      (self.range, hasMore) = Self.cut(range, limit)
      (holder, firstShard, firstStart) = (generation, isOverlaid ? Self.overlaid : -1, 0)
    }

    /// Two runs of records, one behind the other, with records between them that do not match.
    init(_ first: Matches, then second: Matches) {
      if first.isEmpty || second.isEmpty && !second.hasMore {
        self = first.isEmpty ? second : first
        return
      }
      generation = first.generation
      range = first.range.lowerBound..<first.range.lowerBound + first.count + second.count
      hasMore = second.hasMore
      (holder, firstShard, firstStart) = (TwoRuns(first, second), Self.inTwoRuns, 0)
    }

    /// In the place of a shard's number.
    private static var overlaid: Int { -2 }
    private static var inTwoRuns: Int { -3 }

    /// nil for an answer in one run.
    private var runs: TwoRuns? { firstShard == Self.inTwoRuns ? unsafeDowncast(holder, to: TwoRuns.self) : nil }

    @inline(__always)
    private static func cut(_ range: Range<Int>, _ limit: Int) -> (Range<Int>, hasMore: Bool) {
      range.count > limit ? (range.lowerBound..<range.lowerBound &+ limit, true) : (range, false)
    }

    /// All matches, or as many as were asked for, whether or not they are ever decoded.
    public var count: Int { range.count }
    /// Whether nothing matches.
    public var isEmpty: Bool { range.isEmpty }

    /// Where the first match stands among all records of the index.
    ///
    /// The others follow at once, but for an answer in which a space stands for the comma too: `san jo` has `San, JO` first,
    /// and `San Jose` behind records that do not match.
    public var firstPosition: Int { range.lowerBound }

    /// Some of the matches, decoded.
    ///
    /// Loads the shards that hold them and no other; what lies before is not decoded.
    ///
    /// - Parameter positions: 0 is the first match. What lies beyond the last one is left out.
    /// - Throws: ``IndexError`` if a shard cannot be read or is damaged, or was removed by builds since.
    public func records(in positions: Range<Int>) throws(IndexError) -> Records {
      let buffer = RecordBuffer()
      try read(positions, into: buffer)
      let schema = generation.schema
      return Records(buffer: buffer, schema: schema, folded: schema.isKeyStored ? nil : try foldedKeys(in: positions))
    }

    /// The folded keys of some of the matches: what an index that does not store its keys has to show for them.
    package func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys {
      var keys = FoldedKeys()
      let lower = range.lowerBound + min(max(0, positions.lowerBound), range.count)
      let upper = range.lowerBound + min(max(0, positions.upperBound), range.count)
      if lower < upper { try forEachFoldedKey(from: lower, to: upper) { keys.append($0) } }
      return keys
    }

    /// Where the matches stand among all records of the index: one run or two, in order.
    package var positions: [Range<Int>] { runs.map { [$0.first.range, $0.second.range] } ?? [range] }

    /// Calls `body` with each run that some of these matches lie in, and where they lie, as it counts.
    private func forEachRun(
      _ runs: TwoRuns, from lower: Int, to upper: Int, _ body: (Matches, Range<Int>) throws(IndexError) -> Void
    ) throws(IndexError) {
      let end = runs.first.range.upperBound
      if lower < end { try body(runs.first, lower..<min(upper, end)) }
      let distance = runs.second.range.lowerBound - end
      if upper > end { try body(runs.second, max(lower, end) + distance..<upper + distance) }
    }

    /// Calls `body` with the folded keys of records at some positions of the whole index, in order; of two runs, counted on
    /// from the first of them.
    func forEachFoldedKey(
      from lower: Int, to upper: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(IndexError) {
      if let runs {
        return try forEachRun(runs, from: lower, to: upper) { (run, positions) throws(IndexError) in
          try run.forEachFoldedKey(from: positions.lowerBound, to: positions.upperBound, body)
        }
      }
      func read(_ places: Range<Int>) throws(IndexError) {
        try forEachRun(from: places.lowerBound, to: places.upperBound) { (part, records) in
          part.part.keys.forEachKey(in: records) { _, key in body(key) }
        }
      }
      guard let overlay = ownOverlay else { return try read(lower..<upper) }
      try overlay.forEachRun(
        from: lower, to: upper, shards: { (places) throws(IndexError) in try read(places) },
        own: { body(overlay.folded($0)) })
    }

    /// What stands between the positions of these matches and places among the records of the shards; nil if those are the
    /// same.
    private var ownOverlay: Overlay? { firstShard == Self.overlaid ? generation.overlay : nil }

    /// The places among the records of the shards from the first to the last of some of the matches, for each run of them;
    /// those are left out of which none is in a shard.
    package func placesInShards(of positions: Range<Int>) -> [Range<Int>] {
      let (lower, upper) = (range.lowerBound + positions.lowerBound, range.lowerBound + positions.upperBound)
      guard let runs else {
        let places = ownOverlay?.places(from: lower, to: upper) ?? lower..<upper
        return places.isEmpty ? [] : [places]
      }
      var places: [Range<Int>] = []
      try? forEachRun(runs, from: lower, to: upper) { (run, positions) throws(IndexError) in
        let start = run.range.lowerBound
        places += run.placesInShards(of: positions.lowerBound - start..<positions.upperBound - start)
      }
      return places
    }

    /// Decodes some of the matches into a buffer that is used again and again; what it held before is gone.
    ///
    /// The way to read many answers, or one long one, without an allocation for each.
    public func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
      buffer.removeAll()
      let count = range.count
      let lower = range.lowerBound &+ min(max(0, positions.lowerBound), count)
      let upper = range.lowerBound &+ min(max(0, positions.upperBound), count)
      guard lower < upper else { return }
      if firstShard >= 0 {
        // Mostly all that is wanted lies in the part that the query had. It lives as long as the matches do: nothing is counted.
        let part = Unmanaged.passUnretained(unsafeDowncast(holder, to: LoadedPart.self))
        let end = part._withUnsafeGuaranteedRef { firstStart &+ $0.keys.count }
        if firstStart <= lower, upper <= end {
          let records = lower &- firstStart..<upper &- firstStart
          if !part._withUnsafeGuaranteedRef({ decodeUnpacked(records, of: $0, into: buffer) }) {
            try decode(records, of: first!, into: buffer)
          }
          return try check(buffer, firstShard)
        }
      }
      try read(from: lower, to: upper, into: buffer)
    }

    /// How many records from one of the matches on are decoded together without more memory than a few copies of their part
    /// take; 1 where records are large. Nothing is decoded for it.
    ///
    /// - Throws: ``IndexError`` as ``read(_:into:)``, and where the thread's terms have no room for a record so large.
    package func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
      if let runs {
        let left = runs.first.count - position
        if left <= 0 { return try runs.second.recordsAtOnce(at: -left) }
        return min(left, try runs.first.recordsAtOnce(at: position))
      }
      var place = range.lowerBound + position
      if let overlay = ownOverlay {
        let places = overlay.places(from: place, to: place + 1)
        // What follows may be the overlay's own as well.
        guard !places.isEmpty, overlay.size <= Self.usualWeight else { return 1 }
        place = places.lowerBound
      }
      let part = try part(holding: place)
      let weight = part.part.weight
      if weight <= Self.usualWeight { return part.start + part.recordCount - place }
      try ReadingTerms.admit(weight, in: generation.directory)
      return 1
    }

    /// Parts up to this weight have records that are decoded together. In bytes.
    private static var usualWeight: Int { 256 << 10 }

    @inline(never)
    private func read(from lower: Int, to upper: Int, into buffer: RecordBuffer) throws(IndexError) {
      if let runs {
        return try forEachRun(runs, from: lower, to: upper) { (run, positions) throws(IndexError) in
          try run.read(from: positions.lowerBound, to: positions.upperBound, into: buffer)
        }
      }
      guard let overlay = ownOverlay else { return try readShards(from: lower, to: upper, into: buffer) }
      try overlay.forEachRun(
        from: lower, to: upper,
        shards: { (places) throws(IndexError) in
          try readShards(from: places.lowerBound, to: places.upperBound, into: buffer)
        },
        own: { overlay.decode($0, into: &buffer.output.pointee) })
    }

    private func readShards(from lower: Int, to upper: Int, into buffer: RecordBuffer) throws(IndexError) {
      try forEachRun(from: lower, to: upper) { (part, records) throws(IndexError) in
        try decode(records, of: part, into: buffer)
      }
    }

    /// Calls `body` with each part that holds some of the records, and which ones, counted within it.
    @inline(__always)
    private func forEachRun(
      from lower: Int, to upper: Int, _ body: (PartReference, Range<Int>) throws(IndexError) -> Void
    ) throws(IndexError) {
      var (part, position) = (try self.part(holding: lower), lower)
      while true {
        let end = part.start &+ part.recordCount
        guard end < upper else { return try body(part, position &- part.start..<upper &- part.start) }
        let next = try self.part(at: end, behind: part)
        // Its memory is on its way while this one's records are decoded.
        Unmanaged.passUnretained(next.part)._withUnsafeGuaranteedRef {
          $0.prefetchKeys()
          $0.prefetch(0)
        }
        try body(part, position &- part.start..<end &- part.start)
        (part, position) = (next, end)
      }
    }

    /// The part that holds a record of the index.
    private func part(holding position: Int) throws(IndexError) -> PartReference {
      if let first, first.start <= position, position < first.start &+ first.recordCount { return first }
      return try part(holding: position, of: generation.manifest.place(holding: position))
    }

    /// The part that begins where another one ends; the manifest is asked only if it is in another shard.
    private func part(at position: Int, behind known: PartReference) throws(IndexError) -> PartReference {
      let (firstRecord, recordCount) = Unmanaged.passUnretained(known.part)._withUnsafeGuaranteedRef {
        ($0.firstRecord, $0.header.recordCount)
      }
      let start = known.start &- firstRecord
      guard position < start &+ recordCount else {
        return try part(holding: position, of: generation.manifest.place(holding: position))
      }
      return try part(
        holding: position, of: Manifest.Place(number: known.shard, firstRecord: start, recordCount: recordCount))
    }

    private func part(holding position: Int, of place: Manifest.Place) throws(IndexError) -> PartReference {
      try generation.part(of: place, promotes: false, unpacks: true) { $0.part(holding: position &- place.firstRecord) }
    }

    @inline(__always)
    private func decode(_ range: Range<Int>, of part: PartReference, into buffer: RecordBuffer) throws(IndexError) {
      let isUnpacked = Unmanaged.passUnretained(part.part)._withUnsafeGuaranteedRef {
        decodeUnpacked(range, of: $0, into: buffer)
      }
      if !isUnpacked { decode(range, part.part.keys, try generation.unpackFields(of: part), into: buffer) }
      try check(buffer, part.shard)
    }

    /// - Returns: Whether the part's fields are unpacked; else there is nothing done.
    @inline(__always)
    private func decodeUnpacked(
      _ range: Range<Int>, of part: LoadedPart, into buffer: RecordBuffer
    ) -> Bool {
      guard let columns = part.columns else { return false }
      decode(range, part.keys, columns, into: buffer)
      return true
    }

    @inline(__always)
    private func decode(
      _ range: Range<Int>, _ keys: KeyBlocks, _ columns: FieldColumns, into buffer: RecordBuffer
    ) {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
        columns.decode(range, keys: keys, scratch: scratch.baseAddress!, into: &buffer.output.pointee)
      }
    }

    /// Throws where there was a record that is larger than any may be: nothing of what was decoded is kept then.
    @inline(__always)
    private func check(_ buffer: RecordBuffer, _ shard: Int) throws(IndexError) {
      if buffer.output.pointee.isOverlong { throw overlong(shard, buffer) }
    }

    @inline(never)
    private func overlong(_ shard: Int, _ buffer: RecordBuffer) -> IndexError {
      buffer.removeAll()
      let reason = "a record of over \(FieldColumns.recordLimit) bytes"
      return .corrupt(path: generation.filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
    }
  }

  /// What ``Matches`` hold of an answer in two runs.
  private final class TwoRuns: Sendable {
    let first: Matches
    let second: Matches

    init(_ first: Matches, _ second: Matches) { (self.first, self.second) = (first, second) }
  }
}
