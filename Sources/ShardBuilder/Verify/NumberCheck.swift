import ShardedIndex

/// The check of an index's numbers against those of its records.
struct NumberCheck {
  let fields: NumberFields
  private let manifest: ManifestReader
  /// For each page whose numbers cannot be read, the error.
  private(set) var unreadable: [Int: IndexError] = [:]

  /// Reads all numbers of an index.
  ///
  /// - Returns: nil if the index has no numbers.
  init?(of manifest: ManifestReader) throws(IndexError) {
    let settings = IndexSettings(of: manifest.root, hasTables: false)
    guard let fields = NumberFields(settings, names: manifest.fieldNames), manifest.hasNumbers else {
      guard settings.number.isEmpty, !manifest.hasNumbers else {
        throw .corrupt(
          path: manifest.path, cause: .invalid(reason: "has no numbers, which its settings name", offset: 0))
      }
      return nil
    }
    (self.fields, self.manifest) = (fields, manifest)
    // The first frame exists also for an index without pages.
    _ = try manifest.numberHead()
    for page in 0..<manifest.pageCount {
      do throws(IndexError) { _ = try manifest.numberPage(page) } catch { unreadable[page] = error }
    }
  }

  /// Returns the fault of the numbers of a shard; nil if there is none.
  ///
  /// - Parameter columns: The columns by the records; nil if the records could not be read.
  func fault(ofShard shard: Int, _ columns: [[UInt64]]?) -> String? {
    guard let columns, unreadable[shard / Manifest.pageCapacity] == nil,
      let found = try? manifest.numberColumns(ofShard: shard), found != columns
    else { return nil }
    return "the numbers have other values or parts than the records of shard \(shard)"
  }
}

extension Verifier {
  /// Compares the numbers of a shard with its records.
  ///
  /// - Parameter columns: The columns by the records; nil if the shard is not sound.
  mutating func checkNumbers(ofShard number: Int, _ columns: [[UInt64]]?) {
    if let fault = numbers?.fault(ofShard: number, columns) { damage(manifestName, fault) }
  }

  /// Reports the pages whose numbers could not be read.
  mutating func reportUnreadNumbers() {
    for (page, error) in (numbers?.unreadable ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard case .corrupt(_, let cause) = error else {
        unread(manifestName, error)
        continue
      }
      damage(manifestName, "page \(page) of the numbers: \(cause)")
    }
  }
}
