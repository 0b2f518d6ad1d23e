import CSystem

/// Reads the plain query, a strict subset of the command line's language, and with the same meaning.
///
/// Everything it does not know for certain it leaves to the full parser: help, other commands, mistakes, options
/// given twice, values that look like options, texts that are no UTF-8.
package enum FrontParser {
  /// First words that are commands, not prefixes.
  package static let commandNames: [StaticString] = [
    "query", "build", "update", "stats", "verify", "explain", "export", "diff", "apply", "repair", "generate",
    "footprint", "plan", "ui", "map", "serve", "completions", "help",
  ]

  package typealias Argument = UnsafeMutablePointer<CChar>

  /// - Parameter arguments: `count` of them, the program's name first. What is returned refers to them.
  /// - Returns: nil for what the full parser has to read.
  package static func parse(_ arguments: UnsafeMutablePointer<Argument?>, count: Int) -> QueryRequest? {
    var request = QueryRequest(prefix: "")
    var wordCount = 0
    /// The first word, where a command's name would be one.
    var command: Argument?
    var hasOffset = false
    var at = 1
    var isQuery = false
    guard count > 1, let first = unsafe arguments[1] else { return nil }
    if unsafe strcmp(first, "query") == 0 {
      isQuery = true
      at = 2
    }
    while at < count {
      guard let argument = unsafe arguments[at] else { return nil }
      at += 1
      guard unsafe argument[0] == 0x2d else {
        if !isQuery, wordCount == 0 {
          if unsafe isCommand(argument) { return nil }
          unsafe command = argument
        }
        guard unsafe add(argument, to: &request, &wordCount) else { return nil }
        continue
      }
      if unsafe strcmp(argument, "--") == 0 {
        // Behind it stand words and nothing else.
        guard at < count else { return nil }
        while at < count {
          guard let word = unsafe arguments[at], unsafe add(word, to: &request, &wordCount) else { return nil }
          at += 1
        }
      } else if unsafe strcmp(argument, "--all") == 0 {
        guard !request.all else { return nil }
        request.all = true
      } else if unsafe strcmp(argument, "--count") == 0 {
        guard !request.countOnly else { return nil }
        request.countOnly = true
      } else if unsafe strcmp(argument, "--stdin") == 0 {
        guard !request.readsLines else { return nil }
        request.readsLines = true
      } else {
        var value: UnsafePointer<CChar>
        let name: StaticString
        if let match = unsafe option(argument, "-i") ?? option(argument, "--index") {
          unsafe (name, value) = unsafe ("index", match)
        } else if let match = unsafe option(argument, "-n") ?? option(argument, "--limit") {
          unsafe (name, value) = unsafe ("limit", match)
        } else if let match = unsafe option(argument, "--offset") {
          unsafe (name, value) = unsafe ("offset", match)
        } else if let match = unsafe option(argument, "--format") {
          unsafe (name, value) = unsafe ("format", match)
        } else {
          return nil
        }
        if unsafe value[0] == 0 {
          guard at < count, let next = unsafe arguments[at], unsafe next[0] != 0x2d else { return nil }
          unsafe value = unsafe UnsafePointer(next)
          at += 1
        } else {
          unsafe value += 1
        }
        guard unsafe value[0] != 0 else { return nil }
        switch unsafe name.utf8Start[0] {
        case UInt8(ascii: "l"):
          guard request.limit == nil, let number = unsafe number(value), number >= 1 else { return nil }
          request.limit = number
        case UInt8(ascii: "o"):
          guard !hasOffset, let number = unsafe number(value) else { return nil }
          request.offset = number
          hasOffset = true
        case UInt8(ascii: "f"):
          guard request.format == nil else { return nil }
          let bytes = unsafe UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
          guard let format = unsafe OutputFormat(named: UnsafeBufferPointer(start: bytes, count: strlen(value)))
          else { return nil }
          request.format = format
        default:
          guard !request.isIndexSaid, let text = unsafe ArgumentText(value) else { return nil }
          (request.isIndexSaid, request.indexText) = (true, text)
        }
      }
    }
    guard (wordCount > 0) != request.readsLines, !(request.all && request.limit != nil),
      !request.readsLines || request.format == nil || request.format == .json
    else { return nil }
    if let command = unsafe command {
      // Of several words the first may be meant as a command: the full parser looks closer.
      if wordCount > 1, unsafe nearCommand(to: command, within: 2) >= 0 { return nil }
      if wordCount == 1 { unsafe request.nearCommand = nearCommand(to: command, within: 1) }
    }
    return request
  }

  /// Words are joined by spaces; false for one that is no UTF-8.
  private static func add(_ word: Argument, to request: inout QueryRequest, _ count: inout Int) -> Bool {
    guard let text = unsafe ArgumentText(word) else { return false }
    request.prefixText = count == 0 ? text : ArgumentText(request.prefix + " " + text.text)
    count += 1
    return true
  }

  /// The command, by its number in ``commandNames``, that a word of four letters or more is so many slips away from, or
  /// fewer; -1 for none.
  package static func nearCommand(to word: UnsafePointer<CChar>, within edits: Int) -> Int {
    let bytes = unsafe UnsafeBufferPointer(
      start: UnsafeRawPointer(word).assumingMemoryBound(to: UInt8.self), count: strlen(word))
    guard bytes.count >= 4 else { return -1 }
    for (number, name) in commandNames.enumerated() where name.utf8CodeUnitCount >= 4 {
      let letters = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      if unsafe Misspelling.isWithin(edits, bytes, letters) { return number }
    }
    return -1
  }

  /// Where the value begins if `argument` is this option: at a zero when it is the next argument, else behind this.
  private static func option(_ argument: Argument, _ name: StaticString) -> UnsafePointer<CChar>? {
    let size = name.utf8CodeUnitCount
    guard unsafe strncmp(argument, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), size) == 0
    else { return nil }
    let rest = unsafe argument + size
    if unsafe rest[0] == 0 { return unsafe UnsafePointer(rest) }
    // Behind a short name the value follows at once.
    if size == 2 { return unsafe rest[0] == 0x3d ? nil : UnsafePointer(rest - 1) }
    return unsafe rest[0] == 0x3d ? UnsafePointer(rest) : nil
  }

  /// Up to 18 digits and nothing else.
  private static func number(_ text: UnsafePointer<CChar>) -> Int? {
    var value = 0
    var size = 0
    while unsafe text[size] != 0 {
      guard unsafe text[size] >= 0x30, unsafe text[size] <= 0x39, size < 18 else { return nil }
      value = unsafe value * 10 + Int(text[size] - 0x30)
      size += 1
    }
    return size > 0 ? value : nil
  }

  static func isCommand(_ argument: Argument) -> Bool {
    for name in commandNames
    where unsafe strcmp(argument, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0 {
      return true
    }
    return false
  }
}
