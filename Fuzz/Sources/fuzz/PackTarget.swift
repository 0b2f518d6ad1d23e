import ShardBuilder
import ShardedIndex

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Applies a pack to an index: the pack leads to the generation that its header names, or changes nothing.
///
/// Input: a byte of flags, then the pack behind its header, whose digests and sizes the target makes right. With the
/// first flag the new manifest is the result of the pieces, whatever they are; with the second the input also has the
/// header.
final class PackTarget: FuzzTarget {
  private let old = PackTarget.index(changed: false)
  private let new = PackTarget.index(changed: true)
  private let files: Set<String>

  init() { files = Self.files(of: old.directory) }

  private struct Index {
    let directory: String
    let manifest: [UInt8]
  }

  private static func index(changed: Bool) -> Index {
    let directory = RawFile.scratchDirectory()
    var lines = SeedRecords.lines(60).split(separator: "\n").map(String.init)
    if changed {
      lines[7] = #"{"name":"San Jose","country":"CR"}"#
      lines.remove(at: 30)
    }
    RawFile.write(Array(lines.joined(separator: "\n").utf8), to: directory + "/records.jsonl")
    var options = BuildOptions()
    (options.key, options.shardLimitBytes, options.jobs) = (SeedRecords.key, 1000, 1)
    options.replacesOtherIndex = true  // The directory also has the records.
    guard (try? ShardBuilder.build([directory + "/records.jsonl"], into: directory, options: options)) != nil
    else { fail("the index of the seeds") }
    return Index(directory: directory, manifest: RawFile.read(directory + "/manifest"))
  }

  static func files(of directory: String) -> Set<String> {
    var names: Set<String> = []
    guard let stream = opendir(directory) else { fail("no scratch directory") }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { _ = names.insert(String(cString: $0)) }
      }
    }
    return names
  }

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let flags = reader.byte()
    var pack = reader.remaining()
    if flags & 2 != 0 {
      guard pack.count >= Pack.PackHeader.size else { return }
      pack.replaceSubrange(96..<128, with: Digest.sha256(Array(pack[..<96])))
    } else {
      let manifest = flags & 1 == 0 ? new.manifest : made(of: pack)
      let header = Pack.PackHeader(
        old: Digest.sha256(old.manifest), new: Digest.sha256(manifest), oldSize: old.manifest.count,
        newSize: manifest.count, shards: flags & 1 == 0 ? Self.shipped : flags >> 2)
      pack = header.bytes + pack
    }
    Scratch.input.set(pack)
    let path = old.directory + "/manifest"
    do throws(PackError) {
      let summary = try ShardBuilder.apply(pack: "-", to: old.directory)
      let manifest = RawFile.read(path)
      require(summary.digest == Digest.hexadecimal(Digest.sha256(manifest)), "the digest of the new manifest")
      guard !summary.wasThere else { return }
      require(Digest.sha256(manifest) == Array(pack[40..<72]), "another generation than the header names")
      // An invented manifest may describe a shard that cannot exist.
      if manifest == new.manifest {
        let sound = (try? Verifier.verify(index: old.directory) { _ in })?.isSound
        require(sound == true, "a damaged index of a pack that was taken")
      }
      RawFile.write(old.manifest, to: path)
      for name in Self.files(of: old.directory) where !files.contains(name) { unlink(old.directory + "/" + name) }
    } catch {
      require(RawFile.read(path) == old.manifest, "a manifest changed by a pack that was refused")
      require(Self.files(of: old.directory).isSubset(of: files), "a file left of a pack that was refused")
    }
  }

  /// The result of the pieces at the beginning of a pack, up to the first that is invalid.
  private func made(of pack: [UInt8]) -> [UInt8] {
    var (made, offset) = ([UInt8](), 4)
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(pack[offset + $1]) << (8 * $1) }
    }
    guard pack.count >= 4 else { return [] }
    for _ in 0..<min(64, number(0, 4)) {
      guard offset + Pack.Segment.size <= pack.count else { break }
      let (start, copied, literal) = (number(offset + 4, 8), number(offset + 12, 8), number(offset + 20, 8))
      offset += Pack.Segment.size
      guard start >= 0, start <= old.manifest.count, copied >= 0, copied <= old.manifest.count - start,
        literal >= 0, literal <= pack.count - offset
      else { break }
      made += old.manifest[start..<start + copied] + pack[offset..<offset + literal]
      offset += literal
    }
    return made
  }

  /// The pack that leads from the old index to the new index.
  private static let pack: [UInt8] = {
    let (old, new) = (index(changed: false), index(changed: true))
    let path = new.directory + "/pack"
    guard (try? ShardBuilder.diff(old: old.directory, new: new.directory, to: path)) != nil else { fail("a pack") }
    return RawFile.read(path)
  }()
  private static let shipped = (try? Pack.PackHeader(Array(pack[..<Pack.PackHeader.size]), of: "-"))?.shards ?? 0

  static var seeds: [(name: String, bytes: [UInt8])] {
    let body = Array(pack[Pack.PackHeader.size...])
    let shards = UInt8(shipped)
    return [
      ("right", [0] + body), ("made", [1 | shards << 2] + body), ("header", [2] + pack),
      ("cut", [0] + body.dropLast(20)), ("more", [0] + body + [1]), ("nothing", [1]),
    ]
  }
}
