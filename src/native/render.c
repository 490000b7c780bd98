/* What a reader sees of a page as text, letter for letter as turbohtml lays it out with layout="strict".
 *
 *     block   begins a line; where it or the one before it is loose, behind a blank line
 *     run     words and inline elements between two blocks: laid out as a block
 *     tight   within list items: blocks follow one another without blank lines
 *     marks   BEGIN and END round anchors, CODE round what is set as it is, BREAK before line breaks (core.h)
 */
#include "layout.h"

#include <stdio.h>


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
int
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

int
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
is_skipped(const Node *node)
{
    if (node->flags & IS_GONE || node->tag == SCRIPT || node->tag == STYLE) return 1;
    if (node->flags & IS_FOREIGN) return 0;
    switch (node->tag) {
    case DATALIST: case HEAD: case NOEMBED: case NOFRAMES: case RP: case TEMPLATE: case TITLE: return 1;
    default: return 0;
    }
}

int
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
int
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
    if (is_block(of)) return render_block(layout, node);
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

int
render_children(Layout *layout, Place node)
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
            TRY(render_block(layout, each));
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

int
render_block(Layout *layout, Place node)
{
    switch (layout->tree->nodes[node].tag) {
    case UL: case MENU: case OL: return render_list(layout, node);
    case PRE: return render_preformatted(layout, node);
    case TABLE: return render_table(layout, node);
    case BLOCKQUOTE: return render_quotation(layout, node);
    default: return render_children(layout, node);
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
    TRY(is_block(&tree->nodes[node]) ? render_block(&layout, node) : render_children(&layout, node));
    trim(out, start);
    return 1;
}
