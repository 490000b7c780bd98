"""What went wrong on the wire, by our own names."""

import ssl

from thresher.core.errors import CertificateRefused, FetchError, GuardRefused, HostUnreachable
from thresher.web.guard import Blocked


def named(error: OSError) -> FetchError:
    """Return our error for one of the system's that kept a connection from being made."""
    if isinstance(error, Blocked):
        return GuardRefused(str(error))
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "verify_message", "") or error.reason or error
        return CertificateRefused(f"https cannot be trusted: {reason}")
    if isinstance(error, TimeoutError):
        return HostUnreachable("No connection in time")
    return HostUnreachable(f"The connection broke: {error.strerror or str(error) or type(error).__name__}")
