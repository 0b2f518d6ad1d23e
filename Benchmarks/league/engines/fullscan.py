"""A scan of all names by rapidfuzz: the bound of engines that compare whole texts."""

import texts

from .base import Engine, distinct

EDITS = 3
OCTAVES = 6  # that an edit costs


class FullScan(Engine):
    name = "full scan"
    package = "rapidfuzz"
    abilities = frozenset({"corrections", "records"})
    about = "rapidfuzz: the beginning of every name within three edits; an edit costs six octaves of the weight"

    def __init__(self, records, folder, tools):
        import numpy

        self.numpy, self.beginnings = numpy, {}
        names = [
            (" ".join(texts.words(name)), row)
            for row, record in enumerate(records.records)
            for name in (record.key, *record.others)
        ]
        self.names = [name for name, _ in names]
        self.rows = numpy.array([row for _, row in names])
        self.octaves = numpy.log2(numpy.array([record.weight for record in records.records]) + 1.0)[self.rows]

    def of_length(self, length):
        """The distinct beginnings of a length, and for each name the number of its own, or -1 for a shorter name."""
        if length not in self.beginnings:
            numbers = {}
            each = [
                numbers.setdefault(name[:length], len(numbers)) if len(name) >= length else -1 for name in self.names
            ]
            self.beginnings[length] = list(numbers), self.numpy.array(each)
        return self.beginnings[length]

    def ask(self, text, limit):
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cdist

        numpy, text = self.numpy, " ".join(texts.words(text))
        best = numpy.full(len(self.names), EDITS + 1, dtype=numpy.uint8)
        for length in range(max(1, len(text) - EDITS), len(text) + EDITS + 1):
            beginnings, numbers = self.of_length(length)
            if beginnings:
                options = {"scorer": OSA.distance, "score_cutoff": EDITS, "dtype": numpy.uint8, "workers": 1}
                # The last place is that of the names that are shorter.
                distances = numpy.append(cdist([text], beginnings, **options)[0], numpy.uint8(EDITS + 1))
                numpy.minimum(best, distances[numbers], out=best)
        near = numpy.flatnonzero(best <= EDITS)
        scores = self.octaves[near] - OCTAVES * best[near].astype(float)
        # Many names of one record may be near.
        order = near[numpy.argsort(-scores, kind="stable")[: limit * 20]]
        return distinct(self.rows[order].tolist(), limit)
