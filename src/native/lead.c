/* The lead: prose that stands between the heading of a page and its root. */
#include "article.h"

#include <stdlib.h>

#define LONGEST_LEAD 1.0
#define LEAD_LINE 40.0
#define WORK 50000000 /* bytes compared to find the heading among other text: more is not worth it */

enum { LEAD = 12, NEAR = 6, LONGEST_BEFORE = 20000 }; /* lines, lines, characters */

/* Where a part stands last in a text, or NULL. */
static const uint8_t *
last_of_part(Bytes text, Bytes part)
{
    size_t size = (size_t)(part.end - part.at), work = 0;
    if (size == 0 || (size_t)(text.end - text.at) < size) return NULL;
    for (const uint8_t *at = text.end - size; work <= WORK; at--) {
        if (*at == *part.at && at[size - 1] == part.end[-1]) {
            if (memcmp(at, part.at, size) == 0) return at;
            work += size;
        }
        if (at == text.at) break;
    }
    return NULL;
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

/* Read the lines between the heading and a line of the root, or those near it where there is no heading. */
static int
read_before(Page *page, const uint8_t *end, size_t *most)
{
    Bytes title, before = {page->whole.at, end};
    int failed = find_title(page, &title);
    if (failed) return failed;
    const uint8_t *found = last_of_part(before, title), *first = found ? found + (title.end - title.at) : before.at;
    int characters = LONGEST_BEFORE;
    for (before.at = end; before.at > first && characters; before.at--) characters -= (before.at[-1] & 0xC0) != 0x80;
    *most = found ? LEAD : NEAR;
    return read_lines(before, page->wide, &page->before);
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
    size_t most;
    while (line < stop && line->kind != PROSE) line++;
    if (line == stop) return 0;
    Bytes whole = bytes_of(&page->whole), first = stripped(line->text);
    const uint8_t *end = find_part(whole, first);
    if (end == NULL || end == whole.at) return 0;
    int failed = read_before(page, end, &most);
    if (failed) return failed;
    size_t count = page->before.count < most ? page->before.count : most;
    return add_lead(page, page->before.at + page->before.count - count, count);
}
