import CLibrary
import ShardedIndex

/// A directory that gets a generation of an index from elsewhere, file by file, by the rules of a build. Readers see
/// the previous generation until the manifest is in place. An interrupted fetch begins again.
package final class IndexReceiver: Sendable {
  private let publisher: Publisher
  private let previous: [String]?

  /// The counts of received files.
  package typealias Summary = Publisher.PublishSummary

  /// Opens and locks the directory, and makes it if it is missing.
  ///
  /// - Throws: ``PackError``; ``PackError/unshippable(path:reason:)`` if the index there has changes beside its shards,
  ///   which would be lost, and ``BuildError/otherFiles(path:entry:)`` if the directory holds no index but other files.
  package init(directory: String) throws(PackError) {
    let found: PreviousIndex?
    do throws(BuildError) {
      if let entry = Publisher.otherEntry(in: directory) { throw .otherFiles(path: directory, entry: entry) }
      publisher = try Publisher(directory: directory)
      var summary = BuildSummary()
      found = try PreviousIndex.found(in: publisher, &summary)
      // With a damaged manifest all shards stay: a reader may have opened the index before the damage.
      previous = summary.previousDamage == nil ? found.map(\.fileNames) ?? [] : nil
    } catch {
      throw .build(error)
    }
    if let found { try ShardBuilder.refuseOverlay(of: found.index) }
  }

  /// Returns whether the directory has a file with the right bytes; then that file stays.
  package func keeps(_ file: IndexFiles.File) throws(PackError) -> Bool {
    do throws(BuildError) {
      return try publisher.keeps(file.name, size: file.size, digest: file.digest)
    } catch {
      throw .build(error)
    }
  }

  /// Adds a file; the caller has compared its bytes with its digest.
  package func add(_ file: IndexFiles.File, _ bytes: [UInt8]) throws(PackError) {
    do throws(BuildError) { try publisher.add(file.name, bytes) } catch { throw .build(error) }
  }

  /// Ends early. The files added so far stay, so that the next attempt has them.
  package func breakOff() { try? publisher.finish() }

  /// Makes the added files the generation that readers see.
  package func publish(manifest: [UInt8]) throws(PackError) -> Summary {
    do throws(BuildError) {
      return try publisher.publish(manifest: manifest, previous: previous)
    } catch {
      throw .build(error)
    }
  }
}
