#if Server
  import NIOConcurrencyHelpers

  /// A value of one generation that takes long to make. The first request for the value makes it.
  final class OnceMade<Value: Sendable>: Sendable {
    private enum State {
      case none
      /// A thread makes the value; these calls wait for its end.
      case making([@Sendable () -> Void])
      case made(Value)
    }
    private let state = NIOLockedValueBox(State.none)

    var isMade: Bool {
      state.withLockedValue { state in
        if case .made = state { return true }
        return false
      }
    }

    /// Returns the value, made by `make` at the first call.
    ///
    /// - Throws: The error of `make`; ``Unfinished`` while another thread makes the value.
    func made(_ make: () throws -> Value) throws -> Value {
      let known: Value? = try state.withLockedValue { state in
        switch state {
        case .made(let value): return value
        case .making: throw Unfinished(whenMade: whenMade)
        case .none:
          state = .making([])
          return nil
        }
      }
      if let known { return known }
      do {
        let value = try make()
        end(.made(value))
        return value
      } catch {
        // The next request tries again.
        end(.none)
        throw error
      }
    }

    private func end(_ new: State) {
      let waiting = state.withLockedValue { state in
        defer { state = new }
        if case .making(let waiting) = state { return waiting }
        return []
      }
      for call in waiting { call() }
    }

    /// Calls `call` as soon as no thread makes the value.
    @Sendable private func whenMade(_ call: @Sendable @escaping () -> Void) {
      let waits = state.withLockedValue { state in
        guard case .making(let waiting) = state else { return false }
        state = .making(waiting + [call])
        return true
      }
      if !waits { call() }
    }
  }

  /// The error of a request that needs a value while another thread makes the value.
  struct Unfinished: Error {
    /// Calls its argument as soon as no thread makes the value.
    let whenMade: @Sendable (@Sendable @escaping () -> Void) -> Void
  }
#endif
