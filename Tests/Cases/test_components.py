"""Commas inside of a value hide nothing: the components of a key are those of its template."""

from case import Case

NAMES = ["University of California, Los Angeles", "Smith, John", "omeprazole, amoxicillin and clarithromycin"]


class Components(Case):
    def first(self, *arguments):
        return self.shardq("-i", "index", *arguments, status=0).splitlines()[0]

    def build(self, key, *options):
        rows = "".join(f'"{name}",{number}\n' for number, name in enumerate(NAMES))
        self.shardq("build", "-q", "--force", "-i", "index", "--key", key, "--words", *options, self.write("list.csv", "name,n\n" + rows))

    def test_later_parts(self):
        for key in "{name}", "{name}, {n}":
            with self.subTest(key):
                self.build(key, "--typos")
                for text, number in [
                    ("los angeles", 0), ("university los angeles", 0), ("university of california los", 0),
                    ("university of california, los", 0), ("los angelse", 0), ("john smith", 1), ("smith john", 1),
                    ("smith, jo", 1), ("john", 1), ("amoxicillin", 2), ("clarithromycin", 2), ("amoxycillin", 2),
                ]:
                    self.assertIn(NAMES[number], self.first(text), text)
                self.shardq("verify", "-i", "index")
