"""completype: a completion engine in Rust with a Python package."""

import math

from .base import Engine


class Completype(Engine):
    name = "completype"
    package = "completype"
    about = "its completions, then its completions by other names; popularity is the logarithm of the weight"

    def __init__(self, records, folder, tools):
        import completype

        greatest = math.log(max(record.weight for record in records.records) + 2)
        self.index = completype.Index.from_documents([
            {
                "id": row,
                "text": record.key,
                "popularity": math.log(record.weight + 1) / greatest,
                "synonyms": list(record.others),
            }
            for row, record in enumerate(records.records)
        ])

    def ask(self, text, limit):
        rows = [hit.id for hit in self.index.complete(text, limit=limit)]
        if len(rows) < limit:
            rows += [hit.id for hit in self.index.complete_aliases(text, limit=limit) if hit.id not in rows]
        return rows[:limit]
