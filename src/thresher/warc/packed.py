"""Finished exchanges: members made by whoever fetched a page, and held to what we would have written."""

import re
import zlib

from isal import igzip_lib, isal_zlib
from msgspec.structs import replace

from thresher.core.records import Packed
from thresher.warc.capture import Exchange, cut_facts, metadata, readable, request, response
from thresher.warc.http_message import chunked, joined_as_promised
from thresher.warc.record import Draft, digest, new_id

_GZIP = 31
_Damaged: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]  # its stub is wrong
_ID = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}>")
_MORE = 4096  # bytes that the head of a record may take beyond its block


class NotOurRecord(ValueError):
    """A member that is not what an honest worker makes of the exchange it tells of."""


def compressed(draft: Draft, level: int = 1) -> bytes:
    """Return a record as one member of a file; what is packed already is only wrapped."""
    data = draft.encode()
    return zlib.compress(data, 0, _GZIP) if draft.is_dense else isal_zlib.compress(data, level, _GZIP)


def pack(exchange: Exchange) -> Packed:
    """Return the response and the request of an exchange as finished members."""
    exchange, cut = readable(exchange)
    ids = (new_id(), new_id())
    drafts = [response(exchange, ids[0])]
    if exchange.request:
        drafts.append(request(exchange, ids[1], ids[0]))
    return Packed(tuple(map(compressed, drafts)), ids[: len(drafts)], cut)


def with_facts(exchange: Exchange, packed: Packed) -> list[bytes]:
    """Return the members of a finished exchange, and one with what we know of it beyond its bytes."""
    told = cut_facts(exchange, packed.cut)
    if not told.facts:
        return list(packed.members)
    return [*packed.members, compressed(metadata(told, new_id(), packed.ids[0]))]


def unpack(exchange: Exchange, packed: Packed, head_size: int, most: int) -> tuple[Exchange, bytes]:
    """Return a finished exchange with its bytes, and the body with its chunks joined, or raise NotOurRecord.

    Address, time and the like come with `exchange`; head, body and request are read off the members, which
    must then be, to the byte, the records that we would have made of them.
    """
    if not 0 < len(packed.ids) == len(packed.members) <= 2 or not all(map(_ID.fullmatch, packed.ids)):
        raise NotOurRecord("members without a name")
    record = _inflated(packed.members[0], most)
    block = _block(record)
    head, body = block[:head_size], block[head_size:]
    wire = joined_as_promised(head, body)
    if chunked(head, wire) != body:
        raise NotOurRecord("a body in other chunks than ours")
    whole = replace(exchange, head=head, body=body, payload_digest=digest((body,)))
    if response(whole, packed.ids[0]).encode() != record:
        raise NotOurRecord("a response that differs from its record")
    if len(packed.members) == 1:
        return whole, wire
    asked = _inflated(packed.members[1], most)
    whole = replace(whole, request=_block(asked))
    if request(whole, packed.ids[1], packed.ids[0]).encode() != asked:
        raise NotOurRecord("a request that differs from its record")
    return whole, wire


def _inflated(member: bytes, most: int) -> bytes:
    """Return the one record of a member; what does not end in time is none."""
    unpacker = isal_zlib.decompressobj(_GZIP)
    try:
        record = unpacker.decompress(member, most + _MORE)
    except _Damaged as error:
        raise NotOurRecord(f"a broken gzip member: {error}") from None
    if not unpacker.eof or unpacker.unused_data:
        raise NotOurRecord("a member that is not one whole record")
    return record


def _block(record: bytes) -> bytes:
    return record.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")
