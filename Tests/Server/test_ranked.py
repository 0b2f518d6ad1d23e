"""Compares ranked answers, by offset and by cursor, with a plain sort of the same rows."""

import hashlib
import json
import os
import struct
import subprocess
import sys
import threading
import unittest
import urllib.parse

from server import BIN, ENVIRONMENT, ROOT, SAMPLE, SCRATCH, Server, build, places, read_answers, shardq, update, write_rows

sys.path.append(os.path.join(ROOT, "Tests/FormatReader"))
from reader import xxh64  # noqa: E402

WEIGHTED = ["--weight", "population", "--id", "id"]
NAMES = [("Par", "GB", 1248), ("Paris", "FR", 2138551), ("Paris", "US", 24782), ("Parla", "ES", 115611), ("Parma", "IT", 146299),
         ("Parmain", "FR", 5600), ("San Francisco", "US", 864816), ("San Fernando", "PH", 251248), ("Sanaa", "YE", 1937451)]


def rows():
    for number, (name, country, population) in enumerate(NAMES):
        yield {"id": f"n{number}", "name": name, "country": country, "population": str(population), "lat": "48", "lon": "2", "build": ""}
    for number, row in enumerate(places(3000)):
        # Many have the same weight, and some have none.
        row["population"] = ["", "0", "7", str(number), str(number * number)][number % 5]
        yield {"id": f"p{number}", **row}


def write_lines(rows, path):
    with open(path, "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def forged(cursor, edits=0, score=0, weight=0, position=0):
    """A cursor of the same query and generation that is behind another rank."""
    content = bytes.fromhex(cursor)[:17] + struct.pack("<BiQqQ", edits, score, weight, position, 0)
    return (content + struct.pack("<I", xxh64(content) & 0xFFFFFFFF)).hex()


class Ranked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = list(rows())
        cls.index = build(cls.rows, "ranked", *WEIGHTED)
        cls.server = Server(cls.index)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def search(self, query, server=None, **parameters):
        answer = (server or self.server).search(query, **parameters)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def problem(self, parameter, query="", server=None, **parameters):
        answer = (server or self.server).search(query, **parameters)
        self.assertEqual((answer.status, answer.headers["content-type"]), (400, "application/problem+json"), parameters)
        self.assertEqual(answer.json["parameter"], parameter, parameters)
        return answer.json["detail"]

    def weight(self, record):
        return int(record["population"] or 0)

    def wanted(self, query):
        """The matches by rank: a whole name has 64 times its weight, on a scale of 2,048 steps an octave."""

        def score(record):
            weight = self.weight(record)
            high = weight.bit_length() - 1
            code = 0 if weight == 0 else min(65535, 2048 * high + ((weight << 11 >> high) - 2048) + 1)
            return code + (6 * 2048 if query and record["name"].lower() == query else 0)

        found = self.search(query, sort="key", limit=1000)
        records = found["matches"]
        while len(records) < found["count"]:
            records += self.search(query, sort="key", limit=1000, offset=len(records))["matches"]
        return [record for _, record in sorted(
            enumerate(records), key=lambda item: (-score(item[1]), -self.weight(item[1]), item[0]))]

    def test_the_heaviest_first(self):
        for query, names in [("par", ["Paris, FR", "Parma, IT", "Parla, ES", "Par, GB", "Paris, US", "Parmain, FR"]),
                             ("san", ["Sanaa, YE", "San Francisco, US", "San Fernando, PH"]),
                             ("paris", ["Paris, FR", "Paris, US"]), ("paris us", ["Paris, US"]), ("san f", ["San Francisco, US"])]:
            answer = self.search(query, display="true")
            self.assertEqual([shown["label"] for shown in answer["display"]][:len(names)], names)
            self.assertEqual((answer["sort"], answer["complete"], answer["offset"]), ("rank", True, 0))
            self.assertNotIn("cursor", answer)
            self.assertEqual(answer["count"], self.search(query, sort="key")["count"])
        self.assertEqual(self.search("par", display="true")["display"][1]["match"], [[0, 3]])
        self.assertEqual(self.search("zzzz")["matches"], [])

    def test_answers_are_those_of_a_plain_sort(self):
        for query in ["", "a", "b", "pa", "par", "paris", "s", "zz"]:
            wanted = self.wanted(query)
            for limit, offset in [(1, 0), (20, 0), (64, 0), (65, 0), (1000, 0), (7, 3), (1000, 1000), (5, 9999), (50, 2990)]:
                answer = self.search(query, limit=limit, offset=offset, sort="rank")
                self.assertEqual(answer["matches"], wanted[offset:offset + limit], (query, limit, offset))
                self.assertEqual("cursor" in answer, offset + limit < len(wanted), (query, limit, offset))
                self.assertEqual((answer["count"], answer["total"]), (len(wanted), len(wanted)))

    def test_pages_by_cursor_are_pages_by_offset(self):
        for query in ["", "a", "par"]:
            wanted = self.wanted(query)
            for limit in [1, 7, 500]:
                found, cursor, most = [], None, min(len(wanted), limit * 10)
                while len(found) < most:
                    answer = self.search(query, limit=limit, **({"after": cursor} if cursor else {}))
                    self.assertEqual(answer["offset"], 0)
                    found += answer["matches"]
                    cursor = answer.get("cursor")
                    if cursor is None:
                        break
                self.assertEqual(found, wanted[:len(found)])
                self.assertGreaterEqual(len(found), most)
                # A page that continues after an offset.
                if len(wanted) > limit + 20:
                    cursor = self.search(query, limit=limit, offset=20)["cursor"]
                    self.assertEqual(
                        self.search(query, limit=9, after=cursor)["matches"], wanted[20 + limit:29 + limit])
        self.assertNotIn("cursor", self.search("par", limit=20))

    def test_formats(self):
        wanted = self.wanted("a")[5:10]
        for format, kind in [("jsonl", "application/x-ndjson"), ("geojson", "application/geo+json")]:
            answer = self.server.search("a", limit=5, offset=5, format=format)
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, kind))
            if format == "jsonl":
                found = [json.loads(line) for line in answer.body.splitlines()]
            else:
                found = [feature["properties"] for feature in answer.json["features"]]
            self.assertEqual([record["id"] for record in found], [record["id"] for record in wanted])
            cursor = answer.headers["shardq-cursor"]
            self.assertEqual(cursor, self.search("a", limit=5, offset=5)["cursor"])
            self.assertEqual(self.server.search("a", limit=5, after=cursor, format=format).body,
                             self.server.search("a", limit=5, offset=10, format=format).body)
        self.assertNotIn("shardq-cursor", self.server.search("par", format="jsonl").headers)

    def test_sort_by_key_is_the_answer_of_an_index_without_ranks(self):
        plain = build(self.rows, "ranked-plain", "--id", "id")
        with Server(plain) as server:
            for query in ["", "par", "b", "zz"]:
                for options in [{}, {"limit": 1000}, {"offset": 50_000}, {"format": "jsonl"}, {"format": "geojson"},
                                {"display": "true"}, {"seq": 3, "offset": 2}]:
                    ranked, other = self.server.search(query, sort="key", **options), server.search(query, **options)
                    self.assertEqual(server.search(query, sort="key", **options).body, other.body)
                    # The cursors differ only in the generation.
                    names = [this.json.get("generation", "-") if options.get("format") is None else "-" for this in (ranked, other)]
                    self.assertEqual(ranked.body.replace(names[0].encode(), b"-"), other.body.replace(names[1].encode(), b"-"))
                    self.assertNotIn("shardq-cursor", ranked.headers)
            self.assertIn("--weight", self.problem("sort", server=server, sort="rank"))
            self.assertIn("sort=rank", self.problem("after", server=server, after=self.search("", limit=1)["cursor"]))
            self.assertEqual(server.search("par").json["sort"], "key")

    def test_wrong_cursors_and_offsets(self):
        cursor = self.search("a", limit=3)["cursor"]
        self.assertIn("another query", self.problem("after", "b", after=cursor))
        for wrong in ["x", "0" * 84, "0" * 83, cursor[:-1], cursor + "0", cursor.upper(), cursor[:-1] + ("0" if cursor[-1] != "0" else "1"),
                      "1" + cursor[1:], "é" * 42, "\0" * 84, " " + cursor]:
            self.assertIn("not a cursor", self.problem("after", "a", after=wrong))
        self.assertIn("sort=rank", self.problem("after", "a", after=cursor, sort="key"))
        self.assertIn("after", self.problem("offset", "a", after=cursor, offset=1))
        self.assertEqual(self.search("a", after=cursor, offset=0)["matches"], self.search("a", after=cursor)["matches"])
        self.assertEqual(self.search("a", after="")["matches"], self.search("a")["matches"])
        self.assertIn("after", self.problem("offset", offset=10_001))
        self.assertIn("10000", self.problem("offset", offset=4_294_967_295))
        self.problem("offset", offset=4_294_967_296)
        self.assertEqual(self.search("", offset=10_000, limit=1000)["matches"], [])
        self.problem("sort", sort="weight")
        self.problem("sort", sort="")
        answer = self.server.get(f"/v1/search?q=a&after={cursor}&after={cursor}")
        self.assertEqual((answer.status, answer.json["parameter"]), (400, "after"))
        # The same text in other letters is the same query.
        self.assertEqual(self.search("A", after=cursor)["matches"], self.search("a", after=cursor)["matches"])

    def test_forged_cursors_lead_to_hits_or_are_refused(self):
        for query in ["", "a", "par"]:
            cursor, wanted = self.search(query, limit=3)["cursor"], self.wanted(query)
            for at in range(0, len(cursor), 3):
                for digit in "0f":
                    self.assertIn(self.server.search(query, after=cursor[:at] + digit + cursor[at + 1:]).status, [200, 400])
            high, low = (1 << 31) - 1, -(1 << 31)
            for rank, found in [
                ({"score": high, "weight": (1 << 64) - 1, "position": -1}, wanted), ({"score": high, "position": (1 << 63) - 1}, wanted),
                ({"score": low, "position": low}, []), ({"edits": 255, "score": high}, []), ({"score": -1}, []),
            ]:
                answer = self.search(query, after=forged(cursor, **rank))
                self.assertEqual(answer["matches"], found[:20], rank)
            for record in wanted[:50:7]:
                place = wanted.index(record)
                cursor = self.search(query, limit=place + 1).get("cursor")
                if cursor:
                    edits, score, weight, position = struct.unpack("<BiQq", bytes.fromhex(cursor)[17:38])
                    self.assertEqual((edits, weight, forged(cursor, edits, score, weight, position)),
                                     (0, self.weight(record), cursor))

    def test_a_search_opens_so_many_parts_and_no_more(self):
        path = os.path.join(SCRATCH, "ranked-deep")
        source = write_rows([{"name": hashlib.sha256(b"%d" % number).hexdigest(), "weight": str(number % 50_000)}
                             for number in range(280_000)], path + ".csv")
        status, _, error = shardq("build", source, "--key", "{name}", "--index", path, "--part-size", "512B", "--weight", "weight")
        self.assertEqual(status, 0, error)
        with Server(path) as server:
            answer = self.search("", server, limit=1000, offset=9000)
            last = forged(answer["cursor"], score=-1)
            detail = self.problem("after", server=server, after=last)
            self.assertRegex(detail, "16384 parts.*sort=key")
            # Other questions are answered meanwhile.
            threads = [threading.Thread(target=server.search, args=("",), kwargs={"after": last}) for _ in range(4)]
            for thread in threads:
                thread.start()
            self.assertEqual(server.get("/healthz").status, 200)
            self.assertEqual(len(self.search("", server, limit=20)["matches"]), 20)
            for thread in threads:
                thread.join()
            self.assertEqual(len(self.search("", server, sort="key", offset=279_990)["matches"]), 10)
            with open(f"/proc/{server.server_process}/status") as file:
                peak = next(int(line.split()[1]) >> 10 for line in file if line.startswith("VmHWM"))
            self.assertLess(peak, 200)

    def test_damaged_ranks_are_an_error_of_ranked_answers_alone(self):
        index = build(self.rows, "ranked-damaged", *WEIGHTED)
        path = os.path.join(index, "manifest")
        with open(path, "r+b") as file:
            # The ranks end the file.
            file.seek(-20, os.SEEK_END)
            byte = file.read(1)
            file.seek(-20, os.SEEK_END)
            file.write(bytes([byte[0] ^ 0xFF]))
        with Server(index) as server:
            for path, status in [("/v1/search?q=", 500), ("/api?q=par", 500), ("/v1/search?q=&sort=key", 200),
                                 ("/v1/search?q=par&sort=key&offset=1", 200), ("/v1/status", 200)]:
                self.assertEqual(server.get(path).status, status, path)
            self.assertIn("manifest", server.log)

    def test_a_cursor_belongs_to_a_generation(self):
        index = build(self.rows[:500], "ranked-moving", *WEIGHTED)
        with Server(index, "--reload-interval", "0.05") as server:
            answer = self.search("", server, limit=3)
            for options in [["--overlay"], []]:
                generation = self.search("", server)["generation"]
                update(index, [{**self.rows[0], "population": str(10**9 + len(options))}], [], *options)
                server.wait_for(lambda: self.search("", server)["generation"] != generation, "the new generation")
                self.assertIn("another generation", self.problem("after", server=server, after=answer["cursor"]))
                answer = self.search("", server, limit=3)
                self.assertEqual(answer["matches"][0]["id"], "n0")

    def test_over_an_overlay(self):
        index = build(self.rows, "ranked-overlaid", *WEIGHTED)
        update(index, [{**self.rows[0], "population": "99999999"}, {**self.rows[0], "id": "new", "name": "Paria", "population": "50"}],
               [self.rows[1]], "--overlay")
        with Server(index) as server:
            answer = self.search("par", server)
            self.assertEqual([record["name"] for record in answer["matches"]][:6],
                             ["Par", "Parma", "Parla", "Paris", "Parmain", "Paria"])
            self.assertEqual((answer["count"], "cursor" in answer), (len(answer["matches"]), False))
            self.assertEqual(self.search("", server, limit=1000)["count"], len(self.rows))

    def test_unchanged_answers_cost_nothing(self):
        answer = self.server.search("par")
        again = self.server.get("/v1/search?q=par", headers={"If-None-Match": answer.headers["etag"]})
        self.assertEqual((again.status, again.headers["shardq-cost"].split(",")[1:]), (304, [" loads=0", " bytes=0"]))

    def test_what_is_in_memory_is_answered_where_it_was_asked(self):
        with Server(self.index, "--reload-interval", "3600") as server:
            targets = [f"/v1/search?q={query}&limit=20" for query in ["", "a", "b", "par", "san"]] + ["/api?q=par", "/api?q=a&limit=9"]
            wanted = [server.get(target).body for target in targets]
            before = server.metrics()
            with server.socket() as connection:
                for target in targets * 3:
                    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                self.assertEqual(read_answers(connection, len(targets) * 3), [(200, body) for body in wanted] * 3)
            after = server.metrics()
            for name in ["shardq_questions_handed_over_total", "shardq_shard_loads_total"]:
                self.assertEqual(after[name], before[name], name)
            # A query for many records, skipped ones included, is handed over.
            for count, parameters in enumerate([{"limit": 65}, {"limit": 1, "offset": 500}], 1):
                self.search("", server, **parameters)
                self.assertEqual(server.metrics()["shardq_questions_handed_over_total"] - after["shardq_questions_handed_over_total"], count)

    def test_a_total_that_nobody_asks_for_loads_nothing(self):
        path = os.path.join(SCRATCH, "ranked-counted")
        source = write_lines([{"name": f"Old City {number}", "w": number} for number in range(5000)], path + ".jsonl")
        status, _, error = shardq("build", source, "--key", "{name}", "--index", path, "--weight", "w", "--words")
        self.assertEqual(status, 0, error)
        with Server(path) as server:
            def loads(answer): return int(answer.headers["shardq-cost"].split("loads=")[1].split(",")[0])
            first = server.search("city", limit=3)
            self.assertEqual([first.json[name] for name in ("total", "totalIsExact", "keys")], [3, False, 0])
            all_of_them = server.search("city", limit=3, total="exact")
            self.assertEqual([all_of_them.json[name] for name in ("total", "totalIsExact")], [5000, True])
            self.assertLess(loads(first), loads(all_of_them))

    def test_words_and_other_names(self):
        path = os.path.join(SCRATCH, "ranked-names")
        rows = [{"name": "New York", "country": "US", "w": 8000000, "lat": 40.7, "lon": -74, "names": ["NYC", "Gotham 👍🏽 x"]},
                {"name": "York", "country": "GB", "w": 150000, "lat": 54, "lon": -1, "names": ["Eboracum"]},
                {"name": "East York", "country": "CA", "w": 100000, "lat": 43.7, "lon": -79.3},
                *({"name": f"Yorkton {number}", "country": "CA", "w": number, "lat": 51, "lon": -102} for number in range(200))]
        source = write_lines(rows, path + ".jsonl")
        status, _, error = shardq("build", source, "--key", "{name}, {country}", "--index", path, "--weight", "w", "--words", "--alias", "names")
        self.assertEqual(status, 0, error)
        with Server(path) as server:
            answer = self.search("york", server, display="true", limit=3)
            self.assertEqual([(shown["label"], shown["match"]) for shown in answer["display"]],
                             [("York, GB", [[0, 4]]), ("New York, US", [[4, 8]]), ("East York, CA", [[5, 9]])])
            # The search knows the keys that begin with the text, and other matches follow.
            def number(answer): return [answer[name] for name in ("count", "total", "totalIsExact", "keys")]
            self.assertEqual(number(answer), [201, 201, False, 201])
            counted = server.search("york", limit=3, total="exact", display="true")
            self.assertEqual(number(counted.json), [203, 203, True, 201])
            self.assertEqual((counted.headers["shardq-count"], counted.json["matches"]), ("203", answer["matches"]))
            self.assertEqual(server.search("york", limit=3).headers["shardq-count"], "201+")
            self.assertEqual(number(self.search("york", server, limit=3, total="exact", after=answer["cursor"])), [203, 203, True, 201])
            self.assertEqual(number(self.search("york", server, sort="key")), [201, 201, True, 201])
            self.assertEqual(server.search("york", total="some").json["parameter"], "total")
            found, cursor = answer["matches"], answer["cursor"]
            while cursor:
                answer = self.search("york", server, limit=50, after=cursor)
                found, cursor = found + answer["matches"], answer.get("cursor")
            self.assertEqual(sorted(record["name"] for record in found), sorted(row["name"] for row in rows))
            self.assertEqual(self.search("york", server, limit=1, offset=203), {**self.search("york", server, limit=1, offset=203), "total": 203, "matches": []})
            name = self.search("nyc", server, display="true")
            self.assertEqual((number(name), "cursor" in name), ([1, 1, True, 0], False))
            self.assertEqual(name["display"], [{"label": "New York, US", "name": "NYC", "match": [[0, 3]], "latitude": 40.7, "longitude": -74}])
            self.assertEqual(self.search("gotham 👍", server, display="true")["display"][0]["match"], [[0, 11]])
            self.assertEqual(self.search("york n", server, display="true")["display"][0]["match"], [[0, 1], [4, 8]])
            self.assertEqual(self.search("york n", server, sort="key")["matches"], [])
            self.assertEqual(self.search("nycx", server)["nearest"], "nyc")
            self.assertEqual(self.search("nycx", server, sort="key")["nearest"], "n")
            self.assertNotIn("nearest", self.search("q", server))
            features = server.get("/api?q=york&limit=300").json["features"]
            self.assertEqual(len(features), 203)
            self.assertEqual([feature["properties"]["name"] for feature in server.get("/api?q=york&countrycode=US").json["features"]], ["New York"])

    def test_the_heaviest_places_of_a_box_come_first(self):
        placed = [(number, row) for number, row in enumerate(self.search_all()) if row["lat"] not in ("", "91")]
        for west, south, east, north in [(-180, -90, 180, 90), (0, 0, 30.5, 30.5), (2, 48, 2, 48)]:
            inside = [self.weight(row) for _, row in placed if west <= float(row["lon"]) <= east and south <= float(row["lat"]) <= north]
            for limit in [1, 9, 1000]:
                answer = self.server.get(f"/v1/within?west={west}&south={south}&east={east}&north={north}&limit={limit}").json
                weights = [self.weight(self.search("", sort="key", offset=place["position"], limit=1)["matches"][0])
                           for place in answer["places"][:20]]
                self.assertEqual(weights, sorted(inside, reverse=True)[:min(limit, 20)])
                self.assertEqual((answer["more"], answer["sort"]), (len(inside) > limit, "rank"))

    def search_all(self):
        return self.wanted("")

    def test_photons_clients(self):
        def ids(query, **parameters):
            answer = self.server.get("/api?" + urllib.parse.urlencode({"q": query, **parameters}))
            self.assertEqual(answer.status, 200, answer.body)
            return [feature["properties"]["extra"]["id"] for feature in answer.json["features"]]

        def placed(record):
            return record["lat"] not in ("", "91")

        self.assertEqual(ids("par", limit=3), ["n1", "n4", "n3"])
        self.assertEqual(ids("par", countrycode="US"), ["n2"])
        for query in ["a", "b", "s", "par"]:
            wanted = [record for record in self.wanted(query) if placed(record)]
            for limit in [1, 15, 1000]:
                self.assertEqual(ids(query, limit=limit), [record["id"] for record in wanted][:limit])
                self.assertEqual(ids(query, limit=limit, countrycode="AX"),
                                 [record["id"] for record in wanted if record["country"] == "AX"][:limit])
                north = [record["id"] for record in wanted if 0 <= float(record["lat"]) <= 90]
                self.assertEqual(ids(query, limit=limit, bbox="-180,0,180,90"), north[:limit])

    def test_a_filter_reads_so_many_matches_and_no_more(self):
        index = build([{"id": str(number), "name": f"M{number:05}", "country": "ZZ" if number == 7 else "XX", "lat": "1", "lon": "1",
                        "population": str(number)} for number in range(12_000)], "ranked-many", *WEIGHTED)
        with Server(index) as server:
            answer = server.get("/api?q=m&countrycode=ZZ")
            self.assertEqual((answer.status, answer.json["parameter"]), (400, "q"))
            self.assertRegex(answer.json["detail"], "12000 names match.* 10000 .*more letters")
            first = server.get("/api?q=m&countrycode=XX&limit=1000").json["features"]
            self.assertEqual([feature["properties"]["extra"]["id"] for feature in first], [str(number) for number in range(11_999, 10_999, -1)])
            self.assertEqual(len(server.get("/api?q=m00&countrycode=ZZ").json["features"]), 1)
            # The last page by offset, and on by cursor to the end.
            answer = self.search("m", server, limit=1000, offset=10_000)
            self.assertEqual([record["id"] for record in answer["matches"]], [str(number) for number in range(1_999, 999, -1)])
            answer = self.search("m", server, limit=1000, after=answer["cursor"])
            self.assertEqual([record["id"] for record in answer["matches"]], [str(number) for number in range(999, -1, -1)])
            rest = self.search("m", server, after=answer["cursor"]) if "cursor" in answer else {"matches": []}
            self.assertEqual((rest["matches"], "cursor" in rest), ([], False))

    def test_weights_of_one_kind(self):
        for name, weight in [("none", lambda number: "" if number else "0"), ("same", lambda _: "5"), ("huge", lambda _: "99999999999999999999999"),
                             ("negative", lambda number: str(-number)), ("fractions", lambda number: f"{number}.9")]:
            rows = [{"id": str(number), "name": f"N{number:03}", "country": "XX", "population": weight(number)} for number in range(300)]
            with Server(build(rows, "ranked-" + name, *WEIGHTED)) as server:
                order = range(299, -1, -1) if name == "fractions" else range(300)
                answer = self.search("n", server, limit=1000)
                self.assertEqual([record["id"] for record in answer["matches"]], [str(number) for number in order], name)
        with Server(build([{"id": "1", "name": "One", "country": "XX", "population": "1"}], "ranked-one", *WEIGHTED)) as server:
            self.assertEqual(len(self.search("o", server)["matches"]), 1)
            self.assertEqual(len(self.search("x", server)["matches"]), 0)

    def test_keys_that_are_not_stored(self):
        path = os.path.join(SCRATCH, "ranked-unstored")
        status, _, error = shardq("build", os.path.join(SCRATCH, "ranked.csv"), "--key", "{name}, {country}", "--keep",
                                  "country,lat,lon,population", "--weight", "population", "--index", path)
        self.assertEqual(status, 0, error)
        with Server(path) as server:
            answer = self.search("par", server, display="true", limit=2)
            self.assertEqual([shown["label"] for shown in answer["display"]], ["paris, fr", "parma, it"])
            self.assertEqual(server.get("/api?q=par").json["features"][0]["properties"]["name"], "paris, fr")

    def test_large_records(self):
        """Records of 15 MB each: the server refuses an answer that is too large, and takes little memory before."""
        path = os.path.join(SCRATCH, "ranked-heavy")
        with subprocess.Popen(
                [os.path.join(BIN, "shardq"), "build", "--key", "{name}", "--weight", "w", "--index", path, "--input-format", "jsonl",
                 "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT) as process:
            for number in range(10):
                process.stdin.write(b'{"name":"n%d","w":%d,"t":"' % (number, number) + b"a" * 15_000_000 + b'"}\n')
        self.assertEqual(process.returncode, 0)
        with Server(path) as server:
            answer = server.search("n", limit=20)
            self.assertEqual(answer.status, 503)
            self.assertRegex(answer.json["detail"], "Ask ")
            with open(f"/proc/{server.server_process}/status") as file:
                peak = next(int(line.split()[1]) >> 10 for line in file if line.startswith("VmHWM"))
            self.assertLess(peak, 352)

    def test_the_sample_has_no_ranks(self):
        with Server(SAMPLE) as server:
            self.assertEqual(self.search("sao", server)["sort"], "key")
            self.assertIn("shardq build --weight", self.problem("sort", "sao", server, sort="rank"))


class Corrected(unittest.TestCase):
    """Typing errors, in an index that corrects them and in one that does not."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(build(list(rows()), "corrected", *WEIGHTED, "--typos"))
        cls.bare = Server(build(list(rows()), "uncorrected", *WEIGHTED))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.bare.close()

    def test_corrections(self):
        answer = self.server.search("pariss").json
        self.assertEqual([row["country"] for row in answer["matches"][:2]], ["FR", "US"])
        self.assertEqual((answer["correction"], answer["keys"], answer["complete"]), ("Paris", 0, True))
        self.assertNotIn("correction", self.server.search("paris").json)
        self.assertEqual(self.server.search("pariss", typos="none").json["matches"], [])

    def test_the_fewest_errors(self):
        short = 0
        for text in ("pariss", "parid", "berlni", "lonodn", "paris", "zzzzzz"):
            whole, fewest = (self.server.search(text, hits="true", **more).json for more in ({}, {"typos": "min"}))
            least = [hit["edits"] for hit in whole["hits"]].count(whole["hits"][0]["edits"]) if whole["hits"] else 0
            self.assertEqual(fewest["matches"], whole["matches"][:least], text)
            self.assertTrue(whole["complete"] and (fewest["complete"] or whole["correction"]), text)
            self.assertTrue(least == len(whole["matches"]) or not fewest["complete"], text)
            short += least < len(whole["matches"])
        self.assertGreater(short, 0)
        # An index that corrects no errors has no such records to leave out.
        self.assertEqual(self.bare.search("pariss", typos="min").json["matches"], [])
        self.assertTrue(self.bare.search("paris", typos="min").json["complete"])

    def test_refusals(self):
        self.assertEqual(self.bare.search("pariss").json["matches"], [])
        for server, parameters in [(self.bare, {"typos": "auto"}), (self.server, {"typos": "all"}), (self.server, {"typos": "auto", "sort": "key"})]:
            answer = server.search("pariss", **parameters)
            self.assertEqual(answer.status, 400)
            self.assertEqual(answer.json["parameter"], "typos")


if __name__ == "__main__":
    unittest.main()
