"""The verb `lab`: its commands by name, each loaded when it is asked for."""

import click

from thresher.cli.main import LazyGroup

EXAMPLES = """\b
Examples:
  thresher lab check my-corpus
  thresher lab replay my-corpus --topic bees --strategy best_first --pages 500 --log visits.jsonl
  thresher lab replay my-corpus --topic bees --strategy thresher --polite --wait 2 --luck 1
  thresher lab compare my-corpus --strategies breadth_first,best_first --pages 2x -o results
"""

COMMANDS = {
    "record": "Turn a crawl into a corpus folder, with labels from you or a second judge.",
    "check": "Look a corpus folder through: what it holds, and what would spoil an experiment with it.",
    "replay": "Run one strategy on a recorded web and say how well it did.",
    "compare": "Run strategies side by side on recorded webs, and say which differences are real.",
    "tune": "Choose constants on all webs but one, and say what they do on the one left out.",
    "judge": "Ask every judge about every page of labelled webs, given what a person types.",
    "fit-judge": "Fit the weights of the default judge on labelled webs.",
    "serve": "Serve recorded webs over HTTP on this machine, to compare any crawlers on them.",
    "score": "Say what crawlers were worth on a served web, by its logs and nothing else.",
    "papers": "Print published numbers beside ours; with a NAME play that paper on a web made for it.",
    "figures": "Draw up Tables 3 to 5 and Figures 7 to 16 of FCMRPS from results of `lab compare`.",
    "seeds": "Start from 1 to 80 random relevant pages, and say how many of the others are found.",
    "labels": "Label some of the first hundred pages of each run, and say what that changed.",
    "forecast": "Set forecasts beside what came: how often the band held the truth, and how wide it was.",
    "frontier": "Rank what waits by each expert and column, and set that beside the labels.",
    "guide": "Let a guide that knows the labels, but for some errors, say which links to follow.",
    "freshness": "Let every revisit policy keep a simulated web, beside the one that knows the rates.",
    "hardship": "Set a strategy beside breadth-first where there is little to go by, or where pages lie.",
}
"""Every command and its sentence, so that `thresher lab --help` need not load them."""

ELSEWHERE = {
    "check": "cli.replay:check",
    "fit-judge": "cli.judge:fit_judge",
    "score": "cli.score:judge_runs",
    "figures": "studies.chen_figures:figures",
    "seeds": "studies.ctfc_seeds:seeds",
    **{
        name: f"studies.{name}:{name}"
        for name in ("labels", "forecast", "frontier", "guide", "freshness", "hardship")
    },
}
"""Where the commands are that have no module of their name in `thresher_lab.cli`."""


def _place_of(name: str) -> str:
    return f"thresher_lab.{ELSEWHERE.get(name, f'cli.{name}:{name}')}"


@click.command(
    cls=LazyGroup,
    epilog=EXAMPLES,
    places={name: (_place_of(name), sentence) for name, sentence in COMMANDS.items()},
)
def command() -> None:
    """Measure strategies on recorded webs, against labels that no strategy can see."""
