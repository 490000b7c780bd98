/* Texts, values and names as they are meant: entities replaced, names in small letters. */
#include "builder.h"

#define LONGEST_NAME 31  /* letters of an entity */
#define LONGEST_LEGACY 6 /* of one that may lack its semicolon */

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
int
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
