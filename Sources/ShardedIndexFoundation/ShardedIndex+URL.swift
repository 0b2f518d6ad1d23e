import Foundation
import ShardedIndex

extension ShardedIndex {
  /// Opens the index in the directory of a file URL.
  ///
  /// - Parameters:
  ///   - url: The directory that holds `manifest` and the shard files.
  ///   - options: As `init(opening:options:)` takes a path.
  /// - Throws: `IndexError.notFound` if the URL is not a file URL; else as `init(opening:options:)` with a path.
  public convenience init(opening url: URL, options: Options = Options()) throws(IndexError) {
    guard url.isFileURL else { throw .notFound(path: url.absoluteString) }
    try self.init(opening: url.path(percentEncoded: false), options: options)
  }

  /// Opens an index in a folder of a bundle's resources.
  ///
  /// - Parameters:
  ///   - name: The name of the folder.
  ///   - bundle: The bundle: `.main` of an app, `.module` of a package's target.
  ///   - options: As `init(opening:options:)` takes a path.
  /// - Throws: `IndexError.notFound` if the bundle has no such folder; else as `init(opening:options:)` with a path.
  public convenience init(
    resource name: String, in bundle: Bundle = .main, options: Options = Options()
  ) throws(IndexError) {
    let folder = bundle.resourceURL ?? bundle.bundleURL
    try self.init(
      opening: bundle.url(forResource: name, withExtension: nil) ?? folder.appending(path: name), options: options)
  }
}
