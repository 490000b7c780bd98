/* What a reader sees of a page, laid out as turbohtml does it (layout="strict", no bullets, cells side by side), but
 * without blank lines and indents, which tidying takes away. Where its layout is odd, in cells that hold more than a
 * paragraph or two, the answer is 0. */
#include "tree.h"

#include <stdlib.h>

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

typedef struct {
    size_t start, end, letters;
} Cell;

static int inline_node(Page *page, Place node);
static int block(Page *page, Place node);

static int
is_block(const Node *node)
{
    if (node->flags & (IS_FOREIGN | IS_TEXT)) return 0;
    switch (node->tag) {
    case ADDRESS: case ARTICLE: case ASIDE: case BLOCKQUOTE: case BODY: case DD: case DETAILS: case DIV: case DL:
    case DT: case FIGCAPTION: case FIGURE: case FOOTER: case H1: case H2: case H3: case H4: case H5: case H6: case HEADER:
    case HR: case HTML: case LI: case MAIN: case MENU: case NAV: case OL: case P: case PRE: case SECTION: case SUMMARY:
    case TABLE: case UL: return 1;
    default: return 0;
    }
}

static int
is_list(const Node *node)
{
    return !(node->flags & IS_FOREIGN) && (node->tag == UL || node->tag == OL || node->tag == MENU);
}

static int
is_unseen(const Node *node)
{
    if (node->flags & IS_GONE) return 1;
    return !(node->flags & IS_FOREIGN)
           && (node->tag == SCRIPT || node->tag == STYLE || node->tag == HEAD || node->tag == TITLE);
}

static inline int
is_blank(uint8_t c)
{
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r');
}

static int
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
static int
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

static int
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

static int
write_mark(Page *page, uint8_t mark)
{
    return write_text(page, (Bytes){&mark, &mark + 1});
}

static void
leave_room(Page *page)
{
    int lines = page->items ? 1 : 2;
    page->is_odd |= page->in_cell && (page->want || page->items || page->quotes);
    if (page->want < lines) page->want = lines;
    page->after_list = 0;
}

static int
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

static int
inline_children(Page *page, Place node)
{
    const Node *of = &page->tree->nodes[node];
    for (Place each = node + 1; each < of->end; each = page->tree->nodes[each].end) TRY(inline_node(page, each));
    return 1;
}

static int
image(Page *page, Place node)
{
    Bytes words = attribute_of(page->tree, node, "alt");
    if (words.at == words.end) words = attribute_of(page->tree, node, "title");
    return page->images && words.at ? write_text(page, words) : 1;
}

/* Where an element stands among words, a block in it begins a line, but what follows the block does not. */
static int
inline_node(Page *page, Place node)
{
    const Node *of = &page->tree->nodes[node];
    if (is_unseen(of)) return 1;
    if (of->flags & IS_TEXT) return write_text(page, of->text);
    if (!(of->flags & IS_FOREIGN)) {
        if (of->tag == BR) return break_line(page);
        if (of->tag == IMG) return image(page, node);
    }
    if (is_block(of)) return block(page, node);
    if (of->flags & IS_MARKED) TRY(write_mark(page, BEGIN));
    if (of->flags & CODE_BEFORE) TRY(write_mark(page, CODE));
    TRY(inline_children(page, node));
    if (of->flags & CODE_AFTER) TRY(write_mark(page, CODE));
    return of->flags & IS_MARKED ? write_mark(page, END) : 1;
}

static int
is_white(const Node *node)
{
    if (!(node->flags & IS_TEXT)) return 0;
    for (const uint8_t *at = node->text.at; at < node->text.end; at++)
        if (!is_blank(*at)) return 0;
    return 1;
}

/* The children of a block: each run of words between blocks is a block, too. */
static int
children_of_block(Page *page, Place node, int is_item)
{
    const Node *nodes = page->tree->nodes, *of = &nodes[node];
    int in_run = 0, first = is_item;
    for (Place each = node + 1; each < of->end; each = nodes[each].end) {
        if (is_unseen(&nodes[each])) continue;
        if (is_block(&nodes[each])) {
            TRY(block(page, each));
            in_run = first = 0;
            continue;
        }
        if (!in_run && is_white(&nodes[each])) continue;
        if (!in_run && !first) leave_room(page);
        in_run = 1;
        first = 0;
        TRY(inline_node(page, each));
    }
    return 1;
}

/* A whole number: -1 for no value, -2 for one that must be looked at more closely. */
static long
number_in(Bytes value)
{
    long number = 0;
    if (value.at == NULL) return -1;
    if (value.at == value.end || value.end - value.at > 8) return -2;
    for (; value.at < value.end; value.at++) {
        if (*value.at < '0' || *value.at > '9') return -2;
        number = 10 * number + *value.at - '0';
    }
    return number;
}

static int
item(Page *page, Place node, long number)
{
    char prefix[24];
    int size = number < 0 ? 0 : PyOS_snprintf(prefix, sizeof prefix, "%ld. ", number);
    page->space = 0;
    TRY(settle(page));
    TRY(put(page, prefix, (size_t)size));
    page->items++;
    TRY(children_of_block(page, node, 1));
    page->items--;
    return 1;
}

static int
list(Page *page, Place node)
{
    const Node *nodes = page->tree->nodes, *of = &nodes[node];
    long number = number_in(attribute_of(page->tree, node, "start")), own;
    int is_first = 1;
    if (number == -2 && of->tag == OL) return 0;
    if (number < 0) number = 1;
    for (Place each = node + 1; each < of->end; each = nodes[each].end) {
        if (nodes[each].flags & (IS_GONE | IS_TEXT | IS_FOREIGN)) continue;
        if (is_list(&nodes[each])) TRY(block(page, each));
        if (nodes[each].tag != LI) continue;
        if (is_first && !page->after_list) leave_room(page);
        else page->want = 1;
        is_first = 0;
        if ((own = number_in(attribute_of(page->tree, each, "value"))) >= 0) number = own;
        if (own == -2 && of->tag == OL) return 0;
        TRY(item(page, each, of->tag == OL ? number : -1));
        number++;
    }
    page->after_list |= !is_first;
    return 1;
}

/* Text that is set as it is. */
static int
preformatted(Page *page, Place node)
{
    const Node *nodes = page->tree->nodes, *of = &nodes[node];
    if (of->flags & IS_GONE) return 1;
    if (of->flags & IS_TEXT) return put(page, of->text.at, (size_t)(of->text.end - of->text.at));
    if (of->flags & IS_MARKED) TRY(put(page, (uint8_t[]){BEGIN}, 1));
    if (of->flags & CODE_BEFORE) TRY(put(page, (uint8_t[]){CODE}, 1));
    for (Place each = node + 1; each < of->end; each = nodes[each].end) TRY(preformatted(page, each));
    if (of->flags & CODE_AFTER) TRY(put(page, (uint8_t[]){CODE}, 1));
    return of->flags & IS_MARKED ? put(page, (uint8_t[]){END}, 1) : 1;
}

static int
block_as_it_is(Page *page, Place node)
{
    leave_room(page);
    page->space = 0;
    TRY(settle(page));
    size_t start = page->out->size, first = start;
    TRY(preformatted(page, node));
    while (first < page->out->size && page->out->at[first] == '\n') first++;
    if (page->in_cell && first > start) return 0;
    if (first > start) memmove(page->out->at + start, page->out->at + first, page->out->size - first);
    page->out->size -= first - start;
    if (page->out->size > start && page->out->at[page->out->size - 1] == '\n') page->out->size--;
    return 1;
}

/* Tables: cells are written side by side, each as wide as the widest of its column. */

/* Whether the layout of a block in a cell is known: one among words is laid out in odd ways, and so is one in an item. */
static int
is_known_in_cells(const Node *node, const Node *above)
{
    uint8_t tag = node->tag;
    if (tag == TABLE || tag == BLOCKQUOTE) return 0;
    if (above->tag == TD || above->tag == TH || tag == LI) return 1;
    return is_block(above) && above->tag != LI && !is_list(above);
}

static int
is_simple_cell(const Page *page, Place node)
{
    const Node *nodes = page->tree->nodes;
    for (Place each = node + 1; each < nodes[node].end; each++) {
        if (nodes[each].flags & IS_GONE) each = nodes[each].end - 1;
        else if (is_block(&nodes[each]) && !is_known_in_cells(&nodes[each], &nodes[nodes[each].parent])) return 0;
    }
    return 1;
}

static int
write_cell(Page *page, Place node, Buffer *into, Buffer *cells)
{
    Cell cell = {.start = into->size};
    const Node *of = &page->tree->nodes[node];
    if (!is_simple_cell(page, node)) return 0;
    Page inside = *page;
    inside.out = into;
    inside.in_cell = 1;
    inside.want = inside.space = inside.at_start = 0;
    if (of->flags & CODE_BEFORE) TRY(write_mark(&inside, CODE));
    TRY(inline_children(&inside, node));
    if (of->flags & CODE_AFTER) TRY(write_mark(&inside, CODE));
    if (inside.is_odd || inside.want) return 0;
    page->after_list = inside.after_list;
    cell.end = into->size;
    for (size_t i = cell.start; i < cell.end; i++) {
        if (into->at[i] == '\n') into->at[i] = ' ';
        cell.letters += (into->at[i] & 0xC0) != 0x80;
    }
    return append(cells, &cell, sizeof cell) < 0 ? -1 : 1;
}

/* Write the cells of all rows; `rows` gets how many there are up to the end of each. */
static int
write_cells(Page *page, Place node, Buffer *into, Buffer *cells, Buffer *rows)
{
    const Node *nodes = page->tree->nodes;
    for (Place each = node + 1; each < nodes[node].end;) {
        uint8_t tag = nodes[each].tag;
        int is_part = tag == TBODY || tag == THEAD || tag == TFOOT || tag == TR;
        if (nodes[each].flags & (IS_GONE | IS_TEXT) || (!is_part && tag != TD && tag != TH)) {
            each = nodes[each].end;
            continue;
        }
        if (is_part) {
            size_t many = cells->size / sizeof(Cell);
            if (tag == TR && append(rows, &many, sizeof many) < 0) return -1;
            each++;
            continue;
        }
        TRY(write_cell(page, each, into, cells));
        each = nodes[each].end;
    }
    return 1;
}

static int
pad(Page *page, size_t blanks)
{
    static const char some[] = "                                ";
    for (size_t now; blanks; blanks -= now) {
        now = blanks < sizeof some - 1 ? blanks : sizeof some - 1;
        TRY(put(page, some, now));
    }
    return 1;
}

static int
write_rows(Page *page, const Buffer *into, const Buffer *cells, const Buffer *rows)
{
    const Cell *every = (const Cell *)(const void *)cells->at;
    const size_t *begins = (const size_t *)(const void *)rows->at;
    size_t many = rows->size / sizeof *begins, all = cells->size / sizeof *every, columns = 0;
    for (size_t row = 0; row < many; row++) {
        size_t last = row + 1 < many ? begins[row + 1] : all;
        if (last - begins[row] > columns) columns = last - begins[row];
    }
    size_t *widths = calloc(columns + 1, sizeof *widths);
    int found = widths ? 1 : (PyErr_NoMemory(), -1);
    for (size_t row = 0; found == 1 && row < many; row++)
        for (size_t each = begins[row]; each < (row + 1 < many ? begins[row + 1] : all); each++)
            if (every[each].letters > widths[each - begins[row]]) widths[each - begins[row]] = every[each].letters;
    for (size_t row = 0; found == 1 && row < many; row++) {
        size_t last = row + 1 < many ? begins[row + 1] : all;
        if (row) page->want = 1;
        page->space = 0;
        found = settle(page);
        for (size_t column = 0; found == 1 && column < columns; column++) {
            size_t each = begins[row] + column, letters = each < last ? every[each].letters : 0;
            if (column) found = put(page, " ", 1);
            if (found == 1 && each < last) found = put(page, into->at + every[each].start, every[each].end - every[each].start);
            if (found == 1 && column + 1 < columns) found = pad(page, widths[column] - letters);
        }
    }
    free(widths);
    return found;
}

static int
table(Page *page, Place node)
{
    Buffer into = {0}, cells = {0}, rows = {0};
    int found = page->in_cell ? 0 : write_cells(page, node, &into, &cells, &rows);
    if (cells.size) leave_room(page);
    if (found == 1 && into.size) found = write_rows(page, &into, &cells, &rows);
    free(into.at), free(cells.at), free(rows.at);
    return found;
}

/* A block as such takes no room: the words in it do. */
static int
block(Page *page, Place node)
{
    const Node *of = &page->tree->nodes[node];
    if (of->flags & IS_MARKED) return 0;
    if (is_list(of)) return list(page, node);
    if (of->tag == PRE) return block_as_it_is(page, node);
    if (of->tag == TABLE) return table(page, node);
    if (of->tag != BLOCKQUOTE) return children_of_block(page, node, 0);
    size_t before = page->out->size;
    leave_room(page);
    page->quotes++;
    TRY(children_of_block(page, node, 0));
    page->quotes--;
    return page->out->size > before && !page->in_cell; /* an empty one moves what is behind it */
}

static int
has_blocks(const Tree *tree, Place node)
{
    for (Place each = node + 1; each < tree->nodes[node].end; each++)
        if (is_block(&tree->nodes[each])) return 1;
    return 0;
}

/* Whatever is rendered is laid out as a block, be it one or not. */
int
render(const Tree *tree, Place node, int images, Buffer *out)
{
    Page page = {.tree = tree, .out = out, .start = out->size, .images = images};
    const Node *of = &tree->nodes[node];
    if (of->tag == TR || of->tag == TBODY || of->tag == THEAD || of->tag == TFOOT) return 0;
    if (node == 0) return children_of_block(&page, node, 0);
    if (is_block(of)) return block(&page, node);
    int is_marked = of->flags & (IS_MARKED | CODE_BEFORE | CODE_AFTER);
    if (is_marked && has_blocks(tree, node)) return 0;
    return is_marked ? inline_node(&page, node) : children_of_block(&page, node, 0);
}
