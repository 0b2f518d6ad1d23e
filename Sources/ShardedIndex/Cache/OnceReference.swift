import Synchronization

/// An object that is set once, by whoever is first, and can be read without a lock from then on.
///
/// What `AtomicLazyReference` does; that one is not specialised when compiled, and takes 230 instructions to read.
struct OnceReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  private let pointer = Atomic<UnsafeRawPointer?>(nil)

  @inline(__always) func load() -> Object? {
    guard let pointer = pointer.load(ordering: .acquiring) else { return nil }
    return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Keeps `object` if nothing was set before; returns what is set now.
  func storeIfNil(_ object: Object) -> Object {
    let mine = UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
    let (isMine, other) = pointer.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    if isMine { return object }
    Unmanaged<Object>.fromOpaque(mine).release()
    return Unmanaged<Object>.fromOpaque(other!).takeUnretainedValue()
  }

  deinit {
    if let pointer = pointer.load(ordering: .acquiring) { Unmanaged<Object>.fromOpaque(pointer).release() }
  }
}
