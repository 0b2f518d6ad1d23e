import ShardedIndex

/// The counts of a pack.
public struct PackSummary: Sendable, Equatable {
  /// The size of the pack, in bytes.
  public var bytes = 0
  /// The number of shards in the pack, whole or as differences.
  public var shardsShipped = 0
  /// The number of shards of the new generation.
  public var shardCount = 0
  /// The SHA-256 of the old and of the new manifest, in hexadecimal digits.
  public var oldDigest = ""
  public var newDigest = ""
}

extension ShardBuilder {
  /// Writes a pack, from which ``apply(pack:to:)`` makes the index in `new` out of a copy of the index in `old`.
  ///
  /// The function reads the shards that only one index has, and holds a handful of them in memory. The file of the pack
  /// appears only once it is whole.
  ///
  /// - Parameters:
  ///   - pack: The path of the pack; `-` is standard output.
  ///   - progress: Called for each file that the pack holds, on the caller's thread.
  /// - Throws: ``PackError``
  @discardableResult
  public static func diff(
    old: String, new: String, to pack: String, progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> PackSummary {
    let (old, new) = (try Pack.CheckedIndex(opening: old), try Pack.CheckedIndex(opening: new))
    // The facts about shards lie in the manifests.
    defer { withExtendedLifetime((old.index, new.index)) {} }
    func refuse(_ reason: String) -> PackError { .unshippable(path: new.index.path, reason: "\(reason)") }
    var sets = [(old: Optional(old), new: new, numbers: try Pack.shipped(from: old.files, to: new.files, refuse))]
    for entries in new.entries {
      let before = old.entries.first
      sets.append((before, entries, try Pack.shipped(from: before?.files ?? [], to: entries.files, refuse)))
    }
    let shipped = sets.reduce(0) { $0 + $1.numbers.count }
    let shippedShards = sets.reduce(0) { sum, set in sum + set.numbers.count { set.new.files[$0].isShard } }
    let output = try Pack.PackOutput(pack, .pack)
    let header = Pack.PackHeader(
      old: old.digest, new: new.digest, oldSize: old.manifest.count, newSize: new.manifest.count, shards: shipped)
    try output.write(header.bytes)
    var done = 0
    for set in sets where set.old?.digest != set.new.digest || set.new.digest == new.digest {
      try write(set.numbers, from: set.old, to: set.new, output) {
        done += 1
        progress?(FileProgress(phase: .packing, done: done, total: shipped))
      }
    }
    try output.finish()
    return PackSummary(
      bytes: output.count, shardsShipped: shippedShards, shardCount: sets.reduce(0) { $0 + $1.new.shards.count },
      oldDigest: Digest.hexadecimal(old.digest), newDigest: Digest.hexadecimal(new.digest))
  }
}

extension ShardBuilder {
  /// Writes a manifest and the new shards.
  ///
  /// - Parameters:
  ///   - numbers: The shards' numbers.
  ///   - old: The old generation; nil if there is none to copy from.
  ///   - step: Called after each shard.
  private static func write(
    _ numbers: [Int], from old: Pack.CheckedIndex?, to new: Pack.CheckedIndex, _ output: Pack.PackOutput,
    step: () -> Void
  ) throws(PackError) {
    var recipe = Recipe(new.manifest)
    // The frame of a page depends on its own shards alone: so the old manifest has the frames of unchanged pages.
    if let old { recipe.add(ZstdFrame.frames(of: old.manifest), of: old.manifest, source: 0) }
    try recipe.write(to: output)
    let names = Set(new.files.map(\.name.text))
    var sources = old.map { Sources($0, known: names) }
    for number in numbers {
      let file = new.files[number]
      guard file.size <= Pack.shardLimit else {
        throw .unshippable(
          path: new.index.directory.filePath(file.name.text),
          reason: "has \(file.size) bytes; a shard in a pack has at most \(Pack.shardLimit)")
      }
      var recipe = Recipe(try new.bytes(of: file))
      let near = try file.isShard ? shards(near: number, of: new, &sources) : sides(near: number, of: new, old, names)
      for (number, bytes, frames) in near { recipe.add(frames, of: bytes, source: number + 1) }
      try recipe.write(to: output)
      step()
    }
  }
}

extension ShardBuilder {
  fileprivate typealias SourceFile = (number: Int, bytes: [UInt8], frames: [Range<Int>])

  /// Returns the old shards that may share frames with a new shard.
  private static func shards(
    near number: Int, of new: Pack.CheckedIndex, _ sources: inout Sources?
  ) throws(PackError) -> [SourceFile] {
    let next = unsafe number + 1 < new.shards.count ? new.shards[number + 1].bound : nil
    return try unsafe sources?.near(new.shards[number].bound, before: next) ?? []
  }

  /// Returns the old side files that may share frames with a new side file: those near its place in the list of all.
  private static func sides(
    near number: Int, of new: Pack.CheckedIndex, _ old: Pack.CheckedIndex?, _ known: Set<String>
  ) throws(PackError) -> [SourceFile] {
    guard let old else { return [] }
    let same = old.shards.count + number - new.shards.count
    var sources: [SourceFile] = []
    for number in max(old.shards.count, same - 1)..<max(old.shards.count, min(old.files.count, same + 2))
    where !known.contains(old.files[number].name.text) && old.files[number].size <= Pack.shardLimit {
      let bytes = try old.bytes(of: old.files[number])
      sources.append((number, bytes, ZstdFrame.frames(of: bytes)))
    }
    return sources
  }
}

/// The recipe of a file: copied frames, and bytes in the pack.
private struct Recipe {
  private let bytes: [UInt8]
  private var known: [ArraySlice<UInt8>: (source: Int, offset: Int)] = [:]

  /// The name of a shorter frame has about as many bytes as the frame.
  private static let least = 2 * Pack.Segment.size

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Allows copies of these frames of `other` in the file.
  mutating func add(_ frames: [Range<Int>], of other: [UInt8], source: Int) {
    for frame in frames where frame.count >= Self.least {
      if known[other[frame]] == nil { known[other[frame]] = (source, frame.lowerBound) }
    }
  }

  func write(to output: Pack.PackOutput) throws(PackError) {
    var segments: [Pack.Segment] = []
    var literals: [[Range<Int>]] = []
    // The copies of a manifest ascend, so that they copy each byte at most once.
    var behind = 0
    for frame in ZstdFrame.frames(of: bytes) {
      if let (source, offset) = known[bytes[frame]], source > 0 || offset >= behind {
        if source == 0 { behind = offset + frame.count }
        if let last = segments.last, last.literal == 0, last.source == source, last.offset + last.copied == offset {
          segments[segments.count - 1].copied += frame.count
        } else {
          var segment = Pack.Segment()
          (segment.source, segment.offset, segment.copied) = (source, offset, frame.count)
          segments.append(segment)
          literals.append([])
        }
      } else {
        if segments.isEmpty {
          segments.append(Pack.Segment())
          literals.append([])
        }
        segments[segments.count - 1].literal += frame.count
        literals[literals.count - 1].append(frame)
      }
    }
    var writer = ByteWriter()
    writer.write(UInt32(segments.count))
    try output.write(writer.bytes)
    for (segment, literal) in zip(segments, literals) {
      try output.write(segment.bytes)
      for frame in literal { try output.write(bytes[frame]) }
    }
  }
}

/// The old shards that may share frames with new shards. Both lists are passed in order, so each old shard is read
/// once.
private struct Sources {
  private let old: Pack.CheckedIndex
  /// The shards that stay: a new shard shares no frame with them.
  private let known: Set<String>
  /// The last shard that begins at or below the last searched bound.
  private var low = 0
  private var held: [Int: (bytes: [UInt8], frames: [Range<Int>])] = [:]

  init(_ old: Pack.CheckedIndex, known: Set<String>) {
    self.old = old
    self.known = known
  }

  /// Returns the shards with the keys from `bound` on up to `next`; up to the end if `next` is nil.
  mutating func near(
    _ bound: UnsafeBufferPointer<UInt8>, before next: UnsafeBufferPointer<UInt8>?
  ) throws(PackError) -> [ShardBuilder.SourceFile] {
    let shards = old.shards
    while low + 1 < shards.count, unsafe compareBytes(shards[low + 1].bound, bound) <= 0 { low += 1 }
    var numbers: [Int] = []
    var number = low
    while number < shards.count, numbers.count < Pack.sourceLimit,
      unsafe number == low || next.map({ unsafe compareBytes(shards[number].bound, $0) < 0 }) ?? true
    {
      if !known.contains(shards[number].fileName) { numbers.append(number) }
      number += 1
    }
    for number in held.keys where !numbers.contains(number) { held[number] = nil }
    var found: [ShardBuilder.SourceFile] = []
    for number in numbers where shards[number].file.size <= Pack.shardLimit {
      if held[number] == nil {
        let bytes = try old.bytes(of: old.files[number])
        held[number] = (bytes, ZstdFrame.frames(of: bytes))
      }
      found.append((number, held[number]!.bytes, held[number]!.frames))
    }
    return found
  }
}
