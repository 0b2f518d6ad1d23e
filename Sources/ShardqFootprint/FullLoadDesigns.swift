#if CommandLineTool
  import FootprintModels
  import FootprintReplay

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes the whole dataset, as apps do when they start. The file has its records in order.
  func decode<Model: RecordModel>(_ path: String, as: Model.Type) throws -> [Model] {
    try JSONDecoder().decode([Model].self, from: Data(contentsOf: URL(filePath: path)))
  }

  /// A record and its folded key, folded once.
  struct Entry<Model: RecordModel> {
    let folded: String
    let record: Model

    init(_ record: Model) {
      self.record = record
      folded = FootprintModels.folded(record.key)
    }

    func begins(with prefix: String) -> Bool { folded.utf8.starts(with: prefix.utf8) }
  }

  /// An array of structs, every one of which is looked at.
  struct ScannedArray<Model: RecordModel>: PagedDesign {
    private let records: [Model]
    /// Per record its folded key: apart, so that looking at all of them touches nothing else.
    private let keys: [String]
    private(set) var page: [Model] = []

    init(_ path: String) throws {
      records = try decode(path, as: Model.self)
      keys = records.map { folded($0.key) }
    }

    mutating func answer(_ text: String) -> Int {
      let prefix = folded(text)
      var matches: [Int] = []
      for position in keys.indices where keys[position].utf8.starts(with: prefix.utf8) { matches.append(position) }
      page = matches.prefix(Replay.pageSize).map { records[$0] }
      return matches.count
    }
  }

  /// A sorted array of structs, searched by bisection.
  struct SortedArray<Model: RecordModel>: PagedDesign {
    private let entries: [Entry<Model>]
    private(set) var page: [Model] = []

    init(_ path: String) throws { entries = try decode(path, as: Model.self).map(Entry.init) }

    mutating func answer(_ text: String) -> Int {
      let prefix = folded(text)
      let first = firstIndex(from: 0) { !$0.folded.utf8.lexicographicallyPrecedes(prefix.utf8) }
      let end = firstIndex(from: first) { !$0.begins(with: prefix) }
      page = entries[first..<end].prefix(Replay.pageSize).map(\.record)
      return end - first
    }

    private func firstIndex(from start: Int, where isBehind: (Entry<Model>) -> Bool) -> Int {
      var (low, high) = (start, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if isBehind(entries[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }

  /// Records grouped by the first letter; what a session has found is remembered, and narrowed as it goes on.
  struct LetterGroups<Model: RecordModel>: PagedDesign {
    private let groups: [Unicode.Scalar: [Entry<Model>]]
    /// Per folded prefix: positions in its group.
    private var remembered: [String: [Int]] = [:]
    private(set) var page: [Model] = []

    init(_ path: String) throws {
      groups = Dictionary(grouping: try decode(path, as: Model.self).map(Entry.init)) {
        $0.folded.unicodeScalars.first ?? "\0"
      }
    }

    mutating func beginSession() { remembered.removeAll() }

    mutating func answer(_ text: String) -> Int {
      let prefix = folded(text)
      guard let letter = prefix.unicodeScalars.first else {
        // Nothing but spaces was typed: everything matches.
        let sorted = groups.sorted { $0.key < $1.key }
        page = Array(sorted.lazy.flatMap(\.value).prefix(Replay.pageSize)).map(\.record)
        return sorted.reduce(0) { $0 + $1.value.count }
      }
      let group = groups[letter] ?? []
      let found = positions(prefix, in: group)
      page = found.prefix(Replay.pageSize).map { group[$0].record }
      return found.count
    }

    private mutating func positions(_ prefix: String, in group: [Entry<Model>]) -> [Int] {
      if let known = remembered[prefix] { return known }
      var shorter = prefix.unicodeScalars
      shorter.removeLast()
      while !shorter.isEmpty, remembered[String(shorter)] == nil { shorter.removeLast() }
      let found =
        remembered[String(shorter)].map { known in known.filter { group[$0].begins(with: prefix) } }
        ?? group.indices.filter { group[$0].begins(with: prefix) }
      remembered[prefix] = found
      return found
    }
  }

  /// A trie with a dictionary per node, one per character, as it is taught.
  struct DictionaryTrie<Model: RecordModel>: PagedDesign {
    private final class Node {
      var children: [Unicode.Scalar: Node] = [:]
      var records: [Model] = []
      /// Records here and below.
      var count = 0
    }
    private let root = Node()
    private(set) var page: [Model] = []

    init(_ path: String) throws {
      for record in try decode(path, as: Model.self) {
        var node = root
        node.count += 1
        for letter in folded(record.key).unicodeScalars {
          if let child = node.children[letter] {
            node = child
          } else {
            let child = Node()
            node.children[letter] = child
            node = child
          }
          node.count += 1
        }
        node.records.append(record)
      }
    }

    mutating func answer(_ text: String) -> Int {
      page.removeAll(keepingCapacity: true)
      var node = root
      for letter in folded(text).unicodeScalars {
        guard let child = node.children[letter] else { return 0 }
        node = child
      }
      // Depth first, the children in order.
      var waiting = [node]
      while page.count < Replay.pageSize, let next = waiting.popLast() {
        page += next.records.prefix(Replay.pageSize - page.count)
        if next.children.count == 1 {
          waiting.append(next.children.first!.value)
        } else {
          waiting += next.children.sorted { $0.key > $1.key }.map(\.value)
        }
      }
      return node.count
    }
  }
#endif
