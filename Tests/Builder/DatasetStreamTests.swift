import CZlib
import Foundation
import TestSupport
import Testing

#if ZstdFromSource
  import libzstd
#else
  import CZstd
#endif

import ShardBuilder

func datasetGzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var input = bytes
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
  let count = input.withUnsafeMutableBufferPointer { source in
    output.withUnsafeMutableBufferPointer { target in
      (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
      (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
      precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
      return target.count - Int(stream.avail_out)
    }
  }
  return Array(output.prefix(count))
}

func datasetZstd(_ bytes: [UInt8], windowLog: CInt = 0, checksum: Bool = true) -> [UInt8] {
  let context = ZSTD_createCCtx()
  defer { ZSTD_freeCCtx(context) }
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0)
  if windowLog > 0 {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog)
    // The size is unknown, so that the window does not take it.
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
  }
  var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
  let count = bytes.withUnsafeBytes { source in
    output.withUnsafeMutableBytes { target in
      var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
      var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
      if windowLog > 0 { _ = ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush) }
      precondition(ZSTD_compressStream2(context, &output, &input, ZSTD_e_end) == 0)
      return output.pos
    }
  }
  return Array(output.prefix(count))
}

@Suite("Dataset: files, compression, blocks") struct DatasetStreamTests {
  static let array = Array(
    ("["
      + (0..<400).map {
        "{\"name\":\"city \($0) é\",\"n\":\($0),\"at\":{\"lon\":\($0).5,\"lat\":[1, \"x\"]},\"e\":\"\\u00e9\\n\"}"
      }
      .joined(separator: ",\n ") + "]\n").utf8)

  @Test("every block size gives the same records")
  func blocks() throws {
    let file = try DatasetFile(Self.array.prefix(6000))
    let whole = DatasetAnswer.reading(path: file.path, DatasetOptions(format: .json))
    #expect(whole.error != nil)  // Cut, and in the same place each time.
    for block in Array(1...300) + [511, 512, 513, 4096, 6000, 6001] {
      var options = DatasetOptions(format: .json)
      options.blockSizeBytes = block
      let reader = try DatasetReader(path: file.path, options: options)
      var answer = DatasetAnswer()
      var batch = RecordBatch()
      var error: DatasetError?
      do throws(DatasetError) {
        while try reader.read(into: &batch) { answer.append(batch, reader.names) }
      } catch let thrown {
        error = thrown
      }
      #expect(error == whole.error, "block \(block)")
      #expect(answer.records.count <= 400)
    }
    let full = try DatasetFile(Self.array)
    let reference = DatasetAnswer.reading(path: full.path, DatasetOptions(format: .json))
    #expect(reference.records.count == 400 && reference.error == nil)
    #expect(
      reference.records[7].description == #"[name="city 7 é", n=7, at.lon=7.5, at.lat=|[1,"x"]|, e="é"#
        + "\n\"]")
    for block in Array(1...40) + stride(from: 41, to: 500, by: 7) {
      var options = DatasetOptions(format: .json)
      options.blockSizeBytes = block
      #expect(DatasetAnswer.reading(path: full.path, options) == reference, "block \(block)")
    }
  }

  static let compressed: KeyValuePairs<String, [UInt8]> = [
    "gzip": datasetGzip(array),
    "gzip of two members": datasetGzip(Array(array[..<1000])) + datasetGzip(Array(array[1000...])),
    "gzip with an empty member": datasetGzip([]) + datasetGzip(array) + datasetGzip([]),
    "zstd": datasetZstd(array),
    "zstd of two frames":
      datasetZstd(Array(array[..<1000])) + datasetZstd(Array(array[1000...]), checksum: false),
    "zstd with skippable and empty frames": skippable + datasetZstd([]) + datasetZstd(array) + skippable,
    "zstd of the largest window": datasetZstd(array, windowLog: 27),
  ]
  /// Passed by name, since a test's log shows its arguments.
  static let compressedNames = compressed.map(\.key)
  static func stored(_ name: String) -> [UInt8] { compressed.first { $0.key == name }!.value }
  static let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]

  @Test("compressed input is read under any name", arguments: compressedNames)
  func inflates(name: String) throws {
    let stored = Self.stored(name)
    let plain = try DatasetFile(Self.array)
    let reference = DatasetAnswer.reading(path: plain.path, DatasetOptions(format: .json))
    let file = try DatasetFile(stored, suffix: ".json")
    for block in [1, 100, 1 << 18] {
      var options = DatasetOptions()
      options.blockSizeBytes = block
      #expect(DatasetAnswer.reading(path: file.path, options) == reference)
    }
    let reader = try DatasetReader(path: file.path)
    #expect(reader.bytesTotal == stored.count)
    var batch = RecordBatch()
    while try reader.read(into: &batch) {}
    #expect(reader.bytesRead == stored.count)
  }

  @Test("compressed input cut anywhere is an error", arguments: compressedNames)
  func cut(name: String) throws {
    let stored = Self.stored(name)
    for count in stride(from: 4, to: stored.count, by: 41) {
      let file = try DatasetFile(stored.prefix(count), suffix: ".json")
      let answer = DatasetAnswer.reading(path: file.path, DatasetOptions(format: .json))
      switch answer.error {
      case .badCompression(_, let offset, let reason):
        #expect(offset == count && reason.description.contains("too early"))
      // Cut between two frames: the array ends too early.
      case .malformed: break
      // The bytes behind the last frame with content may be missing.
      case nil: #expect(answer.records.count == 400)
      default: Issue.record("\(name) cut to \(count): \(String(describing: answer.error))")
      }
    }
  }

  @Test("damaged compressed input is an error or the right answer", arguments: compressedNames)
  func damaged(name: String) throws {
    let stored = Self.stored(name)
    for index in stride(from: 4, to: stored.count, by: 61) {
      var bytes = stored
      bytes[index] ^= 0x10
      let file = try DatasetFile(bytes, suffix: ".json")
      let answer = DatasetAnswer.reading(path: file.path, DatasetOptions(format: .json))
      #expect(answer.error != nil || answer.records.count == 400, "\(name), byte \(index)")
    }
  }

  @Test("garbage after compressed data and a window that is too large are refused")
  func refused() throws {
    for (stored, reason) in [
      (datasetGzip(Self.array) + [1, 2, 3], "not gzip"),
      (datasetZstd(Self.array) + [1, 2, 3, 4], "not zstd"),
      (datasetZstd(Self.array, windowLog: 28), "decompress the file first"),
    ] {
      let file = try DatasetFile(stored)
      guard
        case .badCompression(_, _, let found) = DatasetAnswer.reading(
          path: file.path, DatasetOptions(format: .json)
        ).error
      else {
        Issue.record("accepted: \(reason)")
        continue
      }
      #expect(found.description.contains(reason))
    }
  }

  @Test("a path that is no file is refused")
  func noFile() throws {
    #expect(
      DatasetAnswer.reading(path: "/nonexistent/x.json", DatasetOptions()).error
        == .cannotOpen(path: "/nonexistent/x.json", errno: ENOENT))
    let directory = FileManager.default.temporaryDirectory.path
    #expect(DatasetAnswer.reading(path: directory, DatasetOptions()).error == .isDirectory(path: directory))
    #expect(DatasetError.isDirectory(path: "a\u{1B}[31m").description.contains("\u{1B}") == false)
  }

  @Test("a pipe may give few bytes at a time")
  func fifo() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "dataset-\(UUID().uuidString).fifo"
    ).path
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let content = datasetGzip(Self.array)
    let writer = Thread {
      let descriptor = open(path, O_WRONLY)
      for start in stride(from: 0, to: content.count, by: 97) {
        content[start..<min(start + 97, content.count)].withUnsafeBytes {
          _ = write(descriptor, $0.baseAddress, $0.count)
        }
        usleep(100)
      }
      close(descriptor)
    }
    writer.start()
    let answer = DatasetAnswer.reading(path: path, DatasetOptions())
    #expect(answer.error == nil && answer.records.count == 400 && answer.format == .json)
  }

  @Test("records before an error are delivered; then every call throws the error, with an empty batch")
  func throwsAgain() throws {
    let file = try DatasetFile("[{\"a\":1},{\"a\":1,\"a\":2}]".utf8)
    let reader = try DatasetReader(path: file.path)
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch))
    #expect(batch.recordEnds == [1] && reader.recordsRead == 1)
    for _ in 0..<3 {
      let error = #expect(throws: DatasetError.self) { try reader.read(into: &batch) }
      #expect(
        error?.description
          == "\(file.path):1:17: record 2: the member \"a\" stands twice in one object; leave such records out with BuildOptions.skipBad"
      )
      #expect(batch.recordEnds.isEmpty && batch.bytes.isEmpty)
    }
  }

  @Test("batches are about a block, and memory does not grow with the dataset")
  func bounded() throws {
    let record = "{\"name\":\"some text or other\",\"number\":12345}"
    let file = try DatasetFile(
      ("[" + Array(repeating: record, count: 200_000).joined(separator: ",") + "]").utf8)
    let reader = try DatasetReader(path: file.path)
    var batch = RecordBatch()
    var (count, largest) = (0, 0)
    while try reader.read(into: &batch) {
      count += batch.recordEnds.count
      largest = max(largest, batch.bytes.capacity + batch.fields.capacity * MemoryLayout<FieldSlice>.stride)
    }
    #expect(count == 200_000 && reader.recordsRead == count)
    #expect(largest < 2 << 20)
  }

  @Test("every good record is delivered and every bad one counted", arguments: UInt64(1)...30)
  func accounting(seed: UInt64) throws {
    var random = DatasetRandom(state: seed)
    let total = 200
    let isBad = (0..<total).map { _ in Int.random(in: 0..<5, using: &random) == 0 }
    func content(_ format: DatasetFormat) -> String {
      let rows = isBad.enumerated().map { index, bad in
        switch format {
        case .json:
          bad ? ["7", "{\"a\":\"<ff>\"}", "{\"a\":1,\"a\":2}", "[\n1]"][index % 4] : "{\"a\":\(index)}"
        case .jsonl: bad ? ["7", "{\"a\":\"<ff>\"}", "{\"a\":", "}\"{"][index % 4] : "{\"a\":\(index)}"
        case .csv: bad ? ["1,2", "<ff>", "\"\"x", "x\"", "\"\n\",\"\n\""][index % 5] : "\(index)"
        default: bad ? ["1\t2", "<ff>"][index % 2] : "\(index)"
        }
      }
      return switch format {
      case .json: "[" + rows.joined(separator: ",") + "]"
      case .jsonl: rows.joined(separator: "\n")
      default: "a\n" + rows.joined(separator: "\n") + "\n"
      }
    }
    let good = isBad.indices.filter { !isBad[$0] }.map(String.init)
    for format in [DatasetFormat.json, .jsonl, .csv, .tsv] {
      for block in [1, 10, 33, 1 << 16] {
        let answer = try readingDataset(content(format), format, skipBad: true, block: block)
        #expect(answer.error == nil)
        #expect(
          answer.records.map { String(decoding: $0[0].text, as: UTF8.self) } == good,
          "\(format), seed \(seed)")
        #expect(answer.records.count + answer.badCount == total)
      }
    }
  }
}
