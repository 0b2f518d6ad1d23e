import CLibrary

/// A new empty directory, which is removed with all of its files when its owner is freed.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/shardq-tests-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary directory in \(base)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Files.remove(path) }

  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  package func bytes(_ name: String) -> [UInt8] { Files.bytes(self(name)) }

  package func read(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  @discardableResult
  package func write(_ text: String, to name: String) -> String { write(Array(text.utf8), to: name) }

  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) -> String {
    Files.write(bytes, to: self(name))
    return self(name)
  }
}

/// The file operations of tests. A failure ends the process, because no test is about failures here.
package enum Files {
  /// The names of a directory's entries.
  package static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  package static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { fatalError("cannot write \(path)") }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { systemWrite(file, $0.baseAddress!, $0.count) }
      guard count > 0 else { fatalError("cannot write \(path)") }
      done += count
    }
    close(file)
  }

  package static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    let size = Int(status.st_size)
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let read = pread(file, buffer.baseAddress! + count, size - count, off_t(count))
        guard read > 0 else {
          isWhole = false
          return
        }
        count += read
      }
    }
    return isWhole ? bytes : nil
  }

  /// The bytes of a file; none if there is no such file.
  package static func bytes(_ path: String) -> [UInt8] { read(path) ?? [] }

  #if os(Linux)
    /// The names, at their opening, of the files of a directory that this process has open, once for each descriptor.
    package static func opened(in directory: String) -> [String] {
      guard let real = realpath(directory, nil) else { return [] }
      defer { free(real) }
      let prefix = String(cString: real) + "/"
      return names(in: "/proc/self/fd").compactMap { number in
        var target = [CChar](repeating: 0, count: 4097)
        guard readlink("/proc/self/fd/" + number, &target, 4096) > 0 else { return nil }
        let path = String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard path.hasPrefix(prefix) else { return nil }
        return String(path.dropFirst(prefix.count).prefix { $0 != " " })
      }.sorted()
    }
  #endif

  /// The identity of a file, which a file written in its place does not have: number, size, last change.
  package static func identity(_ path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0 else { return "none" }
    #if os(Linux)
      return "\(status.st_ino) \(status.st_size) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
    #else
      return "\(status.st_ino) \(status.st_size) \(status.st_ctimespec.tv_sec).\(status.st_ctimespec.tv_nsec)"
    #endif
  }

  /// The number of a file, which no other file has as long as this one exists.
  package static func number(_ path: String) -> UInt64 {
    var status = stat()
    guard lstat(path, &status) == 0 else { fatalError("no \(path)") }
    return UInt64(status.st_ino)
  }

  package static func setModified(_ path: String, seconds: Int) {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else { fatalError("no \(path)") }
  }

  /// Gives a file another name too.
  package static func addName(_ other: String, to path: String) {
    guard systemLink(path, other) == 0 else { fatalError("cannot link \(path)") }
  }

  /// Changes bytes of a file in place.
  package static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0, pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count else {
      fatalError("cannot write \(path)")
    }
    close(file)
  }

  package static func setSize(of path: String, to size: Int) {
    guard truncate(path, off_t(size)) == 0 else { fatalError("cannot set the size of \(path)") }
  }

  package static func move(_ path: String, to other: String) {
    guard rename(path, other) == 0 else { fatalError("cannot rename \(path)") }
  }

  package static func link(_ path: String, to target: String) {
    guard symlink(target, path) == 0 else { fatalError("cannot link \(path)") }
  }

  /// Removes a file, a link, or a directory with all of its files.
  package static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// Every regular file of a directory with its bytes, except the builder's lock.
  package static func contents(of directory: String) -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in names(in: directory) where name != ".lock" {
      if let bytes = read("\(directory)/\(name)") { contents[name] = bytes }
    }
    return contents
  }

  /// The names of the files in which two directories differ.
  package static func differences(_ a: [String: [UInt8]], _ b: [String: [UInt8]]) -> [String] {
    Set(a.keys).union(b.keys).filter { a[$0] != b[$0] }.sorted()
  }

  package static func copy(_ directory: String, to other: String) {
    mkdir(other, 0o755)
    for (name, bytes) in contents(of: directory) { write(bytes, to: "\(other)/\(name)") }
  }
}

private func systemLink(_ path: String, _ other: String) -> CInt { link(path, other) }

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}

/// Seconds on a clock that only goes forward.
package func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Seconds with two decimals.
package func hundredths(_ seconds: Double) -> String {
  let value = Int((seconds * 100).rounded())
  return "\(value / 100).\(value % 100 < 10 ? "0" : "")\(value % 100)"
}

/// The growth of the memory of this process from a moment on.
///
/// On Linux it starts from the resident memory of that moment. The largest size in `rusage` is no use: a child inherits
/// its parent's, which in a run of all tests hides the child's own.
package struct MemoryGrowth {
  private let start: Int

  package init() {
    forgetPeak()
    start = residentNow()?.bytes ?? Self.largestSize
  }

  /// The peak of resident memory since then, less the start, in bytes.
  package var bytes: Int { (residentNow()?.peak ?? Self.largestSize) - start }

  /// The largest size that the process, or the one that it began as, has had, in bytes.
  private static var largestSize: Int {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #else
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}

/// Resident memory of the process and its peak since ``forgetPeak()``, in bytes; nil if the system does not tell.
package func residentNow() -> (bytes: Int, peak: Int)? {
  guard let file = fopen("/proc/self/status", "r") else { return nil }
  defer { fclose(file) }
  var (bytes, peak): (Int?, Int?) = (nil, nil)
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, CInt(line.count), file) != nil {
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split { " \t\n".contains($0) }
    guard words.count > 1 else { continue }
    if words[0] == "VmRSS:" { bytes = Int(words[1]).map { $0 << 10 } }
    if words[0] == "VmHWM:" { peak = Int(words[1]).map { $0 << 10 } }
  }
  guard let bytes, let peak else { return nil }
  return (bytes, peak)
}

/// Resets the peak of ``residentNow()`` to the present resident memory, if the system allows it.
package func forgetPeak() {
  guard let file = fopen("/proc/self/clear_refs", "w") else { return }
  fputs("5", file)
  fclose(file)
}
