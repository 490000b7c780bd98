"""The exports screen offers what the registry has."""

from thresher.export.formats import FORMATS
from thresher.serve.files import OFFERED


def test_every_format_can_be_made_and_one_of_many_files_is_a_zip():
    """A new format is a row of export/formats.py, and nothing in serve."""
    wanted = {form.name: (*form.suffixes, f".{form.name}.zip")[0] for form in FORMATS.values()}
    assert wanted["markdown"] == ".markdown.zip"
    assert {form.name: form.ending for form in OFFERED.values()} == wanted
    assert all(form.sentence.endswith(".") for form in OFFERED.values())
