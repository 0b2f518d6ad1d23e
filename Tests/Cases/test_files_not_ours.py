"""No command removes, replaces or renames a file that shardq did not make."""

import hashlib
import os
import shutil
import subprocess
import time
import unittest

from case import BIN
from files import ALIKE, BUILD, FilesCase, Host, StoreCase, install, lines


class Indexes(FilesCase):
    def test_a_directory_with_one_file_and_no_index_is_refused(self):
        self.build()
        self.shardq("archive", "-q", "-i", "index", "-o", "index.shardq")
        for number, name in enumerate([*ALIKE, "overlay", "manifest", ".lock", "notes.txt", ".env", "lost+found"]):
            folder = f"u{number}"
            self.place(folder, [name])
            before = self.found(folder)
            self.assertIn(name.split("/")[0], self.refused(*BUILD, "-i", folder, "one.csv"))
            self.refused("unarchive", "index.shardq", "-o", folder, status=65)
            self.assertEqual(self.found(folder), before, name)

    def test_an_empty_directory_and_an_index_of_no_record_are_built_over(self):
        (self.directory / "index").mkdir()
        (self.directory / "index/lost+found").mkdir()
        self.write("none.csv", "name,id\n")
        self.shardq(*BUILD, "-i", "index", "none.csv")
        self.build()
        self.shardq("verify", "-q", "-i", "index")
        # Without entries and starts, an index of no record is a manifest alone.
        for source in ("none.csv", "none.csv", "one.csv"):
            self.shardq("build", "-q", "--key", "{name}", "-i", "plain", source)
            if source == "none.csv":
                self.assertEqual(set(os.listdir(self.directory / "plain")), {"manifest", ".lock"})
        self.shardq("verify", "-q", "-i", "plain")

    def test_remains_of_a_killed_build_are_built_over(self):
        """Whole shards, the beginning of a temporary file, the lock: and no manifest."""
        self.build()
        whole = self.found("index")
        shards = [name for name in whole if name.endswith(".zst")]
        (self.directory / "index/manifest").unlink()
        self.write("index/.shardq-00000000000000ff.tmp", whole[shards[0]][:100])
        self.write("index/.shardq-00000000000001ff.tmp", b"")
        self.write("index/.shardq-00000000000002ff.tmp", bytes(4096))
        self.write("index/.shardq-sort-7-0", b"")
        (self.directory / "index/.shardq-starts").mkdir(exist_ok=True)
        self.write("index/.shardq-starts/manifest", whole["index/manifest"])
        self.build("index", "two.csv")
        self.shardq(*BUILD, "-i", "other", "two.csv")
        fresh = {name.replace("other/", "index/"): content for name, content in self.found("other").items()}
        self.assertEqual(self.found("index"), fresh)

    def test_remains_beside_a_users_file_are_refused(self):
        self.build()
        (self.directory / "index/manifest").unlink()
        self.place("index", ["backup-2024010112345678.zst"])
        before = self.found("index")
        self.assertIn("backup-", self.refused(*BUILD, "-i", "index", "two.csv"))
        self.assertEqual(self.found("index"), before)

    def test_every_command_that_writes_an_index_keeps_the_files_beside_it(self):
        self.build("new", "two.csv")
        self.build()
        self.shardq("diff", "index", "new", "-o", "pack")
        shutil.copytree(self.directory / "index", self.directory / "copy")
        files = self.place("index")
        self.write("more.csv", "name,id\nnew place,1\n")
        self.write("gone.csv", "id\n2\n")
        damaged = next(name for name in sorted(self.found("index")) if name.endswith(".zst") and name not in files)

        def damage():
            (self.directory / damaged).write_bytes(b"damage")

        for what, prepare in [
            (["apply", "pack", "-i", "index"], None),
            ([*BUILD, "-i", "index", "one.csv"], None),
            (["repair", "-i", "index", "--from", "copy"], damage),
            (["update", "-i", "index", "--upsert", "more.csv"], None),
            (["update", "-i", "index", "--overlay", "--delete", "gone.csv"], None),
            (["update", "-i", "index", "--merge"], None),
            ([*BUILD, "-i", "index", "two.csv"], None),
            ([*BUILD, "-i", "index", "one.csv"], None),
            (["build", "-q", "-i", "index", "--force", "--key", "{id}", "two.csv"], None),
        ]:
            if prepare:
                prepare()
            self.shardq(*what)
            self.assert_kept(files, what)
        self.shardq("verify", "-q", "-i", "index")

    def test_an_overlay_of_another_program_stays(self):
        self.build("new", "two.csv")
        self.build()
        self.shardq("diff", "index", "new", "-o", "pack")
        files = self.place("index", ["overlay"])
        self.write("more.csv", "name,id\nnew place,1\n")
        for what in (
            [*BUILD, "-i", "index", "two.csv"], [*BUILD, "--force", "-i", "index", "two.csv"],
            ["update", "-i", "index", "--upsert", "more.csv"], ["update", "-i", "index", "--overlay", "--upsert", "more.csv"],
            ["update", "-i", "index", "--merge"], ["apply", "pack", "-i", "index"],
            ["repair", "-i", "index", "--from", "new", "--force"],
        ):
            ended = self.run_shardq(*what)
            self.assertNotEqual(ended.returncode, 0, what)
            self.assertIn("overlay", ended.stdout + ended.stderr)
            self.assert_kept(files, what)

    def test_a_damaged_overlay_and_a_damaged_manifest_are_replaced(self):
        self.write("more.csv", "name,id\nnew place,1\n")
        for name in ("overlay", "manifest"):
            for damage in (lambda data: bytes([data[0] ^ 1]) + data[1:], lambda data: data[:-1] + b"?", lambda data: b""):
                self.build()
                self.shardq("update", "-i", "index", "--overlay", "--upsert", "more.csv")
                path = self.directory / "index" / name
                path.write_bytes(damage(path.read_bytes()))
                self.build("index", "two.csv")
                self.shardq("verify", "-q", "-i", "index")
                shutil.rmtree(self.directory / "index")

    def test_ranges_keep_the_files_beside_them(self):
        records = "".join('{"name":"%s","id":%s}\n' % tuple(line.split(",")) for line in lines(1).splitlines()[1:])
        self.write("list.jsonl", records)
        self.write("plan", self.shardq("plan-ranges", "--key", "{name}", "--id", "id", "--ranges", "2", "list.jsonl"))
        keys = self.shardq("key", "--plan", "plan", input=records)

        def write(folder, **more):
            self.write("rows", self.shardq("write-range", "--plan", "plan", "--output", folder, input=keys, **more))

        def merge(folder, **more):
            return self.shardq("merge", "-q", "--plan", "plan", "--output", folder, "rows", **more)

        for number, name in enumerate(ALIKE):
            files = self.place(f"u{number}", [name])
            write(f"u{number}", status=64)
            self.assertEqual(self.found(f"u{number}"), files, name)
        write("ranges")
        # A killed writer leaves a directory.
        whole = self.found("ranges")
        shard = next(name for name in whole if name.endswith(".zst"))
        self.write(f"ranges/.shardq-range-9-8-7/{os.path.basename(shard)}", whole[shard])
        self.write("ranges/.shardq-range-9-8-7/.lock", "")
        files = self.place("ranges", ["README.md", ".shardq-range-1-2-3/letter"])
        merge("ranges", status=64)
        self.assert_kept({**whole, **files}, "merge")
        shutil.rmtree(self.directory / "ranges/.shardq-range-1-2-3")
        (self.directory / "ranges/README.md").unlink()
        files = self.place("ranges", ["backup-2024010112345678.zst"])
        merge("ranges")
        self.assert_kept(files, "merge")
        self.assertFalse((self.directory / "ranges/.shardq-range-9-8-7").exists())
        files = self.place("ranges")
        write("ranges")
        merge("ranges")
        self.assert_kept(files, "merge over an index")
        self.assertEqual([name for name in self.found("ranges") if "manifest-" in name and name not in files], [])


class Outputs(FilesCase):
    def setUp(self):
        super().setUp()
        self.build()
        self.build("new", "two.csv")

    def test_files_beside_an_output_stay(self):
        program = install(self.directory / "installed")
        names = [*ALIKE, "overlay", "x.shardq.shardq-1.tmp", "x.pack.shardq-1.tmp", "x.shardq.123-1.tmp",
                 "shardq-page-backup/letter", "shardq-plan-backup/letter"]
        files = self.place("out", names)
        (self.directory / "one.csv").rename(self.directory / "out/one.csv")
        for what in (
            ["archive", "-i", "index", "-o", "out/x.shardq"], ["archive", "--force", "-i", "new", "-o", "out/x.shardq"],
            ["diff", "index", "new", "-o", "out/x.pack"], ["diff", "new", "index", "-o", "out/x.pack"],
            ["unarchive", "out/x.shardq", "-o", "out/index"],
            ["page", "-i", "index", "-o", "out/site"], ["page", "-i", "new", "-o", "out/site"],
        ):
            self.run_program(program, *what)
            self.assert_kept(files, what)
        made = {"one.csv", "x.shardq", "x.pack", "index", "site"} | {name.split("/")[0] for name in names}
        self.assertEqual(set(os.listdir(self.directory / "out")), made)

    def test_a_file_in_the_place_of_an_output_stays(self):
        files = self.place(".", ["x.shardq", "x.pack"])
        self.assertIn("exists", self.refused("diff", "index", "new", "-o", "x.pack", status=65))
        self.assertIn("exists", self.refused("archive", "-i", "index", "-o", "x.shardq", status=65))
        self.assert_kept(files, "outputs")

    def test_page_replaces_its_own_folder_alone(self):
        program = install(self.directory / "installed")
        first = self.run_program(program, "page", "-i", "index", "-o", "site")
        self.assertEqual(first.splitlines()[-1], "try: python3 -m http.server -d site")
        before = self.found("site")
        self.run_program(program, "page", "-q", "-i", "new", "-o", "site", "--title", "Other")
        self.assertNotEqual(self.found("site"), before)
        self.run_program(program, "page", "-q", "-i", "new", "-o", "site", "--archive")
        self.assertFalse((self.directory / "site/index").exists())
        self.run_program(program, "page", "-q", "-i", "index", "-o", "site/")
        self.assertEqual(self.found("site"), before)
        # The index in the folder may be updated.
        self.write("gone.csv", "id\n2\n")
        self.shardq("update", "-q", "-i", "site/index", "--delete", "gone.csv")
        self.run_program(program, "page", "-q", "-i", "index", "-o", "site")
        self.assertEqual(self.found("site"), before)
        for name in ("CNAME", "index/backup-2024010112345678.zst", "index/letter", "photos/1.jpg", "index.html", "shardq.js"):
            self.write(f"site/{name}", "mine")
            changed = self.found("site")
            said = self.run_program(program, "page", "-i", "new", "-o", "site", status=65)
            self.assertIn(name.split("/")[0], said)
            self.assertEqual(self.found("site"), changed)
            shutil.rmtree(self.directory / "site")
            self.run_program(program, "page", "-q", "-i", "index", "-o", "site")
        files = self.place("photos", ["index.html", "shardq.js"])
        self.assertIn("exists", self.run_program(program, "page", "-i", "index", "-o", "photos", status=65))
        self.assert_kept(files, "page")
        self.assertEqual(
            sorted(os.listdir(self.directory)), ["gone.csv", "index", "installed", "new", "one.csv", "photos", "site", "two.csv"])


class Caches(FilesCase):
    SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"

    def setUp(self):
        super().setUp()
        if not (BIN / "shardq-remote").exists():
            print("skipped: the cache of an index over HTTP; Scripts/build.sh --remote makes shardq-remote")
            self.skipTest("no shardq-remote")
        self.build()
        self.host = Host(self.directory)
        self.addCleanup(self.host.close)

    def ask(self, text, *options, cache="cache", **more):
        return self.shardq(
            "-i", self.host.url + "index/", text, "--cache-dir", cache, "--fetch", "shards", *options, **more)

    def test_a_directory_of_other_files_is_refused(self):
        files = self.place("photos", [f"{digit}/.env" for digit in "0123456789abcdef"] + ["a/1.jpg"])
        before = self.found("photos")
        for _ in range(2):
            said = self.refused("-i", self.host.url + "index/", "a", "--cache-dir", "photos")
            self.assertIn("photos", said)
            self.assertIn("cache", said)
        self.refused("warm", "-i", self.host.url + "index/", "--cache-dir", "photos")
        self.assert_kept(files, "cache")
        self.assertEqual(self.found("photos"), before)
        # The tag of another program is not the cache's own.
        self.write("photos/CACHEDIR.TAG", self.SIGNATURE + b"\n# of a compiler\n")
        self.refused("-i", self.host.url + "index/", "a", "--cache-dir", "photos")

    def test_a_cache_has_a_tag_and_keeps_the_files_that_a_user_puts_there(self):
        expected = self.shardq("-i", "index", "a")
        self.assertEqual(self.ask("a"), expected)
        tag = (self.directory / "cache/CACHEDIR.TAG").read_bytes()
        self.assertTrue(tag.startswith(self.SIGNATURE))
        entries = [name for name in self.found("cache") if not name.endswith("TAG")]
        self.assertGreater(len(entries), 2)
        names = [f"{digit}/{name}" for digit in "0123456789abcdef" for name in (".env", ".123-1", digit * 16 + "-64", "1.jpg")]
        files = self.place("cache", names)
        # An entry of the cache whose place a user's file took.
        files |= self.place(".", entries[:1])
        for text in ["a", "b", "c lake", "d", "e town", "h"]:
            self.assertEqual(self.ask(text, "--cache-size", "16KiB"), self.shardq("-i", "index", text))
        self.assert_kept(files, "cache")

    def test_what_a_killed_process_left_in_the_cache_is_removed(self):
        self.ask("a")
        entry = next(name for name in self.found("cache") if not name.endswith("TAG"))
        content = (self.directory / entry).read_bytes()
        left = [self.write(f"{os.path.dirname(entry)}/.99-{number}", content[:size]) for number, size in enumerate((0, 5, 40))]
        for path in left:
            os.utime(path, (0, 0))
        (self.directory / entry).unlink()
        self.ask("a")
        self.assertEqual([path.name for path in left if path.exists()], [])

    def test_processes_that_begin_at_once_share_a_cache(self):
        for number in range(5):
            running = [
                subprocess.Popen(
                    [str(BIN / "shardq"), "-i", self.host.url + "index/", "a", "--cache-dir", f"c{number}"],
                    cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(4)]
            for process in running:
                _, error = process.communicate(timeout=60)
                self.assertEqual((process.returncode, error), (0, b""))


class Stores(StoreCase):
    def test_fetch_keeps_a_users_files(self):
        for number, name in enumerate([*ALIKE, "overlay", "manifest"]):
            files = self.place(f"u{number}", [name])
            self.refused("fetch", "-i", f"u{number}", self.URL, environment=self.store.environment)
            self.assertEqual(self.found(f"u{number}"), files, name)
        self.shardq("fetch", "-q", "-i", "copy", self.URL, environment=self.store.environment)
        files = self.place("copy")
        for _ in range(2):
            self.build("index", "two.csv")
            self.shardq("publish", "-q", "-i", "index", self.URL, environment=self.store.environment)
            self.shardq("fetch", "-q", "-i", "copy", self.URL, environment=self.store.environment)
        self.assert_kept(files, "fetch")

    def test_prune_removes_what_shardq_put(self):
        self.build("index", "two.csv")
        self.shardq("publish", "-q", "-i", "index", self.URL, environment=self.store.environment)
        content = b"the shard of a publication that was killed"
        left = f"aa-{hashlib.sha256(content).hexdigest()[:16]}.zst"
        mine = [name for name in ALIKE if "/" not in name] + ["probe-" + "1" * 32]
        before = set(self.store.objects)
        for name, body in [(left, content), *((name, b"dear") for name in mine)]:
            self.store.objects["lists/index/" + name] = (body, time.time())
        for key, (body, _) in self.store.objects.items():
            self.store.objects[key] = (body, time.time() - 30 * 86400)
        removed = self.shardq("prune", self.URL, "--keep", "1", environment=self.store.environment).split()
        self.assertIn(left, removed)
        self.assertEqual([name for name in mine if "lists/index/" + name not in self.store.objects], [])
        self.assertEqual(set(removed) - {left} - {key.removeprefix("lists/index/") for key in before}, set())
        self.assertGreater(len(removed), 5)


if __name__ == "__main__":
    unittest.main()
