import CLibrary

extension Generation {
  /// The rounds after which each read waits.
  private static let roundLimit = 64

  /// Returns what `body` makes, once all bytes that it reads are there.
  ///
  /// A carrier that can gather fetches missing bytes of several places side by side: `body` is called again until
  /// nothing is missing. Where bytes are damaged, and the manifest is still the same, they are fetched anew once.
  ///
  /// - Parameter ahead: Reads more of what `body` is known to read, after `body` stopped at a first place.
  func gathering<Value>(
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
