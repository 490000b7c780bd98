"""The notebook of the examples, in a real kernel: crawl, watch, frame, label, judge, search, plot."""

from importlib import import_module
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Return the outputs of each cell of code, as nbclient has run them."""
    nbformat, nbclient = import_module("nbformat"), import_module("nbclient")
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    nbclient.NotebookClient(
        notebook, timeout=50, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def text(outputs):
    """Return what the outputs of a cell say in plain words."""
    return "\n".join(
        each["text"] if "text" in each else each["data"].get("text/plain", "") for each in outputs
    )


def test_no_cell_wrote_to_stderr_or_failed(cells):
    assert [each for outputs in cells for each in outputs if each.get("name") == "stderr"] == []
    assert [each for outputs in cells for each in outputs if each.output_type == "error"] == []


def test_the_crawl_is_shown_live_and_ends_with_its_figures(cells):
    shown = [each for each in cells[0] if each.output_type == "display_data"]
    assert len(shown) == 1, "one output that is drawn anew"
    assert "<progress" in shown[0]["data"]["text/html"]
    assert "of 150 pages relevant" in shown[0]["data"]["text/plain"]
    assert "<crawl bees: " in text(cells[0])


def test_what_was_watched_never_falls(cells):
    watched = [int(number) for number in text(cells[1]).strip("[]").split(",")]
    assert watched == sorted(watched)
    assert watched[-1] > 0


def test_the_frame_is_a_frame(cells):
    assert "<table" in cells[2][0]["data"]["text/html"]
    assert "<table" in cells[3][0]["data"]["text/html"]


def test_labels_and_judging_again_say_what_came_of_them(cells):
    assert "counts as you said" in text(cells[4])
    before, after = (int(number) for number in text(cells[5]).strip("()").split(","))
    assert before > 0 < after


def test_search_finds_and_why_tells_the_way(cells):
    assert text(cells[6]).startswith("[(")
    assert "http" in text(cells[7])


def test_the_harvest_is_drawn(cells):
    assert cells[8][0]["data"]["image/svg+xml"].startswith("<svg")


def test_a_verb_that_is_awaited_goes_on_and_is_shown_as_well(cells):
    assert [each.output_type for each in cells[9]] == ["display_data", "execute_result"]
    assert "of 180 pages relevant" in text(cells[9])
