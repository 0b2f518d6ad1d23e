"""Tests shardq ui and shardq map in a real terminal: the tests send keys to tmux and compare its screen.

    Tests/side_by_side.py Tests/Terminal     $SHARDQ_BIN, else bin/, has the programs

The tests are skipped without tmux. Every wait fails after ten seconds.
"""

import atexit
import fcntl
import glob
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
# The cities of the clone, in alphabetical order alone.
CITIES = os.path.join(tempfile.mkdtemp(prefix="shardq-cities-"), "index")
atexit.register(shutil.rmtree, os.path.dirname(CITIES), ignore_errors=True)
subprocess.run([SHARDQ, "build", os.path.join(ROOT, "Samples/cities.csv"), "--shard-size", "16KiB", "--index", CITIES],
               check=True, capture_output=True)
PATIENCE = float(os.environ.get("PATIENCE", 30))

NAMES = [
    "Ærø", "Sa\u0303o NFD", "Łódź", "مكة المكرمة", "תל אביב", "北京市", "서울특별시", "とうきょう", "กรุงเทพมหานคร", "नई दिल्ली",
    "👨‍👩‍👧 Family", "🏳️ Flag", "a\u001b[31mred", "b\tTab", "c" * 300,
]


def query(prefix, *arguments, index=CITIES):
    done = subprocess.run([SHARDQ, "query", prefix, "-i", index, *arguments], stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.DEVNULL)
    return done.stdout.decode()


def keys(prefix, index=CITIES):
    return [f"{record['name']}, {record['country']}"
            for record in map(json.loads, query(prefix, "--all", "--format", "jsonl", index=index).splitlines())]


class Screen:
    """A shell in a tmux of its own."""

    def __init__(self, columns=80, rows=24, **environment):
        self.directory = tempfile.mkdtemp(prefix="shardq-terminal-")
        self.socket = os.path.join(self.directory, "tmux")
        variables = {"PATH": BIN + ":" + os.environ["PATH"], "HOME": self.directory, "LANG": "C.UTF-8", "PS1": "$ ",
                     "SHARDQ_INDEX": CITIES, "TERM": "screen-256color", **environment}
        with open(os.path.join(self.directory, "conf"), "w") as file:
            file.write("set -g status off\nset -sg escape-time 0\nset -g default-terminal screen-256color\n")
        self.tmux("-f", os.path.join(self.directory, "conf"), "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "env", "-i", *[f"{name}={value}" for name, value in variables.items()],
                  "bash", "--norc", "--noprofile")
        try:
            self.wait(lambda text: text.startswith("$"))
        except BaseException:
            self.close()
            raise

    def tmux(self, *arguments, check=True):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], stdout=subprocess.PIPE, check=check,
                              stderr=subprocess.PIPE, timeout=PATIENCE).stdout.decode(errors="replace")

    def close(self):
        self.tmux("kill-server", check=False)
        shutil.rmtree(self.directory, ignore_errors=True)

    def text(self, *arguments):
        return self.tmux("capture-pane", "-p", *arguments)

    def lines(self):
        return self.text().split("\n")

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def run(self, command):
        self.type(command)
        self.keys("Enter")

    def wait(self, isRight):
        deadline = time.monotonic() + PATIENCE
        while True:
            text = self.text()
            if isRight(text):
                return text
            if time.monotonic() > deadline:
                raise AssertionError("the screen stays:\n" + text)
            time.sleep(0.02)

    def shows(self, part):
        return self.wait(lambda text: part in text)

    def query(self, typed):
        """Waits until the list answers the typed text."""
        line = ("> " + typed).rstrip()
        return self.wait(lambda text: line in map(str.rstrip, text.split("\n")) and " of " in text)

    def state(self):
        flags = "#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{wrap_flag}"
        return self.tmux("display-message", "-p", flags).strip()

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
@unittest.skipUnless(os.access(SHARDQ, os.X_OK), "shardq is not built: Scripts/build.sh")
class TerminalTest(unittest.TestCase):
    def screen(self, *size, **environment):
        screen = Screen(*size, **environment)
        self.addCleanup(screen.close)
        return screen

    def list(self, *size, command="shardq ui", **environment):
        screen = self.screen(*size, **environment)
        screen.run(command)
        screen.query("")
        return screen

    def rows(self, screen, count=None):
        """The titles of the shown rows, without the columns beside them."""
        lines = screen.lines()[2:]
        return [re.split(r"  +", line[2:])[0] for line in lines if line.strip()][:count]


class Typing(TerminalTest):
    def test_follows_every_key(self):
        screen = self.list(80, 24, command="shardq ui --preview-window hidden")
        typed = ""
        for letter in "san ":
            screen.type(letter)
            typed += letter
            screen.query(typed.rstrip())
            screen.shows(f" 1/{len(keys(typed)):,} of ")
            self.assertEqual(self.rows(screen), keys(typed)[:22])
        for _ in range(4):
            screen.keys("BSpace")
            typed = typed[:-1]
            screen.query(typed.rstrip())
            screen.shows(f" 1/{len(keys(typed)):,} of ")
            self.assertEqual(self.rows(screen), keys(typed)[:22])

    def test_the_cursor_stands_behind_the_text(self):
        for command, row in (("shardq ui", 0), ("shardq ui --height 9", 4)):
            with self.subTest(command):
                screen = self.screen()
                screen.run("clear; echo; echo; echo")
                screen.wait(lambda text: text.startswith("\n\n\n$"))
                screen.run(command)
                screen.query("")
                screen.type("lon")
                screen.query("lon")
                self.assertEqual(screen.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split(), ["5", str(row)])

    def test_marks_the_original_spelling(self):
        screen = self.list()
        screen.type("sao p")
        screen.query("sao p")
        self.assertIn("\x1b[1m\x1b[4mSão P\x1b[0", screen.text("-e").replace("\x1b[1;4m", "\x1b[1m\x1b[4m")
                      .replace("\x1b[0;7m", "\x1b[0m"))

    def test_marks_what_a_space_stands_for(self):
        screen = self.list()
        whole = ""
        for typed, marked in [("sao paulo ", "São Paulo"), ("br", "São Paulo, BR")]:
            screen.type(typed)
            whole += typed
            screen.query(whole)
            text = screen.text("-e").replace("\x1b[1;4m", "\x1b[1m\x1b[4m").replace("\x1b[0;7m", "\x1b[0m")
            self.assertIn(f"\x1b[1m\x1b[4m{marked}\x1b[0", text)

    def test_editing_keys(self):
        screen = self.list()
        for names, expected in [
            (["l", "o", "n"], "lon"), (["Left", "x"], "loxn"), (["BSpace"], "lon"), (["C-a", "a"], "alon"),
            (["DC"], "aon"), (["C-e", "z"], "aonz"), (["C-u"], ""), (["a", "b", "Space", "c", "C-w"], "ab"),
            (["Home", "C-k"], ""), (["ö"], "ö"), (["BSpace"], ""), (["x", "C-h"], ""),
        ]:
            screen.keys(*names)
            screen.wait(lambda text: text.split("\n")[0].rstrip() == ("> " + expected).rstrip())

    def test_moves_and_pages_without_loading_what_is_not_seen(self):
        screen = self.list(80, 24, command="shardq ui --no-map --stats --preview-window hidden")
        everything = keys("")
        screen.keys("NPage", "NPage", "Down", "Up")
        screen.wait(lambda _: self.rows(screen)[-1] == everything[43])
        screen.keys("PPage", "PPage", "PPage")
        screen.wait(lambda _: self.rows(screen) == everything[:22])
        screen.type("\x1b[1;5F")
        screen.wait(lambda _: self.rows(screen) == everything[-22:])
        # No shard between was loaded: the rows lie in one or two shards.
        self.assertRegex(screen.text(), r"[12] of \d+ shards? · [12] loaded")
        self.assertIn("2,344/2,344 of 2,344 · ", screen.text())
        screen.type("\x1b[1;5H")
        screen.wait(lambda _: self.rows(screen) == everything[:22])

    def test_pasting_mouse_and_escape_sequences(self):
        screen = self.list()
        screen.tmux("set-buffer", "san\nj\x07")
        screen.tmux("paste-buffer", "-p")
        screen.query("san j")
        screen.keys("C-u")
        screen.query("")
        screen.type("\x1b[<0;5;6M\x1b[<0;5;6m")
        screen.wait(lambda text: text.split("\n")[5].startswith("> "))
        screen.type("\x1b[<65;5;6M")
        screen.wait(lambda text: text.split("\n")[8].startswith("> "))
        screen.type("\x1b[99~\x1b[5;5u\x1bOQ\x1b[[A")
        screen.type("z")
        screen.query("z")

    def test_follows_a_rebuild(self):
        screen = self.screen()
        index = os.path.join(screen.directory, "growing")

        def build(names):
            path = screen.write("growing.jsonl", "".join(json.dumps({"name": name}) + "\n" for name in names))
            subprocess.run([SHARDQ, "build", path, "--key", "{name}", "--index", index], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        build(["Ab", "Ac"])
        screen.run("shardq ui -i " + index)
        screen.shows("1/2 of 2")
        build(["Ab", "Ac", "Ad"])
        build(["Ab", "Ac", "Ad", "Ae"])
        time.sleep(1.1)  # The list looks for a new generation once a second.
        screen.type("a")
        screen.shows("1/4 of 4")
        self.assertEqual(self.rows(screen), ["Ab", "Ac", "Ad", "Ae"])

    def test_no_match(self):
        screen = self.list(command="shardq ui; echo status $?")
        screen.type("zzzzz")
        screen.shows("no key begins with this text")
        screen.keys("C-u")
        screen.type("sao px")
        screen.shows('  nearest: "sao p"')
        screen.keys("Enter")
        screen.shows("status 1\n")

    def test_ranked_by_words_and_other_names(self):
        screen = self.screen(80, 12)
        index = os.path.join(screen.directory, "ranked")
        records = [{"name": "York", "w": 150}, {"name": "New York", "w": 8000, "names": ["NYC"]}, {"name": "Yorkton", "w": 15}]
        records += [{"name": f"East York {number}", "w": 1} for number in range(20)]
        path = screen.write("ranked.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        subprocess.run([SHARDQ, "build", path, "--key", "{name}", "--weight", "w", "--words", "--alias", "names", "--index", index],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        screen.run(f"shardq ui -i {index} --fields name")
        screen.query("")
        screen.type("york")
        screen.shows("1/10+ of 23 ")
        self.assertEqual(self.rows(screen)[:4], ["York", "New York", "Yorkton", "East York 0"])
        screen.keys("NPage", "NPage", "NPage", "NPage")
        screen.shows("/23 of 23 ")
        screen.keys("C-u")
        screen.type("nyc")
        screen.shows("> New York (NYC)")
        self.assertIn("(\x1b[1;4mNYC\x1b[", screen.text("-e"))
        screen.keys("Enter")
        screen.shows("\nNew York\n")


class Choosing(TerminalTest):
    def test_prints_the_record(self):
        for format in ["tsv", "json", "jsonl", "csv", "geojson", "text"]:
            screen = self.list(80, 24, command=f"shardq ui --format {format} > out; echo status $?")
            screen.type("sao pa")
            screen.query("sao pa")
            screen.keys("Enter")
            screen.shows("status 0\n")
            with open(os.path.join(screen.directory, "out"), newline="") as file:
                # One record in JSON is its object alone.
                wanted = "jsonl" if format == "json" else format
                self.assertEqual(file.read(), query("sao pa", "-n", "1", "--format", wanted))

    def screen(self, *size, **environment):
        screen = super().screen(*size, **environment)
        screen.run(f"cd {screen.directory}; clear")
        screen.wait(lambda text: text.rstrip() == "$")
        return screen

    def test_prints_fields(self):
        for options, expected in [("", "BR\tSão Paulo\n"), ("-0", "BR\tSão Paulo\0")]:
            screen = self.list(80, 24, command=f"shardq ui --fields country,name {options} > out; echo status $?")
            screen.type("sao paulo br")
            screen.shows(" 1/1 of ")
            screen.keys("Enter")
            screen.shows("status 0\n")
            with open(os.path.join(screen.directory, "out"), newline="") as file:
                self.assertEqual(file.read(), expected)

    def test_in_a_command_substitution(self):
        screen = self.list(command='city=$(shardq ui --height 40%); echo "[$city] $?"')
        screen.type("lond")
        screen.query("lond")
        screen.keys("Enter")
        self.assertIn("[" + query("lond", "-n", "1").split("\t")[0], screen.shows("] 0"))

    def test_plain_shardq_is_the_list(self):
        screen = self.list(command='city=$(shardq); echo "[$city] $?"')
        screen.keys("Down", "Enter")
        screen.shows("] 0")
        self.assertIn(query("", "--offset", "1", "-n", "1").split("\t")[0], screen.text())

    def test_options_for_every_list(self):
        for command, options, typed, wanted in [
            ("shardq", "-q reykj --fields name", "reykj", "Reykjavík\n"),
            ("shardq ui --query 'zagreb'", "--query=reykj --fields 'name,country' --height 5", "zagreb", "Zagreb\tHR\n"),
        ]:
            screen = self.screen()
            screen.run(f'SHARDQ_UI_OPTS="{options}" {command} > out; echo status $?')
            screen.query(typed)
            self.assertEqual(screen.state().startswith("0"), "--height" in options)
            screen.keys("Enter")
            screen.shows("status 0\n")
            with open(os.path.join(screen.directory, "out"), newline="") as file:
                self.assertEqual(file.read(), wanted)

    def test_without_an_index_plain_shardq_ends_with_the_first_step(self):
        screen = self.screen(100, 90)
        screen.run("SHARDQ_INDEX=/nowhere shardq; echo status $?")
        said = screen.shows("status 0")
        self.assertIn("shardq build FILE\nstatus 0", said)
        self.assertLessEqual(said[said.index("shardq finds") : said.index("status 0")].count("\n"), 12)
        screen.run("clear; SHARDQ_INDEX=/nowhere shardq ui; echo status $?")
        self.assertIn("/nowhere", screen.shows("status 66"))

    def test_leaving_without_one(self):
        for key in ["Escape", "C-c", "C-g", "C-d"]:
            screen = self.list(command='city=$(shardq ui); echo "[$city] $?"')
            screen.keys(key)
            screen.shows("[] 130")

    def test_prints_the_query(self):
        screen = self.list(command="shardq ui --print-query --format jsonl > out; echo status $?")
        screen.type("Sao Pa")
        screen.query("Sao Pa")
        screen.keys("Enter")
        screen.shows("status 0")
        with open(os.path.join(screen.directory, "out")) as file:
            self.assertEqual(file.read(), "Sao Pa\n" + query("sao pa", "-n", "1", "--format", "jsonl"))

    def test_without_a_terminal(self):
        for command in [["ui"], []]:
            done = subprocess.run([SHARDQ, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env={"SHARDQ_INDEX": CITIES}, start_new_session=True,
                                  timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (64, b""))
            self.assertTrue(done.stderr)


# A shell that takes the terminal back and prints its prompt before the guard knows.
SHELL = """
import os, signal, subprocess
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
def ahead():
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
shown = subprocess.Popen(["shardq", "ui"], preexec_fn=ahead)
open("now").read()
os.tcsetpgrp(0, os.getpgrp())
print("$ ", end="", flush=True)
shown.kill()
shown.wait()
"""


class Restoring(TerminalTest):
    """Each way to end or to stop the list leaves the terminal as it was."""

    def settings(self, screen):
        screen.run("clear; stty -a > before; echo read")
        screen.wait(lambda text: text.startswith("read"))

    def check(self, screen):
        screen.run("stty -a > after; cmp before after && echo same")
        screen.shows("\nsame")
        self.assertEqual(screen.state(), "0 0 1 1")

    def begin(self, command="shardq ui"):
        screen = self.screen()
        screen.run(f"cd {screen.directory}")
        self.settings(screen)
        screen.run(command)
        screen.query("")
        return screen, self.processes(screen)[0]

    def test_keys_that_end_it(self):
        for command in ["shardq ui", "shardq ui --height 40%"]:
            for key in ["Enter", "Escape", "C-c"]:
                screen, _ = self.begin(command)
                screen.keys(key)
                screen.wait(lambda text: "of 2,344" not in text)
                self.check(screen)
                self.assertEqual(self.processes(screen), [])

    def test_signals_that_end_it(self):
        for command in ["shardq ui", "shardq ui --height 10"]:
            for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGSEGV,
                           signal.SIGABRT, signal.SIGILL, signal.SIGTRAP]:
                with self.subTest(command=command, signal=number.name):
                    screen, process = self.begin(command)
                    os.kill(process, number)
                    screen.wait(lambda text: "of 2,344" not in text)
                    screen.run("echo status $?")
                    screen.shows(f"status {128 + number}")
                    self.check(screen)

    def test_killed_by_what_nobody_can_catch(self):
        for command in ["shardq ui", "shardq ui --height 10"]:
            screen, process = self.begin(command)
            self.guarded(screen)
            os.kill(process, signal.SIGKILL)
            screen.wait(lambda text: "killed" in text.lower())  # The shell or the guard prints it.
            deadline = time.monotonic() + PATIENCE
            while screen.state() != "0 0 1 1" and time.monotonic() < deadline:
                time.sleep(0.02)
            self.check(screen)
            self.assertEqual(self.processes(screen), [])  # The guard has gone too.

    def test_killed_when_the_shell_has_the_terminal_already(self):
        screen = self.screen()
        screen.run(f"cd {screen.directory}; mkfifo now")
        screen.write("shell.py", SHELL)
        self.settings(screen)
        screen.run("python3 shell.py")
        screen.query("")
        self.guarded(screen)
        screen.write("now", "")
        screen.shows("shardq was killed; Enter shows the prompt.")
        self.check(screen)

    def test_killed_under_a_shell_that_mends_nothing(self):
        screen = self.screen()
        screen.run(f"cd {screen.directory}; clear; stty -a > before; echo read")
        screen.wait(lambda text: text.startswith("read"))
        # The parent process is no shell, and does not restore the terminal.
        screen.run("python3 -c \"import subprocess; subprocess.call(['shardq', 'ui'])\"; stty -a > after; echo over")
        screen.query("")
        self.guarded(screen)
        os.kill(self.processes(screen)[0], signal.SIGKILL)
        screen.shows("\nover")
        # The shell continues at once; the guard restores the terminal within moments.
        screen.run("clear; sleep 0.5; stty -a > after; cmp before after && echo same")
        screen.wait(lambda text: text.startswith("same"))
        self.assertEqual(screen.state(), "0 0 1 1")

    def processes(self, screen):
        """The processes of shardq on the screen, the list before its guard, without zombies.

        The names tell which is which: numbers of processes begin again behind the highest one.
        """
        terminal = screen.tmux("display-message", "-p", "#{pane_tty}").strip()[5:]
        listed = subprocess.run(["ps", "-t", terminal, "-o", "pid=,state=,comm="], stdout=subprocess.PIPE, check=False)
        found = [line.split(None, 2) for line in listed.stdout.decode().splitlines()]
        living = [(name, int(number)) for number, state, name in found if state != "Z" and name.startswith("shardq")]
        return [number for name, number in sorted(living)]

    def guarded(self, screen):
        """Waits for the guard, which is started behind the first frame."""
        deadline = time.monotonic() + PATIENCE
        while len(self.processes(screen)) < 2:
            self.assertLess(time.monotonic(), deadline, "there is no guard")
            time.sleep(0.02)
        time.sleep(0.1)  # The list then sends data to the guard.

    def test_stopping_and_going_on(self):
        for stop in ["key", signal.SIGTSTP]:
            screen, process = self.begin()
            screen.type("lo")
            screen.query("lo")
            if stop == "key":
                screen.keys("C-z")
            else:
                os.kill(process, stop)
            screen.shows("Stopped")
            self.assertEqual(screen.state(), "0 0 1 1")
            self.check(screen)
            screen.run("fg")
            screen.query("lo")
            screen.type("n")
            screen.query("lon")
            screen.keys("Escape")
            screen.shows("Stopped")
            self.check(screen)

    def test_stopped_by_force_and_going_on(self):
        screen, process = self.begin()
        os.kill(process, signal.SIGSTOP)
        screen.wait(lambda text: "Stopped" in text)
        screen.run("fg")
        screen.query("")
        screen.type("x")
        screen.query("x")
        screen.keys("Escape")
        screen.wait(lambda text: "of 2,344" not in text)
        self.check(screen)

    def test_the_terminal_goes_away(self):
        screen, process = self.begin("trap '' HUP; shardq ui")
        screen.tmux("kill-server", check=False)
        deadline = time.monotonic() + PATIENCE
        while os.path.exists(f"/proc/{process}") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(os.path.exists(f"/proc/{process}"), "it continues without a terminal")


class Looks(TerminalTest):
    def odd(self, screen):
        index = os.path.join(screen.directory, "odd")
        lines = [json.dumps({"name": name, "country": "XX", "lat": 10 + at, "lon": 20 + at})
                 for at, name in enumerate(NAMES)]
        path = screen.write("odd.jsonl", "\n".join(lines) + "\n")
        subprocess.run([SHARDQ, "build", path, "--key", "{name}, {country}", "--index", index], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return index

    def test_wide_and_combining_and_right_to_left(self):
        screen = self.screen(100, 24)
        screen.run("shardq ui --preview-window hidden -i " + self.odd(screen))
        screen.shows("of 15")
        lines = [line for line in screen.lines()[2:] if line.strip()]
        self.assertEqual(len(lines), len(NAMES))
        text = "\n".join(lines)
        for name in NAMES[:10]:
            self.assertIn(name, text.replace("\u2068", "").replace("\u2069", ""))
        # No text of a record commands the terminal, and long texts are cut.
        self.assertIn("a\\u001b[31mred", text)
        self.assertIn("b\\u0009Tab", text)
        self.assertIn("cccc…", text)

    def test_sizes(self):
        screen = self.list(120, 40)
        self.assertTrue(any("⠀" <= c <= "⣿" for c in screen.text()))
        for columns, rows in [(40, 10), (20, 5), (80, 24), (10, 3), (200, 50), (80, 2), (80, 1)]:
            screen.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            screen.wait(lambda text: text.startswith(">") and len(text.split("\n")) >= rows)
            if rows > 2:
                wanted = keys("")[rows - 3][:max(1, min(columns, 30) // 3)]
                screen.wait(lambda text: text.rstrip("\n").split("\n")[-1][2:].startswith(wanted))
            self.assertEqual(any("⠀" <= c <= "⣿" for c in screen.text()), columns >= 60 and rows >= 8)
            self.assertLessEqual(max(map(len, screen.lines())), columns)

    def test_the_map_and_its_keys(self):
        screen = self.list(100, 30)
        screen.wait(lambda text: "X" in "".join(line[55:] for line in text.split("\n")[1:]))
        # Land is drawn behind the first frame.
        screen.wait(lambda text: sum("⠀" <= c <= "⣿" for c in text) > 100)
        world = screen.text()
        screen.type("\x1b+")
        screen.shows("zoom 2x")
        screen.type("\x1b-")
        screen.wait(lambda text: text == world)
        screen.keys("Tab")
        screen.wait(lambda text: not any("⠀" <= c <= "⣿" for c in text))
        screen.keys("Tab")
        screen.wait(lambda text: text == world)

    def test_without_color_and_in_ascii(self):
        screen = self.list(100, 30, NO_COLOR="1", command="LC_ALL=C shardq ui")
        screen.type("sa")
        screen.query("sa")
        text = screen.text("-e")
        self.assertIsNone(re.search(r"\x1b\[[0-9;]*\b(3[0-7]|9[0-7]|38|48|4[0-7])[;m]", text))
        self.assertIn("\x1b[1", text)
        self.assertTrue(set(re.sub(r"\x1b\[[0-9;]*m", "", text)) - {"\n"} <= set(map(chr, range(32, 127)))
                        | set("".join(keys("sa"))))
        self.assertIn("..", text)

    def test_below_the_cursor(self):
        screen = self.screen(80, 24)
        screen.run("echo above; shardq ui --height 8; echo below")
        screen.shows("of 2,344")
        self.assertIn("above", screen.text())
        self.assertEqual(sum(1 for line in screen.lines() if line.strip()), 2 + 8)
        screen.type("lond")
        screen.shows("> lond")
        screen.keys("Enter")
        text = screen.shows("\nbelow")
        self.assertIn("\n" + query("lond", "-n", "1", "--format", "text").split("  ")[0], text)
        self.assertNotIn("of 2,344", text)

    def test_a_click_below_the_cursor(self):
        screen = self.screen(80, 24)
        screen.run("shardq ui --height 8 --query sa")
        screen.shows("of 2,344")
        row = [number for number, line in enumerate(screen.lines()) if line.startswith("> sa")][0]
        for wanted in [3, 5]:
            screen.type(f"\x1b[<0;5;{row + 1 + 2 + wanted}M")
            screen.wait(lambda text: text.split("\n")[row + 2 + wanted].startswith("> " + keys("sa")[wanted][:10]))

    def test_line_by_line(self):
        for command in ["shardq ui --plain", "TERM=dumb shardq ui"]:
            screen = self.screen(80, 24)
            screen.run(command + "; echo status $?")
            screen.shows("1 of 2,344, " + keys("")[0])
            screen.type("lon")
            screen.shows(f"lon: 1 of {len(keys('lon'))}, {keys('lon')[0]}")
            screen.keys("Down")
            screen.shows(f"lon: 2 of {len(keys('lon'))}, {keys('lon')[1]}")
            screen.type("zzz")
            screen.shows("lonzzz: no match")
            screen.keys("Escape")
            screen.shows("status 130")

    def test_a_damaged_shard_is_said_and_the_list_goes_on(self):
        screen = self.screen(80, 24)
        index = os.path.join(screen.directory, "damaged")
        shutil.copytree(CITIES, index)
        # The damaged shard is one that the answer reads.
        for path in glob.glob(os.path.join(index, "*.zst")):
            with open(path, "r+b") as file:
                sound = file.read()
                file.seek(len(sound) // 2)
                file.write(bytes(len(sound) // 2))
                file.flush()
                if subprocess.run([SHARDQ, "zu", "-i", index], capture_output=True).returncode == 65:
                    break
                file.seek(0)
                file.write(sound)
        # A short path, so that it stands on one line.
        screen.run(f"cd {screen.directory} && shardq ui --preview-window hidden -i damaged; echo status $?")
        screen.shows("of 2,344")
        screen.type("zu")
        screen.shows("cannot be read")
        self.assertIn("damaged/" + os.path.basename(path), screen.text())
        screen.keys("Down", "Enter", "C-u")
        screen.type("a")
        screen.query("a")
        screen.keys("Escape")
        screen.shows("status 130")


class SizeTest(TerminalTest):
    """After any change of the window the screen is that of a list started at that size."""

    def started(self, columns, rows, above, command):
        """A list below so many lines of the user, prompt and command among them, in a window of that size."""
        hidden = " --no-preview" in command
        command = command.replace(" --no-preview", "")  # A command that wraps moves the lines above.
        screen = self.screen(columns, rows, SHARDQ_UI_OPTS="--preview-window hidden" if hidden else "")
        screen.run(f"seq {above}; shardq ui {command}" if above else f"clear; shardq ui {command}")
        return screen

    def settled(self, screen, isRight, times=1):
        """The text of the screen once it is right and stays the same. A new list draws the land late."""
        deadline = time.monotonic() + PATIENCE
        before, same = None, 0
        while time.monotonic() < deadline:
            text = self.plain(screen.text())
            same = same + 1 if text == before else 0
            if same >= times and isRight(text):
                return text
            before = text
            time.sleep(0.1)
        self.fail("the screen stays:\n" + screen.text())

    def plain(self, text):
        """The text without the times and counts of loads, which differ from list to list."""
        return re.sub(r"(?m)^  ([\d,]+)\b.*$", r"  \1", text)

    def user_lines(self, screen):
        """The numbers above the list, those that have left the screen included."""
        return [int(line) for line in screen.tmux("capture-pane", "-p", "-J", "-S", "-").split("\n")
                if line.strip().isdigit()]

    def check_lines(self, screen, command, above):
        """All lines of the user are still there; a list on the whole screen hides them meanwhile."""
        if "--height" in command:
            self.assertEqual(self.user_lines(screen), list(range(1, above + 1)))

    def expected(self, columns, rows, above, command):
        screen = self.started(columns, rows, above, command)
        text = self.settled(screen, lambda text: re.search(r"(?m)^> ?", text), times=2)
        screen.close()
        return text


class Heights(SizeTest):
    def test_heights(self):
        # Everything is within --height 40%, lines of its own and the whole screen.
        for command, names in [("--height 40% --no-preview -q 'sao t'", []), ("--height 8 --no-preview", ["Down"] * 6),
                               ("-q san", [])]:
            for above in [0, 5, 40]:
                screen = self.started(80, 24, above, command)
                whole = self.settled(screen, lambda text: " of " in screen.text(), times=2)
                for rows in [1, 2, 3, 5, 12, 40]:
                    wanted = self.expected(80, rows, above, command)
                    with self.subTest(command=command, above=above, rows=rows):
                        screen.tmux("resize-window", "-y", str(rows))
                        self.settled(screen, lambda text: text == wanted)
                        screen.tmux("resize-window", "-y", "24")
                        self.settled(screen, lambda text: text == whole)
                        self.check_lines(screen, command, above)
                if names:
                    # The same row is selected and seen, whether it was chosen in a low window or in a high one.
                    screen.tmux("resize-window", "-y", "5")
                    self.settled(screen, lambda text: text != whole)
                    screen.keys(*names)
                    time.sleep(0.5)
                    screen.tmux("resize-window", "-y", "24")
                    other = self.started(80, 24, above, command)
                    self.settled(other, lambda text: text == whole)
                    other.keys(*names)
                    wanted = self.settled(other, lambda text: text != whole)
                    self.settled(screen, lambda text: text == wanted)
                    other.close()
                screen.keys("C-u")
                screen.keys("Escape")
                screen.wait(lambda text: text.rstrip().endswith("$"))
                self.check_lines(screen, "--height", above)
                screen.close()


class Widths(SizeTest):
    def list_lines(self, text):
        """The lines above the list and its own: from the last one that begins with the prompt, before a count, on."""
        lines = text.rstrip("\n").split("\n")
        starts = [at for at, line in enumerate(lines) if line.startswith(">") and at + 1 < len(lines)
                  and re.match(r"  ?\d", lines[at + 1])]
        return (lines[:starts[-1]], lines[starts[-1]:]) if starts else (lines, [])

    def test_widths(self):
        # tmux wraps lines anew, so the list may be farther up than one started there; the user's lines stay the same.
        for command in ["--height 40% --no-preview", "--height 40% --no-preview -q 'san francisco de m'", "-q san"]:
            for above in [0, 5, 40]:
                screen = self.started(80, 24, above, command)
                self.settled(screen, lambda text: " of " in screen.text(), times=2)
                for columns in [40, 20, 80, 30, 79, 80]:
                    wanted = self.list_lines(self.expected(columns, 24, above, command))[1]
                    with self.subTest(command=command, above=above, columns=columns):
                        screen.tmux("resize-window", "-x", str(columns))
                        text = self.settled(screen, lambda text: self.list_lines(text)[1] == wanted)
                        # No line of an earlier list is left above it.
                        upper = "\n".join(self.list_lines(text)[0])
                        self.assertNotRegex(upper, r"(?m)^> |, US|, BR")
                        self.check_lines(screen, command, above)
                screen.close()

    def test_hardly_any_columns(self):
        for command in ["--height 40% --no-preview -q sao", "-q sao"]:
            for above in [0, 40]:
                screen = self.started(80, 24, above, command)
                self.settled(screen, lambda text: " of " in screen.text(), times=2)
                wanted = self.list_lines(self.expected(80, 24, above, command))[1]
                screen.tmux("resize-window", "-x", "2")
                self.settled(screen, lambda text: re.search(r"(?m)^>", text))
                screen.tmux("resize-window", "-x", "80")
                self.settled(screen, lambda text: self.list_lines(text)[1] == wanted)
                self.check_lines(screen, command, above)
                screen.close()


# Sequences that terminals and multiplexers send beside keys. Those of the second list break off in the middle.
FOREIGN = [
    b"\x1b[?64;1;2c\x1b[>41;354;0c\x1bP!|00000000\x1b\\", b"\x1b[0n\x1b[?2026;2$y\x1b[8;24;80t", b"\x1b[12;40R", b"\x1b[1;2R",
    b"\x1b]10;rgb:ffff/ffff/ffff\x07", b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1b]52;c;" + b"U2Fu" * 20000 + b"\x1b\\",
    b"\x1bP1+r544e=787465726d\x1b\\", b"\x1bP>|tmux 3.5\x1b\\", b"\x1b_Gi=31;OK\x1b\\", b"\x1b[I\x1b[O",
    b"\x1bPtmux;\x1b\x1b]11;?\x07\x1b\x1b\\\x1b\\", b"\x1b[<0;200;200M\x1b[<0;200;200m\x1b[<35;3;3M", b"\x1b[32;3;3M\x1b[35;3;3M",
    b"\x1b[M#!!\x1b[MC!!", b"\x1b[?1u\x1b[97;5u\x1b[13;5u\x1b[27;5;13~", b"\x1b[99;5u\x1b[27;5;99~", b"\x1bOP\x1b[15~\x1b[[A\x1b[24;2~",
    b"\x1b\x1b[A\x1b\x1b[B", b"\x1b[" + b"1;" * 50000 + b"A", b"\x1b[?1A\x1b[>2B\x1b[=3~\x1b[ q", b"\x9b?64;1c\x9d11;rgb:0/0/0\x07\x90x\x1b\\",
    b"\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\xc2", b"\x00\x1c\x1d\x1e\x1f\x11\x13", b"\x1b[200~\x03\x04\x07\x1b\x1a\x00\x1b[201~",
]
BROKEN = [b"\x1b[1;5", b"\x1b]11;rgb:ff", b"\x1bP1+r54", b"\x1b_Gi=3", b"\x1b[M!", b"\xe6\x9d", b"\x1b[<0;3", b"\x1b[200~"]


@unittest.skipUnless(os.access(SHARDQ, os.X_OK), "shardq is not built: Scripts/build.sh")
class Foreign(unittest.TestCase):
    """Unchanged bytes on a pseudo-terminal, because tmux would parse them itself."""

    def typed(self, parts, *arguments, index=CITIES):
        """Sends the parts, each a while after the one before, then Enter; returns the list's query, the rest of its
        output, and its status."""
        screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

        def own():
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        process = subprocess.Popen([SHARDQ, "ui", "-i", index, "--print-query", "--format", "tsv", *arguments],
                                   stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=own,
                                   env={"TERM": "xterm-256color", "PATH": os.environ["PATH"]})
        os.close(terminal)
        try:
            self.until(screen, lambda seen: b"\x1b[?2026l" in seen or b"1 of 2,344" in seen or b"1/2,344" in seen)
            for number, (pause, part) in enumerate(parts):
                time.sleep(pause if number else 0)
                self.send(screen, part)
            deadline = time.monotonic() + PATIENCE
            while process.poll() is None and time.monotonic() < deadline:
                self.drain(screen)
            self.assertIsNotNone(process.poll(), "the list does not end by Enter")
            output = process.stdout.read().decode()
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
            os.close(screen)
        first, _, rest = output.partition("\n")
        return first, rest, process.returncode

    def drain(self, screen):
        if select.select([screen], [], [], 0.02)[0]:
            try:
                return os.read(screen, 65536)
            except OSError:
                return b""
        return b""

    def until(self, screen, isThere):
        seen, deadline = b"", time.monotonic() + PATIENCE
        while not isThere(seen):
            self.assertLess(time.monotonic(), deadline, seen)
            seen += self.drain(screen)

    def send(self, screen, part):
        while part:
            done = os.write(screen, part[:1024])
            part = part[done:]
            self.drain(screen)

    def test_types_nothing_and_ends_nothing(self):
        record = query("lond", "-n", "1", "--format", "tsv")
        for options in [[], ["--plain"], ["--height", "8"]]:
            for sent in FOREIGN:
                with self.subTest(options=options, sent=sent[:40]):
                    self.assertEqual(self.typed([(0, b"lo" + sent + b"nd"), (0.2, b"\r")], *options), ("lond", record, 0))

    def test_cut_anywhere(self):
        for sent in [b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1b[?64;1;2c", b"\x1b_Gi=31;OK\x1b\\", b"\x1b[200~ond\x1b[201~"]:
            for cut in range(3, len(sent), 5):
                got = self.typed([(0, b"l" + sent[:cut]), (0.3, sent[cut:]), (0.1, b"x"), (0.2, b"\r")])
                self.assertEqual(got[0], "londx" if b"ond" in sent else "lx", sent[:cut])

    def test_broken_off(self):
        record = query("lond", "-n", "1", "--format", "tsv")
        for sent in BROKEN:
            with self.subTest(sent=sent):
                # The list waits a second for the rest. A busy machine reads late, and then its second begins late.
                self.assertEqual(self.typed([(0, b"lo" + sent), (2.5, b"nd"), (0.2, b"\r")]), ("lond", record, 0))

    def test_escape_alone_ends_it(self):
        self.assertEqual(self.typed([(0, b"lo"), (0.2, b"\x1b")])[2], 130)
        self.assertEqual(self.typed([(0, b"lo"), (0.2, b"\x1b\x1b")])[2], 130)

    def test_damage_of_the_land_is_said_in_the_end(self):
        directory = tempfile.mkdtemp(prefix="shardq-terminal-")
        self.addCleanup(shutil.rmtree, directory)
        index = os.path.join(directory, "damaged")
        shutil.copytree(CITIES, index)
        with open(os.path.join(index, "manifest"), "r+b") as file:
            file.seek(-6, os.SEEK_END)
            byte = file.read(1)[0]
            file.seek(-6, os.SEEK_END)
            file.write(bytes([byte ^ 16]))
        record = query("lond", "-n", "1", "--format", "tsv")
        for options, status in [([], 65), (["--no-map"], 0)]:
            self.assertEqual(self.typed([(0, b"lond"), (0.5, b"\r")], *options, index=index), ("lond", record, status))

    def test_backspace(self):
        for typed, left in [("กรุ", "กร"), ("दि", "द"), ("xe\u0301", "x"), ("x👨‍👩‍👧", "x"), ("x한", "x")]:
            got = self.typed([(0, typed.encode()), (0.2, b"\x7f"), (0.2, b"\r")])
            self.assertEqual(got[0], left)


class Map(TerminalTest):
    def run_map(self, *arguments, locale="C.UTF-8"):
        index = [] if "-i" in arguments else ["-i", CITIES]
        return subprocess.run([SHARDQ, "map", *index, *arguments], stdout=subprocess.PIPE, timeout=PATIENCE,
                              stderr=subprocess.PIPE, check=False, env={**os.environ, "LC_ALL": locale})

    def test_geojson_is_the_query_s(self):
        self.assertEqual(self.run_map("san", "--format", "geojson").stdout.decode(),
                         query("san", "--all", "--format", "geojson"))

    def test_size(self):
        for locale in ["C.UTF-8", "C"]:
            lines = self.run_map("san", locale=locale).stdout.decode().split("\n")[:-1]
            self.assertEqual({len(line) for line in lines}, {80})
            self.assertEqual("".join(lines).isascii(), locale == "C")
            # As high as half a world is wide, without the poles.
            self.assertAlmostEqual(len(lines), 80 * 142 / 360 / 2, delta=1)

    def test_marks_where_it_is(self):
        record = json.loads(query("tokyo", "-n", "1", "--format", "jsonl"))
        lines = self.run_map("tokyo, jp", locale="C").stdout.decode().split("\n")
        [(row, column)] = [(row, line.index("X")) for row, line in enumerate(lines) if "X" in line]
        self.assertAlmostEqual((column + 0.5) * 4.5 - 180, 139.7, delta=2.4)
        self.assertAlmostEqual(84 - (row + 0.5) * 9, 35.7, delta=5.5)
        self.assertIn("okyo", record["name"])

    def test_statuses(self):
        self.assertEqual(self.run_map("zzzzz").returncode, 1)
        self.assertEqual(self.run_map("a", "--format", "x").returncode, 64)
        self.assertEqual(self.run_map("a").returncode, 0)
        self.assertEqual(self.run_map("a", "-i", "/nowhere").returncode, 66)
        with open("/dev/full", "w") as full:
            done = subprocess.run([SHARDQ, "map", "a", "-i", CITIES], stdout=full, stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 74)


if __name__ == "__main__":
    unittest.main()
