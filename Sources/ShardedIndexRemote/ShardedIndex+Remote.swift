#if Remote
  import CCurl
  import CLibrary
  import ShardedIndex

  extension ShardedIndex {
    /// Opens an index on another machine, over HTTP or in S3.
    ///
    /// ```swift
    /// let index = try ShardedIndex(remote: "https://example.org/cities/")
    /// ```
    ///
    /// Queries fetch the pages of the manifest and the shards that are neither in memory nor in the disk cache. A query
    /// waits at most 5 seconds for each of them. All indexes of a process share its connections; at most 8 requests are
    /// under way at a time. With ``Options/reloadInterval`` a query asks the host for a newer manifest at most once in
    /// each interval.
    ///
    /// - Parameters:
    ///   - url: A URL of http, https or s3. A URL that ends with a slash names a directory, any other URL an archive.
    ///     S3 takes `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` and
    ///     `AWS_ENDPOINT_URL` from the environment. User and password of a URL go to its host alone, and into no
    ///     message.
    ///   - options: The limit of the cache in memory, and whether the index follows rebuilds.
    ///   - remote: The extent of a request, and the disk cache.
    /// - Throws: ``IndexError/notFound(path:)`` if the host has no such file, ``IndexError/unreachable(path:reason:)``
    ///   if the host does not answer or does not send an index, ``IndexError/foreignCache(path:)`` if the directory of
    ///   the disk cache holds other files, and the errors of opening a directory.
    /// - Complexity: One request for 64 KiB. The host answers with no bytes if the disk cache has them and the `ETag`
    ///   is the same. In an index of up to 4,096 shards a query makes at most two requests one after the other, for a
    ///   page and for shards.
    public convenience init(
      remote url: String, options: Options = Options(), remote: RemoteOptions = RemoteOptions()
    ) throws(IndexError) {
      try self.init(remote: url, manifest: "manifest", options: options, remote: remote)
    }

    /// Opens a generation in a store whose manifest has its own name, as ``init(remote:options:remote:)`` does.
    ///
    /// - Parameters:
    ///   - url: The URL of the directory, which ends with a slash.
    ///   - manifest: The name of the manifest: `manifest-` and 32 hexadecimal digits. Source: docs/remote.md, section
    ///     "The layout of a prefix".
    package convenience init(
      remote url: String, manifest: String, options: Options = Options(), remote: RemoteOptions = RemoteOptions()
    ) throws(IndexError) {
      let address = try RemoteAddress(url, manifestName: manifest)
      let carrier = try RemoteCarrier(address, remote)
      let directory = unsafe IndexDirectory(
        carrier: carrier.functions, path: address.shown, isArchive: address.isArchive)
      do throws(IndexError) {
        try self.init(directory, options: options)
        return
      } catch {
        switch error {
        case .corrupt, .wrongDigest: guard carrier.doubtRoot() else { throw error }
        default: throw error
        }
      }
      try self.init(directory, options: options)
    }
  }

  extension RemoteCarrier {
    /// The functions, which hold the carrier until `close`.
    fileprivate var functions: Carrier {
      unsafe Carrier(
        context: Unmanaged.passRetained(self).toOpaque(),
        open: { context, name, size in
          let carrier = unsafe Unmanaged<RemoteCarrier>.fromOpaque(context!).takeUnretainedValue()
          let name = unsafe String(cString: name!)
          return size < 0 ? carrier.openRoot(name == "archive" ? nil : name) : carrier.open(name, size: size)
        },
        size: { unsafe Unmanaged<RemoteCarrier>.fromOpaque($0!).takeUnretainedValue().size(of: $1) },
        read: { context, file, offset, size, target in
          let carrier = unsafe Unmanaged<RemoteCarrier>.fromOpaque(context!).takeUnretainedValue()
          return carrier.read(file, from: offset, size: size) { bytes, range, place in
            unsafe bytes_copy(target! + place, bytes, Int64(range.lowerBound), Int64(range.count))
          }
        },
        open_within: { context, archive, name, offset, size in
          let carrier = unsafe Unmanaged<RemoteCarrier>.fromOpaque(context!).takeUnretainedValue()
          return carrier.open(unsafe String(cString: name!), in: archive, from: offset, size: size)
        },
        gather: { unsafe Unmanaged<RemoteCarrier>.fromOpaque($0!).takeUnretainedValue().gather($1) },
        reason: { context, number, target, capacity in
          let carrier = unsafe Unmanaged<RemoteCarrier>.fromOpaque(context!).takeUnretainedValue()
          let text = Array(carrier.reason(of: number).utf8.prefix(Int(capacity) - 1)) + [0]
          unsafe bytes_copy(target!, text, 0, Int64(text.count))
        },
        close: { unsafe Unmanaged<RemoteCarrier>.fromOpaque($0!).release() })
    }
  }
#endif
