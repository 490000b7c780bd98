/* Tags with their attributes, and texts that end only with their element. */
#include "builder.h"

#include <stdlib.h>

#define MOST_ATTRIBUTES 1000

/* Tags and what stands in them */

int
keep_attribute(Builder *b, Token *token, Attribute attribute)
{
    Tree *tree = b->tree;
    if (token->attributes == MOST_ATTRIBUTES) return 0;
    if (tree->attribute_count == b->attribute_room) {
        uint32_t room = 2 * b->attribute_room + 1024;
        Attribute *moved = realloc(tree->attributes, room * sizeof *moved);
        if (moved == NULL) return PyErr_NoMemory(), -1;
        tree->attributes = moved;
        b->attribute_room = room;
    }
    tree->attributes[tree->attribute_count++] = attribute;
    token->attributes++;
    return 1;
}

static int
add_attribute(Builder *b, Token *token, Bytes name, Bytes value)
{
    if (!b->is_serialized) TRY(lower(b, &name));
    TRY(decode(b, &value, 1));
    return keep_attribute(b, token, (Attribute){name, value});
}

/* Read the value of an attribute behind its '='. */
static Bytes
value_at(Builder *b)
{
    const uint8_t *at = b->at = behind_blanks(b->at, b->end);
    if (at < b->end && (*at == '"' || *at == '\'')) {
        const uint8_t *last = find(at + 1, b->end, *at);
        b->at = last < b->end ? last + 1 : last;
        return (Bytes){at + 1, last};
    }
    while (b->at < b->end && !is_blank(*b->at) && *b->at != '>') b->at++;
    return (Bytes){at, b->at};
}

static int
read_attribute(Builder *b, Token *token)
{
    const uint8_t *name = b->at++; /* an '=' here belongs to the name */
    while (b->at < b->end && !is_blank(*b->at) && *b->at != '/' && *b->at != '>' && *b->at != '=') b->at++;
    Bytes called = {name, b->at}, value = {b->at, b->at};
    const uint8_t *behind = behind_blanks(b->at, b->end);
    if (behind < b->end && *behind == '=') {
        b->at = behind + 1;
        value = value_at(b);
    }
    return add_attribute(b, token, called, value);
}

/* Read a tag up to behind its '>': 1; 2 if the page ends in it. `b->at` is at the first letter of its name. */
int
read_tag(Builder *b, Token *token)
{
    const uint8_t *name = b->at;
    while (b->at < b->end && !is_blank(*b->at) && *b->at != '/' && *b->at != '>') b->at++;
    *token = (Token){.name = {name, b->at}, .first = b->tree->attribute_count};
    if (!b->is_serialized) TRY(lower(b, &token->name));
    token->tag = tag_called(token->name);
    while ((b->at = behind_blanks(b->at, b->end)) < b->end) {
        if (*b->at == '>') return b->at++, 1;
        if (*b->at == '/') {
            b->at++;
            token->closes_itself = b->at < b->end && *b->at == '>';
            continue;
        }
        TRY(read_attribute(b, token));
    }
    return 2;
}

/* Whether a script has another one in a comment, so that it goes on behind the end of that. */
static int
is_escaped_twice(Bytes text)
{
    const Bytes script = {(const uint8_t *)"script", (const uint8_t *)"script" + 6};
    const uint8_t *at = find_word(text, "<!--");
    for (; at != NULL && (at = find(at, text.end, '<')) < text.end; at++)
        if (text.end - at >= 7 && is_called_like((Bytes){at + 1, at + 7}, script)) return 1;
    return 0;
}

/* Text up to the end tag of an element that holds nothing else. */
int
read_raw(Builder *b, const Token *token, int decoded)
{
    size_t size = (size_t)(token->name.end - token->name.at);
    const uint8_t *at = b->at, *last;
    for (last = at; (last = find(last, b->end, '<')) < b->end; last++) {
        if ((size_t)(b->end - last) < size + 3 || last[1] != '/') continue;
        size_t same_letters = 0;
        while (same_letters < size && (last[2 + same_letters] | 0x20) == token->name.at[same_letters]) same_letters++;
        uint8_t behind = last[2 + size];
        if (same_letters == size && (is_blank(behind) || behind == '/' || behind == '>')) break;
    }
    if (last == b->end) return 0; /* nobody closes it */
    Bytes text = {at, last};
    Token closing;
    if (token->tag == SCRIPT && is_escaped_twice(text)) return 0;
    if (decoded) TRY(decode(b, &text, 0));
    TRY(insert(b, token, 0));
    TRY(add_text(b, text));
    pop(b);
    b->at = last + 2;
    int found = read_tag(b, &closing);
    return found == 2 ? 0 : found;
}
