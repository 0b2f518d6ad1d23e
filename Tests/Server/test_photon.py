"""Tests Photon's interface: every parameter of Photon's page, geopy from PyPI, and requests of libraries for browsers."""

import json
import math
import os
import re
import sys
import unittest
import urllib.parse

from server import PYTHON, SCRATCH, Server, build, shardq

NAMES = [("Paris", "FR", 48.85341, 2.3488), ("Paris", "CA", 43.2, -80.38333), ("Parisot", "FR", 44.26, 1.86),
         ("Par", "GB", 50.35, -4.7), ("L'Aquila", "IT", 42.35, 13.4), ("São Paulo", "BR", -23.5475, -46.63611)]


def rows():
    for number, (name, country, latitude, longitude) in enumerate(NAMES):
        yield {"id": str(number + 1), "name": name, "country": country, "lat": str(latitude), "lon": str(longitude),
               "text": "t" if number else ""}
    yield {"id": "90", "name": "K none", "country": "XX", "lat": "", "lon": "", "text": ""}
    yield {"id": "91", "name": "K wrong", "country": "XX", "lat": "91", "lon": "0", "text": ""}
    yield {"id": "92", "name": "Edge", "country": "FJ", "lat": "-17", "lon": "180", "text": ""}
    yield {"id": "93", "name": "Edge", "country": "fj", "lat": "-17", "lon": "-180", "text": ""}
    yield {"id": "94", "name": "Pole", "country": "Antarctica", "lat": "-90", "lon": "12", "text": ""}
    state = 7
    for number in range(12_000):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        # Half of them near one place, so that cells are crowded.
        spread = 1 if number % 2 else 0.01
        yield {"id": str(1000 + number), "name": f"M{number:05}", "country": "AB"[number % 2] + "C",
               "lat": f"{((state >> 33) % 180_000_001 / 1e6 - 90) * spread:.6f}",
               "lon": f"{((state >> 7) % 360_000_001 / 1e6 - 180) * spread:.6f}", "text": ""}
    yield {"id": "99999", "name": "M99999", "country": "ZZ", "lat": "1", "lon": "1", "text": ""}


def separation(one, other):
    (a, b), (c, d) = (map(math.radians, place) for place in (one, other))
    return math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2


class Photon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = build(list(rows()), "photon", "--id", "id")
        cls.server = Server(cls.index, "--cors", "*")
        cls.exported = [json.loads(line) for line in shardq("export", "-i", cls.index)[1].splitlines()]
        cls.placed = [record for record in cls.exported if re.fullmatch(r"-?[\d.]+", record["lat"]) and float(record["lat"]) <= 90]

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def ids(self, path):
        answer = self.server.get(path)
        self.assertEqual(answer.status, 200, (path, answer.body))
        return [feature["properties"]["extra"]["id"] for feature in answer.json["features"]]

    def test_feature(self):
        self.assertEqual(self.server.get("/api?q=paris,+f").json, {"type": "FeatureCollection", "features": [
            {"type": "Feature", "geometry": {"type": "Point", "coordinates": [2.3488, 48.85341]},
             "properties": {"name": "Paris", "country": "FR", "countrycode": "FR", "label": "Paris, FR",
                            "extra": {"id": "1", "text": ""}}}]})
        self.assertEqual(self.server.get("/api/?q=paris,+f").body, self.server.get("/api?q=paris,+f").body)
        self.assertEqual(len(self.ids("/api?q=m")), 15)
        properties = self.server.get("/api?q=pole").json["features"][0]["properties"]
        self.assertEqual((properties["country"], "countrycode" in properties), ("Antarctica", False))

    def test_names_of_countries(self):
        """The country is found under each name that a build gives it; an index without one refuses the parameter."""
        for number, field in enumerate(["country", "country_code", "countrycode", "country code"]):
            rows = [{"name": "London", field: code, "lat": "1", "lon": "2"} for code in ("GB", "CA")]
            path = build(rows, f"photon-country-{number}", key="{name}")
            with Server(path) as server:
                found = server.get("/api?q=lond&countrycode=CA").json["features"]
                self.assertEqual([feature["properties"]["countrycode"] for feature in found], ["CA"], field)
                self.assertEqual(server.get("/api?q=lond&limit=1").json["features"][0]["properties"]["country"], "CA", field)
        with Server(build([{"name": "London", "land": "GB", "lat": "1", "lon": "2"}], "photon-land", key="{name}")) as server:
            answer = server.get("/api?q=lond&countrycode=GB")
            self.assertEqual(answer.status, 400)
            self.assertIn("no countries", answer.body.decode() if isinstance(answer.body, bytes) else answer.body)

    def test_words_left_out(self):
        """An index that matches keys alone answers a text with a word too many, and the object goes on by its cursor."""
        rows = [{"name": f"Paris {number}", "w": str(number), "lat": "1", "lon": "2"} for number in range(30)]
        with Server(build(rows, "photon-words", "--weight", "w", key="{name}")) as server:
            found = server.get("/api?q=paris+zzz&limit=3").json["features"]
            self.assertEqual([feature["properties"]["name"] for feature in found], ["Paris 29", "Paris 28", "Paris 27"])
            names, cursor = [], ""
            while cursor is not None and len(names) < 40:
                page = server.get(f"/v1/search?q=paris+zzz&limit=9&after={cursor}").json
                self.assertEqual(page["dropped"], ["zzz"])
                names, cursor = names + [match["name"] for match in page["matches"]], page.get("cursor")
            self.assertEqual(names, [f"Paris {number}" for number in range(29, -1, -1)])

    def test_readings(self):
        """A text whose last words name a country has the records of that country; with words=all it has none."""
        rows = [{"name": "Paris", "country": code, "w": weight, "lat": "1", "lon": "2"} for code, weight in (("FR", "9"), ("US", "1"))]
        names = os.path.join(SCRATCH, "photon-names")
        with open(names, "w") as file:
            file.write("FR\tFrance\nUS\tUnited States\n")
        with Server(build(rows, "photon-readings", "--weight", "w", "--filter", "country", "--names", f"country={names}")) as server:
            found = server.get("/api?q=paris+united+states").json["features"]
            self.assertEqual([feature["properties"]["countrycode"] for feature in found], ["US"])
            answer = server.get("/v1/search?q=paris+united+states").json
            self.assertEqual(answer["interpretation"], {"text": "paris", "filter": {"country": "US"}})
            self.assertNotIn("interpretation", server.get("/v1/search?q=paris").json)
            self.assertEqual(server.get("/v1/search?q=paris+united+states&words=all").json["matches"], [])

    def test_what_is_accepted(self):
        wanted = self.server.get("/api?q=pari").body
        for more in ["lang=de", "lang=", "lang=xx", "dedupe=0", "dedupe=1", "debug=1", "debug=true", "lat=&lon=", "zoom=",
                     "location_bias_scale=", "osm_tag=", "layer=", "layer=&layer=", "bbox=", "countrycode=", "limit=",
                     "geometry=false", "geometry=", "include=", "exclude=", "_=17", "bbox=-180,-90,180,90", "bbox=-180,90,180,-90"]:
            self.assertEqual(self.server.get("/api?q=pari&" + more).body, wanted, more)

    def test_what_is_refused(self):
        for query, parameter, text in [
            ("", "q", "missing"), ("q=", "q", "missing"), ("q=" + "a" * 513, "q", "512"),
            ("q=a&lat=48.85&lon=2.35", "lat", "without --near"), ("q=a&lon=1", "lat", "both or neither"),
            ("q=a&zoom=12", "zoom", "bias"), ("q=a&lat=1&lon=1&location_bias_scale=1.1", "location_bias_scale", "from 0 to 1"),
            ("q=a&lat=1&lon=1&location_bias_scale=x", "location_bias_scale", "from 0 to 1"),
            ("q=a&osm_tag=place:city", "osm_tag", "no tags of OpenStreetMap"),
            ("q=a&osm_tag=place&osm_tag=!amenity", "osm_tag", "no tags of OpenStreetMap"),
            ("q=a&layer=city&layer=locality", "layer", "no tags"),
            ("q=a&include=osm.place", "include", "no tags"), ("q=a&exclude=a&exclude=b", "exclude", "no tags"),
            ("q=a&suggest_addresses=true", "suggest_addresses", "does not support"),
            ("q=a&query_string_filter=x", "query_string_filter", "does not support"),
            ("q=a&geometry=true", "geometry", "points"), ("q=a&limit=x", "limit", "whole number"),
            ("q=a&limit=1.5", "limit", "whole number"), ("q=a&limit=-", "limit", "whole number"),
            ("q=a&bbox=1,2,3", "bbox", "minLon"), ("q=a&bbox=1,2,3,4,5", "bbox", "minLon"), ("q=a&bbox=1,2,3,x", "bbox", "minLon"),
            ("q=a&bbox=-181,0,0,0", "bbox", "180"), ("q=a&bbox=0,0,0,90.1", "bbox", "90"), ("q=a&bbox=nan,0,0,0", "bbox", "minLon"),
            ("q=a&countrycode=FRA", "countrycode", "two letters"), ("q=a&countrycode=FR&countrycode=1", "countrycode", "two letters"),
            ("q=a&q=b", "q", "twice"), ("q=a&limit=1&limit=2", "limit", "twice"), ("q=a&else=1", "else", "no parameter else"),
        ]:
            answer = self.server.get("/api?" + query)
            self.assertEqual((answer.status, answer.json.get("parameter")), (400, parameter), query)
            self.assertIn(text, answer.json["detail"], query)
        for query, parameter in [
            ("", "lat"), ("lat=1", "lon"), ("lat=x&lon=0", "lat"), ("lat=91&lon=0", "lat"), ("lat=0&lon=181", "lon"),
            ("lat=0&lon=0&radius=x", "radius"), ("lat=0&lon=0&radius=-1", "radius"), ("lat=0&lon=0&limit=a", "limit"),
            ("lat=0&lon=0&distance_sort=false", "distance_sort"), ("lat=0&lon=0&osm_tag=a", "osm_tag"),
            ("lat=0&lon=0&layer=city", "layer"), ("lat=0&lon=0&query_string_filter=a", "query_string_filter"),
            ("lat=0&lon=0&q=a", "q"), ("lat=0&lon=0&bbox=1,2,3,4", "bbox"),
        ]:
            answer = self.server.get("/reverse?" + query)
            self.assertEqual((answer.status, answer.json.get("parameter")), (400, parameter), query)
        answer = self.server.get("/structured?city=berlin")
        self.assertEqual(answer.status, 404)
        self.assertIn("no structured search", answer.json["detail"])

    def test_limits_are_clamped(self):
        for limit, count in [("5000", 1000), ("1000", 1000), ("0", 1), ("-3", 1), ("", 15), ("2", 2), ("9" * 30, 1000)]:
            self.assertEqual(len(self.ids("/api?q=m0&limit=" + limit)), count, limit)
            self.assertEqual(len(self.ids("/reverse?lat=0&lon=0&limit=" + limit)), count if limit else 1, limit)

    def test_every_feature_has_a_point(self):
        self.assertEqual(self.ids("/api?q=k"), [])
        self.assertEqual(self.ids("/api?q=k&limit=1"), [])
        for feature in self.server.get("/api?q=m&limit=1000").json["features"]:
            self.assertEqual(feature["geometry"]["type"], "Point")
        with Server(build([{"name": "a", "brand": "b"}], "photon-plain", key="{name}")) as server:
            for path in ["/api?q=a", "/reverse?lat=0&lon=0"]:
                answer = server.get(path)
                self.assertEqual(answer.status, 404)
                self.assertIn("coordinates", answer.json["detail"])

    def wanted(self, prefix, box=None, countries=None):
        found = []
        for record in self.placed:
            if not (record["name"] + ", " + record["country"]).lower().startswith(prefix):
                continue
            if countries and record["country"].upper() not in countries:
                continue
            if box:
                west, south, east, north = box
                latitude, longitude = float(record["lat"]), float(record["lon"])
                across = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
                if not across or not south <= latitude <= north:
                    continue
            found.append(record["id"])
        return found

    def test_filters(self):
        boxes = [(-10, -10, 10, 10), (170, -20, -170, 0), (2.3488, 48.85341, 2.3488, 48.85341), (100, -90, 180, 90)]
        for prefix in ["m0", "m00", "par", "edge", "pole", "e"]:
            for box in [None, *boxes]:
                for countries in [None, ["FR"], ["AC"], ["FJ", "BC"], ["QQ"]]:
                    wanted = self.wanted(prefix, box, countries)
                    for limit in [1, 15, 1000]:
                        query = [("q", prefix), ("limit", limit)] + ([("bbox", ",".join(map(str, box)))] if box else [])
                        query += [("countrycode", code if limit > 1 else code.lower()) for code in countries or []]
                        self.assertEqual(self.ids("/api?" + urllib.parse.urlencode(query)), wanted[:limit], query)

    def test_a_filter_reads_so_many_matches_and_no_more(self):
        answer = self.server.get("/api?q=m&countrycode=ZZ")
        self.assertEqual((answer.status, answer.json["parameter"]), (400, "q"))
        self.assertRegex(answer.json["detail"], "12001 names match.* 10000 .*more letters")
        self.assertEqual(self.ids("/api?q=m9&countrycode=ZZ"), ["99999"])
        # The first ten thousand matches have as many as the limit.
        self.assertEqual(len(self.ids("/api?q=m&countrycode=AC&limit=1000")), 1000)

    def test_reverse(self):
        places = [(48.85, 2.35), (0, 0), (90, 0), (-90, 77), (-89.5, -120), (12.3456789, 179.99), (-17, 180), (-17, -180),
                  (51.5, -0.1), (0.001, 179.5), (-23.5, -46.6), (66.6, -179.9999), (1, 1), (45, 90.0001), (-3.25, -3.75)]
        for place in places:
            order = sorted(
                (separation(place, (float(record["lat"]), float(record["lon"]))), at) for at, record in enumerate(self.placed))
            for limit in [1, 7, 200]:
                for radius in [None, 0, 0.5, 30, 400, 5000, 1e9]:
                    reach = math.sin(min(5000 if radius is None else radius, 5000) / 6371.0088 / 2) ** 2
                    near = [(distance, self.placed[at]["id"]) for distance, at in order if distance <= reach][:limit]
                    path = f"/reverse?lat={place[0]}&lon={place[1]}&limit={limit}" + (f"&radius={radius}" if radius is not None else "")
                    found = self.ids(path)
                    if found != [identity for _, identity in near]:
                        # Places may be equally far after rounding: compare distances.
                        of = {self.placed[at]["id"]: distance for distance, at in order}
                        self.assertEqual(len(found), len(near), path)
                        for identity, (distance, _) in zip(found, near):
                            self.assertAlmostEqual(of[identity], distance, delta=1e-14, msg=path)
        self.assertEqual(self.server.get("/reverse/?lat=48.85&lon=2.35").json["features"][0]["properties"]["label"], "Paris, FR")
        self.assertEqual(self.ids("/reverse?lat=48.85&lon=2.35&lang=de&distance_sort=true&debug=1&dedupe=0"), ["1"])

    def test_reverse_has_a_bound(self):
        with Server(self.index, "--places-memory", "100KiB") as server:
            answer = server.get("/reverse?lat=0&lon=0")
            self.assertEqual(answer.status, 503)
            self.assertIn("--places-memory", answer.json["detail"])

    def test_status(self):
        answer = self.server.get("/status")
        self.assertEqual((answer.status, answer.json["status"]), (200, "Ok"))
        self.assertRegex(answer.json["import_date"], r"^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ$")
        self.assertEqual(self.server.get("/status/").status, 200)

    def test_requests_of_libraries_for_the_browser(self):
        """Requests as leaflet-control-geocoder and photon-geocoder-autocomplete send them."""
        accept = {"Accept": "application/json", "Origin": "https://example.org"}
        for path, label in [
            ("/api/?q=Par", "Par, GB"), ("/api/?q=paris%2C%20f&limit=5", "Paris, FR"),
            ("/api/?q=S%C3%A3o&limit=5&lat=&lon=", "São Paulo, BR"),
            ("/api/?q=Par&limit=5&lang=en&bbox=-6,49,0,52", "Par, GB"),
            ("/reverse/?lat=48.85&lon=2.35", "Paris, FR"), ("/reverse?lon=2.35&lat=48.85&lang=fr", "Paris, FR"),
        ]:
            answer = self.server.get(path, headers=accept)
            self.assertEqual((answer.status, answer.headers["access-control-allow-origin"]), (200, "*"), path)
            feature = answer.json["features"][0]
            self.assertEqual((feature["properties"]["label"], len(feature["geometry"]["coordinates"])), (label, 2), path)


class Bias(unittest.TestCase):
    def test_scale(self):
        """Eight octaves of weight for the place itself, and more where prominence is to count less."""
        small = {"id": "1", "name": "Par", "country": "FR", "lat": "48", "lon": "2", "population": "1"}
        large = {"id": "2", "name": "Par", "country": "US", "lat": "40", "lon": "-90", "population": "1000000"}
        with Server(build([small, large], "bias", "--near", "--weight", "population")) as server:
            for more, first in [("", "US"), ("location_bias_scale=0.2", "US"), ("location_bias_scale=0.05", "FR"),
                                ("location_bias_scale=0", "FR"), ("location_bias_scale=1", "US"), ("location_bias_scale=", "US")]:
                found = server.get("/api?q=par&lat=48&lon=2&" + more).json["features"]
                self.assertEqual(found[0]["properties"]["countrycode"], first, more)
            self.assertEqual(server.get("/api?q=par&location_bias_scale=0.2").status, 200)


@unittest.skipUnless(PYTHON, "geopy is not there: Scripts/dependencies.sh --tests installs it")
class Geopy(unittest.TestCase):
    """The client that most programs in Python use."""

    @classmethod
    def setUpClass(cls):
        sys.path.append(PYTHON)
        import geopy.exc
        import geopy.geocoders
        cls.errors = geopy.exc
        cls.server = Server(build(list(rows())[:11], "geopy"))
        cls.photon = lambda _, server: geopy.geocoders.Photon(
            scheme="http", domain=f"127.0.0.1:{server.port}", user_agent="tests")
        cls.client = cls.photon(None, cls.server)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        sys.path.remove(PYTHON)

    def test_geocode(self):
        for text, point in [("Paris, FR", (48.85341, 2.3488)), ("L'Aquila", (42.35, 13.4)), ("São Paulo", (-23.5475, -46.63611))]:
            found = self.client.geocode(text)
            self.assertEqual((found.latitude, found.longitude), point)
            self.assertTrue(found.address.startswith(text.split(",")[0]), found.address)
        self.assertIsNone(self.client.geocode("nowhere"))
        self.assertIsNone(self.client.geocode("K none"))
        self.assertEqual(len(self.client.geocode("Pari", exactly_one=False, limit=3, language="de")), 3)
        self.assertEqual(len(self.client.geocode("Pari", exactly_one=False, limit=5000)), 3)

    def test_filters(self):
        found = self.client.geocode("Pari", exactly_one=False, bbox=((40, -90), (45, -70)))
        self.assertEqual([place.raw["properties"]["countrycode"] for place in found], ["CA"])

    def test_bias(self):
        with Server(build(list(rows())[:11], "geopy-near", "--near")) as server:
            client = self.photon(server)
            self.assertEqual(client.geocode("Paris", location_bias=(48.85, 2.35)).raw["properties"]["countrycode"], "FR")
            self.assertEqual(client.geocode("Paris", location_bias=(43.2, -80.4)).raw["properties"]["countrycode"], "CA")

    def test_what_is_refused_is_said(self):
        for options, text in [({"location_bias": (48.85, 2.35)}, "bias"), ({"osm_tag": ["place:city", "place:town"]}, "osm_tag")]:
            with self.assertRaises(self.errors.GeocoderQueryError) as caught:
                self.client.geocode("Paris", **options)
            self.assertIn("400", str(caught.exception), text)

    def test_reverse(self):
        self.assertEqual(self.client.reverse((48.85, 2.35)).raw["properties"]["label"], "Paris, FR")
        self.assertEqual(len(self.client.reverse((48.85, 2.35), exactly_one=False, limit=3)), 3)


if __name__ == "__main__":
    unittest.main()
