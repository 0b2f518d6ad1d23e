import Testing

extension FilesMessages {
  private static let two = "{\"name\":\"a\"}\n{\"name\":\"b\"}\n"
  private static let skip = "leave such records out with --skip-bad"
  private static let mend = "correct the file there; the rest of it cannot be read"

  static let json = [
    row(
      "records inside of an object", "printf '{\"data\":[{\"name\":\"a\"},{\"name\":\"b\"}]}' > f.json",
      "--key '{name}' f.json", status: 64,
      error:
        "shardq: f.json: is one object; if its records are in \"data\", pass --records data, or: jq -c '.data[]' f.json | shardq build --input-format jsonl … -"
    ),
    row(
      "by jq", "printf '{\"data\":[{\"name\":\"a\"},{\"name\":\"b\"}]}' > f.json",
      "--input-format jsonl --key '{name}' -", pipe: "jq -c '.data[]' f.json |", records: two),
    row(
      "by --records",
      "printf '{\"n\":[1],\"data\":{\"t\":[],\"items\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"u\":2},\"z\":null}' > f.json",
      "--records data.items --key '{name}' f.json", records: two),
    row(
      "records that are not there", "printf '{\"data\":{\"items\":[],\"t\":1}}' > f.json",
      "--records data.item --key '{name}' f.json", status: 64,
      error:
        "shardq: f.json: there is no array at \"data.item\", but \"items\", \"t\"; name the path to the records with --records"
    ),
    row(
      "records that are no array", "printf '{\"data\":{\"items\":1}}' > f.json",
      "--records data.items --key '{name}' f.json", status: 65,
      error:
        "shardq: f.json:1:18: expected an array at \"data.items\", found '1'; name the path to the records with --records"
    ),
    row(
      "texts inside of an object", "printf '{\\n \"about\": \"x\",\\n \"x\": [\"a\", \"b\"]\\n}\\n' > f.json", "f.json",
      status: 64,
      error:
        "shardq: f.json: is one object; if its records are in \"x\", pass --records x, or: jq -r '.x[]' f.json | shardq build --input-format lines … -"
    ),
    row(
      "texts by --records", "printf '{\\n \"about\": \"x\",\\n \"x\": [\"a\", \"\\\\u0062\"]\\n}\\n' > f.json",
      "--records x f.json", records: two),
    row(
      "texts by jq", "printf '{\"about\":\"x\",\"x\":[\"a\",\"b\"]}' > f.json", "--input-format lines -",
      pipe: "jq -r '.x[]' f.json |", records: two),
    row("an array of texts", "printf '[\"a\",\\n\"b\"]' > f.json", "f.json", records: two),
    row(
      "an array of arrays", "printf '[[\"a\",1],[\"b\",2]]' > f.json", "--key '{name}' f.json", status: 65,
      error:
        "shardq: f.json:1:2: record 1: expected an object in braces, found '['; convert the arrays to rows: jq -r '.[] | @csv' f.json | shardq build --input-format csv --columns a,b … -"
    ),
    row(
      "as rows", "printf '[[\"a\",1],[\"b\",2]]' > f.json", "--input-format csv --columns name,n --key '{name}' -",
      pipe: "jq -r '.[] | @csv' f.json |",
      records: "{\"name\":\"a\",\"n\":\"1\"}\n{\"name\":\"b\",\"n\":\"2\"}\n"),
    row(
      "an object of objects", "printf '{\"NL\":{\"name\":\"a\"},\"DE\":{\"name\":\"b\"}}' > f.json",
      "--key '{name}' f.json", status: 64,
      error:
        "shardq: f.json: is one object of objects; make each object a record: jq -c 'to_entries[] | {key} + .value' f.json | shardq build --input-format jsonl … -"
    ),
    row(
      "as records with their keys", "printf '{\"NL\":{\"name\":\"a\"},\"DE\":{\"name\":\"b\"}}' > f.json",
      "--input-format jsonl --key '{name}' -", pipe: "jq -c 'to_entries[] | {key} + .value' f.json |",
      records: "{\"key\":\"NL\",\"name\":\"a\"}\n{\"key\":\"DE\",\"name\":\"b\"}\n"),
    row(
      "objects one after the other", "printf '{\"name\":\"a\"}{\"name\":\"b\"}' > f.json", "--key '{name}' f.json",
      records: two),
    row(
      "objects over several lines", "printf '{\\n\"name\":\"a\"\\n}\\n{\\n\"name\":\"b\"\\n}\\n' > f",
      "--key '{name}' f", records: two),
    row(
      "objects after separators", "printf '\\036{\"name\":\"a\"}\\n\\036{\"name\":\"b\"}\\n' > f", "--key '{name}' f",
      records: two),
    row(
      "objects over several lines that are said to be on one",
      "printf '{\\n\"name\":\"a\"\\n}\\n' > f.jsonl", "--key '{name}' f.jsonl", status: 65,
      error:
        "shardq: f.jsonl:1:2: record 1: expected a member's name in quotes or '}', found the end of the line; pass --input-format json if a value may run over several lines, or \(skip)"
    ),
    row(
      "an array cut off", "printf '[{\"name\":\"a\"},{\"na' > f.json", "--key '{name}' f.json", status: 65,
      error:
        "shardq: f.json:1:19: record 2: found the end of the file; the file may be cut short; fetch it again"
    ),
    row(
      "a comma too many", "printf '[{\"name\":\"a\"},]' > f.json", "--key '{name}' f.json", status: 65,
      error: "shardq: f.json:1:15: record 2: expected a value, found ']'; remove the comma before it"),
    row(
      "a member twice", "printf '[{\"name\":\"a\",\"name\":\"b\"}]' > f.json", "--key '{name}' f.json", status: 65,
      error: "shardq: f.json:1:14: record 1: the member \"name\" stands twice in one object; \(skip)"),
    row(
      "no JSON at all", "printf 'name\\na\\n' > f.json", "--key '{name}' f.json", status: 65,
      error:
        "shardq: f.json:1:1: expected an array of objects, which begins with '[', or an object, found 'n'; \(mend)"),
  ]

  private static let features = """
    printf '{"id":1,"name":"A","lat":1.5,"lon":-2,"x":{"y":null,"z":[1,2]}}\\n{"id":2,"name":"B"}\\n' > f.jsonl
    shardq build -i before --key '{name}' f.jsonl 2>/dev/null; shardq export -i before --format geojson > f.geojson
    """
  private static let records =
    "{\"id\":1,\"name\":\"A\",\"lat\":1.5,\"lon\":-2,\"x\":{\"y\":null,\"z\":[1,2]}}\n{\"id\":2,\"name\":\"B\"}\n"

  static let geojson = [
    row("GeoJSON as export writes it", features, "--key '{name}' f.geojson", records: records),
    row("GeoJSON in a .json file", features + "\nmv f.geojson f.json", "--key '{name}' f.json", records: records),
    row("GeoJSON piped", features, "--key '{name}' -", pipe: "cat f.geojson |", records: records),
    row("features on lines", features, "--key '{name}' -", pipe: "jq -c '.features[]' f.geojson |", records: records),
    row(
      "features one after the other", features, "--key '{name}' -", pipe: "jq '.features[]' f.geojson |",
      records: records),
    row("an array of features", features, "--key '{name}' -", pipe: "jq .features f.geojson |", records: records),
    row(
      "a point's place, a feature's id, and what is no point",
      """
      cat > f.geojson <<'END'
      {"type":"FeatureCollection","name":"x","features":[
      {"type":"Feature","id":"r/1","properties":{"name":"P"},"geometry":{"type":"Point","coordinates":[ 1.25 , -30, 9 ]}},
      {"type":"Feature","id":"q","properties":{"id":3,"name":"Q"},"bbox":[1,2,3,4],
       "geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,6],[1,2]]]}},
      {"type":"Feature","properties":{"name":"R","Latitude":"1","Longitude":"2"},
       "geometry":{"type":"Point","coordinates":[3,4]}}],"crs":{}}
      END
      """, "--key '{name}' f.geojson",
      records: """
        {"id":"r/1","name":"P","lat":-30,"lon":1.25,"alt":9}
        {"id":3,"name":"Q"}
        {"name":"R","Latitude":"1","Longitude":"2"}

        """),
    row(
      "what is no feature",
      "printf '{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Topology\",\"name\":\"x\"}]}' > f.geojson",
      "--key '{name}' f.geojson", status: 65,
      error: "shardq: f.geojson:1:41: record 1: expected a feature, whose \"type\" is \"Feature\"; \(skip)"),
  ]

  /// A name, the shell that makes the file, the kind that the message names, and the line that opens the file.
  private static func container(
    _ name: String, _ make: String, _ what: String, _ line: String, run: Bool = true, format: String = ""
  ) -> [ShellCase] {
    let refused = row(
      name, make, "--key '{name}' f", status: 64,
      error: "shardq: f: is \(what); to read the dataset in it: \(line) | shardq build \(format)… -")
    guard run else { return [refused] }
    // The user replaces FILE and MEMBER.
    let filled = line.replacing("MEMBER", with: "a.csv").replacing("TABLE", with: "t")
    return [
      refused,
      ShellCase(
        name + ", opened",
        make + "\n\(filled) | shardq build -i x \(format)--key '{name}' - 2>/dev/null; shardq export -i x",
        output: what.contains("SQLite") ? two : numbered),
    ]
  }

  private static let numbered = "{\"name\":\"a\",\"n\":\"1\"}\n{\"name\":\"b\",\"n\":\"2\"}\n"

  private static let csv = "printf 'name,n\\na,1\\nb,2\\n' > a.csv; "
  static let containers =
    container("bzip2", csv + "bzip2 < a.csv > f", "bzip2", "bzip2 -dc f")
    + container("xz", csv + "xz < a.csv > f", "xz", "xz -dc f")
    + container("a zip archive", csv + "zip -q f.zip a.csv; mv f.zip f", "a zip archive", "unzip -p f")
    + container("a tar archive", csv + "tar cf f a.csv", "a tar archive", "tar -xOf f MEMBER")
    + container("a tar archive, compressed", csv + "tar czf f a.csv", "a tar archive", "tar -xOf f MEMBER")
    + container(
      "a SQLite database", "sqlite3 f \"CREATE TABLE t(name TEXT); INSERT INTO t VALUES ('a'), ('b')\"",
      "a SQLite database", "sqlite3 -json f 'SELECT * FROM TABLE'", format: "--input-format json ")
    + container(
      "a Parquet file", "printf 'PAR1\\025\\004' > f", "a Parquet file",
      "duckdb -c \"COPY (FROM read_parquet('/dev/stdin')) TO '/dev/stdout' (FORMAT json)\" < f", run: false,
      format: "--input-format jsonl ")
    + container(
      "an Arrow file", "printf 'ARROW1\\000\\000' > f", "an Arrow file",
      "python3 -c 'import pandas, sys; print(pandas.read_feather(sys.argv[1]).to_json(orient=\"records\"))' f",
      run: false, format: "--input-format json ")
    + container(
      "a 7z archive", "printf '7z\\274\\257\\047\\034' > f", "a 7z archive", "7z x -so f", run: false)
    + container(
      "an Excel workbook", "mkdir xl; echo x > xl/workbook.xml; zip -q -r f.zip xl; mv f.zip f", "an Excel workbook",
      "xlsx2csv f", run: false, format: "--input-format csv ")
    + container(
      "a PDF file", "printf '%%PDF-1.7\\n' > f", "a PDF file", "pdftotext -layout f -", run: false,
      format: "--input-format lines ")
    + [
      row(
        "a container under another name, told its format", csv + "xz < a.csv > f.csv",
        "--input-format csv --key '{name}' -", pipe: "cat f.csv |", status: 64,
        error: "shardq: standard input: is xz; to read the dataset in it: xz -dc FILE | shardq build … -"),
      row(
        "an HTML page", "printf '\\n<!DOCTYPE html>\\n<html>\\n' > f.csv", "--key '{name}' f.csv", status: 64,
        error: "shardq: f.csv: is an HTML page and no dataset; fetch the file itself, not the page about it"),
      row(
        "XML", "printf '<?xml version=\"1.0\"?>\\n<a/>\\n' > f.csv", "--key '{name}' f.csv", status: 64,
        error: "shardq: f.csv: is XML; convert it to CSV or JSON first"),
      row(
        "an OpenDocument file",
        "printf application/vnd.oasis.opendocument.spreadsheet > mimetype; zip -q -X -0 f.zip mimetype; mv f.zip f",
        "--key '{name}' f", status: 64,
        error:
          "shardq: f: is an OpenDocument file; save it as CSV, for example with soffice --headless --convert-to csv"),
      row(
        "gzip is read, under any name", csv + "gzip < a.csv > f", "--key '{name}' f", records: numbered),
      row(
        "zstd is read, and the name under its own", csv + "zstd -q a.csv", "--key '{name}' a.csv.zst",
        records: numbered),
    ]

  @Test(arguments: json) func jsonFiles(_ row: ShellCase) { row.check() }
  @Test(arguments: geojson) func geojsonFiles(_ row: ShellCase) { row.check() }
  @Test(arguments: containers) func containerFiles(_ row: ShellCase) { row.check() }
}
