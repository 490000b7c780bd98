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

static int
begins_tag(const uint8_t *at, const uint8_t *end, const char *name)
{
    size_t size = strlen(name);
    if ((size_t)(end - at) < size + 1 || !is_called_like((Bytes){at, at + size}, (Bytes){(const uint8_t *)name, (const uint8_t *)name + size}))
        return 0;
    return is_blank(at[size]) || at[size] == '/' || at[size] == '>';
}

/* Where the end tag of a script stands, or the end: one in a comment may hold another. */
static const uint8_t *
end_of_script(const uint8_t *at, const uint8_t *end)
{
    enum { PLAIN, IN_COMMENT, IN_SCRIPT } state = PLAIN;
    for (; at < end; at++) {
        if (state != PLAIN && *at == '-' && end - at >= 3 && !memcmp(at, "-->", 3)) state = PLAIN;
        if (*at != '<') continue;
        if (state == PLAIN && end - at >= 4 && !memcmp(at, "<!--", 4)) at++, state = IN_COMMENT;
        else if (state == IN_COMMENT && begins_tag(at, end, "<script")) state = IN_SCRIPT;
        else if (begins_tag(at, end, "</script")) {
            if (state != IN_SCRIPT) return at;
            state = IN_COMMENT;
        }
    }
    return end;
}

/* Where the end tag of an element stands that holds nothing but text, or the end. */
static const uint8_t *
end_of_raw(const uint8_t *at, const uint8_t *end, Bytes name)
{
    size_t size = (size_t)(name.end - name.at);
    for (; (at = find(at, end, '<')) < end; at++) {
        if ((size_t)(end - at) < size + 3 || at[1] != '/') continue;
        uint8_t behind = at[2 + size];
        if (is_called_like((Bytes){at + 2, at + 2 + size}, name) && (is_blank(behind) || behind == '/' || behind == '>')) break;
    }
    return at;
}

/* Text up to the end tag of an element that holds nothing else. */
int
read_raw(Builder *b, const Token *token, int decoded)
{
    const uint8_t *last = token->tag == SCRIPT ? end_of_script(b->at, b->end) : end_of_raw(b->at, b->end, token->name);
    if (last == b->end) return 0; /* none closes it */
    Bytes text = {b->at, last};
    Token closing;
    if (decoded) TRY(decode(b, &text, 0));
    TRY(insert(b, token, 0));
    TRY(add_text(b, text));
    pop(b);
    b->at = last + 2;
    int found = read_tag(b, &closing);
    return found == 2 ? 0 : found;
}
