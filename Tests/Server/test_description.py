"""Tests the server with requests that schemathesis (PyPI) generates from the OpenAPI document."""

import json
import os
import subprocess
import sys
import unittest

from server import LONG, PYTHON, ROOT, SAMPLE, SCRATCH, Server, build, places

HAS_SCHEMATHESIS = PYTHON and os.path.isdir(os.path.join(PYTHON, "schemathesis"))


class Schema(unittest.TestCase):
    def test_answers_are_those_of_the_schema(self):
        """The description has the definitions of docs/answer.schema.json."""
        with open(os.path.join(ROOT, "docs/answer.schema.json")) as file:
            schema = json.loads(file.read().replace("#/$defs/", "#/components/schemas/"))
        with open(os.path.join(ROOT, "Sources/Programs/Serving/Resources/openapi.json")) as file:
            described = json.load(file)["components"]["schemas"]
        for name, definition in schema["$defs"].items():
            self.assertEqual(described[name], definition, name)


@unittest.skipUnless(HAS_SCHEMATHESIS, "schemathesis is not there: Scripts/dependencies.sh --tests installs it")
class Description(unittest.TestCase):
    def check(self, server, settings, *options):
        """Every check of schemathesis, with settings of its own for `/v1/search`."""
        path = os.path.join(SCRATCH, "schemathesis.toml")
        with open(path, "w") as file:
            file.write('[[operations]]\ninclude-path = "/v1/search"\n' + settings)
            # An index without filters refuses each field.
            file.write('[[operations]]\ninclude-path = "/v1/facets"\n'
                       "checks.positive_data_acceptance.expected-statuses = [200, 304, 400]\n")
            # A latitude without a longitude, and a place where the index has no cells, are refused.
            file.write('[[operations]]\ninclude-path = "/api"\n'
                       "checks.positive_data_acceptance.expected-statuses = [200, 304, 400]\n")
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", path, "run", server.url + "v1/openapi.json", "--url",
             server.url, "--max-examples", "100" if LONG else "20", "--checks", "all", "--no-color", "--seed", "1", *options],
            capture_output=True, text=True, timeout=900 if LONG else 300, cwd=SCRATCH,
            env={**os.environ, "PYTHONPATH": PYTHON, "HOME": SCRATCH})
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
        self.assertEqual(len(server.log.splitlines()), 1, server.log)

    def test_generated_requests(self):
        """An index without features refuses parameters for them with 400; `sort=rank` and cursors are not generated."""
        with Server(SAMPLE) as server:
            self.check(server, 'parameters = { "query.sort" = "key", "query.after" = "" }\n'
                               "checks.positive_data_acceptance.expected-statuses = [200, 304, 400]\n")

    def test_generated_requests_of_ranked_answers(self):
        """A generated cursor is of no answer, and a ranked answer has a smaller offset: these may be refused with 400."""
        rows = [{**row, "population": str(number % 700)} for number, row in enumerate(places(2000))]
        with Server(build(rows, "described", "--weight", "population")) as server:
            self.check(server, "checks.positive_data_acceptance.expected-statuses = [200, 304, 400]\n", "--include-path",
                       "/v1/search", "--include-path", "/api")


if __name__ == "__main__":
    unittest.main()
