/* The part of a page that is worth reading: boilerplate out, the root found, and of its lines those of prose.
 *
 *     root      the element that holds the article (root.c)
 *     lead      prose between the heading of the page and its root
 *     patience  characters that may still be looked at: elements may be nested
 *     teaser    a link to another article with some prose under it
 */
#include "article.h"

#define PATIENCE 15.0
#define LITTLE 1e6

/* The lead */

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
static int
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

/* The lines worth reading, chosen from all that were read */

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

static int
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

/* The page */

size_t
characters_in(Bytes text)
{
    const uint64_t ones = 0x0101010101010101u;
    size_t found = (size_t)(text.end - text.at);
    uint64_t eight;
    const uint8_t *at = text.at;
    for (; text.end - at >= 8; at += 8) { /* eight bytes at once: scripts are long */
        memcpy(&eight, at, 8);
        found -= (size_t)(((eight >> 7 & ~eight >> 6 & ones) * ones) >> 56);
    }
    for (; at < text.end; at++) found -= (*at & 0xC0) == 0x80;
    return found;
}

int
rendered(const Page *page, Place node, Buffer *into)
{
    into->size = 0;
    static const Style words = {.bullet = "", .between = " "};
    int done = render(page->tree, node, &words, into);
    return done > 0 ? 0 : done == 0 ? ASK : -1;
}

void
spend(Page *page, double characters)
{
    page->patience = larger(0.0, page->patience - characters);
}

static int
begin(Page *page, Bytes marked)
{
    Tree *tree = page->tree;
    while (page->body < tree->count && tree->nodes[page->body].tag != BODY) page->body++;
    if (page->body == tree->count) page->body = tree->count > 1; /* frames stand right in the root */
    page->wide = is_wide(marked);
    page->all_prose = prose_in(marked, page->wide);
    page->patience = PATIENCE * (double)characters_in(marked) + LITTLE;
    page->sums = malloc(((size_t)tree->count + 1) * sizeof *page->sums);
    return page->sums == NULL ? (PyErr_NoMemory(), -1) : 0;
}

static int
read_page(Page *page, Bytes marked, Buffer *out)
{
    int failed = begin(page, marked);
    if (!failed) failed = clear_away(page);
    if (!failed) failed = look_round(page);
    if (!failed) failed = rendered(page, page->body, &page->whole);
    if (failed) return failed;
    page->prose = prose_in(bytes_of(&page->whole), page->wide);
    failed = find_root(page);
    if (!failed && !page->root) failed = find_parent(page);
    if (failed) return failed;
    failed = read_lines(bytes_of(page->root ? &page->read : &page->whole), page->wide, &page->lines);
    if (!failed && page->root) failed = find_lead(page);
    return failed ? failed : append_worth_reading(&page->lines, !page->root, out);
}

int
article_of(Tree *tree, Bytes marked, Buffer *out)
{
    Page page = {.tree = tree};
    int failed = read_page(&page, marked, out);
    free(page.sums), free(page.lines.at), free(page.before.at);
    Buffer *const buffers[] = {&page.candidates, &page.whole, &page.text, &page.likeliest, &page.read};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) free(buffers[i]->at);
    return failed == ASK ? 0 : failed ? -1 : 1;
}
