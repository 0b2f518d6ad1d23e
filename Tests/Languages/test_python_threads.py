"""Searches with the Python package, installed from its wheel, in threads and in tasks of asyncio."""

import asyncio
import threading
import unittest

import languages
from languages import LONG, SMALL, shardq

Package = languages.in_package("test_python_threads")


@unittest.skipIf(shardq is None, "the package is not installed here")
class Threads(unittest.TestCase):
    def test_threads(self):
        """Threads with a reader each, of the same index and of one that is opened again and again, and one reader for all."""
        texts = languages.typed(SMALL, 300)
        with shardq.Index(SMALL) as shared:
            right = {text: shared.search(text).records for text in texts}
            failures = []
            def ask(number):
                try:
                    for _ in range(20 if LONG else 2):
                        with shardq.Index(SMALL, cache_bytes=(1 << 16) + number % 2) as own:
                            for text in texts:
                                for index in (own, shared):
                                    answer = index.search(text)
                                    if answer.records != right[text]:
                                        failures.append(text)
                except Exception as error:  # Else the error would end only the thread.
                    failures.append(error)
            threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])

    @unittest.skipUnless(hasattr(asyncio, "to_thread"), "asyncio.to_thread came with Python 3.9")
    def test_asyncio(self):
        """Tasks share a reader, and have a reader each, by threads. The loop goes on while a thread searches."""
        texts = languages.typed(SMALL, 120)

        async def own(text):
            def ask():
                with shardq.Index(SMALL) as index:
                    return index.search(text).records
            return await asyncio.to_thread(ask)

        async def main():
            with shardq.Index(SMALL) as shared:
                right = [shared.search(text).records for text in texts]
                found = await asyncio.gather(*(asyncio.to_thread(shared.search, text, limit=10) for text in texts))
                self.assertEqual([answer.records for answer in found], right)
                self.assertEqual(await asyncio.gather(*map(own, texts)), right)
                # A search that waits for the reader keeps no other task from running.
                with shared._lock:
                    waiting = asyncio.create_task(asyncio.to_thread(shared.count, "san"))
                    await asyncio.sleep(0.05)
                    self.assertFalse(waiting.done())
                self.assertEqual(await waiting, shared.count("san"))
                with self.assertRaises(shardq.RefusedError):
                    await asyncio.to_thread(shared.search, "s", limit=-1)

        asyncio.run(main())
