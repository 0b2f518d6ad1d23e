"""The present index: bytes beside the plain one, and parts, shards and unpacked KB of a text by `--explain`.

    python3 today.py WORK NAME ... --shardq PROGRAM [--texts 150]

WORK/idx has NAME and NAME-plain. The texts are those of sessions: beginnings of one to six letters, and names of five to nine
letters with one error.
"""

import argparse
import os
import random
import re
import subprocess

import lists


def size_of(path):
    return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--shardq", required=True)
    parser.add_argument("--texts", type=int, default=150)
    options = parser.parse_args()
    print(
        "| list | plain bytes | full bytes | more | texts | parts, mean / p99 / most | shards, mean / most | KB unpacked, mean / most |"
    )
    print("|---|--:|--:|--:|---|--:|--:|--:|")
    for name in options.names:
        index = os.path.join(options.work, "idx", name)
        plain, full = size_of(index + "-plain"), size_of(index)
        records, _, _ = lists.load(options.work, name)
        rnd = random.Random(2)
        names = [session[-1] for session in lists.sessions(records, "plain", options.texts)]
        kinds = {
            "beginning": [text[: rnd.randrange(1, 7)] for text in names],
            "one error": [session[-1] for session in lists.sessions(records, "error", options.texts)],
        }
        for kind, texts in kinds.items():
            found = []
            for text in texts:
                answer = subprocess.run(
                    [options.shardq, "-i", index, "--explain", "-n", "10", "--", text], capture_output=True, text=True
                ).stdout
                number = lambda what: int(
                    (re.search(rf"^{what} +([\d,]+)", answer, re.M) or [0, "0"])[1].replace(",", "")
                )
                found.append((number("parts opened"), number("shards opened"), number("bytes decompressed") // 1024))
            columns = [sorted(column) for column in zip(*found)]
            mean = [f"{sum(column) / len(column):.1f}" for column in columns]
            print(
                f"| {name} | {plain:,} | {full:,} | {100 * full / plain - 100:.1f} % | {kind}"
                f" | {mean[0]} / {columns[0][int(0.99 * (len(found) - 1))]} / {columns[0][-1]}"
                f" | {mean[1]} / {columns[1][-1]} | {mean[2]} / {columns[2][-1]} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
