import Synchronization

/// The decompression contexts that no load is using: at most two are kept.
package final class DecompressorPool: @unchecked Sendable {
  // Each holds what it leads to. Not behind a lock, which would be acquired and released for each.
  private let one = Atomic<Unmanaged<Decompressor>?>(nil)
  private let other = Atomic<Unmanaged<Decompressor>?>(nil)

  package init() {}

  deinit { removeAll() }

  /// Returns a context that the caller alone uses until it releases it.
  package func acquire() -> Decompressor { kept() ?? Decompressor() }

  /// Keeps a context for the next load, or frees it.
  package func release(_ context: consuming Decompressor) {
    context.trim()
    let kept = Unmanaged.passRetained(context)
    if one.compareExchange(expected: nil, desired: kept, ordering: .releasing).exchanged { return }
    if other.compareExchange(expected: nil, desired: kept, ordering: .releasing).exchanged { return }
    kept.release()
  }

  func removeAll() { while kept() != nil {} }

  private func kept() -> Decompressor? {
    (one.exchange(nil, ordering: .acquiring) ?? other.exchange(nil, ordering: .acquiring))?.takeRetainedValue()
  }
}
