"""Which encoding a page is in, whatever it says."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.parse_examples import page
from thresher.parse.charset import DEFAULT, declared, decode, encoding_named

CHINESE = "今天晚上的篮球比赛非常精彩，主队最后以三分优势获胜。"
TRADITIONAL = "今天晚上的籃球比賽非常精彩，主隊最後以三分優勢獲勝。"
JAPANESE = "今夜のバスケットボールの試合はとても面白かったです。"
KOREAN = "오늘 밤 농구 경기는 매우 재미있었습니다."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso-2022-jp"),
        (KOREAN, "euc-kr"),
        (CHINESE, "utf-8"),
        ("Ein schöner Wurf über die Abwehr, größer als je", "windows-1252"),
    ],
)
def test_a_page_that_declares_nothing_is_recognised_by_its_letters(text, encoding):
    assert decode(f"<p>{text}".encode(encoding)) == (f"<p>{text}", encoding)


def test_scripts_and_markup_do_not_hide_the_few_letters_that_tell():
    body = b"<script>" + b"var a = 1;" * 20_000 + b"</script><p>" + CHINESE.encode("gbk")
    assert decode(body)[1] == "gb18030"


def test_the_last_label_of_the_host_decides_where_letters_could_be_either():
    body = "网页".encode("gbk")
    assert decode(body, domain="cn") == ("网页", "gb18030")


@pytest.mark.parametrize("label", ["gbk", "GB2312", "x-gbk", " gb_2312-80 ", '"gbk"'])
def test_the_labels_of_gb_all_mean_the_widest_of_them(label):
    """Byte 0x80 is the euro sign in GBK on the web; four bytes are GB18030 only."""
    assert decode(b"\xd6\xd0\x80\x81\x30\x81\x30", label) == ("中€\x80", "gb18030")


def test_a_mark_beats_the_header_and_the_header_beats_the_meta():
    meta = b"<meta charset=big5>"
    assert declared(b"\xef\xbb\xbf" + meta, "gbk") == "utf-8"
    assert declared(meta, "gbk") == "gbk"
    assert declared(meta) == "big5"
    assert declared(b"<p>") == ""


def test_a_mark_is_not_part_of_the_text():
    for encoding in ("utf-8-sig", "utf-16"):
        assert decode(CHINESE.encode(encoding))[0] == CHINESE


def test_a_declaration_after_the_first_kilobyte_or_in_xml_is_found():
    assert declared(b"<!--" + b"x" * 2000 + b"--><meta charset=gbk><title>") == "gbk"
    assert declared(b'<?xml version="1.0" encoding="gb2312"?><rss>') == "gbk"


def test_a_server_that_says_utf_8_of_a_chinese_page_is_not_believed():
    body = b"<meta charset=gbk><title>" + CHINESE.encode("gbk")
    assert decode(body, "utf-8")[0].endswith(CHINESE)
    assert decode(b"<p>" + CHINESE.encode("gbk"), "utf-8")[0].endswith(CHINESE)


def test_a_server_that_says_latin_1_of_a_utf_8_page_is_not_believed():
    assert decode(CHINESE.encode(), "iso-8859-1") == (CHINESE, "utf-8")
    assert decode(CHINESE.encode(), "gb2312") == (CHINESE, "utf-8")


def test_a_few_broken_letters_do_not_make_another_encoding():
    text, encoding = decode((CHINESE * 3).encode() + b"\xff" + CHINESE.encode()[:-1], "utf-8")
    assert encoding == "utf-8"
    assert text.count("\ufffd") == 2


@pytest.mark.parametrize(
    "label", ["zlib", "hex", "rot13", "unicode_escape", "idna", "utf-7", "no-such", "\0", "é"]
)
def test_labels_that_are_no_encoding_of_the_web_are_ignored(label):
    assert encoding_named(label) == ""
    assert decode(b"<p>+ADw-b", label) == ("<p>+ADw-b", "utf-8")


def test_utf_16_is_not_believed_of_a_page_without_zero_bytes():
    assert decode(b"<p>plain", "utf-16") == ("<p>plain", "utf-8")


def test_the_page_knows_its_encoding():
    assert page(CHINESE.encode("gbk"), content_type="text/html").charset == "gb18030"
    assert page("x", content_type="application/pdf").charset == ""


def test_without_declaration_and_statistics_the_web_is_in_latin_letters():
    assert DEFAULT == "windows-1252"


@given(st.binary(max_size=300), st.text(max_size=12), st.sampled_from(["", "cn", "com", "xn--p1ai", "日本"]))
def test_no_bytes_and_no_label_raise(body, label, domain):
    text, encoding = decode(body, label, domain)
    text.encode()
    assert encoding_named(encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (KOREAN, "euc-kr"),
    ],
)
@pytest.mark.parametrize("shift", range(4))
def test_a_long_page_is_recognised_wherever_its_sample_ends(text, encoding, shift):
    """The statistics read 16 kB: whether these end between two characters or inside one is chance."""
    body = f"<p>{text}{'x' * shift}{text * 1_000}".encode(encoding)[:30_000]
    assert decode(body, domain="com")[1] == encoding


@pytest.mark.parametrize("shift", range(4))
def test_a_long_western_page_is_still_western(shift):
    body = f"<p>{'x' * shift}{'Ein schöner Wurf über die Abwehr, größer als je. ' * 900}".encode(
        "windows-1252"
    )
    assert decode(body, domain="com")[1] == "windows-1252"


def test_the_first_page_of_a_process_may_be_in_any_encoding():
    """The decoders come with a library that is brought in for the first page that needs it."""
    first = "from thresher.parse.charset import decode; print(ascii(decode('养蜂'.encode('gbk'), 'gbk')[0]))"
    done = subprocess.run([sys.executable, "-c", first], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ascii("养蜂")
