"""Compares the bytes of answers: of the command, the server, the module in Node and the Python package, for 2,000 requests."""

import http.client
import json
import os
import re
import subprocess
import unittest
import urllib.parse

import languages
from languages import SMALL

# Options of a search, each by its name on the command line. The other fronts have their own names for them.
OPTIONS = [
    {}, {"limit": 3, "offset": 5}, {"sort": "key"}, {"sort": "key", "limit": 7, "offset": 2}, {"typos": "none"},
    {"typos": "min"}, {"typos": "min", "filter": "country=US", "limit": 30},
    {"group": "country"}, {"group": "key", "limit": 3, "offset": 2}, {"filter": "country=FR"}, {"near": "48.85,2.35"},
    {"near": "48.85,2.35", "radius": 900}, {"filter": "country=US", "near": "40,-75", "limit": 4}, {"words": "all"},
    {"facets": "country"}, {"facets": "country", "facet-limit": 2, "filter": "country=US"}, {"facets": "country", "sort": "key"},
]
NODE = """
import { open } from 'shardq'
import { readFileSync } from 'node:fs'
const { path, texts, asked } = JSON.parse(readFileSync(0))
const index = await open(path)
for (const { limit = 10, offset, sort, typos, filter, near, radius, words, group, facets, 'facet-limit': facetLimit } of asked) {
  const [latitude, longitude] = (near ?? '').split(',').map(Number)
  for (const text of texts) {
    const found = await index.search(text, {
      limit, offset, sort, group, typos: typos === 'min' ? typos : typos !== 'none', filters: filter && [filter], near: near && { latitude, longitude, radius },
      words, facets: facets && [facets], facetLimit, hits: true, total: 'exact', parse: text => (process.stdout.write(text), { matches: [] }),
    })
  }
}
"""
PYTHON = """
import json, sys, shardq
asked = json.load(sys.stdin)
index = shardq.Index(asked["path"])
for options in asked["asked"]:
    near = options.get("near")
    for text in asked["texts"]:
        sys.stdout.buffer.write(index.search(
            text, limit=options.get("limit", 10), offset=options.get("offset", 0), sort=options.get("sort"), group=options.get("group"),
            words=options.get("words", "auto"), typos={"none": False, "min": "min"}.get(options.get("typos"), True),
            filters=[options["filter"]] if "filter" in options else [],
            facets=[options["facets"]] if "facets" in options else [], facet_limit=options.get("facet-limit", 10),
            near=tuple(map(float, near.split(","))) if near else None, radius=options.get("radius"), hits=True, total="exact").raw)
"""
NUMBERS = re.compile(rb'"count":\d+,"total":\d+,"totalIsExact":(?:true|false)')


class OneJSON(unittest.TestCase):
    def command(self, path, texts, asked):
        lines = []
        for options in asked:
            words = [word for name, value in {"limit": 10, **options}.items() for word in ("--" + name.replace("facets", "facet"), str(value))]
            lines += languages.run("query", "-i", path, "--stdin", *words, input="".join(t + "\n" for t in texts).encode()
                                   ).splitlines(keepends=True)
        return lines

    def server(self, path, texts, asked):
        program = os.path.join(os.path.dirname(languages.PROGRAM), "shardq")
        server = subprocess.Popen([program, "serve", "-i", path, "--listen", "127.0.0.1:0", "--json"], stdout=subprocess.PIPE)
        lines = []
        try:
            port = urllib.parse.urlsplit(json.loads(server.stdout.readline())["url"]).port
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            for options in asked:
                for text in texts:
                    query = {"limit": 10, **options, "q": text, "hits": "true", "total": "exact"}
                    client.request("GET", "/v1/search?" + urllib.parse.urlencode(query))
                    lines.append(client.getresponse().read())
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()
        return lines

    def test_bytes(self):
        count = 0
        for path, asked in ((SMALL, OPTIONS[2:4]), (languages.build_large(), OPTIONS)):
            texts = [text for text in languages.typed(path, 200 + 200 * (path == SMALL)) if "\n" not in text]
            texts[::20] = [text + " map" for text in texts[::20]]
            texts += [] if path == SMALL else languages.readable()
            right = self.server(path, texts, asked)
            self.assertEqual(any(b'"interpretation":{' in line for line in right), path != SMALL)
            question = json.dumps({"path": path, "texts": texts, "asked": asked})
            place = languages.install_node()
            with open(os.path.join(place, "bytes.js"), "w") as file:
                file.write(NODE)
            node = subprocess.run(["node", "bytes.js"], cwd=place, input=question.encode(), stdout=subprocess.PIPE, check=True)
            python = subprocess.run([languages.install(), "-c", PYTHON], input=question.encode(), stdout=subprocess.PIPE,
                                    check=True)
            found = {"module": node.stdout.splitlines(keepends=True), "library": python.stdout.splitlines(keepends=True),
                     "command": self.command(path, texts, asked)}
            for name, lines in found.items():
                self.assertEqual(len(lines), len(right), name)
                for line, served in zip(lines, right):
                    if name == "command" and b'"totalIsExact":false' in line:
                        # The command does not walk over matches to count them.
                        line, served = NUMBERS.sub(b"", line), NUMBERS.sub(b"", served)
                    self.assertEqual(line, served, name)
            count += len(right)
        self.assertGreaterEqual(count, 2000)
