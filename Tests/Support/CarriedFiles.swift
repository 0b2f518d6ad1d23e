import CLibrary
import ShardedIndex

/// The files of an index behind a carrier that has no bytes at first, and gets requested bytes with ``fetch()``. One
/// thread uses it at a time, unless it has all bytes.
package final class CarriedFiles: @unchecked Sendable {
  package var files: [String: [UInt8]]
  /// Whether all bytes are present.
  package var hasAll: Bool
  /// Whether bytes come by ``gather(_:)``, or when a read waits for them.
  package var gathers = false
  /// The waits for bytes.
  package private(set) var waits = 0
  private var waitsAtOnce = true
  /// The values that calls return in the place of their results, by the call's name; also for the size of a file,
  /// `size`.
  package var wrong: [String: Int64] = [:]
  /// The names that were opened, and the ranges that were read, in order.
  package private(set) var reads: [(name: String, range: Range<Int>)] = []
  /// The names of the files with missing bytes that were asked for, in order.
  package private(set) var asked: [String] = []
  /// The names of the files whose bytes a thread that gathers waited for.
  package private(set) var awaited: [String] = []
  private var numbers: [(name: String, content: [UInt8])] = []
  private var here: [Int32: Set<Int>] = [:]
  private var wanted: [(file: Int32, range: Range<Int>)] = []
  private var wantsManifest = false
  private var hasManifest = false

  package init(_ directory: String, hasAll: Bool) {
    files = Files.contents(of: directory)
    self.hasAll = hasAll
  }

  /// An archive alone, with all of its bytes.
  package init(archive: [UInt8]) {
    (files, hasAll) = ([:], true)
    numbers = [("archive", archive)]
  }

  /// The carrier, which lives as long as this.
  package var carrier: Carrier {
    Carrier(
      context: Unmanaged.passUnretained(self).toOpaque(),
      open: { CarriedFiles.at($0!).open(String(cString: $1!), $2) },
      size: { CarriedFiles.at($0!).size($1) },
      read: { CarriedFiles.at($0!).read($1, Int($2), Int($3), $4!) },
      open_within: nil, gather: gathers ? { CarriedFiles.at($0!).gather($1) } : nil,
      reason: { context, number, into, _ in CarriedFiles.at(context!).reason(number, into!) }, close: nil)
  }

  package func open(_ options: ShardedIndex.Options = .init()) throws(IndexError) -> ShardedIndex {
    try ShardedIndex(IndexDirectory(carrier: carrier, path: "carried"), options: options)
  }

  package func openArchive() throws(IndexError) -> ShardedIndex {
    try ShardedIndex(IndexDirectory(carrier: carrier, path: "carried", isArchive: true), options: .init())
  }

  private static func at(_ context: UnsafeMutableRawPointer) -> CarriedFiles {
    Unmanaged<CarriedFiles>.fromOpaque(context).takeUnretainedValue()
  }

  private func open(_ name: String, _ size: Int64) -> Int32 {
    if let wrong = wrong["open"] { return Int32(wrong) }
    guard let content = files[name] else { return -ENOENT }
    if size < 0, !hasAll, !hasManifest, !gathers {
      wantsManifest = true
      return -EAGAIN
    }
    // The index passes the size of the file.
    if let number = numbers.firstIndex(where: { $0.name == name && $0.content == content }) { return Int32(number) }
    numbers.append((name, content))
    return Int32(numbers.count - 1)
  }

  private func size(_ file: Int32) -> Int64 { wrong["size"] ?? Int64(numbers[Int(file)].content.count) }

  private func read(_ file: Int32, _ offset: Int, _ size: Int, _ into: UnsafeMutableRawPointer) -> Int32 {
    if let wrong = wrong["read"] { return Int32(wrong) }
    let content = numbers[Int(file)].content
    guard offset >= 0, size <= content.count - offset else { return -EIO }
    let range = offset..<offset + size
    if !hasAll, !here[file, default: []].isSuperset(of: range) {
      wanted.append((file, range))
      asked.append(numbers[Int(file)].name)
      guard gathers, waitsAtOnce else { return -EAGAIN }
      waits += 1
      _ = fetch()
    }
    reads.append((numbers[Int(file)].name, range))
    content[range].withUnsafeBytes { into.copyMemory(from: $0.baseAddress!, byteCount: size) }
    return 0
  }

  private func gather(_ how: Int32) {
    waitsAtOnce = how == CARRIER_WAITS
    // Nothing waits for bytes that were asked for before.
    if how != CARRIER_AWAITS { wanted = [] }
    if how == CARRIER_GATHERS_ANEW { here = [:] }
    if how == CARRIER_AWAITS {
      waits += 1
      wrong = [:]
      awaited += wanted.map { numbers[Int($0.file)].name }
      _ = fetch()
    }
  }

  private func reason(_ number: Int32, _ into: UnsafeMutablePointer<CChar>) {
    let text = "sentence \(number)"
    text.withCString { _ = strcpy(into, $0) }
  }

  /// Gets the requested bytes that were missing; returns whether there were any.
  package func fetch() -> Bool {
    defer { (wanted, wantsManifest) = ([], false) }
    if wantsManifest { hasManifest = true }
    for (file, range) in wanted { here[file, default: []].formUnion(range) }
    return wantsManifest || !wanted.isEmpty
  }

  /// Asks until all bytes are present; returns the answer and the number of fetches.
  package func asking<Value>(_ question: () throws(IndexError) -> Value) throws -> (value: Value, rounds: Int) {
    var rounds = 0
    while true {
      do throws(IndexError) {
        return (try question(), rounds)
      } catch {
        guard case .io(_, _, EAGAIN) = error, fetch() else { throw error }
        rounds += 1
      }
    }
  }
}
