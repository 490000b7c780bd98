"""How a topic's labels are spelt in URLs, and what a URL says of the topic (Chen et al. 2009, section 3.5).

    label_iq: English (q = 1), abbreviation (2), full pinyin (3), initials (4);  alpha = (1, 0.5, 1, 0.2)
    b_iq  = alpha_q if a token of the URL matches label_iq, else 0
    R_url = beta * sum over i of w_i * max over q of b_iq,  w_i = i/D,  beta = 1 / sum of w_i

The paper matches substrings, so that 'sh' (Shanghai) is found in 'shop'. The strict rule asks spellings of
less than four letters to be a whole token; it is the default.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Literal

from thresher.core.records import Concept, Topic, Url
from thresher.text.chinese import initials, pinyin
from thresher.text.languages import ENGLISH_STOP_WORDS

ALPHA = (1.0, 0.5, 1.0, 0.2)
SHORT = 4  # a spelling with fewer letters is part of too many words
SEEN_OFTEN = 500  # a token this frequent in a crawl is worth a look (the paper's feedback loop)

Row = tuple[str, str, str, str]
"""English, abbreviation, pinyin, initials; several spellings in one column stand between bars."""

Rule = Literal["strict", "substring"]


class UrlRelevance:
    """R_url of any number of URLs: the table is taken apart only once."""

    def __init__(self, rows: Sequence[Sequence[str]], rule: Rule = "strict") -> None:
        """Weigh the labels, the last one most, and make ready what to look for."""
        beta = 1 / (fsum(range(1, len(rows) + 1)) or 1.0)  # w_i = i/D: the D cancels out
        self._labels = [(place * beta, _sought(row, rule)) for place, row in enumerate(rows, start=1)]
        spelt = dict.fromkeys(text.strip(".") for _, sought in self._labels for _, text in sought)
        self._spellings = [text.encode() for text in spelt]

    def of(self, url: str, tokens_of: Callable[[Url], Sequence[str]]) -> float:
        """Return R_url of a URL, which is cut into tokens only if a spelling is in it anywhere."""
        plain = url.lower().replace("%20", "").encode("utf-8", "surrogatepass").translate(None, _JOINING)
        for text in self._spellings:
            if text in plain:
                return self(tokens_of(Url(url)))
        return 0.0

    def __call__(self, tokens: Sequence[str]) -> float:
        """Return R_url of a URL given as tokens."""
        said = f".{'.'.join(map(_plain, tokens))}."
        return fsum(
            weight * next((alpha for alpha, text in sought if text in said), 0.0)
            for weight, sought in self._labels
        )


def spelling_row(labels: Sequence[tuple[str, str]], table: Mapping[str, Row] | None = None) -> Row:
    """Return the row of a label given in its languages; the user's table replaces the columns it fills.

    Initials are never made up: they are those of the user's table, or what sites are known to abbreviate.
    """
    columns: tuple[list[str], ...] = ([], [], [], [])
    chinese = [label for _, label in labels if not any(map(str.isascii, label))]
    first = next((label for language, label in labels if language == "zh"), "")
    first_letters = {initials(label) for label in chinese}
    for language, label in labels:
        if language == "abbr":
            columns[3 if label.lower() in first_letters else 1].append(label)
        elif label.isascii():
            columns[0].append(label)
    if first and first.isascii():  # Chinese writes it in Latin letters, such as NBA: so do its addresses
        columns[2].append(first)
    else:  # not of a label of two scripts: a part would stand for the whole
        columns[2].extend(map(pinyin, chinese))
    row = tuple("|".join(_distinct(column)) for column in columns)
    given = next((table[label] for _, label in labels if table and label in table), ("", "", "", ""))
    english, abbreviation, full, initial = (own or known for own, known in zip(given, row, strict=True))
    return english, abbreviation, full, initial


def path_spellings(path: Sequence[Concept], table: Mapping[str, Row] | None = None) -> tuple[Row, ...]:
    """Return one row per label of a path, the root first."""
    return tuple(spelling_row(concept.labels, table) for concept in path)


def tokens_to_review(
    counts: Mapping[str, int], topic: Topic, at_least: int = SEEN_OFTEN
) -> list[tuple[str, int]]:
    """Return the frequent URL tokens of a crawl that the topic's table lacks, in order."""
    known = {spelling for row in topic.spellings for column in row for spelling in _spellings(column)}
    often = [
        (token, count) for token, count in counts.items() if count >= at_least and _plain(token) not in known
    ]
    telling = [pair for pair in often if not pair[0].isdigit() and pair[0] not in ENGLISH_STOP_WORDS]
    return sorted(telling, key=lambda pair: (-pair[1], pair[0]))


def _sought(row: Sequence[str], rule: Rule) -> list[tuple[float, str]]:
    """Return what to look for between full stops for one label, what says most (alpha_q) first."""
    found = [
        (alpha, f".{spelling}." if rule == "strict" and len(spelling) < SHORT else spelling)
        for alpha, column in zip(ALPHA, row, strict=False)
        for spelling in _spellings(column)
    ]
    return sorted(found, key=lambda pair: -pair[0])


def _spellings(column: str) -> list[str]:
    return [plain for spelling in column.split("|") if (plain := _plain(spelling))]


def _plain(text: str) -> str:
    """Return a spelling or token in lower case, without what joins words in URLs."""
    return text.lower().replace("%20", "").translate(_JOINERS)


def _distinct(spellings: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(plain for spelling in spellings if (plain := _plain(spelling))))


_JOINING = b"-_+ '."
_JOINERS = str.maketrans("", "", _JOINING.decode())
