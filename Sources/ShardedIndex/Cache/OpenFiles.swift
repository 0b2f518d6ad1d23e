import CSystem

/// A shard's file that is open, and closed when nobody reads from it and nobody keeps it any more.
final class OpenFile: @unchecked Sendable {
  // Sendable because nothing of it changes: reads name their place themselves.
  let file: IndexFile
  fileprivate let shard: Int
  // The file's name for messages, which has to live as long as it.
  private let name: UnsafeMutablePointer<CChar>

  fileprivate init(
    _ shard: Int, _ source: Manifest.Source, in directory: IndexDirectory
  ) throws(IndexError) {
    let name = source.withFileName { strdup($0)! }
    self.name = name
    self.shard = shard
    do throws(IndexError) {
      file = try directory.file(name, size: source.file.size)
    } catch {
      free(name)
      throw error
    }
  }

  deinit { free(name) }
}

/// The shard files of one generation that stay open for the next part that is read of them: opening a file, looking at it and closing
/// it take a fifth of the time of a load.
///
/// A file has one place, which it shares with those whose numbers leave the same remainder: the last one read is kept.
final class OpenFiles: Sendable {
  private struct Places: @unchecked Sendable {
    /// nil until a file is kept.
    var start: UnsafeMutablePointer<OpenFile?>? = nil
    var count = 0
  }

  private let directory: IndexDirectory
  /// Files, at most; nil for what ``defaultLimit`` says.
  private let limit: Int?
  private let places = Lock(Places())

  init(in directory: IndexDirectory, limit: Int?) {
    self.directory = directory
    self.limit = limit
  }

  deinit { removeAll() }

  /// 128 files, or an eighth of those that the process may have open.
  private static var defaultLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    return Int(min(128, limit.rlim_cur / 8))
  }

  /// A shard's file, if it is open.
  func kept(_ shard: Int) -> OpenFile? {
    places.withLock { (places) -> OpenFile? in
      guard let start = places.start, let file = start[shard % places.count], file.shard == shard else { return nil }
      return file
    }
  }

  /// Opens a shard's file, and keeps it open if that is allowed.
  func open(_ shard: Int, _ source: Manifest.Source) throws(IndexError) -> OpenFile {
    let file: OpenFile
    do throws(IndexError) {
      file = try OpenFile(shard, source, in: directory)
    } catch {
      guard case .io(_, _, let number) = error, number == EMFILE || number == ENFILE, removeAll() else { throw error }
      file = try OpenFile(shard, source, in: directory)
    }
    // What made room is closed behind the lock.
    let other = places.withLock { (places) -> OpenFile? in
      if places.start == nil {
        places.count = limit ?? Self.defaultLimit
        guard places.count > 0 else { return nil }
        let start = UnsafeMutablePointer<OpenFile?>.allocate(capacity: places.count)
        start.initialize(repeating: nil, count: places.count)
        places.start = start
      }
      let place = places.start! + shard % places.count
      let other = place.pointee
      place.pointee = file
      return other
    }
    withExtendedLifetime(other) {}
    return file
  }

  /// Keeps a shard's file no longer: one that was damaged may be replaced by a sound one of the same name.
  func close(_ shard: Int) {
    // Closed behind the lock.
    let file = places.withLock { (places) -> OpenFile? in
      guard let start = places.start, let file = start[shard % places.count], file.shard == shard else { return nil }
      start[shard % places.count] = nil
      return file
    }
    withExtendedLifetime(file) {}
  }

  /// Closes all that nobody reads from; returns whether any were kept.
  @discardableResult
  func removeAll() -> Bool {
    // Closed behind the lock.
    let taken = places.withLock { (places) -> Places in
      defer { places = Places() }
      return places
    }
    guard let start = taken.start else { return false }
    for place in 0..<taken.count { start[place] = nil }
    start.deallocate()
    return true
  }
}
