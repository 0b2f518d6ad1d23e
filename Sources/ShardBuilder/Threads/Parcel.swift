/// A value that threads hand on, for queues and lists, which hold no value without copies.
///
/// A parcel has one owner at a time, and the queues between threads have locks.
final class Parcel<Value: ~Copyable & Sendable>: @unchecked Sendable {
  private var value: Value?

  init(_ value: consuming Value) { self.value = consume value }

  /// Moves the value out of the parcel.
  func take() -> Value {
    guard let value = value.take() else { preconditionFailure("a value is taken once") }
    return value
  }

  /// Moves a value into the empty parcel.
  func put(_ value: consuming Value) { self.value = consume value }
}
