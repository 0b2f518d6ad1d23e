/// A JSON object that is a table and not a record: its members are the records, or have them.
///
/// The outline shows the first 64 KiB, so the members and elements here are those of the beginning.
struct JSONEntries {
  let outline: JSONOutline
  let path: String

  /// The least number of members of one shape that are entries beside other members.
  private static let many = 20

  private var members: [JSONOutline.Member] { outline.members }
  private var objects: [JSONOutline.Member] { members.filter(\.isObject) }

  /// The advice for an object of a form that is no record under any options; nil for another object.
  var tableAdvice: BuildMessage? { topology ?? columns ?? lists ?? entries }

  /// Returns the message on an object whose records are in an array; nil if no array can have them.
  ///
  /// - Parameter takesTexts: Whether an array of texts may have the records.
  func arrayAdvice(takesTexts: Bool) -> BuildMessage? {
    guard let (path, element) = outline.arrayPath,
      takesTexts || element == UInt8(ascii: "{") || element == UInt8(ascii: "[")
    else { return nil }
    let place = printable(path.joined(separator: ".").utf8, limit: 80)
    let list = JSONOutline.Member.jq(path)
    if element == UInt8(ascii: "[") {
      let rows = Opener(before: "jq -r \(shellWord(list + " | @csv")) ", format: "csv")
      let line = rows.line(path: self.path, options: "\(.columns, .text("a,b")) ")
      return "is one object; if its records are in \"\(place)\", convert the arrays to rows\(shell(line))"
    }
    let isText = element != UInt8(ascii: "{")
    let opener = Opener(before: "jq -\(isText ? "r" : "c") \(shellWord(list)) ", format: isText ? "lines" : "jsonl")
    return """
      is one object; if its records are in "\(place)", \
      \(pass: .recordsPath, .text(path.map(FieldPath.step).joined(separator: ".")))\
      \(command: ", or: \(opener.line(path: self.path))", library: "")
      """
  }

  /// The message on an object of objects.
  var objectsAdvice: BuildMessage {
    let opener = Opener(before: "jq -c 'to_entries[] | {key} + .value' ", format: "jsonl")
    return "is one object of objects; make each object a record\(shell(opener.line(path: path)))"
  }

  /// Returns the shell line that makes each member of an object of texts or numbers a record.
  static func valuesLine(path: String) -> BuildMessage {
    Opener(before: "jq -r 'to_entries[] | [.key,.value] | @csv' ", format: "csv")
      .line(path: path, options: "\(.columns, .text("key,value")) ")
  }

  private func shell(_ line: BuildMessage) -> BuildMessage { "\(command: ": \(line)", library: "")" }

  // MARK: Forms

  /// The advice on TopoJSON, whose geometries have the properties of the records.
  private var topology: BuildMessage? {
    guard outline.text(of: "type") == "Topology" else { return nil }
    let found = members.first { $0.name == "objects" }?.members ?? []
    func size(_ object: JSONOutline.Member) -> Int {
      object.members.first { $0.name == "geometries" }.map { $0.isCut ? .max : $0.count } ?? 0
    }
    let name = found.max { size($0) < size($1) }?.name ?? "NAME"
    let list = JSONOutline.Member.jq(["objects", name, "geometries"])
    let opener = Opener(before: "jq -c \(shellWord(list + " | {id} + .properties")) ", format: "jsonl")
    return "is TopoJSON; make each geometry a record\(shell(opener.line(path: path)))"
  }

  /// The advice on an object of columns, as pandas writes it by default: `{"name":{"0":"Ann","1":"Bob"}}`.
  private var columns: BuildMessage? {
    let whole = objects.filter { !$0.isCut }
    guard objects.count == members.count, let first = objects.first, !first.members.isEmpty,
      whole.count > 1 || first.members.count > 1,
      objects.allSatisfy({ object in
        object.members.enumerated().allSatisfy { $1.name == String($0) && !$1.isObject }
      }),
      whole.allSatisfy({ $0.members.count == first.members.count })
    else { return nil }
    return "is an object of columns, as pandas writes it; write it with to_json(orient=\"records\")"
  }

  /// The advice on an object of objects that have nothing but lists.
  private var lists: BuildMessage? {
    let whole = objects.filter { !$0.isCut }
    let inner = whole.flatMap(\.members)
    guard objects.count == members.count, whole.count > 1, let element = inner.first?.element,
      element == UInt8(ascii: "{") || element == UInt8(ascii: "\""),
      whole.allSatisfy({ !$0.members.isEmpty }), inner.allSatisfy({ $0.isArray && $0.element == element })
    else { return nil }
    let isText = element == UInt8(ascii: "\"")
    let opener = Opener(before: "jq -\(isText ? "r" : "c") '.[][][]' ", format: isText ? "lines" : "jsonl")
    return "is one object of objects of lists; make each element a record\(shell(opener.line(path: path)))"
  }

  /// The advice on an object whose members are the records: all of them, or many of one shape.
  private var entries: BuildMessage? {
    let whole = objects.filter { !$0.isCut }
    guard objects.count == members.count ? objects.count > 1 : whole.count > Self.many else { return nil }
    let alike = zip(whole, whole.dropFirst()).count { Self.areAlike($0, $1) }
    return whole.count > 1 && 5 * alike >= 4 * (whole.count - 1) ? objectsAdvice : nil
  }

  /// Returns whether at least half of the members of the smaller object are members of the other one.
  private static func areAlike(_ one: JSONOutline.Member, _ other: JSONOutline.Member) -> Bool {
    let (one, other) = (Set(one.members.map(\.name)), Set(other.members.map(\.name)))
    let least = min(one.count, other.count)
    return least > 0 && 2 * one.intersection(other).count >= least
  }
}
