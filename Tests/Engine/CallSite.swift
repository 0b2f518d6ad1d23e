import ShardedIndex
import TestSupport

/// The example from which the public interface was drafted: it compiles, and `QueryTests` runs it.
func callSite(_ path: String) throws -> [String] {
  let index = try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 8 << 20))
  let matches = try index.search("san ", order: .key)  // Counted; no record is decoded yet.
  var keys: [String] = []
  for record in try matches.records(in: 0..<min(20, matches.count)) { keys.append(record.key) }
  var session = index.session()
  try session.append("s")
  session.removeLast()  // Loads nothing, so it cannot fail.
  return keys + ["\(index.statistics.misses > 0) \(index.statistics.residentBytes > 0)"]
}
