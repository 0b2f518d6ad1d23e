import CLibrary
import ShardedIndex

/// A directory that gets a generation of an index from elsewhere, file by file, by the rules of a build: readers see
/// the generation that was there until the manifest is in place, and a fetch that was interrupted begins again.
package final class IndexReceiver: Sendable {
  private let publisher: Publisher
  private let previous: [String]?

  /// The counts of received files.
  package typealias Summary = Publisher.Summary

  /// Opens and locks the directory; makes it if it is not there.
  ///
  /// - Throws: ``PackError``; ``PackError/unshippable(path:reason:)`` if the index there has changes beside its shards,
  ///   which would be lost, and ``BuildError/otherFiles(path:entry:)`` if the directory has no index and holds other
  ///   things.
  package init(directory: String) throws(PackError) {
    let found: PreviousIndex?
    do throws(BuildError) {
      if let entry = Publisher.otherEntry(in: directory) { throw .otherFiles(path: directory, entry: entry) }
      publisher = try Publisher(directory: directory)
      var summary = BuildSummary()
      found = try PreviousIndex.found(in: publisher, &summary)
      // With a damaged manifest all shards stay: a reader may have opened it before.
      previous = summary.previousDamage == nil ? found.map(\.fileNames) ?? [] : nil
    } catch {
      throw .build(error)
    }
    if let found { try ShardBuilder.refuseOverlay(of: found.index) }
  }

  /// Whether the directory has a file with its bytes; then it stays.
  package func keeps(_ file: IndexFiles.File) throws(PackError) -> Bool {
    do throws(BuildError) {
      return try publisher.keeps(file.name, size: file.size, digest: file.digest)
    } catch {
      throw .build(error)
    }
  }

  /// Puts a file in place, whose bytes the caller has compared with its digest.
  package func add(_ file: IndexFiles.File, _ bytes: [UInt8]) throws(PackError) {
    do throws(BuildError) { try publisher.add(file.name, bytes) } catch { throw .build(error) }
  }

  /// Ends early: the files that came stay, so that the next attempt has them.
  package func breakOff() { try? publisher.finish() }

  /// Makes the files the generation that readers see.
  package func publish(manifest: [UInt8]) throws(PackError) -> Summary {
    do throws(BuildError) {
      return try publisher.publish(manifest: manifest, previous: previous)
    } catch {
      throw .build(error)
    }
  }
}
