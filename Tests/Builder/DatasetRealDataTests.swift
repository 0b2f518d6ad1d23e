import Foundation
import TestSupport
import Testing

import ShardBuilder

@Suite(
  "Dataset: real files",
  .enabled(if: TestData.folder != nil, "skipped: no real data at $SHARDQ_DATA or ../shared/data"))
struct DatasetRealDataTests {
  static let files: [(String, [String]?, DatasetFormat, Int, String)] = [
    (
      "cities.json.zst", nil, .json, 209_556,
      #"country="ES" name="A Cañiza" _id=3119890 coord.lon=-8.26667 coord.lat=42.216671"#
    ),
    (
      "japanese-addresses.tsv.zst", ["town", "koaza", "city", "prefecture", "lat", "lon"], .tsv, 277_676,
      #"town="員弁町石仏" koaza="" city="いなべ市" prefecture="三重県" lat="35.110331" lon="136.563477""#
    ),
    (
      "postal-places.tsv.zst",
      ["place", "postcode", "country", "state", "province", "community", "lat", "lon"], .tsv,
      1_500_510,
      #"place="Canillo" postcode="AD100" country="AD" state="Canillo" province="" community="" lat="42.5833" lon="1.6667""#
    ),
  ]

  @Test("real files are read whole", arguments: files)
  func reads(name: String, columns: [String]?, format: DatasetFormat, count: Int, first: String) throws {
    let (reader, answer, backslashes) = try read(name, columns)
    #expect(reader.format == format)
    #expect(reader.recordsRead == count && reader.badCount == 0)
    #expect(answer.text == first)
    #expect(reader.bytesRead == reader.bytesTotal)
    // The file's own backslashes: none is taken for an escape.
    #expect(backslashes == (name.hasPrefix("postal") ? 7 : 0))
  }

  @Test("a GeoNames dump is recognised")
  func geonames() throws {
    let (reader, answer, _) = try read("geonames-cities1000.txt.zst", nil)
    #expect(reader.format == .geonames)
    #expect(reader.recordsRead == 99_824)
    #expect(answer.records[0][1].description == #"name="Sant Julià de Lòria""#)
  }

  /// Reads a file and keeps the first record; also how many records have a backslash.
  private func read(_ name: String, _ columns: [String]?) throws -> (DatasetReader, DatasetAnswer, Int) {
    let reader = try DatasetReader(
      path: try #require(TestData.folder) + "/" + name, options: DatasetOptions(columns: columns))
    var answer = DatasetAnswer()
    var batch = RecordBatch()
    var (count, backslashes) = (0, 0)
    while try reader.read(into: &batch) {
      if count == 0 {
        answer.append(batch, reader.names)
        answer.records.removeLast(answer.records.count - 1)
      }
      count += batch.recordEnds.count
      batch.bytes.withUnsafeBytes { bytes in
        var rest = UnsafeRawBufferPointer(bytes)[...]
        while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
          let found = memchr(base, Int32(UInt8(ascii: "\\")), rest.count)
        {
          backslashes += 1
          rest = rest.dropFirst(UnsafeRawPointer(found) - base + 1)
        }
      }
    }
    #expect(count == reader.recordsRead)
    return (reader, answer, backslashes)
  }
}
