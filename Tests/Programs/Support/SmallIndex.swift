import ShardBuilder
import TestSupport

/// An index of a few records whose texts are hard for output formats.
final class SmallIndex: Sendable {
  let directory = TemporaryDirectory()
  var path: String { directory.path + "/index" }
  var source: String { directory.path + "/records.jsonl" }

  static let records = #"""
    {"name":"Alab","country":"US","_id":1,"coord":{"lon":-86.750260,"lat":32.75}}
    {"name":"Alab Town","country":"US","_id":2,"coord":{"lon":1e1,"lat":-0.50}}
    {"name":"Bad\u001b[31mName\ttab","country":"X\"Y","_id":3,"coord":{"lon":200,"lat":5}}
    {"name":"Comma, Inc","country":"DE","_id":4}
    {"name":"Dup","country":"FR","_id":5,"coord":{"lon":2,"lat":48}}
    {"name":"Dup","country":"FR","_id":5,"coord":{"lon":2,"lat":48}}
    {"name":"Line\nBreak\\","country":"FR","_id":6,"tags":["a",{"b":null}],"ok":true,"none":null,"a.b":"dot","c\\d":"back"}
    {"name":"Östersund","country":"SE","_id":7,"coord":{"lat":63.1792,"lon":14.63566,"alt":{"m":3.10,"ok":false}}}
    {"name":"東京","country":"JP","_id":8,"coord":{"lon":139.69,"lat":35.68}}
    """#

  init(_ records: String = SmallIndex.records) throws {
    directory.write(records + "\n", to: "records.jsonl")
    var options = BuildOptions()
    options.key = "{name}, {country}"
    options.jobs = 1
    _ = try ShardBuilder.build([source], into: path, options: options)
  }

  static let shared = try! SmallIndex()
}
