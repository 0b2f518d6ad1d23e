#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files in memory for targets that read files.
enum Scratch {
  nonisolated(unsafe) static let input = StandardInput()
}

/// Standard input as a file in memory: a dataset without a name, which no run has to open.
final class StandardInput {
  init() {
    let path = RawFile.scratchDirectory() + "/input"
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, dup2(file, STDIN_FILENO) == STDIN_FILENO else { fail("no scratch file") }
    if file != STDIN_FILENO { close(file) }
  }

  func set(_ bytes: some Collection<UInt8>) {
    RawFile.store(bytes, in: STDIN_FILENO)
    lseek(STDIN_FILENO, 0, SEEK_SET)
  }
}
