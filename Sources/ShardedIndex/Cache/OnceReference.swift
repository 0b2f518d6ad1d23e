import Synchronization

/// An object that is set once, by the first thread that has one, and is read without a lock from then on.
///
/// `AtomicLazyReference` does the same; it is not specialised when compiled, and takes 230 instructions to read.
struct OnceReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  private let object = Atomic<Unmanaged<Object>?>(nil)

  @inline(__always) func load() -> Object? { object.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps `object` if nothing was set before; returns what is set now.
  func storeIfNil(_ object: Object) -> Object {
    let mine = Unmanaged.passRetained(object)
    let (isMine, other) = self.object.compareExchange(
      expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    if isMine { return object }
    mine.release()
    return other!.takeUnretainedValue()
  }

  deinit { object.load(ordering: .acquiring)?.release() }
}
