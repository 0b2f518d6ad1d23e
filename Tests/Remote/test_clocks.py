"""Tests commands that look at times in a store whose clock is wrong, or that see a store with a right clock from a machine with a
wrong one, which is the same: no object that a generation needs is removed, and no change is missed."""

import itertools
import os
import shutil
import unittest

from remote import SCRATCH, build, shardq
from test_store import DAY, URL, StoreTestCase, same

HOUR, YEAR = 3600, 365 * DAY
CLOCKS = (-YEAR, -HOUR, 0, HOUR, YEAR)


def small(name, *words):
    """An index of few files."""
    path = os.path.join(SCRATCH, name + ".txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(word + "\n" for word in words)
    return build(path, name, "--input-format", "lines")


INDEXES = [small("clock0", "ba", "chi"), small("clock1", "ba", "chi", "dor"), small("clock2", "el")]


class Clocks(StoreTestCase):
    def assert_whole(self, *indexes):
        """The newest generation is one of some indexes, and has all its objects."""
        self.store.fault, self.store.ahead = None, 0
        copy = os.path.join(self.work, "copy")
        shutil.rmtree(copy, ignore_errors=True)
        self.fetch()
        self.assertEqual(shardq("verify", "-q", "-i", copy)[0], 0)
        self.assertTrue(any(same(index, copy) for index in indexes))

    def test_a_clock_that_jumps_between_commands(self):
        for published, pruned in itertools.product(CLOCKS, CLOCKS):
            with self.subTest(published=published, pruned=pruned):
                self.store.objects.clear()
                self.store.ahead = published
                # Once a clock that was a year behind is set, prune would take the objects for old ones.
                if published == -YEAR:
                    self.publish(INDEXES[0], status=75, words="look at both clocks")
                    self.assertEqual(self.generations(), [])
                    continue
                self.publish(INDEXES[0])
                self.store.ahead = pruned
                self.prune("--keep", "1")
                self.assert_whole(INDEXES[0])

    def publish_beside(self, number, prune):
        """Publishes an index; before its request of this number, `prune` is called. Returns whether that request came."""
        count, is_beside = [0], [False]

        def fault(handler, method, key):
            with self.store.lock:
                if is_beside[0]:
                    return False
                count[0] += 1
                is_beside[0] = count[0] == number
            if is_beside[0]:
                prune()
                is_beside[0] = False
            return False

        self.store.fault = fault
        done = self.run_command("publish", "-i", INDEXES[2], URL)
        # Status 64: prune has removed the object with which the publication tries create-if-absent.
        self.assertTrue(done[0] in (0, 75) or done[0] == 64 and "If-None-Match" in done[2], done)
        # A publication that was refused leaves the generation before it.
        self.assert_whole(INDEXES[2] if done[0] == 0 else INDEXES[1])
        return count[0] >= number

    def run_beside_each_request(self, before, during, after):
        """Runs prune before each request of a publication, with clocks that are ahead by some seconds: before prune, while
        it runs, and from then on."""
        def prune():
            self.store.ahead = during
            found = self.run_command("prune", URL, "--keep", "1")
            self.assertEqual(found[0], 0, found)
            self.store.ahead = after

        number = 1
        while True:
            self.store.objects.clear()
            for index in INDEXES[:2]:
                self.publish(index)
            self.store.ahead = before
            if not self.publish_beside(number, prune):
                break
            number += 1
        self.assertGreater(number, 8)

    def test_a_clock_that_is_ahead_while_another_machine_prunes(self):
        self.run_beside_each_request(0, YEAR, 0)

    def test_a_clock_that_goes_ahead_during_a_publication(self):
        self.run_beside_each_request(0, YEAR, YEAR)

    def test_a_clock_that_was_behind_and_is_set(self):
        self.run_beside_each_request(-YEAR, 0, 0)

    def test_a_clock_that_was_ahead_and_is_set(self):
        self.run_beside_each_request(YEAR, 0, 0)


if __name__ == "__main__":
    unittest.main()
