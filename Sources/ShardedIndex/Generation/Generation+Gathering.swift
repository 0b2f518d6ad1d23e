import CLibrary

extension Generation {
  /// The number of rounds, after which each read waits.
  private static let roundLimit = 64

  /// Returns the result of `body`, once all bytes that it reads have arrived.
  ///
  /// A carrier that can gather fetches missing bytes of several places side by side. `body` runs again until no bytes
  /// are missing. If bytes are damaged and the manifest is the same, they are fetched again once.
  ///
  /// - Parameter ahead: Asks for more bytes that `body` will certainly read, after `body` stopped at a first place.
  package func gathering<Value>(
    ahead: () -> Void = {}, _ body: () throws(IndexError) -> Value
  ) throws(IndexError) -> Value {
    guard let carried = directory.carried, carried.gathers, ReadingTerms.mayWait else { return try body() }
    defer { carried.gather(Int(CARRIER_WAITS)) }
    carried.gather(Int(CARRIER_GATHERS))
    var isAnew = false
    for _ in 0..<Self.roundLimit {
      do throws(IndexError) {
        return try body()
      } catch {
        switch error {
        case .io(_, _, EAGAIN):
          ahead()
          carried.gather(Int(CARRIER_AWAITS))
        case .corrupt:
          if isSuperseded { throw .superseded(path: directory.path) }
          if isAnew { throw error }
          isAnew = true
          manifest.archive?.removePlaces()
          carried.gather(Int(CARRIER_GATHERS_ANEW))
        case .vanished:
          throw isSuperseded ? .superseded(path: directory.path) : error
        default: throw error
        }
      }
    }
    carried.gather(Int(CARRIER_WAITS))
    return try body()
  }
}
