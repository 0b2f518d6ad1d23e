#if CommandLineTool
  import Footprint

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes the whole dataset, as apps do at their start. The file has its records in order.
  func decode<Model: RecordModel>(_ path: String, as: Model.Type) throws -> [Model] {
    try JSONDecoder().decode([Model].self, from: Data(contentsOf: URL(filePath: path)))
  }

  /// A record and its folded key, folded once.
  struct FoldedRecord<Model: RecordModel> {
    let folded: String
    let record: Model

    init(_ record: Model) {
      self.record = record
      folded = Footprint.folded(record.key)
    }
  }

  /// An array of structs that each query scans.
  struct ScannedArray<Model: RecordModel>: PagedDesign {
    private let records: [Model]
    /// The folded key of each record, apart from the records, so that a scan touches nothing else.
    private let keys: [String]
    var page: [Model] = []

    init(_ path: String) throws {
      records = try decode(path, as: Model.self)
      keys = records.map { folded($0.key) }
    }

    mutating func add(_ beginning: KeyBeginning) -> Int {
      var matches: [Int] = []
      for position in keys.indices where beginning.matches(keys[position]) { matches.append(position) }
      page += matches.prefix(room).map { records[$0] }
      return matches.count
    }
  }

  /// A sorted array of structs, searched by bisection.
  struct SortedArray<Model: RecordModel>: PagedDesign {
    private let entries: [FoldedRecord<Model>]
    var page: [Model] = []

    init(_ path: String) throws { entries = try decode(path, as: Model.self).map(FoldedRecord.init) }

    mutating func add(_ beginning: KeyBeginning) -> Int {
      let first = firstIndex(from: 0) { !$0.folded.utf8.lexicographicallyPrecedes(beginning.text.utf8) }
      let end = firstIndex(from: first) { !beginning.matches($0.folded) }
      page += entries[first..<end].prefix(room).map(\.record)
      return end - first
    }

    private func firstIndex(from start: Int, where isBehind: (FoldedRecord<Model>) -> Bool) -> Int {
      var (low, high) = (start, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if isBehind(entries[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }

  /// Records grouped by the first letter. A session remembers its results and narrows them as it goes on.
  struct LetterGroups<Model: RecordModel>: PagedDesign {
    private let groups: [Unicode.Scalar: [FoldedRecord<Model>]]
    /// The results of each folded prefix: positions in its group.
    private var remembered: [String: [Int]] = [:]
    var page: [Model] = []

    init(_ path: String) throws {
      groups = Dictionary(grouping: try decode(path, as: Model.self).map(FoldedRecord.init)) {
        $0.folded.unicodeScalars.first ?? "\0"
      }
    }

    mutating func beginSession() { remembered.removeAll() }

    mutating func add(_ beginning: KeyBeginning) -> Int {
      guard let letter = beginning.text.unicodeScalars.first else {
        // A text of spaces matches every record.
        let sorted = groups.sorted { $0.key < $1.key }
        page += Array(sorted.lazy.flatMap(\.value).prefix(room)).map(\.record)
        return sorted.reduce(0) { $0 + $1.value.count }
      }
      let group = groups[letter] ?? []
      var found = positions(beginning.text, in: group)
      if beginning.isWhole { found.removeAll { !beginning.matches(group[$0].folded) } }
      page += found.prefix(room).map { group[$0].record }
      return found.count
    }

    private mutating func positions(_ prefix: String, in group: [FoldedRecord<Model>]) -> [Int] {
      if let known = remembered[prefix] { return known }
      var shorter = prefix.unicodeScalars
      shorter.removeLast()
      while !shorter.isEmpty, remembered[String(shorter)] == nil { shorter.removeLast() }
      let beginning = KeyBeginning(text: prefix, isWhole: false)
      let found = (remembered[String(shorter)] ?? Array(group.indices)).filter {
        beginning.matches(group[$0].folded)
      }
      remembered[prefix] = found
      return found
    }
  }

  /// A trie with a dictionary in each node and a node for each character, as textbooks have it.
  struct DictionaryTrie<Model: RecordModel>: PagedDesign {
    private final class Node {
      var children: [Unicode.Scalar: Node] = [:]
      var records: [Model] = []
      /// The number of records here and below.
      var count = 0
    }
    private let root = Node()
    var page: [Model] = []

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

    mutating func add(_ beginning: KeyBeginning) -> Int {
      var node = root
      for letter in beginning.text.unicodeScalars {
        guard let child = node.children[letter] else { return 0 }
        node = child
      }
      if beginning.isWhole {
        page += node.records.prefix(room)
        return node.records.count
      }
      // Depth first, the children in order.
      var waiting = [node]
      while room > 0, let next = waiting.popLast() {
        page += next.records.prefix(room)
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
