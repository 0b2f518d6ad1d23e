import Testing

/// Messages of a build, an update and a check about files that they would replace, and about fields and ids.
@Suite("Messages before anything is replaced", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct IngestMessages {
  /// An index of two records in `x`, of Ann and Bob, with ids.
  private static let two =
    "printf '[{\"id\":1,\"name\":\"Ann\"},{\"id\":2,\"name\":\"Bob\"}]' > c.json; "
    + "shardq build -i x --key '{name}' --id id c.json 2>/dev/null || exit 98\n"
  private static let count = "; s=$?; shardq -i x '' --all; exit $s"

  static let sources = [
    ShellCase(
      "an empty pipe over an index",
      two + "printf '' | shardq build -i x --input-format jsonl --key '{name}' -" + count,
      status: 65, output: "1\tAnn\n2\tBob\n",
      error:
        "shardq: standard input: the input has no record, and the index in x has 2; to empty it, pass --allow-empty\n"
    ),
    ShellCase(
      "an empty array over an index", two + "printf '[]' > e.json; shardq build -i x --key '{name}' e.json" + count,
      status: 65, output: "1\tAnn\n2\tBob\n",
      error: "shardq: e.json: the input has no record, and the index in x has 2; to empty it, pass --allow-empty\n"),
    ShellCase(
      "empty JSON lines over an index", two + ": > e.jsonl; shardq build -i x --key '{name}' e.jsonl" + count,
      status: 65, output: "1\tAnn\n2\tBob\n",
      error: "shardq: e.jsonl: the input has no record, and the index in x has 2; to empty it, pass --allow-empty\n"),
    ShellCase(
      "a header alone over an index",
      two + "printf 'id,name\\n' > h.csv; shardq build -i x --key '{name}' h.csv" + count, status: 65,
      output: "1\tAnn\n2\tBob\n",
      error:
        "shardq: h.csv: the input has no record after the header \"id\", \"name\", and the index in x has 2; to empty it, pass "
        + "--allow-empty\n"),
    ShellCase(
      "records that are all bad over an index",
      two + "printf '{\"a\":1}\\n' > b.jsonl; shardq build -i x --key '{name}' --skip-bad b.jsonl" + count, status: 64,
      output: "1\tAnn\n2\tBob\n",
      error: "shardq: b.jsonl: --key names \"name\"; its fields are \"a\"\n"),
    ShellCase(
      "an index is emptied when that is said",
      two + "printf 'id,name\\n' > h.csv; shardq build -i x --key '{name}' --min-records 0 h.csv 2>&1 | grep -v shard"
        + "; shardq -i x '' --all", status: 1,
      output:
        "h.csv: the input has no record after the header \"id\", \"name\"\n0 records read, 0 in the index, 0 bad\n"
        + "the index in x has no record: no query finds anything\n"),
    ShellCase(
      "a new index without a record",
      "printf 'id,name\\n' > h.csv; shardq build -i y --key '{name}' h.csv 2>&1 | grep -v shard",
      output:
        "h.csv: the input has no record after the header \"id\", \"name\"\n0 records read, 0 in the index, 0 bad\n"
        + "the index in y has no record: no query finds anything\n"),
    ShellCase(
      "fewer records than were asked for",
      two
        + "printf '{\"id\":1,\"name\":\"Ann\"}\\n' | shardq build -i x --min-records 2 --input-format jsonl --key '{name}' -"
        + count, status: 65, output: "1\tAnn\n2\tBob\n",
      error:
        "shardq: the inputs have 1 record for the index in x, and --min-records asks for 2; check the source of "
        + "the inputs\n"),
    ShellCase(
      "as many as were asked for",
      two + "shardq build -i x --min-records 2 --key '{name}' --id id c.json 2>&1 | head -1",
      output: "2 records read, 2 in the index, 0 bad\n"),
    ShellCase(
      "an update without a change",
      two + "printf 'id,name\\n' > h.csv; shardq update -i x --upsert h.csv 2>&1 | head -2",
      output: "h.csv: the input has no record after the header \"id\", \"name\"\n"
        + "0 changes read, 0 bad; 0 records replaced or removed, 2 in the index\n"),
    ShellCase(
      "another key", two + "shardq build -i x --key '{id}' c.json" + count, status: 64, output: "1\tAnn\n2\tBob\n",
      error:
        "shardq: x: the index there has the key {name}, and this build has {id}; name another directory, or pass --force "
        + "to replace it\n"),
    ShellCase(
      "another key of a source without records",
      two + "printf 'a\\n' > h.csv; shardq build -i x --key '{a}' h.csv" + count, status: 64,
      output: "1\tAnn\n2\tBob\n",
      error:
        "shardq: x: the index there has the key {name}, and this build has {a}; name another directory, or pass --force "
        + "to replace it\n"),
    ShellCase(
      "another key with --force", two + "shardq build -i x --key '{id}' --force c.json 2>&1 | head -1; shardq -i x 2",
      output: "2 records read, 2 in the index, 0 bad\n2\tBob\n"),
    ShellCase(
      "other fields are said",
      two + "printf 'name,sex\\nEve,f\\n' > f.csv; shardq build -i x --key '{name}' f.csv 2>&1 | grep -v -e shard",
      output: "1 record read, 1 in the index (2 before), 0 bad\nnew fields: \"sex\"\n"
        + "fields that the index has no longer: \"id\"\n"),
    ShellCase(
      "a directory of other things",
      "mkdir d; : > d/report.pdf; printf 'name\\nAnn\\n' > a.csv; shardq build -i d --key '{name}' a.csv; s=$?; ls d; exit $s",
      status: 64, output: "report.pdf\n",
      error:
        "shardq: d: the directory holds no index but other files, such as report.pdf; name another directory, or "
        + "pass --force to build there\n"),
    ShellCase(
      "a file of another program that is called manifest",
      "mkdir d; echo jar > d/manifest; printf 'name\\nAnn\\n' > a.csv; shardq build -i d --key '{name}' a.csv; s=$?; "
        + "cat d/manifest; exit $s",
      status: 64, output: "jar\n",
      error:
        "shardq: d: the directory holds no index but other files, such as manifest; name another directory, or pass "
        + "--force to build there\n"),
    ShellCase(
      "the directory of the source, rows 78 and 79",
      "printf 'name\\nAnn\\n' > a.csv; shardq build -i . --key '{name}' a.csv 2>/dev/null; echo $?; "
        + "shardq build -i . --force --key '{name}' a.csv 2>/dev/null; shardq -i . a; cat a.csv",
      output: "64\nAnn\nname\nAnn\n"),
    ShellCase(
      "hidden files are other files too",
      "mkdir d; : > d/.gitignore; printf 'name\\nAnn\\n' > a.csv; shardq build -i d --key '{name}' a.csv; "
        + "shardq build -i d --key '{name}' --force a.csv 2>/dev/null; shardq -i d a", output: "Ann\n",
      error:
        "shardq: d: the directory holds no index but other files, such as .gitignore; name another directory, or pass "
        + "--force to build there\n"),
  ]

  static let fields = [
    ShellCase(
      "--keep in another case",
      "printf 'url,name,time\\nhttp://x,Ann,1\\n' > k.csv; shardq build -i k --key '{name}' --keep URL k.csv",
      status: 64,
      error: "shardq: k.csv: --keep names \"URL\"; its fields are \"url\", \"name\", \"time\"; did you mean \"url\"?\n"),
    ShellCase(
      "--weight that is not there",
      "printf 'url,name\\nhttp://x,Ann\\n' > k.csv; shardq build -i k --key '{name}' --weight nosuch k.csv", status: 64,
      error: "shardq: k.csv: --weight names \"nosuch\"; its fields are \"url\", \"name\"\n"),
    ShellCase(
      "--id that is not there", "printf 'id,name\\n1,Ann\\n' > k.csv; shardq build -i k --key '{name}' --id ID k.csv",
      status: 64, error: "shardq: k.csv: --id names \"ID\"; its fields are \"id\", \"name\"; did you mean \"id\"?\n"),
    ShellCase(
      "--key misspelt", "printf 'url,name\\nhttp://x,Ann\\n' > k.csv; shardq build -i k --key '{nmae}' k.csv",
      status: 64,
      error: "shardq: k.csv: --key names \"nmae\"; its fields are \"url\", \"name\"; did you mean \"name\"?\n"),
    ShellCase(
      "--key misspelt over an index",
      "printf 'name\\nAnn\\n' > k.csv; shardq build -i k --key '{name}' k.csv 2>/dev/null; "
        + "shardq build -i k --key '{nmae}' k.csv",
      status: 64, error: "shardq: k.csv: --key names \"nmae\"; its fields are \"name\"; did you mean \"name\"?\n"),
    ShellCase(
      "a blank before a column's name", "printf 'id, name\\n1, Al\\n' > s.csv; shardq build -i k --key '{name}' s.csv",
      status: 64,
      error: "shardq: s.csv: --key names \"name\"; its fields are \"id\", \" name\"; did you mean \" name\"?\n"),
    ShellCase(
      "one of two files",
      "printf 'id,name\\n1,A\\n' > a.csv; printf 'nom\\nB\\n' > b.csv; shardq build -i k --key '{name}' a.csv b.csv",
      status: 64, error: "shardq: b.csv: --key names \"name\"; its fields are \"nom\"\n"),
    ShellCase(
      "a header alone", "printf 'foo,bar\\n' > h.csv; shardq build -i y --key '{name}' h.csv", status: 64,
      error: "shardq: h.csv: --key names \"name\"; its fields are \"foo\", \"bar\"\n"),
    ShellCase(
      "a header that does not fit, before a record that does not",
      "printf 'foo,bar\\n1\\n' > h.csv; shardq build -i y --key '{name}' h.csv", status: 64,
      error: "shardq: h.csv: --key names \"name\"; its fields are \"foo\", \"bar\"\n"),
    ShellCase(
      "JSON lines of which none has it",
      "printf '{\"name\":\"A\"}\\n{\"name\":\"B\",\"url\":1}\\n' > a.jsonl; shardq build -i k --key '{name}' --keep URL a.jsonl; "
        + "echo $?; shardq build -i k --key '{name}' --weight wieght a.jsonl; echo $?; "
        + "shardq build -i k --key '{name}' --keep url a.jsonl 2>/dev/null; shardq export -i k",
      output: "64\n64\n{}\n{\"url\":1}\n",
      error: "shardq: a.jsonl: --keep names \"URL\"; its fields are \"name\", \"url\"; did you mean \"url\"?\n"
        + "shardq: a.jsonl: --weight names \"wieght\"; its fields are \"name\", \"url\"\n"),
    ShellCase(
      "headers of an update",
      two + "printf 'foo\\n' > h.csv; shardq update -i x --upsert h.csv; shardq update -i x --delete h.csv",
      status: 64,
      error: "shardq: h.csv: the index's key names \"name\"; its fields are \"foo\"\n"
        + "shardq: h.csv: the index's id names \"id\"; its fields are \"foo\"; if the first line is an id, "
        + "pass --columns id\n"),
    ShellCase(
      "the id in an update's header", two + "printf 'name\\n' > h.csv; shardq update -i x --upsert h.csv", status: 64,
      error: "shardq: h.csv: the index's id names \"id\"; its fields are \"name\"\n"),
  ]

  private static let nulls =
    "printf '{\"id\":null,\"name\":\"a\"}\\n{\"id\":null,\"name\":\"b\"}\\n{\"id\":\"null\",\"name\":\"f\"}\\n"
    + "{\"id\":7,\"name\":\"e\"}\\n' > n.jsonl; shardq build -i x --id id --key '{name}' n.jsonl 2>/dev/null || exit 98\n"

  static let ids = [
    ShellCase(
      "null is no id",
      nulls + "printf '{\"id\":null,\"name\":\"NEW\"}\\n' > u.jsonl; shardq update -i x --upsert u.jsonl",
      status: 65,
      error: "shardq: u.jsonl:1:1: record 1: the record has no id, and a change needs one\n"),
    ShellCase(
      "null is no id of an overlay",
      nulls + "printf '{\"id\":null,\"name\":\"NEW\"}\\n' > u.jsonl; shardq update -i x --overlay --upsert u.jsonl",
      status: 65,
      error: "shardq: u.jsonl:1:1: record 1: the record has no id, and a change needs one\n"),
    ShellCase(
      "a bad record with --skip-bad",
      nulls + "printf '{\"id\":null,\"name\":\"N\"}\\n{\"id\":\" \",\"name\":\"N\"}\\n{\"id\":[1],\"name\":\"N\"}\\n"
        + "{\"id\":8,\"name\":\"N\"}\\n' > u.jsonl; shardq update -i x --skip-bad --upsert u.jsonl 2>&1 | grep -v shard; "
        + "shardq export -i x",
      output: "u.jsonl:1:1: record 1: the record has no id, and a change needs one\n"
        + "u.jsonl:2:1: record 2: the record has no id, and a change needs one\n"
        + "u.jsonl:3:1: record 3: the record has no id, and a change needs one\n"
        + "4 changes read, 3 bad; 0 records replaced or removed, 5 in the index\n"
        + "{\"id\":null,\"name\":\"a\"}\n{\"id\":null,\"name\":\"b\"}\n{\"id\":7,\"name\":\"e\"}\n"
        + "{\"id\":\"null\",\"name\":\"f\"}\n{\"id\":8,\"name\":\"N\"}\n"),
    ShellCase(
      "null deletes nothing",
      nulls + "printf '{\"id\":null}\\n' > u.jsonl; shardq update -i x --delete u.jsonl; printf 'id\\n\\n' > u.csv; "
        + "shardq update -i x --delete u.csv", status: 65,
      error: "shardq: u.jsonl:1:1: record 1: the record has no id, and a change needs one\n"
        + "shardq: u.csv:2:1: record 1: the record has no id, and a change needs one\n"),
    ShellCase(
      "the text null is an id, and of one record",
      nulls
        + "printf '{\"id\":\"null\",\"name\":\"NEW\"}\\n' > u.jsonl; shardq update -i x --upsert u.jsonl 2>&1 | head -1; "
        + "shardq export -i x",
      output: "1 change read, 0 bad; 1 record replaced or removed, 4 in the index\n{\"id\":null,\"name\":\"a\"}\n"
        + "{\"id\":null,\"name\":\"b\"}\n{\"id\":7,\"name\":\"e\"}\n{\"id\":\"null\",\"name\":\"NEW\"}\n"),
    ShellCase(
      "1 and \"1\" are one id, 1.0 is another",
      "printf '{\"id\":1,\"name\":\"a\"}\\n{\"id\":\"1\",\"name\":\"b\"}\\n{\"id\":1.0,\"name\":\"c\"}\\n' > n.jsonl; "
        + "shardq build -i x --id id --key '{name}' n.jsonl 2>/dev/null; printf '{\"id\":1,\"name\":\"z\"}\\n' > u.jsonl; "
        + "shardq update -i x --upsert u.jsonl 2>/dev/null; shardq export -i x",
      output: "{\"id\":1.0,\"name\":\"c\"}\n{\"id\":1,\"name\":\"z\"}\n"),
    ShellCase(
      "a build says what an update will meet",
      "printf '{\"id\":null,\"name\":\"a\"}\\n{\"name\":\"b\"}\\n{\"id\":7,\"name\":\"c\"}\\n{\"id\":7,\"name\":\"d\"}\\n"
        + "{\"id\":\"7\",\"name\":\"e\"}\\n' > n.jsonl; shardq build -i x --id id --key '{name}' n.jsonl 2>&1 | grep -e 'no id' -e '^the id'; "
        + "shardq stats -i x --format json | grep -o '\"id\".*\"repeated_ids\":[0-9]*'",
      output: "2 records have no id: no update can replace or remove them\n"
        + "the id 7 has 3 records: an update replaces all of them\n"
        + "\"id\":\"id\",\"records_without_id\":2,\"repeated_ids\":2\n"),
    ShellCase(
      "two ids that several records have",
      "printf 'id,name\\n1,a\\n1,b\\n2,c\\n2,d\\n' > n.csv; shardq build -i x --id id --key '{name}' n.csv 2>&1 | grep ids",
      output: "2 ids have several records, such as 1 with 2: an update replaces all records of an id\n"),
    ShellCase(
      "records without an id stay counted",
      nulls + "printf '{\"id\":7,\"name\":\"z\"}\\n' > u.jsonl; shardq update -i x --upsert u.jsonl 2>/dev/null; "
        + "shardq stats -i x | grep without",
      output: "id        id: 2 records without, 0 repeated\n"),
  ]

  static let keys = [
    ShellCase(
      "null as the key", "printf '{\"id\":2,\"name\":null}\\n' > a.jsonl; shardq build -i x --key '{name}' a.jsonl",
      status: 65,
      error:
        "shardq: a.jsonl:1:1: record 1: \"name\" is null, and the key {name} needs it; name a field that every "
        + "record has, or leave such records out with --skip-bad\n"),
    ShellCase(
      "an array as the key",
      "printf '{\"id\":3,\"name\":[\"x\",\"y\"]}\\n' > a.jsonl; shardq build -i x --key '{name}' a.jsonl",
      status: 65, error: "shardq: a.jsonl:1:1: record 1: \"name\" is an array; name a text field\n"),
    ShellCase(
      "objects as the key",
      "printf '{\"name\":{}}\\n{\"name\":{\"en\":\"y\"}}\\n{\"name\":\"a\"}\\n' > a.jsonl; "
        + "shardq build -i x --skip-bad --key '{name}' a.jsonl 2>&1 | head -3",
      output: "a.jsonl:1:1: record 1: \"name\" is an object; name a text field\n"
        + "a.jsonl:2:1: record 2: \"name\" is an object; name a text field, such as {name.en}\n"
        + "3 records read, 1 in the index, 2 bad\n"),
    ShellCase(
      "true and numbers are text",
      "printf '{\"name\":true}\\n{\"name\":1.50}\\n' > a.jsonl; "
        + "shardq build -i x --key '{name}' a.jsonl 2>/dev/null; shardq -i x tr; shardq -i x 1.5",
      output: "true\n1.50\n"),
    ShellCase(
      "null beside another key field is as missing",
      "printf '{\"name\":\"A\",\"c\":null}\\n{\"name\":null,\"c\":\"C\"}\\n' > a.jsonl; "
        + "shardq build -i x --key '{name}, {c}' a.jsonl 2>/dev/null; shardq -i x nul; shardq -i x 'a' --format jsonl; "
        + "shardq verify -i x --source a.jsonl 2>&1 | tail -2",
      output: "{\"name\":\"A\",\"c\":null}\n2 records in the dataset: all in the index, and no others\n"
        + "8 prefixes asked: every answer is right\n"),
    ShellCase(
      "empty keys are counted",
      "printf 'name\\nAnn\\n\\n\\n' > a.csv; shardq build -i x --key '{name}' a.csv 2>&1 | grep key",
      output: "2 records have a key without text (empty, or separators and spaces alone); "
        + "build --skip-empty-keys leaves them out\n"),
    ShellCase(
      "a key of separators and spaces is counted as an empty one",
      "printf 'a,b\\nAnn,x\\n,\\n\" \", \\n' > a.csv; shardq build -i x --key '{a}, {b}' a.csv 2>&1 | grep key; "
        + "shardq build -i y --key '{a}, {b}' --skip-empty-keys a.csv 2>&1 | grep key; shardq -i y '' --count",
      output: "2 records have a key without text (empty, or separators and spaces alone); "
        + "build --skip-empty-keys leaves them out\n2 records without a key were left out\n1\n"),
    ShellCase(
      "the line to try can be typed",
      "printf '[{\"name\":\"Al\\\\r\\\\nBo\"},{\"name\":\"Al\\\\r\\\\nBz\"},{\"name\":\"Zoe\"}]' > a.json; "
        + "shardq build -i x --key '{name}' a.json 2>&1 | grep try", output: "try: shardq -i x Zoe\n"),
  ]

  static let places = [
    ShellCase(
      "no directory, a file, a link that leads nowhere, no manifest",
      ": > f; ln -s nowhere l; mkdir d; for i in ./nope f l d; do shardq -i $i a; done", status: 66,
      error:
        "shardq: no index at ./nope: there is no such directory or archive; build one with shardq build, or name another with --index\n"
        + "shardq: no index at f: it is a file, but not an archive of an index; build one with shardq build, or name another with --index\n"
        + "shardq: no index at l: it is a link that leads nowhere; build one with shardq build, or name another with --index\n"
        + "shardq: no index at d: there is no manifest in it; build one with shardq build, or name another with --index\n"
    ),
    ShellCase(
      "a closed standard input",
      two
        + "shardq build -i x --input-format jsonl --key '{name}' - <&-; shardq update -i x --input-format jsonl --upsert - <&-; "
        + "shardq query -i x --stdin <&-; shardq -i x '' --all", output: "1\tAnn\n2\tBob\n",
      error: "shardq: standard input is closed; name a file, or pass one to standard input\n"
        + "shardq: standard input is closed; name a file, or pass one to standard input\n"
        + "shardq: standard input is closed; pass the lines to it, or redirect it from a file\n"),
    ShellCase(
      "shards of the last generation",
      two
        + "printf '{\"id\":1,\"name\":\"Zoe\"}\\n' > u.jsonl; shardq update -i x --upsert u.jsonl 2>/dev/null; : > x/other; "
        + "shardq verify -i x 2>&1 | sed 's/-[0-9a-f]*\\.zst/.zst/; s/, [0-9]* bytes//'",
      output:
        "x/an.zst: kept for readers of the previous generation until the next build\nx/other: does not belong to the index\n"
        + "2 records in 1 shard: every byte is sound\n"),
  ]

  static let comparisons = [
    ShellCase(
      "numbers that became text",
      two + "shardq export -i x --format tsv | shardq build -i y --input-format tsv --key '{name}' - 2>/dev/null; "
        + "shardq verify -i y --source c.json 2>out; s=$?; tail -n +2 out; exit $s", status: 1,
      output: "not in the index: {\"id\":1,\"name\":\"Ann\"}\nnot in the dataset: {\"id\":\"1\",\"name\":\"Ann\"}\n"
        + "not in the index: {\"id\":2,\"name\":\"Bob\"}\nnot in the dataset: {\"id\":\"2\",\"name\":\"Bob\"}\n"
        + "2 records in the dataset: 4 differences\n"
        + "2 records differ only in: id numbers in the dataset and text in the index\n"
        + "10 prefixes asked: every answer is right\n"),
    ShellCase(
      "differences that are not listed",
      "seq 150 | sed 's/.*/{\"n\":\"a&\",\"i\":&}/' > a.jsonl; shardq build -i x --key '{n}' a.jsonl 2>/dev/null; "
        + "sed 's/\"i\":/\"i\":0./' a.jsonl > b.jsonl; shardq verify -i x --source b.jsonl 2>&1 >list | tail -n +2 | head -3; "
        + "wc -l < list",
      output: "150 records in the dataset: 300 differences\n150 records differ only in: i of other texts\n"
        + "100 differences are not listed\n200\n"),
    ShellCase(
      "the header of a source",
      two + "printf 'a\\n' > h.csv; shardq verify -i x --source h.csv; "
        + "shardq verify -i x --source - <&-", status: 66,
      error: "shardq: h.csv: the index's key names \"name\"; its fields are \"a\"\n"
        + "shardq: standard input is closed; name a file, or pass one to standard input\n"),
    ShellCase(
      "an empty file of no known format", two + ": > e; shardq build -i x --key '{name}' e", status: 65,
      error: "shardq: e: is empty; a dataset has at least a header or a record\n"),
  ]

  @Test(arguments: comparisons) func comparison(_ row: ShellCase) { row.check() }
  @Test(arguments: places) func place(_ row: ShellCase) { row.check() }
  @Test(arguments: sources) func source(_ row: ShellCase) { row.check() }
  @Test(arguments: fields) func field(_ row: ShellCase) { row.check() }
  @Test(arguments: ids) func id(_ row: ShellCase) { row.check() }
  @Test(arguments: keys) func key(_ row: ShellCase) { row.check() }
}
