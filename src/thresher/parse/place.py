"""Where in a page a link stands: the tags that lead to it, as short as they stay telling."""

from turbohtml import Element, Node

STEPS = 16  # tags kept of a path, the innermost
HINT = 32  # letters of an id or class worth keeping


class Places:
    """The tag paths of one page; a path once written is reused by every link below it."""

    def __init__(self) -> None:
        self._paths: dict[Node, tuple[str, ...]] = {}

    def of(self, element: Element) -> str:
        """Return the path that leads to an element, such as 'html/body/div#menu/ul/li/a'."""
        return "/".join((*self._path(element.parent), element.tag))

    def _path(self, node: Node | None) -> tuple[str, ...]:
        above: list[Element] = []
        while isinstance(node, Element) and node not in self._paths and len(above) < STEPS:
            above.append(node)
            node = node.parent
        path = self._paths.get(node, ()) if node is not None else ()
        for element in reversed(above):
            path = self._paths[element] = (*path, _step(element))[-STEPS:]
        return path


def _step(element: Element) -> str:
    """Name an element by its tag and id, or its first class; a hint with digits names a thing, not a place."""
    for mark, name in (("#", element.attr("id")), (".", (element.attr("class") or "").partition(" ")[0])):
        if name and name.replace("-", "").replace("_", "").isalpha() and len(name) <= HINT:
            return f"{element.tag}{mark}{name}"
    return element.tag
