extension DatasetReader {
  /// The object around the array of records, a step; false when the window cuts it.
  func readEnvelope(_ start: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    if case .bigValue(var skipper) = envelope.step {
      let stop = skipper.skip(start, end)
      offset += stop.end - start
      envelope.step = .bigValue(skipper)
      guard stop.outcome == .done else {
        if stop.outcome == .more, !window.isLast { return false }
        throw malformed(Fault(at: stop.end, reason: "a value over the size limit that does not end"), 0)
      }
      envelope.step = .afterValue
      return true
    }
    let token = json.skip(start)
    offset += token - start
    guard token < end || window.isLast else { return false }
    let byte = token < end ? token.pointee : 0
    func expected(_ what: String, _ remedy: String? = nil) -> DatasetError {
      let found = token < end ? described(byte) : "the end of the file"
      return malformed(
        Fault(
          at: token, reason: "expected \(what), found \(found)" + (remedy ?? ""), remedy: remedy == nil ? .usual : .said
        ),
        0)
    }
    let naming = "; name the path to the records with --records"
    switch envelope.step {
    case .open where envelope.depth == envelope.path.count:
      guard byte == UInt8(ascii: "[") else { throw expected("an array at \"\(envelope.pathText)\"", naming) }
      envelope.hasArray = true
      state = .firstElement
      offset += 1
    case .open:
      guard byte == UInt8(ascii: "{") else { throw expected("an object in braces", naming) }
      envelope.depth += 1
      envelope.step = .firstName
      offset += 1
    case .firstName where byte == UInt8(ascii: "}"), .afterValue where byte == UInt8(ascii: "}"):
      offset += 1
      envelope.depth -= 1
      envelope.step = .afterValue
      guard envelope.depth == 0 else { return true }
      guard envelope.hasArray else { throw .unusable(path: path, reason: envelope.absence) }
      state = .afterArray
    case .firstName, .name:
      guard byte == UInt8(ascii: "\"") else { throw expected("a member's name in quotes") }
      let string = JSONChecker.string(token + 1)
      guard string.end < end else {
        if window.isLast { throw expected("a member's name in quotes") }
        return try holdsOn()
      }
      guard string.fault == nil, let name = JSONChecker.text(token + 1, string) else {
        throw malformed(Fault(at: token, reason: "expected a member's name, found none that is a text"), 0)
      }
      envelope.step = envelope.take(name: name)
      offset += string.end + 1 - token
    case .colon(let isOnPath):
      guard byte == UInt8(ascii: ":") else { throw expected("':' after a member's name") }
      envelope.step = isOnPath ? .open : .value
      offset += 1
    case .value:
      switch json.check(token) {
      case .ok(let after) where after < end || window.isLast:
        envelope.step = .afterValue
        offset += after - token
      case .syntax(let at, let reason), .content(let at, let reason):
        guard at >= end, !window.isLast else {
          throw malformed(
            Fault(at: min(at, end), reason: JSONChecker.reason(reason, at: at, end: end, false)), 0)
        }
        return try holdsOn()
      case .ok: return try holdsOn()
      }
    case .afterValue:
      guard byte == UInt8(ascii: ",") else { throw expected("',' or '}' after a member") }
      envelope.step = .name
      offset += 1
    case .bigValue: preconditionFailure("dealt with above")
    }
    return true
  }

  /// Whether what the window cuts is given up: then it is only looked for its end.
  private func holdsOn() throws(DatasetError) -> Bool {
    guard window.count - offset > options.recordLimitBytes else { return false }
    envelope.step = .bigValue(BracketSkipper())
    return true
  }
}
