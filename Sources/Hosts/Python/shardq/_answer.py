"""The answer of a search."""

import json
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union, overload

#: A record: its fields by name, with their JSON values.
Record = Dict[str, Any]


class Answer(Sequence[Record]):
    """The records of an answer, in their order. The first access to a record or another member parses the JSON.

    ``len``, indexes and slices are those of the records; ``total`` is the number of matches.
    """

    __slots__ = ("raw", "_object")

    #: The text of the answer: a JSON object, as /v1/search of ``shardq serve`` returns (docs/answer.schema.json).
    raw: bytes

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._object: Optional[Dict[str, Any]] = None

    @property
    def object(self) -> Dict[str, Any]:
        """The parsed JSON object."""
        found = self._object
        if found is None:
            found = self._object = json.loads(self.raw.decode())
        return found

    @property
    def records(self) -> List[Record]:
        """The records, each a dict of its fields."""
        records: List[Record] = self.object["matches"]
        return records

    @property
    def total(self) -> int:
        """The number of matches; if ``total_is_exact`` is false, there may be more (docs/totals.md)."""
        total: int = self.object["total"]
        return total

    @property
    def total_is_exact(self) -> bool:
        """Whether there are no more matches than ``total``."""
        is_exact: bool = self.object["totalIsExact"]
        return is_exact

    @property
    def keys(self) -> int:
        """The number of records whose keys begin with the text."""
        keys: int = self.object["keys"]
        return keys

    @property
    def is_ranked(self) -> bool:
        """Whether the records are in the order of ranks, or of numbers."""
        return bool(self.object["sort"] != "key")

    @property
    def correction(self) -> Optional[str]:
        """The corrected text, if all records match only with corrected typing errors."""
        return self.object.get("correction")

    @property
    def interpretation(self) -> Optional[Dict[str, Any]]:
        """The reading that the answer comes from: its ``text``, and its ``filter`` if it has one; None for the typed text."""
        return self.object.get("interpretation")

    @property
    def dropped(self) -> List[str]:
        """The words that the answer leaves out, since no record matches all words."""
        dropped: List[str] = self.object.get("dropped", [])
        return dropped

    @property
    def facets(self) -> List[Dict[str, Any]]:
        """The values of the fields of the option ``facets`` among the matches: dicts with ``field``, ``values``, ``exact``
        and ``more`` (docs/facets.md)."""
        facets: List[Dict[str, Any]] = self.object.get("facets", [])
        return facets

    @property
    def nearest(self) -> Optional[str]:
        """The longest beginning of the typed text that a record matches, if no record matches the text."""
        return self.object.get("nearest")

    @property
    def others(self) -> Optional[List[int]]:
        """The number of the others of each record's group; None if the search makes no groups."""
        return self.object.get("others")

    @property
    def others_are_exact(self) -> bool:
        """Whether ``others`` and the number of groups are exact (docs/groups.md)."""
        are_exact: bool = self.object.get("othersAreExact", True)
        return are_exact

    @property
    def cursor(self) -> Optional[str]:
        """The ``after`` of the next page of a ranked answer; None on the last page."""
        return self.object.get("cursor")

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, number: int) -> Record: ...
    @overload
    def __getitem__(self, number: slice) -> List[Record]: ...
    def __getitem__(self, number: Union[int, slice]) -> Union[Record, List[Record]]:
        return self.records[number]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __repr__(self) -> str:
        return f"<Answer: {len(self)} records of {self.total}{'' if self.total_is_exact else '+'}>"
