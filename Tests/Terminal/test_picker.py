"""Tests shardq ui for users of fzf, in tmux: Tests/side_by_side.py Tests/Terminal"""

import json
import os
import re
import shutil
import subprocess
import time
import unittest

from test_terminal import CITIES, SHARDQ, TerminalTest


class PickerTest(TerminalTest):
    """Screens of a list of products, which are no places."""

    def screen(self, *size, **environment):
        screen = super().screen(*size, **environment)
        # Short commands, so that a prompt and a command fit on one line.
        screen.run(f"cd {screen.directory}; clear")
        screen.wait(lambda text: text.rstrip() == "$")
        return screen

    def build(self, screen, name, records, *options):
        path = screen.write(name + ".jsonl", "".join(json.dumps(record) + "\n" for record in records))
        subprocess.run([SHARDQ, "build", path, "-i", os.path.join(screen.directory, name), *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def products(self, *size, options="", count=100, **environment):
        """A list of products that fills the window."""
        screen = self.screen(*size, **environment)
        self.build(screen, "p", [
            {"title": f"Kettle {number:03}", "price": number, "notes": "", "text": "long words " * 20 + "end",
             **{f"field{each:02}": each for each in range(25)}} for number in range(count)], "--key", "{title}")
        screen.run(f"shardq ui -i p {options}; echo status $?")
        screen.wait(lambda text: f"1/{count:,} of {count:,}" in text or f"1 of {count}" in text)
        return screen


class Preview(PickerTest):
    def test_the_record_of_a_list_that_is_no_place(self):
        screen = self.products(80, 24)
        first = screen.shows("title Kettle 000").split("\n")
        # Empty fields take no line, long ones are cut, and a sign says that there are more.
        self.assertNotIn("notes", "".join(first))
        self.assertIn("long words long words long wo", "".join(first))
        self.assertNotIn("end", "".join(first))
        self.assertIn(" 1/28", first[1])
        screen.keys("Down")
        screen.shows("title Kettle 001")
        screen.type("\x1b[1;2B\x1b[1;2B")
        screen.wait(lambda text: " 3/28" in text and "title Kettle" not in text)
        # Another record is shown from its beginning.
        screen.keys("Down")
        screen.wait(lambda text: " 1/28" in text and "title Kettle 002" in text)
        screen.type("\x1bw")
        screen.shows(" 1/34")
        self.assertIn("end", screen.text())
        screen.keys("Tab")
        screen.wait(lambda text: "title Kettle" not in text)
        screen.keys("Tab")
        screen.shows("title Kettle 002")

    def test_its_place_and_size(self):
        for value, isThere in [
            ("left,30", lambda lines: lines[1].startswith("title Kettle") and lines[1][31:].startswith("  1/100")),
            ("right:50%", lambda lines: lines[1][40:].startswith("title")),
            ("down,5", lambda lines: lines[19].startswith("title") and set(lines[18].strip()) == {"─"}),
            ("up,5,wrap", lambda lines: lines[2].startswith("title") and lines[8].startswith("> Kettle")),
            ("hidden", lambda lines: "title" not in "".join(lines)),
        ]:
            screen = self.products(80, 24, options=f"--preview-window {value}")
            screen.wait(lambda text: isThere(text.split("\n")))
            screen.close()
        for value in ["x", "0", "101%", "right,99x"]:
            done = subprocess.run([SHARDQ, "ui", "-i", CITIES, "--preview-window", value], capture_output=True, text=True)
            self.assertEqual(done.returncode, 64)
            self.assertIn("for '--preview-window ", done.stderr)
            self.assertIn("choose right, left, up, down", done.stderr)

    def test_nothing_of_a_record_commands_the_terminal(self):
        screen = self.screen(80, 24)
        hostile = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e<script>&amp;\x00\r\nnext"
        self.build(screen, "h", [{"name": "a" + hostile, "b" + hostile: hostile * 40},
                                 {"name": "b", "text": "x" * 10_000_000}], "--key", "{name}")
        screen.run("shardq ui -i h --preview-window wrap")
        text = screen.shows("1/2 of 2")
        self.assertIn("\\u001b[2J", text)
        self.assertEqual(screen.tmux("display-message", "-p", "#{pane_title}").count("title"), 0)
        screen.keys("Down")
        screen.shows("text xxxxx")
        screen.type("\x1b[6;2~" * 3)
        screen.shows(" 67/1930")
        for size in [(1, 24), (2, 2), (5, 3), (80, 1), (80, 24)]:
            screen.tmux("resize-window", "-x", str(size[0]), "-y", str(size[1]))
            screen.wait(lambda text: text.startswith(">"))
        screen.keys("C-u", "Escape")
        screen.wait(lambda text: text.rstrip().endswith("$"))


class Information(PickerTest):
    def test_position_and_scrollbar(self):
        screen = self.products(80, 12, options="--preview-window hidden")
        bar = lambda text: [number for number, line in enumerate(text.split("\n")) if line[79:80] == "│"]
        screen.wait(lambda text: bar(text) == [2])
        screen.type("\x1b[1;5F")
        screen.shows("100/100 of 100")
        screen.wait(lambda text: bar(text) == [11])
        screen.type("kettle 00")
        screen.shows("1/10 of 100")
        screen.wait(lambda text: not bar(text))

    def test_costs_only_when_wanted(self):
        screen = self.products(80, 24)
        self.assertNotIn("shard", screen.text().split("\n")[1])
        screen.keys("C-_")
        screen.wait(lambda text: re.search(r"1/100 of 100 · [\d.]+ [µm]s · \d of \d shards?", text))
        screen.keys("C-_")
        screen.wait(lambda text: "shard" not in text.split("\n")[1])

    def test_a_correction_and_a_reading_are_said(self):
        screen = self.screen(80, 24)
        records = [{"name": name, "w": 5, "country": "GB"} for name in ["London", "Paris", "Rome", "Berlin", "Madrid"]]
        names = screen.write("names", "GB\tGreat Britain\n")
        self.build(screen, "r", records, "--key", "{name}", "--weight", "w", "--typos", "--filter", "country", "--names",
                   f"country={names}")
        screen.run("shardq ui -i r --preview-window hidden -q lodnon")
        screen.shows('1/1 of 5 · results for "London"')
        screen.keys("C-u")
        screen.type("london great britain")
        screen.shows('1/1 of 5 · results for "london" with country=GB')


class MapOfAList(PickerTest):
    def test_it_fits_the_records_and_the_matches(self):
        screen = self.screen(100, 30)
        towns = [("Sapporo", 43.06, 141.35), ("Tokyo", 35.68, 139.69), ("Osaka", 34.69, 135.5), ("Naha", 26.2, 127.7)]
        self.build(screen, "j", [{"name": name, "lat": lat, "lon": lon} for name, lat, lon in towns], "--key", "{name}")
        screen.run("shardq ui -i j")
        # From the south west to the north east, the map has dots at both ends.
        dots = lambda text: [(row, column) for row, line in enumerate(text.split("\n"))
                             for column, sign in enumerate(line) if column > 54 and ("⠀" < sign <= "⣿" or sign == "X")]
        screen.wait(lambda text: len(dots(text)) == 4 and max(dots(text))[0] - min(dots(text))[0] > 8)
        whole = screen.text()
        screen.type("o")
        screen.shows("1/1 of 4")
        screen.type("\x1bm")
        screen.shows(" matches")
        screen.type("\x1bm")
        screen.shows(" world")
        screen.keys("BSpace")
        screen.type("\x1bm")
        screen.wait(lambda text: text == whole)


class Keys(PickerTest):
    def printed(self, screen, status=0):
        screen.shows(f"status {status}\n")
        with open(os.path.join(screen.directory, "out"), newline="") as file:
            return file.read()

    def test_several_records(self):
        screen = self.products(80, 24, options="-m --fields title > out")
        screen.keys("Down", "Tab", "Tab")
        screen.shows("4/100 of 100 (2 selected)")
        self.assertIn("\n *Kettle 001", screen.text())
        screen.keys("BTab", "BTab")
        screen.shows("(2 selected)")
        screen.type("kettle 09")
        screen.shows("1/10 of 100 (2 selected)")
        screen.type("\x1ba")
        screen.shows("(12 selected)")
        screen.keys("Enter")
        self.assertEqual(self.printed(screen).split(), [word for number in [1, 3] + list(range(90, 100))
                                                        for word in ["Kettle", f"{number:03}"]])
        # A choice of too many records is refused as a whole.
        screen = self.products(80, 24, options="-m > out", count=1001)
        screen.type("\x1ba")
        screen.shows("no more than 1,000 records can be selected")
        screen.keys("Down")
        screen.shows("2/1001 of 1001".replace("1001", "1,001"))

    def test_bindings(self):
        screen = self.products(80, 24, options="--bind 'ctrl-k:up,X:change-query(kettle 05)+down,f2:print-query' > out")
        screen.keys("Down", "Down", "C-k")
        screen.shows("2/100 of 100")
        screen.keys("X")
        screen.shows("2/10 of 100")
        screen.keys("F2")
        self.assertEqual(self.printed(screen), "kettle 05\n")
        for options, message in [
            ("--bind ctrl-k:upp", "--bind: there is no action upp; did you mean up?"),
            ("--bind 'a:execute(rm x)'", "--bind: execute would run a command"),
            ("--bind ctrl-kk:up", "--bind: there is no key ctrl-kk"), ("--expect nope", "--expect: there is no key nope"),
            ("--color hl:rde", "there is no colour rde"), ("--border=x", "--border: there is no x; choose none, rounded, sharp"),
            ("--history ''", "--history is empty"), ("--history /", "is no regular file"),
            ("--history-size 0", "--history-size must be from 1 to 1000"),
            ("--print-key --json", "--print-key prints no fields"), ("--filter x", "write a field and a value, such as country=FR"),
            ("--preview cat", "--preview-window sets its place"),
        ]:
            done = subprocess.run(f"{SHARDQ} ui -i {CITIES} {options}", shell=True, capture_output=True, text=True)
            self.assertIn(done.returncode, (64, 66), done.stderr)
            self.assertIn(message, done.stderr)

    def test_keys_that_end_the_list_and_are_named(self):
        for key, line in [("C-o", "ctrl-o"), ("F1", "f1"), ("Enter", "")]:
            screen = self.products(80, 24, options="--expect ctrl-o,f1 --print-query --print-key > out")
            screen.type("kettle 01")
            screen.shows("1/10 of")
            screen.keys(key)
            self.assertEqual(self.printed(screen), f"kettle 01\n{line}\nKettle 010\n")
            screen.close()

    def test_the_only_match_and_none(self):
        for options, output, status in [
            ("-1 -q reykj --print-key", "Reykjavík, IS\n", 0), ("--select-1 -q reykj --print-key --print0", "Reykjavík, IS\0", 0),
            ("--exit-0 -q zzzz --print-query", "zzzz\n", 1), ("-1 -q lon", "", 64), ("--exit-0 -q lon", "", 64),
        ]:
            done = subprocess.run([SHARDQ, "ui", "-i", CITIES, *options.split()], stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, start_new_session=True)
            # Several matches need a terminal.
            self.assertEqual((done.stdout, done.returncode), (output, status), options)

    def test_nothing_matches(self):
        screen = self.products(80, 24, options="--print-query --expect ctrl-o > out")
        screen.type("none")
        screen.shows("no key begins with this text")
        screen.keys("Enter")
        # As fzf does it: the text is not lost, and the status says that nothing matched.
        self.assertEqual(self.printed(screen, 1), "none\n\n")

    def test_history(self):
        screen = self.products(80, 24, options="--history past > out")
        screen.type("kettle 01")
        screen.shows("1/10 of")
        screen.keys("Enter")
        screen.shows("status 0")
        screen.run("clear; shardq ui -i p --history past; echo status $?")
        screen.shows("1/100 of 100")
        screen.type("kettle 077")
        screen.keys("C-p")
        screen.shows("> kettle 01 ".rstrip())
        screen.shows("1/10 of 100")
        screen.keys("C-n")
        screen.shows("> kettle 077")
        screen.keys("Escape")
        screen.shows("status 130")
        with open(os.path.join(screen.directory, "past")) as file:
            self.assertEqual(file.read(), "kettle 01\n")

    def test_help(self):
        screen = self.products(80, 24, options="--bind f5:toggle-preview")
        screen.keys("F1")
        screen.shows("ctrl-c, ctrl-g         leave without a record")
        self.assertNotIn("title", screen.text())
        screen.type("\x1b[1;5F")
        screen.shows("f5")
        screen.keys("F1")
        screen.shows("title Kettle 000")
        screen.keys("F1")
        screen.shows("leave without a record")
        # A letter closes it and is typed.
        screen.type("k")
        screen.query("k")
        screen.shows("title Kettle 000")

    def test_lines_for_screen_readers_have_it_all(self):
        screen = self.products(80, 24, options="--plain -m --header 'Pick one' --fields title > out")
        screen.keys("Tab", "Down", "F1")
        screen.shows("select or unselect the record")
        screen.keys("BTab", "Enter")
        self.assertEqual(self.printed(screen), "Kettle 000\nKettle 002\n")


class Colours(PickerTest):
    def test_prompt_header_and_border(self):
        for options, isRight in [
            ("--prompt 'p: '", lambda lines: lines[0].startswith("p:")),
            ("--header 'one\ntwo'", lambda lines: lines[2].startswith("  one") and lines[3].startswith("  two")),
            ("--border", lambda lines: lines[0] == "╭" + "─" * 78 + "╮" and lines[1].startswith("│ >")),
            ("--border=sharp", lambda lines: lines[0] == "┌" + "─" * 78 + "┐" and lines[1].endswith(" │")),
        ]:
            screen = self.products(80, 24, options="$(printf '%s' x >/dev/null) " + options.replace("\n", "'$'\\n''"))
            screen.wait(lambda text: isRight(text.split("\n")))
            screen.close()

    def test_hostile_words_and_small_windows(self):
        hostile = "$'\\e[31m\\e]0;title\\a\\x7f<b>'"
        screen = self.products(80, 24, options=f"--border --prompt {hostile} --header {hostile} --stats")
        self.assertIn("\\u001b[31m", screen.text())
        for size in [(1, 24), (1, 1), (2, 2), (5, 3), (20, 5), (20, 8), (60, 8), (80, 24)]:
            screen.tmux("resize-window", "-x", str(size[0]), "-y", str(size[1]))
            time.sleep(0.1)
            self.assertLessEqual(max(map(len, screen.lines())), size[0])
        screen.shows("1/100 of 100")

    def test_a_border_below_the_cursor(self):
        screen = self.screen(80, 24)
        screen.run("echo above; shardq ui --border --height 10; echo status $?")
        screen.shows("of 2,344")
        screen.type("lon")
        screen.shows("│ > lon")
        for columns in [50, 30, 80]:
            screen.tmux("resize-window", "-x", str(columns))
            screen.wait(lambda text: f"╭{'─' * (columns - 2)}╮\n│ > lon" in text and text.count("╭") == 1)
        self.assertIn("above", screen.text("-S", "-"))
        screen.keys("Escape")
        screen.wait(lambda text: "╭" not in text and "status 130" in text)
        self.assertEqual(screen.state(), "0 0 1 1")

    def test_colours_of_parts(self):
        options = "--color hl:red:bold,pointer:#ff8000,bg+:236,fg+:-1,marker:5,prompt:bright-green,gutter:3"
        screen = self.products(80, 24, options=options + " -q kettle -m --bind start:up".replace(" --bind start:up", ""))
        screen.keys("Tab")
        screen.shows("(1 selected)")
        text = screen.text("-e")
        for part in ["\x1b[38;2;255;128;0m", "48;5;236m", "\x1b[1m\x1b[31mKettle", "\x1b[92m> "]:
            self.assertIn(part, text)
        screen = self.products(80, 24, options=options, NO_COLOR="1")
        self.assertIsNone(re.search(r"\x1b\[[0-9;]*\b(3[0-7]|9[0-7]|38|48|4[0-7])[;m]", screen.text("-e")))


class Shells(PickerTest):
    def test_a_key_inserts_names(self):
        quoted = {"bash": "San\\ José\\,\\ CR San\\ José\\,\\ GT", "zsh": "San\\ José,\\ CR San\\ José,\\ GT",
                  "fish": "'San José, CR' 'San José, GT'"}
        for shell, options, key, load in [
            ("bash", "--norc", "C-t", 'eval "$(shardq ui --bash)"'), ("zsh", "-f", "C-t", "source <(shardq ui --zsh)"),
            ("fish", "--no-config", "C-t", "shardq ui --fish | source"),
            ("bash", "--norc", "M-t", 'eval "$(shardq ui --bash --shell-key alt-t)"'),
        ]:
            if not shutil.which(shell):
                continue
            with self.subTest(load):
                screen = self.screen(80, 24, SHARDQ_UI_OPTS="--height 8 --prompt 'p> '")
                screen.run(f"PS1='{shell}> ' exec {shell} {options}")
                screen.wait(lambda text: text.rstrip().split("\n")[-1].endswith(("> ", ">", "#")))
                screen.run(load + "; echo loaded")
                screen.shows("\nloaded")
                screen.type("echo <>")
                screen.keys("Left")
                screen.keys(key)
                screen.shows("p>")
                screen.type("san jos")
                screen.shows("1/9 of 2,344")
                screen.keys("Tab", "Tab", "Enter")
                screen.shows("echo <" + quoted[shell] + " >")
                # Left without a choice, the line stays.
                screen.keys(key)
                screen.shows("p>")
                screen.keys("Escape")
                screen.wait(lambda text: "p>" not in text and "echo <" + quoted[shell] + " >" in text)
                screen.close()

    def test_bad_keys_of_shells(self):
        for options, message in [("--bash --shell-key f1", "shells bind ctrl-a to ctrl-z"),
                                 ("--shell-key ctrl-t", "--shell-key goes with --bash"),
                                 ("--tmux sideways", "--tmux: there is no sideways; choose center, top"),
                                 ("--tmux center,0%", "--tmux: there is no 0%")]:
            done = subprocess.run([SHARDQ, "ui", *options.split()], capture_output=True, text=True)
            self.assertEqual(done.returncode, 64, options)
            self.assertIn(message, done.stderr)

    def test_a_popup_of_tmux(self):
        # Popups are drawn on a client, which is a tmux in this one.
        screen = self.screen(100, 30)
        socket = os.path.join(screen.directory, "inner")
        self.addCleanup(subprocess.run, ["tmux", "-S", socket, "kill-server"], stderr=subprocess.DEVNULL)
        screen.run(f"tmux -u -S {socket} -f conf new-session 'bash --norc --noprofile'; clear")
        screen.wait(lambda text: text.rstrip() in ("$", "bash-5.2$", "bash-5.2#"))
        for command, wanted in [
            ("shardq ui --tmux --print-key", "┌─"), ("shardq ui --tmux bottom,40% --print-key", "┌─"),
            ("SHARDQ_UI_OPTS='--tmux center,80%' shardq ui --print-key", "┌─"),
        ]:
            screen.run("clear; " + command + " > out; echo status $?")
            text = screen.shows("1/2,344 of 2,344")
            self.assertIn(wanted, text)
            screen.type("reykj")
            screen.shows("1/1 of 2,344")
            screen.keys("Enter")
            screen.shows("status 0")
            with open(os.path.join(screen.directory, "out")) as file:
                self.assertEqual(file.read(), "Reykjavík, IS\n")
        # Errors and statuses come from the popup, and nothing is left of it.
        screen.run("clear; shardq ui --tmux -i /nowhere; echo status $?")
        self.assertIn("/nowhere", screen.shows("status 66"))
        screen.run("clear; shardq ui --tmux; echo status $?")
        screen.shows("1/2,344 of 2,344")
        screen.keys("Escape")
        screen.shows("status 130")
        screen.run("clear; ls -d ${TMPDIR:-/tmp}/shardq-popup.*; echo over")
        self.assertIn("No such file", screen.shows("\nover"))
        # Outside tmux the list is drawn as usual.
        screen.run("clear; TMUX= shardq ui --tmux; echo status $?")
        screen.wait(lambda text: text.startswith(">") and "1/2,344 of" in text)


if __name__ == "__main__":
    unittest.main()
