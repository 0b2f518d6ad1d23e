import CLibrary

/// One thread. A caller waits for its end with ``join()``, at most once.
package struct Worker {
  private final class Box {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  private let thread: pthread_t

  /// Starts a thread that runs `work`; returns nil if the system cannot start a thread.
  package init?(_ work: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, 2 << 20)  // Musl's own default is 128 KiB.
    let box = unsafe Unmanaged.passRetained(Box(work))
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(
        &thread, &attributes,
        { argument in
          Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
          return nil
        }, box.toOpaque())
    #else
      #if canImport(Musl)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let status = unsafe pthread_create(
        &thread, &attributes,
        { argument in
          unsafe Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().work()
          return nil
        }, unsafe box.toOpaque())
    #endif
    guard status == 0 else {
      unsafe box.release()
      return nil
    }
    #if canImport(Glibc)
      self.thread = thread
    #else
      self.thread = thread!
    #endif
  }

  package func join() { pthread_join(thread, nil) }
}
