/* What lays a page out as text: shared by render.c and blocks.c. A function that may fail answers 1; 0 where a table would
 * grow too large; -1 for an error. */
#ifndef THRESHER_LAYOUT_H
#define THRESHER_LAYOUT_H

#include "tree.h"

typedef struct {
    const Tree *tree;
    const Style *style;
    Buffer *out;
    int indent;      /* blanks that each line begins with */
    int started;     /* a line was begun */
    int has_content; /* the line has more than its indent */
    int space;       /* white space was read: one blank is due before the next word */
    int loose;       /* the last block has a blank line behind it */
    int no_break;    /* the next block stays on this line */
    int tight;       /* no blank lines between blocks */
} Layout;

/* Unlike the blanks between tags (builder.h), a carriage return is one, too: an entity may stand for it. */
static inline int
is_space(uint8_t c)
{
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r');
}

/* render.c */
int put(Layout *layout, const void *at, size_t size);
int pad(Layout *layout, size_t blanks);
int begin_block(Layout *layout, int loose);
int new_line(Layout *layout);
int write_text(Layout *layout, Bytes text);
int write_opening(Layout *layout, Place node, int (*write)(Layout *, Bytes));
int write_closing(Layout *layout, Place node, int (*write)(Layout *, Bytes));
int is_block(const Node *node);
int is_skipped(const Node *node);
int is_white(const Node *node);
int is_followed(const Tree *tree, Place node);
int inline_children(Layout *layout, Place node);
int render_children(Layout *layout, Place node);
int render_block(Layout *layout, Place node);

/* blocks.c */
int render_list(Layout *layout, Place node);
int render_preformatted(Layout *layout, Place node);
int render_quotation(Layout *layout, Place node);
int render_table(Layout *layout, Place node);

#endif
