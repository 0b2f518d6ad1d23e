"""Makes lists and builds their indexes, and keeps what that took.

    lists.py DIRECTORY SHARDQ SIZE...     SIZE: 10M, or a name of a skewed list

Per list a directory: source.jsonl.zst, index/, build.json. What is there already is not made again.
"""

import json
import os
import subprocess
import sys
import time

MEMORY = "256M"
SKEWED = ("one-prefix", "equal", "long-keys")


def count_of(size):
    unit = {"k": 10**3, "M": 10**6}.get(size[-1])
    return int(size[:-1]) * unit if unit else int(size)


def write_skewed(name, output):
    """Lines of JSON. Each list has few distinct bytes and many records, or the other way round."""
    line = '{"country":"%s","name":"%s","_id":%d,"coord":{"lon":%d.5,"lat":1.25}}\n'
    if name == "one-prefix":  # Ten million keys that differ after 40 equal characters.
        same = "llanfairpwllgwyngyllgogerychwyrndrobwlll"
        for number in range(10_000_000):
            output.write((line % ("GB", "%s %d" % (same, number * 7919 % 10_000_019), number, number % 180)).encode())
    elif name == "equal":  # Ten million records of one key.
        for number in range(10_000_000):
            output.write((line % ("ID", "Krajan", number, number % 180)).encode())
    elif name == "long-keys":  # 20,000 keys of 64 KiB, equal but for their last characters.
        same = "x" * (65_536 - 16)
        for number in range(20_000):
            output.write((line % ("XX", "%s%09d" % (same, number * 7919 % 20_011), number, number % 180)).encode())


def measured(command):
    """Seconds, processor seconds and peak MiB of a command."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("%s: status %d" % (" ".join(command), child.returncode))
    return {
        "seconds": round(time.monotonic() - start, 2),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mib": round(usage.ru_maxrss / 1024, 1),
    }


def make(directory, shardq, size):
    here = os.path.join(directory, size)
    os.makedirs(here, exist_ok=True)
    source = os.path.join(here, "source.jsonl.zst")
    if not os.path.exists(source):
        with open(source + ".part", "wb") as file:
            packer = subprocess.Popen(["zstd", "-1", "-q", "-c"], stdin=subprocess.PIPE, stdout=file)
            if size in SKEWED:
                write_skewed(size, packer.stdin)
            else:
                command = [shardq, "generate", "--count", str(count_of(size)), "--seed", "1", "--format", "jsonl"]
                if subprocess.run(command, stdout=packer.stdin).returncode != 0:
                    sys.exit("shardq generate failed")
            packer.stdin.close()
            if packer.wait() != 0:
                sys.exit("zstd failed")
        os.rename(source + ".part", source)
    if not os.path.exists(os.path.join(here, "build.json")):
        index = os.path.join(here, "index")
        options = ["--memory", MEMORY, "--jobs", "2", "--key", "{name}, {country}", "-i", index]
        command = [shardq, "build", *options, source]
        result = measured(command)
        with open(os.path.join(here, "build.json"), "w") as file:
            json.dump(result, file)
    with open(os.path.join(here, "build.json")) as file:
        print(size, file.read(), flush=True)


if __name__ == "__main__":
    for size in sys.argv[3:]:
        make(sys.argv[1], sys.argv[2], size)
