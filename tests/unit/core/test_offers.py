"""Links offered at one priority are candidates like any others, only made when somebody looks at one."""

import random

from thresher.core.records import PORTION, Candidate, Link, UniformOffers, Url, chunked
from thresher.frontier.frontier import Workbench

PAGE = Url("http://a.example/")


def links(numbers: list[int]) -> tuple[Link, ...]:
    return tuple(Link(PAGE, Url(f"http://h{number % 7}.example/{number}")) for number in numbers)


def test_each_is_the_candidate_of_its_link() -> None:
    offers = UniformOffers(links([1, 2, 3]), 0.5, 2)
    made = [Candidate(link.target, 0.5, link, depth=2) for link in offers.links]
    assert [*offers] == made == [offers[place] for place in range(len(offers))]
    assert [*offers[1:]] == made[1:]


def test_portions_of_many_are_no_longer_than_one_and_stay_unmade() -> None:
    offers = UniformOffers(links([*range(PORTION + 5)]), 0.5, 2)
    found = [*chunked(offers)]
    assert [len(some) for some in found] == [PORTION, 5]
    assert all(isinstance(some, UniformOffers) for some in found)
    assert [offer for some in found for offer in some] == [*offers]


def test_the_frontier_takes_them_as_it_takes_candidates() -> None:
    dice = random.Random(7)
    one, other = Workbench(delay=0.0, per_host=9), Workbench(delay=0.0, per_host=9)
    for _ in range(60):
        offers = UniformOffers(links(dice.choices(range(400), k=30)), dice.random(), dice.randint(1, 5))
        assert one.offer(offers) == other.offer([*offers])
        assert one.take(0.0) == other.take(0.0)
    left = [(one.take(0.0), other.take(0.0)) for _ in range(400)]
    assert all(mine == theirs for mine, theirs in left)
    assert len(one) == len(other)
