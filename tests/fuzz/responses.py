"""Raw responses, good, odd and bad: what the reader of HTTP is held against others with.

One response a line of Python: what it is called, and its bytes.
"""

import gzip
import zlib

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
OLD = b"HTTP/1.0 200 OK\r\n"
PACKED = gzip.compress(b"hello", mtime=1)
IN_CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PACKED), PACKED)


def sized(body: bytes = b"hello", *lines: bytes) -> bytes:
    """A response with its length and more header lines."""
    return (
        OK + b"".join(line + b"\r\n" for line in (b"Content-Length: %d" % len(body), *lines)) + b"\r\n" + body
    )


def status(line: bytes) -> bytes:
    """A response with another status line."""
    return line + b"\r\nContent-Length: 2\r\n\r\nhi"


RESPONSES = {
    "by length": sized(),
    "empty": sized(b""),
    "of nothing": OK + b"\r\n",
    "to the end": OK + b"Content-Type: text/html\r\n\r\n<p>hello",
    "long": sized(b"hello " * 2_000),
    "packed": sized(PACKED, b"Content-Encoding: gzip"),
    "packed by zlib": sized(zlib.compress(b"hello"), b"Content-Encoding: deflate"),
    "with much in the head": sized(
        b"hello", *(b"X-%d: %b" % (number, b"v" * number) for number in range(60))
    ),
    "with one long header": sized(b"hello", b"X-Long: " + b"v" * 7_000),
    "with blanks round values": sized(b"hello", b"A:  \t b \t ", b"B:", b"C: "),
    "with colons in values": sized(b"hello", b"A: b: c: d", b"Date: Mon, 01 Jan 2024 00:00:00 GMT"),
    "with foreign letters": sized(b"hello", b"X-Name: \xc3\xbc \xfc \xe4\xb8\xad"),
    "with a folded header": sized(b"hello", b"A: b,\r\n  c", b"D: e\r\n\tf"),
    "with a folded length": OK + b"Content-Length:\r\n 5\r\n\r\nhello",
    "with line feeds only": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    "with mixed line ends": b"HTTP/1.1 200 OK\r\nContent-Length: 5\nA: b\r\n\nhello",
    "with the same length twice": OK + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "with the same length in a list": OK + b"Content-Length: 5, 5\r\n\r\nhello",
    "with two lengths": OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "with a length in hexadecimal": OK + b"Content-Length: 0x5\r\n\r\nhello",
    "with a length and a plus": OK + b"Content-Length: +5\r\n\r\nhello",
    "with a length and an underscore": OK + b"Content-Length: 1_0\r\n\r\nhello",
    "with a length below nothing": OK + b"Content-Length: -5\r\n\r\nhello",
    "with a length of zeros before": OK + b"Content-Length: 0000000005\r\n\r\nhello",
    "with a length of many digits": OK + b"Content-Length: " + b"9" * 30 + b"\r\n\r\nhello",
    "with a length of foreign digits": OK + b"Content-Length: \xd9\xa5\r\n\r\nhello",
    "with an empty length": OK + b"Content-Length:\r\n\r\nhello",
    "with a length and VT": OK + b"Content-Length: 5\v\r\n\r\nhello",
    "with a length and NBSP": OK + b"Content-Length: 5\xa0\r\n\r\nhello",
    "with more than its length": sized() + b"more",
    "with less than its length": OK + b"Content-Length: 50\r\n\r\nhello",
    "with another behind it": sized() + sized(b"again"),
    "in chunks": CHUNKED + b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    "in one chunk": CHUNKED + b"5\r\nhello\r\n0\r\n\r\n",
    "in no chunk": CHUNKED + b"0\r\n\r\n",
    "in chunks with extensions": CHUNKED + b"5;a=b\r\nhello\r\n0;c\r\n\r\n",
    "in chunks with quoted extensions": CHUNKED + b'5;a="b;c"\r\nhello\r\n0\r\n\r\n',
    "in chunks with trailers": CHUNKED + b"5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n",
    "in chunks of capital digits": CHUNKED + b"A\r\nhellohello\r\n0\r\n\r\n",
    "in chunks of zeros before": CHUNKED + b"0005\r\nhello\r\n000\r\n\r\n",
    "in chunks of 0x": CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n",
    "in chunks below nothing": CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n",
    "in chunks with a blank before": CHUNKED + b" 5\r\nhello\r\n0\r\n\r\n",
    "in chunks with a blank behind": CHUNKED + b"5 \r\nhello\r\n0\r\n\r\n",
    "in chunks of too many digits": CHUNKED + b"F" * 20 + b"\r\nhello\r\n0\r\n\r\n",
    "in chunks with line feeds only": CHUNKED + b"5\nhello\n0\n\n",
    "in chunks without a line end": CHUNKED + b"5\r\nhello0\r\n\r\n",
    "in chunks that are longer": CHUNKED + b"5\r\nhello!\r\n0\r\n\r\n",
    "in chunks that break off": CHUNKED + b"5\r\nhel",
    "in chunks without a last one": CHUNKED + b"5\r\nhello\r\n",
    "in chunks with rubbish behind": CHUNKED + b"5\r\nhello\r\n0\r\n\r\nrubbish",
    "in packed chunks": OK
    + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
    % (len(PACKED), PACKED),
    "in chunks and with a length": OK
    + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in chunks of a transfer coding": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n%b" % IN_CHUNKS,
    "in chunks, it says in capitals": OK + b"TRANSFER-ENCODING: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in chunks and VT": OK + b"Transfer-Encoding: chunked\v\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in chunks and NBSP": OK + b"Transfer-Encoding: \xa0chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in chunks twice": OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in chunks on two lines": OK
    + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in chunks first": OK + b"Transfer-Encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "in no coding": OK + b"Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
    "in a coding nobody knows": OK + b"Transfer-Encoding: banana\r\n\r\nhello",
    "of version 1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "of version 1.0 that stays": OLD + b"Connection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
    "of version 1.0 in chunks": OLD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "of version 1.2": status(b"HTTP/1.2 200 OK"),
    "of version 2": status(b"HTTP/2 200 OK"),
    "of version 0.9": b"<html>hello</html>",
    "of another protocol": status(b"ICY 200 OK"),
    "in small letters": status(b"http/1.1 200 OK"),
    "that ends the connection": sized(b"hello", b"Connection: close"),
    "that ends it among others": sized(b"hello", b"Connection: x, Close ,y"),
    "without a reason": status(b"HTTP/1.1 200"),
    "with an empty reason": status(b"HTTP/1.1 200 "),
    "with a foreign reason": status(b"HTTP/1.1 200 \xe5\xa5\xbd"),
    "with a control in the reason": status(b"HTTP/1.1 200 O\x01K"),
    "with a status of two digits": status(b"HTTP/1.1 20 OK"),
    "with a status of four digits": status(b"HTTP/1.1 2000 OK"),
    "with a status of letters": status(b"HTTP/1.1 abc OK"),
    "with two blanks in the status line": status(b"HTTP/1.1  200 OK"),
    "with a status of 99": status(b"HTTP/1.1 099 OK"),
    "with a status of 999": status(b"HTTP/1.1 999 Denied"),
    "not found": status(b"HTTP/1.1 404 Not Found"),
    "without content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "without content but two lengths": (
        b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n"
    ),
    "without content but a length": b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    "not modified": b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n',
    "not modified in chunks": b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
    "reset": b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
    "switching": b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
    "after hints": b"HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" + sized(),
    "after going on": b"HTTP/1.1 100 Continue\r\n\r\n" + sized(),
    "after line ends": b"\r\n\r\n" + sized(),
    "after blanks": b"  " + sized(),
    "without a colon": sized(b"hello", b"nonsense"),
    "with a blank before a colon": sized(b"hello", b"A : b"),
    "with a blank in a name": sized(b"hello", b"A B: c"),
    "with a name of controls": sized(b"hello", b"A\x01: b"),
    "with an empty name": sized(b"hello", b": b"),
    "with CR in a value": sized(b"hello", b"A: b\rC: d"),
    "with NUL in a value": sized(b"hello", b"A: b\0c"),
    "with CR in a folded value": sized(b"hello", b'ETag: "a\r\n b\rX: y"'),
    "with NUL in a folded value": sized(b"hello", b'ETag: "a\r\n b\0"'),
    "with a control in a value": sized(b"hello", b"A: b\x01c"),
    "with a blank line of blanks": OK + b"A: b\r\n \r\nContent-Length: 5\r\n\r\nhello",
    "with a first line that is folded": OK + b" A: b\r\nContent-Length: 5\r\n\r\nhello",
    "cut in the status line": b"HTTP/1.1 2",
    "cut in the head": OK + b"Content-Le",
    "cut before the body": OK + b"Content-Length: 5\r\n\r\n",
    "nothing": b"",
    "blank lines": b"\r\n" * 50,
}
