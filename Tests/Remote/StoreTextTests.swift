import ShardedIndex
import Testing

import ShardedIndexRemote

@Suite("The texts of a store") struct StoreTextTests {
  static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3/doc/\">"

  func page(_ content: String) throws -> ObjectListing {
    try ObjectListing(Array((Self.head + content + "</ListBucketResult>").utf8))
  }

  @Test("A page of a list has keys, sizes and dates") func listing() throws {
    let object = """
      <Contents><Key>a/%2525-b%2B+c</Key><LastModified>2026-11-26T19:26:03.000Z</LastModified><ETag>&quot;x&quot;</ETag>\
      <Size>12</Size><Owner><ID>me</ID><DisplayName/></Owner></Contents>
      """
    let found = try page(
      "<Name>b</Name><EncodingType>url</EncodingType>\(object)<IsTruncated>true</IsTruncated>"
        + "<NextContinuationToken>a&amp;&#x41;&#66;</NextContinuationToken>"
        + "<CommonPrefixes><Prefix>x/</Prefix></CommonPrefixes>")
    #expect(found.objects.map(\.key) == ["a/%25-b+ c"])
    #expect(found.objects.map(\.size) == [12])
    #expect(found.objects.map(\.modified) == [1_795_721_163])
    #expect(found.next == "a&AB")
    // A store that does not encode keys has no element for the encoding.
    let plain = try page("<Contents><Key>a+%41</Key><Size>0</Size></Contents><IsTruncated>false</IsTruncated>")
    #expect(plain.objects.map(\.key) == ["a+%41"])
    #expect(plain.objects.map(\.modified) == [nil])
    #expect(plain.next == nil)
  }

  @Test(
    "A date is read as a day of the calendar",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.000Z", 951_825_600), ("2100-03-01T00:00:00.1Z", 4_107_542_400),
    ])
  func dates(_ text: String, _ seconds: Int64) throws {
    let found = try page(
      "<Contents><Key>a</Key><Size>0</Size><LastModified>\(text)</LastModified></Contents><IsTruncated>false</IsTruncated>"
    )
    #expect(found.objects[0].modified == seconds)
  }

  @Test(
    "A text that is no date is refused",
    arguments: [
      "", "x", "<", "<a", "<a>", "</a>", "<a></b>", "<html></html>", "<a/><b/>", "<!DOCTYPE a><a/>",
      "<ListBucketResult/>",
      "<ListBucketResult><IsTruncated>maybe</IsTruncated></ListBucketResult>",
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      "<ListBucketResult><IsTruncated>false</IsTruncated>&lol;</ListBucketResult>",
      "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents></ListBucketResult>",
      "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Size>1</Size></Contents></ListBucketResult>",
      "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
      "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated><Contents><Key>%4</Key><Size>1</Size>"
        + "</Contents></ListBucketResult>",
      "<a><a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a></a>",
    ])
  func refused(_ text: String) {
    #expect(throws: ObjectListing.Flaw.self) { try ObjectListing(Array(text.utf8)) }
  }

  @Test("A page that is cut off is refused, and a changed byte does no harm") func damage() throws {
    let bytes = Array(
      (Self.head + "<EncodingType>url</EncodingType><Contents><Key>a%20</Key><Size>1</Size></Contents>"
        + "<IsTruncated>false</IsTruncated></ListBucketResult>").utf8)
    for end in bytes.indices {
      #expect(throws: ObjectListing.Flaw.self) { try ObjectListing(Array(bytes[..<end])) }
      for byte in [0, 0x3c, 0x3e, 0x26, 0x2f, 0xff] as [UInt8] {
        var changed = bytes
        changed[end] = byte
        _ = try? ObjectListing(changed)
      }
    }
  }

  @Test("A record of a generation is read as it is written") func generation() throws {
    let digest = ManifestDigest(String(repeating: "0123456789abcdef", count: 4))!
    for parent in [nil, 41 as UInt64?] {
      let record = GenerationRecord(digest: digest, size: 77, recordCount: 5, shardCount: 2, parent: parent)
      #expect(GenerationRecord(record.bytes) == record)
      #expect(record.manifestName == "manifest-0123456789abcdef0123456789abcdef")
      for at in record.bytes.indices {
        #expect(GenerationRecord(Array(record.bytes[..<at])) == nil)
        var changed = record.bytes
        changed[at] ^= 0x80
        #expect(GenerationRecord(changed) == nil)
      }
    }
    #expect(GenerationRecord([]) == nil)
    #expect(GenerationRecord(Array(repeating: 0x0a, count: 1000)) == nil)
  }

  @Test("A generation's number is read from its name") func names() {
    for number in [1, 42, UInt64.max] {
      #expect(GenerationRecord.number(ofName: GenerationRecord.name(number)) == number)
    }
    #expect(GenerationRecord.name(42) == "generations/00000000000000000042")
    for name in [
      "generations/", "generations/42", "generations/99999999999999999999", "generations/0000000000000000004x",
    ] {
      #expect(GenerationRecord.number(ofName: name) == nil)
    }
  }
}
