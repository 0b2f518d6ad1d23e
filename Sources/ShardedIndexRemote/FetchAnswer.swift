#if Remote
  import CCurl
  import CLibrary

  /// The checked answer of a host to one request.
  struct FetchAnswer {
    private let transfer: Transfer
    private let code: CInt
    private let fetch: Fetch

    init(_ transfer: Transfer, code: CInt, of fetch: Fetch) {
      (self.transfer, self.code, self.fetch) = (transfer, code, fetch)
    }

    /// Returns the body; nil if the host says that the content is unchanged.
    func body() throws(FetchFailure) -> FetchedBody? {
      let status = transfer_status(transfer)
      if transfer_is_too_long(transfer), status == 200 || status == 206 { throw tooLong(status) }
      // An error's body may have been cut off.
      guard code == 0 || status >= 300 && transfer_is_too_long(transfer) else {
        throw FetchFailure(ofTransport: code)
      }
      switch status {
      case 200: return try whole()
      case 206: return try part()
      case 304 where fetch.tag != nil: return nil
      case 301, 302, 303, 307, 308:
        guard let location = text(4096, { unsafe transfer_redirect(transfer, &$0, $1) }) else {
          throw FetchFailure("the host redirects, but gives no URL (status \(status))")
        }
        try fetch.follow(location)
      case 404, 410: throw FetchFailure(number: ENOENT)
      default: throw refused(status)
      }
    }

    private func whole() throws(FetchFailure) -> FetchedBody {
      try checkEncoding()
      let bytes = content()
      if let total = fetch.total, Int64(bytes.count) != total { throw otherSize(Int64(bytes.count), total) }
      return body(bytes, total: Int64(bytes.count), isWhole: true)
    }

    private func part() throws(FetchFailure) -> FetchedBody {
      try checkEncoding()
      let bytes = content()
      guard let range = fetch.range, let field = field("Content-Range"), let (first, last, total) = Self.numbers(field),
        first == range.lowerBound, last == min(range.upperBound, total) - 1, Int64(bytes.count) == last - first + 1
      else { throw FetchFailure("the host sent the wrong bytes of the file", mayPass: true) }
      if let expected = fetch.total, total != expected { throw otherSize(total, expected) }
      return body(bytes, total: total, isWhole: first == 0 && last == total - 1)
    }

    private func body(_ bytes: [UInt8], total: Int64, isWhole: Bool) -> FetchedBody {
      FetchedBody(bytes: bytes, total: total, isWhole: isWhole, tag: field("ETag"))
    }

    private func checkEncoding() throws(FetchFailure) {
      if let encoding = field("Content-Encoding"), encoding.lowercased() != "identity" {
        throw FetchFailure(
          "the host compresses the file (\(shortened(encoding))); turn that off for files of the index")
      }
    }

    // MARK: Failures

    private func otherSize(_ found: Int64, _ expected: Int64) -> FetchFailure {
      // A file whose name follows from its content cannot have changed.
      if fetch.isNamedByContent {
        return FetchFailure("the file has \(found) bytes, and the manifest says \(expected)", mayPass: true)
      }
      return FetchFailure(number: ESTALE)
    }

    private func tooLong(_ status: Int64) -> FetchFailure {
      if status == 200, fetch.range != nil {
        return FetchFailure(
          "the host cannot send a part of a file, and the file has over \(fetch.wholeLimit) bytes")
      }
      return FetchFailure("the host sends more bytes than the file has", mayPass: true)
    }

    private func refused(_ status: Int64) -> FetchFailure {
      switch status {
      // An empty file has no range.
      case 416: return FetchFailure(number: fetch.total == nil ? ENOENT : ESTALE)
      case 412: return FetchFailure(number: ESTALE)
      default: break
      }
      let answer = StoreAnswer(content())
      return answer.code == "InvalidRange" ? FetchFailure(number: ENOENT) : FetchFailure(ofStatus: status, answer)
    }

    // MARK: Texts

    private func content() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: Int(transfer_size(transfer)))
      unsafe transfer_copy(transfer, &bytes)
      return bytes
    }

    private func field(_ name: String) -> String? {
      text(1024) { unsafe transfer_field(transfer, name, &$0, $1) }
    }

    /// Returns the text that a function of C writes; nil for a text that is too long or not UTF-8.
    private func text(_ capacity: Int, _ fill: (inout [CChar], Int64) -> Bool) -> String? {
      var text = [CChar](repeating: 0, count: capacity)
      guard fill(&text, Int64(capacity)) else { return nil }
      return String(validating: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func shortened(_ text: String) -> String {
      String(decoding: text.utf8.prefix(32).filter { $0 > 0x20 && $0 < 0x7f }, as: UTF8.self)
    }

    /// Returns the three numbers of `bytes FIRST-LAST/TOTAL`.
    private static func numbers(_ field: String) -> (first: Int64, last: Int64, total: Int64)? {
      guard field.hasPrefix("bytes ") else { return nil }
      let texts = field.dropFirst(6).split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }
      let numbers = texts.compactMap { text in
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
      }
      guard texts.count == 3, numbers.count == 3, numbers[0] <= numbers[1], numbers[1] < numbers[2] else { return nil }
      return (numbers[0], numbers[1], numbers[2])
    }
  }
#endif
