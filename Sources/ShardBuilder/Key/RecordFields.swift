/// The fields of one record, and the memory that holds their texts.
@safe struct RecordFields {
  let fields: UnsafeBufferPointer<FieldSlice>
  let bytes: UnsafeBufferPointer<UInt8>

  @inline(__always) var count: Int { unsafe fields.count }
  @inline(__always) subscript(index: Int) -> FieldSlice { unsafe fields[index] }

  /// Returns the text of a field; an empty text for -1, a missing field.
  @inline(__always) func text(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    guard index >= 0 else { return unsafe .empty }
    let field = unsafe fields[index]
    return unsafe bytes.part(Int(field.offset)..<Int(field.offset) + Int(field.length))
  }
}
