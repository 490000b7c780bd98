"""A certificate of our own for an engine of our own: known by its fingerprint, not by its name."""

from datetime import UTC, datetime, timedelta

from thresher.core.optional import library

YEARS = 10
PARTS = [
    f"cryptography.{part}" for part in ("x509", "hazmat.primitives.hashes", "hazmat.primitives.serialization")
] + ["cryptography.hazmat.primitives.asymmetric.ec"]


def make_certificate(name: str) -> tuple[str, str]:
    """Return a new certificate and its key, in PEM."""
    x509, hashes, serialization, ec = (library(part, "cluster", "An engine with TLS") for part in PARTS)
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now, public = datetime.now(UTC), key.public_key()
    identity = x509.SubjectKeyIdentifier.from_public_key(public)
    uses = x509.KeyUsage(True, False, False, False, False, True, False, False, False)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365 * YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(uses, critical=True)
        .add_extension(identity, critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), secret.decode()
