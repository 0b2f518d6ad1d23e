/// The frames of a manifest's sides and of its side files that are in memory: the first one, and those that were read
/// last.
final class SideFrames: Sendable {
  /// The content of a frame.
  enum Content: Sendable {
    case group(SideGroup)
    case table(ValueTable)
    case parts(ValueParts)
    case sketch(SketchForest)

    /// The bytes that it keeps in memory.
    var size: Int {
      switch self {
      case .group(let group): group.size
      case .table(let table): table.size
      case .parts(let parts): parts.size
      case .sketch(let forest): forest.size
      }
    }
  }

  /// The place of a frame: in the chain of sides, or in the side file of a page.
  enum Place: Hashable, Sendable {
    case group(Int)
    case page(Int, SideFrameName)
  }

  private struct Frames: Sendable {
    var byPlace: [Place: Content] = [:]
    /// The places of the frames in the order in which they were read.
    var order: [Place] = []
    var size = 0
  }

  let head = OnceReference<SideHead>()
  private let frames = Lock(Frames())
  private let limitBytes: Int

  /// - Parameter limitBytes: The most bytes of frames that are kept, unless one frame alone is larger.
  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// The bytes that are in memory.
  var residentSize: Int { (head.load()?.size ?? 0) + frames.withLock { $0.size } }

  /// Returns the content of a frame if it is in memory.
  subscript(place: Place) -> Content? { frames.withLock { $0.byPlace[place] } }

  /// Keeps the content of a frame, and lets go of those that were read first where there are too many.
  func keep(_ content: Content, of place: Place) {
    frames.withLock { (frames) -> Void in
      guard frames.byPlace[place] == nil else { return }
      frames.size += content.size
      frames.byPlace[place] = content
      frames.order.append(place)
      while frames.size > limitBytes, frames.order.count > 1 {
        if let first = frames.byPlace.removeValue(forKey: frames.order.removeFirst()) { frames.size -= first.size }
      }
    }
  }

  func removeFrames() { frames.withLock { (frames) -> Void in frames = Frames() } }
}
