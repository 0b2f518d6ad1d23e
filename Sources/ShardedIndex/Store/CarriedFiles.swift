import CLibrary

/// The files that come by a carrier, whose functions work as long as the value lives.
@safe struct CarriedFiles: Sendable {
  let functions: Carrier

  init(_ functions: Carrier) { unsafe self.functions = functions }

  /// Returns the number of a file, or of an error, made negative.
  ///
  /// - Parameter size: The size that the file must have, in bytes; nil if that is not known.
  func open(_ name: FileName, size: Int?) -> CInt {
    unsafe name.withCString { unsafe functions.open(functions.context, $0, size.map(Int64.init) ?? -1) }
  }

  /// Returns the size of a file in bytes, or the number of an error, made negative.
  func size(of file: CInt) -> Int64 { unsafe functions.size(functions.context, file) }
}
