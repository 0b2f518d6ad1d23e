"""Tests the limits of clients by raw bytes over sockets: sizes, times, numbers."""

import json
import re
import resource
import select
import socket
import threading
import time
import unittest
from random import Random

from server import LONG, Server, build, places, read_all, read_answers

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = build(places(2000), "limits")
        cls.server = Server(cls.index)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def refused(self, data, status, server=None, half_close=False):
        """One refusal as problem details, and then the end of the connection."""
        answer = (server or self.server).raw(data, half_close)
        head, _, body = answer.partition(b"\r\n\r\n")
        self.assertEqual(head.split(b" ")[1:2], [b"%d" % status], answer)
        self.assertIn(b"application/problem+json", head.lower())
        self.assertIn(b"connection: close", head.lower())
        self.assertIn(b'"status":%d' % status, body)
        self.assertEqual(self.server.get("/healthz").status, 200)

    def test_sizes(self):
        self.refused(b"GET /" + b"a" * 7995 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414)
        self.refused(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414)
        self.refused(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414)
        self.refused(b"GET /" + b"a" * 10_000_000, 414)
        self.refused(b"G" * 100_000, 400)
        self.refused(b"GET /?q=" + "ã".encode() * 4000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414)
        self.refused(b"\r\n" * 100_000, 400)
        self.refused(GET + b"X: " + b"a" * 8192 + b"\r\n\r\n", 431)
        self.refused(GET + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n", 431)
        self.refused(GET + b"X: a\r\n" * 64 + b"\r\n", 431)
        self.refused(GET + b"X: a\r\n" * 100_000 + b"\r\n", 431)
        # At the limits.
        path = b"/" + b"a" * (8000 - len(b"GET  HTTP/1.1") - 2)
        self.assertIn(b" 404 ", self.server.raw(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        target = b"/v1/search?q=" + "ã".encode() * 255 + b"&_=" + "ã".encode() * 3700
        self.assertIn(b" 200 ", self.server.raw(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        self.assertIn(b" 200 ", self.server.raw(GET + b"X: a\r\n" * 62 + b"Connection: close\r\n\r\n"))

    def test_refused_while_sending(self):
        """A client that is still sending gets the answer: the server reads the rest, and sends no reset."""
        for _ in range(20):
            for data, status in [(GET + b"X: a\r\n" * 100_000, 431), (b"\r\nGET " * 100_000, 400)]:
                with self.server.socket() as connection:
                    connection.sendall(data[:20_000])
                    time.sleep(0.005)
                    for start in range(20_000, len(data), 100_000):
                        connection.sendall(data[start:start + 100_000])
                    self.assertIn(b" %d " % status, read_all(connection)[:20])

    def test_malformed(self):
        for data, status in [
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),  # TLS
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
            (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
            (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 505),
            (b"GET /\r\n\r\n", 400),
            (b"GET /healthz\r\n", 400),
            (b"GET\r\n", 400),
            (b"GET /healthz HTTP/1.1\nHost: localhost\n\n", 400),
            (b"GET /healthz HTTP/1.1\r\nHost: localhost\n\n", 400),
            (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\n", 400),
            (b"GET /healthz\n", 400),
            (b"\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET /v1/search?q=\xe3 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET /v1/search?q=\xc3 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET /v1/search?q=\xc3\r\n", 400),
            (b"GET /v1/search?q=\xed\xa0\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET /v1/search?q=\xf5\x80\x80\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET /v1/search?q=\xc3\xc3\xa3 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"G\xc3\xa3T / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\xc3\xa3\r\nHost: localhost\r\n\r\n", 400),
            (b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1 \r\nHost: localhost\r\n\r\n", 400),
            (b"GET / http/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\nHost: localhost\n\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\n\n", 400),
            (b"GET / HTTP/1.1\r\nHost: local\rhost\r\n\r\n", 400),
            (b"GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET /?q=\xe3 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"FETCH / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405),
            (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n: a\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 5\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: +0\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n", 400),
            (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 413),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 413),
            (b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 405),
            (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 405),
            (b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", 405),
        ]:
            with self.subTest(data=data[:60]):
                self.refused(data, status)

    def test_a_client_that_has_no_more_to_say_is_answered(self):
        self.assertIn(b" 200 ", self.server.raw(GET + b"\r\n", half_close=True))
        self.assertEqual(self.server.raw(b"GET / HT", half_close=True), b"")
        self.assertEqual(self.server.raw(b"", half_close=True), b"")

    def test_versions(self):
        self.assertIn(b"connection: close", self.server.raw(b"GET /healthz HTTP/1.0\r\n\r\n").lower())
        with self.server.socket() as connection:
            for _ in range(3):
                connection.sendall(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                self.assertEqual(read_answers(connection, 1), [(200, b"ok\n")])
        self.assertIn(b"connection: close", self.server.raw(GET + b"Connection: close\r\n\r\n").lower())

    def test_other_protocols(self):
        """A request for another protocol is answered by HTTP/1.1, and the connection ends."""
        for headers in [b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
                        b"Connection: upgrade\r\nUpgrade: websocket\r\n"]:
            answer = self.server.raw(GET + headers + b"\r\n" + GET + b"\r\n")
            self.assertEqual(answer.count(b"HTTP/1.1 200 "), 1)
            self.assertIn(b"connection: close", answer.lower())
        answer = self.server.raw(b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\nhello")
        self.assertRegex(answer, rb"^HTTP/1.1 40[045] ")
        self.assertIn(b"connection: close", answer.lower())

    def test_targets(self):
        for target, status in [(b"*", 404), (b"http://localhost/healthz", 200), (b"http://localhost", 200), (b"/healthz#x", 404)]:
            answer = self.server.raw(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertEqual(answer.split(b" ")[1], b"%d" % status, target)

    def test_refusals_can_be_read_by_other_origins(self):
        with Server(self.index, "--cors", "*") as server:
            for data in [b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n", b"GET /\r\n", GET + b"X: " + b"a" * 9000 + b"\r\n\r\n"]:
                head = server.raw(data).split(b"\r\n\r\n")[0].lower()
                self.assertIn(b"access-control-allow-origin: *", head)
                self.assertIn(b"nosniff", head)

    def test_letters_as_they_are(self):
        """`curl 'http://…?q=são'` sends the letters themselves."""
        wanted = self.server.search("são 서울👍").json
        request = "GET /v1/search?q=são+서울👍 HTTP/1.1\r\nHost: localhost\r\nX: é\r\n\r\n".encode()
        for cut in range(1, len(request)):
            with self.server.socket() as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if cut % 3 == 0:
                    connection.sendall(request[:cut])
                    time.sleep(0.002)
                    connection.sendall(request[cut:] + request * 2)
                else:
                    connection.sendall(request * 3)
                answers = read_answers(connection, 3)
            self.assertEqual([(status, json.loads(body)) for status, body in answers], [(200, wanted)] * 3)
        self.assertEqual(wanted["query"], "são 서울👍")
        answer = self.server.raw(b"GET /?q=\xe3 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertIn(b"--data-urlencode", answer)

    def test_the_targets_authority_counts(self):
        for target, host, status in [
            (b"http://evil.example/v1/status", b"localhost", 421),
            (b"http://evil.example", b"localhost", 421),
            (b"http://localhost@evil.example/v1/status", b"localhost", 421),
            (b"http://evil.example:80/v1/status", b"localhost", 421),
            (b"http:///v1/status", b"localhost", 421),
            (b"HTTP://evil.example/v1/status", b"localhost", 421),
            (b"x://evil.example/v1/status", b"localhost", 421),
            (b"http://localhost/v1/status", b"evil.example", 200),
            (b"http://localhost:1/v1/status?", b"evil.example", 200),
            (b"/v1/status?_=http://evil.example/", b"localhost", 200),
            (b"/v1/status", b"evil.example", 421),
        ]:
            for version in [b"1.0", b"1.1"]:
                answer = self.server.raw(
                    b"GET " + target + b" HTTP/" + version + b"\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
                self.assertEqual(answer.split(b" ")[1], b"%d" % status, target)

    def test_pipelining(self):
        paths = [f"/v1/search?q={'abcdefg'[number % 7]}&limit={number % 5 + 1}&seq={number}" for number in range(60)]
        request = b"".join(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode() for path in paths)
        with self.server.socket() as connection:
            connection.sendall(request)
            answers = read_answers(connection, len(paths))
        self.assertEqual([status for status, _ in answers], [200] * 60)
        for path, (_, body) in zip(paths, answers):
            self.assertEqual(body, self.server.get(path).body)

    def test_a_mistake_is_refused_in_its_turn(self):
        for mistake, status in [(b"nonsense\r\n\r\n", 400), (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414)]:
            with self.server.socket() as connection:
                connection.sendall((GET + b"\r\n") * 5 + mistake + (GET + b"\r\n") * 5)
                answers = read_answers(connection, 20)
                self.assertEqual([status for status, _ in answers], [200] * 5 + [status])
                self.assertEqual(connection.recv(1), b"")

    def test_requests_split_anywhere(self):
        data = b"GET /v1/search?q=a&limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        for cut in [1, 4, 20, 37, 40, len(data) - 1]:
            with self.server.socket() as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(data[:cut])
                time.sleep(0.02)
                connection.sendall(data[cut:])
                self.assertIn(b" 200 ", read_all(connection))

    def test_any_bytes_in_any_pieces(self):
        """Bytes near those of requests: each stream has one meaning, however it is cut, and none ends the server."""
        random = Random(31)
        lines = [b"GET /healthz HTTP/1.1", b"GET /v1/search?q=a&limit=1 HTTP/1.1", b"HEAD / HTTP/1.1", b"POST /api HTTP/1.1", b"GET",
                 b"GET /healthz HTTP/1.0", b"OPTIONS * HTTP/1.1", b"Host: localhost", b"Host: localhost", b"Host: localhost",
                 b"Host: evil.example", b"Connection: close", b"Connection: keep-alive", b"Content-Length: 0", b"Content-Length: 3",
                 b"Transfer-Encoding: chunked", b"X: a", b"X : a", b": a", b" a", b"", b"", b"", b"abc"]

        def stream():
            data = bytearray()
            for _ in range(random.randrange(1, 6)):
                data += random.choice(lines[:7]) + b"\r\n"
                for _ in range(random.randrange(4)):
                    data += random.choice(lines[7:]) + b"\r\n"
                data += b"Host: localhost\r\n\r\n" if random.random() < 0.7 else b"\r\n"
            for _ in range(random.randrange(3) if random.random() < 0.5 else 0):
                data[random.randrange(len(data))] = random.choice(b"\r\n :\0\t/aG1\xff")
            return bytes(data)

        def statuses(data, cuts):
            """The statuses of the answers to bytes in pieces; then the client closes its side."""
            with self.server.socket() as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for start, end in zip([0, *cuts], [*cuts, len(data)]):
                    try:
                        connection.sendall(data[start:end])
                    except OSError:
                        break
                    if cuts:
                        time.sleep(0.001)
                try:
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                return re.findall(rb"HTTP/1\.1 (\d+) ", read_all(connection))

        seen = set()
        for _ in range(300):
            data = stream()
            whole = statuses(data, [])
            pieces = statuses(data, sorted(random.sample(range(1, len(data)), min(len(data) - 1, random.randrange(1, 6)))))
            self.assertEqual(pieces, whole, data)
            # A refusal, if there is one, ends the connection.
            self.assertFalse(set(whole[:-1]) & {b"400", b"413", b"505"}, data)
            seen |= set(whole)
        self.assertGreaterEqual(seen, {b"200", b"400", b"405", b"413", b"421"})
        self.assertEqual(self.server.get("/healthz").status, 200)

    def test_times(self):
        with Server(self.index, "--idle-timeout", "0.6", "--request-timeout", "0.6", "--response-timeout", "0.8") as server:
            # A request that does not end, whether its bytes come at once or drip.
            self.refused(GET, 408, server)
            with server.socket() as connection:
                start = time.monotonic()
                dripped = 0
                for byte in GET * 50:
                    try:
                        connection.sendall(bytes([byte]))
                    except OSError:
                        break
                    dripped += 1
                    if select.select([connection], [], [], 0.05)[0]:
                        break
                answer = read_all(connection)
                self.assertIn(b" 408 ", answer)
                self.assertLess(dripped, 40)
            # A connection without a byte, before and between requests.
            with server.socket() as connection:
                self.assertEqual(read_all(connection), b"")
            with server.socket() as connection:
                connection.sendall(GET + b"\r\n")
                self.assertEqual(len(read_answers(connection, 1)), 1)
                self.assertEqual(read_all(connection), b"")
            # A client that does not read the answers, until the buffers are full.
            with server.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.settimeout(0.2)
                request = b"GET /v1/search?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                try:
                    for _ in range(5000):
                        connection.sendall(request)
                except OSError:
                    pass
                server.wait_for(lambda: server.metrics()["shardq_connections"] == 1, "the slow reader is gone")
            self.assertGreaterEqual(server.metrics()["shardq_connections_timed_out_total"], 5)
            self.assertGreater(start, 0)

    def test_connections(self):
        with Server(self.index, "--max-connections", "20") as server:
            held = [server.socket() for _ in range(20)]
            for connection in held:
                connection.sendall(GET + b"\r\n")
                self.assertEqual(read_answers(connection, 1)[0][0], 200)
            answer = server.raw(b"")
            self.assertIn(b" 503 ", answer)
            self.assertIn(b"retry-after: 1", answer.lower())
            # Open connections stay open.
            for connection in held:
                connection.sendall(GET + b"\r\n")
                self.assertEqual(read_answers(connection, 1)[0][0], 200)
                connection.close()
            server.wait_for(lambda: b" 200 " in server.raw(GET + b"Connection: close\r\n\r\n"), "a place is free again")
            self.assertGreaterEqual(server.metrics()["shardq_connections_refused_total"], 1)

    def test_few_descriptors(self):
        with Server(self.index, descriptors=64) as server:
            held = []
            for _ in range(100):
                held.append(server.socket())
            for connection in held:
                connection.close()
            # While the server counts too many connections, it closes each new one at once.
            last_request = GET + b"Connection: close\r\n\r\n"
            server.wait_for(lambda: b" 200 " in server.raw(last_request), "connections are taken again")

    def test_large_answers_are_bounded(self):
        """Many clients with large requests that read nothing take a bounded amount of memory."""
        rows = [{"name": f"a{number}", "country": "XX", "text": chr(97 + number % 26) * 16000} for number in range(400)]
        index = build(rows, "large")
        with Server(index, "--response-timeout", "20") as server:
            before = server.metrics()["process_resident_memory_bytes"]
            answer = server.search("a", limit=250)
            self.assertEqual(answer.status, 200)
            self.assertGreater(len(answer.body), 4_000_000)
            answer = server.search("a", limit=300)
            self.assertEqual((answer.status, answer.headers["content-type"]), (503, "application/problem+json"))
            self.assertIn("4 MiB", answer.json["detail"])
            slow = []
            for _ in range(60):
                connection = server.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.sendall(b"GET /v1/search?q=a&limit=250 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                slow.append(connection)
            server.wait_for(
                lambda: server.metrics().get('shardq_requests_total{route="search",status="503"}', 0) > 10, "some are refused")
            time.sleep(1)
            self.assertEqual(server.search("a", limit=1).status, 200)
            grown = server.metrics()["process_resident_memory_bytes"] - before
            self.assertLess(grown, 160 << 20)
            refused = server.metrics().get('shardq_requests_total{route="search",status="503"}', 0)
            self.assertGreater(refused, 10)
            for connection in slow:
                connection.close()


class Crowd(unittest.TestCase):
    """Connections that do nothing, and clients that take their time: the others are answered meanwhile."""

    IDLE, SLOW = (10_000, 2_000) if LONG else (1_000, 200)

    def test_others_are_answered(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        idle = min(self.IDLE, hard - self.SLOW - 500)
        index = build(places(2000), "crowd")
        connections = []
        stop = threading.Event()
        try:
            with Server(index, "--request-timeout", "120", "--idle-timeout", "300") as server:
                empty = server.metrics()["process_resident_memory_bytes"]
                for _ in range(idle):
                    connections.append(server.socket())
                slow = [server.socket() for _ in range(self.SLOW)]

                def drip():
                    # A byte of a request each, over and over.
                    data = b"GET /v1/search?q=a HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 4000
                    for byte in data:
                        for connection in slow:
                            if stop.is_set():
                                return
                            connection.sendall(bytes([byte]))

                thread = threading.Thread(target=drip)
                thread.start()
                try:
                    server.wait_for(
                        lambda: server.metrics()["shardq_connections"] > idle + self.SLOW, "all connections are there")
                    times = []
                    for number in range(300):
                        start = time.perf_counter()
                        answer = server.search("abcdef"[number % 6], seq=number)
                        times.append(time.perf_counter() - start)
                        self.assertEqual((answer.status, answer.json["seq"]), (200, number))
                    values = server.metrics()
                    self.assertEqual(values["shardq_connections_timed_out_total"], 0)
                    memory = values["process_resident_memory_bytes"] - empty
                    times.sort()
                    print(f"\n{idle} idle and {self.SLOW} slow connections: {memory / (idle + self.SLOW) / 1024:.1f} KiB each; "
                          f"new connection and answer p50 {times[150] * 1e3:.2f} ms, p99 {times[297] * 1e3:.2f} ms")
                    # In bytes a connection, the buffers of a connection among them.
                    self.assertLess(memory / (idle + self.SLOW), 64 << 10)
                finally:
                    stop.set()
                    thread.join()
                    connections += slow
        finally:
            for connection in connections:
                connection.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


if __name__ == "__main__":
    unittest.main()
