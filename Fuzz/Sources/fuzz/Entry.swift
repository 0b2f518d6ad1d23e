#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A target for libFuzzer: one reader of untrusted bytes.
protocol FuzzTarget: AnyObject {
  init()
  /// Reads `input`, and ends the process at a broken promise.
  func run(_ input: UnsafeBufferPointer<UInt8>)
  /// Small inputs that reach much code.
  static var seeds: [(name: String, bytes: [UInt8])] { get }
}

/// The targets by the names that Fuzz/run.sh uses.
var fuzzTargets: [(name: String, type: any FuzzTarget.Type)] {
  [
    ("fold", FoldTarget.self), ("query", QueryTarget.self), ("manifest", ManifestTarget.self),
    ("shard", ShardTarget.self), ("json", JSONTarget.self), ("jsonl", JSONLinesTarget.self), ("csv", CSVTarget.self),
    ("tsv", TSVTarget.self), ("geonames", GeonamesTarget.self),
    ("geojson", GeoJSONTarget.self), ("lines", LinesTarget.self), ("dialect", DialectTarget.self),
    ("gzip", GzipTarget.self), ("zstd", ZstdTarget.self), ("build", BuildTarget.self), ("pack", PackTarget.self),
    ("log", QueryLogTarget.self),
    ("overlay", OverlayTarget.self), ("ranks", RanksTarget.self), ("sides", SidesTarget.self),
    ("sketch", SketchTarget.self), ("entries", EntriesTarget.self),
  ]
}

nonisolated(unsafe) private var target: (any FuzzTarget)!

private func say(_ message: String) {
  var line = message + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress!, $0.count) }
}

private func end(_ message: String) -> Never {
  say(message)
  exit(2)
}

/// `$SHARDQ_FUZZ` names the target. If `$SHARDQ_FUZZ_SEEDS` names a directory, the program writes the seeds of all
/// targets to that directory and runs no target.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  if let directory = getenv("SHARDQ_FUZZ_SEEDS") {
    let directory = String(cString: directory)
    for (name, type) in fuzzTargets {
      mkdir("\(directory)/\(name)", 0o755)
      for seed in type.seeds { RawFile.write(seed.bytes, to: "\(directory)/\(name)/\(seed.name)") }
    }
    exit(0)
  }
  let wanted = getenv("SHARDQ_FUZZ").map { String(cString: $0) } ?? ""
  guard let found = fuzzTargets.first(where: { $0.name == wanted }) else {
    end("SHARDQ_FUZZ is to name a target: " + fuzzTargets.map(\.name).joined(separator: " "))
  }
  target = found.type.init()
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(UnsafeBufferPointer(start: start, count: count))
  return 0
}

/// Ends the process at a broken promise, and libFuzzer keeps the input.
@inline(__always)
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
  if !condition { fail(promise()) }
}

func fail(_ promise: String) -> Never {
  say("broken: \(promise)")
  fatalError()
}

/// Takes an input apart into numbers and runs of bytes. The last run may be shorter than asked for.
struct InputReader {
  private(set) var rest: UnsafeBufferPointer<UInt8>.SubSequence

  init(_ input: UnsafeBufferPointer<UInt8>) { rest = input[...] }

  mutating func byte() -> Int { rest.popFirst().map(Int.init) ?? 0 }
  mutating func word() -> Int { byte() | byte() << 8 }
  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return taken
  }
  mutating func remaining() -> [UInt8] { bytes(rest.count) }
}

enum RawFile {
  static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { end("cannot write \(path)") }
    store(bytes, in: file)
    close(file)
  }

  /// Replaces the content of an open file by `bytes`.
  static func store(_ bytes: some Collection<UInt8>, in file: CInt) {
    let stored = bytes.withContiguousStorageIfAvailable { bytes in
      bytes.isEmpty || pwrite(file, bytes.baseAddress!, bytes.count, 0) == bytes.count
    }
    guard stored == true, ftruncate(file, off_t(bytes.count)) == 0 else { end("cannot write a scratch file") }
  }

  /// A directory, in memory if the system has such directories. It is removed when the process ends.
  static func scratchDirectory() -> String {
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var path = Array("\(base)/shardq-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { end("cannot make a scratch directory in \(base)") }
    let made = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if scratch.isEmpty { atexit { for path in scratch { RawFile.remove(path) } } }
    scratch.append(made)
    return made
  }

  private static func remove(_ path: String) {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { _ = unlinkat(dirfd(directory), $0, 0) }
      }
    }
    closedir(directory)
    rmdir(path)
  }

  static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    var status = stat()
    guard file >= 0, fstat(file, &status) == 0 else { end("cannot read \(path)") }
    defer { close(file) }
    let size = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      count = max(0, pread(file, bytes.baseAddress!, size, 0))
    }
  }
}

nonisolated(unsafe) private var scratch: [String] = []
