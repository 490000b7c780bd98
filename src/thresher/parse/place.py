"""Where in a page a link stands: the tags that lead to it, as short as they stay telling."""

from functools import lru_cache

from turbohtml import Element, Node

STEPS = 16  # tags kept of a path, the innermost
HINT = 32  # letters of an id or class worth keeping


class Places:
    """The tag paths of one page; a path once written is reused by every link below it."""

    def __init__(self) -> None:
        self._paths: dict[Node, str] = {}

    def of(self, element: Element) -> str:
        """Return the path that leads to an element, such as 'html/body/div#menu/ul/li/a'."""
        parent = element.parent
        if parent is None:
            return element.tag
        return f"{self._paths.get(parent) or self._climb(parent)}/{element.tag}"

    def _climb(self, node: Node | None) -> str:
        """Write the path of an element whose ancestors may have none yet."""
        above: list[Element] = []
        while isinstance(node, Element) and node not in self._paths and len(above) < STEPS:
            above.append(node)
            node = node.parent
        path = self._paths.get(node, "") if node is not None else ""
        for element in reversed(above):
            step = _step(element.tag, element.attr("id"), element.attr("class"))
            path = f"{path}/{step}" if path else step
            if path.count("/") >= STEPS:
                path = path.partition("/")[2]
            self._paths[element] = path
        return path


@lru_cache(maxsize=4096)
def _step(tag: str, identity: str | None, classes: str | None) -> str:
    """Name an element by its tag and its id, or its first class."""
    if identity and _tells(identity):
        return f"{tag}#{identity}"
    if classes and _tells(name := classes.partition(" ")[0]):
        return f"{tag}.{name}"
    return tag


def _tells(name: str) -> bool:
    """Tell whether a name may be that of a place: one with digits is the name of a single thing."""
    return len(name) <= HINT and name.replace("-", "").replace("_", "").isalpha()
