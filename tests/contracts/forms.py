"""Every strategy in each of its forms: as its paper has it, and sound."""

from thresher.strategies import ALL_STRATEGIES

FORMS = {
    f"{name}{'+sound' if form else ''}": (kind, form)
    for name, kind in ALL_STRATEGIES.items()
    for form in ({}, {"sound": True})
    if set(form) <= set(kind.__dataclass_fields__)
}
