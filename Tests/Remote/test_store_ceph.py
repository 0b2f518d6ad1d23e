"""Tests publishing to Ceph's object gateway: races for a commit, and killed processes. Only long runs start Ceph."""

import concurrent.futures
import http.client
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest

import gateway
import nginx
from gateway import KEYS
from remote import BIN, ENVIRONMENT, LONG, PATIENCE, SCRATCH, shardq
from store import is_shard
from test_store import INDEXES, same


class Front:
    """Hands requests on to a host; `before(method, key)` is called for each before."""

    def __init__(self, port):
        front = self
        self.before = None
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def hand_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                key = self.path.partition("?")[0]
                if front.before:
                    front.before(self.command, key)
                host = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
                try:
                    self.hand_over(host, key, body)
                finally:
                    host.close()

            def hand_over(self, host, key, body):
                host.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    host.putheader(name, value)
                host.endheaders(body or None)
                answer = host.getresponse()
                content = answer.read()
                front.requests.append((self.command, key, answer.status))
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(name, value)
                size = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
                self.send_header("Content-Length", size or "0")
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_HEAD = do_DELETE = hand_on

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 128

            def handle_error(self, *_):
                pass  # Tests have clients hang up.

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@unittest.skipUnless(LONG, "Ceph is started in long runs alone")
class PublishedToCeph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if gateway.missing():
            raise unittest.SkipTest(f"publications to Ceph, for there is no {gateway.missing()}: {gateway.PACKAGES}")
        cls.ceph = gateway.Ceph(SCRATCH, nginx.free_ports(5))
        cls.addClassCleanup(cls.ceph.close)
        cls.ceph.bucket("published")

    def setUp(self):
        self.front = Front(self.ceph.ports["a"])
        self.addCleanup(self.front.close)
        self.environment = {**KEYS, "AWS_ENDPOINT_URL": self.front.url}
        self.work = tempfile.mkdtemp(dir=SCRATCH, prefix="ceph-store-")

    def start(self, index, url):
        return subprocess.Popen([os.path.join(BIN, "shardq-remote"), "publish", url, "-i", index],
                                env={**ENVIRONMENT, **self.environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_command(self, *arguments, status=0):
        found = shardq(*arguments, environment=self.environment)
        self.assertEqual(found[0], status, found)
        return found[1]

    def test_races(self):
        """Eight publications come to their commits at the same time, twenty times: one wins each."""
        url = "s3://published/races/"

        def small(name):
            source = os.path.join(self.work, name + ".txt")
            with open(source, "w", encoding="utf-8") as file:
                file.write("".join(f"{name} {number}\n" for number in range(50)))
            index = os.path.join(self.work, name)
            self.assertEqual(shardq("build", source, "-i", index, "--input-format", "lines")[0], 0)
            return index

        for number in range(20):
            racers = [small(f"index {number} {racer}") for racer in range(8)]
            together = threading.Barrier(len(racers))
            self.front.before = lambda method, key: method == "PUT" and "/generations/" in key and together.wait(PATIENCE)
            processes = [self.start(index, url) for index in racers]
            ended = []
            with concurrent.futures.ThreadPoolExecutor(len(racers)) as pool:
                for process, (_, error) in zip(processes, pool.map(lambda process: process.communicate(timeout=PATIENCE), processes)):
                    ended.append((process.returncode, error))
            self.front.before = None
            self.assertEqual(sorted(status for status, _ in ended), [0] + [75] * 7, ended)
            winner = racers[[status for status, _ in ended].index(0)]
            # A fetch leaves the shards of the generation that was there before.
            copy = os.path.join(self.work, f"copy {number}")
            found = json.loads(self.run_command("fetch", "-i", copy, url, "--json"))
            self.assertEqual(found["generation"], number + 1)
            self.assertTrue(same(winner, copy))
        found = json.loads(self.run_command("prune", url, "--keep", "1", "--grace", "0s", "--json"))
        self.assertTrue(found["removed"])
        self.assertEqual(json.loads(self.run_command("fetch", "-i", copy, url, "--json"))["files_fetched"], 0)
        self.assertEqual(self.run_command("-i", url, "index", "-n", "1", "--cache-size", "0"), shardq("-i", winner, "index", "-n", "1")[1])

    def test_a_publication_is_killed_and_runs_again(self):
        uploads = len([name for name in os.listdir(INDEXES[0]) if is_shard(name)])
        for at, point in enumerate(
                [4, 5, 9, uploads // 2, uploads, uploads + 6, uploads + 12, 2 * uploads, 2 * uploads + 8, 2 * uploads + 10]):
            url = f"s3://published/killed{at}/"
            count, killed, lock = [0], [], threading.Lock()

            def before(method, key):
                with lock:
                    count[0] += 1
                    if count[0] == point:
                        process.kill()
                    if count[0] >= point:
                        killed.append(key)

            self.front.requests.clear()
            self.front.before = before
            process = self.start(INDEXES[0], url)
            process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, -9, point)
            self.front.before = None
            self.assertEqual(json.loads(self.run_command("publish", "-i", INDEXES[0], url, "--json"))["generation"], 1)
            taken = [key for method, key, status in self.front.requests if method == "PUT" and status == 200]
            twice = {key for key in taken if taken.count(key) > 1 and key.endswith(".zst")}
            self.assertLessEqual(twice, set(killed))
            copy = os.path.join(self.work, "copy")
            shutil.rmtree(copy, ignore_errors=True)
            self.run_command("fetch", "-i", copy, url)
            self.assertTrue(same(INDEXES[0], copy))

    def test_wrong_keys(self):
        for keys, words in (({}, "403"), ({**KEYS, "AWS_SECRET_ACCESS_KEY": "wrong"}, "does not accept")):
            found = shardq("publish", "-i", INDEXES[0], "s3://published/keys/", environment={**keys, "AWS_ENDPOINT_URL": self.ceph.url})
            self.assertEqual(found[0], 74, found)
            self.assertIn(words, found[2])
        found = shardq("fetch", "-i", os.path.join(self.work, "none"), "s3://nobucket/x/", environment=self.environment)
        self.assertEqual(found[0], 66, found)


if __name__ == "__main__":
    unittest.main()
