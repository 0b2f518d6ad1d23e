/// An object that is set once, by the first thread that has one, and is read without a lock from then on.
///
/// `AtomicLazyReference` does the same; it is not specialised when compiled, and takes 230 instructions to read.
@safe struct OnceReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  private let object = unsafe Atomic<Unmanaged<Object>?>(nil)

  @inline(__always) func load() -> Object? { unsafe object.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps `object` if none was set before, and returns the one that is set now.
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
