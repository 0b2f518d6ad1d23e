import CLibrary

/// The identity of a file. It differs from the identity of an earlier file of the same name.
///
/// While a file is open, no other file gets its number. Size and time distinguish a file that gets the number later.
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
  /// The identity of the overlay; nil if there is none.
  let overlay: FileStamp?
}
