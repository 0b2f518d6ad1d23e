import Answers
import CLibrary
import ShardedIndex

/// The settings of a user for all commands, from the configuration file, `$SHARDQ_INDEX` and `$SHARDQ_OPTS`. Later ones
/// override earlier ones, and an option of the command line overrides all.
package struct UserSettings: Equatable, Sendable {
  /// The index's directory or name.
  package var index: String?
  /// The directory of the named indexes.
  package var indexes: String?
  package var limit: Int?
  package var sort: SortOrder?
  package var format: OutputFormat?
  package var color: StyleMode?
  package var hyperlink: StyleMode?
  /// Whether builds and other long work show their progress on a terminal.
  package var showsProgress = true

  /// The error of wrong settings: a message with the file and the line, and the exit status.
  package struct SettingsError: Error, Equatable, Sendable {
    package var message: String
    package var status: ExitStatus
  }

  /// The most bytes of a configuration file and of `$SHARDQ_OPTS`.
  static let sizeLimit = 1 << 16
  static let names = ["index", "indexes", "limit", "sort", "format", "color", "hyperlink", "progress"]

  package init() {}

  /// Reads the settings of the environment and of the file.
  ///
  /// If there is no file, the call takes one system call.
  package static func load() throws(SettingsError) -> UserSettings {
    var settings = UserSettings()
    if let path = EnvironmentVariable.value("SHARDQ_CONFIG") {
      try settings.readFile(path, isUsual: false)
    } else if let path = usualPath {
      try settings.readFile(path, isUsual: true)
    }
    if let index = EnvironmentVariable.value("SHARDQ_INDEX") { settings.index = index }
    if let options = EnvironmentVariable.value("SHARDQ_OPTS") { try settings.readOptions(options) }
    return settings
  }

  /// The default path of the configuration file; nil without a home directory.
  private static var usualPath: String? {
    directory("XDG_CONFIG_HOME", in: "/.config").map { $0 + "/shardq/config" }
  }

  /// Returns the directory that an XDG variable names, else a directory in the home directory.
  ///
  /// Source: XDG Base Directory Specification 0.8; a relative path counts as none.
  private static func directory(_ variable: String, in home: String) -> String? {
    if let path = EnvironmentVariable.value(variable), path.utf8.first == UInt8(ascii: "/") { return path }
    return EnvironmentVariable.value("HOME").map { $0 + home }
  }

  // MARK: Indexes by name

  /// Returns the directory of the index: the named one, else the one of the settings, else `shards`.
  ///
  /// A name without a slash is tried as a directory here, as a named index, as an archive here, and as an archive among
  /// the named indexes, also without `.shardq`. Otherwise it is the directory that a build makes here.
  package func indexPath(_ said: String?) -> String {
    guard let name = said ?? index else { return QueryRequest.defaultIndex }
    guard let named = namedPath(name), !Self.isDirectory(name) else { return name }
    if Self.isDirectory(named) { return named }
    if Self.isFile(name) { return name }
    return [named, named + Self.archiveEnd].first(where: Self.isFile) ?? name
  }

  /// The end of an archive's name.
  private static let archiveEnd = ".shardq"

  /// The directory of the named indexes; nil if there is none.
  private var namedDirectory: String? {
    indexes.map(Self.expanded) ?? Self.directory("XDG_DATA_HOME", in: "/.local/share").map { $0 + "/shardq" }
  }

  /// Returns the path of a name among the named indexes; nil for a path, or without a directory of named indexes.
  private func namedPath(_ name: String) -> String? {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return namedDirectory.map { $0 + "/" + name }
  }

  /// Returns the names of the named indexes that begin with a text, in order. Names with a leading dot are left out
  /// unless the text begins with a dot.
  func indexNames(beginningWith text: String) -> [String] {
    guard let directory = namedDirectory, let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      guard let name = unsafe fileName(of: &entry.pointee), name.utf8.starts(with: text.utf8) else { continue }
      let isHidden = name.utf8.first == UInt8(ascii: ".") && text.isEmpty
      var status = stat()
      let path = directory + "/" + name
      guard !isHidden else { continue }
      if name.utf8.count > Self.archiveEnd.utf8.count, name.hasSuffix(Self.archiveEnd), Self.isFile(path) {
        names.append(String(name.dropLast(Self.archiveEnd.count)))
      } else if unsafe stat(path + "/manifest", &status) == 0 {
        names.append(name)
      }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the second place to look for an index of this name; nil for a path.
  package func otherPlace(of said: String?) -> String? { (said ?? index).flatMap(namedPath) }

  private static func isDirectory(_ path: String) -> Bool { type(of: path) == S_IFDIR }
  private static func isFile(_ path: String) -> Bool { type(of: path) == S_IFREG }

  /// Returns the type bits of the mode of a path; nil if nothing is there.
  private static func type(of path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Returns a path with the home directory in the place of `~/`, since no shell expands a path in a file.
  private static func expanded(_ path: String) -> String {
    guard path.utf8.starts(with: "~/".utf8), let home = EnvironmentVariable.value("HOME") else { return path }
    return home + String(decoding: path.utf8.dropFirst(), as: UTF8.self)
  }

  // MARK: The file

  /// - Parameter isUsual: Whether the file is the default one, which may be missing.
  private mutating func readFile(_ path: String, isUsual: Bool) throws(SettingsError) {
    let lines = try SettingsFile.lines(
      of: path, remedy: "in SHARDQ_CONFIG, /dev/null for none", mayBeMissing: isUsual)
    for line in lines { try set(line.name, line.value, line.place, prefix: "") }
  }

  // MARK: The environment

  /// Reads options divided by spaces, with the quotes of a shell.
  private mutating func readOptions(_ text: String) throws(SettingsError) {
    let place = "SHARDQ_OPTS: "
    var words = try Self.words(of: text, place)[...]
    while let word = words.popFirst() {
      let option = Array(word.utf8)
      guard option.first == 0x2d else {
        throw SettingsError(
          message: place + word + " is not an option; write only options, such as --color never", status: .usage)
      }
      if word == "--no-progress" {
        showsProgress = false
        continue
      }
      var (name, value): (String, String?) = (word, nil)
      if option.starts(with: [0x2d, 0x2d]) {
        if let sign = option.firstIndex(of: 0x3d) {
          name = String(decoding: option[2..<sign], as: UTF8.self)
          value = String(decoding: option[(sign + 1)...], as: UTF8.self)
        } else {
          name = String(decoding: option[2...], as: UTF8.self)
        }
      } else if option.count > 1, option[1] == 0x69 || option[1] == 0x6e {
        name = option[1] == 0x69 ? "index" : "limit"
        if option.count > 2 { value = String(decoding: option[2...], as: UTF8.self) }
      }
      guard let value = Self.names.contains(name) ? value ?? words.popFirst() : "" else {
        throw SettingsError(message: place + word + " needs a value", status: .usage)
      }
      try set(name, value, place, prefix: "--")
    }
  }

  /// Returns the words of a variable that holds options.
  ///
  /// - Parameter place: The beginning of a message, which names the variable.
  package static func words(of text: String, _ place: String) throws(SettingsError) -> [String] {
    guard text.utf8.count <= sizeLimit else {
      throw SettingsError(message: place + "it has more than 65,536 bytes; make it shorter", status: .usage)
    }
    return try words(Array(text.utf8), place)
  }

  /// Returns the words of a line, as a shell divides it.
  private static func words(_ text: [UInt8], _ place: String) throws(SettingsError) -> [String] {
    var words: [String] = []
    var word: [UInt8]?
    var quote: UInt8?
    var at = 0
    while at < text.count {
      let byte = text[at]
      at += 1
      if let open = quote {
        if byte == open {
          quote = nil
        } else if open == 0x22, byte == 0x5c, at < text.count, text[at] == 0x22 || text[at] == 0x5c {
          word!.append(text[at])
          at += 1
        } else {
          word!.append(byte)
        }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
        word = word ?? []
      } else if byte == 0x20 || byte == 0x09 || byte == 0x0a {
        if let word { words.append(String(decoding: word, as: UTF8.self)) }
        word = nil
      } else if byte == 0x5c, at < text.count {
        word = (word ?? []) + [text[at]]
        at += 1
      } else if word == nil {
        word = [byte]
      } else {
        word!.append(byte)
      }
    }
    guard quote == nil else {
      throw SettingsError(message: place + "a quote is not closed; add the other one", status: .usage)
    }
    if let word { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }

  // MARK: Values

  /// - Parameters:
  ///   - place: The beginning of a message about the setting, which names its place.
  ///   - prefix: The dashes before the name of the setting.
  private mutating func set(_ name: String, _ value: String, _ place: String, prefix: String) throws(SettingsError) {
    func refuse(_ reason: String) -> SettingsError {
      SettingsError(message: place + prefix + name + ": " + reason, status: .usage)
    }
    func choice<Value: RawRepresentable>(_ values: [Value]) throws(SettingsError) -> Value
    where Value.RawValue == String {
      if let found = values.first(where: { $0.rawValue == value }) { return found }
      var list = ""
      for value in values { list += (list.isEmpty ? "" : ", ") + value.rawValue }
      throw refuse("there is no " + value + "; choose " + list)
    }
    switch name {
    case "index", "indexes":
      guard !value.isEmpty else { throw refuse("it is empty; name a directory") }
      if name == "index" { index = Self.expanded(value) } else { indexes = value }
    case "limit":
      guard let number = Int(value), number >= 1 else {
        throw refuse(value + " is not a number from 1 on; write one such as 20")
      }
      limit = number
    case "sort": sort = try choice(SortOrder.named)
    case "format": format = try choice(OutputFormat.allCases)
    case "color": color = try choice(StyleMode.allCases)
    case "hyperlink": hyperlink = try choice(StyleMode.allCases)
    case "progress":
      guard value == "auto" || value == "never" else { throw refuse("there is no " + value + "; choose auto, never") }
      showsProgress = value == "auto"
    default:
      let near = Misspelling.nearest(to: name, among: Self.names).map { "; did you mean " + prefix + $0 + "?" }
      var list = ""
      for known in Self.names { list += (list.isEmpty ? "" : ", ") + prefix + known }
      let dashed = name.utf8.first == 0x2d ? name : prefix + name
      throw SettingsError(
        message: place + "there is no setting " + dashed + (near ?? "; there are " + list), status: .usage)
    }
  }
}

extension QueryRequest {
  /// Fills in the options that the command line leaves open from the settings.
  package mutating func apply(_ settings: UserSettings) {
    otherIndex = settings.otherPlace(of: index)
    index = settings.indexPath(index)
    if limit == nil, !all { limit = settings.limit }
    // An index without ranks has only the order of keys.
    if query.order == .automatic, settings.sort == .key { query.order = .key }
    if format == nil, !explains, !readsLines, !hasFields { format = settings.format }
    color = color ?? settings.color
    hyperlink = hyperlink ?? settings.hyperlink
  }
}
