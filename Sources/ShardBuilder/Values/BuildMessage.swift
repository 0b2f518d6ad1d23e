/// A message for a person. The message has the names of settings and functions as that person knows them.
///
/// ``description`` has the names for a Swift program: the properties of ``BuildOptions`` and ``DatasetDialect``, the
/// functions and their arguments. The command prints the same message with its options, and with lines for a shell.
public struct BuildMessage: Hashable, Sendable {
  /// A value of a setting.
  package enum Value: Hashable, Sendable {
    case on
    case number(Int)
    case mebibytes(Int)
    case text(String)
    case delimiter(UInt8)
    case encoding(DatasetDialect.Encoding)
  }

  fileprivate enum Fragment: Hashable, Sendable {
    case text(String)
    /// A setting, and its value.
    case setting(BuildSetting, Value?)
    /// The advice to set a setting.
    case order(BuildSetting, Value)
    case function(BuildFunction)
    case either(command: BuildMessage, library: BuildMessage)
  }

  private var parts: [Fragment]

  var isEmpty: Bool { parts.isEmpty }

  /// Returns the message with a command's words for settings and functions.
  ///
  /// - Parameters:
  ///   - option: Returns the command's option for a setting.
  ///   - command: Returns the command for a function.
  package func text(
    _ option: (BuildSetting) -> String, _ command: (BuildFunction) -> String
  ) -> String {
    Self.capped(text(ofCommand: true, option, command))
  }

  /// The most characters of a message. Names of files and fields may have any size.
  private static let limit = 2000

  /// Returns the beginning and the end of a text that is too long: the end has the advice.
  fileprivate static func capped(_ text: String) -> String {
    text.count <= limit ? text : text.prefix(limit / 2 - 1) + "\u{2026}" + text.suffix(limit / 2)
  }

  private func text(
    ofCommand isOfCommand: Bool, _ name: (BuildSetting) -> String, _ call: (BuildFunction) -> String
  ) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let part): text += part
      case .setting(let setting, let value):
        text += name(setting)
        if let value { text += isOfCommand ? value.words : " = " + value.literal }
      case .order(let setting, let value):
        text += isOfCommand ? "pass " + name(setting) + value.words : "set \(name(setting)) to \(value.literal)"
      case .function(let function): text += call(function)
      case .either(let command, let library):
        text += (isOfCommand ? command : library).text(ofCommand: isOfCommand, name, call)
      }
    }
    return text
  }
}

extension BuildMessage: CustomStringConvertible {
  public var description: String { Self.capped(text(ofCommand: false, { $0.rawValue }, { $0.rawValue })) }
}

extension BuildMessage: ExpressibleByStringInterpolation {
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Fragment] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }

    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      appendLiteral(value.description)
    }

    public mutating func appendInterpolation(_ message: BuildMessage) { parts += message.parts }

    /// Appends the name of a setting and its value: `--encoding latin1`, `DatasetDialect.encoding = .latin1`.
    package mutating func appendInterpolation(_ setting: BuildSetting, _ value: Value? = nil) {
      parts.append(.setting(setting, value))
    }

    /// Appends the advice to set a setting: `pass --ragged`, `set DatasetDialect.isRagged to true`.
    package mutating func appendInterpolation(pass setting: BuildSetting, _ value: Value = .on) {
      parts.append(.order(setting, value))
    }

    /// Appends the name of a function: `shardq repair`, `ShardBuilder.repair(_:from:)`.
    package mutating func appendInterpolation(_ function: BuildFunction) { parts.append(.function(function)) }

    /// Appends one of two texts: the command prints the first, the library gives the second.
    package mutating func appendInterpolation(command: BuildMessage, library: BuildMessage) {
      parts.append(.either(command: command, library: library))
    }
  }

  public init(stringLiteral text: String) { parts = text.isEmpty ? [] : [.text(text)] }

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
}

extension BuildMessage.Value {
  /// The value after an option, with the space between them.
  fileprivate var words: String {
    switch self {
    case .on: ""
    case .number(let number): " \(number)"
    case .mebibytes(let number): " \(number)MiB"
    case .text(let text): " " + shellWord(text)
    case .delimiter(let byte): byte == 0x09 ? " tab" : " " + shellWord(String(Unicode.Scalar(byte)))
    case .encoding(let encoding): " " + encoding.rawValue
    }
  }

  /// The value in Swift.
  fileprivate var literal: String {
    switch self {
    case .on: "true"
    case .number(let number): "\(number)"
    case .mebibytes(let number): "\(number << 20)"
    case .text(let text): text.debugDescription
    case .delimiter(let byte): "UInt8(ascii: \(String(Unicode.Scalar(byte)).debugDescription))"
    case .encoding(let encoding): ".\(encoding)"
    }
  }
}

/// A setting in a message, as the library calls it. A command has its own word for each setting.
public enum BuildSetting: String, Sendable, CaseIterable {
  case key = "BuildOptions.key"
  case id = "BuildOptions.id"
  case keep = "BuildOptions.keep"
  case weight = "BuildOptions.weight"
  case weightsFile = "BuildOptions.weightsFile"
  case alias = "BuildOptions.alias"
  case searchField = "BuildOptions.searchFields"
  case filter = "BuildOptions.filter"
  case number = "BuildOptions.number"
  case names = "BuildOptions.namesFiles"
  case coordinates = "BuildOptions.coordinates"
  case near = "BuildOptions.near"
  case indexKey = "the index's key"
  case indexID = "the index's id"
  case inputFormat = "BuildOptions.inputFormat"
  case columns = "BuildOptions.columns"
  case skipsBad = "BuildOptions.skipBad"
  case skipsEmptyKeys = "BuildOptions.skipEmptyKeys"
  case memory = "BuildOptions.memoryBytes"
  case allowsEmpty = "BuildOptions.allowsEmpty"
  case shardLimit = "BuildOptions.shardLimitBytes"
  case starts = "BuildOptions.starts"
  case minimumRecords = "BuildOptions.minimumRecords"
  case replacesOtherIndex = "BuildOptions.replacesOtherIndex"
  case delimiter = "DatasetDialect.delimiter"
  case skippedLines = "DatasetDialect.skippedLines"
  case comment = "DatasetDialect.comment"
  case namesColumns = "DatasetDialect.namesColumns"
  case isRagged = "DatasetDialect.isRagged"
  case encoding = "DatasetDialect.encoding"
  case null = "DatasetDialect.null"
  case decimal = "DatasetDialect.decimal"
  case recordsPath = "DatasetDialect.recordsPath"
  /// An update without changes, which writes an overlay into shards.
  case merge = "ShardBuilder.update(_:upsert:delete:)"
  /// The arguments of ``ShardBuilder/repair(_:from:expecting:takesUnproven:progress:)``.
  case expectedDigest = "the argument expecting"
  case takesUnproven = "the argument takesUnproven"
}

/// A function in a message, as the library calls it. The command has a command for each.
package enum BuildFunction: String, Sendable, CaseIterable {
  case build = "ShardBuilder.build"
  case update = "ShardBuilder.update"
  case repair = "ShardBuilder.repair(_:from:)"
  case planRanges = "ShardBuilder.planRanges"
  case writeRangeKeys = "ShardBuilder.writeRangeKeys"
  case writeRanges = "ShardBuilder.writeRanges"
  /// The writing of an index's records as a dataset, which the library leaves to programs.
  case export = "a program"
}
