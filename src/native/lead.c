/* The lead: prose that stands between the heading of a page and its root. */
#include "article.h"

#include <stdlib.h>

#define LONGEST_LEAD 1.0
#define LEAD_LINE 40.0
#define WORK 50000000 /* bytes compared to find one line among others */

enum { LEAD = 12, NEAR = 6, BEFORE = 10000 };

/* Where a part stands first in a text, or last: 1 and the place, 0 if nowhere, ASK if that takes long. */
static int
search(Bytes text, Bytes part, int backwards, const uint8_t **found)
{
    size_t size = (size_t)(part.end - part.at), work = 0;
    if ((size_t)(text.end - text.at) < size) return 0;
    const uint8_t *last = text.end - size, *at = backwards ? last : text.at;
    while (1) {
        if (!backwards) at = find(at, last + 1, *part.at);
        if (at > last) return 0;
        if (*at == *part.at && at[size - 1] == part.end[-1]) {
            if (memcmp(at, part.at, size) == 0) break;
            if ((work += size) > WORK) return ASK;
        }
        if (backwards && at == text.at) return 0;
        at += backwards ? -1 : 1;
    }
    *found = at;
    return 1;
}

/* What the first line of the heading says. */
static int
find_title(Page *page, Bytes *title)
{
    int failed = page->heading ? rendered(page, page->heading, &page->text) : 0;
    *title = (Bytes){NULL, NULL};
    if (failed || !page->heading) return failed;
    *title = stripped(bytes_of(&page->text));
    title->end = find(title->at, title->end, '\n');
    *title = stripped(*title);
    return 0;
}

/* The part of a long text in which the lead is looked for: from a line on, or at NULL if what stands before matters. */
static Bytes
near_end(Bytes text)
{
    Bytes near = {find(text.end - BEFORE, text.end, '\n'), text.end}, none = {NULL, NULL};
    if (find(text.at, near.at, CODE) < near.at) return none;
    for (const uint8_t *mark = near.at; mark > text.at; mark--) {
        if (mark[-1] == BEGIN) return none;
        if (mark[-1] == END) break;
    }
    return near;
}

/* Read the lines between the heading and a line of the root, or those near it where there is no heading. */
static int
read_before(Page *page, const uint8_t *end, size_t *most)
{
    Bytes title, before = {page->whole.at, end};
    const uint8_t *at;
    int found = find_title(page, &title);
    if (found < 0) return found;
    found = title.at < title.end ? search(before, title, 1, &at) : 0;
    if (found < 0) return found;
    if (found) before.at = at + (title.end - title.at);
    *most = found ? LEAD : NEAR;
    int cut = before.end - before.at > BEFORE;
    if (cut) before = near_end(before);
    if (before.at == NULL) return ASK;
    if (read_lines(before, page->wide, &page->before) < 0) return -1;
    return cut && page->before.count < *most ? ASK : 0;
}

/* Put prose that stands before the root before its lines, unless it is longer than they are. */
static int
add_lead(Page *page, const Line *line, size_t count)
{
    Lines *read = &page->lines;
    Line lead[LEAD];
    size_t many = 0;
    for (; count; line++, count--)
        if (line->kind == PROSE && line->letters >= LEAD_LINE) lead[many++] = *line;
    if (!many || letters_of_lines(lead, many) > LONGEST_LEAD * letters_of_lines(read->at, read->count)) return 0;
    Line *every = realloc(read->at, (read->count + many) * sizeof *every);
    if (every == NULL) return PyErr_NoMemory(), -1;
    memmove(every + many, every, read->count * sizeof *every);
    memcpy(every, lead, many * sizeof *every);
    read->at = every, read->count += many, read->room = read->count;
    return 0;
}

/* Find the prose between the heading of the page and its root; where there is none, what is near. */
int
find_lead(Page *page)
{
    const Line *line = page->lines.at, *stop = line + page->lines.count;
    const uint8_t *end = NULL;
    size_t most;
    while (line < stop && line->kind != PROSE) line++;
    if (line == stop) return 0;
    int found = search(bytes_of(&page->whole), stripped(line->text), 0, &end);
    if (found < 0) return found;
    if (!found || end == page->whole.at) return 0;
    int failed = read_before(page, end, &most);
    if (failed) return failed;
    size_t count = page->before.count < most ? page->before.count : most;
    return add_lead(page, page->before.at + page->before.count - count, count);
}
