"""Tests the first answers of the page without a server, which show before its module runs, in Chromium and in Firefox.

A host on loopback holds the module back. The class of Firefox is skipped where there is none.
"""

import http.server
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Page"))
import firefox  # noqa: E402
import test_visits  # noqa: E402

# Tests/Page has a file of the same name.
specification = importlib.util.spec_from_file_location("static_page", ROOT / "Tests/Wasm/test_page.py")
static_page = importlib.util.module_from_spec(specification)
specification.loader.exec_module(static_page)

BIN = pathlib.Path(os.environ.get("SHARDQ_BIN", ROOT / "bin"))
ROWS = "[...document.querySelectorAll('#sheet > .row:not(.waiting)')].filter(row => row.getClientRects().length)"
LABELS = f"{ROWS}.map(row => row.querySelector('.title').innerText)"


class Held(static_page.Files):
    """Files of which some wait until the test lets them go. `said` are the contents of files in the place of theirs."""

    def do_GET(self):
        name = self.path.split("?")[0]
        if re.search(self.server.held, name):
            self.server.log.append(f"{name} held")
            self.server.free.wait(60)
        if name in self.server.said:
            self.server.log.append(name)
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.server.said[name])))
            self.end_headers()
            self.wfile.write(self.server.said[name])
        else:
            super().do_GET()


class FirstAnswers:
    """The tests in both browsers; `kind` is one of them."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="first-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.site = pathlib.Path(cls.directory, "site")
        subprocess.run([BIN / "shardq", "page", "-i", ROOT / "shards", "-o", cls.site], check=True, timeout=60, capture_output=True)
        cls.browser = cls.kind(pathlib.Path(cls.directory, "profile"))
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        # A port of its own: the browser has nothing of this host in its cache.
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *arguments: Held(*arguments, directory=str(self.site)))
        self.server.handle_error = lambda *_: None
        self.server.log, self.server.wrong, self.server.over = [], ("", None), threading.Event()
        self.server.held, self.server.free, self.server.said = r"\.wasm$", threading.Event(), {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.stop)

    def stop(self):
        self.server.free.set()
        self.server.over.set()
        self.browser.open("about:blank")
        self.server.shutdown()
        self.server.server_close()

    def open(self, link=""):
        self.browser.open(f"http://127.0.0.1:{self.server.server_port}/{link}")
        self.wait("document.readyState === 'complete'")

    def wait(self, expression, seconds=10):
        end = time.monotonic() + seconds
        while not (value := self.browser.evaluate(expression)):
            if time.monotonic() > end:
                self.fail(f"not so within {seconds} s: {expression}: {self.browser.evaluate('document.body.innerText')[:500]}")
            time.sleep(0.02)
        return value

    def labels(self, count=1):
        self.wait(f"{LABELS}.length >= {count}")
        return self.browser.evaluate(LABELS)

    def answers(self, character="s"):
        return json.loads((self.site / f"first-{ord(character):x}.json").read_text())["answers"]

    def first(self, text):
        return [row["display"]["label"] for row in self.answers()[text]["rows"]]

    def complaints(self):
        """The complaints about this test's host."""
        port = str(self.server.server_port)
        return [each for each in map(json.dumps, self.browser.complaints()) if port in each]

    def shows_none(self, text):
        """The page shows no first answer to a text, and answers once the module runs."""
        self.browser.type(text)
        self.wait("!document.querySelector('#busy').hidden")
        time.sleep(0.5)
        self.assertEqual(self.browser.evaluate(LABELS), [])
        self.server.free.set()
        self.wait(f"{LABELS}.length > 8")

    def test_rows_show_before_the_module_runs(self):
        self.open()
        self.wait("document.querySelector('#said').innerText.includes('Results update')")
        self.wait("/\\d records/.test(document.querySelector('#total').innerText)")
        for character, text in (("S", "s"), ("a", "sa"), ("n", "san")):
            self.browser.type(character)
            self.wait(f"{LABELS}[0] === {json.dumps(self.first(text)[0])}")
            self.assertEqual(self.labels()[:8], self.first(text))
        # The opening comes while the module does.
        self.assertGreaterEqual(self.server.log.count("/index/manifest"), 2)
        self.assertEqual(self.server.log.count("/first-73.json"), 1)
        self.assertFalse(self.server.free.is_set())
        shown = f"{ROWS}.slice(0, 8).map(row => row.innerText)"
        before = self.browser.evaluate(shown)
        self.server.free.set()
        self.wait(f"{LABELS}.length > 8")
        # The files have all fields that the page shows in a row.
        self.assertEqual(self.browser.evaluate(shown), before)
        self.assertEqual(self.labels()[:8], self.first("san"))
        self.assertEqual(self.complaints(), [])

    def test_the_beginning_has_the_best_rows_before_the_module_runs(self):
        self.open()
        said = json.loads(self.browser.evaluate("document.documentElement.dataset.first"))
        labels = [row["display"]["label"] for row in said["top"]["rows"]]
        self.assertEqual((len(labels), said["top"]["sort"]), (12, "rank"))
        self.assertLess(len(json.dumps(said["top"])), 10_000)
        top = "[...document.querySelectorAll('#top .title')].map(node => node.textContent)"
        self.wait(f"{top}.length === 12")
        self.assertEqual(self.browser.evaluate(top), labels)
        self.assertEqual([name for name in self.server.log if "first-" in name or name.endswith(".zst")], [])
        # They stay when the module runs, and a click leads to the record.
        self.browser.evaluate("document.querySelectorAll('#top a')[3].click()")
        self.server.free.set()
        self.wait(f"document.querySelector('#chosen').textContent === {json.dumps(labels[3])}")
        self.wait("document.querySelectorAll('#fields dt').length > 3")
        self.assertEqual(self.browser.evaluate(top), labels)
        self.assertEqual(self.complaints(), [])

    def test_a_beginning_of_another_index_is_not_shown(self):
        self.server.said["/index/manifest"] = bytes(70_000)
        self.open()
        time.sleep(0.5)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#top a').length"), 0)

    def test_a_link_with_a_text(self):
        self.open("#q=sa")
        self.assertEqual(self.labels()[:8], self.first("sa"))
        self.wait("/\\d records/.test(document.querySelector('#total').innerText)")
        self.assertFalse(self.server.free.is_set())

    def test_a_chosen_row_waits_for_its_record(self):
        self.open("#q=san")
        self.labels()
        self.browser.evaluate("document.querySelector('#sheet > .row').click()")
        time.sleep(0.3)
        self.assertTrue(self.browser.evaluate("document.querySelector('#card').hidden"))
        self.server.free.set()
        self.wait("!document.querySelector('#card').hidden && document.querySelectorAll('#fields dt').length > 3")
        # The highlight stays at its row.
        self.wait(f"{LABELS}.length > 8 && document.querySelector('#sheet > [aria-selected=true]')?.id === 'match-0'")

    def test_another_index_has_no_first_answers(self):
        for name in ("index", "kept"):
            self.assertTrue(name == "index" or not (self.site / name).exists())
        other = pathlib.Path(self.directory, "other")
        lines = "".join(f'{{"name":"Sanna {n}"}}\n' for n in range(300))
        subprocess.run(
            [BIN / "shardq", "build", "-", "--input-format", "jsonl", "--key", "{name}", "-i", other, "-q"],
            input=lines, text=True, check=True, timeout=60, capture_output=True)
        (self.site / "index").rename(self.site / "kept")
        self.addCleanup((self.site / "kept").rename, self.site / "index")
        self.addCleanup(shutil.rmtree, self.site / "index")
        other.rename(self.site / "index")
        self.open()
        self.shows_none("sa")
        self.assertTrue(all("Sanna" in label for label in self.labels()))

    def test_texts_of_files_are_no_markup(self):
        file = json.loads((self.site / "first-73.json").read_text())
        row = file["answers"]["s"]["rows"][0]
        row["display"]["label"] = "<img src=x><b>bold</b>"
        row["record"]["country"] = "<img src=y>"
        self.server.said["/first-73.json"] = json.dumps(file).encode()
        self.open("#q=s")
        self.assertEqual(self.labels()[0], "<img src=x><b>bold</b>")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#sheet img, #sheet b').length"), 0)
        self.assertEqual(self.complaints(), [])

    def test_wrong_files_are_not_shown(self):
        answers = self.answers()
        mark = json.loads((self.site / "first-73.json").read_text())["mark"]

        def with_row(**changes):
            row = json.loads(json.dumps(answers["s"]["rows"][0]))
            for member, value in changes.items():
                (row if member == "record" else row["display"])[member] = value
            return {**answers, "s": {**answers["s"], "rows": [row]}}

        files = {
            "no JSON": b"<!doctype html>",
            "another index": json.dumps({"mark": "00" + mark[2:], "answers": answers}),
            "no answers": json.dumps({"mark": mark, "answers": None}),
            "a label that is a list": json.dumps({"mark": mark, "answers": with_row(label=["a"])}),
            "ranges that are a text": json.dumps({"mark": mark, "answers": with_row(match="ab")}),
            "a range of three numbers": json.dumps({"mark": mark, "answers": with_row(match=[[0, 1, 2]])}),
            "a record that is a text": json.dumps({"mark": mark, "answers": with_row(record="a")}),
            "a field that is an object": json.dumps({"mark": mark, "answers": with_row(record={"a": {}})}),
            "a number of matches below that of rows": json.dumps({"mark": mark, "answers": {**answers, "s": {**answers["s"], "total": 1}}}),
            "a large file": json.dumps({"mark": mark, "answers": answers, "more": "x" * 300_000}),
        }
        for name, data in files.items():
            with self.subTest(name):
                self.setUp()
                self.server.said["/first-73.json"] = data if isinstance(data, bytes) else data.encode()
                self.open()
                self.shows_none("s")

    def test_hosts_that_do_wrong(self):
        """A missing file, a file that does not come, a mark that does not come: the module answers."""
        for pattern, wrong in (("first-", "missing"), ("first-", "silent"), ("manifest$", "missing")):
            with self.subTest(wrong):
                self.setUp()
                self.server.wrong = (pattern, wrong)
                self.open()
                self.browser.type("sa")
                time.sleep(0.5)
                self.assertEqual(self.browser.evaluate(LABELS), [])
                self.server.wrong = (pattern, wrong if pattern == "first-" else None)
                self.server.free.set()
                self.wait(f"{LABELS}.length > 8", 20)

    def test_a_host_that_names_no_type(self):
        """The browser compiles no stream without the type, so the module is compiled when it is there."""
        self.server.said["/shardq.wasm"] = (self.site / "shardq.wasm").read_bytes()
        self.server.free.set()
        self.open("#q=lodnon")
        self.labels()
        self.assertEqual(self.complaints(), [])

    def test_an_archive(self):
        below = self.site / "below"
        subprocess.run(
            [BIN / "shardq", "page", "-i", ROOT / "shards", "-o", below, "--archive"], check=True, timeout=60, capture_output=True)
        self.addCleanup(shutil.rmtree, below)
        self.open("below/#q=sa")
        self.assertEqual(self.labels()[:8], self.first("sa"))
        self.assertFalse(self.server.free.is_set())

    def test_a_host_without_ranges(self):
        self.server.wrong = ("manifest$", "whole")
        self.open("#q=sa")
        self.assertEqual(self.labels()[:8], self.first("sa"))
        self.assertFalse(self.server.free.is_set())


class InChromium(FirstAnswers, unittest.TestCase):
    kind = test_visits.Chromium

    def test_the_module_gives_the_same_rows(self):
        self.server.free.set()
        self.open()
        for character in "sqé":
            path = self.site / f"first-{ord(character):x}.json"
            if not path.exists():
                continue
            answers = self.answers(character)
            self.browser.evaluate(f"void (globalThis.wanted = {json.dumps(list(answers))})")
            found = self.browser.tab.evaluate("""(async () => {
                const index = await (await import('./shardq.js')).open(new URL('index/', location.href))
                const all = {}
                for (const text of wanted) {
                    const { display, total, totalIsExact, sort } = await index.search(text, { limit: 20, display: true })
                    all[text] = { display: display.slice(0, 8), total, totalIsExact, sort }
                }
                return all
            })()""", awaits=True)
            for text, answer in answers.items():
                rows = [row["display"] for row in answer["rows"]]
                self.assertEqual(found[text], {
                    "display": rows, **{name: answer[name] for name in ("total", "totalIsExact", "sort")}}, text)


@unittest.skipUnless(firefox.executable(), "there is no Firefox")
class InFirefox(FirstAnswers, unittest.TestCase):
    kind = firefox.Firefox


if __name__ == "__main__":
    unittest.main()
