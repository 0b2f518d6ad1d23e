/// The form of JSON objects of records with the same fields in the same order: the texts between the values.
///
/// A field's name is a path, `coord.lon`. Members whose paths begin alike make one object at the place of the first of
/// them, even if other fields stand between. So an object has two members of one name only if the record has a field
/// twice, or a field and other fields below it.
struct ObjectShape {
  /// The field names' numbers, in the record's order.
  let names: [UInt16]
  /// The text before each value, and the number of the value's field in the record.
  private(set) var members: [Member] = []
  /// The text behind the last value.
  private(set) var end: [UInt8] = []

  struct Member {
    var before: [UInt8]
    var field: Int
  }

  /// An object: its members in order, and the objects among them by name.
  private final class Node {
    enum MemberContent {
      case object(Node)
      case field(Int)
    }
    var members: [(name: [UInt8], content: MemberContent)] = []
    private var objects: [[UInt8]: Node] = [:]

    func object(named name: [UInt8]) -> Node {
      if let found = objects[name] { return found }
      let node = Node()
      members.append((name, .object(node)))
      objects[name] = node
      return node
    }
  }

  /// - Parameter paths: The paths of all fields of the index.
  init(names: [UInt16], paths: [[[UInt8]]]) {
    self.names = names
    let root = Node()
    for (field, name) in names.enumerated() {
      let path = paths[Int(name)]
      var node = root
      for part in path.dropLast() { node = node.object(named: part) }
      node.members.append((path.last ?? [], .field(field)))
    }
    var before: [UInt8] = []
    write(root, &before)
    end = before
  }

  private mutating func write(_ node: Node, _ before: inout [UInt8]) {
    before.append(0x7b)
    for (number, (name, content)) in node.members.enumerated() {
      if number > 0 { before.append(0x2c) }
      before += JSONText.quoted(name)
      before.append(0x3a)
      switch content {
      case .object(let node): write(node, &before)
      case .field(let field):
        members.append(Member(before: before, field: field))
        before = []
      }
    }
    before.append(0x7d)
  }

  /// The greatest depth of datasets. Nested objects are written by nested calls.
  private static let depthLimit = 64

  /// The parts of a field's path; a dot or backslash inside a part is written `\.` or `\\`.
  ///
  /// A path with more parts than the greatest depth counts as one part.
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
