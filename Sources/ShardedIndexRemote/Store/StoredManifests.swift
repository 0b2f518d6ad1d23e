#if Remote
  import CCurl
  import CLibrary
  import ShardedIndex

  /// The manifests of a generation in a store, for the names of its files. The engine reads them; each comes whole, in
  /// one request, and stays in memory.
  package final class StoredManifests: Sendable {
    private struct State {
      var files: [[UInt8]] = []
      var numbers: [String: CInt] = [:]
      var failure: StoreError?
    }

    private let store: ObjectStore
    private let record: GenerationRecord
    private let state = Lock(State())

    /// Opens the manifests of a generation.
    ///
    /// - Returns: An index that answers for names alone, and the manifests with the store's error; nil if the manifest
    ///   is gone.
    /// - Throws: ``StoreError``; of the kind `badData` if the manifest is not the one that the record names.
    package static func open(
      _ record: GenerationRecord, in store: ObjectStore
    ) throws(StoreError) -> (index: ShardedIndex, manifests: StoredManifests)? {
      let manifests = StoredManifests(record, store)
      let directory = unsafe IndexDirectory(carrier: manifests.functions, path: store.shown)
      do throws(IndexError) {
        return (
          try ShardedIndex(directory, options: .init(cacheLimitBytes: 0, expectedDigest: record.digest)), manifests
        )
      } catch {
        if let failure = manifests.failure { throw failure }
        if case .notFound = error { return nil }
        let name = store.shown(record.manifestName)
        throw StoreError(.badData, "\(name) is damaged; publish the index again")
      }
    }

    /// The store's error that made the index fail; nil if there is none.
    package var failure: StoreError? { state.withLock { $0.failure } }

    private init(_ record: GenerationRecord, _ store: ObjectStore) { (self.record, self.store) = (record, store) }

    private func open(_ name: String, size: Int64) -> CInt {
      if let number = state.withLock({ $0.numbers[name] }) { return number }
      do throws(StoreError) {
        let isManifest = size < 0
        let object = isManifest ? record.manifestName : name
        // A manifest names the size of the entries' manifest, and may name any size.
        let limit = isManifest ? record.size : Int(min(size, Int64(Manifest.sizeLimit)))
        guard let bytes = try store.bytes(of: object, limit: limit) else {
          return 0 &- ENOENT
        }
        return state.withLock { state in
          state.files.append(bytes)
          let number = CInt(state.files.count - 1)
          state.numbers[name] = number
          return number
        }
      } catch {
        state.withLock { $0.failure = error }
        return 0 &- EIO
      }
    }

    /// Calls `copy` with the bytes of a file, if the file has the range.
    private func read(_ file: CInt, from offset: Int64, size: Int64, copy: ([UInt8]) -> Void) -> CInt {
      let bytes = state.withLock { $0.files[Int(file)] }
      guard offset >= 0, size >= 0, offset <= bytes.count, size <= Int64(bytes.count) - offset else {
        return 0 &- EINVAL
      }
      copy(bytes)
      return 0
    }

    private func size(of file: CInt) -> Int64 { state.withLock { Int64($0.files[Int(file)].count) } }

    /// The functions, which hold this object until `close`.
    private var functions: Carrier {
      unsafe Carrier(
        context: Unmanaged.passRetained(self).toOpaque(),
        open: { context, name, size in
          let manifests = unsafe Unmanaged<StoredManifests>.fromOpaque(context!).takeUnretainedValue()
          return manifests.open(unsafe String(cString: name!), size: size)
        },
        size: { unsafe Unmanaged<StoredManifests>.fromOpaque($0!).takeUnretainedValue().size(of: $1) },
        read: { context, file, offset, size, target in
          let manifests = unsafe Unmanaged<StoredManifests>.fromOpaque(context!).takeUnretainedValue()
          return manifests.read(file, from: offset, size: size) { unsafe bytes_copy(target!, $0, offset, size) }
        },
        open_within: nil, gather: nil, reason: nil,
        close: { unsafe Unmanaged<StoredManifests>.fromOpaque($0!).release() })
    }
  }
#endif
