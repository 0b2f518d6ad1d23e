#if SHARDQ_TSAN || hasFeature(Embedded) || canImport(Darwin)
  import CLibrary

  #if SHARDQ_TSAN
    /// A race, planted to see whether it is reported: with it no lock is taken at all.
    private let isLeftOut = unsafe getenv("SHARDQ_PLANTED_RACE") != nil
  #else
    private let isLeftOut = false
  #endif
#else
  import Synchronization
#endif

/// The one lock of the engine, around the state that it guards.
///
/// `Synchronization.Mutex` is invisible to the thread sanitizer on Linux (correct code is reported), so a build for
/// that sanitizer (Scripts/check-threads.sh, which defines SHARDQ_TSAN) has the system's mutex in its place. So has
/// Embedded Swift, which lacks the other, and so have Apple's systems: they have the other from macOS 15 and iOS 18 on.
/// That script also has it left out, to see that the sanitizer tells.
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
