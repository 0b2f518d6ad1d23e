/// The options that an index's bytes depend on. The bytes also depend on the records and on the versions of the encoder
/// and of zstd.
struct EncodingOptions: Equatable, Sendable {
  /// The largest size of a shard before compression, in bytes.
  var shardLimit: Int
  /// The approximate size of a part of a shard before compression, in bytes.
  var partSize: Int
  /// The level of zstd.
  var level: Int
}
