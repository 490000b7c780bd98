/* The lines worth reading, chosen from all that were read. */
#include "article.h"

#define TEASED 0.75
#define LITTLE_PROSE 250.0

enum { TEASERS = 2, LIST = 3, LIST_BEFORE = 4, TAIL = 7, SIGNED = 2 };
enum { PART, ALL_BUT_LINKS, EVERY };

typedef struct {
    const Line *lines;
    int count, first, last; /* those from the first to the last belong to a part */
    int which;
} Choice;

double
letters_of_lines(const Line *line, size_t count)
{
    double sum = 0.0;
    for (; count; line++, count--) sum += line->letters;
    return sum;
}

static int
is_kind(const Choice *from, int place, int kind)
{
    return place >= 0 && place < from->count && from->lines[place].kind == kind;
}

/* Where links to other articles begin at the end, each with some prose under it. */
static int
teasers(const Choice *from)
{
    int begin = from->count, several = 0;
    for (int place = from->count - 1; place > 0; place--) {
        if (!is_kind(from, place, PROSE)) continue;
        int linked = is_kind(from, place - 1, LINKS) || is_kind(from, place - 2, LINKS);
        if (!linked || is_kind(from, place - 1, PROSE)) break;
        begin = place - 1, several++;
    }
    return several >= TEASERS ? begin : from->count;
}

/* Where a text begins: a heading before its first line of prose belongs to it, and a list does. */
static int
first_of(const Choice *from, int prose)
{
    int begin = prose;
    while (is_kind(from, begin - 1, SHORT_LINE)) begin--;
    return prose - begin >= LIST_BEFORE || begin == prose ? begin : prose - 1;
}

/* Where the last line of prose ends, or the list or the name behind it. */
static int
last_of(const Choice *from, int last, int has_foot)
{
    int behind = last;
    if (from->count - last <= TAIL && !has_foot) return from->count;
    while (is_kind(from, behind, SHORT_LINE)) behind++;
    if (behind - last >= LIST && !is_kind(from, behind, LINKS)) return behind;
    return has_foot ? last : behind < last + SIGNED ? behind : last + SIGNED;
}

static void
choose_part(Choice *from, int has_foot)
{
    int prose = 0, last = from->count;
    while (prose < from->count && !is_kind(from, prose, PROSE)) prose++;
    if (prose == from->count) return; /* without prose there is no part */
    while (!is_kind(from, last - 1, PROSE)) last--;
    from->first = first_of(from, prose);
    from->last = last_of(from, last, has_foot);
}

/* Whether a line is chosen: none of links, nor a heading over two of them. */
static int
is_chosen(const Choice *from, int place)
{
    if (from->which == EVERY) return 1;
    if (is_kind(from, place, LINKS)) return 0;
    if (from->which == ALL_BUT_LINKS) return 1;
    if (place < from->first || place >= from->last) return 0;
    return is_kind(from, place, PROSE) || !(is_kind(from, place + 1, LINKS) && is_kind(from, place + 2, LINKS));
}

static double
chosen_letters(const Choice *from)
{
    double sum = 0.0;
    for (int i = 0; i < from->count; i++)
        if (is_chosen(from, i)) sum += from->lines[i].letters;
    return sum;
}

static double
letters_of_kind(const Choice *from, int kind)
{
    double sum = 0.0;
    for (int i = 0; i < from->count; i++)
        if (is_kind(from, i, kind)) sum += from->lines[i].letters;
    return sum;
}

/* Choose the lines from the first of prose to the last; of a page of short lines all but links; of an index all. */
static void
choose(Choice *from, int has_foot)
{
    double all = letters_of_lines(from->lines, (size_t)from->count);
    int end = teasers(from);
    if (end < from->count && letters_of_lines(from->lines + end, (size_t)(from->count - end)) < TEASED * all) {
        from->count = end;
        all = letters_of_lines(from->lines, (size_t)end);
    }
    choose_part(from, has_foot);
    if (chosen_letters(from) < letters_of_kind(from, SHORT_LINE)) from->which = ALL_BUT_LINKS;
    double read = chosen_letters(from);
    if (2.0 * read < all && (letters_of_kind(from, PROSE) <= 0.0 || read < LITTLE_PROSE)) from->which = EVERY;
}

int
append_worth_reading(const Lines *lines, int has_foot, Buffer *out)
{
    Choice choice = {lines->at, (int)lines->count, 0, 0, PART};
    size_t start = out->size;
    choose(&choice, has_foot);
    for (int i = 0; i < choice.count; i++) {
        if (!is_chosen(&choice, i)) continue;
        Bytes text = choice.lines[i].text;
        if (out->size > start && append(out, "\n", 1) < 0) return -1;
        if (append(out, text.at, (size_t)(text.end - text.at)) < 0) return -1;
    }
    return 0;
}
