"""The laboratory: any strategy on any recorded web, judged by a referee that no strategy can see."""

VERB = (
    "thresher_lab.cli.main:command",
    "Measure strategies on recorded webs, against labels that no strategy can see.",
)
"""The verb `lab`, as an entry point of `thresher.verbs` names it: where its command is, and its sentence."""
