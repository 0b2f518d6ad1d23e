"""Tests the folder of `shardq page` in Chromium, from a host of files on loopback."""

import glob
import gzip
import http.server
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
sys.path.insert(0, str(ROOT / "Tests" / "Page"))
import browser  # noqa: E402


IS_LONG = os.environ.get("SHARDQ_LONG") == "1"


def axe():
    """The text of axe-core, an accessibility checker, if there is one; Scripts/dependencies.sh --tests gets it."""
    places = [os.environ.get("AXE", ""), *glob.glob(str(ROOT / ".build/axe/**/axe.min.js"), recursive=True)]
    return next((pathlib.Path(place).read_text() for place in places if place and os.path.exists(place)), None)


class Files(http.server.SimpleHTTPRequestHandler):
    """Files by ranges. `wrong` has the faults of the answers for some names."""

    def do_GET(self):
        name = self.path.split("?")[0]
        self.server.log.append(name)
        pattern, wrong = self.server.wrong
        wrong = wrong if re.search(pattern, name) else None
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        path = pathlib.Path(self.translate_path(self.path))
        if wrong == "missing":
            return self.send_error(404)
        if wrong == "silent":
            self.server.over.wait(60)
            return
        if not wanted or not path.is_file():
            return super().do_GET()
        data = path.read_bytes()
        start, end = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
        if wrong == "whole":
            start, end = 0, len(data)
        headers = {"Content-Length": end - start}
        if wrong != "whole":
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        body = bytearray(data[start:end])
        if wrong == "flipped":
            body[100] ^= 1
        if wrong == "gzip":
            body = gzip.compress(bytes(body))
            headers.update({"Content-Length": len(body), "Content-Encoding": "gzip"})
        if wrong == "short":
            body = body[: len(body) // 2]
            headers["Content-Length"] = len(body)
        if wrong == "cut":
            body = body[: len(body) // 2]
        self.send_response(200 if wrong == "whole" else 206)
        for header, value in headers.items():
            self.send_header(header, str(value))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = wrong == "cut"

    def log_message(self, *_):
        pass


class StaticPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        site = f"{cls.directory.name}/site"
        cls.program = pathlib.Path(os.environ.get("SHARDQ_BIN", ROOT / "bin")) / "shardq"
        subprocess.run([cls.program, "page", "-i", ROOT / "shards", "-o", site], check=True, timeout=60, capture_output=True)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Files(*a, directory=site))
        cls.server.handle_error = lambda *_: None  # A browser may end connections at any time.
        cls.server.log, cls.server.wrong, cls.server.over = [], ("", None), threading.Event()
        cls.addClassCleanup(cls.server.over.set)
        cls.site = pathlib.Path(site)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, link=""):
        self.server.log.clear()
        self.tab = browser.Tab(self.browser)
        self.addCleanup(self.tab.close)
        self.tab.open(f"http://127.0.0.1:{self.server.server_port}/{link}")
        self.tab.wait("document.querySelector('#matches')?.innerText.length > 0 || !document.querySelector('#notice').hidden")

    def type(self, text):
        self.tab.evaluate("document.querySelector('#query').focus()")
        for character in text:
            self.tab.type(character)

    def sees(self, text):
        self.tab.wait(f"document.body.innerText.includes({json.dumps(text)})")

    def complaints(self):
        kinds = ("Log.entryAdded", "Runtime.exceptionThrown")
        return [json.dumps(event) for event in self.tab.events if event["method"] in kinds]

    def test_typing_corrects_marks_and_chooses(self):
        self.open()
        self.type("lodnon")
        self.sees("showing results for “London”")
        self.sees("East London, ZA")
        marked = self.tab.evaluate("document.querySelector('#matches mark, #matches b')?.textContent")
        self.assertEqual(marked, "London")
        self.tab.press("ArrowDown")
        self.tab.press("Enter")
        self.sees("8908000")
        self.assertEqual(self.complaints(), [])
        link = self.tab.evaluate("location.hash || location.search")
        self.assertIn("lodnon", link)
        self.open(link)
        self.sees("8908000")

    def test_matches_with_more_errors_come_behind_the_others(self):
        self.open()
        self.tab.evaluate("""(() => {
          window.seen = []
          new MutationObserver(() => {
            const rows = [...document.querySelectorAll('#matches .row')], size = rows[0]?.ariaSetSize
            if (seen.at(-1)?.size === size && seen.at(-1).text === query.value) return
            if (rows.length) seen.push({ size, text: query.value, node: rows[0], labels: rows.map(row => row.innerText) })
          }).observe(document.querySelector('#matches'), { subtree: true, childList: true, attributes: true })
        })()""")
        self.type("lodnon")
        self.tab.wait("seen.at(-1)?.text === 'lodnon' && seen.at(-1).size === '4'")
        self.sees("4 matches")
        first, last = json.loads(self.tab.evaluate(
            "JSON.stringify(seen.filter(({ text }) => text === 'lodnon').slice(-2))"))
        self.assertEqual((first["size"], last["size"]), ("3", "4"))
        self.assertEqual(first["labels"], last["labels"][:3])
        self.assertTrue(self.tab.evaluate("seen.at(-1).node === seen.at(-2).node && seen.at(-1).node.id === 'match-0'"))
        self.assertEqual(self.complaints(), [])

    def test_a_host_that_does_not_answer(self):
        """The page says so after 10 s, and answers when the host answers."""
        self.server.wrong = ("manifest", "silent")
        self.addCleanup(setattr, self.server, "wrong", ("", None))
        begin = time.monotonic()
        self.tab = browser.Tab(self.browser)
        self.addCleanup(self.tab.close)
        self.server.log.clear()
        self.tab.open(f"http://127.0.0.1:{self.server.server_port}/")
        self.tab.wait("!document.querySelector('#notice').hidden", timeout=20)
        self.assertTrue(9 < time.monotonic() - begin < 20)
        self.server.wrong = ("", None)
        self.tab.wait("document.querySelector('#notice').hidden")
        self.type("lond")
        self.sees("East London, ZA")
        self.assertGreater(self.server.log.count("/index/manifest"), 1)

    def test_an_archive_in_a_folder_below(self):
        made = subprocess.run(
            [self.program, "page", "-i", ROOT / "shards", "-o", self.site / "below", "--archive"], capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.open("below/")
        self.type("lodnon")
        self.sees("East London, ZA")
        self.assertEqual(self.complaints(), [])
        asked = {name for name in self.server.log if "index" in name}
        self.assertEqual(asked, {"/below/index.shardq"})

    def test_the_form_of_the_examples(self):
        shutil.copytree(ROOT / "Examples/form", self.site / "form")
        made = subprocess.run([self.program, "page", "-i", ROOT / "shards", "-o", self.site / "form/site"],
                              capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.tab = browser.Tab(self.browser)
        self.addCleanup(self.tab.close)
        self.tab.open(f"http://127.0.0.1:{self.server.server_port}/form/")
        self.tab.click("input")
        self.tab.type("lodnon")
        self.tab.wait("document.querySelector('option')?.value === 'London, GB'")
        self.tab.press("Tab")
        self.tab.press("ArrowDown")
        self.assertEqual(self.tab.evaluate("new FormData(document.forms[0]).get('city')"), "London, GB")
        self.assertEqual([each for each in self.complaints() if "favicon" not in each], [])

    def test_requests(self):
        self.open()
        time.sleep(0.5)
        # Once the beginning, and once the bytes that tell this index from others.
        self.assertEqual(self.server.log.count("/index/manifest"), 2)
        self.assertEqual(len(set(self.server.log)), len(self.server.log) - 1, "a file came twice")
        # The page asks for no record before the first letter. The manifest of the entries comes with the opening.
        self.assertEqual([name for name in self.server.log if re.search(r"/first-|/(?!entries)[^/]*\.zst$", name)], [])
        policy = self.tab.evaluate("document.querySelector('meta[http-equiv]').content")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("'unsafe-", policy)

    def test_letters_of_the_last_sessions_come_ahead(self):
        self.open()
        self.tab.call("Network.setCacheDisabled", cacheDisabled=True)
        self.type("reykj")
        self.sees("Reykjavík")
        time.sleep(0.2)
        wanted = {name for name in self.server.log if name.endswith(".zst")}

        def visited():
            self.server.log.clear()
            self.tab.open(f"http://127.0.0.1:{self.server.server_port}/?")
            self.tab.wait("document.querySelector('#matches')?.innerText.length > 0")
            for _ in range(50):
                if wanted <= set(self.server.log):
                    break
                time.sleep(0.02)
            return {name for name in self.server.log if name.endswith(".zst")}

        ahead = visited()
        self.assertTrue(any("/pa-" in name for name in ahead), (ahead, wanted))
        self.assertEqual(len(set(self.server.log)), len(self.server.log) - 1, "a file but the manifest came twice")
        self.tab.call("Page.addScriptToEvaluateOnNewDocument", source=
                      "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
        self.assertLess(len(visited()), len(ahead))

    def test_the_map_has_dots(self):
        self.open()
        self.tab.wait("map.levels !== null && map.levels.length === 4")
        self.assertEqual(self.complaints(), [])

    def test_hosts_that_do_wrong(self):
        """The answer is right, or the page names a fault; when the host is right again, so is the page."""
        self.addCleanup(setattr, self.server, "wrong", ("", None))
        kinds = [("missing", "is missing"), ("flipped", "is damaged"), ("cut", "broke off")]
        if IS_LONG:  # Node does these as well.
            kinds += [("short", "other bytes"), ("gzip", "cannot be reached"), ("whole", None)]
        for wrong, said in kinds:
            with self.subTest(wrong):
                self.server.wrong = ("", None)
                self.open()
                self.server.wrong = (r"\.zst$", wrong)
                self.type("reykj")
                if said:
                    self.tab.wait("!document.querySelector('#notice').hidden")
                    self.assertIn(said, self.tab.evaluate("document.querySelector('#notice').innerText"))
                    self.assertNotIn("Reykjav", self.tab.evaluate("document.querySelector('#matches').innerText"))
                    self.server.wrong = ("", None)
                    self.type("a")
                self.sees("Reykjavík")

    def test_a_manifest_that_is_damaged_is_said(self):
        self.addCleanup(setattr, self.server, "wrong", ("", None))
        for wrong, said in [("flipped", "is damaged"), ("missing", "no index"), ("short", "other bytes")][: 3 if IS_LONG else 1]:
            with self.subTest(wrong):
                self.server.wrong = ("manifest$", wrong)
                self.open()
                self.tab.wait("!document.querySelector('#notice').hidden")
                self.assertIn(said, self.tab.evaluate("document.querySelector('#notice').innerText"))
                self.server.wrong = ("", None)
                self.type("reykj")
                self.sees("Reykjavík")

    def test_an_index_that_is_exchanged(self):
        """A build under an open page: it answers from the old index or from the new one."""
        self.open()
        other = self.site.parent / "other"
        lines = "".join(f'{{"name":"Reykjalundur {n}"}}\n' for n in range(300))
        made = subprocess.run(
            [self.program, "build", "-", "--input-format", "jsonl", "--key", "{name}", "-i", other, "-q"], input=lines,
            text=True, capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        (self.site / "index").rename(self.site / "kept")
        self.addCleanup(lambda: ((self.site / "index").rename(other), (self.site / "kept").rename(self.site / "index")))
        other.rename(self.site / "index")
        self.type("reykj")
        self.sees("Reykjalundur")
        self.assertNotIn("Reykjavík", self.tab.evaluate("document.querySelector('#matches').innerText"))

    def test_the_look(self):
        site = self.site / "look"
        made = subprocess.run(
            [self.program, "page", "-i", ROOT / "shards", "-o", site, "--title", "Städte", "--lang", "de", "--subtitle",
             "{country} · {population}", "--label", "population=Einwohner", "--fields", "name,population"], capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.open("look/")
        self.sees("Die Ergebnisse erscheinen beim Tippen.")
        self.type("london")
        self.sees("GB · 8908000")
        self.tab.evaluate("choose([...answer.pages.get(0)].findIndex(({ label }) => label === 'London, GB'))")
        self.tab.wait("chosen !== null")
        self.assertEqual(
            self.tab.evaluate("[...byId('fields').children].map(node => node.textContent)"),
            ["Name", "London", "Einwohner", "8908000"])
        self.assertEqual(self.tab.evaluate("document.title"), "London, GB – Städte")
        self.assertEqual(self.complaints(), [])

    def test_without_a_network(self):
        self.open()
        self.tab.call("Network.setCacheDisabled", cacheDisabled=True)
        off = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.tab.call("Network.emulateNetworkConditions", offline=True, **off)
        self.type("reykj")
        self.sees("There is no network.")
        self.tab.call("Network.emulateNetworkConditions", offline=False, **off)
        self.sees("Reykjav")
        self.tab.wait("byId('notice').hidden")

    def test_the_accessibility_checker_finds_nothing(self):
        checker = axe()
        if not checker:
            self.skipTest("there is no axe.min.js: Scripts/dependencies.sh --tests")
        self.open()
        # The policy lets nothing else run: the checker comes by the debugger.
        self.tab.evaluate(checker + ";0")
        self.type("san")
        self.sees("Santiago")
        self.tab.press("ArrowDown")
        self.tab.press("Enter")
        self.tab.wait("chosen !== null")
        passed, violations = json.loads(self.tab.evaluate(
            "axe.run().then(({ violations, passes }) => JSON.stringify([passes.length, violations.map(({ id }) => id)]))",
            awaits=True))
        self.assertGreater(passed, 15)
        self.assertEqual(violations, [])


if __name__ == "__main__":
    unittest.main()
