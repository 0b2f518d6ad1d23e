import CLibrary
import CShardq
import ShardedIndex

/// The carrier of an index whose bytes the program fetches: `sq_open_remote` of shardq.h. The engine names the bytes, and
/// the program transports them.
///
/// There is no lock, since one thread at a time uses a handle.
final class FetchedFiles {
  /// A file at the host.
  private struct HostedFile {
    let name: OwnedCharacters?
    /// The size in bytes; -1 before the first answer.
    var size: Int64
    /// Whether the index names the file by its content, so that the host has no other content under the name.
    let isNamedByContent: Bool
  }
  /// A file of the index, as its number stands for it.
  private struct NumberedFile {
    /// The place among ``hosted`` of the file that is this one, or has it in it.
    let host: Int
    /// The bytes of the file, as offsets at the host.
    let bytes: Range<Int64>
    let plan: FetchPlan.File
  }
  private struct WantedRange {
    let host: Int
    var range: Range<Int64>
  }
  private struct FetchedPiece {
    let host: Int
    let start: Int64
    let bytes: [UInt8]
    /// The step of the last use.
    var used: Int

    var range: Range<Int64> { start..<start + Int64(bytes.count) }
  }
  private enum FetchTrouble {
    /// A number of errno.h.
    case number(Int32)
    case reason(String)
  }

  /// The most bytes of pieces that stay for the next question.
  private static let keptBytes = 4 << 20
  /// The largest file at a host, in bytes, so that no sum of offsets is too large.
  private static let sizeLimit: Int64 = 1 << 50
  /// The bytes between two ranges of a file that cost less than another request.
  private static let nearby: Int64 = 8 << 10

  private let function: sq_fetch
  private let context: Block?
  private var hosted: [HostedFile] = []
  private var files: [NumberedFile] = []
  private var numbers: [String: Int32] = [:]
  /// The number of the newest manifest or archive, and its first bytes.
  private var root: (number: Int32, head: [UInt8])?
  private var pieces: [FetchedPiece] = []
  private var steps = 0
  /// Whether reads only name the missing bytes, which one call then fetches.
  private var gathers = false
  /// Whether caches on the way have to ask the host.
  private var isFresh = false
  private var wanted: [WantedRange] = []
  private var failed: [(want: WantedRange, failure: FetchTrouble)] = []
  /// The sentence of the last failure.
  private var reason = ""

  init(_ function: @escaping sq_fetch, _ context: Block?) { (self.function, self.context) = (function, context) }

  deinit { for file in hosted { free(file.name) } }

  // MARK: Files

  /// Returns the number of the manifest or of the archive, as the host has it now.
  private func openRoot(_ name: String) -> Int32 {
    let isArchive = name == "archive"
    let host = hosted.count
    hosted.append(HostedFile(name: strdup(isArchive ? "" : name), size: -1, isNamedByContent: false))
    (failed, isFresh) = ([], root != nil)
    load([WantedRange(host: host, range: 0..<FetchPlan.headSize)])
    isFresh = false
    let head = pieces.last { $0.host == host }?.bytes
    let size = hosted[host].size
    if let root, let head, root.head == head, files[Int(root.number)].bytes.upperBound == size {
      forget(host)
      return root.number
    }
    guard let head else {
      forget(host)
      return failed.last.map { self.number(of: $0.failure) } ?? -EIO
    }
    let number = add(host, isArchive ? .archive : .manifest, 0..<size)
    root = (number, head)
    return number
  }

  /// Removes the last file at the host, which no number stands for.
  private func forget(_ host: Int) {
    pieces.removeAll { $0.host == host }
    free(hosted.removeLast().name)
  }

  private func add(
    _ host: Int, _ kind: FetchPlan.Kind, _ bytes: Range<Int64>, in holder: FetchPlan.File? = nil
  ) -> Int32 {
    files.append(NumberedFile(host: host, bytes: bytes, plan: FetchPlan().file(kind, bytes, in: holder)))
    return Int32(files.count - 1)
  }

  /// Returns the number of a file of a directory.
  private func open(_ name: String, size: Int64) -> Int32 {
    let key = "\(size) \(name)"
    if let number = numbers[key] { return number }
    hosted.append(HostedFile(name: strdup(name), size: size, isNamedByContent: true))
    let number = add(hosted.count - 1, .other, 0..<size)
    numbers[key] = number
    return number
  }

  /// Returns the number of a file in an archive, or of the starts in a manifest.
  private func open(_ name: String, in archive: Int32, from start: Int64, size: Int64) -> Int32 {
    let key = "\(archive) \(start) \(size) \(name)"
    if let number = numbers[key] { return number }
    let holder = files[Int(archive)]
    let number = add(
      holder.host, name == "manifest" ? .manifest : .other, start..<start + size, in: holder.plan)
    numbers[key] = number
    return number
  }

  // MARK: Reading

  private func read(_ number: Int32, from start: Int64, size: Int64, into target: Block) -> Int32 {
    let file = files[Int(number)]
    guard size >= 0, start >= file.bytes.lowerBound, start <= file.bytes.upperBound,
      size <= file.bytes.upperBound - start
    else { return -EINVAL }
    let range = start..<start + size
    if copy(range, of: file.host, to: target) { return 0 }
    let want = WantedRange(host: file.host, range: file.plan.range(around: range))
    if let failure = failure(of: range, file.host) { return self.number(of: failure) }
    if gathers {
      wanted.append(want)
      return -EAGAIN
    }
    failed = []
    load([want])
    if let failure = failure(of: range, file.host) { return self.number(of: failure) }
    let isThere = copy(range, of: file.host, to: target)
    trim()
    return isThere ? 0 : -EIO
  }

  private func copy(_ range: Range<Int64>, of host: Int, to target: Block) -> Bool {
    let place = pieces.lastIndex {
      $0.host == host && $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
    }
    guard let place else { return false }
    steps += 1
    pieces[place].used = steps
    let start = Int(range.lowerBound - pieces[place].start)
    memcpy(target, Array(pieces[place].bytes[start..<start + range.count]), range.count)
    return true
  }

  private func failure(of range: Range<Int64>, _ host: Int) -> FetchTrouble? {
    failed.first { $0.want.host == host && $0.want.range.overlaps(range) }?.failure
  }

  private func gather(_ how: Int32) {
    switch Int(how) {
    case Int(CARRIER_AWAITS):
      let wants = joined(wanted)
      wanted = []
      load(wants)
    case Int(CARRIER_GATHERS), Int(CARRIER_GATHERS_ANEW):
      (gathers, wanted, failed) = (true, [], [])
      isFresh = Int(how) == Int(CARRIER_GATHERS_ANEW)
      if isFresh { pieces = [] }
    default:
      (gathers, wanted, failed, isFresh) = (false, [], [], false)
      trim()
    }
  }

  /// Returns ranges that have all wanted bytes, each once; ranges of a file that nearly touch are one.
  private func joined(_ wants: [WantedRange]) -> [WantedRange] {
    var ranges: [WantedRange] = []
    for want in wants.sorted(by: { ($0.host, $0.range.lowerBound) < ($1.host, $1.range.lowerBound) }) {
      if let last = ranges.last, last.host == want.host, want.range.lowerBound <= last.range.upperBound + Self.nearby {
        let end = max(last.range.upperBound, want.range.upperBound)
        ranges[ranges.count - 1].range = last.range.lowerBound..<end
      } else {
        ranges.append(want)
      }
    }
    return ranges
  }

  /// Removes the pieces that were used longest ago.
  private func trim() {
    var size = pieces.reduce(0) { $0 + $1.bytes.count }
    while size > Self.keptBytes, pieces.count > 1,
      let old = pieces.indices.min(by: { pieces[$0].used < pieces[$1].used })
    {
      size -= pieces.remove(at: old).bytes.count
    }
  }

  // MARK: Fetching

  /// Fetches bytes with one call of the program's function.
  private func load(_ wants: [WantedRange]) {
    guard !wants.isEmpty else { return }
    var requests = wants.map { want in
      var request = sq_request()
      request.name = Characters(hosted[want.host].name)
      (request.from, request.to) = (want.range.lowerBound, want.range.upperBound)
      request.size = hosted[want.host].size
      request.is_fresh = isFresh ? 1 : 0
      request.status = Int32(SQ_SYSTEM)
      return request
    }
    function(context, &requests, wants.count)
    for (want, request) in zip(wants, requests) {
      if let failure = take(request, want) { failed.append((want, failure)) }
    }
  }

  /// Keeps the bytes of a request; returns the failure if they are not the wanted ones.
  private func take(_ request: sq_request, _ want: WantedRange) -> FetchTrouble? {
    let known = hosted[want.host]
    switch Int(request.status) {
    case SQ_OK: break
    case SQ_NOT_FOUND: return .number(ENOENT)
    case SQ_CHANGED where known.isNamedByContent:
      return .reason("the file is shorter than the manifest says")
    case SQ_CHANGED: return .number(ESTALE)
    default: return .reason(request.message.map { String(cString: $0) } ?? "the program could not fetch it")
    }
    if known.size >= 0, request.size != known.size {
      return known.isNamedByContent
        ? .reason("the file has \(request.size) bytes, and the manifest says \(known.size)") : .number(ESTALE)
    }
    guard 0...Self.sizeLimit ~= request.size, let bytes = request.bytes,
      Int64(request.count) == max(0, min(request.to, request.size) - request.from)
    else { return .reason("other bytes came than those of the request") }
    hosted[want.host].size = request.size
    steps += 1
    var content = [UInt8](repeating: 0, count: request.count)
    memcpy(&content, bytes, request.count)
    pieces.append(FetchedPiece(host: want.host, start: request.from, bytes: content, used: steps))
    return nil
  }

  /// Returns the negated number of a failure, as a carrier gives it.
  private func number(of failure: FetchTrouble) -> Int32 {
    switch failure {
    case .number(let number): return -number
    case .reason(let text):
      reason = text
      return -Int32(CARRIER_REASONS)
    }
  }

  // MARK: The carrier

  /// Returns the functions, which hold the files until `close`.
  func functions() -> Carrier {
    Carrier(
      context: Unmanaged.passRetained(self).toOpaque(),
      open: { context, name, size in
        let (files, name) = (FetchedFiles.of(context), String(cString: name!))
        return size < 0 ? files.openRoot(name) : files.open(name, size: size)
      },
      size: { FetchedFiles.of($0).files[Int($1)].bytes.upperBound },
      read: { FetchedFiles.of($0).read($1, from: $2, size: $3, into: $4!) },
      open_within: { FetchedFiles.of($0).open(String(cString: $2!), in: $1, from: $3, size: $4) },
      gather: { FetchedFiles.of($0).gather($1) },
      reason: { context, _, target, capacity in
        let text = Array(FetchedFiles.of(context).reason.utf8.prefix(Int(capacity) - 1)) + [0]
        memcpy(target!, text, text.count)
      },
      close: { Unmanaged<FetchedFiles>.fromOpaque($0!).release() })
  }

  private static func of(_ context: Block?) -> FetchedFiles {
    Unmanaged<FetchedFiles>.fromOpaque(context!).takeUnretainedValue()
  }
}
