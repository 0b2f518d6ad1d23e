"""A host on loopback behind a slow line: each request waits, and all answers together have one bandwidth."""

import http.client
import http.server
import threading
import time
from dataclasses import dataclass

PACKET = 1460  # The bytes that take turns on the line.


class Line:
    """The bandwidth that all connections share. Packets of several answers take turns."""

    def __init__(self, bytes_per_second):
        self.rate, self.lock, self.free = bytes_per_second, threading.Lock(), 0.0

    def pass_on(self, data, write):
        for start in range(0, len(data), PACKET):
            packet = data[start : start + PACKET]
            with self.lock:
                self.free = max(self.free, time.monotonic()) + len(packet) / self.rate
                arrival = self.free
            time.sleep(max(0, arrival - time.monotonic()))
            write(packet)


@dataclass
class Request:
    """A request of the log; times are seconds since the host began, sizes are bytes of the body."""

    path: str
    asked: float
    first: float
    last: float = 0.0
    size: int = 0
    status: int = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def do_GET(self):
        host = self.server
        asked = host.now()
        time.sleep(host.delay)
        upstream = http.client.HTTPConnection(*host.upstream, timeout=30)
        try:
            upstream.request("GET", self.path, headers={**self.headers, "Connection": "close"})
            answer = upstream.getresponse()
            body = answer.read()
        finally:
            upstream.close()
        request = Request(self.path, asked, host.now(), size=len(body), status=answer.status)
        host.log.append(request)
        skipped = ("connection", "transfer-encoding", "content-length", "keep-alive")
        head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in answer.getheaders() if name.lower() not in skipped)
        if answer.status != 304:
            head += f"Content-Length: {len(body)}\r\n"
        try:
            host.line.pass_on(head.encode("latin-1") + b"\r\n" + body, self.wfile.write)
        except OSError:
            self.close_connection = True  # The browser gave the request up.
        request.last = host.now()

    def log_message(self, *_):
        pass


class SlowHost(http.server.ThreadingHTTPServer):
    """The host of one load. It has a port of its own, so no browser has anything of it in a cache."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, upstream, delay, bytes_per_second):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream, self.delay, self.line, self.log = upstream, delay, Line(bytes_per_second), []
        self.began = time.monotonic()
        self.address = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def now(self):
        return time.monotonic() - self.began

    def handle_error(self, *_):
        pass  # A browser may end connections at any time.

    def close(self):
        self.shutdown()
        self.server_close()
