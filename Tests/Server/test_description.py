"""The description against the server, by schemathesis (PyPI): what it generates from one, the other has to bear.

Part of the long form, where schemathesis is installed.
"""

import shutil
import subprocess
import unittest

from server import LONG, SAMPLE, Server


@unittest.skipUnless(LONG and shutil.which("schemathesis"), "part of the long form, with schemathesis from PyPI")
class Description(unittest.TestCase):
    def test_generated_requests(self):
        with Server(SAMPLE) as server:
            # The description cannot say that a box has its south below its north, and that display is of json alone.
            done = subprocess.run(
                ["schemathesis", "run", server.url + "v1/openapi.json", "--url", server.url, "--max-examples", "100",
                 "--checks", "all", "--exclude-checks", "positive_data_acceptance", "--no-color"],
                capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout[-4000:])
            self.assertEqual(len(server.log.splitlines()), 1, server.log)


if __name__ == "__main__":
    unittest.main()
