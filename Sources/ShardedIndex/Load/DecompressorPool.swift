/// The unused decompression contexts, at most two.
@safe package final class DecompressorPool: @unchecked Sendable {
  // Each word owns its context. There is no lock, which every load would acquire and release twice.
  private let one = unsafe Atomic<Unmanaged<Decompressor>?>(nil)
  private let other = unsafe Atomic<Unmanaged<Decompressor>?>(nil)

  package init() {}

  deinit { removeAll() }

  /// Returns a context for the caller alone, until the caller releases it.
  package func acquire() -> Decompressor { kept() ?? Decompressor() }

  /// Keeps a context for the next load, or frees it.
  package func release(_ context: consuming Decompressor) {
    context.trim()
    let kept = unsafe Unmanaged.passRetained(context)
    if unsafe one.compareExchange(expected: nil, desired: kept, ordering: .releasing).exchanged { return }
    if unsafe other.compareExchange(expected: nil, desired: kept, ordering: .releasing).exchanged { return }
    unsafe kept.release()
  }

  func removeAll() { while kept() != nil {} }

  private func kept() -> Decompressor? {
    unsafe (one.exchange(nil, ordering: .acquiring) ?? other.exchange(nil, ordering: .acquiring))?.takeRetainedValue()
  }
}
