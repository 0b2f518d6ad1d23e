import Testing

@Suite("Typed words, options and mistakes", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct TypedMessages {
  /// Makes an index in `shards` out of some names, each of a country.
  private static func list(_ names: String...) -> String {
    "printf 'name,country\\n" + names.map { $0.replacing("'", with: "'\\''") + "\\n" }.joined()
      + "' > l.csv; shardq build --key '{name}, {country}' l.csv 2>/dev/null\n"
  }

  private static let places = list("San Jose,US", "Santos,BR", "Paris,FR", "Paris 01,FR", "Parish,US", "Statz,AT")

  // MARK: Spaces

  static let spaces = [
    ShellCase(
      "a space at the end finishes the word", places + "shardq 'paris '", output: "Paris\tFR\nParis 01\tFR\n"),
    ShellCase("so does a line end", places + "shardq \"paris\n\"", output: "Paris\tFR\nParis 01\tFR\n"),
    ShellCase("a word that is none whole", places + "shardq 'pari '", status: 1),
    ShellCase("San Jose, not Santos", places + "shardq 'san '", output: "San Jose\tUS\n"),
    ShellCase("the last space stands for the comma", places + "shardq 'paris fr'", output: "Paris\tFR\n"),
    ShellCase("and the word behind it may be finished", places + "shardq 'san jose us '", output: "San Jose\tUS\n"),
    ShellCase("no other space does", list("Paris,\"TX, US\"") + "shardq 'paris tx us'", status: 1),
    ShellCase(
      "the comma's come first, and both are counted",
      list("New York,US", "New,Y") + "shardq 'new y'; shardq 'new y' --count; shardq 'new y' --offset 1 -n 1",
      output: "New\tY\nNew York\tUS\n2\nNew York\tUS\n"),
    ShellCase(
      "in lines of standard input", places + "printf 'paris \\nparis f\\npari \\n' | shardq query --stdin --count",
      output: #"""
        {"schema":1,"query":"paris ","count":2,"total":2,"totalIsExact":true}
        {"schema":1,"query":"paris f","count":1,"total":1,"totalIsExact":true}
        {"schema":1,"query":"pari ","count":0,"total":0,"totalIsExact":true}

        """#),
    ShellCase(
      "every answer is the dataset's",
      list("New York,US", "New,Y", "New Y,A", "San,JO", "San Jose,US", "San Jose X,U")
        + "shardq verify --source l.csv 2>&1 | tail -1",
      output: "45 prefixes asked: every answer is right\n"),
  ]

  @Test(arguments: spaces) func space(_ row: ShellCase) { row.check() }

  // MARK: Words and commands

  static let words = [
    ShellCase("words need no quotes", places + "shardq san jose", output: "San Jose\tUS\n"),
    ShellCase("nor behind the command", places + "shardq query san jose", output: "San Jose\tUS\n"),
    ShellCase("nor with options between", places + "shardq san -n 1 jose", output: "San Jose\tUS\n"),
    ShellCase("nor behind --", places + "shardq -- san jose", output: "San Jose\tUS\n"),
    ShellCase(
      "a word that is nearly a command", places + "shardq quer san", status: 64,
      error: "shardq: quer is no command; did you mean shardq san? To search for this text: shardq -- quer san\n"),
    ShellCase(
      "a file behind it", places + "shardq bild l.csv", status: 64,
      error: "shardq: bild is no command; did you mean build? To search for this text: shardq -- bild l.csv\n"),
    ShellCase(
      "an option of that command behind it", places + "shardq bild --key '{a}'", status: 64,
      error: "shardq: bild is no command; did you mean build? To search for this text: shardq -- bild --key '{a}'\n"),
    ShellCase(
      "one word is searched for, and said", places + "shardq statz", output: "Statz\tAT\n",
      error: "shardq: searched for statz; did you mean shardq stats?\n"),
    ShellCase("and not said where it is asked for", places + "shardq -- statz", output: "Statz\tAT\n"),
    ShellCase(
      "a name of two words is searched for", list("State College,US") + "shardq state college",
      output: "State College\tUS\n"),
    ShellCase(
      "short words are no commands", list("Mali,ML", "Ulm,DE") + "shardq mal; shardq ul", output: "Mali\tML\nUlm\tDE\n"),
  ]

  @Test(arguments: words) func word(_ row: ShellCase) { row.check() }

  // MARK: Options

  /// Command lines and their messages; the status is 64.
  static let mistakes = [
    ("shardq -5", "there is no option -5; see shardq --help"),
    ("shardq query -x", "there is no option -x; see shardq query --help"),
    ("shardq -v", "the prefix is missing; name one, or '' for all keys"),
    ("shardq stats -v", "there is no option -v; shardq --version prints the version"),
    ("shardq --formt csv san", "there is no option --formt; did you mean --format?"),
    ("shardq build --key '{name}' -x.csv", "-x.csv looks like an option; for a file of that name write ./-x.csv"),
    ("shardq query -n -1 san", "missing value for '-n'; see shardq query --help"),
    ("shardq query --limit=-1 san", "--limit must be at least 1"),
    ("shardq query --offset=-1 san", "--offset must be at least 0"),
    ("shardq build --format csv x.txt", "there is no option --format; did you mean --input-format?"),
    ("shardq build -k '{name}' x.csv", "there is no option -k; did you mean --key?"),
    ("shardq serve --port 80", "there is no option --port; did you mean --listen?"),
    ("shardq serve --bind ::1", "there is no option --bind; did you mean --listen?"),
    ("shardq stats --json --format text", "--json and --format text exclude each other; leave out one"),
    ("shardq --json --format csv san", "--json and --format exclude each other; leave out one"),
    ("shardq ui --json --format csv", "--json and --format exclude each other; leave out one"),
    ("shardq --stdin -q", "--stdin answers in JSON; leave out --fields and -q"),
    ("shardq -q --count san", "-q prints nothing; leave out --count and --explain"),
    ("shardq export --fields name", "--fields goes with --format tsv or csv; add one"),
    ("shardq export -0", "-0 goes with --format tsv; add --format tsv"),
    (
      "shardq diff a b -o - --json",
      "--json and -o - both print to standard output; name a file with -o"
    ),
    ("shardq --print0 san", "there is no option --print0; did you mean -0?"),
    (
      "shardq --color san",
      "the value 'san' is invalid for '--color <when>'. Please provide one of 'auto', 'always' or 'never'; see shardq --help"
    ),
    (
      "shardq --color=blue san",
      "the value 'blue' is invalid for '--color <when>'. Please provide one of 'auto', 'always' or 'never'; see shardq --help"
    ),
    (
      "shardq --hyperlink on san",
      "the value 'on' is invalid for '--hyperlink <when>'. Please provide one of 'auto', 'always' or 'never'; see shardq --help"
    ),
    ("shardq --bind x san", "there is no option --bind; shardq ui has it"),
    ("shardq ui --bind x", "--bind: x has no action; write a key, a colon and an action, as ctrl-k:up"),
    ("shardq ui --bind a:upp", "--bind: there is no action upp; did you mean up?"),
    (
      "shardq ui --bind 'a:reload(x)'",
      "--bind: reload would run a command, and the list runs none; end the list by a key with --expect ctrl-o"
    ),
    (
      "shardq ui --expect ctrl-kk",
      "--expect: there is no key ctrl-kk; names are a, ctrl-a, alt-a, f1, enter, tab, up, shift-up and so on"
    ),
    (
      "shardq ui --filter x", "--filter: x is not valid; write a field and a value, such as country=FR"
    ),
    (
      "shardq ui --preview cat",
      "there is no option --preview; the preview shows the record, and --preview-window sets its place and size"
    ),
    (
      "shardq ui --color hk:red",
      "the value 'hk:red' is invalid for '--color <list>': there is no part hk; did you mean hl?"
    ),
    ("shardq query", "the prefix is missing; name one, or '' for all keys"),
    ("shardq build", "missing expected argument '<input> ...'; see shardq build --help"),
    ("shardq --limit", "missing value for '--limit <n>'; see shardq --help"),
    ("shardq -n", "missing value for '-n'; see shardq --help"),
    ("shardq --near 99,200 san", "the value '99,200' is invalid for '--near <lat,lon>'; see shardq --help"),
    ("shardq --filter x san", "--filter: x is not valid; write a field and a value, such as country=FR"),
    (
      "shardq build --encoding x",
      "the value 'x' is invalid for '--encoding <name>'; see shardq build --help"
    ),
    (
      "shardq ui --bash --zsh",
      "value to be set with flag '--zsh' had already been set with flag '--bash'; see shardq ui --help"
    ),
    ("shardq help buidl", "there is no command buidl; did you mean build?"),
    ("shardq help xyzzy", "there is no command xyzzy; see shardq --help"),
    ("shardq -n x san", "the value 'x' is invalid for '-n <n>'; see shardq --help"),
    (
      "shardq --format yaml san",
      "the value 'yaml' is invalid for '--format <format>'. Please provide one of the following:\n"
        + "  - text\n  - tsv\n  - csv\n  - json\n  - jsonl\n  - geojson; see shardq --help"
    ),
    ("shardq --all=3 san", "the option '--all' does not take any value, but '3' was specified; see shardq --help"),
    (
      "shardq stats x",
      "unexpected argument 'x'; see shardq stats --help. To search for this text: shardq -- stats x"
    ),
    (
      "shardq stats x y",
      "2 unexpected arguments: 'x', 'y'; see shardq stats --help. To search for this text: shardq -- stats x y"
    ),
    ("shardq --stdin san", "--stdin reads prefixes from standard input; leave out <prefix>"),
    ("shardq --all -n 3 san", "--all and --limit exclude each other; leave out one"),
    ("shardq --fields name --format json san", "--fields goes with --format tsv or csv; leave out one"),
    (
      "shardq ui --fields name --format json",
      "--fields goes with --format tsv or csv; leave out one"
    ),
    ("shardq -0 --format csv san", "-0 goes with --format tsv; leave out one"),
    ("shardq --count -0 san", "--count prints no records; leave out --fields and -0"),
    ("shardq --stdin --fields a", "--stdin answers in JSON; leave out --fields and -q"),
  ].map { ShellCase($0.0, $0.0, status: 64, error: "shardq: " + $0.1 + "\n") }

  @Test(arguments: mistakes) func mistake(_ row: ShellCase) { row.check() }

  static let options = [
    ShellCase("a value may follow a short option at once", places + "shardq -n1 paris", output: "Paris\tFR\n"),
    ShellCase("a directory too", places + "mv shards x; shardq -ix -n1 paris", output: "Paris\tFR\n"),
  ]

  @Test(arguments: options) func option(_ row: ShellCase) { row.check() }

  // MARK: Fields

  /// One record has a path with backslashes; the other has a path with a tab and a line end.
  private static let files = #"""
    printf 'path,name\nC:\\temp\\new,win\n"a\tb\\c\nd",odd\n' > w.csv; shardq build --key '{name}' w.csv 2>/dev/null

    """#

  static let fields = [
    ShellCase("a field is printed as it is", files + "shardq win | cut -f1", output: "C:\\temp\\new\n"),
    ShellCase("but for what would break the line", files + "shardq odd", output: "a\\tb\\c\\nd\todd\n"),
    ShellCase("some of the fields", places + "shardq santos --fields country,name", output: "BR\tSantos\n"),
    ShellCase(
      "in csv too", places + "shardq santos --fields country --format csv", output: "country\r\nBR\r\n"),
    ShellCase(
      "with a zero byte at the end, whatever is in them", files + "shardq odd --fields path -0 | od -An -c | tr -s ' '",
      output: " a \\t b \\ c \\n d \\0\n"),
    ShellCase(
      "an unknown one", places + "shardq paris --fields nane,x", status: 64,
      error: "shardq: --fields: the index has no field nane; its fields are name, country; did you mean name?\n"),
    ShellCase(
      "an unknown one, before anything is typed", places + "shardq ui --fields zip", status: 64,
      error: "shardq: --fields: the index has no field zip; its fields are name, country\n"),
    ShellCase(
      "an export comes back byte for byte",
      files
        + "shardq export --format tsv > e.tsv; shardq build -i y --key '{name}' e.tsv 2>/dev/null; shardq export -i y | sort",
      output: #"""
        {"path":"C:\\temp\\new","name":"win"}
        {"path":"a\tb\\c\nd","name":"odd"}

        """#),
  ]

  @Test(arguments: fields) func field(_ row: ShellCase) { row.check() }
}
