/* The part of a page that is worth reading: parse/main_text.py is the reference, and says why.
 * An element that is taken out is marked as gone. */
#include "article.h"

#include <stdlib.h>

#define PATIENCE 15.0
#define LITTLE 1e6

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
