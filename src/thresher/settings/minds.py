"""What can be set of the minds of a crawl: its strategy and its judge."""

from typing import Annotated

from msgspec import Struct

from thresher.core.secret import Secret
from thresher.settings.fields import Parameter, Share, about


class StrategySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which links go first."""

    name: Annotated[str, about("The strategy, or `package.module:Class` of your own.")] = "thresher"
    parameters: Annotated[
        dict[str, Parameter], about("The strategy's own parameters, written beside its name in the file.")
    ] = {}
    learn_from: Annotated[
        str, about("The folder of an earlier crawl on the topic, to start from what it learned.")
    ] = ""


class JudgeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When a page counts as relevant."""

    name: Annotated[
        str,
        about(
            "The judge that scores pages from 0 to 1; not set: that of the strategy's paper, else `question`."
        ),
    ] = ""
    threshold: Annotated[
        Share | None,
        about(
            "A page is relevant from this score on; not set: what `question` finds by the pages of the crawl"
            " when it ends, the best F1 to be expected of them (0.21 on the way), or the judge's own, such as"
            " 0.1 of `cosine`, which is the delta of Chen et al. 2009."
        ),
    ] = None
    learns: Annotated[
        bool, about("Let `question` learn from the pages of the crawl which words such pages have.")
    ] = True
    endpoint: Annotated[
        Secret,
        about(
            "Where the judge `embeddings` asks for vectors: an OpenAI-compatible address, such as"
            " http://127.0.0.1:11434/v1; or `env:NAME`."
        ),
    ] = Secret()
    model: Annotated[str, about("The model that the judge `embeddings` asks there.")] = ""
    key: Annotated[Secret, about("The key for that endpoint, best as `env:NAME`.")] = Secret()
    fallback: Annotated[
        str, about("The judge that stands in while the endpoint is away; it is named when it does.")
    ] = "question"
