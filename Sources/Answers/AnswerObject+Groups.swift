import ShardedIndex

extension AnswerObject {
  /// Writes the numbers of the others of each record's group, and whether they are exact.
  package static func write(
    others: [Int], areExact: Bool, _ output: inout Output
  ) throws(WriteError) {
    try output.write(",\"others\":[" as StaticString)
    for (index, number) in others.enumerated() {
      if index > 0 { try output.write(0x2c) }
      try output.write(number: number)
    }
    try output.write("],\"othersAreExact\":" as StaticString)
    try output.write(areExact ? "true" : "false" as StaticString)
  }
}
