#if CommandLineTool
  import Answers
  import ArgumentParser
  import ShardedIndex
  import TestSupport
  import Testing

  import ShardBuilder
  import ShardqCommands

  /// Messages that name settings: the library's have the names of the Swift API, the command's have its options.
  @Suite("A message names the settings that its reader has") struct BuildMessageTests {
    /// A file and options that a build refuses, and the settings that the refusal names.
    struct Refusal: Sendable, CustomStringConvertible {
      var file: String
      var bytes: [UInt8]
      var names: [BuildSetting]
      var change: @Sendable (inout BuildOptions) -> Void

      init(
        _ file: String, _ text: String, _ names: BuildSetting...,
        change: @escaping @Sendable (inout BuildOptions) -> Void = { $0.key = "{id}" }
      ) {
        self.init(file, Array(text.utf8), names, change)
      }

      init(
        _ file: String, _ bytes: [UInt8], _ names: [BuildSetting],
        _ change: @escaping @Sendable (inout BuildOptions) -> Void = { $0.key = "{id}" }
      ) {
        (self.file, self.bytes, self.names, self.change) = (file, bytes, names, change)
      }

      var description: String { file + ": " + String(decoding: bytes.prefix(60), as: UTF8.self).debugDescription }

      /// Builds an index of the file, in a directory that may have an index.
      func error(in directory: TemporaryDirectory) -> BuildError? {
        directory.write(bytes, to: file)
        var options = BuildOptions()
        options.jobs = 1
        change(&options)
        if let weights = options.weightsFile { options.weightsFile = directory.path + "/" + weights }
        do throws(BuildError) {
          _ = try ShardBuilder.build([directory.path + "/" + file], into: directory.path + "/index", options: options)
          return nil
        } catch {
          return error
        }
      }
    }

    static let delimited = [
      Refusal("f.csv", "a;b,c\n1;2,3\n", .delimiter),
      Refusal("f.csv", ",name\n0,Ann\n", .namesColumns, .columns),
      Refusal("f.csv", "id,name\n1,A,\n", .inputFormat),
      Refusal("f.csv", "id,name\n1,A,x\n", .skipsBad),
      Refusal("f.csv", "id,name\n2\n", .isRagged, .skipsBad),
      Refusal("f.csv", "# made\nid,name\n1,A\n", .comment),
      Refusal("f.tsv", "#\tx\nid\tname\ty\n", .comment) { ($0.key, $0.replacesOtherIndex) = ("{x}", true) },
      Refusal("f.csv", "Report\n\nid,name\n1,A\n", .skippedLines, .inputFormat),
      Refusal("f.csv", "id\n1,A\n", .skippedLines, .skipsBad) {
        ($0.key, $0.skipBad) = ("{id}", false); $0.inputFormat = .csv; $0.dialect.delimiter = 0x2C
      },
      Refusal("f.csv", "id,name\n1,A\n", .skippedLines) { ($0.key, $0.dialect.skippedLines) = ("{id}", 3) },
      Refusal("f.csv", "id,name\n1, \"Smith\"\n", .inputFormat),
      Refusal("f.csv", "id,name\n1,Roth \"B\" St\n", .inputFormat),
      Refusal("f.csv", "id,name\n1,\"Al \\\"x\\\" B\"\n", .inputFormat),
      Refusal("f.csv", "id,name\r1,Al\r", .inputFormat),
      Refusal("f.csv", "id,name\n1,A\rl\n", .skipsBad),
      Refusal("f.tsv", "#escapes: \\t \\n \\r \\\\\nid\na\\x\n", .skipsBad),
      Refusal("f.csv", Array("id,name\n1,Z".utf8) + [0xFC, 0x0A], [.encoding, .skipsBad]),
      Refusal("f.csv", "id,name\n".utf8.flatMap { [$0, 0] }, [.encoding]),
      Refusal("f.csv", "id,name\n".utf8.flatMap { [$0, 0, 0, 0] }, []),
      Refusal("f.csv", "id,title,label\n1,A,B\n", .key, .columns) { _ in },
      Refusal("f.csv", "1,A\n", .columns, .namesColumns) { $0.columns = ["id", "id"] },
      Refusal("f", "a\0b", .inputFormat),
      Refusal("f.txt", "a\n", .columns) { ($0.columns, $0.inputFormat) = (["a", "b"], .lines) },
      Refusal("f.csv", "id,name\n1,A\n", .comment) { $0.dialect.comment = "" },
      Refusal("f.csv", "id,name\n1,A\n", .delimiter) { $0.dialect.delimiter = 0x22 },
    ]

    static let objects = [
      Refusal("f.jsonl", "{\"id\":1\n}\n", .inputFormat, .skipsBad),
      Refusal("f.jsonl", "{\"id\":1,\"id\":2}\n", .skipsBad),
      Refusal("f.json", "[[1,2]]", .inputFormat, .columns),
      Refusal("f.json", "{\"n\":1,\"a\":{\"b\":[{\"id\":1}]}}", .recordsPath, .inputFormat),
      Refusal("f.json", "{\"a\":{\"id\":1},\"b\":{\"id\":2}}", .inputFormat),
      Refusal("f.json", "{\"a\":[]}", .recordsPath) { $0.dialect.recordsPath = "a..b" },
      Refusal("f.json", "{\"a\":{\"b\":[]}}", .recordsPath) { $0.dialect.recordsPath = "a.c" },
      Refusal("f.json", "{\"a\":{\"b\":1}}", .recordsPath) { $0.dialect.recordsPath = "a.b" },
      Refusal("f.json", "{\"a\":1}", .recordsPath) { $0.dialect.recordsPath = "a.b" },
      Refusal("f.json", "[]", .columns, .inputFormat) { $0.columns = ["a"] },
      Refusal("f.json", "[]", .delimiter, .inputFormat) { ($0.dialect.delimiter, $0.inputFormat) = (0x2C, .json) },
      Refusal("f.json", "[]\n[]\n", .skippedLines, .inputFormat) { $0.dialect.skippedLines = 1 },
      Refusal("f.json", "[]", .comment, .inputFormat) { $0.dialect.comment = "#" },
      Refusal("f.json", "[]", .namesColumns, .inputFormat) { $0.dialect.namesColumns = true },
      Refusal("f.json", "[]", .isRagged, .inputFormat) { $0.dialect.isRagged = true },
      Refusal("f.json", "[]", .null, .inputFormat) { $0.dialect.null = "-" },
      Refusal("f.csv", "id\n1\n", .recordsPath, .inputFormat) { $0.dialect.recordsPath = "a" },
    ]

    /// Files of other programs, known by their first bytes.
    static let containers = [
      [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], Array("SQLite format 3\0".utf8), [0xD0, 0xCF, 0x11, 0xE0],
      Array("PAR1\0\0".utf8), Array("%PDF-1.4".utf8),
      [0x50, 0x4B, 3, 4] + Array("mimetypeapplication/vnd.oasis.opendocument".utf8),
    ].map { Refusal("f", $0 + Array(repeating: 0, count: 80), []) }

    static let settings = [
      Refusal("f.csv", "id,name\n1,A\n", .key) { $0.key = "{nmae}" },
      Refusal("f.csv", "id,name\n1,A\n", .keep) { ($0.key, $0.keep) = ("{id}", ["id", "x"]) },
      Refusal("f.csv", "id,name\n1,A\n", .weight) { ($0.key, $0.weight) = ("{id}", "x") },
      Refusal("f.csv", "id,name\n1,A\n", .alias) { ($0.key, $0.alias) = ("{id}", ["x"]) },
      Refusal("f.csv", "id,name\n1,A\n", .searchField) { ($0.key, $0.searchFields) = ("{id}", ["x:-4"]) },
      Refusal("f.csv", "id,name\n1,A\n", .filter) { ($0.key, $0.filter) = ("{id}", ["x"]) },
      Refusal("f.csv", "id,name\n1,A\n", .number) { ($0.key, $0.number) = ("{id}", ["name"]) },
      Refusal("f.csv", "id,name\n1,A\n", .names, .filter) {
        ($0.key, $0.namesFiles) = ("{id}", [("x", "weights.tsv")])
      },
      Refusal("f.csv", "id,name\n1,A\n", .near, .coordinates, .decimal) { ($0.key, $0.near) = ("{id}", true) },
      Refusal("f.csv", "id,name\n1,A\n", .id) { ($0.key, $0.id) = ("{id}", "x") },
      Refusal("f.csv", "id,name\n1,A\n", .id) { ($0.key, $0.weightsFile) = ("{id}", "weights.tsv") },
      Refusal("f.csv", "id,rank\n1,5\n", .weight) {
        ($0.key, $0.id, $0.weight, $0.weightsFile) = ("{id}", "id", "rank", "weights.tsv")
      },
      Refusal("f.csv", "id,name\n1,A\n", .memory) {
        ($0.key, $0.id, $0.weightsFile, $0.memoryBytes) = ("{id}", "id", "weights.tsv", 100)
      },
      Refusal("f.csv", "id,name\n1,A\n", .minimumRecords) { ($0.key, $0.minimumRecords) = ("{id}", 9) },
      Refusal("f.csv", "id,name\n1,A\n", .replacesOtherIndex) { $0.key = "{name}" },
      Refusal("f.csv", "id,name\n", .allowsEmpty),
      Refusal("f.csv", "id,name\n,A\n\" \",B\n", .skipsEmptyKeys, .allowsEmpty) {
        ($0.key, $0.skipEmptyKeys) = ("{id}", true)
      },
    ]

    static let refusals = delimited + objects + containers + settings

    /// The help of commands, by their names.
    private static let helps = Dictionary(
      uniqueKeysWithValues: Shardq.configuration.subcommands.map {
        ($0.configuration.commandName, Shardq.helpMessage(for: $0, columns: 2000))
      })

    /// Checks both texts of a message, and returns the settings whose options the command's text has.
    @discardableResult
    static func check(_ message: BuildMessage, in command: String, _ names: [BuildSetting]) -> Set<BuildSetting> {
      let library = message.description
      #expect(!library.contains("--") && !library.contains(" | ") && !library.contains("shardq "), "\(library)")
      let text = message.text
      let options = text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
      for option in options where !["--headless", "--convert-to", "--long"].contains(option) {
        #expect(helps[command]!.contains(option), "\(text)")
      }
      for name in names {
        #expect(library.contains(name.rawValue), "\(library)")
        #expect(options.contains { name.option.hasPrefix($0) }, "\(text)")
      }
      return Set(names)
    }

    /// A directory with an index whose key is `{id}`, and a file of weights.
    private static func directory() throws -> TemporaryDirectory {
      let directory = TemporaryDirectory()
      directory.write("1\t7\n", to: "weights.tsv")
      directory.write("id,name\n1,A\n", to: "first.csv")
      var options = BuildOptions()
      (options.key, options.jobs) = ("{id}", 1)
      _ = try ShardBuilder.build([directory.path + "/first.csv"], into: directory.path + "/index", options: options)
      return directory
    }

    @Test("a build's refusal fits its reader", arguments: refusals) func build(_ refusal: Refusal) throws {
      let error = try #require(refusal.error(in: Self.directory()))
      let names = refusal.names.filter { !Self.isOfShellLine($0, error) }
      Self.check(error.message, in: "build", names)
      for name in refusal.names { #expect(error.text.contains(name.option), "\(error.text)") }
    }

    /// Whether a message names a setting only in the line for a shell.
    private static func isOfShellLine(_ setting: BuildSetting, _ error: BuildError) -> Bool {
      error.text.contains(" | shardq build ") && [.inputFormat, .columns].contains(setting)
    }

    @Test("a remark fits its reader") func notes() throws {
      let directory = TemporaryDirectory()
      directory.write("id;name\n1;A\n", to: "f.csv")
      directory.write("a\nb\n", to: "f.txt")
      var options = BuildOptions()
      options.key = "{id}"
      let path = directory.path
      let semicolons = try ShardBuilder.build([path + "/f.csv"], into: path + "/a", options: options)
      let lines = try ShardBuilder.build([path + "/f.txt"], into: path + "/b")
      Self.check(try #require(semicolons.notes.first), in: "build", [.delimiter])
      Self.check(try #require(lines.notes.first), in: "build", [.inputFormat])
    }

    @Test("messages of updates, packs and repairs fit their reader") func others() throws {
      let directory = try Self.directory()
      let (path, first) = (directory.path, directory.path + "/first.csv")
      let noID = #expect(throws: BuildError.self) {
        try ShardBuilder.update(path + "/index", upsert: [first], delete: [])
      }
      // The option is one of the build.
      Self.check(try #require(noID).message, in: "build", [.id])
      var options = BuildOptions()
      (options.key, options.id, options.weightsFile) = ("{id}", "id", path + "/weights.tsv")
      _ = try ShardBuilder.build([first], into: path + "/weighted", options: options)
      let without = #expect(throws: BuildError.self) {
        try ShardBuilder.update(path + "/weighted", upsert: [first], delete: [])
      }
      Self.check(try #require(without).message, in: "update", [.weightsFile])
      options.weightsFile = nil
      _ = try ShardBuilder.build([first], into: path + "/plain", options: options)
      options.weightsFile = path + "/weights.tsv"
      let with = #expect(throws: BuildError.self) {
        try ShardBuilder.update(path + "/plain", upsert: [first], delete: [], options: options)
      }
      Self.check(try #require(with).message, in: "update", [.weightsFile])
      let verified = #expect(throws: Verifier.VerifyError.self) {
        try Verifier.verify(index: path + "/weighted", source: .init([first], options: .init())) { _ in }
      }
      guard case .template(let error) = verified else { throw try #require(verified) }
      Self.check(error.message, in: "verify", [.weightsFile])

      directory.write("id,name\n1,B\n", to: "second.csv")
      options.weightsFile = nil
      options.writesOverlay = true
      _ = try ShardBuilder.update(path + "/plain", upsert: [path + "/second.csv"], delete: [], options: options)
      let pack = #expect(throws: PackError.self) {
        try ShardBuilder.diff(old: path + "/plain", new: path + "/index", to: path + "/pack")
      }
      Self.check(try #require(pack).message, in: "update", [.merge])
      Self.check(PackError.damagedShard(path: "x", reason: "y").message, in: "repair", [])
      Self.check(
        RepairError.unprovenManifest(path: "x", reason: "y").message, in: "repair",
        [.expectedDigest, .takesUnproven])
      Self.check(RepairError.unprovenOverlay(path: "x").message, in: "repair", [.takesUnproven])
      let large = #expect(throws: BuildError.self) {
        try ManifestEncoder.checkSize(of: [UInt8](repeating: 0, count: Manifest.sizeLimit + 1), hasStarts: true)
      }
      Self.check(try #require(large).message, in: "build", [.shardLimit, .starts])
    }

    @Test("each setting has an option, and a message names it") func all() {
      let told = Set(Self.refusals.flatMap(\.names)).union([
        .weightsFile, .merge, .expectedDigest, .takesUnproven, .shardLimit, .starts,
      ])
      let help = Self.helps.values.joined()
      for setting in BuildSetting.allCases where ![.indexKey, .indexID].contains(setting) {
        #expect(told.contains(setting), "\(setting)")
        #expect(setting.option.hasPrefix("--") && help.contains(setting.option), "\(setting)")
      }
      for function in BuildFunction.allCases {
        #expect(function.command.hasPrefix("shardq ") && !function.rawValue.contains("shardq "), "\(function)")
      }
    }

    @Test("values are written as the shell and Swift read them") func values() {
      let message: BuildMessage = """
        \(pass: .comment, .text("#")), \(.delimiter, .delimiter(0x09)), \(.delimiter, .delimiter(0x3B)), \
        \(pass: .memory, .mebibytes(8)), \(.encoding, .encoding(.utf16LittleEndian)), \(.recordsPath, .text("a\\.b"))
        """
      #expect(
        message.text
          == "pass --comment '#', --delimiter tab, --delimiter ';', pass --memory 8MiB, --encoding utf-16le, --records 'a\\.b'"
      )
      #expect(
        message.description
          == #"""
          set DatasetDialect.comment to "#", DatasetDialect.delimiter = UInt8(ascii: "\t"), \#
          DatasetDialect.delimiter = UInt8(ascii: ";"), set BuildOptions.memoryBytes to 8388608, \#
          DatasetDialect.encoding = .utf16LittleEndian, DatasetDialect.recordsPath = "a\\.b"
          """#)
    }
  }
#endif
