/* The lines of a rendered page, how many letters of each are in links, and what that makes of it.
 *
 *     linked  letters in links; inside: whether a line begins in one
 *     wide    a text with Chinese letters: one of them counts for 2.5
 *     kind    PROSE, LINKS or SHORT_LINE: a heading, an item, a date, a name
 */
#include "core.h"

#define SENTENCE 25.0
#define LINKED 0.8
#define SHORT_LINKED 0.9
#define SHORT 60.0
#define LONGEST_LINKS 200.0

/* The character that ends before a place, and how many bytes it takes. */
static uint32_t
character_before(const uint8_t *start, const uint8_t *end, int *width)
{
    const uint8_t *at = end - 1;
    while (at > start && (*at & 0xC0) == 0x80) at--;
    *width = (int)(end - at);
    return character_at(at, *width);
}

Bytes
stripped(Bytes text)
{
    int width;
    while (text.at < text.end && (width = blank_at(text.at, text.end))) text.at += width;
    while (text.at < text.end) {
        character_before(text.at, text.end, &width);
        if (!blank_at(text.end - width, text.end)) break;
        text.end -= width;
    }
    return text;
}

/* How many letters a piece has without the blanks at its ends; with `wide`, a Chinese one counts for 2.5.
 * There are never more than bytes. */
static double
letters_of(const uint8_t *at, const uint8_t *end, int wide)
{
    Py_ssize_t characters = 0, large = 0;
    Bytes piece = stripped((Bytes){at, end});
    for (const uint8_t *each = piece.at; each < piece.end; each++) characters += (*each & 0xC0) != 0x80;
    for (at = piece.at; wide && at < piece.end; at += width_of(*at))
        large += *at >= 0xE2 && character_at(at, width_of(*at)) >= 0x2E80;
    return (double)characters + 1.5 * (double)large;
}

Measure
measured(const uint8_t *at, const uint8_t *end, int *inside, int wide)
{
    Measure found = {0};
    const uint8_t *begins = find(at, end, BEGIN), *ends = find(at, end, END);
    found.marked = begins < end || ends < end;
    if (!found.marked) {
        found.letters = letters_of(at, end, wide);
        found.linked = *inside ? found.letters : 0.0;
        return found;
    }
    int within = *inside;
    while (1) { /* up to the next beginning, what stands before the first end is in a link, if one is open */
        const uint8_t *last = find(at, end, BEGIN), *closed = within ? find(at, last, END) : at;
        if (within) {
            double words = letters_of(at, closed, wide);
            found.linked += words;
            found.letters += words;
            at = closed < last ? closed + 1 : last;
        }
        found.letters += letters_of(at, last, wide);
        if (last == end) break;
        at = last + 1;
        within = 1;
    }
    *inside = 0;
    for (const uint8_t *mark = end; mark > begins || mark > ends; mark--)
        if (mark[-1] == BEGIN || mark[-1] == END) {
            *inside = mark[-1] == BEGIN;
            break;
        }
    return found;
}

double
prose_of_line(const Measure *line)
{
    return line->letters >= LONG && line->linked < 0.5 * line->letters ? line->letters - line->linked : 0.0;
}

double
prose_in(Bytes text, int wide)
{
    int inside = 0;
    double sum = 0.0;
    for (const uint8_t *at = text.at;; at++) {
        const uint8_t *end = find(at, text.end, '\n');
        if (end - at >= LONG || find(at, end, BEGIN) < end || find(at, end, END) < end) {
            Measure line = measured(at, end, &inside, wide);
            sum += prose_of_line(&line);
        }
        if ((at = end) == text.end) return sum;
    }
}

int
is_wide(Bytes text)
{
    for (const uint8_t *at = text.at; at < text.end; at++)
        if (*at >= 0xE2 && character_at(at, width_of(*at)) >= 0x2E80) return 1;
    return 0;
}

static int
is_one_of(uint32_t c, const uint32_t *some)
{
    for (; *some; some++)
        if (c == *some) return 1;
    return 0;
}

/* Whether a line ends as a sentence does, whatever marks and brackets come after. */
static int
ends_sentence(const uint8_t *start, const uint8_t *end)
{
    static const uint32_t blanks[] = {' ', '\t', 0xA0, BEGIN, END, BREAK, 0};
    static const uint32_t closing[] = {'\'', '"', 0x201D, 0xBB, 0x2019, ')', ']', 0};
    static const uint32_t ends[] = {'.', '!', '?', 0x2026, 0x3002, 0xFF01, 0xFF1F, ':', ';', 0xFF1A, 0xFF1B, 0};
    int width;
    while (end > start && is_one_of(character_before(start, end, &width), blanks)) end -= width;
    while (end > start && is_one_of(character_before(start, end, &width), closing)) end -= width;
    return end > start && is_one_of(character_before(start, end, &width), ends);
}

static int
begins_with(const uint8_t *at, const uint8_t *end, const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    return end - at >= size && memcmp(at, word, (size_t)size) == 0;
}

/* Whether an anchor of a line spells an address out for a reader. */
static int
spells_address(const uint8_t *at, const uint8_t *end)
{
    while ((at = find(at, end, BEGIN)) < end) {
        at++;
        const uint8_t *word = at < end && *at == ' ' ? at + 1 : at;
        if (begins_with(word, end, "http:") || begins_with(word, end, "https:") || begins_with(word, end, "www.")) return 1;
    }
    return 0;
}

static int
kind_of(const uint8_t *at, const uint8_t *end, const Measure *line, int inside)
{
    if (inside || line->marked) {
        double share = line->letters >= SHORT ? LINKED : SHORT_LINKED;
        int links = line->linked >= share * line->letters && line->letters < LONGEST_LINKS;
        if (links && !spells_address(at, end)) return LINKS;
    }
    if (line->letters >= LONG) return PROSE;
    return line->letters >= SENTENCE && ends_sentence(at, end) ? PROSE : SHORT_LINE;
}

static int
add_line(Lines *lines, Line line)
{
    if (lines->count == lines->room) {
        size_t room = lines->room ? 2 * lines->room : 64;
        Line *at = realloc(lines->at, room * sizeof *at);
        if (at == NULL) return PyErr_NoMemory(), -1;
        lines->at = at, lines->room = room;
    }
    lines->at[lines->count++] = line;
    return 0;
}

int
read_lines(Bytes text, int wide, Lines *lines)
{
    int inside = 0, coded = 0;
    for (const uint8_t *at = text.at;; at++) {
        const uint8_t *end = find(at, text.end, '\n');
        int began = inside, set = coded;
        Measure line = measured(at, end, &inside, wide);
        for (const uint8_t *mark = at; (mark = find(mark, end, CODE)) < end; mark++) coded ^= 1, set = 1;
        if (line.letters > 0) {
            int kind = set ? PROSE : kind_of(at, end, &line, began);
            if (add_line(lines, (Line){{at, end}, line.letters, line.linked, kind}) < 0) return -1;
        }
        if ((at = end) == text.end) return 0;
    }
}
