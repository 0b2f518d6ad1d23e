import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("SHA-256") struct SHA256Tests {
  private static func digits(_ bytes: [UInt8]) -> String {
    let digest = bytes.withUnsafeBufferPointer { SHA256.digest(of: $0) }
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// FIPS 180-2 appendix B and the NIST examples of secure hash values.
  @Test(
    "the standard's examples have their digests",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func examples(text: String, digest: String) { #expect(Self.digits(Array(text.utf8)) == digest) }

  @Test("a million times the letter a has its digest")
  func million() {
    let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    #expect(Self.digits([UInt8](repeating: 0x61, count: 1_000_000)) == expected)
  }

  @Test("every size up to five blocks, in one piece and in pieces, has the digest of nettle")
  func nettle() {
    var random = SplitMix64(seed: 2)
    for size in 0...330 {
      let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes.withUnsafeBufferPointer { all in
        let expected = Digest.sha256(all.span)
        #expect(SHA256.digest(of: all) == expected, "\(size) bytes")
        for _ in 0..<5 {
          var hash = SHA256()
          var at = 0
          while at < size {
            let next = Int.random(in: at...size, using: &random)
            hash.update(UnsafeBufferPointer(rebasing: all[at..<next]))
            at = next
          }
          #expect(hash.finish() == expected, "\(size) bytes in pieces")
        }
      }
    }
  }

  @Test("a digest is 64 hexadecimal digits")
  func text() {
    let digits = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let digest = ManifestDigest(digits)
    #expect(digest?.description == digits && digest?.bytes.first == 0xe3 && digest?.bytes.last == 0x55)
    #expect(ManifestDigest(digits.uppercased()) == digest)
    let wrong = ["", "e3", String(digits.dropLast()), digits + "0", digits + "00", "g" + digits.dropFirst()]
    for wrong in wrong + [" " + digits] {
      #expect(ManifestDigest(wrong) == nil, "\(wrong)")
    }
  }
}
