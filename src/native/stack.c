/* The elements that are open while a tree is built, and the nodes that it grows by. */
#include "builder.h"

#include <stdlib.h>

int
append(Buffer *buffer, const void *at, size_t size)
{
    if (buffer->room - buffer->size < size) {
        size_t room = 2 * buffer->room + size + 256;
        uint8_t *moved = realloc(buffer->at, room);
        if (moved == NULL) return PyErr_NoMemory(), -1;
        buffer->at = moved;
        buffer->room = room;
    }
    if (size) memcpy(buffer->at + buffer->size, at, size);
    buffer->size += size;
    return 0;
}

void
free_tree(Tree *tree)
{
    free(tree->nodes), free(tree->attributes), free(tree->letters);
    memset(tree, 0, sizeof *tree);
}

Bytes
attribute_of(const Tree *tree, Place node, const char *name)
{
    const Node *of = &tree->nodes[node];
    for (uint32_t i = of->first; i < of->first + of->attributes; i++)
        if (same(tree->attributes[i].name, name)) return tree->attributes[i].value;
    return (Bytes){NULL, NULL};
}
/* The stack of open elements */

void
pop(Builder *b)
{
    b->tree->nodes[b->open[--b->depth]].end = b->tree->count;
}

/* The level of the innermost element of a tag, up to a boundary or one of `also`; -1 if there is none. */
int
level_of(const Builder *b, uint8_t tag, uint8_t also)
{
    for (int level = b->depth - 1; level >= 0; level--) {
        uint8_t each = tag_at(b, level);
        if (each == tag) return level;
        if (is_boundary(each) || (also && each == also)) return -1;
    }
    return -1;
}

int
level_in_table(const Builder *b, uint8_t tag)
{
    for (int level = b->depth - 1; level >= 0 && tag_at(b, level) != HTML; level--) {
        if (tag_at(b, level) == tag) return level;
        if (tag_at(b, level) == TABLE) return -1;
    }
    return -1;
}

/* Close elements down to a level; formatting that would be opened again behind them is not for us. */
int
pop_to(Builder *b, int level, int formatting_ends)
{
    while (b->depth > level) {
        if (!formatting_ends && b->depth - 1 > level && is_formatting(current(b))) return 0;
        pop(b);
    }
    return 1;
}

void
close_implied(Builder *b, uint8_t but)
{
    while (b->depth && is_implied(current(b)) && current(b) != but) pop(b);
}

int
close_level(Builder *b, int level)
{
    close_implied(b, tag_at(b, level));
    return pop_to(b, level, 0);
}

int
close_paragraph(Builder *b)
{
    int level = level_of(b, P, BUTTON);
    return level < 0 ? 1 : close_level(b, level);
}

/* Nodes */

/* Mark a line break that a comment follows. */
void
meet_comment(Builder *b)
{
    Node *last = &b->tree->nodes[b->tree->count - 1];
    if (last->tag == BR && b->depth && last->parent == b->open[b->depth - 1]) last->flags |= HAS_COMMENT;
}

Node *
new_node(Builder *b)
{
    Tree *tree = b->tree;
    if (tree->count == b->node_room) {
        Place room = 2 * b->node_room + 1024;
        Node *moved = realloc(tree->nodes, room * sizeof *moved);
        if (moved == NULL) return PyErr_NoMemory(), NULL;
        tree->nodes = moved;
        b->node_room = room;
    }
    Node *node = &tree->nodes[tree->count++];
    memset(node, 0, sizeof *node);
    node->parent = b->depth ? b->open[b->depth - 1] : 0;
    node->end = tree->count;
    return node;
}

int
add_text(Builder *b, Bytes text)
{
    if (text.at == text.end) return 1;
    uint8_t foreign = is_foreign(b) ? IS_FOREIGN : 0;
    if (!b->after_comment && b->depth && b->open[b->depth - 1] != b->tree->count - 1) {
        const Node *before = &b->tree->nodes[b->tree->count - 1];
        if (before->flags & IS_TEXT && before->parent == b->open[b->depth - 1] && is_all_blank(before->text) && !is_all_blank(text))
            return 0; /* one text */
    }
    b->after_comment = 0;
    Node *node = new_node(b);
    if (node == NULL) return -1;
    node->flags = IS_TEXT | foreign;
    node->text = text;
    return 1;
}

int
insert(Builder *b, const Token *token, uint8_t flags)
{
    if (b->depth == DEEPEST) return 0;
    Node *node = new_node(b);
    if (node == NULL) return -1;
    node->flags = flags;
    node->tag = token->tag;
    node->text = token->name;
    node->first = token->first;
    node->attributes = token->attributes;
    b->open[b->depth++] = b->tree->count - 1;
    return 1;
}

int
insert_implied(Builder *b, uint8_t tag)
{
    const uint8_t *name = (const uint8_t *)tag_names[tag];
    Token token = {{name, name + strlen(tag_names[tag])}, tag, 0, 0, 0};
    return insert(b, &token, 0);
}

int
insert_void(Builder *b, const Token *token)
{
    TRY(insert(b, token, 0));
    pop(b);
    return 1;
}
