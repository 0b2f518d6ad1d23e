"""Processes of the command, each with one text: the work of its search, its time, its instructions."""

import os
import re
import subprocess
import time
from typing import NamedTuple


class Work(NamedTuple):
    parts: int
    shards: int
    kilobytes: int  # unpacked


COUNTS = ("parts opened", "shards opened", "bytes decompressed")


def work_of(shardq, index, text, filter=""):
    """The work of a search, as `--explain` tells it."""
    command = [shardq, "-i", index, "--explain", "-n", "10", *(("--filter", filter) if filter else ()), "--", text]
    done = subprocess.run(command, capture_output=True, text=True)
    found = [re.search(rf"^{count} +([\d,]+)", done.stdout, re.MULTILINE) for count in COUNTS]
    if not all(found):
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
    parts, shards, size = (int(each[1].replace(",", "")) for each in found)
    return Work(parts, shards, size // 1024)


def works_of(shardq, index, texts):
    return [work_of(shardq, index, text) for text in texts]


def milliseconds(command):
    """The time from a process's start to its exit; its answer goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, nowhere, number) for number in range(3)]
        began = time.perf_counter_ns()
        process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        os.waitpid(process, 0)
        return (time.perf_counter_ns() - began) / 1e6
    finally:
        os.close(nowhere)


def cold(shardq, indexes, texts):
    """For each index the times of a process for each text, by turns; the system has the files in its cache."""
    times = {index: [] for index in indexes}
    for text in ["", *texts]:
        for index in indexes:
            times[index].append(milliseconds([shardq, "-i", index, "-n", "10", "--", text]))
    # The first text reads the files of the programs.
    return {index: sorted(found[1:]) for index, found in times.items()}


def instructions(shardq, index, text):
    """The instructions of a process, counted by callgrind."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", shardq, "-i", index, "--", text]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-500:]}")
    return int(found[1])
