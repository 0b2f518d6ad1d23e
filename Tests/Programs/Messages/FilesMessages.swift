import TestSupport
import Testing

/// Files as people have them: the records of each, or the message with its advice.
///
/// A refusal that gives a shell line has a row that runs the line.
@Suite("Messages about files", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct FilesMessages {
  /// Makes a file, builds an index of it, and compares the printed records and the build's notes and errors.
  ///
  /// - Parameters:
  ///   - make: Shell that makes the file.
  ///   - build: The words after `shardq build -i x`; a line that ends with `-` may have a pipe before: `tr … < f |`.
  static func row(
    _ name: String, _ make: String, _ build: String, pipe: String = "", status: Int = 0, records: String = "",
    error: String = ""
  ) -> ShellCase {
    ShellCase(
      name,
      """
      \(make)
      \(pipe) shardq build -i x \(build) 2>told; status=$?
      grep 'changes that$\\|^shardq: ' told >&2
      [ $status -ne 0 ] || shardq export -i x
      exit $status
      """, status: status, output: records, error: error.isEmpty ? "" : error + "\n")
  }

  private static let skip = "leave such records out with --skip-bad"
  private static let names = "pass --name-columns, or name the columns with --columns if the first line is a record"

  static let delimited = [
    row(
      "semicolons are seen", "printf 'id;name\\n1;Al\\n' > f.csv", "--key '{name}' f.csv",
      records: "{\"id\":\"1\",\"name\":\"Al\"}\n",
      error: "f.csv: ';' divides the fields; --delimiter changes that"),
    row(
      "semicolons without a key", "printf 'id;title;full_name\\n1;Dr;Al\\n' > f.csv", "f.csv", status: 64,
      error:
        "shardq: give the text that people type with --key, such as '{title}'; the fields are: id, title, full_name; if the first line is a record, name the fields with --columns"
    ),
    row(
      "bars are seen", "printf 'id|name\\n1|Al\\n' > f.txt", "--key '{name}' f.txt",
      records: "{\"id\":\"1\",\"name\":\"Al\"}\n",
      error: "f.txt: '|' divides the fields; --delimiter changes that"),
    row(
      "tabs in a csv file are seen, and quotes in it are quotes", "printf 'id\\tname\\n1\\t\"A\\tl\"\\n' > f.csv",
      "--key '{name}' f.csv", records: "{\"id\":\"1\",\"name\":\"A\\tl\"}\n",
      error: "f.csv: a tab divides the fields; --delimiter changes that"),
    row(
      "commas in a tsv file are seen", "printf 'id,name\\n1,Al\\n' > f.tsv", "--key '{name}' f.tsv",
      records: "{\"id\":\"1\",\"name\":\"Al\"}\n",
      error: "f.tsv: ',' divides the fields; --delimiter changes that"),
    row(
      "semicolons, and commas in fields", "printf 'code;name;gps\\n1;Al;48.97, -1.54\\n2;Bo;48, 2\\n' > f.csv",
      "--key '{name}' f.csv",
      records:
        "{\"code\":\"1\",\"name\":\"Al\",\"gps\":\"48.97, -1.54\"}\n{\"code\":\"2\",\"name\":\"Bo\",\"gps\":\"48, 2\"}\n",
      error: "f.csv: ';' divides the fields; --delimiter changes that"),
    row(
      "semicolons in commas", "printf 'name,a;b\\nAl,x\\nBo,y;z\\n' > f.csv", "--key '{name}' f.csv",
      records: "{\"name\":\"Al\",\"a;b\":\"x\"}\n{\"name\":\"Bo\",\"a;b\":\"y;z\"}\n"),
    row(
      "two delimiters that both do", "printf 'a;b,c\\n1;2,3\\n' > f.csv", "--key '{a}' f.csv", status: 64,
      error: "shardq: f.csv: ',' and ';' could each divide the fields; choose with --delimiter ,"),
    row(
      "the delimiter that is said", "printf 'a;b,c\\n1;2,3\\n' > f.csv", "--delimiter ';' --key '{a}' f.csv",
      records: "{\"a\":\"1\",\"b,c\":\"2,3\"}\n"),
    row(
      "the delimiter that Excel says", "printf 'sep=;\\r\\nid;name\\r\\n1;Al, B\\r\\n' > f.csv",
      "--key '{name}' f.csv", records: "{\"id\":\"1\",\"name\":\"Al, B\"}\n"),
    row(
      "a column without a name", "printf ',name\\n0,Ann\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error: "shardq: f.csv:1:1: in the header, column 1 has no name; \(names)"),
    row(
      "which gets one", "printf ',name\\n0,Ann\\n' > f.csv", "--name-columns --key '{name}' f.csv",
      records: "{\"column1\":\"0\",\"name\":\"Ann\"}\n"),
    row(
      "or is named, the header left out", "printf ',name\\n0,Ann\\n' > f.csv",
      "--columns id,name --skip-lines 1 --key '{name}' f.csv", records: "{\"id\":\"0\",\"name\":\"Ann\"}\n"),
    row(
      "a comma at the lines' ends", "printf 'id,name,\\n1,A,\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error: "shardq: f.csv:1:1: in the header, column 3 has no name; \(names)"),
    row(
      "a comma at the lines' ends, named", "printf 'id,name,\\n1,A,\\n' > f.csv",
      "--name-columns --key '{name}' f.csv", records: "{\"id\":\"1\",\"name\":\"A\",\"column3\":\"\"}\n"),
    row(
      "a comma at the header's end", "printf 'id,name,\\n1,A\\n' > f.csv",
      "--name-columns --ragged --key '{name}' f.csv", records: "{\"id\":\"1\",\"name\":\"A\"}\n"),
    row(
      "a comma at a record's end", "printf 'id,name\\n1,A,\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:1: record 1: expected 2 fields, found 3; remove the last ',' of each line: sed 's/,$//' f.csv | shardq build --input-format csv … -"
    ),
    row(
      "which is taken away", "printf 'id,name\\n1,A,\\n' > f.csv", "--input-format csv --key '{name}' -",
      pipe: "sed 's/,$//' f.csv |", records: "{\"id\":\"1\",\"name\":\"A\"}\n"),
    row(
      "a name twice", "printf 'id,name,name\\n1,a,b\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error: "shardq: f.csv:1:1: in the header, the column name \"name\" stands twice; \(names)"),
    row(
      "a name twice, numbered", "printf 'name,name_2,name,name\\na,b,c,d\\n' > f.csv",
      "--name-columns --key '{name}' f.csv",
      records: "{\"name\":\"a\",\"name_2\":\"b\",\"name_3\":\"c\",\"name_4\":\"d\"}\n"),
    row(
      "a record too long", "printf 'id,name\\n1,A,x\\n2\\n' > f.csv", "--key '{id}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:1: record 1: expected 2 fields, found 3; quote a field with ',' in it, or \(skip)"),
    row(
      "a record too short", "printf 'id,name\\n2\\n' > f.csv", "--key '{id}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:1: record 1: expected 2 fields, found 1; pass --ragged if records may lack their last fields, or \(skip)"
    ),
    row(
      "short records are taken, long ones are not", "printf 'id,name\\n1,A,x\\n2\\n' > f.csv",
      "--ragged --skip-bad --key '{id}' f.csv", records: "{\"id\":\"2\"}\n"),
    row(
      "a row of a tsv file too short", "printf 'id\\tname\\n2\\n' > f.tsv", "--ragged --key '{id}' f.tsv",
      records: "{\"id\":\"2\"}\n"),
    row(
      "a remark above the header", "printf '# made 2024\\nid,name\\n1,A\\n' > f.csv", "--key '{name}' f.csv",
      status: 64,
      error:
        "shardq: f.csv: the first line has one field, and line 2 and the next lines have more; pass --comment '#' if such lines are not records"
    ),
    row(
      "remarks are left out", "printf '# made 2024\\nid,name\\n# x\\n1,A\\n2,\"B\\n# C\"\\n' > f.csv",
      "--comment '#' --key '{name}' f.csv",
      records: "{\"id\":\"1\",\"name\":\"A\"}\n{\"id\":\"2\",\"name\":\"B\\n# C\"}\n"),
    row(
      "a title above the header", "printf 'Report\\n\\nid,name\\n1,A\\n' > f.csv", "--key '{name}' f.csv", status: 64,
      error:
        "shardq: f.csv: the first line has one field, and line 3 and the next lines have more; pass --skip-lines 2 if line 3 is the header, or --input-format lines if each line is one text"
    ),
    row(
      "a title is left out", "printf 'Report\\n\\nid,name\\n1,A\\n' > f.csv", "--skip-lines 2 --key '{name}' f.csv",
      records: "{\"id\":\"1\",\"name\":\"A\"}\n"),
    row(
      "more lines left out than there are", "printf 'id,name\\n1,A\\n' > f.csv",
      "--skip-lines 3 --key '{name}' f.csv", status: 64,
      error: "shardq: f.csv: has only 2 whole lines; skip fewer lines with --skip-lines"),
    row(
      "a blank before a quote", "printf 'id,name\\n1, \"Smith, J\"\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:4: record 1: a quote inside a field that does not begin with one; remove the spaces before it: sed 's/, *\"/,\"/g' f.csv | shardq build --input-format csv … -"
    ),
    row(
      "which is taken away, too", "printf 'id,name\\n1, \"Smith, J\"\\n' > f.csv",
      "--input-format csv --key '{name}' -", pipe: "sed 's/, *\"/,\"/g' f.csv |",
      records: "{\"id\":\"1\",\"name\":\"Smith, J\"}\n"),
    row(
      "quotes that are text", "printf 'id,name\\n1,Roth \"B\" St\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:8: record 1: a quote inside a field that does not begin with one; double the quote and quote the field, or, if quotes are plain text in this file: tr ',' '\\t' < f.csv | shardq build --input-format tsv … -"
    ),
    row(
      "and stay so", "printf 'id,name\\n1,Roth \"B\" St\\n' > f.csv", "--input-format tsv --key '{name}' -",
      pipe: "tr ',' '\\t' < f.csv |", records: "{\"id\":\"1\",\"name\":\"Roth \\\"B\\\" St\"}\n"),
    row(
      "quotes with backslashes", "printf 'id,name\\n1,\"Al \\\\\"x\\\\\" B\"\\n' > f.csv", "--key '{name}' f.csv",
      status: 65,
      error:
        "shardq: f.csv:2:9: record 1: expected ',' or the end of the line after a closing quote, found 'x'; double quotes instead of escaping them: sed 's/\\\\\"/\"\"/g' f.csv | shardq build --input-format csv … -"
    ),
    row(
      "which are doubled", "printf 'id,name\\n1,\"Al \\\\\"x\\\\\" B\"\\n' > f.csv",
      "--input-format csv --key '{name}' -", pipe: "sed 's/\\\\\"/\"\"/g' f.csv |",
      records: "{\"id\":\"1\",\"name\":\"Al \\\"x\\\" B\"}\n"),
    row(
      "text behind a quote", "printf 'id,name\\n1,\"A\"x\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:6: record 1: expected ',' or the end of the line after a closing quote, found 'x'; \(skip)"),
    row(
      "a quote that is never closed", "printf 'id,name\\n1,\"A\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error: "shardq: f.csv:2:3: record 1: this quote is never closed; \(skip)"),
    row(
      "carriage returns alone", "printf 'id,name\\r1,Al\\r' > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:1:8: a carriage return without a line feed; convert the line ends: tr '\\r' '\\n' < f.csv | shardq build --input-format csv … -"
    ),
    row(
      "which are converted", "printf 'id,name\\r1,Al\\r' > f.csv", "--input-format csv --key '{name}' -",
      pipe: "tr '\\r' '\\n' < f.csv |", records: "{\"id\":\"1\",\"name\":\"Al\"}\n"),
    row(
      "carriage returns alone in a tsv file", "printf 'id\\tname\\r1\\tAl\\r' > f.tsv", "--key '{name}' f.tsv",
      status: 65,
      error:
        "shardq: f.tsv:1:1: carriage returns inside the first line; convert the line ends: tr '\\r' '\\n' < f.tsv | shardq build --input-format tsv … -"
    ),
    row(
      "a carriage return inside a field", "printf 'id,name\\n1,A\\rl\\n' > f.csv", "--key '{name}' f.csv",
      status: 65,
      error: "shardq: f.csv:2:4: record 1: a carriage return without a line feed; quote the field, or \(skip)"),
    row(
      "Latin-1", "printf 'id,name\\n1,Z\\374rich\\n' > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:2:4: record 1: the byte 0xFC is not UTF-8 here; pass --encoding windows-1252, which reads \"1,Zürich\" there, or \(skip)"
    ),
    row(
      "Latin-1 that is said", "printf 'id,name\\n1,Z\\374rich\\n' > f.csv", "--encoding latin1 --key '{name}' f.csv",
      records: "{\"id\":\"1\",\"name\":\"Zürich\"}\n"),
    row(
      "Windows-1252", "printf 'id,name\\n1,\\200 \\223x\\224\\n' > f.csv",
      "--encoding cp1252 --key '{name}' f.csv", records: "{\"id\":\"1\",\"name\":\"€ “x”\"}\n"),
    row(
      "UTF-16", "printf 'id,name\\n1,Z\\374rich\\n' | iconv -f latin1 -t utf-16le > f.csv", "--key '{name}' f.csv",
      status: 64,
      error:
        "shardq: f.csv: is text in UTF-16LE; pass --encoding utf-16le, or convert it: iconv -f UTF-16LE -t UTF-8 f.csv | shardq build --input-format csv … -"
    ),
    row(
      "UTF-16 that is said", "printf 'id,name\\n1,Zü 😀\\n' | iconv -f utf-8 -t utf-16 > f.csv",
      "--encoding utf-16 --key '{name}' f.csv", records: "{\"id\":\"1\",\"name\":\"Zü 😀\"}\n"),
    row(
      "UTF-32", "printf 'id,name\\n1,A\\n' | iconv -f utf-8 -t utf-32le > f.csv", "--key '{name}' f.csv", status: 64,
      error:
        "shardq: f.csv: is text in UTF-32LE; convert it: iconv -f UTF-32LE -t UTF-8 f.csv | shardq build --input-format csv … -"
    ),
    row(
      "null by name, outside quotes", "printf '1,\\\\N,\"\\\\N\"\\n' > f.csv",
      "--columns id,a,b --null '\\N' --key '{id}' f.csv",
      records: "{\"id\":\"1\",\"a\":null,\"b\":\"\\\\N\"}\n"),
    row(
      "no header", "printf '1,\"Goroka\",\"GKA\"\\n2,\"Nadzab\",\"LAE\"\\n' > f.csv", "f.csv", status: 64,
      error:
        "shardq: f.csv: the first line looks like a record; pass --columns column1,name,column3 if it is one, or, if it names the fields, give the text that people type with --key '{Goroka}'"
    ),
    row(
      "no header, and blanks in the first record", "printf 'AD\\tAD100\\tCanillo\\t\\n' > f.txt", "f.txt", status: 65,
      error: "shardq: f.txt:1:1: in the header, column 4 has no name; \(names)"),
    row(
      "a GeoNames dump that ends in a line",
      "printf '1\\tA\\tA\\t\\t1.5\\t2\\tP\\tPPL\\tAD\\t\\t\\t\\t\\t\\t5\\t\\t1\\tx\\t2020-01-01\\n2\\tB\\tB\\n' > f.txt",
      "f.txt", status: 65,
      error:
        "shardq: f.txt:2:1: record 2: expected 19 fields, found 3; the file may be cut short; fetch it again, or \(skip)"
    ),
    row(
      "an escape that is none", "printf '#escapes: \\\\t \\\\n \\\\r \\\\\\\\\\nname\\na\\\\x\\n' > f.tsv", "f.tsv",
      status: 65,
      error:
        "shardq: f.tsv:3:2: record 1: expected \\t, \\n, \\r or \\\\, found another use of a backslash; write \\\\ for a backslash, or \(skip)"
    ),
    row(
      "an empty csv file", ": > f.csv", "--key '{name}' f.csv", status: 65,
      error:
        "shardq: f.csv:1:1: expected a header line with the names of the columns, found nothing; check the program that writes it"
    ),
    row(
      "an empty file", ": > f", "--key '{name}' f", status: 65,
      error: "shardq: f: is empty; a dataset has at least a header or a record"),
  ]

  static let lines = [
    row(
      "a word a line", "printf 'pear\\n\\nbanana\\r\\nb\\ta,c\\n' > words.txt", "words.txt",
      records: "{\"name\":\"b\\ta,c\"}\n{\"name\":\"banana\"}\n{\"name\":\"pear\"}\n",
      error: "words.txt: each line is read as one \"name\"; --input-format changes that"),
    row(
      "a word a line, piped", "printf 'a\\nb\\n' > words", "-", pipe: "cat words |",
      records: "{\"name\":\"a\"}\n{\"name\":\"b\"}\n",
      error: "standard input: each line is read as one \"name\"; --input-format changes that"),
    row(
      "lines that are said, with commas", "printf 'Paris, Texas\\nRome\\n' > f.txt", "--input-format lines f.txt",
      records: "{\"name\":\"Paris, Texas\"}\n{\"name\":\"Rome\"}\n"),
    row(
      "lines whose field is named", "printf 'a\\n' > f", "--input-format lines --columns word f",
      records: "{\"word\":\"a\"}\n"),
    row("one column needs no key", "printf 'word\\na\\n' > f.csv", "f.csv", records: "{\"word\":\"a\"}\n"),
    row(
      "bytes that are no text", "printf 'a\\000\\001\\n' > f", "--key '{name}' f", status: 64,
      error:
        "shardq: f: cannot tell the format; if it is a dataset, name the format with --input-format (json, jsonl, geojson, csv, tsv, geonames, lines)"
    ),
  ]

  static let options = [
    row(
      "an option of another format", "echo '{\"name\":\"a\"}' > f.jsonl", "--ragged --key '{name}' f.jsonl", status: 64,
      error:
        "shardq: f.jsonl: --ragged is for csv, tsv, and this is jsonl; leave it out, or name the format with --input-format"
    ),
    row(
      "columns of JSON", "echo '{\"name\":\"a\"}' > f.jsonl", "--columns a --key '{a}' f.jsonl", status: 64,
      error:
        "shardq: f.jsonl: --columns is for csv, tsv, lines, and this is jsonl; leave it out, or name the format with --input-format"
    ),
    row(
      "two columns of lines", "echo a > f", "--input-format lines --columns a,b f", status: 64,
      error: "shardq: f: a line is one field, and --columns names 2; name one column"),
    row(
      "a column named twice", "echo 1,2 > f.csv", "--columns a,a --key '{a}' f.csv", status: 64,
      error:
        "shardq: f.csv: --columns does not fit: the column name \"a\" stands twice; name each column once, or pass --name-columns"
    ),
    ShellCase(
      "a file name that is not UTF-8",
      "printf 'name\\na\\n' > \"$(printf 'lat\\351.csv')\"; shardq build -i x \"$(printf 'lat\\351.csv')\"", status: 64,
      error:
        "shardq: argument 4 is not valid UTF-8; rename a file of that name, or pass the file on standard input\n"),
    row(
      "a file that is not there", "", "--key '{a}' f.csv", status: 66,
      error: "shardq: f.csv: cannot be opened: No such file or directory; check its name"),
    row(
      "a directory", "mkdir d", "--key '{a}' d", status: 66,
      error: "shardq: d: is a directory; name a file, or - for standard input"),
  ]

  @Test(arguments: delimited) func delimitedFiles(_ row: ShellCase) { row.check() }
  @Test(arguments: lines) func lineFiles(_ row: ShellCase) { row.check() }
  @Test(arguments: options) func givenOptions(_ row: ShellCase) { row.check() }
}
