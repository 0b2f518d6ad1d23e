#if SHARDQ_TSAN || hasFeature(Embedded) || canImport(Darwin)
  import CLibrary

  #if SHARDQ_TSAN
    /// Whether locks are left out, to test that the thread sanitizer reports races.
    private let isLeftOut = unsafe getenv("SHARDQ_PLANTED_RACE") != nil
  #else
    private let isLeftOut = false
  #endif
#else
  import Synchronization
#endif

/// The one lock of the engine, around the state that it guards.
///
/// The thread sanitizer on Linux does not see `Synchronization.Mutex` and reports correct code. So a build for the
/// sanitizer (Scripts/check-threads.sh, which defines SHARDQ_TSAN) uses the system's mutex. So does Embedded Swift,
/// which lacks `Mutex`, and so do Apple's systems, which have `Mutex` only from macOS 15 and iOS 18 on. The script also
/// runs without locks, to test that the sanitizer reports races.
package struct Lock<State: Sendable>: ~Copyable, Sendable {
  #if SHARDQ_TSAN || hasFeature(Embedded) || canImport(Darwin)
    @safe private final class Storage: @unchecked Sendable {
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      var state: State

      init(_ state: State) {
        self.state = state
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
      }

      deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
      }
    }

    private let storage: Storage

    package init(_ state: State) { storage = Storage(state) }

    package borrowing func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      if !isLeftOut { unsafe pthread_mutex_lock(storage.mutex) }
      defer { if !isLeftOut { unsafe pthread_mutex_unlock(storage.mutex) } }
      return try body(&storage.state)
    }
  #else
    private let mutex: Mutex<State>

    package init(_ state: State) { mutex = Mutex(state) }

    @inline(__always)
    package borrowing func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { (state) throws(Failure) -> Result in try body(&state) }
    }
  #endif
}
