import ShardBuilder
import ShardedIndex
import TestSupport

import CLibrary

/// Helpers of the builder's tests: records from texts, the real lists.
enum BuilderSupport {
  typealias Field = (name: String, kind: FieldKind, text: String)

  static func batch(_ records: [[Field]], _ names: inout FieldNames) -> RecordBatch {
    var batch = RecordBatch()
    for record in records {
      for field in record {
        let offset = UInt32(batch.bytes.count)
        batch.bytes += Array(field.text.utf8)
        batch.fields.append(
          FieldSlice(
            name: names.number(of: field.name), kind: field.kind, offset: offset,
            length: UInt32(batch.bytes.count) - offset))
      }
      batch.recordEnds.append(UInt32(batch.fields.count))
    }
    return batch
  }

  /// One chunk of all records; a bad record fails the test.
  static func chunk(
    _ records: [[Field]], template: String, names: inout FieldNames
  ) throws -> RecordArena {
    let batch = batch(records, &names)
    var encoder = RecordEncoder(template: try KeyTemplate(checking: template))
    let chunk = RecordArena()
    precondition(encoder.encode(batch, names: names, into: chunk).isEmpty)
    return chunk
  }

  static func bytes(_ record: RecordBlob) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: record.start, count: record.size))
  }

  static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// A new empty directory, removed by ``remove(_:)``.
  static func directory() -> String {
    var path = Array("/tmp/shardq-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&path) != nil)
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func entries(_ directory: String) -> [String] { Files.names(in: directory) }

  static func remove(_ directory: String) { Files.remove(directory) }

  static func write(_ bytes: [UInt8], _ path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    return readAll(file)
  }

  private static func readAll(_ file: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// A list from `$SHARDQ_DATA` or the folder beside the checkout, unpacked; nil if the list or `zstd` is missing.
  static func dataset(_ name: String) -> [UInt8]? {
    let folder = getenv("SHARDQ_DATA").map { String(cString: $0) } ?? "../shared/data"
    let path = "\(folder)/\(name).zst"
    guard access(path, R_OK) == 0, let pipe = popen("zstd -dcq '\(path)'", "r") else { return nil }
    let bytes = readAll(pipe)
    return pclose(pipe) == 0 && !bytes.isEmpty ? bytes : nil
  }

  /// The city list. Its JSON is split by its layout, without escapes, which is enough for measuring.
  static func cities(_ names: inout FieldNames) -> RecordBatch? {
    guard let bytes = dataset("cities.json") else { return nil }
    let fields: [(path: String, kind: FieldKind)] = [
      ("country", .string), ("name", .string), ("_id", .number), ("coord.lon", .number), ("coord.lat", .number),
    ]
    let numbers = fields.map { names.number(of: $0.path) }
    var batch = RecordBatch()
    batch.bytes = bytes
    bytes.withUnsafeBufferPointer { bytes in
      var (index, field) = (0, 0)
      while index < bytes.count {
        // A value follows a colon and is no object.
        guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] != UInt8(ascii: "{") else {
          index += 1
          continue
        }
        index += 1
        let isText = bytes[index] == UInt8(ascii: "\"")
        if isText { index += 1 }
        let start = index
        while isText
          ? bytes[index] != UInt8(ascii: "\"")
          : bytes[index] != UInt8(ascii: ",") && bytes[index] != UInt8(ascii: "}")
        {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        batch.fields.append(
          FieldSlice(
            name: numbers[field], kind: fields[field].kind, offset: UInt32(start), length: UInt32(index - start)))
        if isText { index += 1 }
        field = (field + 1) % fields.count
        if field == 0 { batch.recordEnds.append(UInt32(batch.fields.count)) }
      }
    }
    return batch
  }

  static func tabSeparated(_ bytes: [UInt8], _ columns: [String], _ names: inout FieldNames) -> RecordBatch {
    let numbers = columns.map { names.number(of: $0) }
    var batch = RecordBatch()
    batch.bytes = bytes
    bytes.withUnsafeBufferPointer { bytes in
      var (start, column) = (0, 0)
      for index in bytes.indices where bytes[index] == 9 || bytes[index] == 10 {
        batch.fields.append(
          FieldSlice(name: numbers[column], kind: .string, offset: UInt32(start), length: UInt32(index - start)))
        start = index + 1
        column += 1
        if bytes[index] == 10 {
          batch.recordEnds.append(UInt32(batch.fields.count))
          column = 0
        }
      }
    }
    return batch
  }

  static func sorted(_ chunks: [RecordArena], _ names: FieldNames) throws -> [[UInt8]] {
    var sort = ExternalSort(memory: 1 << 30, directory: RunDirectory(path: "/tmp"))
    for chunk in chunks { try sort.add(chunk, names: names) }
    let records = try sort.finish(names: names)
    var all: [[UInt8]] = []
    while let batch = try records.nextBatch() { all += batch.map(bytes) }
    return all
  }
}
