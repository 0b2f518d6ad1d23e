import CLibrary

/// The fields of a part. They are set at most once, and read without a lock.
///
/// The holder of this value owns the memory of the fields.
@safe struct OnceColumns: ~Copyable, @unchecked Sendable {
  private let start: Atomic<UnsafeRawPointer?>

  init(_ columns: FieldColumns?) { unsafe start = Atomic(columns?.start) }

  @inline(__always) func load() -> FieldColumns? {
    guard let start = unsafe start.load(ordering: .acquiring) else { return nil }
    return unsafe FieldColumns(at: start)
  }

  func store(_ columns: FieldColumns) { unsafe start.store(columns.start, ordering: .releasing) }

  /// Prefetches the head of the fields, if they are set.
  @inline(__always) func prefetch() {
    guard let start = unsafe start.load(ordering: .acquiring) else { return }
    unsafe CShims.prefetch(start)
    unsafe CShims.prefetch(start + 64)
  }
}
