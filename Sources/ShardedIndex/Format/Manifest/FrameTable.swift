import CLibrary
import Synchronization

/// The pages and nodes of a manifest that are kept: a slot for each, which is set once and read without a lock from
/// then on.
@safe final class FrameTable: @unchecked Sendable {
  /// The contents by slot, in memory that the system hands out when it is touched; nil is zeros.
  private let slots: UnsafeMutableBufferPointer<Atomic<UnsafeMutableRawPointer?>>
  /// The content that was kept last, from which ``CachedFrame/Header/kept`` leads to all others.
  private let last = unsafe Atomic<UnsafeMutableRawPointer?>(nil)

  init(count: Int) {
    typealias Slot = Atomic<UnsafeMutableRawPointer?>
    guard let memory = unsafe calloc(max(1, count), MemoryLayout<Slot>.stride) else { fatalError("out of memory") }
    unsafe slots = .init(start: memory.bindMemory(to: Slot.self, capacity: count), count: count)
  }

  deinit {
    unsafe forEach { unsafe $0.deallocate() }
    unsafe free(slots.baseAddress)
  }

  /// The frame in a slot; nil if none is kept there yet.
  @inline(__always) subscript(_ slot: Int) -> CachedFrame? {
    unsafe precondition(slot >= 0 && slot < slots.count, "no such page")
    return unsafe slots.baseAddress![slot].load(ordering: .acquiring).map(CachedFrame.init)
  }

  /// Keeps a frame, unless another thread was first; returns the one that is kept.
  func keep(_ frame: CachedFrame, at slot: Int) -> CachedFrame {
    unsafe precondition(slot >= 0 && slot < slots.count, "no such page")
    let (isMine, other) = unsafe slots.baseAddress![slot].compareExchange(
      expected: nil, desired: frame.content, ordering: .acquiringAndReleasing)
    guard isMine else {
      unsafe frame.deallocate()
      return unsafe CachedFrame(content: other!)
    }
    var isListed = false
    var last = unsafe self.last.load(ordering: .relaxed)
    while !isListed {
      unsafe frame.setKept(last)
      unsafe (isListed, last) = self.last.compareExchange(
        expected: last, desired: frame.content, ordering: .acquiringAndReleasing)
    }
    return unsafe frame
  }

  /// Calls `body` with each frame that is kept. `body` may free it.
  func forEach(_ body: (CachedFrame) -> Void) {
    var content = unsafe last.load(ordering: .acquiring)
    while let frame = unsafe content.map(CachedFrame.init) {
      unsafe content = frame.kept
      unsafe body(frame)
    }
  }
}
