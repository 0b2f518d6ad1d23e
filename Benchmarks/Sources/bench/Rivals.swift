import CSortedArray
import ShardedIndex

/// A contender whose answers can be compared.
protocol Answers {
  /// Counts all matches.
  func count(_ prefix: Prefix) -> Int
  /// Returns the texts of the first 20 matches.
  func texts(_ prefix: Prefix) -> [[String]]
}

/// A contender that answers in this process. `firstMatches` and `count` are timed, with a reading of the clock.
protocol Contender: Answers {
  /// Decodes the first 20 matches of a prefix with all their fields, and returns their number.
  func firstMatches(_ prefix: Prefix) -> Int
}

/// A prefix as typed and folded. Only the engine gets the typed text: the others do not pay for folding.
struct Prefix {
  var typed: UnsafeBufferPointer<UInt8>
  var folded: UnsafeBufferPointer<UInt8>
}

struct Engine: Contender {
  let index: ShardedIndex
  private let buffer = RecordBuffer()

  init(_ directory: String, cacheLimitBytes: Int) throws {
    index = try ShardedIndex(opening: directory, options: .init(cacheLimitBytes: cacheLimitBytes))
  }

  @inline(__always) func firstMatches(_ prefix: Prefix) -> Int {
    do throws(IndexError) {
      try index.search(utf8: prefix.typed, order: .key, limit: 20).read(0..<20, into: buffer)
      return buffer.count
    } catch {
      stop("\(error)")
    }
  }

  @inline(__always) func count(_ prefix: Prefix) -> Int {
    do throws(IndexError) {
      return try index.search(utf8: prefix.typed, order: .key).count
    } catch {
      stop("\(error)")
    }
  }

  func texts(_ prefix: Prefix) -> [[String]] {
    do throws(IndexError) {
      return try index.search(utf8: prefix.typed, order: .key).records(in: 0..<20).map { $0.fields.map(\.text) }
    } catch {
      stop("\(error)")
    }
  }
}

/// The sorted array: all records uncompressed in one mapped file. See sorted_array.h.
final class SortedArray: Contender {
  private var array = sorted_array()
  private var answer = sorted_array_answer()

  init(_ path: String) {
    guard sorted_array_open(&array, path) == 0 else { stop("cannot map \(path)") }
    sorted_array_answer_init(&answer, 20, array.fields)
  }

  deinit { sorted_array_close(&array) }

  var recordCount: Int { Int(array.count) }
  private var fieldCount: Int { Int(array.fields) }

  @inline(__always) func firstMatches(_ prefix: Prefix) -> Int {
    Int(sorted_array_first(&array, prefix.folded.baseAddress, prefix.folded.count, 20, &answer))
  }

  @inline(__always) func count(_ prefix: Prefix) -> Int {
    Int(sorted_array_count(&array, prefix.folded.baseAddress, prefix.folded.count))
  }

  func texts(_ prefix: Prefix) -> [[String]] {
    let records = firstMatches(prefix)
    let bytes = UnsafeBufferPointer(start: UnsafePointer(answer.bytes), count: Int(answer.size))
    return (0..<records).map { record in
      (record * fieldCount..<(record + 1) * fieldCount).map { text in
        let start = text == 0 ? 0 : Int(answer.ends[text - 1])
        return String(decoding: bytes[start..<Int(answer.ends[text])], as: UTF8.self)
      }
    }
  }

  /// Returns a record of the file: its folded key and its fields.
  func record(_ number: Int) -> (folded: UnsafeBufferPointer<UInt8>, fields: [UnsafeBufferPointer<UInt8>]) {
    let record = array.records + Int(array.offsets[number])
    var start = record + 1 + fieldCount
    let folded = UnsafeBufferPointer(start: start, count: Int(record[0]))
    start += folded.count
    var fields: [UnsafeBufferPointer<UInt8>] = []
    for field in 0..<fieldCount {
      fields.append(UnsafeBufferPointer(start: start, count: Int(record[1 + field])))
      start += fields[field].count
    }
    return (folded, fields)
  }
}
