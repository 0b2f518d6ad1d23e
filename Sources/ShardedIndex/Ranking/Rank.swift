extension ShardedIndex {
  /// The rank of a record in a ranked answer, or the bound of some records' ranks. A greater rank comes first.
  /// Source: docs/ranking.md section 4.
  public struct Rank: Comparable, Hashable, Sendable {
    /// The number of typing errors that the match corrects.
    public var edits = 0
    /// In an order by numbers, the code of the record's number, or the negated code for ascending numbers; else 0.
    package var key: UInt64 = 0
    /// The code of the weight and the bonus of the match, in steps of 1/2,048 octave.
    public var score: Int
    /// The weight.
    public var weight: UInt64
    /// Whether the key does not begin with the text as it was typed; false for a bound and for a match with edits.
    package var isOtherForm = false
    /// The position among all records of the index; for a bound, the first position of its records.
    public var position: Int

    /// - Parameters:
    ///   - bonus: The bonus of the match, in octaves.
    ///   - near: The nearness in the score, in steps.
    init(weight: UInt64, bonus: Int, near: Int = 0, position: Int) {
      score = WeightRule.code(weight) + 2048 * bonus + near
      (self.weight, self.position) = (weight, position)
    }

    init(edits: Int, score: Int, weight: UInt64, isOtherForm: Bool, position: Int) {
      (self.edits, self.score, self.weight) = (edits, score, weight)
      (self.isOtherForm, self.position) = (isOtherForm, position)
    }

    /// Returns the bonus of the match, in octaves.
    ///
    /// - Parameter near: The nearness in the score, in steps.
    func bonus(near: Int) -> Int { (score - near - WeightRule.code(weight)) / 2048 }

    /// The bound above all ranks.
    static var highest: Rank {
      var rank = Rank(edits: 0, score: .max, weight: .max, isOtherForm: false, position: 0)
      rank.key = .max
      return rank
    }

    /// Whether the record of the left rank comes behind the record of the right rank.
    public static func < (left: Rank, right: Rank) -> Bool {
      if left.edits != right.edits { return left.edits > right.edits }
      if left.key != right.key { return left.key < right.key }
      if left.score != right.score { return left.score < right.score }
      if left.weight != right.weight { return left.weight < right.weight }
      if left.isOtherForm != right.isOtherForm { return left.isOtherForm }
      return left.position > right.position
    }
  }
}
