import CLibrary

/// An open file of a shard. It closes when no load reads from it and the table no longer keeps it.
final class OpenFile: Sendable {
  let file: IndexFile
  fileprivate let shard: Int

  /// Takes over the file of a shard.
  init(_ file: consuming IndexFile, of shard: Int) {
    self.file = file
    self.shard = shard
  }
}

/// The shard files of one generation that stay open for the next read. Opening, examining and closing a file take a
/// fifth of the time of a load.
///
/// Files whose numbers have the same remainder share a slot: the slot keeps the last file that was read.
final class OpenFiles: Sendable {
  private let directory: IndexDirectory
  /// The most files that stay open; nil for ``defaultLimit``.
  let limit: Int?
  /// The files by slot; empty until a file is kept.
  private let slots = Lock<[OpenFile?]>([])

  init(in directory: IndexDirectory, limit: Int?) {
    self.directory = directory
    self.limit = limit
  }

  /// 128 files, or an eighth of the files that the process may have open if that is less.
  private static var defaultLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard unsafe getrlimit(resource, &limit) == 0 else { return 0 }
    return Int(min(128, limit.rlim_cur / 8))
  }

  /// Returns a shard's file, if it is open.
  func kept(_ shard: Int) -> OpenFile? {
    slots.withLock { (slots) -> OpenFile? in
      guard !slots.isEmpty, let file = slots[shard % slots.count], file.shard == shard else { return nil }
      return file
    }
  }

  /// Opens a shard's file, and keeps it open if the limit allows.
  func open(_ shard: Int, _ source: Manifest.Source, at place: ArchivePlace?) throws(IndexError) -> OpenFile {
    let file: OpenFile
    do throws(IndexError) {
      file = OpenFile(try directory.file(source.fileName, size: source.file.size, at: place), of: shard)
    } catch {
      guard case .io(_, _, let number) = error, number == EMFILE || number == ENFILE, removeAll() else { throw error }
      file = OpenFile(try directory.file(source.fileName, size: source.file.size, at: place), of: shard)
    }
    // The replaced file is closed after the lock is released.
    let other = slots.withLock { (slots) -> OpenFile? in
      if slots.isEmpty { slots = Array(repeating: nil, count: limit ?? Self.defaultLimit) }
      guard !slots.isEmpty else { return nil }
      let slot = shard % slots.count
      let other = slots[slot]
      slots[slot] = file
      return other
    }
    withExtendedLifetime(other) {}
    return file
  }

  /// Stops keeping a shard's file: a sound file of the same name may replace a damaged one.
  func close(_ shard: Int) {
    // Closed after the lock is released.
    let file = slots.withLock { (slots) -> OpenFile? in
      guard !slots.isEmpty, let file = slots[shard % slots.count], file.shard == shard else { return nil }
      slots[shard % slots.count] = nil
      return file
    }
    withExtendedLifetime(file) {}
  }

  /// Closes all files that no load reads from; returns whether the table kept any.
  @discardableResult
  func removeAll() -> Bool {
    // Closed after the lock is released.
    let taken = slots.withLock { (slots) -> [OpenFile?] in
      defer { slots = [] }
      return slots
    }
    return !taken.isEmpty
  }
}
