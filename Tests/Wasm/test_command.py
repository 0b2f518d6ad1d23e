"""Tests `shardq page`: the folder that it writes, and the folders that it refuses."""

import filecmp
import gzip
import html
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SHARDQ_BIN", ROOT / "bin"))
PLAIN = {"index.html", "shardq-box.js", "shardq.js", "static.js", "shardq.wasm"}
FILES = PLAIN | {f"{name}.gz" for name in PLAIN}


def shardq(*arguments, program=BIN / "shardq", **options):
    return subprocess.run(
        [program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, umask=0o022,
        **options)


@unittest.skipUnless(os.environ.get("SHARDQ_LONG") == "1", "a build of some minutes: SHARDQ_LONG=1")
class Module(unittest.TestCase):
    def test_another_directory_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as directory:
            copy = pathlib.Path(directory)
            for name in ("Sources", "Scripts"):
                shutil.copytree(ROOT / name, copy / name)
            (copy / ".build").mkdir()
            shutil.copytree(ROOT / ".build" / "zstd-package", copy / ".build" / "zstd-package")
            made = subprocess.run([copy / "Scripts" / "build-wasm.sh", "made/shardq.wasm"], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            for name in ("shardq.wasm", "shardq.wasm.gz"):
                self.assertTrue(filecmp.cmp(copy / "made" / name, ROOT / ".build/wasm/module" / name, shallow=False), name)


class PageCommand(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="shardq page ")
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)
        self.index = ROOT / "shards"

    def refused(self, status, said, *arguments, **options):
        before = sorted(os.listdir(self.work))
        result = shardq("page", *arguments, **options)
        self.assertEqual(result.returncode, status, result)
        self.assertRegex(result.stderr, said)
        self.assertEqual(sorted(os.listdir(self.work)), before, "something is left")

    def test_a_folder_with_the_index(self):
        made = shardq("page", "-i", self.index, "-o", self.work / "site", "--json")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(os.listdir(self.work), ["site"])
        site = self.work / "site"
        self.assertEqual(set(os.listdir(site)) - set(self.first(site)), FILES | {"index", ".shardq-page"})
        wanted = {name for name in os.listdir(self.index) if name == "manifest" or name.endswith(".zst")}
        self.assertEqual(set(os.listdir(site / "index")), wanted)
        for name in wanted:
            self.assertTrue(filecmp.cmp(site / "index" / name, self.index / name, shallow=False), name)
        said = json.loads(made.stdout)
        self.assertEqual(said["command"], "page")
        self.assertEqual(said["index_bytes"], sum((self.index / name).stat().st_size for name in wanted))
        self.assertGreater(said["bytes"], said["index_bytes"])
        for path in [site, *site.rglob("*")]:
            self.assertEqual(path.stat().st_mode & 0o777, 0o755 if path.is_dir() else 0o644, path)
        for name in PLAIN:
            self.assertEqual(gzip.decompress((site / f"{name}.gz").read_bytes()), (site / name).read_bytes(), name)
            self.assertLess((site / f"{name}.gz").stat().st_size, (site / name).stat().st_size * 0.6)
        box = (site / "shardq-box.js").read_text()
        self.assertIn('\nconst folder={index:"index/",first:{"records":', "\n" + box)
        self.assertLessEqual(len(box.encode()), 8 << 10)
        page = (site / "index.html").read_text()
        self.assertIn('data-index="index/"', page)
        self.assertIn("script-src 'self' 'wasm-unsafe-eval' 'sha256-", page)
        self.assertNotIn("/v1/search?q=san&amp;", page)
        for name in ("static.js", "shardq.js"):
            self.assertIn(f'<link rel="modulepreload" href="{name}">', page)

    def first(self, site):
        """The files of first answers: one for each character that the page names, and its compressed twin."""
        said = json.loads(html.unescape(re.search(r'data-first="([^"]*)"', (site / "index.html").read_text())[1]))
        files = [f"first-{ord(character):x}.json" for character in said["characters"]]
        self.assertGreater(len(files), 10)
        index = next(path for path in (site / "index/manifest", site / "index.shardq") if path.exists())
        self.assertEqual(index.read_bytes()[said["from"] : said["to"]].hex(), said["mark"])
        for name in files:
            data = (site / name).read_bytes()
            self.assertEqual(gzip.decompress((site / f"{name}.gz").read_bytes()), data)
            self.assertLess(len(data), 52_000)
            file = json.loads(data)
            self.assertEqual(file["mark"], said["mark"])
            for text, answer in file["answers"].items():
                self.assertTrue(1 <= len(text) <= 3 and text[0] == chr(int(name[6:-5], 16)), text)
                self.assertTrue(1 <= len(answer["rows"]) <= 8)
        return [each for name in files for each in (name, f"{name}.gz")]

    def test_a_folder_with_an_archive_from_either(self):
        archive = self.work / "list.shardq"
        self.assertEqual(shardq("archive", "-i", self.index, "-o", archive).returncode, 0)
        for number, index in enumerate((self.index, archive)):
            site = self.work / f"site{number}"
            made = shardq("page", "-i", index, "-o", f"{site}/", "--archive")
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertIn("of index", made.stderr)
            self.assertEqual(set(os.listdir(site)) - set(self.first(site)), FILES | {"index.shardq", ".shardq-page"})
            self.assertTrue(filecmp.cmp(site / "index.shardq", archive, shallow=False))
            self.assertIn('data-index="index.shardq"', (site / "index.html").read_text())
        # And a directory out of an archive.
        self.assertEqual(shardq("page", "-i", archive, "-o", self.work / "site", "-q").returncode, 0)
        self.assertTrue(filecmp.cmp(self.work / "site/index/manifest", self.index / "manifest", shallow=False))

    def test_the_look(self):
        file = self.work / "look"
        file.write_text("title = A <b>\nlang = de\n")
        site = self.work / "site"
        made = shardq("page", "-i", self.index, "-o", site, "--page-file", file, "--subtitle", "{country} · {population}",
                      "--image", "name", "--image-origin", "https://img.example.org", "--label", "population=People")
        self.assertEqual(made.returncode, 0, made.stderr)
        page = (site / "index.html").read_text()
        self.assertIn("<title>A &lt;b&gt;</title>", page)
        said = json.loads(html.unescape(re.search(r'<html lang="de" data-index="index/" data-first="[^"]*" data-page="([^"]*)">', page)[1]))
        rows = json.loads((site / "first-6c.json").read_text())["answers"]["lo"]["rows"]
        self.assertEqual({tuple(row["record"]) for row in rows}, {("country", "population", "name")})
        self.assertEqual(said["subtitle"], [["country"], " · ", ["population"]])
        self.assertEqual(said["labels"], {"population": "People"})
        self.assertEqual(said["index"], {"words": True, "typos": True, "places": True})
        self.assertIn("; img-src 'self' data: https://img.example.org;", page)
        self.refused(64, "--subtitle: the index has no field populaton; .* did you mean population",
                     "-i", self.index, "-o", self.work / "other", "--subtitle", "{populaton}")

    def test_what_is_there_stays(self):
        (self.work / "site").mkdir()
        (self.work / "site" / "letter").write_text("mine")
        self.refused(65, "exists already", "-i", self.index, "-o", self.work / "site")
        (self.work / "file").write_text("mine")
        self.refused(65, "exists already", "-i", self.index, "-o", self.work / "file")
        os.symlink("nowhere", self.work / "link")
        self.refused(65, "exists already", "-i", self.index, "-o", self.work / "link")

    def test_bad_input(self):
        site = self.work / "site"
        self.refused(66, "no index|not found|there is no", "-i", self.work / "none", "-o", site)
        self.refused(74, "none/site|none", "-i", self.index, "-o", self.work / "none/site")
        index = self.work / "index"
        changed = self.work / "changed.jsonl"
        changed.write_text('{"_id":1,"name":"Aa"}\n')
        for line in (["build", "--id", "_id", "--key", "{name}", changed], ["update", "--overlay", "--upsert", changed]):
            made = shardq(*line, "-i", index, "-q")
            self.assertEqual(made.returncode, 0, made.stderr)
            changed.write_text('{"_id":2,"name":"Bb"}\n')
        self.refused(65, "update --merge", "-i", index, "-o", site)
        os.remove(index / "overlay")
        shard = next(name for name in sorted(os.listdir(index)) if name.endswith(".zst"))
        data = bytearray((index / shard).read_bytes())
        data[len(data) // 2] ^= 1
        (index / shard).write_bytes(data)
        self.refused(65, "SHA-256", "-i", index, "-o", site)
        self.refused(65, "SHA-256", "-i", index, "-o", site, "--archive")

    def test_a_disk_that_is_full_leaves_nothing(self):
        for size in (0, 1000, 20_000, 400_000):
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            self.refused(74, "cannot write|too large", "-i", self.index, "-o", self.work / "site", preexec_fn=limit)

    def test_a_signal_leaves_nothing(self):
        site = self.work / "site"
        line = [BIN / "shardq", "page", "-i", self.index, "-o", site, "-q"]
        began = time.monotonic()
        subprocess.run(line, check=True)
        span = time.monotonic() - began
        files = sorted(path.relative_to(site) for path in site.rglob("*"))
        shutil.rmtree(site)
        # Most kills come near the end, when the folder gets its name: it then has all files, or does not exist.
        for number in range(60):
            process = subprocess.Popen(line)
            time.sleep(span * (number / 5 if number < 5 else 0.6 + 0.5 * number / 60))
            process.send_signal(signal.SIGTERM)
            process.wait(30)
            left = os.listdir(self.work)
            self.assertIn(left, ([], ["site"]), process.returncode)
            if left:
                self.assertEqual(sorted(path.relative_to(site) for path in site.rglob("*")), files)
                shutil.rmtree(site)

    def test_an_installation_without_the_files(self):
        for name in ("shardq", "shardq-commands"):
            (self.work / "bin").mkdir(exist_ok=True)
            shutil.copy(BIN / name, self.work / "bin" / name)
        program = self.work / "bin" / "shardq"
        self.refused(66, "share/shardq", "-i", self.index, "-o", self.work / "site", program=program)
        share = self.work / "share" / "shardq"
        shutil.copytree(ROOT / ".build/wasm/module", share)
        made = shardq("page", "-i", self.index, "-o", self.work / "site", program=program)
        self.assertEqual(made.returncode, 0, made.stderr)
        os.remove(share / "static.js")
        self.refused(66, "static.js", "-i", self.index, "-o", self.work / "other", program=program)
        (share / "static.js").touch()
        (share / "shardq-box.js").write_text("const folder = 1")
        self.refused(65, "shardq-box.js", "-i", self.index, "-o", self.work / "other", program=program)
        (share / "page.html").write_text("<html>")
        self.refused(65, "page.html", "-i", self.index, "-o", self.work / "other", program=program)


if __name__ == "__main__":
    unittest.main()
