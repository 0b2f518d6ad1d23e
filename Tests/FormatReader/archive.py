"""The second reader of archives, written from docs/archive.md alone."""

import os
import struct


class Archive:
    """A file that stands for a directory. `files` are the names and sizes of the index's files, in the order of places."""

    def __init__(self, path, error):
        """`error` is the exception for an archive that breaks a rule."""
        self.error, self.files = error, []
        self.file = open(path, "rb")
        self.size = os.fstat(self.file.fileno()).st_size
        head = self._bytes(0, 38)
        signature, _, flags, method, _, _, self.checksum, packed, size, name, extra = struct.unpack_from("<IHHHHHIIIHH", head)
        self._need(signature == 0x04034B50 and name == 8 and head[30:] == b"manifest", "no archive of an index")
        self._need((flags, method, packed) == (0, 0, size), "a manifest that is not stored")
        tag, own, version, self.places, manifest = struct.unpack("<HHIQQ", self._bytes(38, 24))
        self._need((tag, version) == (0x5153, 1), "of another version")
        self._need(own == 20 and extra >= 24 and manifest == size, "another extra field")
        self.manifest = self._bytes(38 + extra, size)

    def close(self):
        self.file.close()

    def _need(self, condition, message):
        if not condition:
            raise self.error(f"{self.file.name}: {message}")

    def _bytes(self, start, size):
        self._need(start + size <= self.size, "ends too early")
        self.file.seek(start)
        return self.file.read(size)

    def place(self, number):
        return struct.unpack("<Q", self._bytes(self.places + 8 * number, 8))[0]

    def read(self, name):
        if name == "manifest":
            return self.manifest
        number = next((number for number, (found, _) in enumerate(self.files) if found == name), None)
        if number is None:
            raise self.error(f"{name}: not in an archive") from FileNotFoundError()
        return self._bytes(self.place(number), self.files[number][1])
