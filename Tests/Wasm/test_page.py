"""The page without a server, in Chromium: what `shardq page` writes, from a host of files on loopback."""

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Page"))
import browser  # noqa: E402


class Files(http.server.SimpleHTTPRequestHandler):
    """Files by ranges; those in `missing` are not there."""

    def do_GET(self):
        name = self.path.split("?")[0]
        self.server.log.append(name)
        if self.server.missing and re.search(self.server.missing, name):
            return self.send_error(404)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        path = pathlib.Path(self.translate_path(self.path))
        if not wanted or not path.is_file():
            return super().do_GET()
        data = path.read_bytes()
        start, end = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self.wfile.write(data[start:end])

    def log_message(self, *_):
        pass


class StaticPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        site = f"{cls.directory.name}/site"
        program = pathlib.Path(os.environ.get("SHARDQ_BIN", ROOT / "bin")) / "shardq"
        subprocess.run([program, "page", "-i", ROOT / "shards", "-o", site], check=True, capture_output=True)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Files(*a, directory=site))
        cls.server.log, cls.server.missing = [], None
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
        self.tab.wait("document.querySelector('#matches')?.innerText.length > 0 || document.body.innerText.includes('gone')")

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

    def test_requests(self):
        self.open()
        time.sleep(0.5)
        self.assertEqual(self.server.log.count("/index/manifest"), 1)
        self.assertEqual(len(set(self.server.log)), len(self.server.log), "a file came twice")
        policy = self.tab.evaluate("document.querySelector('meta[http-equiv]').content")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("'unsafe-", policy)

    def test_the_map_has_dots(self):
        self.open()
        self.tab.wait("map.levels !== null && map.levels.length === 4")
        self.assertEqual(self.complaints(), [])

    def test_shards_that_are_gone_are_said(self):
        self.open()
        self.server.missing = r"\.zst$"
        self.addCleanup(setattr, self.server, "missing", None)
        self.type("reykj")
        self.sees("is gone")
        self.server.missing = None
        self.type("a")
        self.sees("Reykjavík")


if __name__ == "__main__":
    unittest.main()
