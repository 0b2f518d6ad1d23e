"""Serves files over HTTP after a delay, and stalls or fails on demand: store.py ROOT MILLISECONDS.

The store prints its port. /.store/MODE changes its answers from then on: `ok`, `stall` (no answer) or `fail` (status 503).
/.store/counts gives the numbers of requests, bytes and requests for manifests, and the most requests under way.
"""

import asyncio
import json
import os
import re
import sys
import urllib.parse


class Store:
    def __init__(self, root, seconds):
        self.root, self.seconds, self.mode = root, seconds, "ok"
        self.clear()
        self.now = 0

    def clear(self):
        self.requests = self.bytes = self.manifests = self.most = 0

    def control(self, word):
        if word != "counts":
            self.mode = word
            return b"{}"
        counts = {"requests": self.requests, "bytes": self.bytes, "manifests": self.manifests, "most": self.most}
        self.clear()
        return json.dumps(counts).encode()

    def answer(self, path, fields):
        """The status, the fields and the body."""
        file = os.path.realpath(os.path.join(self.root, path.lstrip("/")))
        if self.mode == "fail":
            return 503, {}, b"in trouble"
        if not file.startswith(self.root) or not os.path.isfile(file):
            return 404, {}, b"not here"
        with open(file, "rb") as opened:
            content = opened.read()
            status = os.fstat(opened.fileno())
        tag = f'"{status.st_mtime_ns:x}-{status.st_ino:x}-{len(content):x}"'
        if fields.get("if-none-match") == tag:
            return 304, {"ETag": tag}, b""
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", fields.get("range", ""))
        if not asked:
            return 200, {"ETag": tag}, content
        first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
        return 206, {"ETag": tag, "Content-Range": f"bytes {first}-{last}/{len(content)}"}, content[first:last + 1]


class Connection(asyncio.Protocol):
    def __init__(self, store):
        self.store, self.input = store, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.input += data
        while b"\r\n\r\n" in self.input:
            head, self.input = self.input.split(b"\r\n\r\n", 1)
            line, *lines = head.decode("latin-1").split("\r\n")
            fields = {name.lower(): value.strip() for name, value in (each.split(":", 1) for each in lines)}
            path = urllib.parse.unquote(line.split(" ")[1].split("?")[0])
            if path.startswith("/.store/"):
                self.send(200, {}, self.store.control(path.removeprefix("/.store/")))
                continue
            store = self.store
            store.requests += 1
            store.manifests += path.endswith("/manifest")
            store.now += 1
            store.most = max(store.most, store.now)
            if store.mode == "stall":
                store.now -= 1
                continue
            asyncio.get_running_loop().call_later(store.seconds, self.later, path, fields)

    def later(self, path, fields):
        self.store.now -= 1
        answer = self.store.answer(path, fields)
        self.store.bytes += len(answer[2])
        self.send(*answer)

    def send(self, status, fields, body):
        lines = [f"HTTP/1.1 {status} -", f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in fields.items())]
        # Status 304 has no body, and says no size.
        head = "\r\n".join(lines[:1] + lines[2:] if status == 304 else lines)
        if not self.transport.is_closing():
            self.transport.write(head.encode() + b"\r\n\r\n" + body)


async def main(root, milliseconds):
    store = Store(os.path.realpath(root), float(milliseconds) / 1000)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(store), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
