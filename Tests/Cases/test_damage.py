"""A command that reads the whole of an index ends with an error over damage, or leaves a sound index.

Each file of an index with every feature loses a byte or is gone; bytes of the manifest are spread over all its frames.
"""

import hashlib
import random
import shutil
import unittest

from case import BIN, Case
from files import install, s3

OPTIONS = [
    "--key", "{name}", "--id", "id", "--weight", "pop", "--words", "--alias", "also", "--typos", "--near", "--filter", "cc",
    "--starts", "--shard-size", "2KiB"]


class Damage(Case):
    @classmethod
    def setUpClass(cls):
        rng = random.Random(1)
        letters = lambda: "".join(rng.choice("abcdefgh") for _ in range(5))
        rows = [
            f"{letters()} {rng.choice(['lake', 'old town', 'north'])},{letters()},{rng.choice(['US', 'DE'])},{i},{i * i},"
            f"{rng.randrange(-80, 80)},{rng.randrange(-170, 170)}"
            for i in range(400)]
        cls.list = "\n".join(["name,also,cc,id,pop,lat,lon", *rows, ""])

    def setUp(self):
        super().setUp()
        self.write("list.csv", self.list)
        self.write("one.csv", "name,also,cc,id,pop,lat,lon\nabcde lake,x,US,7,1,2,3\n")
        self.shardq("build", "-q", "-i", "copy", *OPTIONS, "list.csv")
        self.write("other.csv", self.list + "zzz,y,DE,900,5,6,7\n")
        self.shardq("build", "-q", "-i", "other", *OPTIONS, "other.csv")
        self.files = sorted(path.name for path in (self.directory / "copy").iterdir() if path.name != ".lock")
        self.assertGreater(len(self.files), 20)

    def damages(self):
        """Yields a name for each kind of damage, after it was done to a fresh copy named `index`."""
        for name in self.files:
            whole = (self.directory / "copy" / name).read_bytes()
            places = range(5, len(whole), len(whole) // 60) if name == "manifest" else [len(whole) // 2, len(whole) - 2]
            for place in places:
                self.fresh()
                data = bytearray(whole)
                data[place] ^= 4
                (self.directory / "index" / name).write_bytes(data)
                yield f"{name}, byte {place} of {len(whole)}"
            if name != "manifest":
                self.fresh()
                (self.directory / "index" / name).unlink()
                yield f"{name} is gone"

    def fresh(self, source="copy"):
        shutil.rmtree(self.directory / "index", ignore_errors=True)
        shutil.copytree(self.directory / source, self.directory / "index")

    def is_sound(self, index):
        return self.run_shardq("verify", "-q", "-i", index).returncode == 0

    def test_what_heals(self):
        """A build over the index and a repair from a copy leave it sound."""
        digest = hashlib.sha256((self.directory / "copy/manifest").read_bytes()).hexdigest()
        for heals in (
            ["build", "-q", "-i", "index", *OPTIONS, "list.csv"], ["repair", "-q", "-i", "index", "--from", "copy"],
        ):
            for damage in self.damages():
                with self.subTest(damage, command=heals[0]):
                    self.assertFalse(self.is_sound("index"), "verify")
                    ended = self.run_shardq(*heals)
                    if "nothing proves" in ended.stderr:
                        # The names of fields are damaged too, and only the digest proves those of the copy.
                        ended = self.run_shardq(*heals, "--expect-digest", digest)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertTrue(self.is_sound("index"))

    def check(self, damage, ended, sound):
        """Checks that a command ended with an error that names the damage, or that `sound()` holds."""
        if ended.returncode == 0:
            return self.assertTrue(sound())
        self.assertIn(ended.returncode, (65, 66), ended.stderr)
        self.assertIn(damage.split(",")[0].split(" ")[0], ended.stderr)

    def is_pack_sound(self):
        shutil.copytree(self.directory / "other", self.directory / "made")
        self.shardq("apply", "-q", "-i", "made", "made.pack")
        return self.is_sound("made")

    def copies(self):
        """The commands that copy the index, each with a function that tells whether its copy is sound."""
        yield ["archive", "-q", "-i", "index", "-o", "made.shardq"], {}, lambda: self.is_sound("made.shardq")
        yield ["diff", "-q", "other", "index", "-o", "made.pack"], {}, self.is_pack_sound
        installed = {"program": install(self.directory / "installed")}
        yield ["page", "-q", "-i", "index", "-o", "made"], installed, lambda: self.is_sound("made/index")
        yield (
            ["page", "-q", "--archive", "-i", "index", "-o", "made"], installed,
            lambda: self.is_sound("made/index.shardq"))
        if not (BIN / "shardq-remote").exists():
            return print("skipped: publish; Scripts/build.sh --remote makes shardq-remote")
        store = s3.Store()
        self.addCleanup(store.close)
        url, environment = "s3://bucket/lists/index/", {"environment": store.environment}

        def is_published_sound():
            self.shardq("fetch", "-q", "-i", "made", url, **environment)
            store.objects.clear()
            return self.is_sound("made")

        yield ["publish", "-q", "-i", "index", url], environment, is_published_sound

    def test_what_copies(self):
        """A command that copies the index ends with an error that names the damage, or makes a sound copy."""
        commands = list(self.copies())
        for damage in self.damages():
            for command, options, sound in commands:
                with self.subTest(damage, command=command[0]):
                    for name in "made.shardq", "made.pack":
                        (self.directory / name).unlink(missing_ok=True)
                    shutil.rmtree(self.directory / "made", ignore_errors=True)
                    self.check(damage, self.run_shardq(*command, **options), sound)

    def test_what_changes(self):
        """An update ends with an error that names the damage, also where it changes nothing, or leaves a sound index."""
        for damage in self.damages():
            shutil.rmtree(self.directory / "damaged", ignore_errors=True)
            (self.directory / "index").rename(self.directory / "damaged")
            for options in [], ["--overlay"]:
                self.fresh("damaged")
                with self.subTest(damage, options=options):
                    ended = self.run_shardq("update", "-q", "-i", "index", *options, "--upsert", "one.csv")
                    self.check(damage, ended, lambda: self.is_sound("index"))


if __name__ == "__main__":
    unittest.main()
