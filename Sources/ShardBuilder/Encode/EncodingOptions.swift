/// The options that an index's bytes depend on, beside the records and the versions of the encoder and of zstd.
struct EncodingOptions: Equatable, Sendable {
  /// The largest size of a shard before compression, in bytes.
  var shardLimit: Int
  /// The size of a part of a shard before compression, in bytes, about.
  var partSize: Int
  /// The level of zstd.
  var level: Int
}
