"""Tests the C library: programs in C and C++, and the flat form of answers against JSON."""

import ctypes
import json
import os
import subprocess
import unittest

import languages
from languages import LIBRARY, SMALL, WORK

HERE = os.path.dirname(os.path.abspath(__file__))


class Programs(unittest.TestCase):
    def test_programs(self):
        right, = languages.expected(SMALL, ["lodnon"])
        lines = ["London"] + [f"{name}: {value}" for record in right["matches"] for name, value in record.items()]
        warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{LIBRARY}"]
        source = os.path.join(HERE, "list.c")
        for name, command in {
            "shared": ["cc", "-std=c11", *warnings, source, f"-L{LIBRARY}", "-lshardq", f"-Wl,-rpath,{LIBRARY}"],
            "static": ["cc", "-std=c11", *warnings, source, f"{LIBRARY}/libshardq.a", "-lm"],
            "c++": ["c++", "-std=c++17", *warnings, "-x", "c++", source, "-x", "none", f"{LIBRARY}/libshardq.a", "-lm"],
        }.items():
            program = os.path.join(WORK, name)
            subprocess.run([*command, "-o", program], check=True)
            done = subprocess.run([program, SMALL, "lodnon"], stdout=subprocess.PIPE, check=True, text=True)
            self.assertEqual(done.stdout.splitlines(), lines, name)
            done = subprocess.run([program, "/nowhere", "s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn("no index at /nowhere", done.stderr)

    def test_example(self):
        place, (example,) = languages.examples("c")
        source, program = os.path.join(WORK, "example.c"), os.path.join(WORK, "example")
        head, body = example.split("\n\n", 1)
        with open(source, "w") as file:
            file.write(f"#include <stdio.h>\n{head}\nint main(void) {{\n{body}return status;\n}}\n")
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{LIBRARY}", source, f"{LIBRARY}/libshardq.a", "-lm",
                        "-o", program], check=True)
        done = subprocess.run([program], cwd=place, stdout=subprocess.PIPE, check=True, text=True)
        right, = languages.expected(os.path.join(place, "cities"), ["lodnon"])
        self.assertTrue(done.stdout)
        self.assertEqual(done.stdout.splitlines(), [str(next(iter(record.values()))) for record in right["matches"]])

    def test_names(self):
        """The static library has no other names than the shared one, so that no other zstd meets its own."""
        lines = subprocess.run(["nm", "-g", "--defined-only", f"{LIBRARY}/libshardq.a"], stdout=subprocess.PIPE, check=True,
                               text=True).stdout.splitlines()
        names = sorted(line.split()[2] for line in lines if line.count(" ") == 2)
        self.assertEqual(names, ["sq_answer", "sq_close", "sq_count", "sq_facets", "sq_field", "sq_lookup", "sq_message", "sq_open", "sq_open_remote",
                                 "sq_query"])


class Head(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("total", "keys")] + [
        (name, ctypes.c_uint32)
        for name in ("record_count", "value_count", "correction", "nearest", "cursor", "is_ranked", "total_is_exact",
                     "dropped", "interpretation", "interpreted_filters")]


class Record(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("first_value", "value_count")]


class Value(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("field", "kind", "text", "size")]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("from_", ctypes.c_int64), ("limit", ctypes.c_int64), ("sort", ctypes.c_int32),
                ("flags", ctypes.c_int32)]


class AllOptions(ctypes.Structure):
    _fields_ = Options._fields_ + [
        ("latitude", ctypes.c_double), ("longitude", ctypes.c_double), ("filters", ctypes.c_void_p), ("filter_count", ctypes.c_size_t),
        ("cursor", ctypes.c_char_p), ("sort_field", ctypes.c_char_p), ("radius", ctypes.c_double), ("group", ctypes.c_char_p),
        ("facets", ctypes.c_void_p), ("facet_count", ctypes.c_size_t), ("facet_limit", ctypes.c_int64)]


class Flat(unittest.TestCase):
    def setUp(self):
        self.library = ctypes.CDLL(os.path.join(LIBRARY, "libshardq.so"))
        for name in ("sq_open", "sq_open_remote", "sq_answer"):
            getattr(self.library, name).restype = ctypes.c_void_p
        for name in ("sq_field", "sq_message"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.sq_count.restype = ctypes.c_int64

    def ask(self, index, text, flags, sort=0):
        options = Options(ctypes.sizeof(Options), 0, 10, sort, flags)
        size = ctypes.c_size_t()
        typed = text.encode()
        status = self.library.sq_query(index, typed, ctypes.c_size_t(len(typed)), ctypes.byref(options))
        self.assertEqual(status, 0, self.library.sq_message(index))
        return ctypes.string_at(self.library.sq_answer(index, ctypes.byref(size)), size.value)

    def read(self, index, answer):
        """The object of JSON that a flat answer stands for."""
        head = Head.from_buffer_copy(answer)
        place = ctypes.sizeof(Head)
        records = (Record * head.record_count).from_buffer_copy(answer, place)
        values = (Value * head.value_count).from_buffer_copy(answer, place + ctypes.sizeof(records))
        def text(start):
            return answer[start:answer.index(b"\0", start)].decode() if start else None
        made = []
        for record in records:
            fields = {}
            for value in values[record.first_value:record.first_value + record.value_count]:
                self.assertEqual(answer[value.text + value.size], 0)
                content = answer[value.text:value.text + value.size].decode()
                name = self.library.sq_field(index, value.field).decode()
                # Names with a dot are paths.
                *path, last = name.split(".")
                place = fields
                for part in path:
                    place = place.setdefault(part, {})
                place[last] = content if value.kind == 0 else json.loads(content)
            made.append(fields)
        said = {name: text(getattr(head, name)) for name in ("correction", "nearest", "cursor", "dropped", "interpretation",
                                                             "interpreted_filters")}
        return head, made, {name: value for name, value in said.items() if value is not None}

    def said(self, right):
        """The texts of the head of a flat answer, out of the object of JSON."""
        said = {name: right[name] for name in ("correction", "nearest", "cursor") if name in right}
        if "dropped" in right:
            said["dropped"] = " ".join(right["dropped"])
        if "interpretation" in right:
            said["interpretation"] = right["interpretation"]["text"]
            if "filter" in right["interpretation"]:
                said["interpreted_filters"] = "\n".join(map("=".join, right["interpretation"]["filter"].items()))
        return said

    def test_radius(self):
        status = ctypes.c_int(-1)
        path = languages.build_large()
        index = ctypes.c_void_p(self.library.sq_open(path.encode(), ctypes.c_int64(0), ctypes.byref(status)))

        def ask(radius, flags):
            options = AllOptions(ctypes.sizeof(AllOptions), 0, 10, 0, flags, 48.5, 2.25, None, 0, None, None, radius)
            return self.library.sq_query(index, b"s", ctypes.c_size_t(1), ctypes.byref(options))

        for radius in 0.1, 400.0, 20_040.0:
            self.assertEqual(ask(radius, 2), 0, self.library.sq_message(index))
            _, made, _ = self.read(index, ctypes.string_at(self.library.sq_answer(index, ctypes.byref(size := ctypes.c_size_t())),
                                                           size.value))
            right, = languages.expected(path, ["s"], "--near", "48.5,2.25", "--radius", str(radius))
            self.assertEqual(made, right["matches"], radius)
        for radius in -1.0, float("nan"), float("inf"), 1e9:
            self.assertEqual(ask(radius, 2), 4)
            self.assertIn(b"is not above 0 and at most 20,040", self.library.sq_message(index))
        self.assertEqual(ask(25.0, 0), 4)
        self.assertIn(b"a radius needs a place", self.library.sq_message(index))
        self.library.sq_close(index)

    def test_equal(self):
        for path in (SMALL, languages.build_large()):
            status = ctypes.c_int(-1)
            index = ctypes.c_void_p(self.library.sq_open(path.encode(), ctypes.c_int64(0), ctypes.byref(status)))
            self.assertEqual((status.value, self.library.sq_message(index)), (0, b""))
            readable = [] if path == SMALL else languages.readable()
            for text in [*languages.typed(path, 1500), *readable, "paris zzzzz"]:
                for sort in (1, 2):
                    right = json.loads(self.ask(index, text, 4, sort))
                    head, records, said = self.read(index, self.ask(index, text, 0, sort))
                    self.assertEqual(records, right["matches"], text)
                    self.assertEqual((head.keys, head.is_ranked), (right["keys"], 2 - sort))
                    self.assertEqual((head.total, head.total_is_exact), (right["total"], right["totalIsExact"]))
                    if sort == 1:
                        counted = json.loads(self.ask(index, text, 4 | 16, sort))
                        typed = text.encode()
                        self.assertEqual(counted["total"], self.library.sq_count(index, typed, ctypes.c_size_t(len(typed))))
                    self.assertEqual(said, self.said(right), text)
                    if text in readable and sort == 1:
                        self.assertEqual(said["interpreted_filters"], "country=FR", text)
            self.library.sq_close(index)

    def test_facets(self):
        """The values of a field, with and without a beginning, and fields of a search."""
        index = ctypes.c_void_p(self.library.sq_open(languages.build_large().encode(), ctypes.c_int64(0), None))
        size = ctypes.c_size_t()
        def answer():
            return json.loads(ctypes.string_at(self.library.sq_answer(index, ctypes.byref(size)), size.value))
        for start in (None, b"f"):
            self.assertEqual(self.library.sq_facets(index, b"country", start, ctypes.c_int64(2)), 0)
            values = answer()["values"]
            self.assertEqual((len(values), all(each["value"].startswith("F") for each in values)), (2, start is not None))
        for field, limit in ((b"name", 1), (b"country", 0), (b"country", 101), (b"\xff", 1)):
            self.assertEqual(self.library.sq_facets(index, field, None, ctypes.c_int64(limit)), 4)
            self.assertIsNone(self.library.sq_answer(index, None))
        fields = (ctypes.c_char_p * 1)(b"country")
        options = AllOptions(ctypes.sizeof(AllOptions), 0, 1, 0, 4)
        options.facets, options.facet_count, options.facet_limit = ctypes.cast(fields, ctypes.c_void_p), 1, 3
        self.assertEqual(self.library.sq_query(index, b"s", ctypes.c_size_t(1), ctypes.byref(options)), 0)
        found = answer()
        right, = languages.expected(languages.build_large(), ["s"], "--facet", "country", "--facet-limit", "3")
        self.assertEqual(found["facets"], right["facets"])
        options.facet_limit = 0
        self.assertEqual(self.library.sq_query(index, b"s", ctypes.c_size_t(1), ctypes.byref(options)), 4)
        self.library.sq_close(index)

    def test_lookup(self):
        """Records by their ids, in both forms: as a search has them, and no record for another id."""
        path, rows = languages.build_ids()
        index = ctypes.c_void_p(self.library.sq_open(path.encode(), ctypes.c_int64(0), None))
        def look_up(id, flags):
            size = ctypes.c_size_t()
            status = self.library.sq_lookup(index, id, ctypes.c_size_t(len(id)), flags)
            self.assertEqual(status, 0, self.library.sq_message(index))
            return ctypes.string_at(self.library.sq_answer(index, ctypes.byref(size)), size.value)
        for row in rows[:3] + rows[-1:]:
            id = row["sku"].encode()
            self.assertEqual(json.loads(look_up(id, 4))["record"], row)
            head, records, said = self.read(index, look_up(id, 0))
            self.assertEqual((records, head.total, head.total_is_exact, said), ([row], 1, 1, {}))
        for id in (b"", b"m-1", b"M-", b"M-99999"):
            self.assertIsNone(json.loads(look_up(id, 4))["record"])
            head, records, _ = self.read(index, look_up(id, 0))
            self.assertEqual((records, head.total), ([], 0))
        for id, size, flags in ((b"M-1", 3, 1), (b"M-1", 3, 6), (b"\xff", 1, 4), (None, 1, 4), (b"M-1", 65_537, 4)):
            self.assertEqual(self.library.sq_lookup(index, id, ctypes.c_size_t(size), flags), 4)
            self.assertIsNone(self.library.sq_answer(index, None))
        self.library.sq_close(index)
        index = ctypes.c_void_p(self.library.sq_open(SMALL.encode(), ctypes.c_int64(0), None))
        self.assertEqual(self.library.sq_lookup(index, b"1", ctypes.c_size_t(1), 4), 4)
        self.assertIn(b"--id FIELD", self.library.sq_message(index))
        self.library.sq_close(index)

    def test_nothing(self):
        """A handle that is NULL, a handle of no index, and pointers that are NULL."""
        none = ctypes.c_void_p()
        status = ctypes.c_int()
        closed = ctypes.c_void_p(self.library.sq_open(b"/nowhere", ctypes.c_int64(0), ctypes.byref(status)))
        self.assertEqual(status.value, 1)
        for index in (none, closed):
            self.assertEqual(self.library.sq_query(index, b"s", ctypes.c_size_t(1), None), 4)
            self.assertEqual(self.library.sq_count(index, b"s", ctypes.c_size_t(1)), -4)
            self.assertEqual(self.library.sq_facets(index, b"country", None, ctypes.c_int64(1)), 4)
            self.assertEqual(self.library.sq_lookup(index, b"1", ctypes.c_size_t(1), 0), 4)
            self.assertEqual((self.library.sq_answer(index, None), self.library.sq_field(index, 0)), (None, None))
            self.assertIn(b"no index", self.library.sq_message(index))
            self.library.sq_close(index)
        self.library.sq_close(ctypes.c_void_p(self.library.sq_open(None, ctypes.c_int64(0), None)))
        fetch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        # A function that fetches no bytes gives no index.
        for address, function, right in ((b"a", fetch(), 4), (None, fetch(lambda *_: None), 4), (b"a", fetch(lambda *_: None), 5)):
            index = ctypes.c_void_p(self.library.sq_open_remote(address, 0, ctypes.c_int64(0), function, None, ctypes.byref(status)))
            self.assertEqual(status.value, right, self.library.sq_message(index))
            self.assertEqual(self.library.sq_query(index, b"s", ctypes.c_size_t(1), None), 4)
            self.library.sq_close(index)
        index = ctypes.c_void_p(self.library.sq_open(SMALL.encode(), ctypes.c_int64(0), None))
        self.assertIsNone(self.library.sq_answer(index, None))
        self.assertEqual(self.library.sq_query(index, None, ctypes.c_size_t(0), None), 0)
        self.assertIsNotNone(self.library.sq_answer(index, None))
        self.assertEqual(self.library.sq_query(index, None, ctypes.c_size_t(1), None), 4)
        self.assertIsNone(self.library.sq_answer(index, None))
        self.assertIsNone(self.library.sq_field(index, 1 << 31))
        self.assertEqual(self.library.sq_facets(index, None, None, ctypes.c_int64(1)), 4)
        for size in (0, 8, 24, 1 << 40):
            options = Options(size, 0, 3, 0, 0)
            buffer = (ctypes.c_char * 256).from_buffer_copy(bytes(options).ljust(256, b"\0"))
            self.assertEqual(self.library.sq_query(index, b"s", ctypes.c_size_t(1), buffer), 0)
            head = Head.from_buffer_copy(ctypes.string_at(self.library.sq_answer(index, None), ctypes.sizeof(Head)))
            self.assertEqual(head.record_count, {0: 10, 8: 0}.get(size, 3))
        buffer = (ctypes.c_char * 256).from_buffer_copy(bytes(Options(32, 0, 3, 0, 1 << 20)).ljust(256, b"\0"))
        self.assertEqual(self.library.sq_query(index, b"s", ctypes.c_size_t(1), buffer), 4)
        self.library.sq_close(index)
