/// The options that an index's bytes depend on. The bytes also depend on the records and on the versions of the encoder
/// and of zstd.
package struct EncodingOptions: Equatable, Sendable {
  /// The largest size of a shard before compression, in bytes.
  var shardLimit: Int
  /// The approximate size of a part of a shard before compression, in bytes.
  var partSize: Int
  /// The level of zstd.
  var level: Int

  /// The usual size of a part: a query that is not in the cache decompresses one part. Measurements led to this size,
  /// see docs/measurements.md.
  package static let usualPartSize = 1536
}
