"""Tests the limits of the server: descriptors, large records, many answers at once."""

import json
import os
import re
import resource
import select
import subprocess
import threading
import time
import unittest

from server import BIN, ENVIRONMENT, SCRATCH, Server, build, places, read_answers

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
MEBIBYTE = 1 << 20


def resident(server, name="VmRSS"):
    with open(f"/proc/{server.server_process}/status") as file:
        return int(re.search(name + r":\s+(\d+) kB", file.read())[1]) << 10


class Descriptors(unittest.TestCase):
    """Connections that find no descriptor are refused; the others are answered, and nothing spins or ends."""

    def setUp(self):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)

    def crowded(self, server, count, admitted):
        """Many clients connect, stay for two seconds, and leave."""
        connections = [server.socket() for _ in range(count)]
        poll = select.poll()
        numbers = {connection.fileno(): connection for connection in connections}
        for number in numbers:
            poll.register(number, select.POLLIN)

        def refused():
            return {numbers[number] for number, _ in poll.poll(0)}

        try:
            server.wait_for(lambda: refused(), "some are refused")
            time.sleep(0.5)
            inside = [connection for connection in connections if connection not in refused()]
            self.assertGreaterEqual(len(inside), admitted)
            for connection in inside:
                connection.sendall(GET)
                self.assertEqual(read_answers(connection, 1), [(200, b"ok\n")])
            time.sleep(1)
            before = server.processor_time
            time.sleep(2)
            used = server.processor_time - before
            self.assertIsNone(server.process.poll(), server.log)
            for connection in inside[::10]:
                connection.sendall(GET)
                self.assertEqual(read_answers(connection, 1), [(200, b"ok\n")])
            # The others got status 503, or were closed.
            for connection in refused():
                try:
                    answer = connection.recv(1000)
                except ConnectionResetError:
                    answer = b""
                self.assertTrue(answer == b"" or b" 503 " in answer, answer)
        finally:
            for connection in connections:
                connection.close()
        server.wait_for(lambda: server.raw(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")).startswith(
            b"HTTP/1.1 200 "), "connections are taken again")
        self.assertEqual(server.search("a").status, 200)
        self.assertGreater(server.metrics()["shardq_connections_refused_total"], 0)
        return used

    def test_eight_servers(self):
        index = build(places(500), "descriptors")
        for descriptors, count, admitted in [(256, 600, 140), (1024, 2000, 760)]:
            for _ in range(4):
                with Server(index, descriptors=descriptors) as server:
                    # Of 200 ticks of the clock.
                    self.assertLess(self.crowded(server, count, admitted), 30)

    def test_none_left_for_the_index(self):
        """If all descriptors are taken, a question that needs a file gets 503; all other requests are answered."""
        index = build(places(2000), "no-files")
        with Server(index, "--reload-interval", "3600", "--cache", "0") as server, server.socket() as connection:
            connection.sendall(GET)
            self.assertEqual(len(read_answers(connection, 1)), 1)
            process = server.server_process
            limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
            open_files = max(int(name) for name in os.listdir(f"/proc/{process}/fd")) + 1
            resource.prlimit(process, resource.RLIMIT_NOFILE, (open_files, limits[1]))
            connection.sendall(b"GET /v1/search?q=b HTTP/1.1\r\nHost: localhost\r\n\r\n" + GET)
            answers = read_answers(connection, 2)
            self.assertEqual([status for status, _ in answers], [503, 200], answers)
            self.assertIn("open files", json.loads(answers[0][1])["detail"])
            # A client that wants to connect waits, and costs nothing.
            with server.socket() as waiting:
                waiting.sendall(GET)
                before = server.processor_time
                self.assertEqual(select.select([waiting], [], [], 2)[0], [])
                self.assertLess(server.processor_time - before, 30)
                resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
                self.assertEqual(read_answers(waiting, 1), [(200, b"ok\n")])
            self.assertIn("cannot accept", server.log)
            self.assertEqual(server.search("b").status, 200)

    def test_none_left_in_the_system(self):
        """The system's table of files is full for a second: accepting is tried again some times, and not all the time."""
        if subprocess.run(["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
            self.skipTest("strace cannot trace here")
        index = build(places(100), "full-system")
        for error in ["ENFILE", "EMFILE"]:
            trace = os.path.join(SCRATCH, "trace-" + error)
            under = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", trace, "-e", "trace=accept4", "-e",
                     f"inject=accept4:error={error}:when=1..5"]
            with Server(index, under=under) as server:
                start = time.monotonic()
                self.assertEqual(server.get("/healthz").status, 200)
                self.assertGreater(time.monotonic() - start, 0.5)
                with open(trace) as file:
                    self.assertEqual(file.read().count("INJECTED"), 5)
                self.assertEqual(server.search("a").status, 200)


class Load(unittest.TestCase):
    """Many connections that ask at once: counted, not timed. Tests/Server/load.py has the times."""

    def test_what_is_in_memory_is_answered_where_it_was_asked(self):
        letters = "abcdefghij"
        with Server(build(places(2000), "load"), "--reload-interval", "3600") as server:
            wanted = [server.search(letter, limit=20).body for letter in letters]
            before = server.metrics()
            connections = [server.socket() for _ in range(256)]
            for turn in range(40):
                for number, connection in enumerate(connections):
                    letter = letters[(number + turn) % 10]
                    connection.sendall(b"GET /v1/search?q=%s&limit=20 HTTP/1.1\r\nHost: localhost\r\n\r\n" % letter.encode())
                for number, connection in enumerate(connections):
                    self.assertEqual(read_answers(connection, 1), [(200, wanted[(number + turn) % 10])])
            for connection in connections:
                connection.close()
            after = server.metrics()
            # An event loop loads nothing and hands nothing over.
            for name in ["shardq_questions_handed_over_total", "shardq_shard_loads_total", "shardq_cache_misses_total"]:
                self.assertEqual(after[name], before[name], name)
            name = 'shardq_requests_total{route="search",status="200"}'
            self.assertEqual(after[name] - before[name], 40 * 256)
            # Large answers, and those that are not in memory, are handed over.
            self.assertEqual(server.search("", limit=1000).status, 200)
            self.assertEqual(server.metrics()["shardq_questions_handed_over_total"], after["shardq_questions_handed_over_total"] + 1)


class Memory(unittest.TestCase):
    """Records of 15 MB each: all answers together stay within a bound of memory, and the server refuses the rest."""

    # The bound of docs/server.md with 8 MiB of cache, without the memory of the option --ids-memory: few records need less.
    LIMIT = 352 * MEBIBYTE
    COUNT = 100

    @classmethod
    def setUpClass(cls):
        cls.index = os.path.join(SCRATCH, "heavy")
        with subprocess.Popen(
                [os.path.join(BIN, "shardq"), "build", "--key", "{name}", "--id", "name", "--index", cls.index,
                 "--input-format", "jsonl", "-"],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=ENVIRONMENT) as process:
            for number in range(cls.COUNT):
                process.stdin.write(
                    b'{"name":"n%d","lat":%d,"lon":1,"t":"' % (number, number % 90) + b"a" * 15_000_000 + b'"}\n')
        assert process.returncode == 0

    def at_once(self, server, targets):
        """The answers to requests that come together."""
        answers = [None] * len(targets)

        def ask(number):
            answers[number] = server.get(targets[number])

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(targets))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def test_every_route(self):
        box = "west=-10&south=-90&east=10&north=90"
        for route in ["/v1/search?limit=1000", "/v1/search?q=n&limit=1000&format=geojson", "/api?q=n&limit=100",
                      "/api?q=n&limit=100&bbox=-10,-90,10,90", f"/v1/within?{box}&limit=1000", "/reverse?lat=5&lon=1&limit=50",
                      "/v1/record/n7", "/v1/status", "/v1/dots", "/"]:
            with self.subTest(route=route), Server(self.index) as server:
                for answer in self.at_once(server, [route] * 16):
                    if route.startswith(("/v1/search", "/api", "/v1/within", "/v1/record", "/reverse")):
                        self.assertEqual(answer.status, 503, route)
                        self.assertRegex(answer.json["detail"], "Ask ")
                    else:
                        self.assertEqual(answer.status, 200, route)
                peak = resident(server, "VmHWM")
                print(f"\n16 times {route}: peak {peak >> 20} MiB, then {resident(server) >> 20}")
                self.assertLess(peak, self.LIMIT)
                # The memory is free again.
                self.assertLess(resident(server), 96 * MEBIBYTE)

    def test_what_is_affordable_is_answered(self):
        """The same number of requests at once, with records that fit."""
        index = build([{"name": f"n{number}", "country": "XX", "text": chr(97 + number % 26) * 300_000} for number in range(60)],
                      "affordable")
        with Server(index) as server:
            for answer in self.at_once(server, ["/v1/search?q=n&limit=10"] * 16):
                self.assertEqual(answer.status, 200, answer.body[:300])
                self.assertEqual(len(answer.json["matches"]), 10)
            self.assertLess(resident(server, "VmHWM"), self.LIMIT)

    def test_a_crowd_gives_its_memory_back(self):
        """After thousands of closed connections the server holds about the same memory as before."""
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        with Server(build(places(500), "crowded"), "--reload-interval", "0.1") as server:
            server.search("a")
            before = resident(server)
            for _ in range(2):
                connections = [server.socket() for _ in range(min(5000, limits[1] - 500))]
                for connection in connections:
                    connection.sendall(GET)
                for connection in connections:
                    self.assertEqual(read_answers(connection, 1), [(200, b"ok\n")])
                held = resident(server)
                for connection in connections:
                    connection.close()
                server.wait_for(lambda: resident(server) < before + (held - before) / 2, "memory is given back")
            print(f"\n{len(connections)} connections: {before >> 20} MiB before, {held >> 20} with them, {resident(server) >> 20} after")


if __name__ == "__main__":
    unittest.main()
