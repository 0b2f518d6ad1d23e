"""A file of SQLite on a far host, read as sql.js-httpvfs reads it: chunks of a page, and twice as many at each read that
follows on another. Needs `pip install apsw`."""

import contextlib


class Ranges:
    """A file on a far host. Counts the requests and bytes of reading it."""

    chunk = 4096
    heads = 3
    most = (5 << 20) // 4096

    def __init__(self, data):
        self.data = data
        self.requests = self.bytes = 0
        self.known = set()
        self.reading = []
        self.requests += 1  # HEAD, for the size.

    def read(self, start, size):
        for number in range(start // self.chunk, (start + size - 1) // self.chunk + 1):
            if number not in self.known:
                self.fetch(number)
        return self.data[start : start + size]

    def fetch(self, number):
        for head in self.reading:
            speed = min(self.most, head[1] * 2)
            if head[0] + head[1] <= number < head[0] + head[1] + speed:
                head[:] = [head[0] + head[1], speed]
                break
        else:
            head = [number, 1]
            self.reading.append(head)
        self.reading.remove(head)
        self.reading = [head, *self.reading][: self.heads]
        first = min(head[0], number)
        chunks = range(first, first + head[1])
        self.known.update(chunks)
        self.requests += 1
        self.bytes += min(len(self.data), chunks.stop * self.chunk) - chunks.start * self.chunk


class FarDatabase:
    """Opens a database of SQLite through `Ranges`, with nothing read before."""

    def __init__(self, path):
        import apsw

        self.apsw, self.path, self.ranges = apsw, path, None
        with open(path, "rb") as file:
            self.data = file.read()
        far = self

        class File(apsw.VFSFile):
            def __init__(self, name, flags):
                super().__init__("", name, flags)

            def xRead(self, amount, offset):
                return far.ranges.read(offset, amount)

        class Files(apsw.VFS):
            def __init__(self):
                super().__init__("far", "")

            def xOpen(self, name, flags):
                return File(name, flags)

        self.files = Files()

    @contextlib.contextmanager
    def opened(self):
        """A connection, and the requests and bytes of its reads."""
        self.ranges = Ranges(self.data)
        flags = self.apsw.SQLITE_OPEN_READONLY | self.apsw.SQLITE_OPEN_URI
        connection = self.apsw.Connection(f"file:{self.path}?immutable=1", flags, vfs="far")
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            yield connection, self.ranges
        finally:
            connection.close()
