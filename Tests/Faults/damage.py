#!/usr/bin/env python3
"""Damages every byte of a small index: a query must give the right answer or an error, and `verify` must find the damage.
The Swift tests do more of this in one process; this script tests the finished programs."""

import os
import shutil
import sys

import faults


def damaged(index, every, only=""):
    """The label, file name and damaged content of each case; `only` names one file."""
    contents = {name: faults.read(os.path.join(index, name)) for name in sorted(faults.names(index))}
    for name, data in contents.items():
        if only not in ("", name):
            continue
        for at in range(0, len(data), every):
            flipped = bytearray(data)
            flipped[at] ^= 1 << at % 8
            yield f"bit {at % 8} of byte {at} of {name} flipped", name, bytes(flipped)
            yield f"{name} cut to {at} bytes", name, data[:at]
        yield f"a byte behind {name}", name, data + b"\0"
        for other, others in contents.items():
            if other != name:
                yield f"{other} in the place of {name}", name, others


def main():
    tools = faults.Tools(__doc__)
    source = faults.write_records(tools.path("source.jsonl"), faults.records(60))
    built = faults.Reference(tools, tools.path("whole"), faults.build_command(source))
    query = ["query", "", "--all", "--format", "jsonl", "--index"]
    counts = {"refused": 0, "unchanged": 0}

    def one(case):
        whole, answer, (label, name, data) = case
        index = tools.new_path("index")
        shutil.copytree(whole, index)
        with open(os.path.join(index, name), "wb") as file:
            file.write(data)
        found, verified = tools.run([*query, index]), tools.run(["verify", "--index", index])
        shutil.rmtree(index)
        for result, command in ((found, "query"), (verified, "verify")):
            if result.returncode < 0 or result.returncode >= 128:
                tools.finding(f"{label}: {command} ends by a signal, status {result.returncode}")
        if found.returncode == 0 and found.stdout != answer:
            tools.finding(f"{label}: another answer")
        # A bit of the manifest's frames without a meaning is no damage; in a shard every bit counts.
        if verified.returncode == 0 and (found.returncode != 0 or name != "manifest"):
            tools.finding(f"{label}: verify finds nothing")
        counts["unchanged" if found.returncode == 0 else "refused"] += 1

    cases = []
    for whole, every, only in [(built.index, 7, ""), (faults.overlaid_index(tools, built), 3, "overlay")]:
        answer = tools.must([*query, whole]).stdout
        cases += [(whole, answer, case) for case in damaged(whole, 1 if tools.long else every, only)]
    tools.cases = len(tools.each(one, tools.sample("damage", cases)))
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return tools.end("damage")


if __name__ == "__main__":
    sys.exit(main())
