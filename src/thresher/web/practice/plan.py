"""A whole practice web, drawn from its seed."""

from collections.abc import Sequence

from thresher.web.practice import countryside, oddities
from thresher.web.practice.atlas import Atlas, Role
from thresher.web.practice.dice import Dice
from thresher.web.practice.draft import Draft
from thresher.web.practice.noise import Noise
from thresher.web.practice.sites import choose_sites
from thresher.web.practice.subjects import TOPICS
from thresher.web.practice.topical import TRAIL, Territory


def draw(seed: int) -> Atlas:
    """Return the plan of the practice web with this seed."""
    draft = Draft(seed, choose_sites(Dice(seed, "sites")))
    countryside.found_homes(draft)
    territories = [Territory(draft, topic) for topic in TOPICS]
    countryside.settle(draft)
    dead_ends = oddities.move_and_lose(draft, territories) + countryside.forbid(draft)
    Noise(draft, territories, dead_ends).spread()
    oddities.make_odd(draft)
    oddities.copy_pages(draft, territories)
    _choose_seeds(draft, territories)
    return draft.atlas


def _choose_seeds(draft: Draft, territories: Sequence[Territory]) -> None:
    """Start each topic from a hub, an ordinary relevant page and an everyday page."""
    dice = Dice(draft.atlas.seed, "seeds")
    for territory in territories:
        community = dice.one(draft.sites_for(territory.subject.language, Role.COMMUNITY))
        far_side = territory.trail[TRAIL // 2 : -TRAIL // 8]  # away from the hub
        chosen = (territory.hubs[0], dice.one(far_side), dice.one(draft.everyday[community.name]))
        draft.atlas.seeds[territory.subject.name] = tuple(page.address for page in chosen)
