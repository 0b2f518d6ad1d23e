#!/usr/bin/env python3
"""Makes the golden indexes of Tests/Golden/features with the programs in $SHARDQ_BIN, else bin: an index of each feature, and
answers from it. Run it only before the release of a format, never for a later one: docs/compatibility.md."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("SHARDQ_BIN") or ROOT / "bin")
PLACE = ROOT / "Tests/Golden/features"
KEY = ["--key", "{name}, {maker}", "--id", "sku"]
EVERYTHING = [
    *KEY, "--weight", "sold", "--weight-scale", "0.5", "--words", "--alias", "names:-1", "--search-field", "text:-6",
    "--typos", "digits", "--filter", "maker", "--filter", "shop.country", "--number", "price", "--number", "made",
    "--near", "--names", "shop.country=countries.tsv", "--synonyms", "synonyms.txt", "--skip-empty-keys", "--starts",
    "--shard-size", "2KiB", "--part-size", "512"]
QUERIES = [
    ("plain", ["oak", "--sort", "key"]), ("plain", [""]), ("plain", ["PINE LAUF"]), ("kept", ["oak"]),
    ("everything", ["lamp"]), ("everything", ["lmap oak"]), ("everything", ["lamp", "--filter", "maker=Alma", "--facet", "maker"]),
    ("everything", ["desk", "--sort", "-price", "--filter", "price=10..200", "--facet", "price"]),
    ("everything", ["", "--sort", "made"]), ("everything", ["lampe"]), ("everything", ["couch denmark"]),
    ("everything", ["velvet"]), ("everything", ["table", "--near", "55.7,12.6", "--radius", "900"]),
    ("everything", ["oak zzz table"]), ("everything", ["ta", "--group", "maker"]), ("everything", ["box 42"]),
    ("overlay", ["new"]), ("overlay", [""]), ("archive.shardq", ["lamp"]),
]


def records():
    made = random.Random(4)
    kinds = ["Lamp", "Table", "Chair", "Desk", "Sofa", "Läufer", "Stool", "Box 42", "Shelf & Rack"]
    woods = ["Oak", "Pine", "Cork", "Elm", "St. Ash"]
    shops = [("DK", 55.68, 12.57), ("DE", 52.52, 13.4), ("SE", 59.33, 18.07)]
    for number in range(240):
        country, lat, lon = shops[number % 3]
        record = {
            "sku": f"S-{number:03}", "name": f"{woods[number % 5]} {kinds[number % 9]} {number // 45}",
            "maker": ["Alma", "Björk", "Lumo", "Ōno"][number % 4], "sold": made.randrange(10 ** made.randrange(1, 6)),
            "price": [f"{made.randrange(5, 900)}.{made.randrange(100):02}", made.randrange(900), None][number % 3],
            "made": f"20{10 + number % 15}-0{1 + number % 9}-1{number % 10}", "names": ["Lampe", "Leuchte"] if "Lamp" in kinds[number % 9] else [],
            "text": made.choice(["Soft velvet, brass feet", "Made by hand", "For small rooms"]),
            "shop": {"country": country, "coord": {"lat": lat, "lon": lon}}, "tags": ["a", {"b": None}], "old": number % 2 == 0}
        if number % 50 == 7:
            record["name"] = record["maker"] = ""
        yield record


def shardq(*arguments):
    return subprocess.run([BIN / "shardq", *map(str, arguments)], check=True, stdout=subprocess.PIPE, cwd=PLACE).stdout.decode()


def main():
    for name in ("plain", "kept", "everything", "overlay"):
        shutil.rmtree(PLACE / name, ignore_errors=True)
    PLACE.mkdir(exist_ok=True)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records()]
    (PLACE / "list.jsonl").write_text("".join(lines), encoding="utf-8")
    (PLACE / "countries.tsv").write_text("DK\tDenmark\nDE\tGermany\nDE\tDeutschland\nSE\tSweden\n")
    (PLACE / "synonyms.txt").write_text("couch => sofa\nst, saint\n")
    (PLACE / "changes.jsonl").write_text(
        json.dumps({**json.loads(lines[3]), "name": "New Lamp"}) + "\n" + json.dumps({**json.loads(lines[4]), "sku": "S-900"}) + "\n")
    (PLACE / "gone.csv").write_text("sku\nS-010\n")
    shardq("build", "-q", "-i", "plain", *KEY, "list.jsonl")
    shardq("build", "-q", "-i", "kept", "--key", "{name}", "--keep", "sku,price", "--input-format", "jsonl", "list.jsonl")
    shardq("build", "-q", "-i", "everything", *EVERYTHING, "list.jsonl")
    shardq("build", "-q", "-i", "overlay", *KEY, "--weight", "sold", "--shard-size", "2KiB", "list.jsonl")
    shardq("update", "-q", "-i", "overlay", "--overlay", "--upsert", "changes.jsonl", "--delete", "gone.csv")
    shardq("archive", "-q", "-i", "everything", "-o", "archive.shardq", "--force")
    with open(PLACE / "answers.jsonl", "w", encoding="utf-8") as file:
        for index, arguments in QUERIES:
            answer = json.loads(shardq("-i", index, *arguments, "--json", "--limit", "5"))
            file.write(json.dumps({"index": index, "arguments": arguments, "answer": answer}, ensure_ascii=False) + "\n")
    for lock in PLACE.glob("*/.lock"):
        lock.unlink()


if __name__ == "__main__":
    main()
