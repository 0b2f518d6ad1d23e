#if Server
  import Answers
  import NIOConcurrencyHelpers
  import QueryOutput

  import CLibrary

  /// The log of the server on standard error, one line for each event.
  ///
  /// The log escapes control characters in all texts.
  struct ServerLog: Sendable {
    enum Severity: String {
      case info, warning, error
    }
    private let format: ServeSettings.LogFormat
    /// The name of the index that the lines are about; nil for none.
    private var index: String?
    /// The last complaint. A fault of every request must not fill the disk.
    private let last = NIOLockedValueBox<(text: String, second: Int, repeats: Int)>(("", 0, 0))

    init(_ format: ServeSettings.LogFormat) { self.format = format }

    /// Returns the log for lines about an index.
    func about(_ index: String?) -> ServerLog {
      var log = self
      log.index = index
      return log
    }

    /// - Parameter values: The names and values in their order. The log does not quote numbers.
    func write(_ level: Severity, _ event: String, _ values: KeyValuePairs<String, String> = [:]) {
      let values = (index.map { [("index", $0)] } ?? []) + values.map { ($0.key, $0.value) }
      var line: String
      switch format {
      case .text:
        line = Self.now() + " " + level.rawValue + " " + event
        for (name, value) in values {
          let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7f }
          line += " " + name + "=" + (isPlain ? value : JSONText.string(value))
        }
        var fit: [UInt8] = []
        Array(line.utf8).withUnsafeBufferPointer { _ = ControlText.append($0, to: &fit) }
        line = String(decoding: fit, as: UTF8.self)
      case .json:
        line =
          "{\"time\":\"" + Self.now() + "\",\"level\":\"" + level.rawValue + "\",\"event\":" + JSONText.string(event)
        for (name, value) in values {
          let isNumber = !value.isEmpty && value.count < 16 && value.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
          line +=
            "," + JSONText.string(name) + ":"
            + (isNumber && (value == "0" || !value.hasPrefix("0")) ? value : JSONText.string(value))
        }
        line += "}"
      }
      Diagnostics.note(line)
    }

    /// Logs an error that every request may cause. The log has the same error again after ten seconds, with its count.
    func complain(_ event: String, _ values: KeyValuePairs<String, String>) {
      let text = (index ?? "") + event + values.map { $0.value }.joined(separator: " ")
      let second = Int(time(nil))
      let repeats: Int? = last.withLockedValue { last in
        if last.text == text, second - last.second < 10 {
          last.repeats += 1
          return nil
        }
        defer { last = (text, second, 0) }
        return last.text == text ? last.repeats : 0
      }
      guard let repeats else { return }
      write(.error, event, values)
      if repeats > 0 { write(.error, "repeated", ["times": "\(repeats)"]) }
    }

    /// The time in UTC, to the millisecond.
    static func now() -> String {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      var parts = tm()
      gmtime_r(&time.tv_sec, &parts)
      func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let thousandths = String(1000 + Int(time.tv_nsec) / 1_000_000).dropFirst()
      return "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T\(two(parts.tm_hour)):"
        + "\(two(parts.tm_min)):\(two(parts.tm_sec)).\(thousandths)Z"
    }
  }
#endif
