"""Small articles made from a vocabulary and a grammar."""

from collections.abc import Callable, Sequence

from thresher.practice.grammar import GRAMMARS, Grammar
from thresher.practice.seeded_random import Dice
from thresher.practice.subjects import Vocabulary


class Prose:
    """A writer on one subject: the same dice write the same words."""

    def __init__(self, vocabulary: Vocabulary, dice: Dice, oblique: bool = False) -> None:
        """Choose the words this text keeps coming back to; an oblique text avoids the keywords."""
        self.vocabulary = vocabulary
        self.grammar = GRAMMARS[vocabulary.language]
        self.dice = dice
        avoided = vocabulary.keywords if oblique else ()
        self._facts = _without(avoided, vocabulary.facts)
        self._holes = _Holes(vocabulary, self.grammar, dice, avoided)

    def heading(self) -> str:
        """Return a title without the subject's name."""
        return _capital(self._fill(self.grammar.headings))

    def paragraphs(self, count: int, extra: Sequence[str] = ()) -> list[str]:
        """Return paragraphs that say the extra sentences somewhere among their own, and nothing twice."""
        patterns = self.dice.some(self.grammar.plain, count * 4 - 2) + self.dice.some(self._facts, 2)
        sentences = [
            self._finish(pattern.format_map(self._holes)) for pattern in self.dice.some(patterns, 99)
        ]
        for sentence in extra:
            sentences.insert(1 + self.dice.below(len(sentences)), sentence)
        size = -(-len(sentences) // count)
        return [
            self.grammar.gap.join(sentences[start : start + size]) for start in range(0, len(sentences), size)
        ]

    def named(self) -> str:
        """Return a sentence that names the subject."""
        return self._finish(self._fill(self.grammar.named))

    def passing(self, name: str) -> str:
        """Return a sentence that names a topic and says nothing about it."""
        return self._finish(self.dice.one(self.grammar.passing).format(name=name))

    def stuffed(self, name: str, count: int) -> str:
        """Return that many sentences which repeat a topic's name and say nothing."""
        patterns = (self.dice.one(self.grammar.stuffed) for _ in range(count))
        return self.grammar.gap.join(self._finish(pattern.format(name=name)) for pattern in patterns)

    def lure(self, name: str) -> str:
        """Return the title of a keyword stuffer."""
        return _capital(self.dice.one(self.grammar.lures).format(name=name))

    def list_heading(self) -> str:
        """Return the title of a hub."""
        return self.dice.one(self.grammar.lists)

    def entry(self) -> str:
        """Return an anchor that says who found a page, not what it is about."""
        return self._fill(self.grammar.entries)

    def more(self) -> str:
        """Return an anchor that says nothing."""
        return self.dice.one(self.grammar.more)

    def _fill(self, patterns: Sequence[str]) -> str:
        return self.dice.one(patterns).format_map(self._holes)

    def _finish(self, sentence: str) -> str:
        return _capital(sentence) + self.grammar.stop


class _Holes(dict[str, str]):
    """Fills each hole of a pattern with a new word of the right kind."""

    def __init__(self, vocabulary: Vocabulary, grammar: Grammar, dice: Dice, avoided: Sequence[str]) -> None:
        super().__init__(name=vocabulary.name)

        def pick(kind: Sequence[str], favourites: int) -> Callable[[], str]:
            chosen = dice.some(_without(avoided, kind) or kind, favourites)
            return lambda: dice.one(chosen)

        thing, stuff = pick(vocabulary.things, 8), pick(vocabulary.stuff, 4)
        person, quality = pick(vocabulary.people, 3), pick(vocabulary.qualities, 4)
        deed = pick(vocabulary.deeds, 5)
        self.fillers: dict[str, Callable[[], str]] = {
            "thing": thing,
            "things": lambda: plural(thing()),
            "a_thing": lambda: article(thing()),
            "stuff": stuff,
            "person": person,
            "people": lambda: plural(person()),
            "quality": quality,
            "a_quality": lambda: article(quality()),
            "do": lambda: present(deed()),
            "did": lambda: past(deed()),
            "season": lambda: dice.one(grammar.seasons),
            "number": lambda: dice.one(grammar.numbers),
            "author": lambda: dice.one(grammar.authors),
        }

    def __missing__(self, hole: str) -> str:
        return self.fillers[hole]()


def _without(avoided: Sequence[str], words: Sequence[str]) -> list[str]:
    return [word for word in words if not any(part in word for part in avoided)]


def plural(noun: str) -> str:
    """Return the regular English plural."""
    if noun.endswith("man"):
        return noun[:-2] + "en"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def present(deed: str) -> str:
    """Return 'feed the bees' for 'feed/fed the bees', and a deed of one form as it is."""
    verb, _, rest = deed.partition("/")
    return f"{verb} {rest.partition(' ')[2]}" if rest else verb


def past(deed: str) -> str:
    """Return 'fed the bees' for 'feed/fed the bees'."""
    return deed.partition("/")[2]


def article(words: str) -> str:
    """Return the words after their indefinite article."""
    return f"{'an' if words[0] in 'aeiou' and not words.startswith(('ewe', 'uni')) else 'a'} {words}"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
