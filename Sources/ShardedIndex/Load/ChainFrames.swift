/// The content of a frame of a chain, or of a file that a chain lists.
protocol ChainContent: Sendable {
  /// The bytes that it keeps in memory.
  var size: Int { get }
}

extension RankHead: ChainContent {}
extension RankPage: ChainContent {}
extension SideHead: ChainContent {}

/// The frames of a chain that are in memory: the first one, and those that were read last.
final class ChainFrames<Head: AnyObject & ChainContent, Place: Hashable & Sendable, Content: ChainContent>: Sendable {
  private struct Frames: Sendable {
    var byPlace: [Place: Content] = [:]
    /// The places of the frames in the order in which they were read.
    var order: [Place] = []
    var size = 0
  }

  let head = OnceReference<Head>()
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

  /// Lets go of all but the first frame.
  func removeFrames() { frames.withLock { (frames) -> Void in frames = Frames() } }
}

/// The ranks, whose frames are pages.
typealias RankFrames = ChainFrames<RankHead, Int, RankPage>
/// The sides, with the frames of side files.
typealias SideFrames = ChainFrames<SideHead, SidePlace, SideContent>

/// The content of a frame of the sides.
enum SideContent: ChainContent {
  case group(SideGroup)
  case table(ValueTable)
  case parts(ValueParts)
  case sketch(SketchForest)

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
enum SidePlace: Hashable, Sendable {
  case group(Int)
  case page(Int, SideFrameName)
}

extension IndexFile {
  /// Reads a frame of a chain, or of a file that a chain lists, and checks it.
  ///
  /// - Parameters:
  ///   - range: The bytes of the frame; of the first one of a chain, as many as it may have.
  ///   - chain: The chain whose first frame it is; nil for another.
  ///   - checksum: The checksum that the frame has to have; nil where the chain says it.
  ///   - name: The name of the chain, for messages.
  ///   - parse: Makes the content of the frame's bytes and its size.
  func frame<Content>(
    _ range: Range<Int>, firstOf chain: Manifest.Chain? = nil, checksum: UInt32? = nil, name: String,
    with contexts: DecompressorPool, parse: ([UInt8], _ size: Int) throws(FormatError) -> Content
  ) throws(IndexError) -> Content {
    let bytes = try read(from: range.lowerBound, size: range.count)
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      let (frame, size) = try Manifest.chainFrame(
        in: bytes[...], firstOf: chain, limit: Manifest.contentLimit, name: name, with: context)
      guard chain != nil || size == range.count else { throw .wrongSize(found: size, expected: range.count) }
      if let checksum, frame.checksum != checksum {
        throw .wrongChecksum(found: frame.checksum, expected: checksum)
      }
      return try parse(frame.content, size)
    } catch {
      throw .corrupt(path: path, cause: error)
    }
  }
}

extension ManifestReader {
  /// Returns the bytes of the file that are a chain; nil for none.
  func range(of chain: Manifest.Chain?) -> Range<Int>? {
    chain.map { chain in
      let start = root.frameSize + root.pagesEnd + chain.start
      return start..<start + chain.size
    }
  }

  /// Returns the bytes of the file that are a later frame of a chain.
  ///
  /// - Parameter range: Where the frame is, in bytes from the end of the first one.
  func range(of range: Range<Int>, behind headSize: Int, of chain: Manifest.Chain?) -> Range<Int> {
    let start = (self.range(of: chain)?.lowerBound ?? 0) + headSize
    return start + range.lowerBound..<start + range.upperBound
  }

  /// Reads the first frame of a chain that the index must have.
  func head<Head>(
    of chain: Manifest.Chain?, name: String,
    parse: ([UInt8], _ size: Int, _ chain: Manifest.Chain) throws(FormatError) -> Head
  ) throws(IndexError) -> Head {
    guard let chain, let range = range(of: chain) else {
      throw .corrupt(path: file.path, cause: .invalid(reason: "has no \(name)", offset: 0))
    }
    let most = min(chain.size, ZstdFrame.sizeLimit(content: chain.contentSize), file.size - range.lowerBound)
    return try file.frame(
      range.lowerBound..<range.lowerBound + max(0, most), firstOf: chain, name: name, with: contexts
    ) { (content, size) throws(FormatError) in try parse(content, size, chain) }
  }
}
