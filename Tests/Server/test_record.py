"""Asks for records by their ids."""

import concurrent.futures
import json
import os
import unittest
import urllib.parse

from server import SAMPLE, SCRATCH, Server, build, shardq, update


def path(record):
    return "/v1/record/" + urllib.parse.quote(record, safe="")


class Records(unittest.TestCase):
    # Ids that a path has to encode, and ids that look like others.
    IDS = ["7", "07", "a/b", "a+b", "a b", "100%", "São?", "..", "#1", "x" * 600, "서울", "\u0301", "true", "-1.50", "null x"]

    @classmethod
    def setUpClass(cls):
        cls.rows = [{"name": f"Name {number}", "sku": id, "price": str(number)} for number, id in enumerate(cls.IDS)]
        cls.rows += [{"name": f"More {number}", "sku": f"M-{number}", "price": "1"} for number in range(3000)]
        cls.index = build(cls.rows, "records", "--id", "sku", key="{name}")
        cls.server = Server(cls.index)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_each_record_is_found(self):
        for row in self.rows[:len(self.IDS)] + self.rows[-2:]:
            answer = self.server.get(path(row["sku"]))
            self.assertEqual(answer.status, 200, row)
            self.assertEqual(answer.headers["content-type"], "application/json")
            found = self.server.search(row["name"], limit=1).json
            self.assertEqual(answer.json, {"schema": 1, "generation": found["generation"], "record": row})
            self.assertEqual(found["matches"][0], row)
        # A plus sign in a path stands for itself.
        self.assertEqual(self.server.get("/v1/record/a+b").json["record"]["sku"], "a+b")
        self.assertEqual(self.server.get("/v1/record/a/b").json["record"]["sku"], "a/b")

    def test_others_are_not_found(self):
        for other in ["8", "007", "M-", "m-1", "M-3000", "", " ", "null", "7%00", "M-1%0a"]:
            answer = self.server.get("/v1/record/" + urllib.parse.quote(other, safe="%"))
            self.assertEqual((answer.status, answer.headers["content-type"]), (404, "application/problem+json"), other)
            self.assertEqual((answer.json["detail"], answer.json["parameter"]), ("No record has this sku.", "id"))
        self.assertEqual(self.server.get("/v1/record").status, 404)

    def test_malformed_ids_are_refused(self):
        for wrong in ["%", "%4", "%zz", "%ff", "a%c3"]:
            answer = self.server.get("/v1/record/" + wrong)
            self.assertEqual((answer.status, answer.json["parameter"]), (400, "id"), wrong)
        self.assertEqual(self.server.get(path("7") + "?q=x").json["parameter"], "q")

    def test_an_index_without_ids_says_so(self):
        with Server(SAMPLE) as server:
            answer = server.get("/v1/record/1")
            self.assertEqual(answer.status, 404)
            self.assertIn("--id", answer.json["detail"])

    def test_unchanged(self):
        tag = self.server.get(path("7")).headers["etag"]
        self.assertEqual(self.server.get(path("7"), headers={"If-None-Match": tag}).status, 304)

    def test_values_that_are_no_ids(self):
        """A number is an id by its digits; null, lists and blank texts are none; of two equal ids the first counts."""
        source = os.path.join(SCRATCH, "values.jsonl")
        values = [12, 12.50, True, None, [1], {}, " ", "twice", "twice"]
        with open(source, "w") as file:
            for number, value in enumerate(values):
                file.write('{"name":"N %d","_id":%s}\n' % (number, "12.50" if value == 12.5 else json.dumps(value)))
        index = os.path.join(SCRATCH, "values")
        self.assertEqual(shardq("build", source, "--key", "{name}", "--id", "_id", "-i", index)[0], 0)
        with Server(index) as server:
            for id, name in [("12", "N 0"), ("12.50", "N 1"), ("true", "N 2"), ("twice", "N 7")]:
                self.assertEqual(server.get(path(id)).json["record"]["name"], name)
            for id in ["null", "[1]", "{}", " ", "12.5", "1"]:
                self.assertEqual(server.get(path(id)).status, 404, id)

    def test_an_index_of_no_records(self):
        source = os.path.join(SCRATCH, "empty.csv")
        with open(source, "w") as file:
            file.write("name,sku\n")
        index = os.path.join(SCRATCH, "empty")
        self.assertEqual(shardq("build", source, "--key", "{name}", "--id", "sku", "-i", index)[0], 0)
        with Server(index) as server:
            self.assertEqual(server.get("/v1/record/1").status, 404)

    def test_records_follow_updates(self):
        rows = self.rows[:200]
        index = build(rows, "records-updated", "--id", "sku", key="{name}")
        with Server(index, "--reload-interval", "0.05") as server:
            self.assertEqual(server.get(path(rows[60]["sku"])).json["record"], rows[60])
            changed = {**rows[60], "name": "Aaa", "price": "9"}
            for options in [["--overlay"], []]:
                before = server.get("/v1/status").json["generation"]
                update(index, [changed, {"name": "New", "sku": "new" + "".join(options), "price": "1"}],
                       [rows[70]] if options else [], *options)
                server.wait_for(lambda: server.get("/v1/status").json["generation"] != before, "the update is noticed")
                self.assertEqual(server.get(path(rows[60]["sku"])).json["record"], changed)
                self.assertEqual(server.get(path("new" + "".join(options))).json["record"]["name"], "New")
                self.assertEqual(server.get(path(rows[70]["sku"])).status, 404)
                self.assertEqual(server.get(path(rows[199]["sku"])).json["record"], rows[199])
                changed = {**changed, "price": "10"}

    def test_the_memory_is_bounded(self):
        with Server(self.index, "--ids-memory", "8KiB") as server:
            answer = server.get(path("7"))
            self.assertEqual(answer.status, 503)
            self.assertIn("--ids-memory", answer.json["detail"])

    def test_many_first_requests(self):
        """One thread makes the table, and the others wait for it."""
        with Server(self.index) as server, concurrent.futures.ThreadPoolExecutor(32) as pool:
            wanted = self.rows[-64:]
            answers = list(pool.map(lambda row: server.get(path(row["sku"])), wanted))
            self.assertEqual([answer.json["record"] for answer in answers], wanted)
            # From then on an event loop answers itself, from shards in memory.
            handed = server.metrics()["shardq_questions_handed_over_total"]
            for row in wanted:
                self.assertEqual(server.get(path(row["sku"])).status, 200)
            self.assertEqual(server.metrics()["shardq_questions_handed_over_total"], handed)


if __name__ == "__main__":
    unittest.main()
