#if CommandLineTool && SQLITE
  import CSQLite3
  import Footprint
  import ShardedIndex

  struct SQLiteError: Error, CustomStringConvertible {
    var description: String
  }

  /// A connection to SQLite. A failure throws SQLite's own message.
  final class Connection {
    fileprivate var handle: OpaquePointer?

    init(_ path: String, writable: Bool = false) throws {
      let flags = writable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
      guard sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else { throw failure }
    }

    deinit { sqlite3_close(handle) }

    fileprivate var failure: SQLiteError {
      SQLiteError(description: "SQLite: " + String(cString: sqlite3_errmsg(handle)))
    }

    func run(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }
  }

  /// A prepared statement; columns and parameters are counted from 0.
  final class Statement {
    private let connection: Connection
    private var handle: OpaquePointer?

    init(_ connection: Connection, _ sql: String) throws {
      self.connection = connection
      guard sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil) == SQLITE_OK
      else { throw connection.failure }
    }

    deinit { sqlite3_finalize(handle) }

    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    func bind(_ text: String?, at parameter: Int) {
      guard var text else {
        sqlite3_bind_null(handle, CInt(parameter + 1))
        return
      }
      text.withUTF8 { bytes in
        _ = bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text(
            handle, CInt(parameter + 1), $0.baseAddress ?? UnsafePointer(bitPattern: 1), CInt($0.count), Self.copied)
        }
      }
    }

    func bind(_ bytes: [UInt8], at parameter: Int) {
      bytes.withUnsafeBytes { bytes in
        // An empty blob has to have an address, or it is null.
        _ = sqlite3_bind_blob(
          handle, CInt(parameter + 1), bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), CInt(bytes.count),
          Self.copied)
      }
    }

    func bind(_ number: Int, at parameter: Int) { sqlite3_bind_int64(handle, CInt(parameter + 1), Int64(number)) }
    func bind(_ number: Double, at parameter: Int) { sqlite3_bind_double(handle, CInt(parameter + 1), number) }

    /// Steps to the next row, and returns whether there is one.
    func step() throws -> Bool {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      default: throw connection.failure
      }
    }

    func reset() { sqlite3_reset(handle) }

    func text(_ column: Int) -> String? {
      guard let bytes = sqlite3_column_text(handle, CInt(column)) else { return nil }
      return String(
        decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, CInt(column)))),
        as: UTF8.self)
    }

    func integer(_ column: Int) -> Int { Int(sqlite3_column_int64(handle, CInt(column))) }
    func double(_ column: Int) -> Double { sqlite3_column_double(handle, CInt(column)) }
  }

  /// A record that a row can hold.
  protocol RowModel: RecordModel {
    /// Returns the declarations of the columns of records with so many fields.
    static func columns(fieldCount: Int) -> [String]
    func bind(to statement: Statement, from column: Int)
    init(row statement: Statement, fieldCount: Int)
  }

  extension City: RowModel {
    static func columns(fieldCount: Int) -> [String] {
      ["country TEXT", "name TEXT", "id INTEGER", "lon REAL", "lat REAL"]
    }

    func bind(to statement: Statement, from column: Int) {
      statement.bind(country, at: column)
      statement.bind(name, at: column + 1)
      statement.bind(id, at: column + 2)
      statement.bind(coord.lon, at: column + 3)
      statement.bind(coord.lat, at: column + 4)
    }

    init(row statement: Statement, fieldCount: Int) {
      self.init(
        country: statement.text(0) ?? "", name: statement.text(1) ?? "", id: statement.integer(2),
        coord: Coordinate(lon: statement.double(3), lat: statement.double(4)))
    }
  }

  extension PlainRecord: RowModel {
    static func columns(fieldCount: Int) -> [String] { (0..<fieldCount).map { "field\($0) TEXT" } }

    func bind(to statement: Statement, from column: Int) {
      for (number, field) in fields.enumerated() { statement.bind(field, at: column + number) }
    }

    init(row statement: Statement, fieldCount: Int) {
      // The key is not read from rows.
      self.init(key: "", fields: (0..<fieldCount).map { statement.text($0) })
    }
  }

  /// SQLite through its C library, with prepared statements and no other tuning.
  struct SQLiteDesign<Model: RowModel>: PagedDesign {
    private let connection: Connection
    private let first: Statement
    private let count: Statement
    /// The statements for texts without a word; nil for the plain table.
    private let withoutWords: (first: Statement, count: Statement)?
    private let fieldCount: Int
    var page: [Model] = []

    init(_ path: String, fieldCount: Int, usesWords: Bool) throws {
      connection = try Connection(path)
      self.fieldCount = fieldCount
      let columns = Self.names(fieldCount).joined(separator: ", ")
      let range = "records.folded >= ?1 AND records.folded < ?2"
      let plain = (
        first:
          "SELECT \(columns) FROM records WHERE \(range) ORDER BY \(usesWords ? "number" : "folded, number") LIMIT \(Replay.pageSize)",
        count: "SELECT count(*) FROM records WHERE \(range)"
      )
      if usesWords {
        let matching = "FROM words CROSS JOIN records ON number = words.rowid WHERE words MATCH ?3 AND \(range)"
        first = try Statement(
          connection, "SELECT \(columns) \(matching) ORDER BY words.rowid LIMIT \(Replay.pageSize)")
        count = try Statement(connection, "SELECT count(*) \(matching)")
        withoutWords = (try Statement(connection, plain.first), try Statement(connection, plain.count))
      } else {
        first = try Statement(connection, plain.first)
        count = try Statement(connection, plain.count)
        withoutWords = nil
      }
    }

    private static func names(_ fieldCount: Int) -> [String] {
      Model.columns(fieldCount: fieldCount).map { String($0.prefix { $0 != " " }) }
    }

    mutating func add(_ beginning: KeyBeginning) throws -> Int {
      let prefix = Array(beginning.text.utf8)
      // No key has a byte 0 or 0xff.
      let end = prefix + [beginning.isWhole ? 0 : 0xff]
      guard let withoutWords else { return try add(prefix, end, nil, first, count) }
      // The words find candidates that begin with the same words. The folded column decides which begin with the text.
      let phrase =
        "^ \""
        + String(decoding: prefix, as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false).joined(
          separator: "\"\"") + "\" *"
      let found = try add(prefix, end, phrase, first, count)
      let hasWord = prefix.contains { $0 >= 0x61 && $0 <= 0x7a || $0 >= 0x30 && $0 <= 0x39 }
      return found > 0 || hasWord ? found : try add(prefix, end, nil, withoutWords.first, withoutWords.count)
    }

    private mutating func add(
      _ prefix: [UInt8], _ end: [UInt8], _ phrase: String?, _ first: Statement, _ count: Statement
    ) throws -> Int {
      for statement in [first, count] {
        statement.bind(prefix, at: 0)
        statement.bind(end, at: 1)
        if let phrase { statement.bind(phrase, at: 2) }
      }
      defer {
        first.reset()
        count.reset()
      }
      while room > 0, try first.step() { page.append(Model(row: first, fieldCount: fieldCount)) }
      return try count.step() ? count.integer(0) : 0
    }

    /// Writes the file of an index's records, which are in order.
    static func build(_ path: String, of index: ShardedIndex, fieldCount: Int, usesWords: Bool) throws {
      let connection = try Connection(path, writable: true)
      try connection.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
      let columns = Model.columns(fieldCount: fieldCount).joined(separator: ", ")
      if usesWords {
        try connection.run("CREATE TABLE records (number INTEGER PRIMARY KEY, folded BLOB NOT NULL, \(columns))")
        try connection.run(
          "CREATE VIRTUAL TABLE words USING fts5(folded, content='', prefix='1 2 3', tokenize='unicode61 remove_diacritics 0')"
        )
      } else {
        // The table is its own index, so a query walks one tree.
        try connection.run(
          "CREATE TABLE records (folded BLOB NOT NULL, number INTEGER NOT NULL, \(columns), PRIMARY KEY (folded, number)) WITHOUT ROWID"
        )
      }
      let names = (["folded", "number"] + names(fieldCount)).joined(separator: ", ")
      let places = Array(repeating: "?", count: fieldCount + 2).joined(separator: ", ")
      let insert = try Statement(connection, "INSERT INTO records (\(names)) VALUES (\(places))")
      let insertWords = usesWords ? try Statement(connection, "INSERT INTO words (rowid, folded) VALUES (?, ?)") : nil
      var number = 0
      _ = try index.forEachRecord(Model.fieldNames(index)) { key, texts in
        guard let record = Model(key: key, texts: texts) else { return false }
        number += 1
        let folded = folded(key)
        insert.bind(Array(folded.utf8), at: 0)
        insert.bind(number, at: 1)
        record.bind(to: insert, from: 2)
        _ = try insert.step()
        insert.reset()
        insertWords?.bind(number, at: 0)
        insertWords?.bind(folded, at: 1)
        _ = try insertWords?.step()
        insertWords?.reset()
        return true
      }
      try connection.run("COMMIT; PRAGMA optimize")
    }
  }
#endif
