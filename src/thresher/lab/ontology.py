"""The local ontology of a corpus topic (CT-FC): what the shipped knowledge keeps beside its concept.

The topic's name is the query; its keywords and description stand for the seed pages that tell meanings apart.
Where the name has fewer meanings than Figure 6b wants, concepts that are called alike follow them.
"""

from functools import cache

from thresher.core.errors import SettingsError
from thresher.core.interfaces import Lexicon
from thresher.core.records import KeptConcept
from thresher.knowledge.index import shipped_knowledge
from thresher.lab.corpus import CorpusTopic
from thresher.lab.efforts import typed_name
from thresher.topic.ontology import MEANINGS, Choice, choose, ontology_of


def corpus_ontology(entry: CorpusTopic) -> tuple[KeptConcept, ...]:
    """Return the concepts kept for a topic, meaning by meaning; none where nothing is called so."""
    context = " ".join([*entry.words(), entry.description])
    names = (typed_name(entry), *(path[-1].replace("_", " ") for path in entry.labels().values()))
    return next(filter(None, (_ontology(name, context) for name in names)), ())


@cache
def _ontology(query: str, context: str) -> tuple[KeptConcept, ...]:
    with shipped_knowledge() as lexicon:
        try:
            choice = choose(query, context, lexicon)
        except SettingsError:
            return ()
        return ontology_of(_with_namesakes(choice, query, lexicon), lexicon)


def _with_namesakes(choice: Choice, query: str, lexicon: Lexicon) -> Choice:
    """Return the choice with as many rivals as are counted, the last of them called alike only."""
    meant = [choice.concept.id, *(concept.id for concept, _ in choice.rivals)]
    alike = [concept for concept in lexicon.nearest(query, 2 * MEANINGS) if concept.id not in meant]
    return Choice(choice.concept, choice.score, (*choice.rivals, *((concept, 0.0) for concept in alike)))
