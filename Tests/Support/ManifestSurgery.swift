import ShardBuilder
import ShardedIndex

/// The contents of a manifest's root, nodes and pages, which tests change and write back with right entries for the
/// frames below each. Notes and the density grid are omitted.
package struct ManifestSurgery {
  /// The root, a node or a page.
  package final class Frame {
    /// The level above the pages: nodes count from 1 on, and the root is above them all.
    package let level: Int
    package var content: [UInt8]
    package var children: [Frame]
    /// A change to the content, after its entries of frames are right.
    package var change: ((inout [UInt8]) -> Void)?

    package init(level: Int, content: [UInt8], children: [Frame]) {
      (self.level, self.content, self.children) = (level, content, children)
    }

    // The places of a node's tables, docs/format.md §3.10, and of the root's.
    package var isRoot: Bool { content.starts(with: Array("SQM1".utf8)) }
    package var firstRecords: Int { isRoot ? section(2) : 8 * children.count }
    package var boundEnds: Int { isRoot ? section(3) : 16 * children.count + 8 }
    package var bounds: Int { isRoot ? section(4) : entries + entryWidth * children.count }
    package var entries: Int { isRoot ? section(5) : 20 * children.count + 8 }
    package var entryWidth: Int { level == 1 ? 20 : 32 }
    package func section(_ number: Int) -> Int { Self.number(content, 48 + 24 * (number - 1) + 8, 8) }

    package static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    package static func set(_ bytes: inout [UInt8], _ offset: Int, _ value: Int, size: Int) {
      for byte in 0..<size { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }
  }

  package let root: Frame
  private let compressor = Compressor()

  package init(root: Frame) { self.root = root }

  package init(_ file: [UInt8]) throws {
    let size = file.withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }
    let content = try FrameSurgery.content(of: Array(file[..<size]))
    let shards = Frame.number(content, 32, 4)
    var count = (shards + 63) / 64
    var level = 1
    while count > 64 { (count, level) = ((count + 63) / 64, level + 1) }
    root = Frame(level: level, content: content, children: [])
    root.children = try Self.children(root, count, file, at: size, of: shards, first: 0)
    // Readers skip a section with an unknown number.
    for section in 8..<8 + max(0, Frame.number(content, 12, 4) - 7) {
      Frame.set(&root.content, 48 + 24 * (section - 1), 99, size: 4)
    }
  }

  /// - Parameter first: The number of the first child.
  private static func children(
    _ parent: Frame, _ count: Int, _ file: [UInt8], at start: Int, of shards: Int, first: Int
  ) throws -> [Frame] {
    // The children make its tables' places known.
    parent.children = [Frame](repeating: parent, count: count)
    var begin = start
    var children: [Frame] = []
    for child in 0..<count {
      let entry = parent.entries + parent.entryWidth * child
      let end = start + Frame.number(parent.content, entry, 8)
      let size = parent.level == 1 ? end - begin : Frame.number(parent.content, entry + 20, 4)
      let content = try FrameSurgery.content(of: Array(file[begin..<begin + size]))
      let frame = Frame(level: parent.level - 1, content: content, children: [])
      if frame.level > 0 {
        let below = 1 << (6 * frame.level)
        let all = (shards + below - 1) / below
        let number = first + child
        frame.children = try Self.children(
          frame, min(64, all - 64 * number), file, at: begin + size, of: shards, first: 64 * number)
      }
      children.append(frame)
      begin = end
    }
    return children
  }

  /// Returns the manifest's file.
  package func file() -> [UInt8] {
    let (frame, below, _) = bytes(root)
    return frame + below
  }

  private func bytes(_ frame: Frame) -> (frame: [UInt8], below: [UInt8], totalSize: Int) {
    var (below, total) = ([UInt8](), 0)
    var content = frame.content
    for (child, sub) in frame.children.enumerated() where frame.level > 0 {
      let bytes = bytes(sub)
      below += bytes.frame + bytes.below
      total += bytes.totalSize
      let entry = frame.entries + frame.entryWidth * child
      let size = bytes.frame.withUnsafeBufferPointer { ZstdFrame.contentSize(of: $0)! }
      Frame.set(&content, entry, below.count, size: 8)
      Frame.set(&content, entry + 8, size, size: 4)
      Frame.set(&content, entry + 12, Int(FrameSurgery.checksum(bytes.frame)), size: 4)
      if frame.level > 1 {
        Frame.set(&content, entry + 20, bytes.frame.count, size: 4)
        Frame.set(&content, entry + 24, bytes.totalSize, size: 8)
      }
    }
    frame.change?(&content)
    return (ZstdFrame.compress(content, level: -5, with: compressor), below, total + content.count)
  }
}

extension ManifestSurgery {
  /// Returns a manifest with another chain in the place of one, and right entries for it in the root.
  ///
  /// - Parameters:
  ///   - number: The number of the chain's section.
  ///   - chain: The frames of the chain.
  ///   - behind: The size of the chains behind it, in bytes.
  package static func replacingChain(
    _ number: Int, of manifest: [UInt8], by chain: [UInt8], behind: Int = 0
  ) throws -> [UInt8] {
    let (rootFrame, first) = (frame(in: manifest), frame(in: chain))
    var root = try FrameSurgery.content(of: rootFrame)
    let entry = entry(of: number, in: root)
    let end = manifest.count - behind - Frame.number(root, entry, 4)
    Frame.set(&root, entry, chain.count, size: 4)
    Frame.set(&root, entry + 4, try FrameSurgery.content(of: first).count, size: 4)
    Frame.set(&root, entry + 8, Int(FrameSurgery.checksum(first)), size: 4)
    return ZstdFrame.quick(root, with: Compressor()) + manifest[rootFrame.count..<end] + chain
      + manifest.suffix(behind)
  }

  /// Returns a manifest with one chain and one setting more.
  ///
  /// - Parameters:
  ///   - number: The number of the chain's section, above those of the manifest's chains.
  ///   - chain: The frames of the chain.
  package static func adding(
    chain number: Int, _ chain: [UInt8], setting: (name: String, value: String), to manifest: [UInt8]
  ) throws -> [UInt8] {
    let (rootFrame, first) = (frame(in: manifest), frame(in: chain))
    let root = try FrameSurgery.content(of: rootFrame)
    var sections = (0..<Frame.number(root, 12, 4)).map { section in
      let entry = 48 + 24 * section
      let start = Frame.number(root, entry + 8, 8)
      return (
        number: Frame.number(root, entry, 4), content: Array(root[start..<start + Frame.number(root, entry + 16, 8)])
      )
    }
    for text in [setting.name, setting.value] {
      sections[sections.firstIndex { $0.number == 7 }!].content += [UInt8(text.utf8.count)] + Array(text.utf8)
    }
    var fields = [UInt8](repeating: 0, count: 12)
    Frame.set(&fields, 0, chain.count, size: 4)
    Frame.set(&fields, 4, try FrameSurgery.content(of: first).count, size: 4)
    Frame.set(&fields, 8, Int(FrameSurgery.checksum(first)), size: 4)
    sections.append((number, fields))
    var content = Array(root[..<48]) + [UInt8](repeating: 0, count: 24 * sections.count)
    Frame.set(&content, 12, sections.count, size: 4)
    for (index, section) in sections.enumerated() {
      let entry = 48 + 24 * index
      Frame.set(&content, entry, section.number, size: 4)
      Frame.set(&content, entry + 8, content.count, size: 8)
      Frame.set(&content, entry + 16, section.content.count, size: 8)
      content += section.content
    }
    return ZstdFrame.quick(content, with: Compressor()) + manifest[rootFrame.count...] + chain
  }

  /// The bytes of the last chain of a manifest.
  package static func lastChain(_ number: Int, of manifest: [UInt8]) throws -> [UInt8] {
    let root = try FrameSurgery.content(of: frame(in: manifest))
    return Array(manifest.suffix(Frame.number(root, entry(of: number, in: root), 4)))
  }

  /// The first frame of some bytes.
  package static func frame(in bytes: [UInt8]) -> [UInt8] {
    Array(bytes[..<bytes.withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }])
  }

  /// The offset of a section's content in a root.
  private static func entry(of number: Int, in root: [UInt8]) -> Int {
    let section = (0..<Frame.number(root, 12, 4)).first { Frame.number(root, 48 + 24 * $0, 4) == number }!
    return Frame.number(root, 48 + 24 * section + 8, 8)
  }
}
