"""A command that was killed, or that met a full disk, can be run again: nothing is left behind then."""

import fcntl
import os
import resource
import shutil
import subprocess
import unittest

from case import BIN
from files import FilesCase, StoreCase, install

# The calls that change a directory or a file: a kill before one of them leaves a state of its own.
CALLS = "openat,mkdir,mkdirat,write,pwrite64,fsync,rename,renameat,unlink,unlinkat,rmdir"


class RunAgain(FilesCase):
    """A command that ends early in every way."""

    def run_limited(self, program, arguments, size=None, kill=None, environment=None):
        """Runs a command on a full disk, or kills it before a call; returns its status."""
        def limit():
            if size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        wrapper = [] if kill is None else ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={kill[0]}:signal=KILL:when={kill[1]}"]
        return subprocess.run(
            [*wrapper, str(program), *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True,
            preexec_fn=limit, env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})}, timeout=60)

    def calls(self, program, arguments, environment=None):
        """The calls of a whole run below `out`, by name and number."""
        log = self.directory / "trace"
        subprocess.run(
            ["strace", "-f", "-qq", "-y", "-o", str(log), "-e", "trace=" + CALLS, str(program), *arguments], cwd=self.directory,
            check=True, stdin=subprocess.DEVNULL, capture_output=True,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})})
        counts, found = {}, []
        for line in log.read_text(errors="replace").splitlines():
            name = line.split("(")[0].split()[-1]
            if name not in CALLS.split(","):
                continue
            counts[name] = counts.get(name, 0) + 1
            if "out" in line and (name != "openat" or "O_CREAT" in line):
                found.append((name, counts[name]))
        log.unlink()
        return found

    def check(self, *arguments, program=BIN / "shardq", environment=None):
        """Ends a command early in every way, and runs it again."""
        def fresh():
            shutil.rmtree(self.directory / "out", ignore_errors=True)
            (self.directory / "out").mkdir()

        def again(how):
            ended = self.run_limited(program, arguments, environment=environment)
            self.assertEqual(ended.returncode, 0, f"{arguments}, {how}: {ended.stderr}")
            self.assertEqual(self.found("out"), wanted, f"{arguments}, {how}")
            self.assertEqual(sorted(os.listdir(self.directory / "out")), names, how)

        fresh()
        calls = self.calls(program, arguments, environment)
        wanted, names = self.found("out"), sorted(os.listdir(self.directory / "out"))
        failed = 0
        for size in (0, 1, 100, 1000, 3000):
            fresh()
            ended = self.run_limited(program, arguments, size, environment=environment)
            failed += ended.returncode != 0
            self.assertGreaterEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual([name for name in self.found("out") if ".tmp" in name or ".shardq-sort" in name], [], size)
            again(f"{size} bytes")
        self.assertGreater(failed, 2)
        if shutil.which("strace") is None:
            return print("skipped: kills; strace is missing")
        self.assertGreater(len(calls), 3)
        step = max(1, len(calls) // 20)
        killed = 0
        for call in calls[::step] + calls[-3:]:
            fresh()
            killed += self.run_limited(program, arguments, kill=call, environment=environment).returncode == -9
            again(f"killed before {call}")
        self.assertGreater(killed, 3)


class Files(RunAgain):
    def setUp(self):
        super().setUp()
        self.build()
        self.build("new", "two.csv")
        self.shardq("archive", "-q", "-i", "index", "-o", "given.shardq")

    def test_archive(self):
        self.check("archive", "-q", "-i", "index", "-o", "out/x.shardq")

    def test_diff(self):
        self.check("diff", "-q", "index", "new", "-o", "out/x.pack")

    def test_unarchive(self):
        self.check("unarchive", "-q", "given.shardq", "-o", "out/index")

    def test_page(self):
        program = install(self.directory / "installed")
        self.check("page", "-q", "-i", "index", "-o", "out/site", program=program)

    def test_unarchive_of_another_index_after_a_kill(self):
        """The files of the first index go."""
        (self.directory / "out").mkdir()
        self.shardq("archive", "-q", "-i", "new", "-o", "new.shardq")
        self.shardq("unarchive", "-q", "given.shardq", "-o", "out/index")
        (self.directory / "out/index/manifest").unlink()
        self.shardq("unarchive", "-q", "new.shardq", "-o", "out/index")
        self.assertEqual(set(os.listdir(self.directory / "out/index")), set(os.listdir(self.directory / "new")))
        # But an index that is whole stays.
        before = self.found("out/index")
        self.refused("unarchive", "given.shardq", "-o", "out/index", status=65)
        self.assertEqual(self.found("out/index"), before)

    def test_an_output_that_another_process_writes_stays(self):
        self.shardq("archive", "-q", "-i", "index", "-o", "x.shardq")
        with open(self.directory / "x.shardq.shardq-1.tmp", "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write((self.directory / "x.shardq").read_bytes()[:500])
            file.flush()
            self.shardq("archive", "-q", "--force", "-i", "index", "-o", "x.shardq")
            self.assertTrue((self.directory / "x.shardq.shardq-1.tmp").exists())
        self.shardq("archive", "-q", "--force", "-i", "index", "-o", "x.shardq")
        self.assertEqual([name for name in os.listdir(self.directory) if ".tmp" in name], [])


class Fetches(StoreCase, RunAgain):
    def test_fetch(self):
        self.check("fetch", "-q", "-i", "out/copy", self.URL, environment=self.store.environment)


if __name__ == "__main__":
    unittest.main()
