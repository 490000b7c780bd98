"""Cells of CSV files that a spreadsheet shows and does not compute."""

_MARK = "'"  # makes a text of whatever follows
_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")


def inert(text: str) -> str:
    """Return a text as a cell; what a spreadsheet would compute gets the mark that makes it text."""
    return f"{_MARK}{text}" if text.startswith(_FORMULA) else text


def as_told(cell: str) -> str:
    """Return the text that a cell was made of."""
    return cell[1:] if cell.startswith(_MARK) and cell[1:].startswith(_FORMULA) else cell
