extension DatasetReader {
  /// Reads one step of the object around the array of records; returns false if the window cuts the step.
  func readEnvelope(_ start: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    if case .bigValue(let skipper) = envelope.step { return try unsafe skipValue(skipper, start, end) }
    let token = unsafe json.skip(start)
    unsafe offset += token - start
    guard unsafe token < end || window.isLast else { return false }
    let byte = unsafe token < end ? token.pointee : 0
    switch envelope.step {
    case .open: try unsafe openValue(byte, at: token, end)
    case .firstName where byte == UInt8(ascii: "}"), .afterValue where byte == UInt8(ascii: "}"): try closeObject()
    case .firstName, .name: return try unsafe readName(byte, at: token, end)
    case .colon(let isOnPath):
      guard byte == UInt8(ascii: ":") else { throw unsafe expected("':' after a member's name", at: token, end) }
      envelope.step = isOnPath ? .open : .value
      offset += 1
    case .value: return try unsafe readValue(at: token, end)
    case .afterValue:
      guard byte == UInt8(ascii: ",") else { throw unsafe expected("',' or '}' after a member", at: token, end) }
      envelope.step = .name
      offset += 1
    case .bigValue: preconditionFailure("dealt with above")
    }
    return true
  }

  private func expected(_ what: String, _ remedy: Remedy = .usual, at token: Bytes, _ end: Bytes) -> DatasetError {
    let found = unsafe token < end ? described(token.pointee) : "the end of the file"
    return unsafe malformed(Fault(at: token, reason: "expected \(what), found \(found)", remedy: remedy), 0)
  }

  private func skipValue(_ given: BracketSkipper, _ start: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    var skipper = given
    let stop = unsafe skipper.skip(start, end)
    unsafe offset += stop.end - start
    envelope.step = .bigValue(skipper)
    guard unsafe stop.outcome == .done else {
      if unsafe stop.outcome == .more, unsafe !window.isLast { return false }
      throw unsafe malformed(Fault(at: stop.end, reason: "a value over the size limit that does not end"), 0)
    }
    envelope.step = .afterValue
    return true
  }

  /// Moves into the array, or into the next object on the way to it.
  private func openValue(_ byte: UInt8, at token: Bytes, _ end: Bytes) throws(DatasetError) {
    if envelope.depth == envelope.path.count {
      guard byte == UInt8(ascii: "[") else {
        throw unsafe expected("an array at \"\(envelope.pathText)\"", .recordsPath, at: unsafe token, unsafe end)
      }
      envelope.hasArray = true
      state = .firstElement
    } else {
      guard byte == UInt8(ascii: "{") else {
        throw unsafe expected("an object in braces", .recordsPath, at: token, end)
      }
      envelope.depth += 1
      envelope.step = .firstName
    }
    offset += 1
  }

  private func closeObject() throws(DatasetError) {
    offset += 1
    envelope.depth -= 1
    envelope.step = .afterValue
    guard envelope.depth == 0 else { return }
    guard envelope.hasArray else { throw .unusable(path: path, reason: envelope.absence) }
    state = .afterArray
  }

  private func readName(_ byte: UInt8, at token: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    guard byte == UInt8(ascii: "\"") else { throw unsafe expected("a member's name in quotes", at: token, end) }
    let string = unsafe JSONChecker.string(token + 1)
    guard unsafe string.end < end else {
      if unsafe window.isLast { throw unsafe expected("a member's name in quotes", at: token, end) }
      return try holdsOn()
    }
    guard string.fault == nil, let name = unsafe JSONChecker.text(token + 1, string) else {
      throw unsafe malformed(Fault(at: token, reason: "expected a member's name, found an invalid text"), 0)
    }
    envelope.step = envelope.step(afterName: name)
    unsafe offset += string.end + 1 - token
    return true
  }

  /// Reads a value outside of the path: the value is checked and left out.
  private func readValue(at token: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    switch unsafe json.check(token) {
    case .ok(let after) where unsafe after < end || window.isLast:
      envelope.step = .afterValue
      unsafe offset += after - token
      return true
    case .syntax(let at, let reason), .content(let at, let reason):
      guard unsafe at >= end, unsafe !window.isLast else {
        throw unsafe malformed(
          Fault(at: min(at, end), reason: JSONChecker.reason(reason, at: at, end: end, false)), 0)
      }
      return try holdsOn()
    case .ok: return try holdsOn()
    }
  }

  /// Gives up a value that the window cuts, if it is too large: then only its end matters.
  private func holdsOn() throws(DatasetError) -> Bool {
    guard unsafe window.count - offset > options.recordLimitBytes else { return false }
    envelope.step = .bigValue(BracketSkipper())
    return true
  }
}
