"""tantivy: a full-text engine in Rust with a Python package."""

import texts

from .base import Engine, distinct
from .fts5 import all_words


class Tantivy(Engine):
    name = "tantivy"
    package = "tantivy"
    about = "fuzzy terms, all of them, the last as a prefix; no error first, then one and two a word; heaviest first"

    def __init__(self, records, folder, tools):
        import tantivy

        self.tantivy = tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
        builder.add_integer_field("weight", fast=True)
        builder.add_integer_field("row", stored=True)
        self.index = tantivy.Index(builder.build(), path=folder)
        writer = self.index.writer(heap_size=400_000_000, num_threads=1)
        for row, record in enumerate(records.records):
            writer.add_document(tantivy.Document(words=all_words(record), weight=record.weight, row=row))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, text, limit):
        words, rows, last = texts.words(text), [], None
        if not words:
            return []
        for errors in range(3):
            # As many errors as shardq looks for: none in short words, two in long ones.
            allowed = [min(errors, (len(word) >= 4) + (len(word) >= 8)) for word in words]
            if len(rows) < limit and allowed != last:
                rows = distinct([*rows, *self.level(words, allowed, limit)], limit)
            last = allowed
        return rows

    def level(self, words, allowed, limit):
        terms = [
            (self.tantivy.Occur.Must, self.tantivy.Query.fuzzy_term_query(
                self.index.schema, "words", word, errors, True, place == len(words) - 1))
            for place, (word, errors) in enumerate(zip(words, allowed))
        ]  # fmt: skip
        query = self.tantivy.Query.boolean_query(terms)
        # Fewer than `limit` of these are records of the level before.
        found = self.searcher.search(query, limit * 2, order_by_field="weight", count=False).hits
        return [self.searcher.doc(address).get_first("row") for _, address in found]
