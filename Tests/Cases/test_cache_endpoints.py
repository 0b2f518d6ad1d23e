"""The disk cache keeps the answers of two stores apart that have a bucket of the same name."""

import re
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from case import Case


def store(directory):
    """A store whose tags count changes: they are the same for other bytes in another store."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = directory / self.path.split("?")[0].rsplit("/", 1)[1]
            content = path.read_bytes() if path.is_file() else None
            if content is None or self.headers.get("If-None-Match") == '"1"':
                self.answer(404 if content is None else 304, b"")
                return
            asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            if asked is None:
                self.answer(200, content)
                return
            first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
            self.answer(206, content[first:last + 1], f"bytes {first}-{last}/{len(content)}")

        def answer(self, status, body, extent=None):
            self.send_response(status)
            self.send_header("ETag", '"1"')
            if extent:
                self.send_header("Content-Range", extent)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


class CacheEndpoints(Case):
    def test_two_stores(self):
        addresses = []
        for name in "red", "blue":
            self.shardq("build", "-q", "-i", name, self.write(f"{name}.txt", f"{name} moon\n"))
            server = store(self.directory / name)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
            addresses.append((name, f"http://127.0.0.1:{server.server_port}/"))
        for name, address in addresses + addresses:
            output = self.shardq(
                "-i", "s3://bucket/list/", "", "--format", "jsonl", "--cache-dir", "cache",
                environment={"AWS_ENDPOINT_URL": address})
            self.assertIn(f"{name} moon", output)
        # The second answer of a store came from the cache.
        self.assertTrue(any(path.is_file() for path in (self.directory / "cache").rglob("*")))


if __name__ == "__main__":
    unittest.main()
