"""Made-up people and addresses: lists with the shapes of real ones, from a seed, since real ones are private."""

import math
import random

BEGINNINGS = "B Br C Ch D Dr F Fr G Gr H J K Kl L M N P Pr R S Sch St T Tr V W Z".split()
VOWELS = "a a a e e e i i o o u ai ei ie ou".split()
MIDDLES = "b d f g l ll m mm n nn nd ng r rd rn s ss st t tt th v ck".split()
ENDS = "n r s l ck rd nd st tz ng mann berg feld ton sen ski er".split()
STREETS = "{} Street,{} Avenue,{} Road,{} Lane,{}-Weg,{}-Platz,rue {},avenue {},via {},calle {},ulica {}".split(",")
SEED = 20250101


def made_word(source, syllables):
    middle = "".join(source.choice(VOWELS) + source.choice(MIDDLES) for _ in range(syllables - 1))
    return source.choice(BEGINNINGS) + middle + source.choice(VOWELS) + source.choice(ENDS)


def distinct(source, count, syllables):
    found = {}
    while len(found) < count:
        found[made_word(source, source.choice(syllables))] = None
    return list(found)


def weight(source, greatest):
    """A weight whose logarithm is even: a few records are very common."""
    return int(math.exp(source.random() * math.log(greatest)))


def skewed(source, items):
    """An item; the early ones are common, as some names are."""
    return items[int(len(items) * source.random() ** 2)]


def people(count=60_000):
    """Pairs of a name and a weight. One person of eight has a second family name."""
    source = random.Random(SEED)
    given, family = distinct(source, 600, (1, 2)), distinct(source, 8_000, (1, 2, 2, 3))
    found = {}
    while len(found) < count:
        name = f"{skewed(source, given)} {skewed(source, family)}"
        if source.random() < 1 / 8:
            name += f"-{skewed(source, family)}"
        found.setdefault(name, weight(source, 10_000))
    return list(found.items())


def addresses(count=60_000):
    """Triples of a street with its number, a city and a weight."""
    source = random.Random(SEED + 1)
    persons, cities = [name for name, _ in people(6_000)], distinct(source, 300, (1, 2))
    streets = [source.choice(STREETS).format(name) for name in persons]
    # A German street has hyphens in the whole name of its person.
    streets = [street.replace(" ", "-") if street.endswith(("-Weg", "-Platz")) else street for street in streets]
    found = {}
    while len(found) < count:
        address = f"{skewed(source, streets)} {1 + int(120 * source.random() ** 2)}"
        found.setdefault((address, skewed(source, cities)), weight(source, 1_000))
    return [(*address, weight) for address, weight in found.items()]
