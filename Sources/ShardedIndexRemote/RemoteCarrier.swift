#if Remote
  import CCurl
  import CLibrary
  import ShardedIndex

  /// The carrier of an index on another machine: see `Carrier` (Sources/System/CShims/carrier.h).
  ///
  /// Up to 4 MiB of fetched bytes stay in memory; the disk cache has them too. All state is under the network's lock.
  final class RemoteCarrier: @unchecked Sendable {
    private struct PieceKey: Hashable {
      /// The number of the file at the URL.
      let file: CInt
      let start: Int64
      let end: Int64
    }
    /// The state of a thread that asks for several pieces before it waits.
    private struct Gathering {
      var pieces: [RemotePiece] = []
      /// The thread does not use pieces that ended before this step.
      var anewSince = 0
    }

    /// The most bytes of pieces in memory.
    private static let keptBytes = 4 << 20
    /// The milliseconds for which a failure answers other reads of the same bytes.
    private static let failureLife: Int64 = 1000
    /// The most contents known at a time: the newest, and those that answers under way may belong to.
    private static let rootLimit = 4
    /// The bytes that each piece counts in addition to its content, so that empty pieces are removed as well.
    private static let pieceSize = 256

    private let network = Network.shared
    private let address: RemoteAddress
    private let cache: DiskCache?
    private let fetchMode: RemoteOptions.Fetch

    private var files: [RemoteFile] = []
    private var numbers: [String: CInt] = [:]
    private var root: (root: RemoteRoot, number: CInt)?
    /// The root in the disk cache, while the host is asked whether that root is still the newest.
    private var kept: RemoteRoot?
    /// Whether a file that a kept root names was missing or damaged: the root may belong to another content with the
    /// same tag.
    private var isDoubtful = false
    private var opening: Fetch?
    private var plan = FetchPlan()
    private var pieces: [PieceKey: RemotePiece] = [:]
    private var keptSize = 0
    /// The number of steps so far: ends and uses of pieces.
    private var steps = 0
    private var trouble = HostTrouble()
    /// The numbers of the manifests or archives that answers may still belong to, the newest last.
    private var roots: [CInt] = []
    private var gatherings: [UInt64: Gathering] = [:]
    private var reasons: [String] = []
    private var firstReason = 0

    init(_ address: RemoteAddress, _ options: RemoteOptions) throws(IndexError) {
      self.address = address
      fetchMode = options.fetch
      plan.wholeLimit = options.wholeLimit
      cache = try options.cacheDirectory.flatMap { (path) throws(IndexError) in
        try DiskCache(path, limit: options.cacheLimitBytes)
      }
    }

    // MARK: Opening

    /// Returns the number of the manifest or of the archive, as the host has it now.
    func openRoot(_ name: String?) -> CInt {
      network.withLock {
        // Several threads may notice the same change at once.
        let fetch = opening ?? rootFetch(name)
        if opening == nil {
          opening = fetch
          network.start(fetch)
        }
        let result = network.wait(for: fetch)
        if opening === fetch { opening = nil }
        switch result {
        case .failure(let failure): return number(of: failure)
        case .success(let body):
          trouble.succeeded()
          if root == nil {
            plan.fetchesWholes =
              fetchMode == .automatic
              ? FetchPlan.fetchesWholes(roundTrip: fetch.answer?.roundTrip ?? 0) : fetchMode == .shards
          }
          return opened(body, name)
        }
      }
    }

    /// Makes the request for the root. The host sends no bytes if the root is still the known one.
    private func rootFetch(_ name: String?) -> Fetch {
      let entry = CacheEntry(rootOf: name, at: address)
      if root == nil, !isDoubtful { kept = cache?.load(entry).flatMap { RemoteRoot(kept: $0, at: address) } }
      let known = isDoubtful ? nil : root?.root ?? kept
      let isArchive = address.isArchive
      return Fetch(
        address, name, range: 0..<FetchPlan.headSize, total: nil, wholeLimit: FetchPlan.unrangedLimit, tag: known?.tag,
        isAnew: root != nil || isDoubtful
      ) { [cache] body in
        let isKept = known.map { $0.tag == body.tag && $0.isSame(body) } ?? false
        if !isKept, RemoteRoot.failure(of: body, isArchive: isArchive) == nil, let bytes = RemoteRoot.kept(body) {
          cache?.store(bytes, as: entry)
        }
        return true
      }
    }

    /// - Parameter body: nil if the content is unchanged.
    private func opened(_ body: FetchedBody?, _ name: String?) -> CInt {
      guard let opened = body.map({ RemoteRoot($0, at: address) }) ?? root?.root ?? kept else { return 0 &- EIO }
      kept = nil
      if body != nil { isDoubtful = false }
      if let root, let body {
        // The same content may have another tag.
        if root.root.isSame(body) { self.root = (opened, root.number) }
      }
      if let root, root.root === opened { return root.number }
      let failure = body.flatMap { RemoteRoot.failure(of: $0, isArchive: address.isArchive) }
      if let failure { return number(of: failure) }
      plan.hasRanges = Int64(opened.head.count) < opened.size || opened.size < FetchPlan.headSize
      let plan = plan.file(name == nil ? .archive : .manifest, 0..<opened.size)
      let number = add(
        RemoteFile(name: name ?? "archive", start: 0, size: opened.size, root: opened, urlName: name, plan: plan))
      root = (opened, number)
      roots.append(number)
      if roots.count > Self.rootLimit { forget(files[Int(roots.removeFirst())].root) }
      return number
    }

    /// Removes a content, and the numbers of the files in it.
    private func forget(_ old: RemoteRoot?) {
      guard let old else { return }
      for number in files.indices where files[number].root === old {
        (files[number].isForgotten, files[number].root) = (true, nil)
      }
      numbers = numbers.filter { !files[Int($0.value)].isForgotten }
    }

    /// Fetches the root again, whether or not it has changed, if the current root is one of the disk cache.
    ///
    /// - Returns: Whether the current root is one of the disk cache.
    func doubtRoot() -> Bool { network.withLock { doubtsRoot() } }

    @discardableResult
    private func doubtsRoot() -> Bool {
      guard let root, root.root.isKept else { return false }
      isDoubtful = true
      cache?.remove(CacheEntry(rootOf: files[Int(root.number)].urlName, at: address))
      return true
    }

    private func add(_ file: RemoteFile) -> CInt {
      files.append(file)
      return CInt(files.count - 1)
    }

    /// Returns the number of a file of a directory.
    func open(_ name: String, size: Int64) -> CInt {
      network.withLock {
        if let number = numbers[name], files[Int(number)].size == size { return number }
        let plan = plan.file(.other, 0..<size)
        let number = add(RemoteFile(name: name, start: 0, size: size, root: nil, urlName: name, plan: plan))
        numbers[name] = number
        return number
      }
    }

    /// Returns the number of a file in an archive, or of the starts in a manifest.
    func open(_ name: String, in archive: CInt, from start: Int64, size: Int64) -> CInt {
      network.withLock {
        let holder = files[Int(archive)]
        guard let root = holder.root else { return 0 &- EBADF }
        let key = "\(archive) \(start) \(name)"
        if let number = numbers[key], files[Int(number)].size == size { return number }
        let plan = plan.file(name == "manifest" ? .manifest : .other, start..<start + size, in: holder.plan)
        let number = add(
          RemoteFile(
            name: name, start: start, size: size, root: root, outermost: holder.outermost ?? archive,
            urlName: holder.urlName, plan: plan))
        numbers[key] = number
        return number
      }
    }

    func size(of file: CInt) -> Int64 { network.withLock { files[Int(file)].size } }

    // MARK: Reading

    /// Calls `copy` for the pieces of a range of the file at the URL, once all pieces are there. The arguments are the
    /// bytes of the piece, which of the bytes belong to the range, and their offset in the range.
    ///
    /// - Returns: 0, or the negated number of an error.
    func read(_ number: CInt, from start: Int64, size: Int64, copy: ([UInt8], Range<Int>, Int) -> Void) -> CInt {
      network.withLock {
        let file = files[Int(number)]
        guard size >= 0, start >= file.start, start - file.start <= file.size,
          size <= file.size - (start - file.start)
        else { return 0 &- EINVAL }
        if file.isForgotten { return 0 &- ESTALE }
        let end = start + size
        var start = start
        if let head = file.root?.head, start < Int64(head.count) {
          let known = Int(start)..<Int(min(end, Int64(head.count)))
          copy(head, known, 0)
          start += Int64(known.count)
          if start == end { return 0 }
        }
        let thread = thread_number()
        let anewSince = gatherings[thread]?.anewSince ?? 0
        let piece = piece(of: file, number, start..<end, anewSince: anewSince)
        settle(piece)
        if piece.fetch != nil {
          if gatherings[thread] != nil {
            gatherings[thread]!.pieces.append(piece)
            return 0 &- EAGAIN
          }
          complete(piece)
        }
        if let failure = piece.failure { return self.number(of: failure) }
        guard piece.start <= start, end <= piece.start + Int64(piece.bytes.count) else { return 0 &- EIO }
        steps += 1
        piece.used = steps
        copy(piece.bytes, Int(start - piece.start)..<Int(end - piece.start), Int(size - (end - start)))
        return 0
      }
    }

    /// Waits until a piece's request has ended.
    private func complete(_ piece: RemotePiece) {
      if let fetch = piece.fetch { _ = network.wait(for: fetch) }
      settle(piece)
    }

    /// Takes over the result of a piece's request, if the request has ended.
    private func settle(_ piece: RemotePiece) {
      guard let result = piece.fetch?.result else { return }
      piece.fetch = nil
      piece.ended = clock_now()
      steps += 1
      (piece.step, piece.used) = (steps, steps)
      switch result {
      case .success(let body):
        piece.bytes = body?.bytes ?? []
        if body?.isWhole ?? false { piece.start = 0 }
        keptSize += piece.bytes.count
        trouble.succeeded()
      case .failure(let failure):
        piece.failure = failure
        trouble.failed(failure)
      }
      trim()
    }

    /// Returns the piece for a range: a piece in memory, on disk or on its way, or a new one.
    private func piece(
      of file: RemoteFile, _ number: CInt, _ range: Range<Int64>, anewSince: Int
    ) -> RemotePiece {
      let range = file.plan.range(around: range)
      let key = PieceKey(file: file.outermost ?? number, start: range.lowerBound, end: range.upperBound)
      if let piece = pieces[key] {
        if piece.fetch != nil { return piece }
        let isOver = piece.failure != nil && clock_now() - piece.ended >= Self.failureLife
        if !isOver, piece.step >= anewSince { return piece }
        remove(key)
      }
      let store = CacheEntry(file, range, at: address)
      if anewSince == 0, let bytes = cache?.load(store) {
        let piece = RemotePiece(nil, from: range.lowerBound)
        piece.bytes = bytes
        pieces[key] = piece
        keptSize += Self.pieceSize + bytes.count
        trim(but: key)
        network.countDiskHit()
        return piece
      }
      if let failure = trouble.refuses() {
        let piece = RemotePiece(nil, from: range.lowerBound)
        piece.failure = failure
        return piece
      }
      let isWhole = file.root == nil && range == 0..<file.size
      let takesWhole = isWhole || (file.root == nil && file.size <= FetchPlan.unrangedLimit)
      let fetch = Fetch(
        address, file.urlName, range: isWhole ? nil : range,
        total: file.root?.size ?? file.size, wholeLimit: takesWhole ? file.size : 0, isNamedByContent: file.root == nil,
        isAnew: anewSince > 0
      ) { [cache] body in
        guard store.isRight(body.bytes) else { return false }
        // A whole file in place of a range has another name.
        if Int64(body.bytes.count) == range.upperBound - range.lowerBound { cache?.store(body.bytes, as: store) }
        return true
      }
      let piece = RemotePiece(fetch, from: range.lowerBound)
      pieces[key] = piece
      keptSize += Self.pieceSize
      network.start(fetch)
      return piece
    }

    private func remove(_ key: PieceKey) {
      if let piece = pieces.removeValue(forKey: key) { keptSize -= Self.pieceSize + piece.bytes.count }
    }

    /// Removes the least recently used pieces.
    private func trim(but last: PieceKey? = nil) {
      while keptSize > Self.keptBytes {
        let old = pieces.filter { $0.value.fetch == nil && $0.key != last }.min { $0.value.used < $1.value.used }
        guard let old, pieces.count > 1 else { return }
        remove(old.key)
      }
    }

    // MARK: Several pieces side by side

    func gather(_ how: CInt) {
      network.withLock {
        let thread = thread_number()
        switch how {
        case CInt(CARRIER_GATHERS): gatherings[thread] = Gathering()
        case CInt(CARRIER_GATHERS_ANEW):
          steps += 1
          doubtsRoot()
          gatherings[thread] = Gathering(anewSince: steps)
        case CInt(CARRIER_AWAITS):
          let wanted = gatherings[thread]?.pieces ?? []
          gatherings[thread]?.pieces = []
          for piece in wanted { complete(piece) }
        default: gatherings[thread] = nil
        }
      }
    }

    // MARK: Errors

    /// Returns the negated number of an error. Under the lock.
    private func number(of failure: FetchFailure) -> CInt {
      if failure.number != 0 {
        doubtsRoot()
        return 0 &- failure.number
      }
      reasons.append(failure.reason)
      // The engine reads each reason soon.
      if reasons.count > 64 {
        reasons.removeFirst()
        firstReason = (firstReason + 1) & 0xfff_ffff
      }
      return 0 &- CInt(CARRIER_REASONS) &- CInt(firstReason + reasons.count - 1)
    }

    func reason(of number: CInt) -> String {
      network.withLock {
        let index = Int(number) - Int(CARRIER_REASONS) - firstReason
        return reasons.indices.contains(index) ? reasons[index] : "the host cannot be reached"
      }
    }
  }
#endif
