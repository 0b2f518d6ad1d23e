import CLibrary
import QueryOutput
import TestSupport
import Testing

@Suite(
  "Settings of a user: a file, the environment, named indexes",
  .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct SettingsMessages {
  /// Makes an index of four names in `shards`, and one of one name among the named indexes.
  private static let lists =
    "printf 'name,lat,lon\\nSan A,1.5,2.25\\nSan B,3,-4\\nSan C,5,6\\nSan D,7,8\\n' > l.csv; "
    + "printf 'name\\nNamed\\n' > n.csv; mkdir -p .config/shardq .local/share/shardq; config=.config/shardq/config; "
    + "shardq build --key '{name}' l.csv 2>/dev/null; "
    + "shardq build -i .local/share/shardq/cities --key '{name}' n.csv 2>/dev/null\n"

  // MARK: Effects of settings

  static let settings = [
    ShellCase(
      "a file sets a limit", lists + "printf '# few\\n\\n limit = 2 \\n' > $config; shardq san",
      output: "San A\t1.5\t2.25\nSan B\t3\t-4\n"),
    ShellCase(
      "a quoted value, a carriage return, a mark of order at the start",
      lists + "printf '\\357\\273\\277limit = \"1\"\\r\\n' > $config; shardq san", output: "San A\t1.5\t2.25\n"),
    ShellCase(
      "the environment comes before the file",
      lists + "echo limit = 2 > $config; SHARDQ_OPTS='-n1' shardq san", output: "San A\t1.5\t2.25\n"),
    ShellCase(
      "an option before both",
      lists + "echo limit = 2 > $config; SHARDQ_OPTS='-n1' shardq san -n 3 | wc -l | tr -d ' '", output: "3\n"),
    ShellCase("--all before a limit", lists + "SHARDQ_OPTS='--limit=1' shardq san --all --count", output: "4\n"),
    ShellCase(
      "another file",
      lists + "echo limit = 2 > $config; echo limit = 1 > mine; SHARDQ_CONFIG=mine shardq san",
      output: "San A\t1.5\t2.25\n"),
    ShellCase(
      "no file", lists + "echo limit = 2 > $config; SHARDQ_CONFIG=/dev/null shardq san | wc -l | tr -d ' '",
      output: "4\n"),
    ShellCase(
      "the directory of configuration is another",
      lists + "mkdir -p x/shardq; echo limit = 1 > x/shardq/config; XDG_CONFIG_HOME=$PWD/x shardq san",
      output: "San A\t1.5\t2.25\n"),
    ShellCase(
      "quotes as in a shell",
      lists
        + "mv shards 'a b'; SHARDQ_OPTS='-i \"a b\" --limit \\1' shardq san; SHARDQ_OPTS=\"-i 'a b' -n 1\" shardq san",
      output: "San A\t1.5\t2.25\nSan A\t1.5\t2.25\n"),
    ShellCase(
      "colours and the format",
      lists
        + "printf 'color = always\\nhyperlink = never\\nformat = text\\n' > $config; shardq 'san a' | tr '\\033' ^",
      output: "^[1;32mSan A^[0m    ^[90m1.50, 2.25^[0m\n"),
    ShellCase(
      "a format is left out where an option goes with another",
      lists + "echo format = json > $config; shardq 'san a' --fields name; shardq 'san a' --count",
      output: "San A\n{\"schema\":1,\"query\":\"san a\",\"count\":1,\"total\":1,\"totalIsExact\":true}\n"),
    ShellCase(
      "help and completions work whatever the settings are",
      lists + "echo nonsense > $config; shardq --version; shardq completions bash | head -c 11",
      output: "\(ProductVersion.text)\n#!/bin/bash"),
  ]

  @Test(arguments: settings) func setting(_ row: ShellCase) { row.check() }

  // MARK: Named indexes

  static let names = [
    ShellCase("a name from anywhere", lists + "mkdir else; cd else; shardq -i cities named", output: "Named\n"),
    ShellCase("for every command", lists + "shardq stats -i cities | sed -n 2p", output: "records   1\n"),
    ShellCase(
      "a directory here comes first", lists + "cp -r shards cities; shardq -i cities -n 1 san",
      output: "San A\t1.5\t2.25\n"),
    ShellCase(
      "an archive among the named indexes, and one here",
      lists + """
        d=.local/share/shardq; shardq archive -i $d/cities -o $d/towns.shardq -q; shardq archive -o here.shardq -q
        shardq -i towns named; shardq -i towns.shardq named; shardq -i here.shardq 'san a'
        mkdir else; cd else; shardq -i towns named; shardq -i here.shardq named 2>&1 | cut -c -24
        """,
      output: "Named\nNamed\nSan A\t1.5\t2.25\nNamed\nshardq: no index at here\n"),
    ShellCase(
      "a path is a path", lists + "shardq -i ./cities named 2>&1 | cut -c -33",
      output: "shardq: no index at ./cities: the\n"),
    ShellCase("the environment may name it", lists + "SHARDQ_INDEX=cities shardq named", output: "Named\n"),
    ShellCase(
      "so may the file", lists + "echo index = cities > $config; shardq named; SHARDQ_INDEX=shards shardq 'san a'",
      output: "Named\nSan A\t1.5\t2.25\n"),
    ShellCase(
      "another directory of indexes",
      lists
        + "mkdir data; mv .local/share/shardq/cities data/towns; echo 'indexes = ~/data' > $config; shardq -i towns named",
      output: "Named\n"),
    ShellCase(
      "the directory of data is another",
      lists + "mkdir x; mv .local/share/shardq x; XDG_DATA_HOME=$PWD/x shardq -i cities named", output: "Named\n"),
    ShellCase(
      "a name that is nowhere", "HOME=/nowhere shardq -i towns san; HOME=/nowhere shardq stats -i towns", status: 66,
      error: String(
        repeating: "shardq: no index at towns, nor at /nowhere/.local/share/shardq/towns; build one with shardq build, "
          + "or name another with --index\n", count: 2)),
    ShellCase(
      "a build updates the index of that name",
      lists + "printf 'name\\nNamed\\nNaples\\n' > n.csv; shardq build -q -i cities --key '{name}' n.csv; "
        + "shardq -i .local/share/shardq/cities na",
      output: "Named\nNaples\n".split(separator: "\n").sorted().joined(separator: "\n") + "\n"),
  ]

  /// The completions that a shell gets for the value of `--index`.
  static let completions = [
    ShellCase(
      "names of indexes, in order, and of nothing else",
      lists
        + "cd .local/share/shardq; cp -r cities b; cp -r cities 'a c'; cp -r cities .h; mkdir d; : > e; cd; "
        + "shardq ---complete -i ''; shardq ---complete stats --index c; shardq ---complete -i .; "
        + "shardq ---complete --index=b; shardq ---complete -i x; shardq ---complete -i ./c",
      output: "a c\nb\ncities\ncities\n.h\nb\n"),
    ShellCase(
      "those of another directory",
      lists + "mkdir data; cp -r shards data/towns; echo 'indexes = ~/data' > $config; shardq ---complete -i ''",
      output: "towns\n"),
    ShellCase("nothing where there is no such directory", "HOME=/nowhere shardq ---complete -i ''"),
    ShellCase("nothing with settings that cannot be used", lists + "echo x > $config; shardq ---complete -i ''"),
  ]

  @Test(arguments: completions) func completion(_ row: ShellCase) { row.check() }

  @Test(arguments: names) func name(_ row: ShellCase) { row.check() }

  // MARK: Settings that are refused

  /// Values of `SHARDQ_UI_OPTS`, and their messages.
  static let listMistakes = [
    ("--hight 5", "there is no option --hight; did you mean --height?"),
    ("--height", "missing value for '--height <n|n%>'; see shardq ui --help"),
    ("--height x", "the value 'x' is invalid for '--height <n|n%>'; see shardq ui --help"),
    ("--json --format tsv", "--json and --format exclude each other; leave out one"),
    ("san", "unexpected argument 'san'; see shardq ui --help"),
    ("-q 'a", "a quote is not closed; add the other one"),
    ("--help", "--help is for command lines only; leave out --help"),
    ("-- --plain", "-- is for command lines only; leave out --"),
    ("$(head -c 130048 /dev/zero | tr '\\0' x)", "it has more than 65,536 bytes; make it shorter"),
  ].map { value, message in
    ShellCase(
      value, "export SHARDQ_UI_OPTS=\"\(value)\"; shardq ui", status: 64,
      error: "shardq: SHARDQ_UI_OPTS: " + message + "\n")
  }

  @Test(arguments: listMistakes) func listMistake(_ row: ShellCase) { row.check() }

  @Test("options of the list apply to the list alone") func listOptions() {
    ShellCase(
      "",
      Self.lists
        + "export SHARDQ_UI_OPTS=--hight; shardq -n 1 san; shardq -i shards san --count; shardq ui --help | head -c 9",
      output:
        "San A\t1.5\t2.25\n4\nOVERVIEW:"
    ).check()
  }

  /// A command line, its status, and its output.
  static let mistakes = [
    ("echo limt = 3 > c", 64, "c:1: there is no setting limt; did you mean limit?"),
    (
      "echo colour of text = 3 > c", 64,
      "c:1: there is no setting colour of text; there are index, indexes, limit, sort, format, color, hyperlink, progress"
    ),
    ("printf '\\n\\nlimit\\n' > c", 64, "c:3: the line has no =; write a setting as limit = 20"),
    ("echo limit = 0 > c", 64, "c:1: limit: 0 is not a number from 1 on; write one such as 20"),
    (
      "echo limit = 9999999999999999999 > c", 64,
      "c:1: limit: 9999999999999999999 is not a number from 1 on; write one such as 20"
    ),
    ("echo color = blue > c", 64, "c:1: color: there is no blue; choose auto, always, never"),
    ("echo sort = weight > c", 64, "c:1: sort: there is no weight; choose rank, key"),
    ("echo progress = yes > c", 64, "c:1: progress: there is no yes; choose auto, never"),
    ("echo index = > c", 64, "c:1: index: it is empty; name a directory"),
    (
      "echo 'index = \"a' > c", 64,
      "c:1: a quote is not closed; write the value between two of the same, or without any"
    ),
    ("printf 'limit = 2\\n\\377\\n' > c", 64, "c:2: the line is not UTF-8; write it anew"),
    ("mkdir c", 66, "c: it is a directory; name a file of settings in SHARDQ_CONFIG, /dev/null for none"),
    ("mkfifo c", 66, "c: it is not a regular file; name a file of settings in SHARDQ_CONFIG, /dev/null for none"),
    ("true", 66, "cannot open c: No such file or directory; name another file in SHARDQ_CONFIG, /dev/null for none"),
    (
      "ln -s /dev/zero c", 66,
      "c: it has more than 65,536 bytes; name a file of settings in SHARDQ_CONFIG, /dev/null for none"
    ),
    ("export SHARDQ_OPTS='--colr never'; : > c", 64, "SHARDQ_OPTS: there is no setting --colr; did you mean --color?"),
    ("export SHARDQ_OPTS='--color'; : > c", 64, "SHARDQ_OPTS: --color needs a value"),
    (
      "export SHARDQ_OPTS='san'; : > c", 64,
      "SHARDQ_OPTS: san is not an option; write only options, such as --color never"
    ),
    ("export SHARDQ_OPTS=\"-i 'a\"; : > c", 64, "SHARDQ_OPTS: a quote is not closed; add the other one"),
    (
      "export SHARDQ_OPTS='-x'; : > c", 64,
      "SHARDQ_OPTS: there is no setting -x; there are --index, --indexes, --limit, --sort, --format, --color, "
        + "--hyperlink, --progress"
    ),
    (
      "export SHARDQ_OPTS=$(head -c 130048 /dev/zero | tr '\\0' x); : > c", 64,
      "SHARDQ_OPTS: it has more than 65,536 bytes; make it shorter"
    ),
  ].flatMap { script, status, message in
    // The front and the full parser print the same message.
    ["shardq san", "shardq stats"].map {
      ShellCase(
        script + "; " + $0, "export SHARDQ_CONFIG=c; " + script + "; " + $0, status: status,
        error: "shardq: " + message + "\n")
    }
  }

  @Test(arguments: mistakes) func mistake(_ row: ShellCase) { row.check() }

  @Test(
    "A query without a settings file makes one system call for the settings",
    .enabled(if: access("/usr/bin/strace", X_OK) == 0))
  func calls() throws {
    let index = SmallIndex.shared.path
    func calls(_ variables: [String]) -> Int {
      let directory = TemporaryDirectory()
      _ = Program.run(
        ["-f", "-o", directory.path + "/trace", Program.directory! + "/shardq", "alab", "-i", index],
        program: "/usr/bin/strace", variables: variables)
      return directory.read("trace").split(separator: "\n").count
    }
    let (without, with) = (calls([]), calls(["HOME=/nowhere"]))
    #expect(without > 5 && with == without + 1, "\(without) and \(with) system calls")
  }
}
