"""The description against the server, by schemathesis (PyPI): what it generates from one, the other has to bear."""

import os
import subprocess
import sys
import unittest

from server import LONG, PYTHON, SAMPLE, SCRATCH, Server

HAS_SCHEMATHESIS = PYTHON and os.path.isdir(os.path.join(PYTHON, "schemathesis"))


@unittest.skipUnless(HAS_SCHEMATHESIS, "schemathesis is not there: Scripts/dependencies.sh --tests installs it")
class Description(unittest.TestCase):
    def test_generated_requests(self):
        with Server(SAMPLE) as server:
            done = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", server.url + "v1/openapi.json", "--url", server.url,
                 "--max-examples", "100" if LONG else "20", "--checks", "all", "--no-color", "--seed", "1"],
                capture_output=True, text=True, timeout=900 if LONG else 300, cwd=SCRATCH,
                env={**os.environ, "PYTHONPATH": PYTHON, "HOME": SCRATCH})
            self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
            self.assertEqual(len(server.log.splitlines()), 1, server.log)


if __name__ == "__main__":
    unittest.main()
