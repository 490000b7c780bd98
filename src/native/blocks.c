/* Blocks that are laid out by rules of their own: lists, text that is set as it is, quotations and tables.
 *
 *     cell    what is in a TD or TH, on one line: line breaks become blanks; a column is as wide as its widest cell
 *     begins  of the rows: row r has the cells from begins[r] to begins[r + 1]
 */
#include "layout.h"

#define QUOTED 4 /* blanks that a quotation is indented by */
#define NESTED 2 /* and a list right in a list, unless an item stands before it */

/* Lists */

static int
is_list(const Node *node)
{
    return !(node->flags & IS_FOREIGN) && (node->tag == UL || node->tag == OL || node->tag == MENU);
}

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
    TRY(render_children(layout, node));
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
    TRY(render_block(layout, node));
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

int
render_list(Layout *layout, Place node)
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

int
render_preformatted(Layout *layout, Place node)
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

int
render_quotation(Layout *layout, Place node)
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
    TRY(render_children(layout, node));
    layout->tight = tight;
    layout->indent -= QUOTED;
    return 1;
}

/* Tables */

#define LARGEST_TABLE (1 << 22) /* bytes: one may be laid out far larger than it was written */

typedef struct {
    size_t start, end, characters;
} Cell;

typedef struct {
    Buffer text, cells, begins; /* of all cells; Cell; size_t */
    size_t rows, columns, *widths;
} Grid;

static const Cell *
cell_at(const Grid *grid, size_t number)
{
    return (const Cell *)(const void *)grid->cells.at + number;
}

static size_t
begin_of(const Grid *grid, size_t row)
{
    return ((const size_t *)(const void *)grid->begins.at)[row];
}

/* Lay out a cell; what it says of blocks is the table's, but not what it says of lines. */
static int
add_cell(Layout *layout, Place node, Grid *grid)
{
    Layout inside = *layout;
    Cell cell = {.start = grid->text.size};
    inside.out = &grid->text;
    inside.indent = inside.space = 0;
    inside.has_content = 1;
    TRY(inline_children(&inside, node));
    layout->loose = inside.loose;
    layout->no_break = inside.no_break;
    cell.end = grid->text.size;
    for (size_t i = cell.start; i < cell.end; i++) {
        if (grid->text.at[i] == '\n') grid->text.at[i] = ' ';
        cell.characters += (grid->text.at[i] & 0xC0) != 0x80;
    }
    return append(&grid->cells, &cell, sizeof cell) < 0 ? -1 : 1;
}

static int
end_row(Grid *grid)
{
    size_t many = grid->cells.size / sizeof(Cell);
    if (append(&grid->begins, &many, sizeof many) < 0) return -1;
    return grid->rows++, 1;
}

static int
add_row(Layout *layout, Place row, Grid *grid)
{
    const Node *nodes = layout->tree->nodes;
    for (Place each = row + 1; each < nodes[row].end; each = nodes[each].end)
        if (!(nodes[each].flags & IS_GONE) && (nodes[each].tag == TD || nodes[each].tag == TH))
            TRY(add_cell(layout, each, grid));
    return end_row(grid);
}

static int
add_rows(Layout *layout, Place node, Grid *grid)
{
    const Node *nodes = layout->tree->nodes;
    for (Place each = node + 1; each < nodes[node].end; each = nodes[each].end) {
        uint8_t tag = nodes[each].tag;
        if (nodes[each].flags & (IS_GONE | IS_TEXT)) continue;
        if (tag == TR) TRY(add_row(layout, each, grid));
        else if (tag == TBODY || tag == THEAD || tag == TFOOT) TRY(add_rows(layout, each, grid));
    }
    return 1;
}

/* Find how wide each column is: 0 for a table that would be megabytes. */
static int
measure(Grid *grid)
{
    size_t all = 0;
    for (size_t row = 0; row < grid->rows; row++) {
        size_t cells = begin_of(grid, row + 1) - begin_of(grid, row);
        if (cells > grid->columns) grid->columns = cells;
    }
    if ((grid->widths = calloc(grid->columns + 1, sizeof *grid->widths)) == NULL) return PyErr_NoMemory(), -1;
    for (size_t row = 0; row < grid->rows; row++)
        for (size_t each = begin_of(grid, row); each < begin_of(grid, row + 1); each++) {
            size_t *width = &grid->widths[each - begin_of(grid, row)];
            if (cell_at(grid, each)->characters > *width) *width = cell_at(grid, each)->characters;
        }
    for (size_t column = 0; column < grid->columns; column++) all += grid->widths[column] + 1;
    return all <= LARGEST_TABLE / (grid->rows + 1);
}

static int
write_row(Layout *layout, const Grid *grid, size_t row)
{
    size_t first = begin_of(grid, row), stop = begin_of(grid, row + 1);
    for (size_t column = 0; column < grid->columns; column++) {
        const Cell *cell = first + column < stop ? cell_at(grid, first + column) : NULL;
        if (column) TRY(put(layout, layout->style->between, strlen(layout->style->between)));
        if (cell) TRY(put(layout, grid->text.at + cell->start, cell->end - cell->start));
        if (column + 1 < grid->columns) TRY(pad(layout, grid->widths[column] - (cell ? cell->characters : 0)));
    }
    layout->has_content = 1;
    return 1;
}

static int
write_rows(Layout *layout, Grid *grid)
{
    TRY(measure(grid));
    TRY(begin_block(layout, 1));
    for (size_t row = 0; row < grid->rows; row++) {
        if (row) TRY(new_line(layout));
        TRY(write_row(layout, grid, row));
    }
    return 1;
}

int
render_table(Layout *layout, Place node)
{
    Grid grid = {0};
    size_t none = 0;
    int found = append(&grid.begins, &none, sizeof none) < 0 ? -1 : add_rows(layout, node, &grid);
    if (found == 1 && grid.cells.size) found = write_rows(layout, &grid);
    free(grid.text.at), free(grid.cells.at), free(grid.begins.at), free(grid.widths);
    return found;
}
