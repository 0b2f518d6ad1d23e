#if SQLITE
  import CSQLite
  import Glibc

  /// SQLite through its C library: one table that is its own index, `WITHOUT ROWID` on folded key and place, so that a
  /// query walks one tree; statements prepared once, one read transaction, numbers as numbers.
  final class SQLite: Contender {
    private var database: OpaquePointer?
    private var first: OpaquePointer?
    private var counting: OpaquePointer?
    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 14)
    private var numbers: [Double] = Array(repeating: 0, count: 60)
    private let upper = UnsafeMutablePointer<UInt8>.allocate(capacity: 1024)

    /// - Parameter cacheKiB: Of its own pages. With `mapped` it reads them from the mapped file instead.
    init(_ path: String, cacheKiB: Int, mapped: Bool) {
      guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
      else {
        stop("SQLite cannot open \(path)")
      }
      run("PRAGMA cache_size = -\(cacheKiB)")
      run("PRAGMA mmap_size = \(mapped ? 1 << 40 : 0)")
      run("BEGIN")
      first = prepare(
        "SELECT country, name, id, lon, lat FROM cities WHERE folded >= ?1 AND folded < ?2 ORDER BY folded, number LIMIT 20"
      )
      counting = prepare("SELECT count(*) FROM cities WHERE folded >= ?1 AND folded < ?2")
    }

    deinit {
      sqlite3_finalize(first)
      sqlite3_finalize(counting)
      sqlite3_close(database)
      bytes.deallocate()
      upper.deallocate()
    }

    private func run(_ sql: String) {
      guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
        stop(String(cString: sqlite3_errmsg(database)))
      }
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
      var statement: OpaquePointer?
      guard
        sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK
      else {
        stop(String(cString: sqlite3_errmsg(database)))
      }
      return statement
    }

    @inline(__always) private func bind(_ statement: OpaquePointer?, _ prefix: Prefix) {
      let size = min(prefix.folded.count, 1023)
      upper.update(from: prefix.folded.baseAddress!, count: size)
      upper[size] = 0xff  // No byte of UTF-8: above all that begins with the prefix.
      sqlite3_bind_blob(statement, 1, prefix.folded.baseAddress, CInt(size), nil)
      sqlite3_bind_blob(statement, 2, upper, CInt(size + 1), nil)
    }

    func firstMatches(_ prefix: Prefix) -> Int {
      bind(first, prefix)
      var (found, size) = (0, 0)
      while sqlite3_step(first) == SQLITE_ROW {
        for column in CInt(0)..<2 {
          let text = sqlite3_column_text(first, column)
          let count = Int(sqlite3_column_bytes(first, column))
          if let text { (bytes + size).update(from: text, count: count) }
          size += count
        }
        numbers[3 * found] = Double(sqlite3_column_int64(first, 2))
        numbers[3 * found + 1] = sqlite3_column_double(first, 3)
        numbers[3 * found + 2] = sqlite3_column_double(first, 4)
        found += 1
      }
      sqlite3_reset(first)
      return found
    }

    func count(_ prefix: Prefix) -> Int {
      bind(counting, prefix)
      let count = sqlite3_step(counting) == SQLITE_ROW ? Int(sqlite3_column_int64(counting, 0)) : -1
      sqlite3_reset(counting)
      return count
    }

    /// Numbers as a `Double` says them.
    func texts(_ prefix: Prefix) -> [[String]] {
      bind(first, prefix)
      var records: [[String]] = []
      while sqlite3_step(first) == SQLITE_ROW {
        var fields = (0..<2).map { column in
          sqlite3_column_text(first, column).map { String(cString: $0) } ?? ""
        }
        fields += [2, 3, 4].map { (column: CInt) in "\(sqlite3_column_double(first, column))" }
        records.append(fields)
      }
      sqlite3_reset(first)
      return records
    }

    /// Makes the file from the sorted array; returns seconds.
    static func build(_ path: String, from array: SortedArray) -> Double {
      unlink(path)
      let start = Clock.now
      var database: OpaquePointer?
      guard sqlite3_open(path, &database) == SQLITE_OK else { stop("SQLite cannot make \(path)") }
      defer { sqlite3_close(database) }
      func run(_ sql: String) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
          stop(String(cString: sqlite3_errmsg(database)))
        }
      }
      run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
      run(
        """
        CREATE TABLE cities (folded BLOB NOT NULL, number INTEGER NOT NULL, country TEXT, name TEXT, id INTEGER,
          lon REAL, lat REAL, PRIMARY KEY (folded, number)) WITHOUT ROWID
        """)
      var insert: OpaquePointer?
      sqlite3_prepare_v2(database, "INSERT INTO cities VALUES (?, ?, ?, ?, ?, ?, ?)", -1, &insert, nil)
      let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)  // SQLITE_TRANSIENT
      for number in 0..<array.recordCount {
        let record = array.record(number)
        sqlite3_bind_blob(insert, 1, record.folded.baseAddress, CInt(record.folded.count), nil)
        sqlite3_bind_int64(insert, 2, Int64(number))
        for column in 0..<2 {
          record.fields[column].withMemoryRebound(to: CChar.self) { text in
            _ = sqlite3_bind_text(insert, CInt(column + 3), text.baseAddress, CInt(text.count), copied)
          }
        }
        // Parsed here: SQLite's own reading of 50.816669 can be off in the last bit.
        let numbers = record.fields[2...].map { Double(String(decoding: $0, as: UTF8.self)) ?? .nan }
        sqlite3_bind_int64(insert, 5, Int64(numbers[0]))
        sqlite3_bind_double(insert, 6, numbers[1])
        sqlite3_bind_double(insert, 7, numbers[2])
        guard sqlite3_step(insert) == SQLITE_DONE else { stop(String(cString: sqlite3_errmsg(database))) }
        sqlite3_reset(insert)
      }
      sqlite3_finalize(insert)
      run("COMMIT; PRAGMA optimize")
      return Double(Clock.now - start) / 1e9
    }
  }
#endif
