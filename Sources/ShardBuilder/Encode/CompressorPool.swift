import ShardedIndex

/// The compression contexts that no thread uses at the moment.
final class CompressorPool: Sendable {
  private let idle = Lock<[Compressor]>([])

  func acquire() -> Compressor { idle.withLock { $0.popLast() } ?? Compressor() }
  func release(_ compressor: Compressor) { idle.withLock { $0.append(compressor) } }

  func with<Value>(_ body: (Compressor) -> Value) -> Value {
    let compressor = acquire()
    defer { release(compressor) }
    return body(compressor)
  }
}
