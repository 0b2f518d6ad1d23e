import CLibrary

/// The identity of a file: it differs from that of the file that stood under its name before.
///
/// As long as a file is open no other gets its number; size and time tell of one that got it later.
struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }

  /// The identity of a carrier's file: its number.
  init(ofFile number: CInt) { (device, self.number, size, seconds, nanoseconds) = (0, UInt64(number), 0, 0, 0) }
}

/// The identity of the files of a generation.
struct GenerationStamp: Equatable, Sendable {
  let manifest: FileStamp
  /// The overlay's; nil if there is none.
  let overlay: FileStamp?
}
