"""The place of a link by its tree, and a tidied text."""

from turbohtml import Element, Node

from thresher.core.caches import remembered
from thresher.parse.tree import CONTROLS


def tidied(text: str) -> str:
    """Return a text without control characters, empty lines, and white space that is odd or ends a line."""
    if not text.isascii():
        text = text.replace("\xa0", " ").replace("\u202f", " ")
    encoded = text.encode("utf-8", "surrogatepass")  # in UTF-8 a control character is a byte of its own
    clean = encoded.translate(None, CONTROLS)
    if len(clean) < len(encoded):
        text = clean.decode("utf-8", "surrogatepass")
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


# Tag paths: where in a page a link stands, as short as it stays telling


STEPS = 16  # tags kept of a path, the innermost
NAME = 64  # letters of a tag: a page may make up any
HINT = 32  # letters of an id or class worth keeping


class Places:
    """The tag paths of one page; a path once written is reused by every link that stands there."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}  # what is referred to, and its place
        self._paths: dict[Node | None, str] = {}
        self._places: dict[tuple[object, ...], str] = {}

    def of(self, element: Element, reference: str) -> str:
        """Return where the page first has what an element refers to: 'html/body/div#menu/ul/li/a'.

        Half of all links are repeats, if only to another part of the same page.
        """
        document = reference.partition("#")[0] if "#" in reference else reference
        place = self._first.get(document)
        if place is None:
            place = self._first[document] = self._path(element)
        return place

    def _path(self, element: Element) -> str:
        """Return the tags that lead to an element."""
        tag, parent = element.tag, element.parent
        if not isinstance(parent, Element):
            return tag if parent is None else f"/{tag}"
        # The items of a list are alike: what is known of one link is known of all of them.
        above, own, identity, classes = parent.parent, parent.tag, parent.attr("id"), parent.attr("class")
        known = (above, own, identity, classes, tag)
        place = self._places.get(known)
        if place is None:
            path = _longer(self._climb(above), _step(own, identity, classes))
            place = self._places[known] = f"{path}/{tag}"
        return place

    def _climb(self, node: Node | None) -> str:
        """Write the path of an element whose ancestors may have none yet."""
        above: list[Element] = []
        while (path := self._paths.get(node)) is None and isinstance(node, Element):
            above.append(node)
            node = node.parent
        path = path or ""
        for element in reversed(above):
            step = _step(element.tag, element.attr("id"), element.attr("class"))
            path = self._paths[element] = _longer(path, step)
        return path


def _longer(path: str, step: str) -> str:
    """Return a path with one more step, the first one dropped if there are too many."""
    path = f"{path}/{step}" if path else step
    return path if path.count("/") < STEPS else path.partition("/")[2]


@remembered(4096)
def _step(tag: str, identity: str | None, classes: str | None) -> str:
    """Name an element by its tag and its id, or its first class."""
    tag = tag[:NAME]
    if identity and _tells(identity):
        return f"{tag}#{identity}"
    if classes and _tells(name := classes.partition(" ")[0]):
        return f"{tag}.{name}"
    return tag


def _tells(name: str) -> bool:
    """Tell whether a name may be that of a place: one with digits is the name of a single thing."""
    return len(name) <= HINT and name.replace("-", "").replace("_", "").isalpha()
