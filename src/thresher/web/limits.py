"""What one exchange may cost us."""

from msgspec import Struct


class Limits(Struct, frozen=True):
    """What one response may cost us."""

    total: float = 60.0  # seconds from the request to the last byte
    connect: float = 10.0  # seconds until a connection stands
    idle: float = 20.0  # seconds of silence
    max_bytes: int = 8 << 20  # of the body, received as well as decoded
    max_ratio: float = 100.0  # decoded to received, beyond the first mebibyte
    max_headers: int = 256
    max_header_bytes: int = 64 << 10  # of one header
    min_rate: float = 50.0  # bytes a second of a body that takes longer than `idle`
