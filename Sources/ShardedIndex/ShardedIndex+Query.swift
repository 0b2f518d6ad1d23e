extension ShardedIndex {
  /// The order of keys, for searches whose answer counts every match.
  public enum KeyOrder: Sendable {
    /// The order of folded keys, which is the order of the index.
    case key
  }

  /// Returns the records whose folded key begins with the fold of `text`, in key order.
  ///
  /// The index needs no ranks for it. A space at the end of the text finishes the word: `paris ` matches `Paris, FR`
  /// and `Paris 01, FR`, and not `Parish, US`. The last space between words may also stand for the comma: `paris fr`
  /// matches `Paris, FR`.
  ///
  /// Loads at most the keys of the two shards at the ends of the answer; twice as many if a space also stands for the
  /// comma. Decodes no record.
  ///
  /// ```swift
  /// let matches = try index.search("sao p", order: .key, limit: 20)
  /// for record in try matches.records(in: 0..<20) { print(record.key) }
  /// if matches.hasMore { print("...") }
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text as typed. The index folds it. An empty text matches every record.
  ///   - order: The order of keys.
  ///   - limit: The most matches, from the first on. A list that shows no count passes a limit. Then the index loads
  ///     nothing for matches beyond the limit, and ``Matches/hasMore`` tells whether there are more. If the index is on
  ///     another machine and has no ranks, its starts (`shardq build --starts`) answer short texts with a limit of at
  ///     most 20. Then a query mostly fetches nothing, and ``Matches/firstPosition`` is nil.
  /// - Throws: ``IndexError`` if a shard or a page of the manifest cannot be read or is damaged. The index stays
  ///   usable.
  /// - Complexity: O(log *s* + log *r*): *s* shards in the index, *r* records in a shard.
  public func search(_ text: String, order: KeyOrder, limit: Int = .max) throws(IndexError) -> Matches {
    try matches(forPrefix: text, limit: limit)
  }

  /// Returns the records whose key begins with a text that is given as bytes of UTF-8, as `search(_:order:limit:)` does
  /// for a text; bytes that are not UTF-8 match no text.
  public func search(
    utf8 text: UnsafeBufferPointer<UInt8>, order: KeyOrder, limit: Int = .max
  ) throws(IndexError) -> Matches {
    unsafe try matches(forPrefix: text, limit: limit)
  }

  /// Returns the matches of a text in key order.
  package func matches(forPrefix prefix: String, limit: Int = .max) throws(IndexError) -> Matches {
    var prefix = prefix
    var answer: Result<Matches, IndexError>? = nil
    prefix.withUTF8 { bytes in
      answer = Result { () throws(IndexError) in unsafe try matches(forPrefix: bytes, limit: limit) }
    }
    return try answer!.get()
  }

  /// Returns the matches of a prefix that is given as bytes of UTF-8; bytes that are not UTF-8 match no text.
  package func matches(
    forPrefix prefix: UnsafeBufferPointer<UInt8>, limit: Int = .max
  ) throws(IndexError) -> Matches {
    // Not a closure: the compiler does not inline a closure that is called in two places.
    @inline(__always) func matches(of text: FoldedPrefix) throws(IndexError) -> Matches {
      try self.matches(forFolded: text, limit: max(0, limit))
    }
    return unsafe try FoldedPrefix.withFold(of: prefix, matches)
  }

  /// Returns the matches of a prefix in one generation, whether or not the index has moved on.
  package func matches(
    forPrefix prefix: String, limit: Int = .max, in generation: Generation
  ) throws(IndexError) -> Matches {
    var prefix = prefix
    var answer: Result<Matches, IndexError>? = nil
    prefix.withUTF8 { bytes in
      answer = Result { () throws(IndexError) in
        unsafe try FoldedPrefix.withFold(of: bytes) { (text) throws(IndexError) in
          try generation.gathering(ahead: { generation.prefetch(text, limit: limit) }) { () throws(IndexError) in
            Matches(generation, try generation.answer(to: text, limit: limit))
          }
        }
      }
    }
    return try answer!.get()
  }

  /// Returns the matches of a prefix that is folded already.
  package func matches(forFoldedPrefix prefix: FoldedPrefix) throws(IndexError) -> Matches {
    try matches(forFolded: prefix, limit: .max)
  }

  /// Returns the records in shards whose folded key begins with `prefix`, without the overlay. A space does not stand
  /// for a comma here.
  package func matchesInShards(
    forFoldedPrefix prefix: FoldedPrefix, limit: Int = .max
  ) throws(IndexError) -> Matches {
    let generation = generation
    return Matches(generation, try KeySearch(generation.shards, limit: limit).matches(of: prefix))
  }

  /// Returns the number of matches of a prefix; the result holds no shard.
  package func count(ofPrefix prefix: String) throws(IndexError) -> Int { try matches(forPrefix: prefix).count }
}

extension ShardedIndex {
  /// Returns the range of a record's key that a prefix matched, so that a list can mark it. The prefix `straat n` marks
  /// `Straat, N` in `Straat, NL`.
  ///
  /// ```swift
  /// if let range = ShardedIndex.matchedRange(ofPrefix: "sao p", in: record.key) { print(record.key[range]) }
  /// ```
  ///
  /// Characters are marked whole: one typed letter of a sharp s or of a Hangul syllable marks the whole character. In
  /// `Paris, FR` the prefix `paris ` with a space at its end marks `Paris`, and `paris f` marks `Paris, F`.
  ///
  /// - Parameters:
  ///   - prefix: The text as typed.
  ///   - key: As ``Record/key`` has it.
  /// - Returns: The range, from the start of `key`; nil if the prefix does not match it.
  /// - Complexity: O(*n*): *n* bytes of the range and of the prefix.
  public static func matchedRange(ofPrefix prefix: String, in key: String) -> Range<String.Index>? {
    Fold.matchedRange(ofFolded: Fold.fold(prefix), in: key)
  }
}
