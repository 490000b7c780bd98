/* What lays a page out as text: shared by the files that do. A function that may fail answers 1; 0 where the layout is not
 * known here; -1 for an error. */
#ifndef THRESHER_RENDERING_H
#define THRESHER_RENDERING_H

#include "tree.h"

typedef struct {
    const Tree *tree;
    Buffer *out;
    size_t start;  /* where it began */
    int want;      /* lines to go before the next letter */
    int space;     /* a blank stands before it */
    int begun;     /* something was written */
    int after_list; /* no block stood behind the last one */
    int items;     /* open ones: blocks in them are near each other */
    int images;    /* shown by their words */
    int in_cell;
    int at_start; /* of a line, in a cell */
    int quotes;   /* open ones */
    int is_odd;   /* a cell whose layout is not known here */
} Page;

/* Unlike the blanks between tags (builder.h), a carriage return is one, too: an entity may stand for it. */
static inline int
is_blank(uint8_t c)
{
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r');
}

/* writing.c */
int put(Page *page, const void *at, size_t size);
int settle(Page *page);
int write_text(Page *page, Bytes text);
int write_mark(Page *page, uint8_t mark);
void leave_room(Page *page);
int break_line(Page *page);

/* cells.c */
int table(Page *page, Place node);

/* rendering.c */
int is_block(const Node *node);
int is_list(const Node *node);
int is_part_of_table(uint8_t tag);
int inline_children(Page *page, Place node);

#endif
