extension ManifestReader {
  /// The largest size and content of a later frame of the notes, in bytes.
  private static let notesFrameLimit = 2048

  /// Returns the builder's notes for the next build, frame by frame; nil if there are none. Each call reads the file.
  package func notes() throws(IndexError) -> [Manifest.ChainFrame]? {
    guard let notes = root.chains.notes else { return nil }
    return try frames(of: notes, limit: Self.notesFrameLimit, name: "notes")
  }

  /// Returns the first frame of the notes; nil if there are none.
  package func notesHead() throws(IndexError) -> [UInt8]? {
    guard let notes = root.chains.notes else { return nil }
    return try frames(of: notes, limit: Self.notesFrameLimit, name: "notes", most: 1).first?.content
  }

  /// Returns the density grid; nil if the index has none. Each call reads the file.
  package func densityGrid() throws(IndexError) -> DensityGrid? {
    try grid { (frames) throws(FormatError) in try DensityGrid(frames) }
  }

  /// Returns the density grid with an overlay's changes.
  package func densityGrid(with overlay: Overlay?) throws(IndexError) -> DensityGrid? {
    var map = try densityGrid()
    guard let overlay, !overlay.cells.isEmpty else { return map }
    if map == nil { map = DensityGrid() }
    map?.add(overlay)
    return map
  }

  /// Returns the bands of the density grid in their stored form; nil if the index has none.
  package func densityBands() throws(IndexError) -> DensityBands? {
    try grid { (frames) throws(FormatError) in try DensityBands(frames) }
  }

  /// Returns the bands with some changed counts; nil is a grid without records.
  package func densityBands(_ bands: DensityBands?, changedBy changes: CellChanges) throws(IndexError) -> DensityBands {
    var bands = bands ?? DensityBands()
    do throws(FormatError) { try bands.change(changes) } catch { throw .corrupt(path: file.path, cause: error) }
    return bands
  }

  private func grid<Map>(
    _ read: ([Manifest.ChainFrame]) throws(FormatError) -> Map
  ) throws(IndexError) -> Map? {
    guard let chain = root.chains.densityGrid else { return nil }
    let frames = try frames(of: chain, limit: DensityGrid.frameLimit, name: "density grid")
    do throws(FormatError) { return try read(frames) } catch { throw .corrupt(path: file.path, cause: error) }
  }

  /// The size of one read of consecutive frames, in bytes.
  private static let windowSize = 64 << 10

  /// Reads consecutive frames.
  ///
  /// - Parameters:
  ///   - limit: The largest size and content of a frame but the first, in bytes.
  ///   - count: The most frames to read.
  private func frames(
    of chain: Manifest.Chain, limit: Int, name: String, most count: Int = .max
  ) throws(IndexError) -> [Manifest.ChainFrame] {
    var frames: [Manifest.ChainFrame] = []
    guard let range = range(of: chain) else { return [] }
    var start = range.lowerBound
    let end = range.upperBound
    // The bytes of the file from `windowStart` on, for many small frames.
    var window: [UInt8] = []
    var windowStart = start
    let context = contexts.acquire()
    defer { contexts.release(context) }
    while frames.count < count, start < end || frames.isEmpty {
      let isFirst = frames.isEmpty
      let most = min(end - start, isFirst ? ZstdFrame.sizeLimit(content: chain.contentSize) : limit)
      if windowStart + window.count - start < most || isFirst {
        window = try file.read(from: start, size: min(end - start, max(most, Self.windowSize)))
        windowStart = start
      }
      do throws(FormatError) {
        let (frame, size) = try Manifest.chainFrame(
          in: window[(start - windowStart)...].prefix(most), firstOf: isFirst ? chain : nil, limit: limit, name: name,
          with: context)
        frames.append(frame)
        start += size
      } catch {
        throw .corrupt(path: file.path, cause: error)
      }
    }
    return frames
  }
}
