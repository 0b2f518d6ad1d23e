/// An object that the first thread sets once, and that all threads read without a lock.
///
/// `AtomicLazyReference` does the same, but the compiler does not specialise it: a read takes 230 instructions.
@safe struct OnceReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  private let object = unsafe Atomic<Unmanaged<Object>?>(nil)

  @inline(__always) func load() -> Object? { unsafe object.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps `object` if no object was set before, and returns the object that is set now.
  func storeIfNil(_ object: Object) -> Object {
    let mine = unsafe Unmanaged.passRetained(object)
    let (isMine, other) = unsafe self.object.compareExchange(
      expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    if isMine { return object }
    unsafe mine.release()
    return unsafe other!.takeUnretainedValue()
  }

  deinit { unsafe object.load(ordering: .acquiring)?.release() }
}
