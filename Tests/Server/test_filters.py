"""Compares filters and nearness of the server with the rows of the list."""

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

    def test_near(self):
        near = self.search("s", limit=10, near="48,2")["matches"]
        far = self.search("s", limit=10, near="-48,-178")["matches"]
        self.assertNotEqual([record["id"] for record in near], [record["id"] for record in far])
        self.assertEqual(near[0]["name"], "Sanaa")

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
