"""Whether records are as they were written: packing, lengths and digests."""

import hashlib
from base64 import b32encode
from io import BytesIO

from thresher.warc.reader import WarcReader
from thresher.warc.record import Record
from thresher.warc.stream import Faults

DIGESTS = ("sha256", "sha1", "md5", "sha512")


def fault_of(data: bytes, payload: str = "") -> str:
    """Return what is wrong with the records in some bytes, in a few words, or nothing.

    `payload` is the digest that a response among them must have, as an index or a database knows it.
    """
    faults = Faults()
    records = list(WarcReader(BytesIO(data), "", faults).records())
    if len(faults):
        return str(faults)
    if not records:
        return "no record"
    wrong = next((f"the digest of a {each.kind} record" for each in records if not is_whole(each)), "")
    known = {each.header("warc-payload-digest") for each in records} - {""}  # odd heads have none
    return wrong or ("another payload" if payload and known and payload not in known else "")


def is_whole(record: Record) -> bool:
    """Tell whether a record's block is the one that its head has the digest of."""
    said = record.header("warc-block-digest")
    return not record.fault and (not said or _agrees(said, record.block))


def _agrees(said: str, data: bytes) -> bool:
    """Tell whether a digest with its label fits some bytes; one that we cannot make is believed."""
    name, _, value = said.partition(":")
    if name.lower() not in DIGESTS:
        return True
    made = hashlib.new(name.lower(), data)
    return value.lower() == made.hexdigest() or value.upper() == b32encode(made.digest()).decode()
