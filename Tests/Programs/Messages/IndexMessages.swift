import Testing

@Suite("Messages about an index", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct IndexMessages {
  static let rows = [
    ShellCase(
      "a build and a query",
      "printf 'name\\nAnn\\n' > a.csv; shardq build -i x --key '{name}' a.csv 2>/dev/null; shardq -i x an",
      output: "Ann\n"),
    ShellCase(
      "a file beyond the limit of file sizes, of which nothing stays",
      "seq 3000 > n.txt; shardq build -q -i x n.txt; ulimit -f 1; shardq archive -i x -o a; status=$?; ls a .shardq* a.* "
        + "2>/dev/null; exit $status",
      status: 74, error: "shardq: cannot write a: File too large; raise the limit of file sizes (ulimit -f)\n"),
  ]

  @Test(arguments: rows) func row(_ row: ShellCase) { row.check() }
}
