import ShardedIndex

/// What a pack holds.
public struct PackSummary: Sendable, Equatable {
  /// Of the pack, in bytes.
  public var bytes = 0
  /// Shards that the pack holds, whole or by what differs.
  public var shardsShipped = 0
  /// Shards of the new generation.
  public var shardCount = 0
  /// SHA-256 of the manifests that it leads from and to, in hexadecimal.
  public var oldDigest = ""
  public var newDigest = ""
}

extension ShardBuilder {
  /// Writes a pack that ``apply(pack:to:)`` makes the index in `new` of, from a copy of the one in `old`.
  ///
  /// Reads the shards that only one of the two has, and holds a handful of them in memory. The file is there when it is
  /// whole, and not before.
  ///
  /// - Parameter pack: A path; `-` is standard output.
  /// - Throws: ``PackError``
  @discardableResult
  public static func diff(old: String, new: String, to pack: String) throws(PackError) -> PackSummary {
    let (old, new) = (try Pack.Generation(opening: old), try Pack.Generation(opening: new))
    // What is known of shards lies in their manifests.
    defer { withExtendedLifetime((old.index, new.index)) {} }
    let places = try Pack.shipped(from: old.shards, to: new.shards) { reason in
      .unshippable(path: new.index.path, reason: reason)
    }
    let output = try Pack.Output(pack)
    let header = Pack.Header(
      old: old.digest, new: new.digest, oldSize: old.manifest.count, newSize: new.manifest.count, shards: places.count)
    try output.write(header.bytes)
    var recipe = Recipe(new.manifest)
    // A page's frame depends on its own shards alone: those that did not change are there already.
    recipe.add(ZstdFrame.frames(of: old.manifest), of: old.manifest, source: 0)
    try recipe.write(to: output)
    var sources = Sources(old, known: Set(new.shards.map(\.fileName)))
    for place in places {
      let shard = new.shards[place]
      guard shard.file.size <= Pack.shardLimit else {
        throw .unshippable(
          path: new.index.directory.filePath(shard.fileName),
          reason: "has \(shard.file.size) bytes; a pack holds no shard of more than \(Pack.shardLimit)")
      }
      var recipe = Recipe(try new.file(shard))
      let next = place + 1 < new.shards.count ? new.shards[place + 1].bound : nil
      for (number, bytes, frames) in try sources.near(shard.bound, before: next) {
        recipe.add(frames, of: bytes, source: number + 1)
      }
      try recipe.write(to: output)
    }
    try output.finish()
    return PackSummary(
      bytes: output.count, shardsShipped: places.count, shardCount: new.shards.count,
      oldDigest: Pack.hexadecimal(old.digest), newDigest: Pack.hexadecimal(new.digest))
  }
}

/// How a file is put together from frames that are there and bytes that are shipped.
private struct Recipe {
  private let bytes: [UInt8]
  private var known: [ArraySlice<UInt8>: (source: Int, offset: Int)] = [:]

  /// A shorter frame costs about as much to name as to ship.
  private static let least = 2 * Pack.Piece.size

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Lets the file be made of these frames of `other`.
  mutating func add(_ frames: [Range<Int>], of other: [UInt8], source: Int) {
    for frame in frames where frame.count >= Self.least {
      if known[other[frame]] == nil { known[other[frame]] = (source, frame.lowerBound) }
    }
  }

  func write(to output: Pack.Output) throws(PackError) {
    var pieces: [Pack.Piece] = []
    var literals: [[Range<Int>]] = []
    // The copies of a manifest ascend, so that none makes more of it than there was.
    var behind = 0
    for frame in ZstdFrame.frames(of: bytes) {
      if let (source, offset) = known[bytes[frame]], source > 0 || offset >= behind {
        if source == 0 { behind = offset + frame.count }
        if let last = pieces.last, last.literal == 0, last.source == source, last.offset + last.copied == offset {
          pieces[pieces.count - 1].copied += frame.count
        } else {
          var piece = Pack.Piece()
          (piece.source, piece.offset, piece.copied) = (source, offset, frame.count)
          pieces.append(piece)
          literals.append([])
        }
      } else {
        if pieces.isEmpty {
          pieces.append(Pack.Piece())
          literals.append([])
        }
        pieces[pieces.count - 1].literal += frame.count
        literals[literals.count - 1].append(frame)
      }
    }
    var writer = ByteWriter()
    writer.write(UInt32(pieces.count))
    try output.write(writer.bytes)
    for (piece, literal) in zip(pieces, literals) {
      try output.write(piece.bytes)
      for frame in literal { try output.write(bytes[frame]) }
    }
  }
}

/// Old shards that new ones may have frames of, read once as both are gone through in order.
private struct Sources {
  private let old: Pack.Generation
  /// Shards that are not gone: what a new one has of them would not be new.
  private let known: Set<String>
  /// The last one that begins at or below the bound that was looked for.
  private var low = 0
  private var held: [Int: (bytes: [UInt8], frames: [Range<Int>])] = [:]

  init(_ old: Pack.Generation, known: Set<String>) {
    self.old = old
    self.known = known
  }

  /// Those that held the keys from `bound` on up to `next`, or to the end without one.
  mutating func near(
    _ bound: UnsafeBufferPointer<UInt8>, before next: UnsafeBufferPointer<UInt8>?
  ) throws(PackError) -> [(number: Int, bytes: [UInt8], frames: [Range<Int>])] {
    let shards = old.shards
    while low + 1 < shards.count, compareBytes(shards[low + 1].bound, bound) <= 0 { low += 1 }
    var numbers: [Int] = []
    var number = low
    while number < shards.count, numbers.count < Pack.sourceLimit,
      number == low || next.map({ compareBytes(shards[number].bound, $0) < 0 }) ?? true
    {
      if !known.contains(shards[number].fileName) { numbers.append(number) }
      number += 1
    }
    for number in held.keys where !numbers.contains(number) { held[number] = nil }
    var found: [(number: Int, bytes: [UInt8], frames: [Range<Int>])] = []
    for number in numbers where shards[number].file.size <= Pack.shardLimit {
      if held[number] == nil {
        let bytes = try old.file(shards[number])
        held[number] = (bytes, ZstdFrame.frames(of: bytes))
      }
      found.append((number, held[number]!.bytes, held[number]!.frames))
    }
    return found
  }
}
