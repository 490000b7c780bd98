/* Tables: the cells of a row stand side by side, each as wide as the widest of its column.
 *
 *     cell    what is in a TD or TH, on one line: line breaks become blanks
 *     begins  of the rows: row r has the cells from begins[r] to begins[r + 1]
 */
#include "layout.h"

#include <stdlib.h>

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
