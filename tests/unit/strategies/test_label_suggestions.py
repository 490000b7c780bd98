"""Which pages the learner would like to have labelled."""

from tests.unit.strategies.test_thresher import SEED, make, page, visit
from thresher.store.database import Database


def test_the_page_nearest_the_threshold_is_asked_about_first_and_never_one_that_was_labelled():
    strategy, store = make(), Database()
    strategy.start([SEED])
    texts = {
        "all": "bee honey " * 20,
        "half": "bee honey " * 3 + "wheel engine road " * 40,
        "none": "wheel " * 40,
    }
    strategy.on_visit(visit(page(SEED, "bee", [f"http://a.test/{name}" for name in texts])), store)
    pages = [page(f"http://a.test/{name}", text, []) for name, text in texts.items()]
    for each in pages:
        strategy.on_visit(visit(each), store)
    asked = strategy.insights().label_suggestions
    assert len(asked) == 3
    nearest = min(asked, key=lambda question: abs(question.score - 0.5))
    assert asked[0] == nearest
    store.add(visit(next(each for each in pages if each.url == nearest.url)))
    strategy.on_labels({nearest.url: True}, store)
    assert nearest.url not in [question.url for question in strategy.insights().label_suggestions]


def test_of_two_doubtful_pages_the_one_whose_folder_has_more_waiting_is_asked_about_first():
    strategy, store = make(), Database()
    strategy.start([SEED])
    waiting = [f"http://a.test/big/{number}/{number}" for number in range(9)]
    strategy.on_visit(
        visit(page(SEED, "bee", ["http://a.test/small/x", "http://a.test/big/x", *waiting])), store
    )
    for folder in ("small", "big"):
        strategy.on_visit(visit(page(f"http://a.test/{folder}/x", "bee wheel engine road " * 9, [])), store)
    assert [(question.url, question.alike) for question in strategy.insights().label_suggestions] == [
        ("http://a.test/big/x", 9),
        ("http://a.test/small/x", 0),
    ]
