/// The frames of a chain in memory: the first frame, and the frames that were read last.
final class ChainFrames<Head: AnyObject & ChainContent, Location: Hashable & Sendable, Content: ChainContent>: Sendable
{
  private struct Frames: Sendable {
    var byPlace: [Location: Content] = [:]
    /// The places of the frames, in the order of reading.
    var order: [Location] = []
    var size = 0
  }

  let head = OnceReference<Head>()
  private let frames = Lock(Frames())
  private let limitBytes: Int

  /// - Parameter limitBytes: The most bytes of frames in memory, unless one frame alone is larger.
  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// The number of bytes in memory.
  var residentSize: Int { (head.load()?.size ?? 0) + frames.withLock { $0.size } }

  /// Returns the content of a frame if it is in memory.
  subscript(place: Location) -> Content? { frames.withLock { $0.byPlace[place] } }

  /// Keeps the content of a frame, and frees the frames that were read first if there are too many.
  func keep(_ content: Content, of place: Location) {
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

  /// Frees all frames but the first.
  func removeFrames() { frames.withLock { (frames) -> Void in frames = Frames() } }
}

/// The ranks or the numbers, whose frames are pages.
typealias MaximaFrames = ChainFrames<MaximaHead, Int, MaximaPage>
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
  /// Reads a frame in a chain, or in a file that a chain lists, and checks it.
  ///
  /// - Parameters:
  ///   - range: The range of the frame; for the first frame of a chain, the longest possible range.
  ///   - chain: The chain, if the frame is its first; nil for another frame.
  ///   - checksum: The checksum that the frame must have; nil if the chain has it.
  ///   - name: The name of the chain, for messages.
  ///   - parse: Makes the content from the frame's bytes and its size.
  func frame<Content>(
    _ range: Range<Int>, firstOf chain: Manifest.Chain? = nil, checksum: UInt32? = nil, name: String,
    with contexts: DecompressorPool, parse: ([UInt8], _ size: Int) throws(FormatError) -> Content
  ) throws(IndexError) -> Content {
    guard range.count <= ZstdFrame.sizeLimit(content: Manifest.contentLimit) else {
      throw .corrupt(path: path, cause: .invalid(reason: "has \(name) in too large a frame", offset: 0))
    }
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
  /// Returns the range of a chain in the file; nil for no chain.
  func range(of chain: Manifest.Chain?) -> Range<Int>? {
    chain.map { chain in
      let start = root.frameSize + root.pagesEnd + chain.start
      return start..<start + chain.size
    }
  }

  /// Returns the range in the file of a later frame of a chain.
  ///
  /// - Parameter range: The range of the frame, in bytes from the end of the first frame.
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
