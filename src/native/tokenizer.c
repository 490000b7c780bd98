/* Tags with their attributes, texts and names as they are meant (HTML, section 13.2.5).
 *
 *     entity   &name; or &#number;, replaced by what it stands for; a few may lack their semicolon
 *     raw      text up to the end tag of its element, in which no other tag begins
 */
#include "builder.h"

#define LONGEST_NAME 31  /* letters of an entity */
#define LONGEST_LEGACY 6 /* of one that may lack its semicolon */
#define MOST_ATTRIBUTES 1000

/* Letters: entities and names */

static int
write_letters(Builder *b, const void *at, size_t size)
{
    if (b->room - b->written < size) return 0;
    memcpy(b->tree->letters + b->written, at, size);
    b->written += size;
    return 1;
}

static int
write_character(Builder *b, uint32_t c)
{
    uint8_t bytes[4];
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1; c >>= 6) bytes[i] = (uint8_t)(0x80 | (c & 0x3F));
    bytes[0] = (uint8_t)(leads[size] | c);
    return write_letters(b, bytes, size);
}

/* What the numbers of Windows stand for where others have controls, 0 for none. */
static const uint16_t windows[32] = {
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
};

/* Write the character of &#...; that begins at `*at`, if it is one that a page may have. */
static int
write_numeric(Builder *b, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *digit = *at + 2, *first;
    uint32_t base = 10, value = 0;
    if (digit < end && (*digit | 0x20) == 'x') base = 16, digit++;
    for (first = digit; digit < end && is_alphanumeric(*digit) && value <= 0x10FFFF; digit++) {
        uint32_t d = (uint32_t)(*digit <= '9' ? *digit - '0' : (*digit | 0x20) - 'a' + 10);
        if (d >= base) break;
        value = value * base + d;
    }
    if (value >= 0x80 && value < 0xA0) value = windows[value - 0x80];
    if (digit == first || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
    if ((value < 0x20 && value != '\n' && value != '\t') || value == 0x7F) return 0;
    *at = digit < end && *digit == ';' ? digit + 1 : digit;
    return write_character(b, value);
}

/* What an entity stands for, borrowed, or NULL. */
static PyObject *
entity_called(const Builder *b, const uint8_t *name, size_t size)
{
    PyObject *key = PyUnicode_DecodeASCII((const char *)name, (Py_ssize_t)size, NULL);
    PyObject *found = key ? PyDict_GetItemWithError(b->entities, key) : NULL;
    Py_XDECREF(key);
    return found;
}

static int
write_meaning(Builder *b, PyObject *meaning)
{
    Bytes bytes;
    TRY(utf8_of(meaning, &bytes));
    return write_letters(b, bytes.at, (size_t)(bytes.end - bytes.at));
}

/* Write what &name; stands for; some names may lack the semicolon, in values only before what is no letter. */
static int
write_named(Builder *b, const uint8_t **at, const uint8_t *end, int in_value)
{
    const uint8_t *name = *at + 1, *last = name;
    while (last < end && last - name < LONGEST_NAME && is_alphanumeric(*last)) last++;
    size_t size = (size_t)(last - name) + (last < end && *last == ';');
    for (; size >= 2; size = size > LONGEST_LEGACY ? LONGEST_LEGACY : size - 1) {
        PyObject *found = entity_called(b, name, size);
        if (PyErr_Occurred()) return -1;
        if (found == NULL) continue;
        int is_whole = name[size - 1] == ';', goes_on = name + size < end && (is_alphanumeric(name[size]) || name[size] == '=');
        if (in_value && !is_whole && goes_on) break;
        *at = name + size;
        return write_meaning(b, found);
    }
    ++*at;
    return write_letters(b, "&", 1);
}

/* Replace entities; a text without any stays where it is. */
int
decode(Builder *b, Bytes *text, int in_value)
{
    const uint8_t *at = text->at, *next = find(at, text->end, '&');
    size_t start = b->written;
    if (next == text->end) return 1;
    while (next < text->end) {
        TRY(write_letters(b, at, (size_t)(next - at)));
        at = next;
        int is_number = text->end - at > 1 && at[1] == '#';
        TRY(is_number ? write_numeric(b, &at, text->end) : write_named(b, &at, text->end, in_value));
        next = find(at, text->end, '&');
    }
    TRY(write_letters(b, at, (size_t)(text->end - at)));
    *text = (Bytes){b->tree->letters + start, b->tree->letters + b->written};
    return 1;
}

/* Write a name in small letters, if it has others. */
static int
lower(Builder *b, Bytes *name)
{
    size_t start = b->written;
    const uint8_t *at = name->at;
    while (at < name->end && !(*at >= 'A' && *at <= 'Z')) at++;
    if (at == name->end) return 1;
    TRY(write_letters(b, name->at, (size_t)(name->end - name->at)));
    *name = (Bytes){b->tree->letters + start, b->tree->letters + b->written};
    for (uint8_t *c = b->tree->letters + start; c < name->end; c++)
        if (*c >= 'A' && *c <= 'Z') *c |= 0x20;
    return 1;
}

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
