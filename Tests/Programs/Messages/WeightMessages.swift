import Testing

/// Messages of a build, an update and a check about weights.
@Suite("Messages about weights", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct WeightMessages {
  private static let list =
    "printf '[{\"id\":1,\"name\":\"Ann\",\"n\":4},{\"id\":2,\"name\":\"Bob\",\"n\":\"x\"}]' > c.json\n"
  private static let weights = list + "printf '2\\t7\\n9\\t1\\n' > w.tsv\n"
  /// An index whose weights come from a file.
  private static let built =
    weights + "shardq build -i x --key '{name}' --id id --weights w.tsv c.json 2>/dev/null || exit 98\n"
  private static let features = "shardq stats -i x --format json | grep -o '\"features\":{.*}}'"

  static let cases = [
    ShellCase(
      "--weight makes ranks, which stats names",
      list + "shardq build -i x --key '{name}' --weight n c.json 2>&1 | grep -i weigh; "
        + "shardq stats -i x | grep ranks; " + features,
      output: "1 of 2 records have no number in \"n\" (first: \"x\") and weigh 0\nranks     52 bytes, by n\n"
        + "\"features\":{\"ranks\":{\"bytes\":52,\"weight\":\"n\"}}\n"),
    ShellCase(
      "stats names each feature, and no other",
      list
        + "sed -i 's/\"id\":1/\"lat\":1,\"lon\":2/' c.json; for f in --typos --near '--filter n' '--words --typos'; do "
        + "shardq build -i x --key '{name}' --weight n $f c.json 2>/dev/null; "
        + "shardq stats -i x --format json | jq -c '.features | keys'; done",
      output: "[\"ranks\",\"typos\"]\n[\"near\",\"ranks\"]\n[\"filters\",\"ranks\"]\n"
        + "[\"entries\",\"ranks\",\"typos\"]\n"),
    ShellCase(
      "stats of an index without ranks", list + "shardq build -i x --key '{name}' c.json 2>/dev/null; " + features,
      status: 1),
    ShellCase(
      "no weight above 0",
      "printf 'name,n\\nAnn,-1\\nBob,NaN\\nCid,many\\nDee,0.9\\n' > k.csv; "
        + "shardq build -i k --key '{name}' --weight n k.csv 2>&1 | grep weigh",
      output:
        "2 of 4 records have no number in \"n\" (first: \"NaN\") and weigh 0\n"
        + "no record has a number above 0 in \"n\", so all weights are 0: answers are in the order of keys\n"),
    ShellCase(
      "--weight that is not kept", list + "shardq build -i x --key '{name}' --weight n --keep name c.json", status: 64,
      error: "shardq: the field \"n\" ranks records, so the index must store it; keep it too\n"),
    ShellCase(
      "--weight-scale alone", list + "shardq build -i x --key '{name}' --weight-scale 2 c.json 2>&1 | head -1",
      output: "shardq: --weight-scale needs --weight or --weights; add one\n"),
    ShellCase(
      "--weight-scale that is none",
      list
        + "for s in 0 -1 x 1e; do shardq build -i x --key '{name}' --weight n --weight-scale=$s c.json 2>&1 | head -1; "
        + "done",
      output: String(repeating: "shardq: --weight-scale must be a number above 0\n", count: 4)),
    ShellCase(
      "--weights",
      weights
        + "shardq build -i x --key '{name}' --id id --weights w.tsv c.json 2>&1 | grep weights; shardq export -i x",
      output: "weights: 1 of 2 records found in w.tsv\n"
        + "{\"id\":1,\"name\":\"Ann\",\"n\":4}\n{\"id\":2,\"name\":\"Bob\",\"n\":\"x\",\"weight\":7}\n"),
    ShellCase(
      "--weights from standard input, compressed, with a name",
      weights + "gzip w.tsv; shardq build -i x --key '{name}' --id id --weights - --weight rank c.json <w.tsv.gz 2>&1 "
        + "| grep weights; shardq export -i x | tail -1; " + features,
      output: "weights: 1 of 2 records found in standard input\n{\"id\":2,\"name\":\"Bob\",\"n\":\"x\",\"rank\":7}\n"
        + "\"features\":{\"ranks\":{\"bytes\":52,\"weight\":\"rank\",\"weights\":\"file\"}}\n"),
    ShellCase(
      "--weights without --id",
      weights + "shardq build -i x --key '{name}' --weights w.tsv c.json 2>&1 | head -1",
      output: "shardq: --weights needs --id, the field with the ids of that file; add --id\n"),
    ShellCase(
      "--weights and a dataset from standard input",
      weights + "shardq build -i x --key '{name}' --id id --weights - - <c.json 2>&1 | head -1",
      output: "shardq: standard input can be read only once; leave out one -\n"),
    ShellCase(
      "--weights that are not there",
      weights + "shardq build -i x --key '{name}' --id id --weights no.tsv c.json", status: 66,
      error: "shardq: no.tsv: cannot be opened: No such file or directory; check its name\n"),
    ShellCase(
      "a record that has the field of the weights",
      weights + "shardq build -i x --key '{name}' --id id --weights w.tsv --weight n c.json", status: 64,
      error:
        "shardq: c.json:1:2: record 1: has a field \"n\", the name for the weights of the file; choose another "
        + "name with --weight\n"),
    ShellCase(
      "an update without the weights",
      built + "printf '{\"id\":1,\"name\":\"Amy\"}' > u.json; shardq update -i x --upsert u.json; echo $?; "
        + "printf '1\\t3\\n' > w.tsv; shardq update -i x --weights w.tsv --upsert u.json 2>&1 | grep weights; "
        + "shardq export -i x",
      output: "64\nweights: 1 changed record found in w.tsv\n"
        + "{\"id\":1,\"name\":\"Amy\",\"weight\":3}\n{\"id\":2,\"name\":\"Bob\",\"n\":\"x\",\"weight\":7}\n",
      error:
        "shardq: x: was built with --weights; name the file again, because changed records would lose their weights\n"),
    ShellCase(
      "an update of an index without weights of a file",
      weights + "shardq build -i x --key '{name}' --id id c.json 2>/dev/null; "
        + "shardq update -i x --weights w.tsv --upsert c.json", status: 64,
      error: "shardq: x: was built without --weights; leave it out\n"),
    ShellCase(
      "a check against a source with weights of a file",
      built + "shardq verify -i x --source c.json --key '{name}'; echo $?; "
        + "shardq verify -i x --source c.json --weights w.tsv 2>&1 | tail -2 | head -1",
      output: "64\n2 records in the dataset: all in the index, and no others\n",
      error: "shardq: x: was built with --weights; name that file as well\n"),
  ]

  @Test(arguments: cases) func weight(_ row: ShellCase) { row.check() }
}
