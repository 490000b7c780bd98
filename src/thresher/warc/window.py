"""A window on the unpacked bytes of one member: look ahead, take, put back."""

import re
from collections.abc import Iterator

from thresher.warc.gunzip import Member

LARGEST_HEAD = 65_536
_NEWLINES = b"\r\n"
_OVERLAP = 8_192  # a first line is never longer: what is kept while looking for one across two pieces

RECORD_START = re.compile(
    rb"(?i:WARC)/\d+\.\d+[ \t]*\r?\n"  # WARC, any version
    rb"|filedesc://[^\n]{0,4096}\n"  # ARC, the head of the file
    rb"|[A-Za-z][A-Za-z0-9+.-]*:[^\n]{0,4096} [^ \n]+ \d{12,20} [^ \n]+ [^\n]{1,512}\n"  # ARC, a record
)
_NEXT_START = re.compile(rb"\n(?=" + RECORD_START.pattern + rb")")


class Window:
    """The bytes of a member from `at` on, in memory; `tell` counts from `start`, where the member begins."""

    def __init__(self, members: Iterator[Member]) -> None:
        self._members = members
        self._peeked: tuple[Member, bytes] | None = None
        self.member: Member
        self.start, self.joined = 0, False
        self.data, self.at, self._base = b"", 0, 0

    def open_next(self) -> bool:
        """Go on to the next member and tell whether there was one."""
        following = self._peeked or next(((member, b"") for member in self._members), None)
        if following is None:
            return False
        self.member, self.data = following
        self._peeked, self.at, self._base = None, 0, 0
        self.start, self.joined = self.member.start, False
        return True

    def join_next(self) -> bool:
        """Take the next member as the rest of this one, unless it is damaged or a record begins there."""
        following = next(self._members, None) if not (self.member.fault or self._peeked) else None
        if following is None:
            return False
        piece = following.read()
        if piece[:5].upper() == b"WARC/":
            self._peeked = (following, piece)
            return False
        self.put_back(b"")
        self.member, self.data, self.joined = following, self.data + piece, True
        return True

    def tell(self) -> int:
        """Return how many unpacked bytes lie before this one."""
        return self._base + self.at

    def more(self) -> bool:
        """Bring in the next piece and tell whether there was one."""
        piece = self.member.read()
        self._base += self.at
        self.data = self.data[self.at :] + piece if self.at < len(self.data) else piece
        self.at = 0
        return bool(piece)

    def see(self, count: int) -> bytes:
        """Return the next bytes without moving, fewer only at the end."""
        while len(self.data) - self.at < count and self.more():
            pass
        return self.data[self.at : self.at + count]

    def skip_newlines(self) -> bool:
        """Move past line ends and tell whether anything follows."""
        while True:
            while self.at < len(self.data):
                if self.data[self.at] not in _NEWLINES:
                    return True
                self.at += 1
            if not self.more():
                return False

    def starts_warc(self) -> bool:
        """Tell whether it is a WARC record that begins right here."""
        return self.see(5).upper() == b"WARC/"

    def starts_arc(self) -> bool:
        """Tell whether it is an ARC record that begins right here."""
        return RECORD_START.match(self.see(_OVERLAP)) is not None

    def ends_record(self, line_ends: tuple[bytes, ...]) -> bool:
        """Tell whether a block may well end here: before its line ends, the end, or the next record."""
        if self.see(4).startswith(line_ends):
            return True
        rest = self.see(_OVERLAP).lstrip(b"\r\n")
        return not rest or RECORD_START.match(rest) is not None

    def take_head(self) -> bytes | None:
        """Take everything up to and with the first blank line; None, and nothing, if there is none near."""
        while True:
            limit = self.at + LARGEST_HEAD
            end = self.data.find(b"\n\r\n", self.at, limit)
            bare = self.data.find(b"\n\n", self.at, end if end >= 0 else limit)
            if end >= 0 or bare >= 0:
                after = bare + 2 if bare >= 0 else end + 3
                head = self.data[self.at : after]
                self.at = after
                return head
            if len(self.data) > limit or not self.more():
                return None

    def take_line(self) -> bytes:
        """Take one line with its end, or what there is of it."""
        end = -1
        while (end := self.data.find(b"\n", self.at)) < 0 and len(self.data) - self.at < LARGEST_HEAD:
            if not self.more():
                break
        after = end + 1 if end >= 0 else len(self.data)
        line = self.data[self.at : after]
        self.at = after
        return line

    def take(self, count: int) -> bytes:
        """Take that many bytes, fewer only at the end."""
        taken = self.data[self.at : self.at + count]
        self.at += len(taken)
        if len(taken) == count:
            return taken
        pieces, missing = [taken], count - len(taken)
        while missing and self.more():
            piece = self.data[:missing]
            pieces.append(piece)
            self.at = len(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def drop(self, count: int) -> int:
        """Pass over that many bytes and return how many there were."""
        left = count
        while left and self.see(1):
            step = min(left, len(self.data) - self.at)
            self.at += step
            left -= step
        return count - left

    def put_back(self, taken: bytes) -> None:
        """Return bytes just taken to the front."""
        self.data = taken + self.data[self.at :]
        self._base += self.at - len(taken)
        self.at = 0

    def take_to_next(self, largest: int) -> bytes:
        """Take everything before the next record, or to the end; what exceeds the limit is passed over."""
        pieces: list[bytes] = []
        kept = 0
        while True:
            found = _NEXT_START.search(self.data, self.at)
            safe = found.end() if found else max(self.at, len(self.data) - _OVERLAP)
            piece = self.data[self.at : safe][: max(0, largest - kept)]
            pieces.append(piece)
            kept += len(piece)
            self.at = safe
            if found:
                return b"".join(pieces)
            if not self.more():
                pieces.append(self.data[self.at :][: max(0, largest - kept)])
                self.at = len(self.data)
                return b"".join(pieces)
