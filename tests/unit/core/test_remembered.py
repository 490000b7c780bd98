"""Answers about short strings are remembered, those about long ones are not kept."""

from thresher.core.caches import LONGEST, remembered


def test_what_is_short_is_asked_once_and_what_is_long_each_time():
    asked: list[str | None] = []

    @remembered(10)
    def letters(word: str | None, more: str = "") -> int:
        asked.append(word)
        return len(word or "") + len(more)

    long = "x" * LONGEST
    assert [letters("ab"), letters("ab"), letters(None), letters(None)] == [2, 2, 0, 0]
    assert [letters(long, "y"), letters(long, "y")] == [LONGEST + 1] * 2
    assert asked == ["ab", None, long, long]
