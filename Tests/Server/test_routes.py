"""Compares every route and format with the command's answers from the same index."""

import base64
import gzip
import hashlib
import json
import os
import re
import threading
import unittest
import urllib.parse

from server import SAMPLE, SCRATCH, Server, build, places, shardq, update

PREFIXES = ["", "s", "san", "san ", "São P", "SAO", "a", "zzzz", "köln", "Köln,", "reyk", "new y", "東", "l", "los a", "%", "a, u",
            "paris ", "são paulo br", "sao paulo br "]


class Routes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = places(3000)
        cls.index = build(cls.rows, "routes", "--id", "name")
        cls.server = Server(cls.index)
        cls.sample = Server(SAMPLE)
        cls.exported = [json.loads(line) for line in shardq("export", "-i", cls.index)[1].splitlines()]

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.sample.close()

    # Search

    def compare(self, server, index, prefixes):
        for prefix in prefixes:
            for limit, offset in [(20, 0), (1, 0), (3, 2), (1000, 0), (5, 100_000)]:
                options = ["-i", index, "-n", str(limit), "--offset", str(offset)]
                said = json.loads(shardq("query", *options, "--format", "json", "--", prefix)[1])
                self.assertEqual(said.pop("schema"), 1)
                answer = server.search(prefix, limit=limit, offset=offset)
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.headers["content-type"], "application/json")
                self.assertEqual({name: answer.json[name] for name in said}, said, prefix)
                self.assertEqual((answer.json["limit"], answer.json["offset"]), (limit, offset))
                for format, kind in [("jsonl", "application/x-ndjson"), ("geojson", "application/geo+json")]:
                    answer = server.search(prefix, limit=limit, offset=offset, format=format)
                    self.assertEqual(answer.headers["content-type"], kind)
                    self.assertEqual(answer.headers["shardq-count"], str(said["count"]))
                    self.assertEqual(
                        answer.body.decode(), shardq("query", *options, "--format", format, "--", prefix)[1], prefix)

    def test_answers_are_the_command_lines(self):
        self.compare(self.sample, SAMPLE, PREFIXES[:9] + PREFIXES[-3:])
        self.compare(self.server, self.index, ["", "quote", "서", "ㅅ", "nowhere", "b", "👍"])

    def test_answers_over_an_overlay_are_the_command_lines(self):
        rows = places(300)
        index = build(rows, "routes-overlaid", "--id", "name")
        update(index, [{**rows[20], "lat": "1.5"}, {**rows[21], "name": "Bah"}], [rows[30], rows[31]], "--overlay")
        with Server(index) as server:
            self.compare(server, index, ["", "quote", "b", "bah", rows[20]["name"], rows[30]["name"]])

    def test_display(self):
        answer = self.sample.search("sao p", display="true").json
        self.assertEqual(len(answer["display"]), len(answer["matches"]))
        self.assertEqual(answer["display"][0], {
            "label": "São Paulo, BR", "match": [[0, 5]], "latitude": -23.5505, "longitude": -46.6333})
        self.assertNotIn("display", self.sample.search("sao p").json)
        # A typed letter of a syllable marks the syllable; numbers that are no degrees are left out; units are UTF-16.
        self.assertEqual(self.server.search("ㅅ", display="true").json["display"][0]["match"], [[0, 1]])
        thumb = self.server.search("👍 t", display="true").json["display"][0]
        self.assertEqual(thumb, {"label": "👍🏽 Thumb, XX", "match": [[0, 6]]})
        quote = self.server.search("quote", display="true").json["display"][0]
        self.assertEqual((quote["label"], quote["latitude"], quote["longitude"]), ('Quote " and \\ and <b>, XX', 10, 2.5))
        self.assertEqual(self.server.search("", display="true", limit=1).json["display"][0]["match"], [])

    def test_a_space_finishes_a_word_or_stands_for_the_comma(self):
        sao_paulo = {"label": "São Paulo, BR", "latitude": -23.5505, "longitude": -46.6333}
        for typed, marked in [("sao paulo ", 9), ("sao paulo br", 13), ("sao paulo br\n", 13)]:
            answer = self.sample.search(typed, display="true").json
            self.assertEqual(answer["count"], 1, typed)
            self.assertEqual(answer["display"], [{**sao_paulo, "match": [[0, marked]]}], typed)
            self.assertIn('"São Paulo, BR"', json.dumps(self.sample.get("/api/?q=" + urllib.parse.quote(typed)).json,
                                                        ensure_ascii=False))
        self.assertEqual(self.sample.search("sao paul ").json["count"], 0)

    def test_sequence_comes_back(self):
        self.assertEqual(self.sample.search("x", seq=12).json["seq"], 12)
        self.assertNotIn("seq", self.sample.search("x").json)
        for format in ["jsonl", "geojson"]:  # These formats have no place for it.
            plain = self.sample.search("reyk", format=format)
            self.assertEqual(self.sample.search("reyk", format=format, seq=1, display="true").body, plain.body)

    def test_cost(self):
        with Server(self.index) as server:
            first, second = server.search("b", limit=5), server.search("b", limit=5)
        shape = re.compile(r"shards=(\d+)/(\d+), loads=(\d+), bytes=(\d+)")
        costs = [[int(number) for number in shape.fullmatch(answer.headers["shardq-cost"]).groups()]
                 for answer in (first, second)]
        self.assertGreater(costs[0][2], 0)
        self.assertGreater(costs[0][3], 0)
        self.assertEqual(costs[1][2:], [0, 0])
        self.assertEqual(costs[0][:2], costs[1][:2])
        self.assertLess(costs[0][0], costs[0][1])
        self.assertRegex(first.headers["server-timing"], r"^search;dur=\d+\.\d{3}$")

    # Validity

    TAGGED = ["/", "/shardq-box.js", "/v1/search?q=b", "/api?q=b", "/v1/dots", "/v1/within?west=0&south=0&east=9&north=9", "/v1/openapi.json",
              "/v1/record/Pol"]

    def test_unchanged_answers_cost_nothing(self):
        for path in self.TAGGED:
            tag = self.server.get(path).headers["etag"]
            self.assertRegex(tag, r'^"[!#-~]+"$')
            before = self.server.metrics()
            for known in [tag, "W/" + tag, '"else", ' + tag, "*"]:
                answer = self.server.get(path, headers={"If-None-Match": known})
                self.assertEqual((answer.status, answer.body, answer.headers.get("etag")), (304, b"", tag), path)
            self.assertEqual(self.server.get(path, headers={"If-None-Match": '"else"'}).status, 200)
            # Only the last request searched the index.
            after = self.server.metrics()
            self.assertEqual(before["shardq_shard_loads_total"], after["shardq_shard_loads_total"])
            if path.startswith("/v1/search"):
                once = after["shardq_cache_hits_total"] - before["shardq_cache_hits_total"]
                self.server.get(path)
                self.assertEqual(self.server.metrics()["shardq_cache_hits_total"] - after["shardq_cache_hits_total"], once)

    def test_nothing_is_touched_where_nothing_changed(self):
        with Server(self.index) as server:
            tag = self.server.search("b").headers["etag"]
            self.assertEqual(server.get("/v1/search?q=b", headers={"If-None-Match": tag}).status, 304)
            values = server.metrics()
            cost = server.get("/v1/search?q=b", headers={"If-None-Match": tag}).headers["shardq-cost"]
            self.assertRegex(cost, "^shards=0/[1-9][0-9]*, loads=0, bytes=0$")
            for name in ["shard_loads", "cache_hits", "cache_misses", "decompressed_bytes"]:
                self.assertEqual(values[f"shardq_{name}_total"], 0)

    ALL = TAGGED + ["/v1/search?q=b&limit=1000&display=true", "/reverse?lat=0&lon=0", "/reverse?lat=0&lon=0&limit=100",
                    "/v1/status", "/status", "/healthz", "/metrics"]
    # The fields that a 304 need not have, or that differ from those of the 200.
    OWN = {"content-length", "content-type", "content-encoding", "date", "server-timing", "shardq-cost"}

    def test_a_304_has_the_fields_of_its_200(self):
        """A cache replaces its fields by those of the 304: with another policy the page would not run (RFC 9111
        3.2)."""
        for options in [(), ("--cors", "*"), ("--max-age", "60", "--cors", "https://example.org")]:
            with Server(self.index, *options) as server:
                for path in self.ALL:
                    for coding in [None, "gzip", "identity", "gzip, deflate, br, zstd"]:
                        asked = {"Accept-Encoding": coding} if coding else {}
                        full = server.get(path, headers=asked)
                        self.assertEqual(full.status, 200, path)
                        known = ["*"] if "etag" in full.headers else []
                        known += [full.headers["etag"], '"x", ' + full.headers["etag"]] if known else []
                        for tag in known:
                            for method in ["GET", "HEAD"]:
                                answer = server.get(path, method, {**asked, "If-None-Match": tag})
                                self.assertEqual((answer.status, answer.body), (304, b""), (path, coding, tag))
                                for name in set(answer.headers) - self.OWN:
                                    self.assertEqual(answer.headers[name], full.headers.get(name), (path, coding, name))
                                missing = set(full.headers) - set(answer.headers) - self.OWN
                                self.assertLessEqual(missing, {"shardq-count"}, (path, coding))
                                for name in ["etag", "cache-control", "vary", "content-security-policy"]:
                                    self.assertIn(name, answer.headers)
                        self.assertEqual("etag" in full.headers, "no-store" != full.headers["cache-control"])

    def test_every_route_is_in_the_table(self):
        # test_filters has an index with filters, for /v1/facets.
        described = {path.replace("{id}", "Pol") for path in self.server.get("/v1/openapi.json").json["paths"]} - {"/v1/facets"}
        self.assertEqual({path.split("?")[0] for path in self.ALL}, described | {"/v1/openapi.json"})

    # Compressed answers

    def test_gzip(self):
        large = ["/", "/shardq-box.js", "/v1/openapi.json", "/v1/search?q=b&limit=100", "/v1/search?q=b&limit=1000&display=true&format=json",
                 "/v1/within?west=-180&south=-90&east=180&north=90&limit=1000", "/v1/dots", "/api?q=b&limit=1000",
                 "/reverse?lat=0&lon=0&limit=1000"]
        for path in large + ["/v1/search?q=b&limit=1", "/healthz", "/v1/status"]:
            plain = self.server.get(path, headers={"Accept-Encoding": "identity"})
            packed = self.server.get(path, headers={"Accept-Encoding": "gzip"})
            head = self.server.get(path, "HEAD", {"Accept-Encoding": "gzip"})
            self.assertNotIn("content-encoding", plain.headers, path)
            for answer in (plain, packed):
                self.assertEqual(answer.headers["vary"], "Accept-Encoding")
                self.assertEqual(int(answer.headers["content-length"]), len(answer.body))
            for name in ["content-encoding", "content-length", "etag", "vary", "content-type"]:
                self.assertEqual(head.headers.get(name), packed.headers.get(name), (path, name))
            if path not in large:
                self.assertNotIn("content-encoding", packed.headers)
                self.assertEqual(packed.headers.get("etag"), plain.headers.get("etag"))
                continue
            self.assertEqual(packed.headers["content-encoding"], "gzip", path)
            self.assertLess(len(packed.body), len(plain.body) * 0.6, path)
            self.assertEqual(gzip.decompress(packed.body), plain.body, path)
            # The same bytes in another coding are another representation.
            self.assertEqual(packed.headers["etag"], plain.headers["etag"][:-1] + '-gzip"')
            for coding, tag, status in [
                ("gzip", packed.headers["etag"], 304), ("identity", plain.headers["etag"], 304),
                ("identity", packed.headers["etag"], 200), ("gzip", "*", 304), ("identity", "*", 304),
                ("gzip", packed.headers["etag"] + ", " + plain.headers["etag"], 304),
            ]:
                answer = self.server.get(path, headers={"Accept-Encoding": coding, "If-None-Match": tag})
                self.assertEqual(answer.status, status, (path, coding, tag))
                wanted = packed if coding == "gzip" else plain
                self.assertEqual(answer.headers["etag"], wanted.headers["etag"], (path, coding, tag))

    def test_which_coding_is_wanted(self):
        path = "/v1/search?q=b&limit=100"
        for coding, is_gzip in [
            ("gzip", True), ("GZIP", True), ("x-gzip", True), ("gzip, deflate, br, zstd", True), ("br;q=1.0, gzip;q=0.8", True),
            ("*", True), ("*;q=0.1", True), ("gzip;q=0.001", True), ("deflate , gzip ; q=1", True), ("gzip;q=1.000", True),
            ("gzip;q=0.5, identity;q=0.5", True), ("identity;q=0, gzip", True), ("gzip;q=1.", True),
            ("", False), ("br", False), ("gzip;q=0", False), ("gzip;q=0.000", False), ("*;q=0", False), ("identity", False),
            ("gzip;q=0, *", False), ("gzip;q=0.5, identity;q=0.8", False), ("gzipped", False), ("gzip;q=x", False),
            ("gzip;q=2", False), ("gzip;q=1.001", False), ("gzip;q=0.5000", False), ("gzip;x=1", False), (";q=1", False),
            (",,,", False), ("gzip;q=", False),
        ]:
            answer = self.server.get(path, headers={"Accept-Encoding": coding})
            self.assertEqual((answer.status, answer.headers.get("content-encoding")), (200, "gzip" if is_gzip else None), coding)

    def test_compressing_is_bounded(self):
        rows = [{"name": f"a{number}", "country": "XX", "text": chr(97 + number % 26) * 16000} for number in range(400)]
        with Server(build(rows, "gzip")) as server:
            path = "/v1/search?q=a&limit=250"
            plain = server.get(path).body
            before = server.metrics()["process_resident_memory_bytes"]
            ends = []

            def ask():
                answer = server.get(path, headers={"Accept-Encoding": "gzip"})
                ends.append(answer.status == 503 or gzip.decompress(answer.body) == plain)

            threads = [threading.Thread(target=ask) for _ in range(40)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(ends, [True] * 40)
            self.assertLess(server.metrics()["process_resident_memory_bytes"] - before, 160 << 20)

    # Other origins

    def test_preflight(self):
        """Requests of another origin may have the header fields that common libraries send."""
        sent = ["Accept", "Accept-Language", "Content-Type", "X-Requested-With", "Cache-Control", "Pragma", "If-None-Match"]
        with Server(self.index, "--cors", "*") as server:
            for path in ["/v1/search?q=a", "/api?q=a", "/reverse?lat=0&lon=0", "/v1/status"]:
                answer = server.get(path, "OPTIONS", {
                    "Origin": "https://example.org", "Access-Control-Request-Method": "GET",
                    "Access-Control-Request-Headers": ", ".join(sent).lower()})
                self.assertEqual((answer.status, answer.body), (204, b""))
                self.assertEqual(answer.headers["access-control-allow-origin"], "*")
                self.assertEqual(answer.headers["access-control-allow-methods"], "GET, HEAD")
                allowed = answer.headers["access-control-allow-headers"].split(", ")
                self.assertLessEqual({*sent, "*"}, set(allowed))

    def test_caching(self):
        self.assertEqual(self.server.search("b").headers["cache-control"], "no-cache")
        self.assertEqual(self.server.get("/v1/status").headers["cache-control"], "no-store")
        self.assertEqual(self.server.search("b", limit=0).headers["cache-control"], "no-store")
        with Server(self.index, "--max-age", "60", "--cors", "https://example.org") as server:
            answer = server.search("b")
            self.assertEqual(answer.headers["cache-control"], "public, max-age=60")
            self.assertEqual(answer.headers["access-control-allow-origin"], "https://example.org")
            self.assertEqual(server.get("/v1/search", method="OPTIONS").status, 204)
        self.assertNotIn("access-control-allow-origin", self.server.search("b").headers)

    # Other routes

    def inside(self, west, south, east, north):
        found = []
        for position, record in enumerate(self.exported):
            try:
                latitude, longitude = float(record["lat"]), float(record["lon"])
            except ValueError:
                continue
            over = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
            if abs(latitude) <= 90 and abs(longitude) <= 180 and south <= latitude <= north and over:
                found.append(position)
        return found

    def test_within(self):
        boxes = [(-180, -90, 180, 90), (0, 0, 30.5, 30.5), (170, -30, -170, 10), (-180, -17.5, -180, -17.25),
                 (180, -90, 180, 90), (12.25, 52.125, 12.25, 52.125), (-180, 90, 180, 90), (-10.5, -10, -9.5, 70),
                 (2.5, 10, 2.5, 10)]
        total = 0
        for box in boxes:
            wanted = self.inside(*box)
            total += len(wanted)
            for limit in [1, 7, 1000]:
                answer = self.server.get("/v1/within?west=%s&south=%s&east=%s&north=%s&limit=%d" % (*box, limit))
                west, south, east, north = box
                turned = "/v1/within?west=%s&south=%s&east=%s&north=%s&limit=%d" % (west, north, east, south, limit)
                self.assertEqual(self.server.get(turned).body, answer.body)
                self.assertEqual(answer.status, 200, answer.body)
                # Of more places the answer always has the same ones, which are not the first by name.
                some = sorted(sorted(wanted, key=lambda position: position * 0x9E3779B1 % 2**32)[:limit])
                self.assertEqual([place["position"] for place in answer.json["places"]], some, box)
                self.assertEqual(answer.json["more"], len(wanted) > limit)
                for place in answer.json["places"][:20]:
                    record = self.exported[place["position"]]
                    self.assertEqual(place["label"], record["name"] + ", " + record["country"])
                    self.assertEqual((place["latitude"], place["longitude"]), (float(record["lat"]), float(record["lon"])))
        self.assertGreater(total, 3000)

    def test_dots(self):
        answer = self.server.get("/v1/dots").json
        bits = base64.b64decode(answer["cells"], validate=True)
        self.assertEqual((answer["columns"], answer["rows"], len(bits)), (720, 360, 720 * 360 // 8))
        wanted = set()
        for position in self.inside(-180, -90, 180, 90):
            record = self.exported[position]
            row = min(359, int((90 - float(record["lat"])) // 0.5))
            column = min(719, int((float(record["lon"]) + 180) // 0.5))
            wanted.add(row * 720 + column)
        found = {cell for cell in range(720 * 360) if bits[cell // 8] & 0x80 >> cell % 8}
        self.assertEqual(found, wanted)

    def test_without_coordinates(self):
        index = build([{"name": "a", "brand": "b"}, {"name": "c", "brand": "d"}], "plain", key="{name}, {brand}")
        with Server(index) as server:
            for path in ["/v1/dots", "/v1/within?west=0&south=0&east=1&north=1"]:
                answer = server.get(path)
                self.assertEqual((answer.status, answer.headers["content-type"]), (404, "application/problem+json"))
            self.assertEqual(server.search("", display="true").json["display"][0], {"label": "a, b", "match": []})

    def test_places_have_a_bound(self):
        with Server(self.index, "--places-memory", "100KiB") as server:
            answer = server.get("/v1/within?west=0&south=0&east=1&north=1")
            self.assertEqual(answer.status, 503)
            self.assertIn("--places-memory", answer.json["detail"])
            self.assertEqual(server.search("b").status, 200)

    def test_keys_that_are_not_stored(self):
        path = os.path.join(SCRATCH, "unstored")
        status, _, error = shardq("build", os.path.join(SCRATCH, "routes.csv"), "--key", "{name}, {country}", "--keep",
                                  "country,lat,lon", "--index", path)
        self.assertEqual(status, 0, error)
        with Server(path) as server:
            self.assertEqual(server.search("ostl", display="true").json["display"][0]["label"], "ostlich, fj")
            properties = server.get("/api?q=ostl").json["features"][0]["properties"]
            self.assertEqual((properties["name"], "extra" in properties), ("ostlich, fj", False))

    def test_status_and_health(self):
        said = json.loads(shardq("stats", "-i", self.index, "--format", "json")[1])
        answer = self.server.get("/v1/status").json
        for name in ["records", "shards", "manifest_sha256", "format_version", "fold_version", "key", "fields"]:
            self.assertEqual(answer[name], said[name], name)
        self.assertEqual(answer["generation"], self.server.search("").json["generation"])
        self.assertRegex(answer["generation"], "^[0-9a-f]{16}$")
        version = shardq("--version")[1].split()[0]
        # The interface has a version of its own, that of its paths.
        self.assertEqual((answer["version"], self.server.get("/v1/openapi.json").json["info"]["version"]), (version, "1"))
        self.assertEqual(self.server.search("b").json["generation"], answer["generation"])
        self.assertEqual(self.server.get("/healthz").body, b"ok\n")

    def test_metrics_add_up(self):
        with Server(self.index) as server:
            for _ in range(5):
                server.search("b")
            server.search("b", limit=0)
            server.get("/else")
            values = server.metrics()
        self.assertEqual(values['shardq_requests_total{route="search",status="200"}'], 5)
        self.assertEqual(values['shardq_requests_total{route="search",status="400"}'], 1)
        self.assertEqual(values['shardq_requests_total{route="none",status="404"}'], 1)
        self.assertEqual(values['shardq_request_duration_seconds_count{route="search"}'], 6)
        self.assertEqual(values['shardq_request_duration_seconds_bucket{route="search",le="+Inf"}'], 6)
        self.assertGreater(values["shardq_decompressed_bytes_total"], 0)
        self.assertGreater(values["shardq_cache_resident_bytes"], 0)
        self.assertGreater(values["process_resident_memory_bytes"], 1 << 20)

    def test_head(self):
        for path in self.TAGGED + ["/healthz", "/v1/else"]:
            get, head = self.server.get(path), self.server.get(path, method="HEAD")
            self.assertEqual((head.status, head.body), (get.status, b""), path)
            for name in ["content-type", "content-length", "etag", "cache-control"]:
                self.assertEqual(head.headers.get(name), get.headers.get(name), (path, name))

    def test_description_names_every_route(self):
        description = self.server.get("/v1/openapi.json").json
        self.assertTrue(description["openapi"].startswith("3.1"))
        given = {"/v1/within": "?west=0&south=0&east=1&north=1", "/api": "?q=a", "/reverse": "?lat=0&lon=0"}
        for path, methods in description["paths"].items():
            answer = self.server.get(path.replace("{id}", "Pol") + given.get(path, ""))
            if path == "/v1/facets":
                self.assertEqual((answer.status, answer.json["parameter"]), (400, "field"))
                continue
            self.assertEqual(answer.status, 200, path)
            self.assertIn(answer.headers["content-type"].split(";")[0], methods["get"]["responses"]["200"]["content"])
        missing = {"/", "/shardq-box.js", "/v1/search", "/v1/within", "/v1/dots", "/v1/status", "/api", "/reverse", "/status", "/healthz", "/metrics"}
        self.assertEqual(missing - set(description["paths"]), set())

    # Safety

    def test_page_policy(self):
        answer = self.server.get("/")
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
        self.assertEqual(policy["default-src"], "'none'")
        for element in ["script", "style"]:
            contents = re.findall(rb"<%s(?:\s[^>]*)?>(.*?)</%s>" % (element.encode(), element.encode()), answer.body, re.S)
            hashes = ["'sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode() + "'" for text in contents]
            self.assertEqual(policy[element + "-src"].split(), hashes or ["'none'"])
        self.assertNotRegex(answer.body, rb"(?i)<[^>]+\son\w+\s*=")
        self.assertNotRegex(answer.body, rb"(?i)(src|href)\s*=\s*[\"']?(https?:)?//")

    def test_pages_that_may_embed_the_page(self):
        for pages, sources in (
            (["https://shop.example"], "https://shop.example"), (["self", "http://a.example:8080"], "'self' http://a.example:8080"),
            (["*"], "*"),
        ):
            with Server(self.index, *(word for page in pages for word in ("--frame-ancestors", page))) as server:
                answer = server.get("/")
                self.assertTrue(answer.headers["content-security-policy"].endswith(f"; frame-ancestors {sources}"))
                again = server.get("/", headers={"If-None-Match": answer.headers["etag"]})
                self.assertEqual(again.headers["content-security-policy"], answer.headers["content-security-policy"])
                # Other answers are no pages.
                self.assertIn("frame-ancestors 'none'", server.get("/v1/search").headers["content-security-policy"])
        for page in ("shop.example", "https://shop.example/", "https://*.example", "none", "'self'", "https://a.example; script-src *", ""):
            status, _, said = shardq("serve", "-i", self.index, "--listen", "127.0.0.1:0", "--frame-ancestors", page)
            self.assertEqual(status, 64, page)
            self.assertIn(f"--frame-ancestors: {page} is not an origin", said)

    def test_the_box(self):
        answer = self.server.get("/shardq-box.js")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "text/javascript; charset=utf-8"))
        self.assertLessEqual(len(answer.body), 8 << 10)
        self.assertIn(b"customElements.define('shardq-box'", answer.body)
        with Server(self.index, "--cors", "https://shop.example") as server:
            headers = server.get("/shardq-box.js").headers
            self.assertEqual(headers["access-control-allow-origin"], "https://shop.example")
            self.assertEqual(headers["cross-origin-resource-policy"], "cross-origin")

    def test_every_answer_is_hardened(self):
        for path in self.TAGGED + ["/else", "/v1/search?limit=0", "/healthz", "/metrics"]:
            headers = self.server.get(path).headers
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cross-origin-resource-policy"], "same-origin")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            self.assertIn("frame-ancestors 'none'", headers["content-security-policy"])

    def test_names(self):
        for name in ["localhost", f"localhost:{self.server.port}", "127.0.0.1", "[::1]:80", "LOCALHOST", "app.localhost"]:
            self.assertEqual(self.server.get("/healthz", headers={"Host": name}).status, 200, name)
        for name in ["example.org", "localhost.example.org", "127.0.0.1.example.org", "10.0.0.1", ""]:
            answer = self.server.get("/v1/search?q=a", headers={"Host": name})
            self.assertEqual((answer.status, answer.headers["content-type"]), (421, "application/problem+json"), name)
        with Server(self.index, "--host", "cities.example.org") as server:
            self.assertEqual(server.get("/healthz", headers={"Host": "Cities.example.org:80"}).status, 200)
            self.assertEqual(server.get("/healthz", headers={"Host": "example.org"}).status, 421)
        with Server(self.index, "--public", listen="0.0.0.0:0") as server:
            self.assertEqual(server.get("/healthz", headers={"Host": "anything"}).status, 200)

    def test_wrong_parameters_are_named(self):
        cases = [
            ("/v1/search?limit=0", "limit"), ("/v1/search?limit=1001", "limit"), ("/v1/search?limit=x", "limit"),
            ("/v1/search?limit=99999999999999999999", "limit"), ("/v1/search?limit=+5", "limit"),
            ("/v1/search?offset=-1", "offset"), ("/v1/search?format=xml", "format"), ("/v1/search?display=1", "display"),
            ("/v1/search?format=jsonl&display=x", "display"), ("/v1/search?seq=a", "seq"), ("/v1/search?else=1", "else"),
            ("/v1/search?q=a&q=b", "q"), ("/v1/search?q=%zz", "q"), ("/v1/search?q=%ff", "q"), ("/v1/search?q=%2", "q"),
            ("/v1/search?q=" + "a" * 513, "q"), ("/v1/search?q=a" + "%00" * 512, "q"),
            ("/v1/search?q=" + "%F0%9F%91%8D" * 513, "q"), ("/v1/within?west=0&south=0&east=1", "north"),
            ("/v1/within?west=181&south=0&east=1&north=1", "west"), ("/v1/within?west=0&south=91&east=1&north=1", "south"),
            ("/v1/within?west=inf&south=0&east=1&north=1", "west"), ("/v1/within?west=1e999&south=0&east=1&north=1", "west"),
            ("/v1/within?west=e&south=0&east=1&north=1", "west"), ("/v1/search?__=1", "__"),
            ("/v1/within?west=nan&south=0&east=1&north=1", "west"), ("/v1/within?west=0x1&south=0&east=1&north=1", "west"),
            ("/v1/within?west=&south=0&east=1&north=1", "west"), ("/v1/dots?x=1", "x"), ("/healthz?x", "x"),
        ]
        for path, parameter in cases:
            answer = self.server.get(path)
            self.assertEqual((answer.status, answer.headers["content-type"]), (400, "application/problem+json"), path)
            self.assertEqual(answer.json["parameter"], parameter, path)
            self.assertEqual(answer.json["status"], 400)
            self.assertTrue(answer.json["detail"] and answer.json["title"])
        # At the limits, and as forms write them.
        for path in ["/v1/search?q=" + "a" * 512, "/v1/search?display=true&q=" + "%EF%B7%BA" * 512, "/api?q=" + "%F0%9F%91%8D" * 512,
                     "/v1/search?limit=1000", "/v1/search?", "/v1/search?q=", "/v1/search?&&q=a&",
                     "/v1/search?q=a+b", "/v1/search?q=s%C3%A3o", "/v1/search?q=a&_=1732550000", "/healthz?_=1&_=2&_",
                     "/v1/within?west=-1e-7&south=0&east=1E%2B1&north=1"]:
            self.assertEqual(self.server.get(path).status, 200, path)
        self.assertEqual(self.server.get("/v1/search?q=a+b%2Bc").json["query"], "a b+c")
        self.assertEqual(self.server.search("a\0b\n").json["query"], "a\0b\n")

    def test_other_methods(self):
        for path in ["/", "/v1/search?q=a", "/metrics"]:
            for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]:
                answer = self.server.get(path, method=method)
                self.assertEqual((answer.status, answer.headers["allow"]), (405, "GET, HEAD"), (path, method))
        for path in ["/else", "/v1", "/v1/search/", "//", "/../etc/passwd", "/v1/%73earch"]:
            self.assertEqual(self.server.get(path).status, 404, path)

    def test_logs(self):
        with Server(self.index, "--log-format", "json") as server:
            server.get("/v1/search?q=%1b%5b31m%0a%00%22")
            server.get("/v1/search?q=a")
            server.raw("GET /\u009b31m\u202e HTTP/1.0\r\n\r\n".encode())
            log = server.log
        lines = [json.loads(line) for line in log.splitlines()]
        self.assertEqual([line["event"] for line in lines][:3], ["listening", "request", "request"])
        self.assertEqual((lines[2]["status"], lines[2]["target"]), (200, "/v1/search?q=a"))
        self.assertEqual(lines[3]["target"], "/%C2%9B31m%E2%80%AE")
        for character in log:
            self.assertTrue(character == "\n" or " " <= character <= "~", repr(log))
        with Server(self.index) as server:
            server.search("a")
            quiet = server.log
        self.assertEqual(len(quiet.splitlines()), 1)
        self.assertIn(" info listening address=", quiet)


if __name__ == "__main__":
    unittest.main()
