"""From what the user gave, in any mix, to one Topic: words, a taxonomy node, a concept, example pages."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from msgspec import Struct, structs

from thresher.core.enums import TopicForm
from thresher.core.errors import AmbiguousTopic, SettingsError
from thresher.core.interfaces import Lexicon
from thresher.core.records import Concept, Topic
from thresher.text.languages import PLAIN
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.topic.ontology import (
    ConceptChoice,
    choose,
    kept_concepts,
    lexicon_of,
    named,
    names_of,
    ontology_of,
    refuse_a_guess,
    unknown,
)
from thresher.topic.question import check_question, language_of_topic
from thresher.topic.url_spellings import Row, path_spellings, spelling_row
from thresher.topic.vocabulary import centroid, sub_domains, suggestions

NAMELESS = "examples"
"""What a topic is called of which nothing was given but example pages."""

TELLING = 5  # words of example pages of which one may name what they are about
DESCRIPTION_WEIGHT = 0.5  # a word of the description, beside 1 for the heaviest keyword


def terms(topic: Topic) -> dict[str, float]:
    """Return keywords, path labels and the words of the description, the heaviest weighing 1.

    A topic of which nothing but the name is known is about its name.
    """
    heaviest = max(topic.keywords.values(), default=1.0) or 1.0
    weighted = {keyword: weight / heaviest for keyword, weight in topic.keywords.items()}
    for label, weight in path_weights(topic.path).items():
        weighted[label] = max(weight, weighted.get(label, 0.0))
    for label in topic.labels.values():
        weighted.setdefault(label, 1.0)
    for word in _said(topic.description):
        weighted.setdefault(word, DESCRIPTION_WEIGHT)
    return weighted or {topic.name: 1.0}


def _said(description: str) -> list[str]:
    """Return the words of a description as they are written, the first of those with one stem."""
    written = {
        stem[0]: token for token in reversed(tokens(fold(description))) if (stem := plain_words(token))
    }
    return list(reversed(written.values()))


def seen_as(topic: Topic, form: TopicForm) -> Topic:
    """Return the topic as a judge sees it; where there is no path the labels form is the whole."""
    if form is TopicForm.WHOLE or not topic.path:
        return topic
    return Topic(topic.name, path=topic.path, paths=topic.paths)


def path_vectors(topic: Topic) -> list[dict[str, float]]:
    """Return v_t of a topic that is nothing but its path, once in each language; else of all its terms."""
    if topic.keywords or topic.labels or topic.description or not topic.path:
        return [terms(topic)]
    return [path_weights(path) for path in (topic.paths or {"": topic.path}).values()]


def path_weights(path: Sequence[str]) -> dict[str, float]:
    """Return w_i = i/D for the labels of a taxonomy path, the root first (Chen et al. 2009)."""
    return {label: position / len(path) for position, label in enumerate(path, start=1)}


def word_weights(weighted: Mapping[str, float], language: str = PLAIN) -> dict[str, float]:
    """Return the weight of each single word of weighted phrases; a word of two phrases keeps the larger."""
    weights: dict[str, float] = {}
    for phrase, weight in weighted.items():
        for word in plain_words(phrase, language):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights


def phrase_words(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of each phrase that has any; one made of stop words alone has none."""
    split = {phrase: tuple(plain_words(phrase)) for phrase in phrases}
    return {phrase: found for phrase, found in split.items() if found}


class TopicRequest(Struct, frozen=True):
    """What the user gave; everything but the name may be left out."""

    name: str
    keywords: Mapping[str, float] = {}
    node: str = ""  # a label or path of the taxonomy, in either language
    query: str = ""  # to be taken for exactly one concept of the ontology
    context: str = ""  # the pooled text of the seed pages, which tells concepts apart
    description: str = ""
    examples: Mapping[str, str] = {}  # name of the page -> its text
    negatives: Mapping[str, str] = {}
    spellings: Mapping[str, Row] = {}  # the user's own rows of URL spellings, by label
    seeds: Sequence[str] = ()
    also: Sequence[str] = ()  # what else is wanted on the same page; `a|b`: either will do
    excluded: Sequence[str] = ()  # words of what is not wanted
    language: str = ""  # of the words
    vocabularies: Sequence[Sequence[str]] = ()  # the user's own, one for each sub-domain


def make_topic(asked: TopicRequest, lexicon: Lexicon, choice: ConceptChoice | None = None) -> Topic:
    """Return the topic; what is asked for by name and unknown is an error with the nearest names.

    A concept chosen before stands in for the query; a query is never guessed at without context.
    """
    topic = Topic(
        asked.name,
        keywords_of(asked),
        description=asked.description,
        seeds=tuple(asked.seeds),
        facets=_facets(asked),
        excluded=tuple(asked.excluded),
        language=asked.language or language_of_topic([asked.name, *asked.keywords, asked.description]),
    )
    if node := _node(asked, lexicon):
        topic = _with_node(topic, node, asked, lexicon)
    if asked.query and not choice:
        choice = choose(asked.query, asked.context, lexicon)
        if not asked.context:
            refuse_a_guess(asked.query, choice, lexicon)
    if choice:
        topic = _with_concept(topic, choice, asked.query or asked.name, lexicon)
    if asked.examples:
        topic = _with_examples(topic, asked)
    if asked.examples and asked.name == NAMELESS and not topic.concept:
        topic = _with_meaning(topic, list(asked.examples.values()), lexicon)
    if asked.vocabularies:
        topic = structs.replace(topic, vocabularies=tuple(map(_stemmed, asked.vocabularies)))
    return _finished(topic, asked)


def _with_concept(topic: Topic, choice: ConceptChoice, query: str, lexicon: Lexicon) -> Topic:
    """Return the topic with the chosen concept: its names as keywords, its local ontology as lexicon.

    A query that names the concept as a whole is one of its names, though the ontology may not have it.
    """
    names_it = any(concept.id == choice.concept.id for concept in lexicon.senses(query))
    called = {("en" if query.isascii() else "zh"): query} if names_it else {}
    labels = {**called, **names_of(choice.concept, lexicon)}
    names = [
        *labels.values(),
        *called.values(),
        *(label for tag, label in choice.concept.labels if tag != "abbr"),
    ]
    return structs.replace(
        topic,
        concept=choice.concept.id,
        labels={**labels, **topic.labels},
        keywords={**dict.fromkeys(names, 1.0), **topic.keywords},
        lexicon={**dict.fromkeys(called.values(), 1.0), **lexicon_of(choice.concept, lexicon)},
        ontology=ontology_of(choice, lexicon),
        spellings=topic.spellings or (spelling_row([*choice.concept.labels, *labels.items()]),),
        description=topic.description or choice.concept.gloss,
        facets=_with_names(topic.facets, names),
    )


def _facets(asked: TopicRequest) -> tuple[tuple[str, ...], ...]:
    """Return the question: the name with the keywords as further words for it, and what is wanted besides."""
    heaviest = sorted(asked.keywords, key=lambda keyword: -asked.keywords[keyword])
    name = asked.name if asked.name != NAMELESS else ""
    besides = [tuple(part.strip() for part in text.split("|") if part.strip()) for text in asked.also]
    return ((name, *heaviest), *filter(None, besides))


def _with_meaning(topic: Topic, texts: Sequence[str], lexicon: Lexicon) -> Topic:
    """Return the topic with the one concept that pages alone speak of (CT-FC: documents to a concept).

    Each of their most telling words is taken for what it means there; the meaning that fits best is it.
    """
    words = [word for word, _ in suggestions(texts, several=TELLING)]
    context = " ".join(texts)
    choices = [choose(word, context, lexicon) for word in words if lexicon.senses(word)]
    if not choices:
        return topic
    best = max(choices, key=lambda choice: choice.score)
    return structs.replace(
        topic,
        concept=best.concept.id,
        lexicon=lexicon_of(best.concept, lexicon),
        ontology=ontology_of(best, lexicon),
    )


def _stemmed(vocabulary: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a sub-domain as texts are cut into them; a phrase is its words with blanks."""
    return tuple(" ".join(found) for each in vocabulary if (found := plain_words(each)))


def keywords_of(asked: TopicRequest) -> dict[str, float]:
    """Return the keywords beside the heaviest, which weighs 1, as does a name that no node or query is."""
    heaviest = max(asked.keywords.values(), default=0.0)
    if heaviest <= 0:
        return dict(asked.keywords)
    beside = {keyword: weight / heaviest for keyword, weight in asked.keywords.items()}
    named = asked.name in (NAMELESS, asked.node, asked.query)
    return beside if named else {asked.name: 1.0} | beside


def _node(asked: TopicRequest, lexicon: Lexicon) -> Concept | None:
    """Return the taxonomy node asked for; a node that only shares the name may be something else."""
    if not asked.node:
        return None
    found = lexicon.nodes(asked.node)
    if not found:
        raise unknown(asked.node, lexicon)
    likeliest = [node for node in found if is_as_likely(node, found[0], lexicon)]
    if len(likeliest) > 1:
        listed = "".join(f"\n  {named(node)}" for node in likeliest)
        raise AmbiguousTopic(f"{asked.node!r} is the name of several topics; write the path of one:{listed}")
    return likeliest[0]


def is_as_likely(node: Concept, first: Concept, lexicon: Lexicon) -> bool:
    """Tell whether a node stands as high in the taxonomy as the first one found."""
    return len(lexicon.path(node.id)) == len(lexicon.path(first.id))


def _with_node(topic: Topic, node: Concept, asked: TopicRequest, lexicon: Lexicon) -> Topic:
    """Return the topic with the node's path, its labels in both languages (i/D) and their spellings."""
    path = lexicon.path(node.id)
    weights = path_weights([step.id for step in path])
    labelled = {
        label: weights[step.id]
        for step in path
        for language, label in _main_labels(step)
        if language != "abbr"
    }
    return structs.replace(
        topic,
        path=tuple(_main_labels(step)[0][1] for step in path),
        paths={language: _labels_in(language, path) for language, _ in _main_labels(node)},
        labels={**dict(_main_labels(node)), **topic.labels},
        keywords={**labelled, **topic.keywords},
        spellings=path_spellings(path, asked.spellings),
        concept=topic.concept or node.id,
        description=topic.description or node.gloss,
        lexicon=topic.lexicon or lexicon_of(node, lexicon),
        ontology=topic.ontology or tuple(kept_concepts(node, lexicon)),
        facets=_with_names(topic.facets, dict(_main_labels(node)).values()),
    )


def _labels_in(language: str, path: Sequence[Concept]) -> tuple[str, ...]:
    """Return the labels of a path in one language; a step without one is called as it is in another."""
    return tuple(dict(_main_labels(step)).get(language, _main_labels(step)[0][1]) for step in path)


def _with_names(facets: tuple[tuple[str, ...], ...], names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the question with further words for its first facet: they add, and change nothing else."""
    first, *others = facets
    known = {fold(text) for text in first}
    return ((*first, *(name for name in dict.fromkeys(names) if fold(name) not in known)), *others)


def _main_labels(concept: Concept) -> list[tuple[str, str]]:
    """Return the first label of each language; there is always one."""
    firsts: dict[str, str] = {}
    for language, label in concept.labels:
        if language != "abbr":
            firsts.setdefault(language, label)
    return list(firsts.items())


def _with_examples(topic: Topic, asked: TopicRequest) -> Topic:
    texts = list(asked.examples.values())
    named = {} if asked.name == NAMELESS else {asked.name: 1.0}
    found = named or dict(suggestions(texts))
    return structs.replace(
        topic,
        examples=tuple(asked.examples),
        keywords=topic.keywords or found,
        facets=topic.facets if named or topic.keywords else (("", *found),),
        vocabularies=sub_domains(texts),
        centroid=centroid(texts, list(asked.negatives.values()), topic.language or PLAIN),
    )


def _finished(topic: Topic, asked: TopicRequest) -> Topic:
    """Return the topic with weights that sum to one, and refuse one that says nothing."""
    keywords = topic.keywords or {asked.name: 1.0}
    check_question(topic.facets, topic.excluded)
    total = fsum(keywords.values())
    if total <= 0:
        raise SettingsError(f"The keywords of topic {asked.name!r} weigh nothing; give one a weight above 0.")
    weights = {keyword: weight / total for keyword, weight in keywords.items()}
    label = asked.name if asked.name != NAMELESS else max(weights, key=weights.__getitem__)
    rows = topic.spellings or (spelling_row(_in_languages([label]), asked.spellings),)
    names = dict.fromkeys(asked.keywords, 1.0) if topic.lexicon else {}  # further names of the concept
    return structs.replace(topic, keywords=weights, spellings=rows, lexicon={**names, **topic.lexicon})


def _in_languages(labels: Sequence[str]) -> list[tuple[str, str]]:
    return [("en" if label.isascii() else "zh", label) for label in labels]
