"""Tests the server as its operators run it: behind a proxy, with its log and counters."""

import json
import os
import re
import socket
import unittest

from server import ROOT, SAMPLE, SCRATCH, Server, places, shardq, write_rows


def logged(server, event):
    """The lines of the log about an event, as objects."""
    return [line for line in map(json.loads, server.log.splitlines()) if line["event"] == event]


class Proxies(unittest.TestCase):
    # The values of X-Forwarded-For from a trusted proxy, and the client in the log. 10.0.0.0/8, 192.0.2.7 and fd00::/9 are
    # trusted too.
    CLIENTS = [
        (["203.0.113.7"], "203.0.113.7"),
        (["1.2.3.4, 203.0.113.7"], "203.0.113.7"),  # The client wrote the first address itself.
        (["1.2.3.4", "203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7,10.255.0.1, 192.0.2.7"], "203.0.113.7"),
        (["203.0.113.7, 192.0.2.8"], "192.0.2.8"),
        (["10.0.0.1, 10.0.0.2"], "10.0.0.1"),  # There are only proxies.
        (["2001:db8::5, fd7f::1"], "2001:db8::5"),
        (["2001:db8::5, fd80::1"], "fd80::1"),
        (["203.0.113.7, ::ffff:10.1.2.3"], "203.0.113.7"),
        (["203.0.113.7:4711"], "203.0.113.7"),
        (["[2001:db8::5]:4711, [fd00::1]"], "2001:db8::5"),
        ([], "127.0.0.1"),
        ([""], "127.0.0.1"),
        (["unknown"], "127.0.0.1"),
        (["203.0.113.7, <script>"], "127.0.0.1"),
        (["203.0.113.7, , 10.0.0.1"], "10.0.0.1"),
        (["203.0.113.7, 010.0.0.1"], "127.0.0.1"),
        (["203.0.113.7, 10.0.0.1.1"], "127.0.0.1"),
        (["fe80::1%eth0"], "127.0.0.1"),
        (["203.0.113.7 6.6.6.6"], "127.0.0.1"),
        (["x, " + "10.0.0.1," * 700 + "10.0.0.2"], "10.0.0.1"),
    ]

    def ask(self, server, values):
        lines = b"".join(b"X-Forwarded-For: " + value.encode() + b"\r\n" for value in values)
        answer = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + lines + b"\r\n")
        self.assertIn(b"200 OK", answer.split(b"\r\n")[0], values)

    def test_a_trusted_proxy_names_the_client(self):
        trusted = ["127.0.0.0/8", "10.0.0.0/8", "192.0.2.7", "fd00::/9"]
        options = [word for range in trusted for word in ("--trusted-proxy", range)]
        with Server(SAMPLE, "--log-format", "json", *options) as server:
            for values, _ in self.CLIENTS:
                self.ask(server, values)
            found = [line["from"] for line in logged(server, "request")]
        self.assertEqual(found, [client for _, client in self.CLIENTS])

    def test_the_header_of_others_counts_for_nothing(self):
        for options in [[], ["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "126.0.0.0/8", "--trusted-proxy", "::/8"]]:
            with Server(SAMPLE, "--log-format", "json", *options) as server:
                self.ask(server, ["203.0.113.7"])
                self.ask(server, ["203.0.113.7, 10.0.0.1"])
                self.assertEqual([line["from"] for line in logged(server, "request")], ["127.0.0.1"] * 2)

    def test_a_proxy_by_ipv6(self):
        if not socket.has_ipv6:
            self.skipTest("this machine has no IPv6")
        for range, client in [("::1", "203.0.113.7"), ("::/0", "203.0.113.7"), ("::2", "::1"), ("0.0.0.0/0", "::1")]:
            with Server(SAMPLE, "--log-format", "json", "--trusted-proxy", range, listen="[::1]:0") as server:
                self.ask(server, ["6.6.6.6, 203.0.113.7, 2001:db8::5"] if range == "::/0" else ["6.6.6.6, 203.0.113.7"])
                self.assertEqual([line["from"] for line in logged(server, "request")], [client], range)

    def test_wrong_ranges_are_refused(self):
        for range in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "proxy.example",
                      "10.0.0.0/1e1", "[::1]", "10.0.0.1 "]:
            status, _, error = shardq("serve", "-i", SAMPLE, "--listen", "127.0.0.1:0", "--trusted-proxy", range)
            self.assertEqual(status, 64, range)
            self.assertIn("--trusted-proxy", error)


class Options(unittest.TestCase):
    def test_the_table_has_every_option_with_its_default(self):
        """Each option of the help stands in the table, with its default. Options of the page's look stand in docs/page.md."""
        with open(os.path.join(ROOT, "docs/server.md"), encoding="utf-8") as file:
            table = file.read().split("## Options", 1)[1].split("## ", 1)[0].splitlines()
        with open(os.path.join(ROOT, "docs/page.md"), encoding="utf-8") as file:
            page = file.read()
        blocks = re.split(r"(?m)^  (?=-)", shardq("help", "serve")[1].split("USAGE:", 1)[1])[1:]
        options = {re.search(r"--[a-z-]+", block)[0]: block for block in blocks}
        self.assertGreater(len(options), 30)
        for option, block in options.items():
            rows = [row for row in table if f"`{option}`" in row]
            if option in ("--version", "--help") or not rows and option in page:
                continue
            self.assertEqual(len(rows), 1, option)
            default = re.search(r"default:\s+([0-9.:]*)", block)
            if default:
                self.assertIn(default[1], rows[0], option)


class Counts(unittest.TestCase):
    def test_all_say_the_same_number_of_shards(self):
        """An index of words also has shards of entries, which do not count as shards of the index."""
        rows = places(2000)
        source = write_rows(rows, os.path.join(SCRATCH, "counts.csv"))
        index = os.path.join(SCRATCH, "counts")
        built = json.loads(shardq("build", source, "-i", index, "--id", "name", "--key", "{name}, {country}", "--words", "all",
                                  "--shard-size", "4KiB", "--json")[1])
        with Server(index) as server:
            status = server.get("/v1/status").json["shards"]
        change = write_rows([{**rows[30], "lat": "1"}], os.path.join(SCRATCH, "counts-changed.csv"))
        said = [json.loads(shardq("update", "-i", index, "--upsert", change, "--json", *options)[1])
                for options in (["--overlay"], ["--merge"], [])]
        stats = json.loads(shardq("stats", "-i", index, "--format", "json")[1])
        self.assertGreater(stats["features"]["entries"]["shards"], 1)
        self.assertEqual([found["shards"] for found in (built, *said, stats)], [status] * 5)
        self.assertEqual(built["shards_written"], status)


class Unmatched(unittest.TestCase):
    COUNTER = "shardq_answers_without_match_total"
    # Requests without a match and their texts, and requests that do not count: with a match, further pages, refused ones,
    # other routes.
    UNMATCHED = [("/v1/search?q=zzzz", "zzzz"), ("/v1/search?q=%C3%A9%0A%1B%22&format=jsonl", "\u00e9\n\x1b\""),
                 ("/v1/search?q=zzzz&format=geojson", "zzzz"), ("/api?q=nowhere", "nowhere"), ("/api?q=par&bbox=0,80,1,81", "par")]
    MATCHED = ["/v1/search?q=par", "/v1/search?q=par&offset=1000", "/v1/search?q=zzzz&offset=1", "/api?q=par", "/api?q=",
               "/v1/search?q=zzzz&limit=0", "/v1/search?q=zzzz&x=1", "/v1/within?west=0&south=80&east=1&north=81", "/healthz",
               "/v1/facets?field=zzzz", "/v1/record/zzzz", "/zzzz"]

    def ask(self, server):
        for path in [path for path, _ in self.UNMATCHED] + self.MATCHED:
            server.get(path)
        self.assertEqual(server.metrics()[self.COUNTER], len(self.UNMATCHED))
        # The client has the answer already.
        tag = server.search("zzzz").headers["etag"]
        self.assertEqual(server.get("/v1/search?q=zzzz", headers={"If-None-Match": tag}).status, 304)
        self.assertEqual(server.metrics()[self.COUNTER], len(self.UNMATCHED) + 1)

    def test_answers_without_a_match_are_counted(self):
        with Server(SAMPLE) as server:
            self.assertEqual(server.metrics()[self.COUNTER], 0)
            self.ask(server)
            self.assertEqual(len(server.log.splitlines()), 1, "the log has no texts unless the operator asks for them")

    def test_the_log_has_the_texts_on_request(self):
        with Server(SAMPLE, "--log-unmatched", "--log-format", "json") as server:
            self.ask(server)
            lines = logged(server, "no match")
        self.assertEqual([line["text"] for line in lines], [text for _, text in self.UNMATCHED] + ["zzzz"])
        # The line has nothing about the client.
        self.assertEqual({tuple(line) for line in lines}, {("time", "level", "event", "text")})

    def test_the_log_has_the_texts_without_the_requests(self):
        with Server(SAMPLE, "--log-unmatched") as server:
            self.ask(server)
            lines = server.log.splitlines()[1:]
        self.assertEqual(len(lines), len(self.UNMATCHED) + 1)
        self.assertTrue(lines[0].endswith(" info no match text=zzzz"), lines[0])
        self.assertNotIn("\x1b", "".join(lines))


if __name__ == "__main__":
    unittest.main()
