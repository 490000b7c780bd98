"""The exports screen offers what the registry has."""

from thresher.export.formats import FORMATS
from thresher.serve.files import OFFERED


def test_every_format_that_is_one_file_can_be_made():
    """A new format is a row of export/formats.py, and nothing in serve."""
    wanted = {form.name: form.suffixes[0] for form in FORMATS.values() if form.suffixes}
    assert {form.name: form.ending for form in OFFERED.values()} == wanted
    assert all(form.sentence.endswith(".") for form in OFFERED.values())
