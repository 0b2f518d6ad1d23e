import CLibrary
import ShardedIndex

extension Verifier {
  /// Checks every page of the manifest, the build's notes, the density grid and the field names, and reads the ranks
  /// and the side files.
  ///
  /// - Returns: Whether every page is sound.
  mutating func checkManifest() -> Bool {
    summary.bytes += index.generation.manifest.fileSize
    let isWhole = readShards()
    checkManifest("notes") { (generation) throws(IndexError) in
      guard let frames = try generation.notes() else { return nil }
      do throws(FormatError) {
        _ = try BuildNotes(frames, shardCount: generation.shardCount)
        return nil
      } catch {
        return error
      }
    }
    checkManifest("density grid") { (generation) throws(IndexError) in
      _ = try generation.densityGrid()
      return nil
    }
    var ranks: RankCheck?
    checkManifest("ranks") { (generation) throws(IndexError) in
      ranks = try RankCheck(of: generation)
      return nil
    }
    self.ranks = ranks
    var numbers: NumberCheck?
    checkManifest("numbers") { (generation) throws(IndexError) in
      numbers = try NumberCheck(of: generation)
      return nil
    }
    self.numbers = numbers
    reportUnreadNumbers()
    var sides: SideCheck?
    let index = index
    checkManifest("sides") { (_) throws(IndexError) in
      sides = try SideCheck(of: index)
      return nil
    }
    self.sides = sides
    checkSideFiles()
    // At every opening this check would cost time; a name that occurs twice makes no query wrong.
    var names: Set<[UInt8]> = []  // Bytes: two different names may be equal strings.
    for name in index.generation.manifest.fieldNames where !names.insert(Array(name.utf8)).inserted {
      damage(manifestName, "names the field \(name) twice")
      break
    }
    return isWhole
  }

  /// Reads the manifest's data on each shard, and names damaged pages.
  ///
  /// - Returns: Whether all pages could be read.
  private mutating func readShards() -> Bool {
    let generation = index.generation.manifest
    var isWhole = true
    var number = 0
    while number < generation.shardCount {
      do throws(IndexError) {
        shards.append(try generation.shard(number))
        number += 1
      } catch {
        isWhole = false
        let page = number / Manifest.pageCapacity
        switch error {
        case .corrupt(_, let cause): damage(manifestName, "page \(page) \(cause)")
        default: unread(manifestName, error)
        }
        number = (page + 1) * Manifest.pageCapacity
      }
    }
    return isWhole
  }

  /// Reads a section of the manifest with `body`, which returns the section's fault.
  private mutating func checkManifest(
    _ section: String, _ body: (ManifestReader) throws(IndexError) -> FormatError?
  ) {
    do throws(IndexError) {
      if let error = try body(index.generation.manifest) { damage(manifestName, "\(error), in its \(section)") }
    } catch {
      switch error {
      case .corrupt: damage(manifestName, "\(error.description), in its \(section)")
      default: unread(manifestName, error)
      }
    }
  }

  /// Names the files of the directory that belong to no index.
  ///
  /// - Parameter entries: The check of the index's entries; nil if the index has none.
  func checkDirectory(_ entries: Verifier?) {
    guard let directory = unsafe opendir(index.path) else { return }
    defer { unsafe closedir(directory) }
    // An archive has a file of places, which other programs unpack with the other files.
    var known: Set<String> = [
      ".", "..", Publisher.manifestName, Publisher.lockName, "README.md", archivePlacesName,
    ]
    for shard in shards { known.insert(shard.fileName) }
    for side in (try? index.generation.manifest.sidePages()) ?? [] { known.insert(side.fileName.text) }
    if let entries {
      known.insert(entries.manifestName)
      for shard in entries.shards { known.insert(shard.fileName) }
      for side in (try? entries.index.generation.manifest.sidePages()) ?? [] { known.insert(side.fileName.text) }
    }
    if index.generation.overlay != nil { known.insert(Overlay.fileName) }
    var strays: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          unsafe String(cString: $0)
        }
      }
      if !known.contains(name) { strays.append(name) }
    }
    for name in strays.sorted() {
      let isShard = unsafe Publisher.isShardName(name) && OwnFile.isOurs(name, in: dirfd(directory))
      report(.stray(file: path(name), isShard: isShard))
    }
  }
}
