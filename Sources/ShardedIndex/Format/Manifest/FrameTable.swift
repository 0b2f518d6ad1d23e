import CLibrary

/// The kept pages and nodes of a manifest, each in a slot that is set once and read without a lock.
@safe final class FrameTable: @unchecked Sendable {
  /// The contents by slot, in memory that the system provides when it is touched; nil is zeros. The last slot has the
  /// content that was kept last, from which ``CachedFrame/Header/kept`` leads to all others.
  private let slots: UnsafeMutableBufferPointer<UInt>

  init(count: Int) {
    guard let memory = unsafe calloc(count + 1, MemoryLayout<UInt>.stride) else { fatalError("out of memory") }
    unsafe slots = .init(start: memory.bindMemory(to: UInt.self, capacity: count + 1), count: count)
  }

  deinit {
    unsafe forEach { unsafe $0.deallocate() }
    unsafe free(slots.baseAddress)
  }

  /// The frame in a slot; nil if the slot is empty.
  @inline(__always) subscript(_ slot: Int) -> CachedFrame? {
    unsafe precondition(slot >= 0 && slot < slots.count, "no such page")
    return unsafe Self.frame(word_load(slots.baseAddress! + slot))
  }

  @inline(__always) private static func frame(_ word: UInt) -> CachedFrame? {
    word == 0 ? nil : unsafe CachedFrame(content: .init(bitPattern: word)!)
  }

  /// Keeps a frame, unless another thread was first, and returns the kept frame.
  func keep(_ frame: CachedFrame, at slot: Int) -> CachedFrame {
    unsafe precondition(slot >= 0 && slot < slots.count, "no such page")
    let word = unsafe UInt(bitPattern: frame.content)
    var other: UInt = 0
    guard unsafe word_compare_exchange(slots.baseAddress! + slot, &other, word) else {
      unsafe frame.deallocate()
      return unsafe Self.frame(other)!
    }
    var before = unsafe word_load(slots.baseAddress! + slots.count)
    repeat {
      unsafe frame.setKept(Self.frame(before)?.content)
    } while unsafe !word_compare_exchange(
      slots.baseAddress! + slots.count, &before, word)
    return unsafe frame
  }

  /// Calls `body` with each kept frame. `body` may free it.
  func forEach(_ body: (CachedFrame) -> Void) {
    var next = unsafe Self.frame(word_load(slots.baseAddress! + slots.count))
    while let frame = unsafe next {
      unsafe next = frame.kept.map { unsafe CachedFrame(content: $0) }
      unsafe body(frame)
    }
  }
}
