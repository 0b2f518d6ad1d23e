#if Remote
  import CLibrary

  /// The checked answer of a host to one request.
  struct FetchAnswer {
    private let answer: HTTPAnswer
    private let fetch: Fetch

    init(_ answer: HTTPAnswer, of fetch: Fetch) { (self.answer, self.fetch) = (answer, fetch) }

    /// Returns the body; nil if the host says that the content is unchanged.
    func body() throws(FetchFailure) -> FetchedBody? {
      let status = answer.status
      if answer.isTooLong, status == 200 || status == 206 { throw tooLong(status) }
      // An error's body may have been cut off.
      guard answer.code == 0 || status >= 300 && answer.isTooLong else { throw FetchFailure(ofTransport: answer.code) }
      switch status {
      case 200: return try whole()
      case 206: return try part()
      case 304 where fetch.tag != nil: return nil
      case 301, 302, 303, 307, 308:
        guard let location = answer.location else {
          throw FetchFailure("the host redirects, but gives no URL (status \(status))")
        }
        try fetch.follow(location)
      case 404, 410: throw FetchFailure(number: ENOENT)
      default: throw refused(status)
      }
    }

    private func whole() throws(FetchFailure) -> FetchedBody {
      try checkEncoding()
      let size = Int64(answer.body.count)
      if let total = fetch.total, size != total { throw otherSize(size, total) }
      return body(total: size, isWhole: true)
    }

    private func part() throws(FetchFailure) -> FetchedBody {
      try checkEncoding()
      guard let range = fetch.request.range, let field = answer.fields["Content-Range"],
        let (first, last, total) = Self.numbers(field), first == range.lowerBound,
        last == min(range.upperBound, total) - 1, Int64(answer.body.count) == last - first + 1
      else { throw FetchFailure("the host sent the wrong bytes of the file", mayPass: true) }
      if let expected = fetch.total, total != expected { throw otherSize(total, expected) }
      return body(total: total, isWhole: first == 0 && last == total - 1)
    }

    private func body(total: Int64, isWhole: Bool) -> FetchedBody {
      FetchedBody(bytes: answer.body, total: total, isWhole: isWhole, tag: answer.fields["ETag"])
    }

    private func checkEncoding() throws(FetchFailure) {
      if let encoding = answer.fields["Content-Encoding"], encoding.lowercased() != "identity" {
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
      if status == 200, fetch.request.range != nil {
        return FetchFailure(
          "the host cannot send a part of a file, and the file has over \(fetch.request.limit) bytes")
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
      let error = StoreAnswer(answer.body)
      return error.code == "InvalidRange" ? FetchFailure(number: ENOENT) : FetchFailure(ofStatus: status, error)
    }

    // MARK: Texts

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
