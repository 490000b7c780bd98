/* How words get into the text of a page: the lines and blanks that are due stand before them, and no others. */
#include "rendering.h"

int
put(Page *page, const void *at, size_t size)
{
    return append(page->out, at, size) < 0 ? -1 : 1;
}

static int
is_line_begun(const Page *page)
{
    return page->out->size > page->start && page->out->at[page->out->size - 1] != '\n';
}

static int
new_line(Page *page)
{
    return is_line_begun(page) ? put(page, "\n", 1) : 1;
}

/* Write the lines and the blank that are due before a letter. */
int
settle(Page *page)
{
    int space = page->space;
    page->space = 0;
    if (page->in_cell) {
        if (page->want && !page->begun) return 0; /* a layout that depends on what comes before */
        if (page->want) TRY(put(page, "  ", (size_t)page->want));
        page->at_start |= page->want > 0;
        space &= !page->at_start;
        page->at_start = page->want = 0;
        return space ? put(page, " ", 1) : 1;
    }
    if (page->want) TRY(new_line(page));
    space &= is_line_begun(page) && !page->want;
    page->want = 0;
    page->begun = 1;
    return space ? put(page, " ", 1) : 1;
}

/* Where words end that have one blank between them. */
static const uint8_t *
end_of_words(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (!is_blank(*at) || (*at == ' ' && at + 1 < end && !is_blank(at[1])))) at++;
    return at;
}

int
write_text(Page *page, Bytes text)
{
    while (text.at < text.end) {
        const uint8_t *word = text.at;
        while (word < text.end && is_blank(*word)) word++;
        if (word > text.at) page->space = 1;
        if ((text.at = end_of_words(word, text.end)) == word) break;
        TRY(settle(page));
        TRY(put(page, word, (size_t)(text.at - word)));
    }
    return 1;
}

int
write_mark(Page *page, uint8_t mark)
{
    return write_text(page, (Bytes){&mark, &mark + 1});
}

void
leave_room(Page *page)
{
    int lines = page->items ? 1 : 2;
    page->is_odd |= page->in_cell && (page->want || page->items || page->quotes);
    if (page->want < lines) page->want = lines;
    page->after_list = 0;
}

int
break_line(Page *page)
{
    if (page->in_cell) {
        if (page->want) return 0;
        TRY(put(page, " ", 1));
        page->at_start = 1;
    } else
        TRY(new_line(page));
    page->want = page->space = 0;
    return 1;
}
