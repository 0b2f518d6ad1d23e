"""Tests that the opening asks whether the cached root is still the host's root."""

import os

from remote import SCRATCH, STARTS, WWW, Host, RemoteTestCase, build, records, shardq


def tagged(tag, path=None, before=None):
    """A host that gives every content the same name; `path` changes a path, `before` a content."""
    def answer(handler, content):
        if path:
            try:
                with open(WWW + path(handler.path).replace("%25", "%"), "rb") as file:
                    content = file.read()
            except OSError:
                content = None
        if before and content is not None:
            content = before(handler, content)
        if tag is not None and content is not None and handler.headers.get("If-None-Match") == tag:
            return handler.send(304, b"", ETag=tag)
        handler.send_range(content, **({"ETag": tag} if tag is not None else {}))
    return answer


class Openings(RemoteTestCase):
    words = ("--sort", "key", "-n", "30", "--format", "tsv")

    def asked(self, url, text="s", index=STARTS):
        """Asks, and expects the answer of an index on disk."""
        self.assertEqual(
            self.ask(url, text, *self.words, "--fetch", "shards"), shardq("-i", index, text, *self.words))

    def test_a_host_without_tags(self):
        # A weak tag may stand for several contents.
        for tag in (None, 'W/"1"', '"' + 300 * "1" + '"', '"\xe4"'):
            with Host(tagged(tag)) as host:
                self.asked(host.url + "starts/")
                count = len(host.requests)
                self.asked(host.url + "starts/")
                self.assertEqual(len(host.requests), count + 1)
                for _, headers in host.requests:
                    self.assertNotIn("If-None-Match", headers)
            self.cache += "-"

    def test_a_host_that_pays_no_attention(self):
        def answer(handler, content):
            handler.send_range(content, ETag='"1"')

        with Host(answer) as host:
            for _ in range(2):
                self.asked(host.url + "starts/")
            self.assertEqual(host.requests[-1][1]["If-None-Match"], '"1"')

    def test_another_content_of_the_same_tag(self):
        # The other content has other shards, then other pages, then no valid root.
        other = build(records(31_000, os.path.join(SCRATCH, "other.csv")), "other", "--shard-size", "1KiB", "--part-size", "1KiB",
                      "--key", "{name}, {country}", "--weight", "population", "--typos", "--starts")
        assert shardq("archive", "-i", other, "-o", other + ".shardq")[0] == 0
        for name in ("starts/", "starts.shardq"):
            state = {"is_other": False}

            def path(asked):
                return asked.replace("/starts", "/other") if state["is_other"] else asked

            with Host(tagged('"1"', path)) as host:
                self.asked(host.url + name)
                state["is_other"] = True
                self.asked(host.url + name)
                # Files that are not in the cache are missing on the host too.
                self.asked(host.url + name, "ba", other)
                count = len(host.requests)
                self.asked(host.url + name, "ba", other)
                self.assertEqual(len(host.requests), count + 1)
        for damage in (lambda content: content[:20] + bytes(len(content) - 20),
                       lambda content: content[:8_000] + bytes(len(content) - 8_000)):
            state = {"is_damaged": True}

            def before(handler, content):
                isDamaged = state["is_damaged"] and handler.path.endswith("manifest")
                return damage(content) if isDamaged else content

            self.cache += "-"
            with Host(tagged('"1"', before=before)) as host:
                self.assertEqual(self.ask(host.url + "starts/", "s", *self.words)[0], 65)
                state["is_damaged"] = False
                self.asked(host.url + "starts/")
