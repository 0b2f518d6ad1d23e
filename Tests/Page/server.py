"""A stand-in for `shardq serve` that is slow, fails or answers out of order on demand.

The stand-in is for tests only. It answers each question of the page by a process of the command. Started by itself, it
serves the page for a look: python3 Tests/Page/server.py INDEX
"""

import base64
import hashlib
import html
import http.client
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unicodedata
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = "'self'"
PAGE = ROOT / "Sources/Programs/Serving/Resources/page.html"


def command(name):
    """The path of an executable of the project: the shipped one, else that of the last build."""
    directory = os.environ.get("SHARDQ_BIN", "")
    for place in (directory, ROOT / "bin", ROOT / ".build/release"):
        if place and os.access(os.path.join(place, name), os.X_OK):
            return os.path.join(place, name)
    raise FileNotFoundError(f"{name} is not built: Scripts/build.sh")


def page(options):
    """The page as the server sends it, with the options of `shardq serve`."""
    said = html.escape(json.dumps(options, ensure_ascii=False))
    return PAGE.read_text().replace(
        '<html lang="en">', f'<html lang="{options.get("lang", "en")}" data-page="{said}">', 1
    )


def policy(page, images=()):
    """The content security policy under which the page is served: its own script and style, and nothing else."""

    def digest(tag):
        texts = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        return " ".join(
            "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts
        )

    return (
        f"default-src 'none'; script-src {digest('script')}; style-src {digest('style')}; connect-src 'self'; "
        f"img-src {' '.join([OWN, 'data:', *images])}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def units(text):
    return len(text.encode("utf-16-le")) // 2


def fold(text):
    """Near enough to the fold for the names in the tests."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return re.sub(r"\s*,\s*", ",", re.sub(r"\s+", " ", plain)).lstrip()


def matched(label, prefix):
    """The parts of the label that the prefix matches, in UTF-16 units: one or none."""
    wanted = fold(prefix)
    if not wanted:
        return []
    for end in range(1, len(label) + 1):
        if fold(label[:end]).startswith(wanted.rstrip()):
            return [[0, units(label[:end])]]
    return []


class Index:
    """An index, asked by the command line."""

    def __init__(self, path):
        self.path = str(path)
        stats = json.loads(self.run("shardq-commands", "stats", "-i", self.path, "--format", "json"))
        self.generation = stats["manifest_sha256"]
        self.places = None

    def run(self, name, *arguments):
        done = subprocess.run([command(name), *arguments], capture_output=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.decode())
        return done.stdout

    def search(self, query, offset, limit):
        """The answer as the text of an object's members, with its digits unchanged."""
        text = self.run(
            "shardq",
            "query",
            "-i",
            self.path,
            "--format",
            "json",
            "--sort",
            "key",
            "--offset",
            str(offset),
            "-n",
            str(limit),
            "--",
            query,
        ).decode()
        answer = json.loads(text, parse_float=str, parse_int=str)
        display = [self.display(record, query) for record in answer["matches"]]
        return text.rstrip()[:-1], int(answer["count"]), display

    @staticmethod
    def display(record, query=""):
        label = f'{record["name"]}, {record["country"]}' if "country" in record else record["name"]
        shown = {"label": label, "match": matched(label, query)}
        coordinates = record.get("coord", record)
        if coordinates.get("lat") not in (None, ""):
            shown |= {"latitude": float(coordinates["lat"]), "longitude": float(coordinates["lon"])}
        return shown

    def load_places(self):
        if self.places is None:
            lines = (
                self.run("shardq", "query", "-i", self.path, "--format", "jsonl", "--all", "--", "")
                .decode()
                .splitlines()
            )
            displays = [self.display(json.loads(line)) for line in lines]
            self.places = [
                (d["longitude"], d["latitude"], {**d, "position": i}) for i, d in enumerate(displays) if "latitude" in d
            ]
        return self.places


class Server(http.server.ThreadingHTTPServer):
    """Serves the page and an index on a free port of the loopback.

    With `upstream`, an address and port, answers come from a server there. `before(path, parameters)` runs before each
    request to the interface and may sleep, or return a replacement of the answer: a number (a status with
    problem+json), "drop" (no answer), "bad" (no JSON), "html" (status 200 with HTML). `requests` are all requests:
    (path, parameters). `options` are those of the page.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, index, port=0, upstream=None, options=None, below=""):
        """With `below`, the server is a proxy that has the page below that path of its host."""
        self.index = Index(index) if isinstance(index, (str, os.PathLike)) else index
        self.upstream, self.options = upstream, options or {}
        self.before = lambda path, parameters: None
        self.requests = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", port), Handler)
        self.below, self.origin = below, f"http://127.0.0.1:{self.server_address[1]}{below}"

    def start(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # A page that gives up a request closes the connection, which is no fault.


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def send(self, status, kind, body, headers=()):
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in [
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            *headers,
        ]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def problem(self, status, detail, **more):
        self.send(
            status,
            "application/problem+json",
            json.dumps({"title": "Problem", "status": status, "detail": detail, **more}),
        )

    def do_GET(self):
        if not self.path.startswith(self.server.below + "/"):
            return self.problem(404, "The page is below another path.")
        self.path = self.path.removeprefix(self.server.below)
        url = urllib.parse.urlsplit(self.path)
        parameters = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        if url.path == "/":
            text = page(self.server.options)
            rules = policy(text, self.server.options.get("imageOrigins", ()))
            return self.send(200, "text/html; charset=utf-8", text, [("Content-Security-Policy", rules)])
        with self.server.lock:
            self.server.requests.append((url.path, parameters))
        fault = self.server.before(url.path, parameters)
        if fault == "drop":
            self.close_connection = True
            return self.connection.close()
        if fault == "bad":
            return self.send(200, "application/json", '{"count": 1, "matches": [')
        if fault == "html":
            return self.send(200, "application/json", "[1, 2]")
        if isinstance(fault, int):
            return self.problem(fault, "The test wants it so.")
        if self.server.upstream:
            return self.forward()
        route = {"/v1/search": self.search, "/v1/dots": self.dots, "/v1/within": self.within}.get(url.path)
        return route(parameters) if route else self.problem(404, "There is nothing here.")

    def forward(self):
        connection = http.client.HTTPConnection(*self.server.upstream, timeout=20)
        try:
            connection.request("GET", self.path)
            answer = connection.getresponse()
            body = answer.read()
            kept = [
                (name, value) for name, value in answer.getheaders() if name in ("Server-Timing", "Shardq-Cost", "ETag")
            ]
            self.send(answer.status, answer.getheader("Content-Type", ""), body, kept)
        finally:
            connection.close()

    def search(self, parameters):
        offset, limit = int(parameters.get("offset", 0)), int(parameters.get("limit", 20))
        # The index of some tests answers ranked, if it is not told otherwise.
        is_ranked = getattr(self.server.index, "is_ranked", False) and parameters.get("sort") != "key"
        if is_ranked and offset > 10_000:
            return self.problem(400, "In a ranked answer it is at most 10000.", parameter="offset")
        start = time.perf_counter()
        text, count, display = self.server.index.search(parameters.get("q", ""), offset, limit)
        spent = (time.perf_counter() - start) * 1000
        more = {"total": count, "totalIsExact": True, "keys": count, "offset": offset, "limit": limit}
        more |= {"generation": self.server.index.generation, "display": display}
        if is_ranked:
            more |= {"sort": "rank", "complete": True}
        if "seq" in parameters:
            more["seq"] = int(parameters["seq"])
        self.send(
            200,
            "application/json",
            text + "," + json.dumps(more)[1:],
            [("Server-Timing", f"search;dur={spent:.3f}"), ("Shardq-Cost", "shards=2/100, loads=1, bytes=5120")],
        )

    def dots(self, parameters):
        places = self.server.index.load_places()
        if not places:
            return self.problem(404, "The index has no coordinates.")
        bits = bytearray(720 * 360 // 8)
        for longitude, latitude, _ in places:
            column, row = min(719, int((longitude + 180) * 2)), min(359, int((90 - latitude) * 2))
            bits[(row * 720 + column) >> 3] |= 0x80 >> ((row * 720 + column) & 7)
        self.send(
            200, "application/json", json.dumps({"columns": 720, "rows": 360, "cells": base64.b64encode(bits).decode()})
        )

    def within(self, parameters):
        west, south, east, north = (float(parameters[name]) for name in ("west", "south", "east", "north"))
        limit = int(parameters.get("limit", 100))
        found = [
            place
            for longitude, latitude, place in self.server.index.load_places()
            if south <= latitude <= north
            and (west <= longitude <= east if west <= east else longitude >= west or longitude <= east)
        ]
        found.sort(key=lambda place: place["position"] * 0x9E3779B1 & 0xFFFFFFFF)  # Some of all, not the first by name.
        self.send(200, "application/json", json.dumps({"places": found[:limit], "more": len(found) > limit}))


if __name__ == "__main__":
    server = Server(sys.argv[1] if len(sys.argv) > 1 else ROOT / "shards", int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(server.origin, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
