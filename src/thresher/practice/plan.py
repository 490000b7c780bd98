"""A whole practice web, drawn from its seed."""

from collections.abc import Sequence

from thresher.practice import untopical
from thresher.practice.seeded_random import Dice
from thresher.practice.site_plan import Atlas, Draft, Role, choose_sites
from thresher.practice.subjects import TOPICS
from thresher.practice.topical import TRAIL, Territory
from thresher.practice.untopical import Noise


def draw(seed: int) -> Atlas:
    """Return the plan of the practice web with this seed."""
    draft = Draft(seed, choose_sites(Dice(seed, "sites")))
    untopical.found_homes(draft)
    territories = [Territory(draft, topic) for topic in TOPICS]
    untopical.settle(draft)
    dead_ends = untopical.move_and_lose(draft, territories) + untopical.forbid(draft)
    Noise(draft, territories, dead_ends).spread()
    untopical.make_odd(draft)
    untopical.copy_pages(draft, territories)
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
