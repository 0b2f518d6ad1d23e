import CLibrary

/// The files of a carrier, whose functions must work as long as the value lives.
@safe struct CarriedFiles: Sendable {
  let functions: Carrier

  init(_ functions: Carrier) { unsafe self.functions = functions }

  /// Returns the number of a file, or the negative number of an error.
  ///
  /// - Parameter size: The size that the file must have, in bytes; nil if unknown.
  func open(_ name: FileName, size: Int?) -> CInt {
    unsafe name.withCString { unsafe functions.open(functions.context, $0, size.map(Int64.init) ?? -1) }
  }

  /// Whether files of an archive have numbers of their own.
  var keepsFilesApart: Bool { unsafe functions.open_within != nil }

  /// Returns the number of a file in an archive; the archive's number if the carrier does not keep the file apart.
  func open(_ name: FileName, in archive: CInt, from start: Int64, size: Int) -> CInt {
    guard let open = unsafe functions.open_within else { return archive }
    return unsafe name.withCString { unsafe open(functions.context, archive, $0, start, Int64(size)) }
  }

  /// Returns the size of a file in bytes, or the negative number of an error.
  func size(of file: CInt) -> Int64 { unsafe functions.size(functions.context, file) }

  /// Whether the carrier can fetch several pieces side by side and wait for all.
  var gathers: Bool { unsafe functions.gather != nil }

  /// Sets the mode of this thread's reads: one of the constants beside `Carrier`.
  private func gather(_ how: Int) { unsafe functions.gather?(functions.context, CInt(how)) }

  /// The number of rounds, after which each read waits.
  private static let roundLimit = 64

  /// Returns the result of `body`, once all bytes that it reads have arrived: `body` runs again until no bytes are
  /// missing.
  ///
  /// - Parameters:
  ///   - ahead: Asks for more bytes that `body` will certainly read, after `body` stopped at a first place.
  ///   - renew: Prepares for fetching all bytes anew after another error, or throws an error.
  func gathering<Value>(
    ahead: () -> Void, renew: (IndexError) throws(IndexError) -> Void, _ body: () throws(IndexError) -> Value
  ) throws(IndexError) -> Value {
    defer { gather(Int(CARRIER_WAITS)) }
    gather(Int(CARRIER_GATHERS))
    for _ in 0..<Self.roundLimit {
      do throws(IndexError) {
        return try body()
      } catch {
        if case .io(_, _, EAGAIN) = error {
          ahead()
          gather(Int(CARRIER_AWAITS))
        } else {
          try renew(error)
          gather(Int(CARRIER_GATHERS_ANEW))
        }
      }
    }
    gather(Int(CARRIER_WAITS))
    return try body()
  }

  #if !hasFeature(Embedded)
    /// Begins to fetch the bytes that `body` reads first. Later reads of this thread do not wait for them.
    func beginning(_ body: () -> Void) {
      gather(Int(CARRIER_GATHERS))
      body()
      gather(Int(CARRIER_WAITS))
    }
  #endif

  /// Returns the error for a carrier's number.
  ///
  /// - Parameter path: The path of the file.
  func error(_ number: CInt, operation: String, path: String, in directory: IndexDirectory) -> IndexError {
    if number == ESTALE { return .superseded(path: directory.path) }
    if number == ENOENT { return .vanished(path: path) }
    guard number >= CInt(CARRIER_REASONS), let reason = unsafe functions.reason else {
      return .io(operation: operation, path: path, errno: number)
    }
    var text = [CChar](repeating: 0, count: 512)
    unsafe reason(functions.context, number, &text, Int64(text.count))
    return .unreachable(
      path: path, reason: String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  func close() { unsafe functions.close?(functions.context) }
}
