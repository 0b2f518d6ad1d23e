/// How records are packed into files: with the records themselves, and the versions of the encoder and of zstd, all that
/// an index's bytes depend on.
struct EncodingOptions: Equatable, Sendable {
  /// The most a shard may be before compression, in bytes.
  var shardLimit: Int
  /// About what a part of a shard has before compression, in bytes.
  var partSize: Int
  /// zstd's.
  var level: Int
}
