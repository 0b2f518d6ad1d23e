"""What tests of files share: indexes, a user's files beside them, a host and a store."""

import http.server
import os
import random
import shutil
import subprocess
import sys
import threading

from case import BIN, ROOT, Case

sys.path.insert(0, str(ROOT / "Tests" / "Remote"))
import store as s3  # noqa: E402

# Names that look like names of shardq, with a user's content.
ALIKE = [
    "backup-2024010112345678.zst", "side-0123456789abcdef.zst", "entries-0123456789abcdef.zst", "manifest-" + "0" * 32,
    ".shardq-00000000000000ff.tmp", ".shardq-sort-123-0", ".shardq-starts/letter", ".shardq-range-1-2-3/letter",
    "places", "a/.env", "README.md", ".gitignore",
]
BUILD = ["build", "--quiet", "--key", "{name}", "--id", "id", "--words", "--starts", "--shard-size", "2KiB"]


def lines(seed, count=300):
    made = random.Random(seed)
    rows = ["%s %s,%d" % ("".join(made.choices("abcdefgh", k=5)), made.choice(["lake", "town"]), i) for i in range(count)]
    return "name,id\n" + "\n".join(rows) + "\n"


def install(place):
    """Installs the commands with stand-ins of the page's files; returns the path of `shardq`."""
    (place / "bin").mkdir(parents=True)
    for name in ("shardq", "shardq-commands"):
        shutil.copy(BIN / name, place / "bin" / name)
    share = place / "share" / "shardq"
    share.mkdir(parents=True)
    for name in ("page.html", "shardq-box.js"):
        shutil.copy(ROOT / "Sources" / "Programs" / "Serving" / "Resources" / name, share / name)
    for name in ("shardq.js", "static.js", "shardq.wasm", "shardq.wasm.gz"):
        (share / name).write_bytes(b"// a stand-in\n" * 1000)
    return place / "bin" / "shardq"


class Host:
    """Serves a directory over HTTP on loopback."""

    def __init__(self, directory):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(directory))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class FilesCase(Case):
    def setUp(self):
        super().setUp()
        self.write("one.csv", lines(1))
        self.write("two.csv", lines(2))

    def build(self, index="index", source="one.csv", *options, **more):
        return self.shardq(*BUILD, "-i", index, source, *options, **more)

    def place(self, folder, names=ALIKE):
        """Writes a user's files; returns them with their content."""
        files = {f"{folder}/{name}": f"dear {name}".encode() for name in names}
        for name, content in files.items():
            os.utime(self.write(name, content), (0, 0))
        return files

    def found(self, folder):
        """All files below a folder, with their content."""
        top = self.directory / folder
        return {str(path.relative_to(self.directory)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}

    def run_program(self, program, *arguments, status=0):
        """Runs an installed `shardq`, checks its status, and returns its standard error."""
        ended = subprocess.run(
            [str(program), *map(str, arguments)], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60, env={**os.environ, "SHARDQ_CONFIG": "/dev/null"})
        self.assertEqual(ended.returncode, status, f"{arguments}: {ended.stderr}")
        return ended.stderr

    def assert_kept(self, files, what):
        for name, content in files.items():
            path = self.directory / name
            self.assertTrue(path.is_file(), f"{what}: {name} is gone")
            self.assertEqual(path.read_bytes(), content, f"{what}: {name}")


class StoreCase(FilesCase):
    """A published index in a store; `self.store` has its objects."""

    URL = "s3://bucket/lists/index/"

    def setUp(self):
        super().setUp()
        if not (BIN / "shardq-remote").exists():
            print("skipped: an index in a store; Scripts/build.sh --remote makes shardq-remote")
            self.skipTest("no shardq-remote")
        self.build()
        self.store = s3.Store()
        self.shardq("publish", "-q", "-i", "index", self.URL, environment=self.store.environment)
