"""Tests the page and its script on nginx: the requests in nginx's log, another origin, and a distant host."""

import json
import os
import pathlib
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Page"), str(ROOT / "Tests" / "Remote")]
import browser  # noqa: E402
import nginx  # noqa: E402

BIN = pathlib.Path(os.environ.get("SHARDQ_BIN", ROOT / "bin"))
IS_LONG = os.environ.get("SHARDQ_LONG") == "1"
SHARED = "add_header Access-Control-Allow-Origin *;"
SERVERS = [
    "gzip_static on;",
    SHARED + "add_header Access-Control-Expose-Headers Content-Range;",
    SHARED,
    "",
]


def shardq(*arguments, **options):
    return subprocess.run([BIN / "shardq", *map(str, arguments)], check=True, timeout=60, capture_output=True, text=True, **options)


def sessions(index, keystrokes):
    """The typed texts of each session, one a key. An empty field asks nothing."""
    made = []
    for line in shardq("generate", "--typing", keystrokes, "-i", index).stdout.splitlines():
        text = line.split("\t")[1]
        if not text or not made:
            made.append([])
        if text:
            made[-1].append(text)
    return [texts for texts in made if texts]


class Far(socketserver.ThreadingTCPServer):
    """A proxy that delays every request, as a distance does."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, origin, seconds):
        super().__init__(("127.0.0.1", 0), None)
        self.target, self.seconds = ("127.0.0.1", int(origin.rsplit(":", 1)[1])), seconds
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, _):
        with socket.create_connection(self.target) as there:
            threading.Thread(target=self.copy, args=(there, request, 0), daemon=True).start()
            self.copy(request, there, self.seconds)

    @staticmethod
    def copy(source, target, seconds):
        try:
            while data := source.recv(1 << 16):
                time.sleep(seconds)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # One of the two has ended the connection.

    def close(self):
        self.shutdown()
        self.server_close()


@unittest.skipUnless(nginx.executable(), "there is no nginx")
class OnNginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="shardq-hosts-")
        cls.addClassCleanup(directory.cleanup)
        work = pathlib.Path(directory.name)
        os.chmod(work, 0o755)  # Workers of nginx may be another user's.
        cls.index = cls.list(work)
        shardq("page", "-i", cls.index, "-o", work / "site")
        shardq("archive", "-i", cls.index, "-o", work / "site" / "list.shardq")
        (work / "site" / "blank.html").write_text("<title>blank</title>")
        (work / "nginx").mkdir()
        cls.host = nginx.Nginx(work / "nginx", work / "site", SERVERS)
        cls.addClassCleanup(cls.host.stop)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def list(cls, work):
        """The list of cities where it is at hand, else one that is made up."""
        index = work / "index"
        data = os.environ.get("SHARDQ_DATA") or ROOT.parent / "shared" / "data"
        cities = os.path.join(data, "cities.json.zst")
        if IS_LONG and os.path.exists(cities):
            shardq("build", cities, "-i", index, "-q", "--typos")
            return index
        made = shardq("generate", "--count", 20000, "--seed", 7, "--format", "jsonl").stdout
        options = ["--shard-size", "8KiB", "--weight", "_id", "--words", "body", "--typos"]
        shardq("build", "-", "--input-format", "jsonl", "-i", index, "-q", *options, input=made)
        return index

    def open(self, address):
        tab = browser.Tab(self.browser)
        self.addCleanup(tab.close)
        tab.call("Network.setCacheDisabled", cacheDisabled=True)
        tab.open(address)
        return tab

    def script(self, tab, expression):
        """The value of an expression in which `shardq` is the script."""
        return tab.evaluate(f"import('/shardq.js').then(async shardq => {expression})", awaits=True)

    def opened(self, tab, address):
        """Opens an index, and returns the requests that it takes."""
        self.host.requests()
        self.script(tab, f"void (globalThis.index = await shardq.open({json.dumps(address)}))")
        return self.index_requests(address)

    def index_requests(self, address):
        """The new requests for the files at an address. A browser also asks for an icon, at a time of its own."""
        url = urllib.parse.urlsplit(address)
        return [each for each in self.host.requests() if each.port == str(url.port) and each.path.startswith(url.path)]

    def asked(self, tab, address, text, **options):
        """Asks the index that was opened at an address, and returns the requests, and the first name."""
        answer = self.script(tab, f"(await index.search({json.dumps(text)}, {json.dumps(options)})).matches[0]")
        return self.index_requests(address), answer

    def test_the_page(self):
        self.host.requests()
        tab = self.open(self.host.origins[0] + "/")
        tab.wait("document.querySelector('#matches')?.innerText.length > 0")
        first = shardq("query", "-i", self.index, "--format", "jsonl", "-n", 1, "lo").stdout
        tab.evaluate("document.querySelector('#query').focus()")
        tab.type("lo")
        tab.wait(f"document.querySelector('#matches').innerText.includes({json.dumps(json.loads(first)['name'])})")
        requests = self.host.requests()
        encodings = {each.path: each.encoding for each in requests}
        for path in ("/", "/shardq.js", "/static.js", "/shardq.wasm"):
            self.assertEqual(encodings[path], "gzip", path)
        for each in requests:
            self.assertEqual(each.status, "206" if each.path.startswith("/index/") else "200", each)
        kinds = ("Log.entryAdded", "Runtime.exceptionThrown")
        self.assertEqual([event for event in tab.events if event["method"] in kinds], [])

    def test_requests_of_typing(self):
        """The budget of docs/static-page.md, of every key and of sessions."""
        counts = {}
        tab = self.open(self.host.origins[0] + "/blank.html")
        for sort, place in (("key", "/index/"), ("rank", "/index/"), ("key", "/list.shardq")):
            address = self.host.origins[0] + place
            made = counts.setdefault(f"by {sort} in {place}", [])
            for session in sessions(self.index, 800 if IS_LONG else 16):
                requests = self.opened(tab, address)
                self.assertEqual(len(requests), 1, requests)
                keys = [len(self.asked(tab, address, text, sort=sort)[0]) for text in session]
                made.append(sum(keys))
                if sort == "key":
                    allowed = [3 if place == "/list.shardq" else 2] + [2] * len(keys)
                    self.assertTrue(all(found <= most for found, most in zip(keys, allowed)), (session, keys))
        for name, made in counts.items():
            made.sort()
            print(f"{name}: {len(made)} sessions, requests behind the opening: mean {sum(made) / len(made):.1f}, "
                  f"p99 {made[len(made) * 99 // 100]}", file=sys.stderr)

    def test_another_origin(self):
        tab = self.open(self.host.origins[0] + "/blank.html")
        wanted = json.loads(shardq("query", "-i", self.index, "--format", "jsonl", "-n", 1, "san").stdout)["name"]
        for origin, count in ((1, 1), (2, 2)):
            for place in ("/index/", "/list.shardq"):
                with self.subTest(origin=SERVERS[origin], place=place):
                    address = self.host.origins[origin] + place
                    requests = self.opened(tab, address)
                    self.assertEqual(len(requests), count, requests)
                    self.assertEqual(self.asked(tab, address, "san")[1]["name"], wanted)
        code = self.script(tab, f"shardq.open('{self.host.origins[3]}/index/').catch(error => error.code)")
        self.assertEqual(code, "unreachable")

    def test_a_host_that_is_far(self):
        far = Far(self.host.origins[0], 0.03)
        self.addCleanup(far.close)
        tab = self.open(far.origin + "/blank.html")
        for place in ("/index/", "/list.shardq"):
            self.opened(tab, far.origin + place)
            for text in ("l", "lo", "m"):
                took = self.script(
                    tab, f"{{ const from = performance.now(); await index.search('{text}', {{ sort: 'key' }}); "
                    "return performance.now() - from }")
                print(f"30 ms away, {place}: {text} takes {took:.0f} ms", file=sys.stderr)
        page = self.open(far.origin + "/")
        page.wait("document.querySelector('#matches')?.innerText.length > 0")
        name = json.loads(shardq("query", "-i", self.index, "--format", "jsonl", "-n", 1, "lon").stdout)["name"]
        page.evaluate("document.querySelector('#query').focus()")
        page.type("lon")
        page.wait(f"document.querySelector('#matches').innerText.includes({json.dumps(name)})")


if __name__ == "__main__":
    unittest.main()
