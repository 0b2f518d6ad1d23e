#!/usr/bin/env python3
"""Measures shardq ui on a pseudo-terminal: time from exec to the first frame, time from key to frame, bytes per frame.

    measure.py INDEX [--bin DIRECTORY] [--rounds N] [--keys N] [--size COLUMNSxROWS] [--ui ARGUMENT ...]

The first two lines measure the pseudo-terminal, this script and the machine: a program that prints a byte, and a program
that returns its input. A frame ends when the script has read its last sequence. `cold` types the first letters of names
from all over the list, each into a new process, so that each key loads its parts; `warm` types, deletes and moves in a
process that has seen the queries before. The time in which a terminal draws the bytes is not measured.
"""

import argparse
import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import termios
import time
import tty

END = b"\x1b[?2026l"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Terminal:
    """A program on a pseudo-terminal of its own, started on demand."""

    def __init__(self, arguments, size, environment):
        gate, go = os.pipe()
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.close(go)
            os.read(gate, 1)
            os.execve(arguments[0], arguments, environment)
        os.close(gate)
        columns, rows = size
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.go = go
        self.buffer = b""

    def start(self):
        started = time.perf_counter_ns()
        os.write(self.go, b"x")
        os.close(self.go)
        return started

    def frame(self, seconds=10, end=END):
        """Reads to the end of the next frame; returns its time and its bytes."""
        deadline = time.monotonic() + seconds
        while True:
            at = self.buffer.find(end)
            if at >= 0:
                size = at + len(end)
                self.buffer = self.buffer[size:]
                return time.perf_counter_ns(), size
            if not select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]:
                raise SystemExit(f"no frame within {seconds} s: {self.buffer[-200:]!r}")
            self.buffer += os.read(self.master, 1 << 16)

    def settle(self, seconds=0.2):
        """Reads the later frames without a key, which have the land of the map."""
        try:
            while select.select([self.master], [], [], seconds)[0]:
                self.buffer += os.read(self.master, 1 << 16)
        except OSError:
            pass  # It has ended.
        self.buffer = b""

    def key(self, key, end=END):
        started = time.perf_counter_ns()
        os.write(self.master, key)
        ended, size = self.frame(end=end)
        return (ended - started) / 1000, size

    def cpu(self):
        """Microseconds of the program on a processor, without its waiting for one."""
        with open(f"/proc/{self.process}/schedstat") as file:
            return int(file.read().split()[0]) / 1000

    def end(self):
        os.write(self.master, b"\x03")
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                if select.select([self.master], [], [], 0.1)[0]:
                    os.read(self.master, 1 << 16)
            except OSError:
                pass
            if os.waitpid(self.process, os.WNOHANG)[0]:
                os.close(self.master)
                return
        os.kill(self.process, signal.SIGKILL)
        raise SystemExit("it does not end at Ctrl-C")


def show(name, values, unit="us"):
    values = sorted(values)
    at = lambda part: values[min(len(values) - 1, int(len(values) * part))]
    print(f"{name:40} {len(values):6}  min {values[0]:7,.0f}  p50 {at(0.5):7,.0f}  p99 {at(0.99):7,.0f}  "
          f"max {values[-1]:9,.0f} {unit}")


def floors(rounds, keys, size, environment):
    """The times of a program that prints a byte, and of one that returns its input."""
    printed, echoed = [], []
    for _ in range(rounds):
        terminal = Terminal(["/bin/echo", "x"], size, environment)
        time.sleep(0.002)
        started = terminal.start()
        printed.append((terminal.frame(end=b"x")[0] - started) / 1000)
        os.waitpid(terminal.process, 0)
        os.close(terminal.master)
    terminal = Terminal(["/bin/cat"], size, environment)
    tty.setraw(terminal.master)
    terminal.start()
    terminal.settle()
    for _ in range(keys):
        echoed.append(terminal.key(b"x", end=b"x")[0])
    os.kill(terminal.process, signal.SIGKILL)
    os.waitpid(terminal.process, 0)
    os.close(terminal.master)
    return printed, echoed


def cold_keys(rounds, start, chance):
    """The times and bytes of first frames, and of the first two letters, each round in a process of its own."""
    first, first_bytes, cold, cold_bytes = [], [], [], []
    for _ in range(rounds):
        terminal = start()
        time.sleep(0.002)
        started = terminal.start()
        ended, count = terminal.frame()
        first.append((ended - started) / 1000)
        first_bytes.append(count)
        terminal.settle()
        for letter in chance.choice(LETTERS) + chance.choice("aeiou"):
            took, count = terminal.key(letter.encode())
            cold.append(took)
            cold_bytes.append(count)
        terminal.end()
    return first, first_bytes, cold, cold_bytes


def whole_runs(rounds, start):
    """The processor's time of lists that leave at once."""
    whole = []
    for _ in range(rounds):
        terminal = start()
        # Ctrl-G comes before the program reads: the list draws its first frame, starts its guard, and leaves.
        os.write(terminal.master, b"\x07")
        terminal.start()
        terminal.settle(0.1)
        used = os.wait4(terminal.process, 0)[2]
        whole.append((used.ru_utime + used.ru_stime) * 1e6)
        os.close(terminal.master)
    return whole


def frequent_words(shardq, index, rows, chance):
    """Forty beginnings with more matches than two screens have rows."""
    words = []
    while len(words) < 40:
        word = chance.choice(LETTERS) + chance.choice("aeiou") + chance.choice("lnrst")
        count = subprocess.run([shardq, "query", word, "--count", "-i", index], stdout=subprocess.PIPE)
        # Without a further page, the key for it changes nothing and draws nothing.
        if word not in words and int(count.stdout) > 2 * rows:
            words.append(word)
    return words


def warm_keys(terminal, words, turns):
    """The times, bytes and processor's times of keys in one process; its first turn loads."""
    warm = {"a letter typed": [], "a letter deleted": [], "a row down": [], "a page down": []}
    warm_bytes, warm_cpu, cold_cpu = [], [], []
    terminal.start()
    terminal.frame()
    terminal.settle()
    for turn in range(turns):
        for word in words:
            samples = [("a letter typed", letter.encode()) for letter in word]
            samples += [("a row down", b"\x1b[B"), ("a page down", b"\x1b[6~")]
            samples += [("a letter deleted", b"\x7f")] * 3
            for name, key in samples:
                before = terminal.cpu()
                took, count = terminal.key(key)
                time.sleep(0.0005)  # The program begins to wait for the next key.
                (warm_cpu if turn > 0 else cold_cpu).append(terminal.cpu() - before)
                if turn > 0:
                    warm[name].append(took)
                    warm_bytes.append(count)
    terminal.end()
    return warm, warm_bytes, warm_cpu, cold_cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("index")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(__file__), "../../bin"))
    parser.add_argument("--rounds", type=int, default=60, help="processes started")
    parser.add_argument("--keys", type=int, default=3000, help="keys, warm")
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--ui", nargs="*", default=[], help="further arguments of shardq ui, without their dashes")
    arguments = parser.parse_args()
    size = tuple(int(part) for part in arguments.size.split("x"))
    environment = dict(os.environ, TERM="xterm-256color")
    environment.pop("NO_COLOR", None)
    command = [os.path.join(arguments.bin, "shardq"), "ui", "-i", arguments.index]
    command += ["--" + argument for argument in arguments.ui]
    chance = random.Random(5)

    def start():
        return Terminal(command, size, environment)

    printed, echoed = floors(arguments.rounds, arguments.keys, size, environment)
    first, first_bytes, cold, cold_bytes = cold_keys(arguments.rounds, start, chance)
    whole = whole_runs(arguments.rounds, start)
    words = frequent_words(command[0], arguments.index, size[1], chance)
    turns = 1 + max(1, arguments.keys // (40 * 8))
    warm, warm_bytes, warm_cpu, cold_cpu = warm_keys(start(), words, turns)

    print(f"{' '.join(command)} on {arguments.size}")
    show("exec to a printed byte, /bin/echo", printed)
    show("key to a byte back, /bin/cat", echoed)
    show("exec to first frame", first)
    show("key to frame, cold", cold)
    for name, values in warm.items():
        if values:
            show("key to frame, warm: " + name, values)
    show("key to frame, warm: all", [value for values in warm.values() for value in values])
    show("processor, exec to the end at once", whole)
    show("processor a key, first turn", cold_cpu)
    show("processor a key, warm", warm_cpu)
    show("first frame", first_bytes, "bytes")
    show("frame, cold", cold_bytes, "bytes")
    show("frame, warm", warm_bytes, "bytes")


if __name__ == "__main__":
    main()
