/* What a reader sees of a page, laid out as turbohtml does it (layout="strict", no bullets, cells side by side), but
 * without blank lines and indents, which tidying takes away. Where its layout is odd, in cells that hold more than a
 * paragraph or two, the answer is 0. */
#include "rendering.h"

static int inline_node(Page *page, Place node);
static int block(Page *page, Place node);

int
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

int
is_list(const Node *node)
{
    return !(node->flags & IS_FOREIGN) && (node->tag == UL || node->tag == OL || node->tag == MENU);
}

int
is_part_of_table(uint8_t tag) /* and holds cells, or rows of them */
{
    return tag == TBODY || tag == THEAD || tag == TFOOT || tag == TR;
}

static int
is_unseen(const Node *node)
{
    if (node->flags & IS_GONE) return 1;
    return !(node->flags & IS_FOREIGN)
           && (node->tag == SCRIPT || node->tag == STYLE || node->tag == HEAD || node->tag == TITLE);
}

int
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
    if (is_part_of_table(of->tag)) return 0;
    if (node == 0) return children_of_block(&page, node, 0);
    if (is_block(of)) return block(&page, node);
    int is_marked = of->flags & (IS_MARKED | CODE_BEFORE | CODE_AFTER);
    if (is_marked && has_blocks(tree, node)) return 0;
    return is_marked ? inline_node(&page, node) : children_of_block(&page, node, 0);
}
