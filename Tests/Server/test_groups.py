"""Compares groups of the server with the groups of its own rows."""

import unittest

from server import Server, build
from test_ranked import WEIGHTED, rows


class Groups(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(build(list(rows()), "grouped", *WEIGHTED))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def search(self, query, status=200, **parameters):
        answer = self.server.search(query, **parameters)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json

    def grouped(self, query, field):
        """The best row of each group, and the numbers of the others, out of all rows of an answer without groups."""
        best, others = {}, {}
        for offset in range(0, 10_000, 1000):
            rows = self.search(query, limit=1000, offset=offset)["matches"]
            for row in rows:
                group = row[field] or row["id"]
                best.setdefault(group, row)
                others[group] = others.get(group, -1) + 1
            if len(rows) < 1000:
                return list(best.values()), list(others.values())

    def test_groups(self):
        seen = 0
        for query, field in ("p", "country"), ("", "country"), ("", "population"), ("par", "name"), ("p", "id"):
            best, others = self.grouped(query, field)
            answer = self.search(query, limit=1000, group=field)
            self.assertEqual((answer["matches"], answer["others"]), (best[:1000], others[:1000]), (query, field))
            self.assertEqual((answer["total"], answer["totalIsExact"], answer["othersAreExact"]), (len(best), True, True))
            seen += sum(others)
        self.assertGreater(seen, 1000)
        self.assertNotIn("others", self.search("p"))
        self.assertNotIn("others", self.search("p", group=""))

    def test_pages(self):
        best, others = self.grouped("", "country")
        self.assertGreater(len(best), 5)
        found, numbers, cursor = [], [], ""
        while True:
            answer = self.search("", limit=2, group="country", after=cursor)
            found, numbers = found + answer["matches"], numbers + answer["others"]
            self.assertEqual(answer["total"], len(best))
            if "cursor" not in answer:
                break
            cursor = answer["cursor"]
        self.assertEqual((found, numbers), (best, others))
        answer = self.search("", limit=2, offset=3, group="country")
        self.assertEqual((answer["matches"], answer["others"]), (best[3:5], others[3:5]))
        answer = self.server.search("", group="country", format="jsonl", limit=3)
        self.assertEqual((len(answer.body.splitlines()), answer.headers["shardq-count"]), (3, str(len(best))))

    def test_refusals(self):
        for parameters, said in [
            ({"group": "nation"}, "has no field nation to group by; name key or one of its fields: "),
            ({"group": "name", "sort": "key"}, "send sort=rank"),
        ]:
            problem = self.search("p", 400, **parameters)
            self.assertIn(said, problem["detail"])
            self.assertEqual(problem["parameter"], "group")
        cursor = self.search("p", limit=1, group="name")["cursor"]
        for other in {"group": "country"}, {}:
            self.assertEqual(self.search("p", 400, after=cursor, **other)["parameter"], "after")


if __name__ == "__main__":
    unittest.main()
