import Testing

@Suite("What is said of an index", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct IndexMessages {
  static let rows = [
    ShellCase(
      "a build and a query",
      "printf 'name\\nAnn\\n' > a.csv; shardq build -i x --key '{name}' a.csv 2>/dev/null; shardq -i x an",
      output: "Ann\n")
  ]

  @Test(arguments: rows) func row(_ row: ShellCase) { row.check() }
}
