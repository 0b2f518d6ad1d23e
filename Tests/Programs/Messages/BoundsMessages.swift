import Testing

@Suite(
  "Messages about directories that change, and about copies",
  .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct BoundsMessages {
  /// A build whose directory changes while it waits for its records.
  private static func changed(_ change: String) -> String {
    """
    mkfifo p
    shardq build -i x --key '{name}' --input-format jsonl p & build=$!
    exec 3>p
    \(change)
    echo '{"name":"Ann"}' >&3
    exec 3>&-
    wait $build; status=$?
    ls x y 2>/dev/null
    exit $status
    """
  }
  private static func refusal(_ path: String) -> String {
    "shardq: \(path) was moved, removed or replaced while the index was written, so nothing was published; try again\n"
  }
  private static let copied = """
    printf 'name\\nAnn\\n' > a.csv; shardq build -i x --key '{name}' a.csv 2>/dev/null; cp -r x y; rm x/manifest

    """

  static let rows = [
    ShellCase("its directory is moved", changed("mv x y"), status: 75, output: "y:\n", error: refusal("x")),
    ShellCase(
      "its directory is made anew", changed("mv x y; mkdir x"), status: 75, output: "x:\n\ny:\n", error: refusal("x")),
    ShellCase(
      "a link takes its directory's place", changed("mv x z; mkdir y; ln -s y x"), status: 75, output: "x:\n\ny:\n",
      error: refusal("x")),
    ShellCase("its lock is removed", changed("rm x/.lock"), status: 75, output: "x:\n", error: refusal("x/.lock")),
    ShellCase(
      "a copy whose manifest nothing proves", copied + "shardq repair -i x --from y", status: 65,
      error: """
        shardq: x/manifest is damaged, and nothing proves that the copy has the right manifest: the damaged manifest has \
        another size; give the right digest with --expect-digest, or take the copy's manifest with --force

        """),
    ShellCase(
      "a copy whose manifest its digest proves",
      copied + """
        shardq repair -i x --from y --expect-digest $(sha256sum y/manifest | cut -c1-64) 2>/dev/null
        cmp x/manifest y/manifest
        """),
  ]

  @Test(arguments: rows) func row(_ row: ShellCase) { row.check() }
}
