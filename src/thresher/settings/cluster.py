"""What can be set about workers on other machines."""

from typing import Annotated

from msgspec import Meta, Struct

from thresher.core.secret import Secret


class ClusterSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How workers on other machines join; `web.workers` are those on this one."""

    bus: Annotated[
        Secret,
        Meta(
            description="The NATS server over which workers join, such as nats://bus:4222; `bus`: start one."
        ),
    ] = Secret()
    lease: Annotated[
        float,
        Meta(
            gt=0,
            description="Seconds a worker goes on unheard; a third more, and its pages go to others.",
        ),
    ] = 15.0
    insecure: Annotated[
        bool, Meta(description="Speak to other machines in plain text, which anybody on the way can read.")
    ] = False
