#!/usr/bin/env python3
"""Replaces the files of an index by links, pipes and others, and checks each file that a command then opens: the
directory of the index, a file in it by a plain name without a link, or a file that every program opens."""

import os
import re
import shutil
import sys

import faults

# Files that the runtime and libc read in any command: the program itself, its directories, the system's properties, the
# overcommit of memory (malloc, before it frees a thread's memory), and libraries of a program that is not static.
SYSTEM = ("/proc/self/", "/proc/stat", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu/", "/sys/fs/cgroup/",
          "/etc/localtime", "/etc/ld.so.", "/lib/", "/lib64/", "/usr/lib/")
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
HARMLESS = {"execve", "readlink", "readlinkat", "access", "faccessat", "faccessat2", "stat", "lstat", "newfstatat", "statx",
            "open", "openat", "getcwd", "statfs", "fstatfs"}


def plant(how, path, whole, outside):
    """Puts something in the place of `path`."""
    if how == "a link to a file outside":
        os.symlink(os.path.join(outside, "secret"), path)
    elif how == "a link to a directory outside":
        os.symlink(outside, path)
    elif how == "a link to itself":
        os.symlink(os.path.basename(path), path)
    elif how == "a link to a device":
        os.symlink("/dev/zero", path)
    elif how == "a pipe":
        os.mkfifo(path)
    elif how == "a directory":
        os.mkdir(path)
    elif how == "nothing":
        pass
    elif how == "the sound file as a link":
        os.symlink(whole, path)
    else:
        with open(path, "wb") as file:
            if how == "a terabyte of nothing":
                file.truncate(1 << 40)
            elif how == "noise":
                file.write(bytes(number * number >> 7 & 255 for number in range(1 << 14)))


PLANTS = ("a link to a file outside", "a link to a directory outside", "a link to itself", "a link to a device", "a pipe",
          "a directory", "nothing", "the sound file as a link", "a terabyte of nothing", "noise", "an empty file")


def fault_of(line, index, program):
    """The fault of a call, or None."""
    found = CALL.match(line)
    if not found:
        return None
    call, rest = found.groups()
    texts = TEXT.findall(rest)
    if call == "execve" or not texts:
        return None
    if call not in HARMLESS or WRITES.search(rest):
        return f"{call} changes something"
    path = texts[0]
    if not path or path == index or path.startswith(SYSTEM):
        return None
    if os.path.dirname(path) == index and (call == "lstat" or "AT_SYMLINK_NOFOLLOW" in rest):
        return None
    if path.startswith("/"):
        # The runtime looks for its own helper program around the program.
        return None if path == program or path.startswith(os.path.dirname(program)) or program.startswith(path + "/") \
            or path.startswith(os.path.dirname(os.path.dirname(program)) + "/") else f"{call} of {path}"
    if "/" in path or path in (".", ".."):
        return f"{call} of {path}"
    if call.startswith("open") and "O_NOFOLLOW" not in rest:
        return f"{call} of {path} follows a link"
    return None


def main():
    tools = faults.Tools(__doc__)
    tools.need_strace()
    source = faults.write_records(tools.path("source.jsonl"), faults.records(60))
    built = faults.Reference(tools, tools.path("whole"), faults.build_command(source))
    whole = faults.overlaid_index(tools, built)
    outside = tools.path("outside")
    os.mkdir(outside)
    with open(os.path.join(outside, "secret"), "w") as file:
        file.write('{"name":"secret"}\n')
    before = (os.stat(outside).st_mtime_ns, os.stat(os.path.join(outside, "secret")).st_mtime_ns)
    shard = sorted(faults.shards(whole))[0]
    looked = [0]

    def one(case):
        name, how, command = case
        index, trace = tools.new_path("index"), tools.new_path("trace")
        shutil.copytree(whole, index)
        if how != "the whole index":
            os.unlink(os.path.join(index, name))
            plant(how, os.path.join(index, name), os.path.join(whole, name), outside)
        result = tools.run([*command, "--index", index],
                           wrapper=["strace", "-f", "-qq", "-s", "4096", "-o", trace, "-e", "trace=%file"])
        label = f"{how} as {name}, {' '.join(command)}"
        if result.returncode not in (0, 1, 65, 66, 74):
            tools.finding(f"{label}: status {result.returncode}")
        if b"secret" in result.stdout or b"secret" in result.stderr:
            tools.finding(f"{label}: shows a file outside")
        opened = False
        for line in faults.read(trace).decode(errors="replace").splitlines():
            looked[0] += 1
            opened = opened or f'"{index}"' in line
            fault = fault_of(line, index, tools.program)
            if fault:
                tools.finding(f"{label}: {fault}")
        if not opened:
            tools.finding(f"{label}: the trace does not show the index's directory")
        shutil.rmtree(index)
        os.unlink(trace)

    commands = [["query", "", "--all"], ["query", "aa"], ["verify"], ["export"], ["stats"]]
    cases = [(name, how, command) for name in ("manifest", "overlay", shard) for how in PLANTS for command in commands]
    cases += [("", "the whole index", command) for command in commands]
    tools.cases = len(tools.each(one, tools.sample("outside", cases)))
    after = (os.stat(outside).st_mtime_ns, os.stat(os.path.join(outside, "secret")).st_mtime_ns)
    if before != after:
        tools.finding("a file outside of the index has changed")
    print(f"{looked[0]} calls that name a file")
    return tools.end("outside")


if __name__ == "__main__":
    sys.exit(main())
