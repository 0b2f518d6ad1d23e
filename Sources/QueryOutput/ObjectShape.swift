/// How the objects of records with the same fields in the same order are written: texts between the values.
///
/// A field's name is a path, `coord.lon`; members whose paths begin alike are one object, at the place of its first
/// member, also where other fields stand between them. So no object has two members of the same name but where the
/// record has one field twice, or a field and others below it.
struct ObjectShape {
  /// The field names' numbers, in the record's order.
  let names: [UInt16]
  /// What stands before each value, and which of the record's fields the value is.
  private(set) var members: [Member] = []
  /// What stands behind the last value.
  private(set) var end: [UInt8] = []

  // No tuples, and no dictionary where there are few: their types are made up at run time, at every start.
  struct Member {
    var before: [UInt8]
    var field: Int
  }

  private final class Node {
    struct Child {
      var name: [UInt8]
      var node: Node?
      var field: Int
    }
    var children: [Child] = []
    private var objectCount = 0
    /// The objects among the children, once there are many.
    private var objects: [[UInt8]: Node]?

    private func existing(_ name: [UInt8]) -> Node? {
      if let objects { return objects[name] }
      for child in children where child.node != nil && child.name == name { return child.node }
      return nil
    }

    func object(named name: [UInt8]) -> Node {
      if let found = existing(name) { return found }
      let node = Node()
      children.append(Child(name: name, node: node, field: -1))
      objectCount += 1
      if objectCount > 16 {
        if objects == nil {
          objects = [:]
          for child in children where child.node != nil { objects![child.name] = child.node }
        }
        objects![name] = node
      }
      return node
    }
  }

  /// - Parameter paths: Of all fields of the index.
  init(names: [UInt16], paths: [[[UInt8]]]) {
    self.names = names
    let root = Node()
    for (field, name) in names.enumerated() {
      let path = paths[Int(name)]
      var node = root
      for part in path.dropLast() { node = node.object(named: part) }
      node.children.append(Node.Child(name: path.last ?? [], node: nil, field: field))
    }
    var before: [UInt8] = []
    write(root, &before)
    end = before
  }

  private mutating func write(_ node: Node, _ before: inout [UInt8]) {
    before.append(0x7b)
    for (number, child) in node.children.enumerated() {
      if number > 0 { before.append(0x2c) }
      before += JSONText.quoted(child.name)
      before.append(0x3a)
      if let node = child.node {
        write(node, &before)
      } else {
        members.append(Member(before: before, field: child.field))
        before = []
      }
    }
    before.append(0x7d)
  }

  /// No dataset nests deeper; objects are written inside each other by calls inside each other.
  private static let depthLimit = 64

  /// The parts of a field's path; a dot or backslash inside a part is written `\.` or `\\`.
  ///
  /// A path of more parts than any dataset's nesting gives is one part.
  static func parts(ofPath path: String) -> [[UInt8]] {
    var parts: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in path.utf8 {
      guard parts.count <= depthLimit else { return [Array(path.utf8)] }
      if isEscaped {
        parts[parts.count - 1].append(byte)
        isEscaped = false
      } else if byte == 0x5c {
        isEscaped = true
      } else if byte == 0x2e {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    if isEscaped { parts[parts.count - 1].append(0x5c) }
    return parts
  }
}
