/* Tables: cells are written side by side, each as wide as the widest of its column. */
#include "rendering.h"

#include <stdlib.h>

#define LARGEST_TABLE (1 << 22) /* bytes */

typedef struct {
    size_t start, end, letters;
} Cell;

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
        int is_part = is_part_of_table(tag);
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

/* The cells of a table as they were written: row r has those from begins[r] to begins[r + 1]. */
typedef struct {
    const Cell *cells;
    const size_t *begins;
    const uint8_t *letters;
    size_t rows, columns, *widths;
} Table;

/* Find how wide each column is; a table that would be written out to megabytes is left to Python: 1, 0, -1. */
static int
measure(Table *table)
{
    size_t all = 0;
    for (size_t row = 0; row < table->rows; row++) {
        size_t cells = table->begins[row + 1] - table->begins[row];
        if (cells > table->columns) table->columns = cells;
    }
    if ((table->widths = calloc(table->columns + 1, sizeof *table->widths)) == NULL) return PyErr_NoMemory(), -1;
    for (size_t row = 0; row < table->rows; row++)
        for (size_t each = table->begins[row]; each < table->begins[row + 1]; each++) {
            size_t *width = &table->widths[each - table->begins[row]];
            if (table->cells[each].letters > *width) *width = table->cells[each].letters;
        }
    for (size_t column = 0; column < table->columns; column++) all += table->widths[column] + 1;
    return all <= LARGEST_TABLE / (table->rows + 1);
}

static int
write_row(Page *page, const Table *table, size_t row)
{
    if (row) page->want = 1;
    page->space = 0;
    TRY(settle(page));
    for (size_t column = 0; column < table->columns; column++) {
        const Cell *cell = &table->cells[table->begins[row] + column];
        int is_there = table->begins[row] + column < table->begins[row + 1];
        if (column) TRY(put(page, " ", 1));
        if (is_there) TRY(put(page, table->letters + cell->start, cell->end - cell->start));
        if (column + 1 < table->columns) TRY(pad(page, table->widths[column] - (is_there ? cell->letters : 0)));
    }
    return 1;
}

static int
write_rows(Page *page, const Buffer *into, const Buffer *cells, Buffer *rows)
{
    size_t all = cells->size / sizeof(Cell);
    if (append(rows, &all, sizeof all) < 0) return -1;
    Table table = {(const Cell *)(const void *)cells->at, (const size_t *)(const void *)rows->at, into->at,
                   rows->size / sizeof all - 1, 0, NULL};
    int found = measure(&table);
    for (size_t row = 0; found == 1 && row < table.rows; row++) found = write_row(page, &table, row);
    free(table.widths);
    return found;
}

int
table(Page *page, Place node)
{
    Buffer into = {0}, cells = {0}, rows = {0};
    int found = page->in_cell ? 0 : write_cells(page, node, &into, &cells, &rows);
    if (cells.size) leave_room(page);
    if (found == 1 && into.size) found = write_rows(page, &into, &cells, &rows);
    free(into.at), free(cells.at), free(rows.at);
    return found;
}
