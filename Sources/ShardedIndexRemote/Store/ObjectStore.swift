#if Remote
  import CLibrary
  import ShardedIndex

  /// The objects below a prefix of a bucket. Callers put, list and remove objects, and ask for their state.
  ///
  /// Each call waits for its end. Several threads may call at once. After a temporary failure (no connection, status 5xx, a stall) the request is made again, five
  /// times in all.
  package final class ObjectStore: Sendable {
    /// The state of an object.
    package struct State: Equatable, Sendable {
      /// The size in bytes.
      package let size: Int
      /// The seconds since it was put, from the fewest to the most: the store's clock and this machine's may differ. nil
      /// if the store does not say.
      package let ages: ClosedRange<Int64>?
    }

    /// The most requests under way at a time.
    package static let width = Network.usualLimit

    let address: RemoteAddress
    private let stallLimit: Int

    /// The milliseconds before the second, third, ... attempt.
    private static let pauses: [UInt32] = [100, 400, 1600, 3200]
    /// The most attempts that may end in a stall: each takes long.
    private static let stallLimit = 2
    /// The most bytes of a page of a list: 1,000 keys of 1,024 bytes, each byte as three characters, and the tags.
    private static let pageLimit = 4 << 20

    /// - Parameters:
    ///   - url: `s3://bucket/prefix/`.
    ///   - stallLimit: The most seconds for which fewer than 1,000 bytes a second of a request may pass; nil for 20.
    /// - Throws: ``StoreError`` for another text.
    package init(_ url: String, stallLimit: Int?) throws(StoreError) {
      do throws(IndexError) {
        address = try RemoteAddress(url)
      } catch {
        throw StoreError(.usage, error.fault)
      }
      guard let prefix = address.keyPrefix, prefix.isEmpty || prefix.hasSuffix("/") else {
        throw StoreError(.usage, "\(address.shown) is not a prefix of a store; write it as s3://bucket/cities/")
      }
      self.stallLimit = stallLimit ?? 20
      if let failure = Network.shared.withLock({ Network.shared.failure }) {
        throw StoreError(.inputOutput, failure.reason)
      }
    }

    /// The URL of the prefix, for messages.
    package var shown: String { address.shown }

    /// Returns the URL of an object, for messages.
    package func shown(_ name: String) -> String { address.shown + name }

    // MARK: Objects

    /// Puts an object.
    ///
    /// - Parameter ifAbsent: Whether an existing object stays.
    /// - Returns: Whether the store took the object; false if an object of that name exists.
    /// - Throws: ``StoreError``; of the kind `noConditions` if the store has no create-if-absent.
    package func put(_ name: String, _ bytes: [UInt8], ifAbsent: Bool) throws(StoreError) -> Bool {
      let headers = ifAbsent ? ["If-None-Match: *"] : []
      let request = HTTPRequest(method: "PUT", url: try url(name), headers: headers, body: bytes)
      let answer = try perform(request, "put", shown(name))
      switch answer.status {
      case 200, 201, 204: return true
      case 412 where ifAbsent: return false
      case 501 where ifAbsent:
        throw StoreError(.noConditions, "\(shown) is in a store that has no create-if-absent (status 501)")
      default: throw failure("put", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// Returns the state of an object; nil if there is none.
    package func state(of name: String) throws(StoreError) -> State? {
      let answer = try perform(HTTPRequest(method: "HEAD", url: try url(name)), "look at", shown(name))
      switch answer.status {
      case 200:
        guard let size = answer.fields["Content-Length"].flatMap({ Int($0) }) else {
          throw StoreError(
            .inputOutput, "cannot get the size of \(shown(name)): the store does not say it; look at AWS_ENDPOINT_URL")
        }
        let (now, modified) = (answer.date("Date"), answer.date("Last-Modified"))
        let ages = Self.age(since: modified, now).map { age in
          let own = Self.age(since: modified, Int64(time(nil))) ?? age
          return min(age, own)...max(age, own)
        }
        return State(size: size, ages: ages)
      case 404, 410: return nil
      default: throw failure("look at", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// Returns the seconds since a time; nil if one of the times is unknown.
    private static func age(since start: Int64?, _ now: Int64?) -> Int64? {
      guard let start, let now else { return nil }
      return max(0, now - start)
    }

    /// Returns the bytes of an object; nil if there is none.
    ///
    /// - Parameter limit: The most bytes that the object may have.
    package func bytes(of name: String, limit: Int) throws(StoreError) -> [UInt8]? {
      let answer = try perform(HTTPRequest(url: try url(name), limit: Int64(limit)), "fetch", shown(name))
      switch answer.status {
      case 200:
        if answer.isTooLong {
          throw StoreError(.badData, "\(shown(name)) has over \(limit) bytes, and belongs to no index; remove it")
        }
        return answer.body
      case 404, 410: return nil
      default: throw failure("fetch", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// Removes an object, if there is one.
    package func remove(_ name: String) throws(StoreError) {
      let answer = try perform(HTTPRequest(method: "DELETE", url: try url(name)), "remove", shown(name))
      switch answer.status {
      case 200, 202, 204, 404, 410: return
      default: throw failure("remove", shown(name), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
      }
    }

    /// A name of the list, without the prefix.
    package struct Listed: Equatable, Sendable {
      package let name: String
      package let size: Int
      /// The seconds since it was put, by the store's clock or by this machine's, whichever is less; nil if the store
      /// does not say.
      package let age: Int64?

      package init(name: String, size: Int, age: Int64?) { (self.name, self.size, self.age) = (name, size, age) }
    }

    /// Calls `body` with each page of the list of the objects whose names begin with `start` and have no slash after
    /// it.
    ///
    /// - Parameter body: Returns whether the caller wants the next page.
    /// - Complexity: One request for each 1,000 objects. Memory holds one page.
    package func forEachPage(
      of start: String, _ body: ([Listed]) throws(StoreError) -> Bool
    ) throws(StoreError) {
      var token: String?
      var last = ""
      let prefix = address.keyPrefix ?? ""
      let wanted = prefix + start
      while true {
        guard let url = address.url(ofListBehind: start, token: token) else { return }
        let answer = try perform(HTTPRequest(url: url, limit: Int64(Self.pageLimit)), "list", shown(start))
        guard answer.status == 200 else {
          if answer.status == 404 {
            throw StoreError(.notFound, "cannot list \(shown(start)): there is no such bucket")
          }
          throw failure("list", shown(start), FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body)))
        }
        let page = try listing(answer, start)
        var listed: [Listed] = []
        for object in page.objects {
          // The names must rise, so that the list has an end.
          let key = object.key.utf8
          guard key.starts(with: wanted.utf8), last.utf8.lexicographicallyPrecedes(key) else {
            throw broken(start, "has keys outside of the prefix, or out of order")
          }
          last = object.key
          let now = min(answer.date("Date") ?? .max, Int64(time(nil)))
          listed.append(
            Listed(
              name: String(decoding: key.dropFirst(prefix.utf8.count), as: UTF8.self), size: object.size,
              age: Self.age(since: object.modified, now)))
        }
        guard try body(listed), let next = page.next else { return }
        guard next != token else { throw broken(start, "begins again after the last page") }
        token = next
      }
    }

    private func listing(_ answer: HTTPAnswer, _ start: String) throws(StoreError) -> ObjectListing {
      if answer.isTooLong { throw broken(start, "has a page of over \(Self.pageLimit) bytes") }
      do throws(ObjectListing.Flaw) {
        return try ObjectListing(answer.body)
      } catch {
        throw broken(start, error.reason)
      }
    }

    private func broken(_ start: String, _ reason: String) -> StoreError {
      StoreError(
        .inputOutput, "cannot list \(shown(start)): the store's answer \(reason); look at AWS_ENDPOINT_URL")
    }

    // MARK: Requests

    private func url(_ name: String) throws(StoreError) -> String {
      guard let url = address.url(ofObject: name) else {
        throw StoreError(.usage, "\(shown) cannot be written; write it as s3://bucket/cities/")
      }
      return url
    }

    private func failure(_ action: String, _ what: String, _ failure: FetchFailure) -> StoreError {
      StoreError(.inputOutput, "cannot \(action) \(what): \(failure.reason)")
    }

    private func perform(
      _ request: HTTPRequest, _ action: String, _ what: String
    ) throws(StoreError) -> HTTPAnswer {
      var (attempts, stalls) = (0, 0)
      let isConditional = !request.headers.isEmpty
      var request = request
      request.headers += address.headers(bodyDigest: SHA256.text(SHA256.digest(ofBytes: request.body)))
      (request.credentials, request.stallLimit) = (address.credentials, stallLimit)
      while true {
        var reason: FetchFailure
        do throws(FetchFailure) {
          let answer = try Network.shared.answer(to: request, at: address)
          reason = FetchFailure(ofStatus: answer.status, StoreAnswer(answer.body))
          if answer.status == 409, request.method == "PUT" {
            // Another put of the same name is under way. Source: Amazon S3 User Guide, Conditional writes.
            reason = FetchFailure("another program is writing it (status 409)", mayPass: true)
          } else if answer.status < 400 || !reason.mayPass || answer.status == 501 && isConditional {
            return answer
          }
        } catch {
          reason = error
          if error.isStall { stalls += 1 }
        }
        guard reason.mayPass, attempts < Self.pauses.count, stalls < Self.stallLimit else {
          throw failure(action, what, reason)
        }
        usleep(1000 * Self.pauses[attempts])
        attempts += 1
        request.reconnects = true
      }
    }
  }
#endif
