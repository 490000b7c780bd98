"""The parsing of a page, whatever the parser may raise: all that a reader process does."""

import logging
from collections.abc import Callable

from thresher.core.enums import Detail
from thresher.core.errors import DocumentUnread
from thresher.core.records import Fetched, Page, Reading

log = logging.getLogger(__name__)

Parse = Callable[[Fetched], Page]


def parsed(fetched: Fetched, parse: Parse) -> Reading:
    """Return the reading of a page that nobody has judged yet, or why there is none."""
    try:
        return Reading(parse(fetched))
    except DocumentUnread as error:
        return Reading(failure=str(error), detail=error.detail)
    except Exception as error:
        log.exception("%s could not be parsed", fetched.url)
        return Reading(failure=repr(error), detail=Detail.PARSER_FAILED)
