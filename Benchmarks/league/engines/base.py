"""The form of an engine of the league."""

from records import version

# All that an engine can do; a suite names the abilities without which no engine can do well.
ALL = frozenset({"corrections", "any order", "later words", "records"})
# The names that an engine returns for a text, so that ten different records are among them.
REPEATED = 60


class Engine:
    """An engine that answers from one list. `ask` gives the rows of at most `limit` records, the best first."""

    name = ""
    package = ""  # on PyPI
    abilities = ALL
    about = ""  # how it is set up: a sentence for the page

    @classmethod
    def version(cls, tools):
        """The version for the page; raises Missing where the engine is not installed."""
        return version(cls.package)

    @classmethod
    def build(cls, tools):
        """Tells builds of one version from each other, so that no result of another build is reused."""
        return ""

    def __init__(self, records, folder, tools):
        """Makes the index of a RecordList, in an empty folder. `tools` has the paths of programs."""

    def ask(self, text, limit):
        raise NotImplementedError

    def close(self):
        """Ends the processes of the engine."""


def distinct(rows, limit):
    """The first rows, each once: a record with many names is found by several of them."""
    return list(dict.fromkeys(rows))[:limit]
