"""Compares filters and nearness of the server with the rows of the list."""

import math
import unittest

from server import Server, build
from test_ranked import rows

BUILT = ["--weight", "population", "--filter", "country", "--near"]


class Filters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = list(rows())
        cls.server = Server(build(cls.rows, "filtered", *BUILT))
        cls.plain = Server(build(cls.rows, "unfiltered", "--weight", "population"))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.plain.close()

    def search(self, query, status=200, server=None, **parameters):
        answer = (server or self.server).search(query, **parameters)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json

    def test_filters(self):
        for country in sorted({row["country"] for row in self.rows})[:6]:
            wanted = sorted(row["id"] for row in self.rows if row["country"] == country and row["name"].lower().startswith("p"))
            answer = self.search("p", limit=1000, filter=f"country={country.lower()}")
            self.assertEqual(sorted(record["id"] for record in answer["matches"]), wanted)
            self.assertEqual(answer["total"], len(wanted))
        names = [record["name"] for record in self.search("par", limit=3, filter="country=US")["matches"]]
        self.assertEqual(names[0], "Paris")

    def test_several_values(self):
        path = "/v1/search?q=par&limit=1000&filter=country%3DUS&filter=country%3Dfr"
        found = self.server.get(path).json["matches"]
        self.assertEqual({record["country"] for record in found}, {"US", "FR"})
        joined, cursor = [], ""
        while True:
            answer = self.server.get(path.replace("1000", "1") + "&after=" + cursor).json
            joined += answer["matches"]
            cursor = answer.get("cursor", "")
            if not cursor:
                break
        self.assertEqual(joined, found)

    def counted(self, rows):
        counts = {}
        for row in rows:
            counts[row["country"]] = counts.get(row["country"], 0) + 1
        return [{"value": value, "count": count} for value, count in sorted(counts.items(), key=lambda each: (-each[1], each[0].lower()))]

    def test_facets(self):
        found = [row for row in self.rows if row["name"].lower().startswith("p")]
        wanted = self.counted(found)
        for sort in "rank", "key":
            facet, = self.search("p", facets="country", sort=sort)["facets"]
            self.assertEqual(facet, {"field": "country", "values": wanted[:10], "exact": True, "more": len(wanted) > 10})
        path = "/v1/search?q=p&facets=country,country&facets=country&facet-limit=2&filter=country%3DUS"
        answer = self.server.get(path).json
        self.assertEqual(answer["facets"], [{"field": "country", "values": wanted[:2], "exact": True, "more": True}])
        self.assertEqual(answer["total"], sum(row["country"] == "US" for row in found))
        self.assertNotIn("facets", self.search("p"))
        self.assertEqual(self.server.get("/v1/search?q=p&facets=country&format=jsonl").status, 200)
        for parameters in {"facets": "name"}, {"facets": "a,,b"}, {"facet-limit": "101"}:
            self.assertEqual(self.search("p", status=400, **parameters)["parameter"], list(parameters)[0])
        self.assertEqual(self.search("p", status=400, server=self.plain, facets="country")["parameter"], "facets")

    def test_values(self):
        wanted = self.counted(self.rows)
        whole = self.server.get("/v1/facets?field=country").json
        self.assertEqual(whole, {"schema": 1, "field": "country", "values": wanted[:100], "exact": True, "more": len(wanted) > 100})
        some = self.server.get("/v1/facets?field=country&starting-with=U&limit=1")
        self.assertEqual(some.headers["content-type"], "application/json")
        begun = [each for each in wanted if each["value"].startswith("U")]
        self.assertEqual((some.json["values"], some.json["more"]), (begun[:1], len(begun) > 1))
        self.assertEqual(self.server.get("/v1/facets?field=country", headers={"If-None-Match": some.headers["etag"]}).status, 304)
        for path, name in ("", "field"), ("?field=name", "field"), ("?field=country&limit=0", "limit"), ("?field=country&x=1", "x"):
            answer = self.server.get("/v1/facets" + path)
            self.assertEqual((answer.status, answer.json["parameter"]), (400, name))

    def test_near(self):
        near = self.search("s", limit=10, near="48,2")["matches"]
        far = self.search("s", limit=10, near="-48,-178")["matches"]
        self.assertNotEqual([record["id"] for record in near], [record["id"] for record in far])
        self.assertEqual(near[0]["name"], "Sanaa")

    def test_radius(self):
        """The records within the distance, with any filter and on any page."""
        def within(row):
            if "lat" not in row:
                return False
            half = [math.radians(float(row[name]) - degrees) / 2 for name, degrees in (("lat", 48.85), ("lon", 2.35))]
            cosines = math.cos(math.radians(float(row["lat"]))) * math.cos(math.radians(48.85))
            return 12742 * math.asin(math.sqrt(math.sin(half[0]) ** 2 + cosines * math.sin(half[1]) ** 2)) <= 900

        wanted = sorted(row["id"] for row in self.rows if row["name"].lower().startswith("p") and within(row))
        self.assertGreater(len(wanted), 3)
        for radius in "900", "900km", "900000m", "559.23mi":
            answer = self.search("p", limit=1000, near="48.85,2.35", radius=radius, total="exact")
            self.assertEqual(sorted(record["id"] for record in answer["matches"]), wanted)
            self.assertEqual((answer["total"], answer["totalIsExact"]), (len(wanted), True))
        first = self.search("p", limit=2, near="48.85,2.35", radius="900")
        rest = self.search("p", limit=1000, near="48.85,2.35", radius="900", after=first["cursor"])
        self.assertEqual(first["matches"] + rest["matches"], answer["matches"])
        one = self.search("p", limit=1000, near="48.85,2.35", radius="900", filter="country=US")["matches"]
        self.assertEqual(one, [record for record in answer["matches"] if record["country"] == "US"])
        self.assertTrue(0 < len(one) < len(wanted))
        self.assertEqual(self.search("p", near="48.85,2.35", radius="")["total"], self.search("p")["total"])

    def test_wrong_radius(self):
        for radius in "0", "-1", "nan", "inf", "1e9", "x", "20041", "5 km", "km", "0x10":
            answer = self.search("a", status=400, near="1,2", radius=radius)
            self.assertEqual((answer["parameter"], answer["detail"]), (
                "radius", "radius must be a distance above 0 and at most 20,040 km, such as 25, 800m or 10mi."))
        self.assertIn("send near", self.search("a", status=400, radius="5")["detail"])
        self.assertIn("--near", self.search("a", status=400, server=self.plain, near="1,2", radius="5")["detail"])

    def test_photon(self):
        path = "/api?q=p&limit=1000&countrycode=US"
        ids = sorted(row["id"] for row in self.rows if row["country"] == "US" and row["name"].lower().startswith("p"))
        found = self.server.get(path).json["features"]
        self.assertEqual(sorted(feature["properties"]["extra"]["id"] for feature in found), ids)
        same = self.plain.get(path).json["features"]
        self.assertEqual(found, same)
        self.assertEqual(self.server.get("/api?q=par&lat=48&lon=2").status, 200)
        self.assertEqual(self.plain.get("/api?q=par&lat=48&lon=2").json["parameter"], "lat")
        self.assertEqual(self.server.get("/api?q=par&lat=48").json["parameter"], "lat")

    def test_refusals(self):
        for parameters in [{"filter": "country"}, {"filter": "=x"}, {"filter": "name=x"}, {"words": "some"}, {"filter": "country=US", "sort": "key"},
                           {"near": "x"}, {"near": "91,0"}, {"near": "1,2", "sort": "key"}]:
            answer = self.search("a", status=400, **parameters)
            self.assertEqual(answer["parameter"], list(parameters)[0])
        for parameters in {"filter": "country=US"}, {"near": "1,2"}:
            self.assertIn("--" + list(parameters)[0], self.search("a", status=400, server=self.plain, **parameters)["detail"])


if __name__ == "__main__":
    unittest.main()
