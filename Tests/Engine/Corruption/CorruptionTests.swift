import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

@Suite("Damage that checksums see", .serialized) struct CorruptionTests {
  static let key = "{name}, {country}"

  static func build(_ records: [ModelRecord] = ModelRecord.small()) throws -> SmallIndex {
    try SmallIndex(records, key: key, shardLimitBytes: 3000)
  }

  /// Asks an index for everything, in many ways, and compares.
  ///
  /// - Returns: The error that came first, if one did.
  /// - Throws: Any error but ``IndexError``, or a wrong answer.
  struct Probe {
    let scan: LinearScan
    let prefixes: [([UInt8], ScanAnswer)]
    private let buffer = RecordBuffer()

    init(_ records: [ModelRecord]) {
      scan = LinearScan(records, key: [.field("name"), .text(", "), .field("country")])
      var prefixes: [([UInt8], ScanAnswer)] = []
      scan.forEachPrefix(firstIn: 0..<scan.count) { prefix, range in
        if range.lowerBound % 16 == 0 || prefix.count == 2 { prefixes.append((Array(prefix), range)) }
      }
      self.prefixes = prefixes
    }

    struct Wrong: Error { var description: String }

    func run(_ path: String) throws -> IndexError? {
      do throws(IndexError) {
        let index = try ShardedIndex(opening: path)
        let fieldNumbers = scan.fieldNumbers(of: index)
        var wrong: String?
        let all = try index.matches(forPrefix: "")
        if all.count != scan.count { wrong = "\(all.count) records" }
        try all.read(0..<scan.count, into: buffer)
        wrong = wrong ?? scan.difference(buffer, 0..<scan.count, fieldNumbers)
        for (prefix, range) in prefixes {
          let matches = try Self.ask(index, prefix)
          if matches.count != range.count { wrong = wrong ?? "\(prefix): \(matches.count)" }
          try matches.read(0..<3, into: buffer)
          wrong = wrong ?? scan.difference(buffer, range.prefix(3), fieldNumbers)
        }
        if let wrong { return .io(operation: "WRONG: \(wrong)", path: path, errno: 0) }
        return nil
      } catch {
        return error
      }
    }

    static func ask(_ index: ShardedIndex, _ prefix: [UInt8]) throws(IndexError) -> ShardedIndex.Matches {
      let answer = prefix.withUnsafeBufferPointer { bytes in
        Result { () throws(IndexError) in try index.matches(forFoldedPrefix: FoldedPrefix(bytes)) }
      }
      return try answer.get()
    }
  }

  /// The fault of an outcome; nil if it is the right answer or a typed error that names `file`.
  static func fault(_ outcome: IndexError?, _ file: String) -> String? {
    switch outcome {
    case nil: nil
    case .io(let operation, let path, _):
      operation.hasPrefix("WRONG") ? operation : path == file ? nil : "names \(path)"
    case .corrupt(let path, _), .vanished(let path), .superseded(let path), .notFound(let path),
      .wrongDigest(let path, _, _), .unreachable(let path, _), .foreignCache(let path):
      path == file ? nil : "names \(path)"
    case .refused: "names no file"
    }
  }

  @Test("a flipped byte of any file is an error, or changes no answer")
  func flips() throws {
    let records = ModelRecord.small()
    let built = try Self.build(records)
    let probe = Probe(records)
    #expect(try probe.run(built.path) == nil)
    #expect(built.open.shardCount >= 4)
    let started = monotonicSeconds()
    var (flips, unharmed) = (0, 0)
    // No query reads the notes behind the manifest's pages: ``UpdateTests`` damages those.
    let notesSize = try FrameSurgery(built.path).notesSize
    for (name, whole) in Files.contents(of: built.path) {
      let bytes = name == Manifest.fileName ? whole.dropLast(notesSize) : whole[...]
      let path = "\(built.path)/\(name)"
      for (offset, byte) in bytes.enumerated() {
        // All bits at once, and one bit.
        for mask in [0xff, 1 << UInt8(truncatingIfNeeded: offset % 8)] as [UInt8] {
          Files.overwrite(path, at: offset, with: [byte ^ mask])
          let outcome = try probe.run(built.path)
          let fault = Self.fault(outcome, path)
          #expect(fault == nil, "\(name), byte \(offset) ^ \(mask)")
          flips += 1
          if outcome == nil { unharmed += 1 }
        }
        Files.overwrite(path, at: offset, with: [byte])
      }
    }
    print("\(flips) flips in \(hundredths(monotonicSeconds() - started)) s, \(unharmed) without effect")
    #expect(unharmed < flips / 100)
    #expect(try probe.run(built.path) == nil)
  }

  @Test("a file cut to any length, or with bytes behind its end, is an error or answers right")
  func truncations() throws {
    let records = ModelRecord.small()
    let built = try Self.build(records)
    let probe = Probe(records)
    for (name, bytes) in Files.contents(of: built.path) {
      let path = "\(built.path)/\(name)"
      for size in (0..<bytes.count).reversed() {
        Files.setSize(of: path, to: size)
        let outcome = try probe.run(built.path)
        #expect(
          outcome != nil && Self.fault(outcome, path) == nil,
          "\(name) cut to \(size): \(String(describing: outcome))")
      }
      for more in [[0], [0xff], [0x28, 0xb5, 0x2f, 0xfd], bytes, [UInt8](repeating: 0, count: 100_000)] {
        Files.write(bytes + more, to: path)
        let outcome = try probe.run(built.path)
        #expect(
          outcome != nil && Self.fault(outcome, path) == nil,
          "\(name) and \(more.count): \(String(describing: outcome))")
      }
      Files.write(bytes, to: path)
    }
    #expect(try probe.run(built.path) == nil)
  }

  @Test("swapped, old and missing files are errors, or change no answer")
  func swaps() throws {
    let records = ModelRecord.small()
    let built = try Self.build(records)
    let probe = Probe(records)
    let contents = Files.contents(of: built.path)
    for (name, bytes) in contents {
      let path = "\(built.path)/\(name)"
      for (other, otherBytes) in contents where other != name {
        Files.write(otherBytes, to: path)
        let outcome = try probe.run(built.path)
        #expect(
          outcome != nil && Self.fault(outcome, path) == nil,
          "\(other) as \(name): \(String(describing: outcome))")
      }
      Files.remove(path)
      let outcome = try probe.run(built.path)
      #expect(outcome == (name == "manifest" ? .notFound(path: built.path) : .vanished(path: path)))
      Files.write(bytes, to: path)
    }
    #expect(try probe.run(built.path) == nil)
  }

  @Test("an old shard of the same size as the new one is an error")
  func oldShard() throws {
    let records = ModelRecord.small()
    let old = try Self.build(records)
    let oldFiles = Files.contents(of: old.path)
    var found = 0
    for digit in 0..<40 {
      var changed = records
      let field = changed[77].fields.firstIndex { $0.name == "id" }!
      changed[77].fields[field].text = "\(digit + 100)"
      let new = try Self.build(changed)
      let probe = Probe(changed)
      let newFiles = Files.contents(of: new.path)
      for (name, bytes) in newFiles where oldFiles[name] == nil && name != "manifest" {
        for (oldName, oldBytes) in oldFiles
        where newFiles[oldName] == nil && oldBytes.count == bytes.count && oldBytes != bytes {
          found += 1
          Files.write(oldBytes, to: "\(new.path)/\(name)")
          let outcome = try probe.run(new.path)
          let path = "\(new.path)/\(name)"
          guard case .corrupt(path, .wrongChecksum) = outcome else {
            Issue.record("\(oldName) as \(name): \(String(describing: outcome))")
            return
          }
        }
      }
    }
    #expect(found > 0, "no two builds with shards of one size")
  }

  @Test("links, pipes, directories and huge files in the place of a file are errors")
  func otherThings() throws {
    let records = ModelRecord.small()
    let built = try Self.build(records)
    let probe = Probe(records)
    for (name, bytes) in Files.contents(of: built.path) {
      let path = "\(built.path)/\(name)"
      let elsewhere = "\(built.directory)/elsewhere"
      Files.write(bytes, to: elsewhere)
      func expectDamage(_ what: String) throws {
        let started = monotonicSeconds()
        let outcome = try probe.run(built.path)
        #expect(
          outcome != nil && Self.fault(outcome, path) == nil,
          "\(what) as \(name): \(String(describing: outcome))")
        #expect(monotonicSeconds() - started < 5, "\(what) as \(name)")
        Files.remove(path)
      }
      Files.remove(path)
      #expect(symlink(elsewhere, path) == 0)
      try expectDamage("a link")
      #expect(symlink("nowhere", path) == 0)
      try expectDamage("a link to nowhere")
      #expect(mkfifo(path, 0o600) == 0)
      try expectDamage("a pipe")
      #expect(mkdir(path, 0o755) == 0)
      try expectDamage("a directory")
      Files.write(bytes, to: path)
      Files.setSize(of: path, to: 1 << 40)
      try expectDamage("a terabyte of nothing")
      Files.write(bytes, to: path)
      Files.setSize(of: path, to: 60 << 20)
      try expectDamage("sixty megabytes of nothing")
      Files.write([], to: path)
      try expectDamage("an empty file")
      Files.write(bytes, to: path)
    }
    #expect(try probe.run(built.path) == nil)
  }
}
