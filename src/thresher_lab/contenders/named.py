"""What a contender of a comparison is called: a strategy and, after plus signs, its form, topic and judge.

fcmrps                         as the paper has it
fcmrps+sound+rich              its sound form, with the rich topic model
fcmrps+url_weight=0            with a parameter set
ctfc+ontology                  with the lexicon of the shipped ontology; ctfc+concepts=1 with a part of it
ctfc+judge=lexicon:0.1         guided by another judge, with its threshold
naive_bayes, ache, tres        systems of others that only the lab has: the other files of this package
"""

import json
from contextlib import suppress

from msgspec import Struct

from thresher.build.plugins import own_threshold, parameters_of, strategy_class
from thresher.core.errors import UnknownName
from thresher.settings.components import JudgeSettings, Parameter
from thresher.strategies import ALL_STRATEGIES
from thresher_lab.corpus import TOPIC_MODELS
from thresher_lab.replay import ORACLES
from thresher_lab.setup import ReplayPlan

_PLACE = "thresher_lab.contenders"
SINCE = {
    "naive_bayes": f"{_PLACE}.guides:NaiveBayesGuide",
    "svm": f"{_PLACE}.guides:SvmGuide",
    "context_graph": f"{_PLACE}.context_graph:ContextGraph",
    "ache": f"{_PLACE}.ache:AcheLinks",
    "opic": f"{_PLACE}.link_orders:Opic",
    "hits": f"{_PLACE}.link_orders:Hits",
    "sb_classifier": f"{_PLACE}.sb_classifier:SbClassifier",
    "tres": f"{_PLACE}.tres:Tres",
}
"""The systems of others that only the lab has."""


class Contender(Struct, frozen=True):
    """A strategy as it takes part: what is not named is decided by the experiment."""

    strategy: str
    parameters: dict[str, Parameter] = {}
    model: str = ""
    judge: JudgeSettings | None = None


def contender_of(text: str) -> Contender:
    """Return what a name stands for; parts that are no topic model are parameters."""
    strategy, *parts = text.split("+")
    model, judge = "", None
    parameters: dict[str, Parameter] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if part in TOPIC_MODELS:
            model = part
        elif name == "judge":
            judge = _judge(value)
        else:
            parameters[name] = _parameter(value)
    return Contender(SINCE.get(strategy, strategy), parameters, model, judge)


def plan_of(
    contender: Contender,
    topic: str,
    pages: int,
    seeds: tuple[str, ...],
    model: str = "labels",
    judge: JudgeSettings | None = None,
    rules: bool = False,
) -> ReplayPlan:
    """Return what a contender is to play; what it does not name is as given."""
    return ReplayPlan(
        topic,
        contender.strategy,
        pages,
        seeds,
        contender.model or model,
        contender.judge or judge,
        contender.parameters,
        rules,
    )


def check(contender: Contender) -> None:
    """Refuse an unknown strategy or parameter before an hour is spent on the others."""
    if contender.strategy in ORACLES:
        known: list[str] = []
    else:
        try:
            known = list(parameters_of(strategy_class(contender.strategy)))
        except UnknownName:
            raise UnknownName("strategy", contender.strategy, [*ALL_STRATEGIES, *SINCE, *ORACLES]) from None
    for name in contender.parameters:
        if name not in known:
            raise UnknownName(
                f"topic model or parameter of {contender.strategy}", name, [*TOPIC_MODELS, *known]
            )


def _judge(text: str) -> JudgeSettings:
    """Return the judge of a name, with its own threshold unless one follows a colon."""
    name, _, threshold = text.partition(":")
    return JudgeSettings(name, float(threshold) if threshold else own_threshold(name))


def _parameter(text: str) -> Parameter:
    """Return a value as its type; a bare name is a switch that is turned on."""
    if not text:
        return True
    with suppress(ValueError):
        value = json.loads(text)
        if isinstance(value, bool | int | float):
            return value
    return text
