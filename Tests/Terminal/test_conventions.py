"""Tests the conventions of command-line tools, one test for each of the 28 rows in docs/command.md.

    python3 -m unittest discover -s Tests/Terminal -p test_conventions.py     $SHARDQ_BIN, else bin/, has the programs

No test depends on the speed of the machine. Every wait fails after PATIENCE seconds.
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin"))
SHARDQ = os.path.join(BIN, "shardq")
PATIENCE = float(os.environ.get("PATIENCE", 60))
# The clone's index: 2,344 cities, ranked, with typing errors corrected.
INDEX = os.path.join(ROOT, "shards")


class Pseudoterminal:
    """A program whose standard streams are a terminal, or some of them."""

    def __init__(self, arguments, environment, directory, output=None):
        self.seen = b""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            try:
                os.chdir(directory)
                if output:
                    os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT, 0o600), 1)
                os.execvpe(arguments[0], arguments, environment)
            finally:
                os._exit(127)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def read(self, until=None):
        """The output up to the pattern, or to the end of the program."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if until and re.search(until, self.seen):
                return self.seen
            if select.select([self.descriptor], [], [], 0.1)[0]:
                try:
                    part = os.read(self.descriptor, 65536)
                except OSError:
                    part = b""
                if not part:
                    if until and not re.search(until, self.seen):
                        break
                    return self.seen
                self.seen += part
        raise AssertionError(f"{until!r} did not come, but {self.seen!r}")

    def close(self):
        try:
            os.kill(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.descriptor)

    def status(self):
        self.read()
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


@unittest.skipUnless(os.access(SHARDQ, os.X_OK), "shardq is not built: Scripts/build.sh")
class Conventions(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="shardq-conventions-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.environment = {
            "PATH": BIN + ":/usr/bin:/bin", "HOME": self.directory, "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "SHARDQ_INDEX": INDEX,
        }

    def run_shell(self, line, **variables):
        return subprocess.run(
            ["sh", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.directory,
            env={**self.environment, **variables}, timeout=PATIENCE, check=False)

    def succeeds(self, line, **variables):
        done = self.run_shell(line, **variables)
        self.assertEqual(done.returncode, 0, line + ": " + done.stderr)
        return done

    def terminal(self, line, output=None, **variables):
        terminal = Pseudoterminal(
            ["sh", "-c", line], {**self.environment, **variables}, self.directory, output)
        self.addCleanup(terminal.close)
        return terminal

    def shown(self, line, **variables):
        """The whole output of a line on a terminal."""
        return self.terminal(line, **variables).read().decode().replace("\r\n", "\n")

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def list(self):
        self.write("l.csv", "id,name\n1,Aachen\n2,Basel\n3,Cork\n")

    def test_01_data_on_standard_output_everything_else_on_standard_error(self):
        self.list()
        built = self.succeeds("shardq build -i x --id id --key '{name}' l.csv")
        self.assertEqual(built.stdout, "")
        self.assertIn("3 records", built.stderr)
        answer = self.succeeds("shardq -i x a")
        self.assertEqual((answer.stdout, answer.stderr), ("1\tAachen\n", ""))
        wrong = self.run_shell("shardq -i none a")
        self.assertEqual(wrong.stdout, "")
        self.assertTrue(wrong.stderr.startswith("shardq: "))

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_02_an_answer_at_once(self):
        """Counted: a query makes few system calls, and it answers a line before the next one comes."""
        self.succeeds("strace -f -o calls shardq san")
        with open(os.path.join(self.directory, "calls"), encoding="utf-8", errors="replace") as file:
            self.assertLess(len(file.readlines()), 600)
        query = subprocess.Popen(
            [SHARDQ, "query", "--stdin", "-n", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment)
        try:
            for text in (b"reykj", b"london"):
                query.stdin.write(text + b"\n")
                query.stdin.flush()
                self.assertTrue(select.select([query.stdout], [], [], PATIENCE)[0])
                self.assertEqual(json.loads(query.stdout.readline())["query"], text.decode())
        finally:
            query.communicate(timeout=PATIENCE)

    def test_03_for_people_on_a_terminal_and_plain_in_a_pipe(self):
        shown = self.shown("shardq 'san ' -n 8 --hyperlink never").split("\n")
        lines = [line for line in shown if ", " in line and not line.startswith("the best")]
        self.assertEqual(len(lines), 8)
        plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
        # The points of latitudes stand in one column, and so do those of longitudes.
        for number in (0, 1):
            columns = {[at.start() for at in re.finditer(r"\.\d", line)][number] for line in plain}
            self.assertEqual(len(columns), 1, plain)
        self.assertTrue(all("\x1b[1;32mSan\x1b[0m" in line for line in lines), lines)
        piped = self.succeeds("shardq 'san ' -n 8 | cat").stdout
        self.assertNotIn("\x1b", piped)
        # The same records in the same order.
        names = [line.split("\t")[0] for line in piped.splitlines()]
        self.assertEqual([line.split(", ")[0] for line in plain], names)

    def test_04_formats_and_json(self):
        for form in ("text", "tsv", "csv", "json", "jsonl", "geojson"):
            self.assertIn("Reykjav", self.succeeds(f"shardq reykj --format {form}").stdout)
        self.assertEqual(self.succeeds("shardq reykj --json").stdout, self.succeeds("shardq reykj --format json").stdout)
        self.list()
        for line in (
            "build -i x --id id --key '{name}' l.csv", "update -i x --merge", "verify -i x", "stats -i x",
            "export -i x", "diff x x -o p", "apply -i x p", "archive -i x -o a", "unarchive a -o b", "generate --count 2", "generate --typing 9 -i x", "completions zsh", "repair -i x --from ../" + os.path.basename(self.directory) + "/y",
        ):
            if line.startswith("repair"):
                shutil.copytree(os.path.join(self.directory, "x"), os.path.join(self.directory, "y"))
            self.assertIsInstance(json.loads(self.succeeds(f"shardq {line} --json").stdout), dict, line)
        # The same data as without it.
        made = json.loads(self.succeeds("shardq generate --count 3 --seed 7 --json").stdout)
        self.assertEqual((made["schema"], made["command"], made["count"], made["seed"]), (1, "generate", 3, 7))
        self.assertEqual(made["records"], json.loads(self.succeeds("shardq generate --count 3 --seed 7").stdout))
        typed = json.loads(self.succeeds("shardq generate --typing 9 -i x --json").stdout)["keystrokes"]
        lines = "".join(f"{each['milliseconds']}\t{each['text']}\n" for each in typed)
        self.assertEqual(lines, self.succeeds("shardq generate --typing 9 -i x").stdout)
        script = json.loads(self.succeeds("shardq completions bash --json").stdout)
        self.assertEqual(script["script"], self.succeeds("shardq completions bash").stdout)
        self.assertEqual(self.run_shell("shardq generate --count 1 --json --format tsv").returncode, 64)

    def test_05_records_that_end_with_a_zero(self):
        self.assertEqual(self.succeeds("shardq reykj --fields name -0").stdout, "Reykjavík\0")
        self.assertEqual(self.succeeds("shardq reykj --fields name --null | xargs -0 -n1 echo").stdout, "Reykjavík\n")
        answers = self.succeeds("printf 'reykj\\0lon' | shardq query --stdin -0").stdout.splitlines()
        self.assertEqual([json.loads(line)["query"] for line in answers], ["reykj", "lon"])

    def test_06_colours(self):
        text = "shardq reykj --format text"
        for line, variables, wanted in [
            (text, {}, True), (text + " --color never", {}, False), (text, {"NO_COLOR": "1"}, False),
            (text, {"NO_COLOR": ""}, True), (text, {"TERM": "dumb"}, False),
            (text + " --color always", {"NO_COLOR": "1"}, True), (text + " | cat", {}, False),
            (text + " | cat", {"CLICOLOR_FORCE": "1"}, True), (text + " | cat", {"CLICOLOR_FORCE": "0"}, False),
            (text + " | cat", {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
            (text + " --color always | cat", {}, True), (text + " --color auto | cat", {}, False),
            (text, {"SHARDQ_OPTS": "--color never"}, False), ("shardq reykj | cat", {"CLICOLOR_FORCE": "1"}, False),
        ]:
            with self.subTest(line, **variables):
                self.assertEqual("\x1b[" in self.shown(line, **variables), wanted)
        wrong = self.run_shell("shardq --color blue san")
        self.assertEqual((wrong.returncode, wrong.stderr), (64, "shardq: the value 'blue' is invalid for '--color <when>'. Please provide one of 'auto', 'always' or 'never'; see shardq --help\n"))

    def test_07_exit_statuses(self):
        self.write("bad.json", "[{")
        os.mkdir(os.path.join(self.directory, "damaged"))
        self.write("damaged/manifest", "no manifest")
        for line, status in [
            ("shardq reykj", 0), ("shardq zzzzzz", 1), ("shardq --limit 0 x", 64), ("shardq build -i b bad.json --key '{a}'", 65),
            ("shardq -i damaged x", 65), ("shardq -i none x", 66), ("shardq '' --all >/dev/full", 74),
        ]:
            with self.subTest(line):
                self.assertEqual(self.run_shell(line).returncode, status)
        said = self.succeeds("shardq --help").stdout
        for status in ("0 done", "1 no match", "64 ", "65 ", "66 ", "74 ", "75 "):
            self.assertIn(status, said)

    def test_08_an_interrupt_ends_by_the_signal(self):
        # A job in a shell's background ignores the interrupt, and so would all programs that it starts.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        running = subprocess.Popen(
            [SHARDQ, "generate", "--count", "1000000000"], stdout=subprocess.PIPE, env=self.environment)
        running.stdout.read(10)
        running.send_signal(signal.SIGINT)
        running.stdout.close()
        self.assertIn(running.wait(PATIENCE), (-signal.SIGINT, -signal.SIGPIPE))
        terminal = self.terminal("echo started; exec shardq generate --count 1000000000 >/dev/null")
        terminal.read(b"started")
        terminal.type("\x03")
        self.assertEqual(terminal.status(), -signal.SIGINT)

    def test_09_a_closed_pipe_is_silent(self):
        done = self.run_shell("{ shardq generate --count 1000000; echo $? >status; } | head -c 10")
        self.assertEqual(done.stderr, "")
        with open(os.path.join(self.directory, "status"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"{128 + signal.SIGPIPE}\n")

    def test_10_help_everywhere(self):
        whole = self.succeeds("shardq --help").stdout
        for line in ("shardq -h", "shardq help"):
            self.assertEqual(self.succeeds(line).stdout, whole)
        bare = self.run_shell("shardq </dev/null")
        self.assertEqual((bare.returncode, bare.stdout), (64, ""))
        self.assertLessEqual(len(bare.stderr.splitlines()), 12)
        self.assertRegex(bare.stderr, "shardq build FILE\n$")
        self.assertEqual(self.shown("SHARDQ_INDEX=none shardq"), bare.stderr)
        headings = re.findall(r"^([A-Z ]+) SUBCOMMANDS:$", whole, re.MULTILINE)
        self.assertLess(4, len(headings))
        for command in self.commands(whole):
            text = self.succeeds(f"shardq {command} --help").stdout
            self.assertEqual(text, self.succeeds(f"shardq help {command}").stdout)
            self.assertLess(text.index("EXAMPLES:"), text.index("USAGE: "))
            self.assertRegex(text, r"DOCUMENTATION:\n  man shardq-")
            for page in re.findall(r"docs/[a-z-]+\.md", text):
                self.assertTrue(os.path.exists(os.path.join(ROOT, page)), page)
            self.assertLessEqual(max(map(len, text.split("\n"))), 78)

    def commands(self, said):
        return [name for name in re.findall(r"^  ([a-z-]+) ", said.split("SUBCOMMANDS:", 1)[1], re.MULTILINE) if name != "help"]

    def test_the_list_of_a_named_index(self):
        self.list()
        self.succeeds("shardq build -q l.csv --key '{name}' -i menu")
        for line in ("shardq -i menu", "shardq --index=menu --color never"):
            terminal = self.terminal(line)
            terminal.read(rb"Aachen.*Basel.*Cork|Cork.*Basel.*Aachen|Aachen[\s\S]*Cork")
            terminal.type("bas\r")
            self.assertIn(b"Basel", terminal.read())
            self.assertEqual(terminal.status(), 0)
        refused = self.run_shell("shardq -i menu </dev/null")
        self.assertEqual(refused.returncode, 64)
        self.assertIn("the prefix is missing", refused.stderr)

    def test_an_empty_text_begins_with_the_best_record(self):
        best = self.succeeds("shardq '' --limit 1").stdout
        terminal = self.terminal("shardq ui --format tsv >chosen")
        terminal.read(b"Shanghai")
        terminal.type("\r")
        self.assertEqual(terminal.status(), 0)
        with open(os.path.join(self.directory, "chosen"), encoding="utf-8") as file:
            self.assertEqual(file.read(), best)

    def test_11_near_misses(self):
        for line, wanted in [
            ("shardq statz", "did you mean shardq stats?"), ("shardq bild x.csv", "did you mean build?"),
            ("shardq --formt csv san", "did you mean --format?"), ("shardq --format jsn san", "- json\n"),
            ("shardq san --fields nane", "did you mean name?"),
            ("SHARDQ_OPTS='--colr never' shardq san", "did you mean --color?"),
            # The results for a text with a typing error, and for a text without a match.
            ("shardq lodnon --format text", 'showing results for "London"'),
            ("shardq reykq9 --format text --typos none", 'nearest: "reyk"'),
            # Words that are commands, and words of other programs.
            ("shardq key west", "To search for this text: shardq -- key west"),
            ("shardq fetch me", "To search for this text: shardq -- fetch me"),
            ("shardq search london --words all", "did you mean shardq london --words all?"), ("shardq index a.csv", "did you mean build?"),
        ]:
            with self.subTest(line):
                self.assertIn(wanted, self.run_shell(line).stderr)

    # The typed text, and the line after the completion.
    NAMES = [("bui", "build"), ("-i to", "-i towns"), ("stats --index to", "stats --index towns"), ("-i els", "-i elsewhere/")]
    # The typed text, and the record that the completed line finds: names with every sign that a shell reads.
    FOUND = [
        ("reykj", "Reykjavík, IS"), ("sao paul", "São Paulo, BR"), ("o\\'k", "O'Keefe \"Inn\" & $HOME; (a|b) <c> #1 *?"),
        ("back", "back `x` [a] {b,c} ~d"), ("wow", "Wow! Signal"), ("bla", "Bla 'n' $5"),
    ]
    # The same behind an open quote, which zsh does not close.
    QUOTED = [("'wow", "Wow! Signal"), ('"bla', "Bla 'n' $5"), ('"o\'k', FOUND[2][1])]
    # The lines of docs/command.md, and the names that they offer.
    OFFERED = [("shardq -i cities reykj<TAB>", ["Reykjavík, IS"]), ("shardq san jo<TAB>", ["josé, CR", "jose, PH", "jose, US"])]
    SHELLS = {
        "bash": ("exec bash --norc --noprofile -i",
                 "source script.bash; bind -x '\"\\C-g\": printf \"<<%s>>\" \"$READLINE_LINE\"'; PS1=; echo rea''dy"),
        "zsh": ("exec zsh -f -i",
                "mkdir -p f; cp script.zsh f/_shardq; fpath=($PWD/f $fpath); autoload -U compinit; compinit -u -D; PS1=; "
                "shown() { print -rn -- \"<<$BUFFER>>\" }; zle -N shown; bindkey '^G' shown; echo rea''dy"),
        "fish": ("exec fish --no-config -i",
                 "source script.fish; function fish_prompt; end; bind \\cg 'printf \"<<%s>>\" (commandline)'; echo rea''dy"),
    }

    def test_12_completions(self):
        named = os.path.join(self.directory, ".local/share/shardq")
        shutil.copytree(INDEX, os.path.join(named, "towns"))
        shutil.copytree(INDEX, os.path.join(named, "cities"))
        os.mkdir(os.path.join(named, "torn"))  # No index.
        os.mkdir(os.path.join(self.directory, "elsewhere"))
        self.write("names.jsonl", "".join(json.dumps({"name": name}) + "\n" for _, name in self.FOUND))
        self.succeeds("shardq build -q names.jsonl --key '{name}' -i names")
        for shell in self.SHELLS:
            with self.subTest(shell):
                self.write("script." + shell, self.succeeds("shardq completions " + shell).stdout)
                if not shutil.which(shell):
                    print(f"skipped: {shell} is not installed")
                    continue
                for typed, wanted in self.NAMES:
                    self.assertEqual(self.completed(shell, "shardq " + typed)[0].rstrip(), "shardq " + wanted, typed)
                for typed, name in self.FOUND + (self.QUOTED if shell != "zsh" else []):
                    line, said = self.completed(shell, "shardq -i names " + typed)
                    self.assertNotEqual(line.rstrip(), "shardq -i names " + typed)
                    self.assertIn(f"\n{name}\n", said, line)
        if shutil.which("bash"):
            typed, (name,) = self.OFFERED[0]
            line, said = self.completed("bash", typed.removesuffix("<TAB>"))
            self.assertEqual(line, "shardq -i cities Reykjavík\\,\\ IS ")
            self.assertIn(name.replace(", ", "\t"), said)
        if shutil.which("fish"):
            for line, names in self.OFFERED:
                typed = line.removesuffix("<TAB>")
                said = self.succeeds(f"fish --no-config -c \"source script.fish; complete -C '{typed}'\"").stdout
                self.assertLessEqual(set(names), {offer.split("\t")[0] for offer in said.splitlines()}, typed)

    def completed(self, shell, typed):
        """Types a line and a tab, then a key that prints the completed line, and Enter; returns that line and the line
        that it prints."""
        arguments, setup = self.SHELLS[shell]
        terminal = self.terminal(arguments)
        terminal.type(setup + "\n")
        terminal.read(rb"ready")
        terminal.type(typed + "\t\x07")
        line = re.search(rb"<<(shardq.*?)>>", terminal.read(rb"<<shardq.*?>>")).group(1).decode()
        terminal.seen = b""
        terminal.type(" --format tsv --limit 1\n" if " names " in line or "cities" in line else "\x15\n")
        terminal.type("echo en''d\n")
        said = terminal.read(rb"\nend\r?\n|\rend\r?\n").decode()
        said = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|\(B|\][^\x07]*\x07)", "", said)
        return line, re.sub(r"[\r\n]+", "\n", said)

    def test_13_manual_pages(self):
        pages = os.path.join(self.directory, "man1")
        self.succeeds(f"python3 '{ROOT}/Scripts/manual.py' '{SHARDQ}' '{pages}'")
        commands = self.commands(self.succeeds("shardq help").stdout)
        self.assertEqual(sorted(os.listdir(pages)), sorted(["shardq.1"] + [f"shardq-{name}.1" for name in commands]))
        for name in os.listdir(pages):
            with open(os.path.join(pages, name), encoding="utf-8") as file:
                text = file.read()
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
                self.assertIn(".Sh " + section, text, name)

    # Half of a list, a pause in which the bar appears, and the rest.
    SLOW = "{ shardq generate --count 2000 --format jsonl; sleep 1; shardq generate --count 2000 --format jsonl; }"

    def test_14_progress(self):
        build = self.SLOW + " | shardq build -i x --input-format jsonl --key '{name}' -"
        shown = self.shown(build + " >/dev/null")
        self.assertRegex(shown, r"\rreading .* records")
        self.assertRegex(shown, r"4,000 records? read")
        for hidden, variables in [
            (" --no-progress", {}), (" -q", {}), ("", {"TERM": "dumb"}), ("", {"SHARDQ_OPTS": "--no-progress"}),
        ]:
            self.assertNotIn("\rreading", self.shown(build + hidden, **variables))
        self.assertNotIn("\r", self.succeeds(build).stderr)
        self.list()
        self.succeeds("shardq build -i a --id id --key '{name}' l.csv")
        self.succeeds("shardq generate --count 20000 > g.json; shardq build -i b --key '{name}' --force g.json")
        # A reader that waits before it reads on, and a writer that waits before it writes on.
        shown = self.shown("shardq diff a b -o - | { sleep 1; cat > pack; }")
        self.assertRegex(shown, r"\rwriting the pack .* files")
        shown = self.shown("{ head -c 60000 pack; sleep 1; tail -c +60001 pack; } | shardq apply -i a -")
        self.assertRegex(shown, r"\rapplying the pack .* files?")
        # The commands of a job, whose input comes in two halves, or late.
        self.succeeds("shardq generate --count 2000 --format jsonl > l.jsonl; "
                      "shardq plan-ranges --ranges 1 --key '{name}' l.jsonl > plan")
        shown = self.shown(self.SLOW + " | shardq plan-ranges --ranges 2 --input-format jsonl --key '{name}' - >/dev/null")
        self.assertRegex(shown, r"\rreading .* records")
        shown = self.shown(self.SLOW + " | shardq key --plan plan > lines")
        self.assertRegex(shown, r"\rreading .* records")
        slow = "{ head -n 2000 lines; sleep 1; tail -n +2001 lines; }"
        shown = self.shown(slow + " | shardq write-range --plan plan -o x-ranges > rows")
        self.assertRegex(shown, r"\rreading .* records")
        self.assertRegex(self.shown("{ sleep 1; cat rows; } | shardq merge --plan plan -o x-ranges -"), r"\ropening ranges")
        for command in ("build", "update", "verify", "plan", "diff", "apply", "repair", "plan-ranges", "key", "write-range",
                        "merge", "publish", "fetch", "prune"):
            self.assertIn("--no-progress", self.succeeds(f"shardq {command} --help").stdout)

    def test_15_no_pager_and_a_limit_that_is_told(self):
        shown = self.shown("shardq san --sort key", PAGER="false", LESS="")
        self.assertEqual(shown.count("\n"), 21)
        self.assertIn("20 of 66 shown; --all shows the rest", shown)
        self.assertEqual(self.succeeds("shardq san --sort key").stdout.count("\n"), 20)

    def test_16_quiet_and_verbose(self):
        quiet = self.succeeds("shardq -q reykj")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))
        self.assertEqual(self.run_shell("shardq -q zzzzzz").returncode, 1)
        verbose = self.succeeds("shardq -v reykj")
        self.assertEqual(verbose.stdout, self.succeeds("shardq reykj").stdout)
        self.assertRegex(verbose.stderr, r"^\d+ shards? of 5 opened, .* ms\n$")

    def test_17_a_dash_and_two(self):
        self.list()
        self.succeeds("cat l.csv | shardq build -i x --id id --key '{name}' --input-format csv -")
        self.succeeds("printf 'name\\n--odd\\nbuild\\n' | shardq build -i y --key '{name}' --input-format csv -")
        self.assertEqual(self.succeeds("shardq -i y -- --odd; shardq -i y -- build").stdout, "--odd\nbuild\n")
        self.succeeds("shardq diff x x -o - | shardq apply -i x -")

    def test_18_changes_are_reported(self):
        self.list()
        said = self.succeeds("shardq build -i x --id id --key '{name}' l.csv").stderr
        self.assertRegex(
            said, r"^3 records read, 3 in the index, 0 bad\n1 shard in x, 1 of them written; \d+ bytes, [0-9.]+ s\n"
                  r"try: (shardq -i x \w+)\n$")
        self.assertEqual(self.succeeds(said.split("try: ")[1].strip()).returncode, 0)

    def test_19_no_prompt_and_no_overwriting_without_force(self):
        self.list()
        self.succeeds("shardq build -i x --id id --key '{name}' l.csv")
        other = "shardq build -i x --key '{id}' l.csv </dev/null"
        refused = self.run_shell(other)
        self.assertEqual(refused.returncode, 64)
        self.assertIn("--force", refused.stderr)
        # Nor on a terminal: it ends without a key.
        self.assertEqual(self.terminal("exec shardq build -i x --key '{id}' l.csv").status(), 64)
        self.succeeds(other.replace("build", "build --force"))
        os.mkdir(os.path.join(self.directory, "full"))
        self.write("full/letter.txt", "dear")
        self.assertEqual(self.run_shell("shardq build -i full --id id --key '{name}' l.csv").returncode, 64)

    def test_20_options_before_the_environment_before_the_file(self):
        os.makedirs(os.path.join(self.directory, ".config/shardq"))
        self.write(".config/shardq/config", "limit = 3\n")
        for line, count in [
            ("shardq san", 3), ("SHARDQ_OPTS='--limit 2' shardq san", 2), ("SHARDQ_OPTS='--limit 2' shardq san -n 1", 1),
            ("SHARDQ_CONFIG=/dev/null shardq san", 20),
        ]:
            self.assertEqual(self.succeeds(line).stdout.count("\n"), count, line)
        self.write(".config/shardq/config", "limt = 3\n")
        wrong = self.run_shell("shardq san")
        self.assertEqual(wrong.returncode, 64)
        self.assertIn("/.config/shardq/config:1: there is no setting limt; did you mean limit?", wrong.stderr)

    def test_21_the_output_is_a_contract(self):
        for line in ("reykj --json", "reykj --count --json", "stats --json", "verify --json", "export --json"):
            self.assertTrue(self.succeeds("shardq " + line).stdout.startswith('{"schema":1,'), line)
        self.assertTrue(self.succeeds("echo reykj | shardq query --stdin").stdout.startswith('{"schema":1,'))
        self.assertRegex(self.succeeds("shardq reykj").stdout, r"^Reykjavík\tIS\t64\.1466\t-21\.9426\t\d+\n$")

    def test_22_a_stable_order(self):
        for line in ("shardq san --all", "shardq san --sort rank -n 66", "shardq export"):
            self.assertEqual(self.succeeds(line).stdout, self.succeeds(line).stdout)

    def test_23_links_when_asked_or_on_a_terminal(self):
        link = "\x1b]8;;geo:64.146600,-21.942600\x1b\\64.1466, -21.9426\x1b]8;;\x1b\\"
        self.assertIn(link, self.shown("shardq reykj"))
        self.assertIn(link, self.succeeds("shardq reykj --format text --hyperlink always").stdout)
        for line, variables in [
            ("shardq reykj --hyperlink never", {}), ("shardq reykj", {"NO_COLOR": "1"}), ("shardq reykj", {"TERM": "linux"}),
            ("shardq reykj --format text | cat", {}),
        ]:
            self.assertNotIn("\x1b]8", self.shown(line, **variables))

    def test_24_no_telemetry_and_the_readme_says_so(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            self.assertRegex(" ".join(file.read().split()), r"sends nothing anywhere")
        if shutil.which("strace"):
            for line in ("shardq san", "shardq stats", "shardq verify"):
                self.succeeds(f"strace -f -e trace=network -o calls {line}")
                with open(os.path.join(self.directory, "calls"), encoding="utf-8", errors="replace") as file:
                    self.assertNotRegex(file.read(), r"socket|connect|send")

    def test_25_errors_say_what_where_and_what_to_do(self):
        self.write("bad.csv", 'name\n"a\n')
        for line, wanted in [
            ("shardq build -i x --key '{name}' bad.csv", r"^shardq: bad\.csv:\d+:\d+: .+; .+\n$"),
            ("shardq -i none x", r"^shardq: no index at none.+ shardq build.+--index\n$"),
            ("shardq build -i x --key '{nam}' bad.csv", r"^shardq: .*(name|bad\.csv).*; .+\n$"),
            ("shardq stats x", r"^shardq: unexpected argument 'x'; see shardq stats --help\n$"),
        ]:
            with self.subTest(line):
                self.assertRegex(self.run_shell(line).stderr, wanted)

    def test_26_the_list_draws_with_care(self):
        terminal = self.terminal("exec shardq ui")
        first = terminal.read(rb"\x1b\[\?2026l")
        # The alternate screen, a bracketed paste, and each frame inside one synchronized update.
        self.assertIn(b"\x1b[?1049h", first)
        self.assertIn(b"\x1b[?2004h", first)
        terminal.type("\x03")
        self.assertEqual(terminal.status(), 130)
        # At its end the list ends an update that a signal may have interrupted.
        self.assertRegex(b"".join(re.findall(rb"\x1b\[\?2026([hl])", terminal.seen)), rb"^(hl)+l$")
        self.assertIn(b"\x1b[?2004l", terminal.seen)
        self.assertIn(b"\x1b[?1049l", terminal.seen)

    def test_27_the_choice_is_on_standard_output(self):
        chosen = os.path.join(self.directory, "chosen")
        terminal = self.terminal("exec shardq ui", output=chosen)
        terminal.read(rb"\x1b\[\?2026l")
        terminal.type("reykj")
        terminal.read(rb"Reyk")
        terminal.type("\r")
        self.assertEqual(terminal.status(), 0)
        with open(chosen, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.succeeds("shardq reykj").stdout)

    def test_28_the_library_logs_nothing(self):
        for library in ("ShardedIndex", "ShardBuilder"):
            for parent, _, names in os.walk(os.path.join(ROOT, "Sources", library)):
                for name in names:
                    if name.endswith(".swift"):
                        with open(os.path.join(parent, name), encoding="utf-8") as file:
                            self.assertNotRegex(file.read(), r"(?m)^\s*(print|debugPrint|fputs|perror|syslog)\(|import Logging")


if __name__ == "__main__":
    unittest.main()
