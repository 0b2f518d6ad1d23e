import Foundation
import TestSupport

import ShardBuilder

/// A file that is removed with its owner.
final class DatasetFile {
  let path: String

  init(_ bytes: some Sequence<UInt8>, suffix: String = "") throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("dataset-\(UUID().uuidString)\(suffix)").path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The records and errors of a dataset that was read to its end.
struct DatasetAnswer: Equatable {
  struct Field: Equatable, CustomStringConvertible {
    var name: String
    var kind: FieldKind
    var text: [UInt8]
    /// `name=text`, the text in quotes when it is a string, between bars when it is a literal.
    var description: String {
      let text = String(decoding: text, as: UTF8.self)
      return switch kind {
      case .string: "\(name)=\"\(text)\""
      case .number: "\(name)=\(text)"
      case .literal: "\(name)=|\(text)|"
      }
    }
  }

  var records: [[Field]] = []
  var bad: [DatasetReader.BadRecord] = []
  var badCount = 0
  var error: DatasetError?
  var format: DatasetFormat?
  var names: [String] = []

  /// One line: fields between spaces, records between semicolons.
  var text: String {
    records.map { $0.map(\.description).joined(separator: " ") }.joined(separator: "; ")
  }

  /// The places of the bad records and then of the error, without the path: `1:7`.
  var places: [String] { (bad + [fault].compactMap(\.self)).map { "\($0.line):\($0.column)" } }

  var fault: DatasetReader.BadRecord? {
    switch error {
    case .bad(let record), .malformed(let record): record
    default: nil
    }
  }

  var isMalformed: Bool { if case .malformed = error { true } else { false } }

  static func reading(path: String, _ options: DatasetOptions) -> DatasetAnswer {
    var answer = DatasetAnswer()
    do throws(DatasetError) {
      let reader = try DatasetReader(path: path, options: options)
      answer.format = reader.format
      do throws(DatasetError) {
        var batch = RecordBatch()
        while try reader.read(into: &batch) { answer.append(batch, reader.names) }
      } catch {
        answer.error = error
      }
      precondition(answer.error != nil || answer.records.count == reader.recordsRead)
      answer.bad = reader.badRecords
      answer.badCount = reader.badCount
      answer.names = reader.names.names
    } catch {
      answer.error = error
    }
    return answer
  }

  mutating func append(_ batch: RecordBatch, _ names: FieldNames) {
    var start = 0
    for end in batch.recordEnds {
      records.append(
        batch.fields[start..<Int(end)].map { slice in
          let text = batch.bytes[Int(slice.offset)..<Int(slice.offset + slice.length)]
          return Field(name: names.names[Int(slice.name)], kind: slice.kind, text: Array(text))
        })
      start = Int(end)
    }
  }
}

/// Reads `content` from a file; `<hh>` in it is the byte with that hexadecimal value.
func readingDataset(
  _ content: String, _ format: DatasetFormat?, columns: [String]? = nil, skipBad: Bool = false,
  block: Int = 256 << 10, suffix: String = "", _ change: (inout DatasetOptions) -> Void = { _ in }
) throws -> DatasetAnswer {
  var options = DatasetOptions(format: format, columns: columns, skipBad: skipBad)
  options.blockSizeBytes = block
  change(&options)
  let file = try DatasetFile(datasetBytes(content), suffix: suffix)
  return DatasetAnswer.reading(path: file.path, options)
}

func datasetBytes(_ content: String) -> [UInt8] {
  let utf8 = Array(content.utf8)
  var result: [UInt8] = []
  var index = 0
  while index < utf8.count {
    if utf8[index] == UInt8(ascii: "<"), index + 3 < utf8.count, utf8[index + 3] == UInt8(ascii: ">"),
      let byte = UInt8(String(decoding: utf8[index + 1...index + 2], as: UTF8.self), radix: 16)
    {
      result.append(byte)
      index += 4
    } else {
      result.append(utf8[index])
      index += 1
    }
  }
  return result
}

struct DatasetRandom: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
