// This runs on Linux alone: peaks come from wait4 in KiB, resident memory from /proc.
import Glibc

/// The directory that is removed when the program ends, also after a failure.
@MainActor var temporaryDirectory: String?

/// Prints a reason and ends the program.
func stop(_ message: String) -> Never {
  note("bench: " + message)
  MainActor.assumeIsolated { removeTemporaryDirectory() }
  exit(1)
}

@MainActor func removeTemporaryDirectory() {
  guard let directory = temporaryDirectory else { return }
  for name in Files.names(in: directory) { Files.remove(directory + "/" + name) }
  Files.remove(directory)
}

/// Prints the progress of the benchmark on standard error.
func note(_ message: String) {
  var line = message + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

enum Clock {
  /// The monotonic clock in nanoseconds.
  @inline(__always) static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
  }

  /// The time between two readings of the clock, which is part of every printed time.
  static func cost() -> Double {
    var times = (0..<10_001).map { _ in
      let start = now
      return now - start
    }
    times.sort()
    return Double(times[5000])
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Returns a number below `limit`, the same on every platform.
  mutating func below(_ limit: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(limit)).high) }
}

/// The files of the benchmark: their sizes and contents.
enum Files {
  struct Size {
    /// The bytes in the files.
    var apparent = 0
    /// The bytes that the files and their directory occupy, as `du` counts.
    var occupied = 0
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the size of a file, or of a directory with its files.
  static func size(_ path: String) -> Size {
    var status = stat()
    guard stat(path, &status) == 0 else { return Size() }
    var size = Size(apparent: 0, occupied: Int(status.st_blocks) * 512)
    guard isDirectory(path) else {
      size.apparent = Int(status.st_size)
      return size
    }
    for name in names(in: path) {
      guard lstat(path + "/" + name, &status) == 0 else { continue }
      size.apparent += Int(status.st_size)
      size.occupied += Int(status.st_blocks) * 512
    }
    return size
  }

  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { stop("cannot read \(path)") }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    let size = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(file, buffer.baseAddress! + count, size - count)
        if got <= 0 { break }
        count += got
      }
    }
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { stop("cannot write \(path)") }
    var done = 0
    while done < bytes.count {
      let wrote = Glibc.write(file, bytes.baseAddress! + done, min(bytes.count - done, 1 << 20))
      guard wrote > 0 else { stop("cannot write \(path)") }
      done += wrote
    }
    close(file)
  }

  static func write(_ text: String, to path: String) {
    Array(text.utf8).withUnsafeBytes { write($0, to: path) }
  }

  static func sync(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0, fsync(file) == 0 else { stop("cannot sync \(path)") }
    close(file)
  }

  static func copy(_ path: String, to target: String) {
    read(path).withUnsafeBytes { write($0, to: target) }
  }

  /// Takes a file, or the files of a directory, out of the system's cache, to be read again as after a restart.
  ///
  /// A file that was just written lies there in pieces of up to 2 MiB. One touch of a mapped file or of an executable
  /// then counts 2 MiB as resident.
  static func evict(_ path: String) {
    if isDirectory(path) { return names(in: path).forEach { evict(path + "/" + $0) } }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    close(file)
  }

  /// Evicts a file, or the files of a directory, and reads it again page by page.
  static func recache(_ path: String) {
    if isDirectory(path) { return names(in: path).forEach { recache(path + "/" + $0) } }
    evict(path)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM)
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 4096) { page in
      while Glibc.read(file, page.baseAddress!, 4096) > 0 {}
    }
  }

  static func remove(_ path: String) {
    for name in names(in: path) { unlink(path + "/" + name) }
    rmdir(path)
    unlink(path)
  }
}
