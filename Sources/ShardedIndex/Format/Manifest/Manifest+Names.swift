import CLibrary

extension Manifest {
  /// Calls `body` with the path of each field, in order, until it returns false.
  package func forEachFieldName(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Bool) {
    var reader = unsafe ByteReader(fieldNameBytes)
    for number in 0..<fieldCount {
      // These reads cannot fail: `init` has checked the names.
      guard let size = try? reader.readVarint(), let name = unsafe try? reader.read(bytes: size),
        unsafe body(number, name)
      else {
        return
      }
    }
  }

  /// Whether the other has the same field names in the same order.
  func hasFieldNames(of other: borrowing Manifest) -> Bool {
    unsafe fieldNameBytes.count == other.fieldNameBytes.count
      && memcmp(fieldNameBytes.baseAddress!, other.fieldNameBytes.baseAddress!, fieldNameBytes.count) == 0
  }

  static func checkNames(_ bytes: UnsafeBufferPointer<UInt8>, count: Int) throws(FormatError) {
    var reader = unsafe ByteReader(bytes)
    for _ in 0..<count { _ = unsafe try reader.read(bytes: try reader.readVarint()) }
    guard reader.remaining == 0 else {
      throw .invalid(reason: "has \(reader.remaining) bytes behind its field names", offset: 0)
    }
  }

  static func checkSettings(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) {
    var reader = unsafe ByteReader(bytes)
    while reader.remaining > 0 {
      _ = unsafe try reader.read(bytes: try reader.readVarint())
      let value = unsafe try reader.read(bytes: try reader.readVarint())
      guard value.count <= Manifest.settingLimit else {
        throw .invalid(reason: "has a setting of \(value.count) bytes", offset: 0)
      }
    }
  }

  /// The value of a setting; nil if the manifest has no such setting.
  package func setting(_ wanted: StaticString) -> String? {
    unsafe setting(Array(UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)))
  }

  /// The table with other names of a field's values; nil if the manifest has none.
  package func names(ofValuesOf field: String) -> String? {
    setting(Array((IndexSettings.names + field).utf8))
  }

  private func setting(_ wanted: [UInt8]) -> String? {
    var reader = unsafe ByteReader(settingBytes)
    while reader.remaining > 0 {
      guard let size = try? reader.readVarint(), let name = unsafe try? reader.read(bytes: size),
        let valueSize = try? reader.readVarint(), let value = unsafe try? reader.read(bytes: valueSize)
      else { return nil }
      if unsafe name.elementsEqual(wanted) {
        return unsafe String(decoding: value, as: UTF8.self)
      }
    }
    return nil
  }

  /// The paths of all fields.
  package var fieldNames: [String] {
    var names: [String] = []
    names.reserveCapacity(fieldCount)
    unsafe forEachFieldName { _, name in
      unsafe names.append(String(decoding: name, as: UTF8.self))
      return true
    }
    return names
  }

  /// Returns the number of the field with this path, from the bytes of the manifest; nil if no field has this path.
  package func fieldNumber(of path: UnsafeBufferPointer<UInt8>) -> Int? {
    var found: Int?
    unsafe forEachFieldName { number, name in
      guard name.count == path.count, unsafe memcmp(name.baseAddress!, path.baseAddress!, name.count) == 0 else {
        return true
      }
      found = number
      return false
    }
    return found
  }
}
