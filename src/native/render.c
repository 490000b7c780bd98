/* What a reader sees of a page as text, letter for letter as turbohtml lays it out with layout="strict".
 *
 *     block   begins a line; where it or the one before it is loose, behind a blank line
 *     run     words and inline elements between two blocks: laid out as a block
 *     tight   within list items: blocks follow one another without blank lines
 *     marks   BEGIN and END round anchors, CODE round what is set as it is, BREAK before line breaks (core.h)
 */
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>

#define QUOTED 4 /* blanks that a quotation is indented by */
#define NESTED 2 /* and a list in a list without items before it, if items have bullets or not */

static int block(Layout *layout, Place node);
static int block_children(Layout *layout, Place node);

int
put(Layout *layout, const void *at, size_t size)
{
    return append(layout->out, at, size) < 0 ? -1 : 1;
}

int
pad(Layout *layout, size_t blanks)
{
    static const char some[] = "                                ";
    for (size_t now; blanks; blanks -= now) {
        now = blanks < sizeof some - 1 ? blanks : sizeof some - 1;
        TRY(put(layout, some, now));
    }
    return 1;
}

int
new_line(Layout *layout)
{
    TRY(put(layout, "\n", 1));
    TRY(pad(layout, (size_t)layout->indent));
    layout->has_content = layout->space = 0;
    return 1;
}

/* Begin the line of a block. */
int
begin_block(Layout *layout, int loose)
{
    if (!layout->started) {
        layout->started = 1;
        TRY(pad(layout, (size_t)layout->indent));
    } else if (layout->no_break) {
        layout->no_break = 0;
    } else {
        if ((layout->loose || loose) && !layout->tight) TRY(put(layout, "\n", 1));
        TRY(new_line(layout));
    }
    layout->loose = loose;
    layout->space = 0;
    return 1;
}

/* Where words end that have one blank between them. */
static const uint8_t *
end_of_words(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (!is_space(*at) || (*at == ' ' && at + 1 < end && !is_space(at[1])))) at++;
    return at;
}

int
write_text(Layout *layout, Bytes text)
{
    while (text.at < text.end) {
        const uint8_t *word = text.at;
        while (word < text.end && is_space(*word)) word++;
        if (word > text.at) layout->space = 1;
        if ((text.at = end_of_words(word, text.end)) == word) break;
        if (layout->space && layout->has_content) TRY(put(layout, " ", 1));
        layout->space = 0;
        layout->has_content = 1;
        TRY(put(layout, word, (size_t)(text.at - word)));
    }
    return 1;
}

static int
write_mark(Layout *layout, uint8_t mark)
{
    return write_text(layout, (Bytes){&mark, &mark + 1});
}

/* Marks */

/* Write the marks that an element begins with; `number` is that of an anchor. */
static int
write_opening(Layout *layout, Place node, int (*write)(Layout *, Bytes))
{
    const Node *of = &layout->tree->nodes[node];
    uint8_t marks[32];
    size_t size = 0;
    if (of->flags & IS_MARKED) {
        if (layout->style->numbers)
            size = (size_t)snprintf((char *)marks, sizeof marks - 2, "\x02%u\x03", layout->style->numbers[node]);
        marks[size++] = BEGIN;
    }
    if (of->flags & CODE_BEFORE) marks[size++] = CODE;
    return write(layout, (Bytes){marks, marks + size});
}

static int
write_closing(Layout *layout, Place node, int (*write)(Layout *, Bytes))
{
    const Node *of = &layout->tree->nodes[node];
    uint8_t marks[2];
    size_t size = 0;
    if (of->flags & CODE_AFTER) marks[size++] = CODE;
    if (of->flags & IS_MARKED) marks[size++] = END;
    return write(layout, (Bytes){marks, marks + size});
}

/* Kinds of elements */

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
is_skipped(const Node *node)
{
    if (node->flags & IS_GONE || node->tag == SCRIPT || node->tag == STYLE) return 1;
    if (node->flags & IS_FOREIGN) return 0;
    switch (node->tag) {
    case DATALIST: case HEAD: case NOEMBED: case NOFRAMES: case RP: case TEMPLATE: case TITLE: return 1;
    default: return 0;
    }
}

static int
is_white(const Node *node)
{
    if (!(node->flags & IS_TEXT)) return 0;
    for (const uint8_t *at = node->text.at; at < node->text.end; at++)
        if (!is_space(*at)) return 0;
    return 1;
}

/* Inline elements */

static int
image(Layout *layout, Place node)
{
    Bytes words = attribute_of(layout->tree, node, "alt");
    if (words.at == words.end) words = attribute_of(layout->tree, node, "title");
    return layout->style->images && words.at ? write_text(layout, words) : 1;
}

/* Whether a line break is not the last in its element. */
static int
is_followed(const Tree *tree, Place node)
{
    Place each = tree->nodes[node].end, end = tree->nodes[tree->nodes[node].parent].end;
    while (each < end && tree->nodes[each].flags & IS_GONE) each = tree->nodes[each].end;
    return each < end || tree->nodes[node].flags & HAS_COMMENT;
}

static int
line_break(Layout *layout, Place node)
{
    if (layout->style->breaks && is_followed(layout->tree, node)) TRY(write_mark(layout, BREAK));
    return new_line(layout);
}

static int
inline_node(Layout *layout, Place node)
{
    const Node *of = &layout->tree->nodes[node];
    if (is_skipped(of)) return 1;
    if (of->flags & IS_TEXT) return write_text(layout, of->text);
    if (is_block(of)) return block(layout, node);
    if (!(of->flags & IS_FOREIGN)) {
        if (of->tag == BR) return line_break(layout, node);
        if (of->tag == IMG) return image(layout, node);
        if (of->tag == WBR) return 1;
    }
    return inline_children(layout, node);
}

int
inline_children(Layout *layout, Place node)
{
    const Node *of = &layout->tree->nodes[node];
    TRY(write_opening(layout, node, write_text));
    for (Place each = node + 1; each < of->end; each = layout->tree->nodes[each].end) TRY(inline_node(layout, each));
    return write_closing(layout, node, write_text);
}

/* Blocks */

static int
has_marks(const Node *node, int flags)
{
    return (node->flags & flags) != 0;
}

static int
block_children(Layout *layout, Place node)
{
    const Node *nodes = layout->tree->nodes, *of = &nodes[node];
    int in_run = has_marks(of, IS_MARKED | CODE_BEFORE);
    if (in_run) {
        TRY(begin_block(layout, !layout->tight));
        TRY(write_opening(layout, node, write_text));
    }
    for (Place each = node + 1; each < of->end; each = nodes[each].end) {
        if (is_skipped(&nodes[each])) continue;
        if (is_block(&nodes[each])) {
            in_run = 0;
            TRY(block(layout, each));
            continue;
        }
        if (!in_run && is_white(&nodes[each])) continue;
        if (!in_run) TRY(begin_block(layout, !layout->tight));
        in_run = 1;
        TRY(inline_node(layout, each));
    }
    if (!has_marks(of, IS_MARKED | CODE_AFTER)) return 1;
    if (!in_run) TRY(begin_block(layout, !layout->tight));
    return write_closing(layout, node, write_text);
}

/* Lists */

/* Whether what an item begins with stays on its line. */
static int
leads_with_inline(const Tree *tree, Place node)
{
    for (Place each = node + 1; each < tree->nodes[node].end; each = tree->nodes[each].end) {
        const Node *of = &tree->nodes[each];
        if (is_skipped(of) || is_white(of)) continue;
        return !is_block(of);
    }
    return 0;
}

/* Read the number that a value begins with, if it begins with one; as large as it may be, it wraps round. */
static void
read_ordinal(Bytes value, int64_t *number)
{
    uint64_t found = 0;
    const uint8_t *at = value.at;
    for (; at < value.end && *at >= '0' && *at <= '9'; at++) found = 10 * found + (uint64_t)(*at - '0');
    if (at > value.at) *number = (int64_t)found;
}

/* Write a number with its point; how many characters that takes. */
static int
write_ordinal(Layout *layout, int64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = ' ', digits[--at] = '.';
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return put(layout, digits + at, sizeof digits - at) < 0 ? -1 : (int)(sizeof digits - at);
}

/* Lay out an item and what is in it; how far it is indented. */
static int
item(Layout *layout, Place node, int64_t number, int is_ordered)
{
    int indent = layout->indent, tight = layout->tight, width = (int)strlen(layout->style->bullet);
    TRY(begin_block(layout, 0));
    if (is_ordered) width = write_ordinal(layout, number);
    else if (put(layout, layout->style->bullet, (size_t)width) < 0) return -1;
    if (width < 0) return -1;
    layout->has_content = layout->tight = 1;
    layout->indent += width;
    layout->no_break = leads_with_inline(layout->tree, node);
    TRY(block_children(layout, node));
    layout->tight = tight;
    layout->indent = indent;
    return 1;
}

/* A list right in a list belongs to the item before it. */
static int
nested_list(Layout *layout, Place node, int width)
{
    int tight = layout->tight;
    layout->indent += width;
    layout->tight = 1;
    TRY(block(layout, node));
    layout->tight = tight;
    layout->indent -= width;
    return 1;
}

static int
width_of_ordinal(int64_t number)
{
    int width = 3;
    for (; number >= 10; number /= 10) width++;
    return width;
}

static int
list(Layout *layout, Place node)
{
    const Node *nodes = layout->tree->nodes, *of = &nodes[node];
    int64_t number = 1;
    int is_ordered = of->tag == OL, width = NESTED;
    if (is_ordered) read_ordinal(attribute_of(layout->tree, node, "start"), &number);
    for (Place each = node + 1; each < of->end; each = nodes[each].end) {
        if (nodes[each].flags & (IS_GONE | IS_TEXT | IS_FOREIGN)) continue;
        if (is_list(&nodes[each])) TRY(nested_list(layout, each, width));
        if (nodes[each].tag != LI) continue;
        if (is_ordered) read_ordinal(attribute_of(layout->tree, each, "value"), &number);
        width = is_ordered ? width_of_ordinal(number) : (int)strlen(layout->style->bullet);
        TRY(item(layout, each, number, is_ordered));
        number = (int64_t)((uint64_t)number + 1);
    }
    return 1;
}

/* Text that is set as it is */

static int
put_bytes(Layout *layout, Bytes bytes)
{
    return put(layout, bytes.at, (size_t)(bytes.end - bytes.at));
}

static int
put_all_text(Layout *layout, Place node)
{
    const Node *nodes = layout->tree->nodes, *of = &nodes[node];
    if (of->flags & IS_GONE) return 1;
    if (of->flags & IS_TEXT) return put_bytes(layout, of->text);
    if (of->tag == BR && layout->style->breaks && is_followed(layout->tree, node)) TRY(put(layout, (uint8_t[]){BREAK}, 1));
    TRY(write_opening(layout, node, put_bytes));
    for (Place each = node + 1; each < of->end; each = nodes[each].end) TRY(put_all_text(layout, each));
    return write_closing(layout, node, put_bytes);
}

static int
preformatted(Layout *layout, Place node)
{
    Buffer text = {0}, *out = layout->out;
    layout->out = &text;
    int found = put_all_text(layout, node);
    layout->out = out;
    if (found == 1) found = begin_block(layout, 1);
    const uint8_t *end = text.at + text.size, *at = text.at;
    if (at < end && end[-1] == '\n') end--;
    while (found == 1 && at < end) {
        const uint8_t *last = find(at, end, '\n');
        if (last > at) layout->has_content = 1;
        found = put(layout, at, (size_t)(last - at));
        if (found == 1 && last < end) found = new_line(layout);
        at = last < end ? last + 1 : last;
    }
    free(text.at);
    return found;
}

static int
quotation(Layout *layout, Place node)
{
    int tight = layout->tight;
    layout->indent += QUOTED;
    layout->tight = 0;
    if (layout->started) {
        int space = layout->space;
        if (!tight) TRY(put(layout, "\n", 1));
        TRY(new_line(layout));
        layout->space = space;
        layout->loose = layout->no_break = 1;
    }
    TRY(block_children(layout, node));
    layout->tight = tight;
    layout->indent -= QUOTED;
    return 1;
}

static int
block(Layout *layout, Place node)
{
    switch (layout->tree->nodes[node].tag) {
    case UL: case MENU: case OL: return list(layout, node);
    case PRE: return preformatted(layout, node);
    case TABLE: return render_table(layout, node);
    case BLOCKQUOTE: return quotation(layout, node);
    default: return block_children(layout, node);
    }
}

/* Take empty lines from the beginning of what was rendered, and white space from its end. */
static void
trim(Buffer *out, size_t start)
{
    size_t first = start;
    while (first < out->size && out->at[first] == '\n') first++;
    while (out->size > first && is_space(out->at[out->size - 1])) out->size--;
    if (first > start) memmove(out->at + start, out->at + first, out->size - first);
    out->size -= first - start;
}

int
render(const Tree *tree, Place node, const Style *style, Buffer *out)
{
    size_t start = out->size;
    Layout layout = {.tree = tree, .style = style, .out = out};
    TRY(is_block(&tree->nodes[node]) ? block(&layout, node) : block_children(&layout, node));
    trim(out, start);
    return 1;
}
