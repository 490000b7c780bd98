"""What is known by a name is brought in when it is first asked for."""

import subprocess
import sys

from thresher.core.strategy import Strategy
from thresher.judges import JUDGES
from thresher.strategies import ALL_STRATEGIES

READER = """
import sys
import thresher.build.parsing
print(*(name for name in sys.modules if name.startswith(("thresher.strategies.", "thresher.judges.",
      "thresher.store", "thresher.frontier", "thresher.filters"))))
"""


def test_every_name_stands_for_its_class():
    assert all(issubclass(kind, Strategy) for kind in ALL_STRATEGIES.values())
    assert {kind.__name__ for kind in JUDGES.values()} >= {"QuestionJudge", "Cosine", "LexiconJudge"}
    assert "cosine" in JUDGES and "sine" not in JUDGES and len(JUDGES) == len(list(JUDGES))


def test_a_process_that_reads_pages_loads_no_judge_strategy_or_store_before_it_is_told_which():
    loaded = subprocess.run([sys.executable, "-c", READER], capture_output=True, text=True, check=True).stdout
    assert set(loaded.split()) <= {"thresher.strategies.base", "thresher.judges.word_evidence"}
