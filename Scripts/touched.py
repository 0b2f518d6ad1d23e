#!/usr/bin/env python3
"""Prints the functions that a run enters and the data that it touches, in the order in which it first does.

    Scripts/touched.py [--before COMMAND] EXECUTABLE ARGUMENT...

It is run twice, each time behind the shell's COMMAND, which puts back what a run changes.

The run is stepped through instruction by instruction, on the processor that is there: valgrind has another one, on
which the C library chooses other functions, and no kernel that maps code into it. What data it touches valgrind tells.
"""

import bisect
import ctypes
import os
import subprocess
import sys
import tempfile

TRACE_ME, PEEK_USER, SINGLE_STEP = 0, 3, 9
INSTRUCTION_POINTER = 16 * 8  # In x86-64's struct user.


def symbols(executable):
    names = {}
    for line in subprocess.run(["nm", executable], check=True, capture_output=True, text=True).stdout.splitlines():
        address, kind, name = (line.split(" ", 2) + ["", ""])[:3]
        if address and kind in "tTwWiIdDbBrRvV":
            names.setdefault(int(address, 16), []).append(name)
    return sorted(names), names


def instructions(command):
    """The address of every instruction that it executes."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        libc.ptrace(TRACE_ME, 0, None, None)
        os.execv(command[0], command)
    while os.WIFSTOPPED(os.waitpid(child, 0)[1]):
        yield libc.ptrace(PEEK_USER, child, INSTRUCTION_POINTER, None)
        libc.ptrace(SINGLE_STEP, child, None, None)


def accesses(command):
    """The address of everything that it reads or writes."""
    with tempfile.NamedTemporaryFile("r") as trace:
        tool = ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={trace.name}"]
        subprocess.run(tool + command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for line in trace:
            if line.startswith((" L ", " S ", " M ")):
                yield int(line[3:].split(",")[0], 16)


def main(command):
    before = None
    if command[0] == "--before":
        before, command = command[1], command[2:]
    starts, names = symbols(command[0])
    end = starts[-1] + (1 << 16)
    seen = set()
    for addresses in (instructions, accesses):
        if before:
            subprocess.run(before, shell=True, check=True)
        for address in addresses(command):
            if not starts[0] <= address < end:
                continue
            start = starts[bisect.bisect_right(starts, address) - 1]
            if start not in seen:
                seen.add(start)
                print("\n".join(names[start]))


if __name__ == "__main__":
    main(sys.argv[1:])
