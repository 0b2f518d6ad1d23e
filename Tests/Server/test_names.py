"""Tests a server of several indexes, each with a name."""

import json
import os
import re
import unittest

from server import SAMPLE, SCRATCH, Server, build, places, shardq, update


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = places(200)
        cls.places = build(cls.rows, "names-places", "--id", "name")
        cls.server = cls.serve()
        cls.alone = {"cities": Server(SAMPLE), "Two-2_": Server(cls.places)}

    @classmethod
    def tearDownClass(cls):
        for server in [cls.server, *cls.alone.values()]:
            server.close()

    @classmethod
    def serve(cls, *arguments):
        return Server("cities=" + SAMPLE, "--index", "Two-2_=" + cls.places, *arguments)

    ROUTES = ["/v1/search?q=s&limit=3", "/v1/facets?field=country", "/v1/within?west=0&south=0&east=90&north=90&limit=5",
              "/v1/dots", "/api?q=s", "/reverse?lat=1&lon=2", "/status", "/v1/record/Pol", "/", "/shardq-box.js",
              "/v1/openapi.json", "/healthz", "/structured", "/else", "/v1/search?x=1", "/v1/else"]

    def test_each_index_answers_as_alone(self):
        for name, alone in self.alone.items():
            for route in self.ROUTES:
                wanted = alone.get(route)
                paths = ["/" + name + route] + (["/v1/" + name + route[3:]] if route.startswith("/v1/") else [])
                for path in paths:
                    answer = self.server.get(path)
                    self.assertEqual((answer.status, answer.body), (wanted.status, wanted.body), path)
                    self.assertEqual(answer.headers.get("etag"), wanted.headers.get("etag"), path)
                    if "etag" in wanted.headers:
                        again = self.server.get(path, headers={"If-None-Match": wanted.headers["etag"]})
                        self.assertEqual(again.status, 304, path)
            state = self.server.get(f"/v1/{name}/status").json
            self.assertEqual(state["generation"], alone.get("/v1/status").json["generation"])

    def test_a_path_without_a_name_lists_the_names(self):
        for path in ["/v1/search?q=s", "/v1/record/1", "/v1/within", "/api?q=s", "/reverse", "/status", "/v1/dots", "/v1/facets",
                     "/v1/towns/search?q=s", "/towns/", "/cities", "/v1/cities", "/v1/CITIES/search", "/v1/cities/../search",
                     "//cities/", "/v1//cities/search", "/v1/v1/search"]:
            answer = self.server.get(path)
            self.assertEqual((answer.status, answer.headers["content-type"]), (404, "application/problem+json"), path)
            if "/../" not in path:
                self.assertIn("The indexes are cities, Two-2_; ask for /v1/cities/search.", answer.json["detail"], path)
        page = self.server.get("/")
        self.assertEqual(re.findall(r'<a href="([^"]*)">', page.body.decode()), ["cities/", "Two-2_/"])
        self.assertEqual(self.server.get("/", headers={"If-None-Match": page.headers["etag"]}).status, 304)
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        self.assertEqual(self.server.get("/?x=1").status, 200)
        self.assertEqual(self.server.get("/v1/status").json["indexes"], ["cities", "Two-2_"])
        self.assertEqual(self.server.get("/v1/status?x=1").status, 400)
        for path in ["/healthz", "/shardq-box.js", "/v1/openapi.json"]:
            self.assertEqual(self.server.get(path).status, 200)

    def test_the_title_is_escaped(self):
        with self.serve("--title", "<b>&\"") as server:
            self.assertIn("<title>&lt;b&gt;&amp;&quot;</title>", server.get("/").body.decode())

    def test_one_index_may_have_a_name(self):
        with Server("a=" + SAMPLE) as server:
            self.assertEqual(server.get("/v1/a/search?q=reyk").json["count"], 1)
            self.assertEqual(server.search("reyk").status, 404)
        link = os.path.join(SCRATCH, "with=sign")
        os.symlink(SAMPLE, link)
        with Server(link) as server:  # The text before the sign has a slash.
            self.assertEqual(server.search("reyk").json["count"], 1)

    def test_metrics_have_the_name(self):
        with self.serve() as server:
            server.get("/v1/cities/search?q=reyk")
            server.get("/v1/cities/search?q=zzzz")
            server.get("/Two-2_/v1/search?q=pol&x=1")
            server.search("reyk")
            server.raw(b"x\r\n\r\n")
            text = server.get("/metrics").body.decode()
            values = server.metrics()
        for key, value in [
                ('requests_total{index="cities",route="search",status="200"}', 2),
                ('requests_total{index="Two-2_",route="search",status="400"}', 1),
                ('requests_total{route="search",status="404"}', 1), ('requests_total{route="none",status="400"}', 1),
                ('answers_without_match_total{index="cities"}', 1), ('answers_without_match_total{index="Two-2_"}', 0),
                ('records{index="cities"}', 2344), ('records{index="Two-2_"}', len(self.rows)),
                ('request_duration_seconds_count{index="cities",route="search"}', 2)]:
            self.assertEqual(values.get("shardq_" + key), value, key)
        samples = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(len(samples), len(set(samples)), "no sample stands twice")
        for family in re.findall(r"(?m)^# TYPE (\S+)", text):
            self.assertEqual(text.count(f"# TYPE {family} "), 1, family)

    def test_each_index_reloads_by_itself(self):
        one, two = (build(self.rows, "names-" + name, "--id", "name") for name in ("one", "two"))
        with Server("one=" + one, "-i", "two=" + two, "--reload-interval", "0.05", "--log-format", "json") as server:
            def generations():
                return [server.get(f"/v1/{name}/status").json["generation"] for name in ("one", "two")]

            before = generations()
            update(two, [{**self.rows[20], "lat": "1.5"}])
            server.wait_for(lambda: generations()[1] != before[1], "the update is noticed")
            self.assertEqual(generations()[0], before[0])
            with open(os.path.join(one, "manifest"), "r+b") as file:
                file.truncate(100)
            server.wait_for(lambda: "reload failed" in server.log, "the damage is noticed")
            self.assertEqual(server.get("/v1/two/search?q=pol").status, 200)
            values = server.metrics()
            self.assertEqual(values['shardq_failed_reloads_total{index="one"}'], 1)
            self.assertEqual(values['shardq_failed_reloads_total{index="two"}'], 0)
            lines = [json.loads(line) for line in server.log.splitlines()]
        said = {(line["event"], line.get("index")) for line in lines if line["event"] != "request"}
        self.assertEqual(said, {("listening", "one"), ("listening", "two"), ("reloaded", "two"), ("reload failed", "one")})

    def test_the_address_as_json(self):
        with self.serve("--json") as server:
            self.assertEqual(json.loads(server.url)["indexes"], [SAMPLE, self.places])

    def test_wrong_names_are_refused(self):
        for values, message in [
                (["a=" + SAMPLE, "a=" + self.places], "two indexes have the name a"),
                ([SAMPLE, "b=" + self.places], "has no name; with several indexes write NAME="),
                (["b=" + self.places, SAMPLE], "has no name"), ([SAMPLE, self.places], "has no name"),
                (["search=" + SAMPLE], "search is a path of the server"), (["v1=" + SAMPLE], "v1 is a path of the server"),
                (["=" + SAMPLE], "the name before = is empty"), (["..=" + SAMPLE], ".. is not a name"),
                (["a b=" + SAMPLE], "a b is not a name"), (["\u00e4=" + SAMPLE], "is not a name"), (["-a=" + SAMPLE], "-a"),
                (["a" * 65 + "=" + SAMPLE], "is not a name"), (["a="], "a has no directory; write a=DIR"),
                (["a=" + SAMPLE, ""], "missing value"), ([""], "missing value")]:
            options = [f"--index={value}" for value in values]
            status, said, error = shardq("serve", *options, "--listen", "127.0.0.1:0")
            self.assertEqual((status, said), (64, ""), values)
            self.assertIn(message, error)
        digest = json.loads(shardq("stats", "-i", SAMPLE, "--format", "json")[1])["manifest_sha256"]
        status, _, error = shardq("serve", "-i", "a=" + SAMPLE, "-i", "b=" + SAMPLE, "--expect-digest", digest)
        self.assertEqual(status, 64)
        self.assertIn("--expect-digest", error)

    def test_an_index_that_is_missing(self):
        missing = os.path.join(SCRATCH, "nowhere")
        status, said, error = shardq("serve", "-i", "a=" + SAMPLE, "-i", "b=" + missing, "--listen", "127.0.0.1:0")
        self.assertEqual((status, said), (66, ""))
        self.assertIn(missing, error)
        # A field of the page has to be in each index.
        status, _, error = shardq("serve", "-i", "a=" + SAMPLE, "-i", "b=" + self.places, "--fields", "population")
        self.assertEqual(status, 64, error)
        self.assertIn("population", error)


if __name__ == "__main__":
    unittest.main()
