"""Compares the tags of the wheels with the needs of their programs, and asks pip for systems that they do not fit."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import languages

# Whether the command is a program of development, which links the libraries of Swift.
IS_DEVELOPED = "/.build/" in languages.PROGRAM


class Wheels(unittest.TestCase):
    WHEELS = [languages.wheel(name) for name in ("shardq", "shardq_core")]

    def test_tag(self):
        """The tag has the newest version of glibc that a program of the wheel needs, and no program needs another library."""
        for path in self.WHEELS:
            tag, = re.findall(r"-(py3-none-manylinux_2_\d+_x86_64)\.whl$", path)
            needed, programs = {(0, 0)}, []
            with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory(dir=languages.WORK) as place:
                about, = (name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL"))
                self.assertIn(f"Tag: {tag}\n", wheel.read(about).decode())
                for name in wheel.namelist():
                    if wheel.read(name)[:4] != b"\x7fELF":
                        continue
                    programs.append(os.path.basename(name))
                    file = wheel.extract(name, place)
                    self.assertIn("Advanced Micro Devices X86-64", self.printed("readelf", "-h", file), name)
                    if IS_DEVELOPED and not name.endswith(".so"):
                        continue
                    libraries = re.findall(r"NEEDED.*\[(.*)\]", self.printed("readelf", "-d", file))
                    self.assertLessEqual(set(libraries), {"libc.so.6", "libm.so.6"}, name)
                    # A static program has no table of symbols.
                    symbols = self.printed("objdump", "-T", file) if libraries else ""
                    needed |= {(int(major), int(minor)) for major, minor in re.findall(r"\(GLIBC_(\d+)\.(\d+)", symbols)}
            self.assertEqual(f"py3-none-manylinux_{max(needed)[0]}_{max(needed)[1]}_x86_64", tag, path)
            command = ["shardq", "shardq-commands"] if "shardq_core" not in path else []
            self.assertEqual(sorted(programs), sorted(["libshardq.so", *command]))

    def printed(self, *command):
        return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout

    def test_other_systems(self):
        """pip refuses the wheels for an older C library, for another one, and for another processor."""
        for platform, fits in (("manylinux_2_34_x86_64", True), ("manylinux_2_33_x86_64", False), ("musllinux_1_2_x86_64", False),
                               ("manylinux_2_34_aarch64", False)):
            place = tempfile.mkdtemp(dir=languages.WORK)
            done = subprocess.run(
                [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-index", "--no-deps",
                 "--root-user-action", "ignore", "--only-binary", ":all:", "--platform", platform, "--target", place, self.WHEELS[1]],
                capture_output=True, text=True)
            self.assertEqual((done.returncode == 0, bool(os.listdir(place))), (fits, fits), done.stderr)
            if not fits:
                self.assertIn("is not a supported wheel on this platform", done.stderr)
