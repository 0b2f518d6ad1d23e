import Synchronization

/// The one lock of the engine: some state, and who holds it.
///
/// `Synchronization.Mutex` is invisible to the thread sanitizer on Linux (correct code is reported); a build for
/// that sanitizer changes this file alone.
package struct Lock<State: Sendable>: ~Copyable, Sendable {
  private let mutex: Mutex<State>

  package init(_ state: State) { mutex = Mutex(state) }

  @inline(__always)
  package borrowing func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { (state) throws(Failure) -> Result in try body(&state) }
  }
}
