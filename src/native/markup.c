/* How many letters of a page's markup a reader sees: parse/document.py is the reference. */
#include "core.h"

#define PIECE (1 << 14) /* bytes of text looked at between two tags */
#define LONGEST_ENTITY 31

static inline int
is_letter(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* How many bytes an entity takes that stands at a place; 0 if none does. */
static Py_ssize_t
entity_at(const uint8_t *at, const uint8_t *end)
{
    Py_ssize_t length = 1;
    if (*at != '&') return 0;
    while (at + length < end && length <= LONGEST_ENTITY && (at[length] == '#' || is_letter(at[length]))) length++;
    return length > 1 && at + length < end && at[length] == ';' ? length + 1 : 0;
}

static Py_ssize_t
letters_between(const uint8_t *at, const uint8_t *end)
{
    Py_ssize_t count = 0, entity;
    while (at < end) {
        if ((entity = entity_at(at, end))) {
            at += entity;
            continue;
        }
        count += *at >= 0x80 || is_letter(*at);
        at++;
    }
    return count;
}

static int
is_called(const uint8_t *at, const uint8_t *end, const char *name, size_t length)
{
    if ((size_t)(end - at) < length) return 0;
    for (size_t i = 0; i < length; i++)
        if (at[i] >= 0x80 || (at[i] >= 'A' && at[i] <= 'Z' ? at[i] | 0x20 : at[i]) != name[i]) return 0;
    return 1;
}

/* Where an element that holds no other is closed, or the end. */
static const uint8_t *
closing(const uint8_t *at, const uint8_t *end, const char *name, size_t length)
{
    for (; (at = find(at, end, '<')) < end; at++)
        if (at + 1 < end && at[1] == '/' && is_called(at + 2, end, name, length)) return at + 2;
    return end;
}

static const uint8_t *
behind_comment(const uint8_t *at, const uint8_t *end)
{
    for (; (at = find(at, end, '-')) < end; at++)
        if (end - at >= 3 && at[1] == '-' && at[2] == '>') return at + 3;
    return end;
}

/* Where text may go on behind a tag, a comment, or an element that nobody sees. */
static const uint8_t *
behind(const uint8_t *opened, const uint8_t *end)
{
    static const char *const hidden[] = {"script", "style", "template", "svg", "title"};
    if (end - opened >= 4 && !memcmp(opened + 1, "!--", 3)) return behind_comment(opened, end);
    const uint8_t *name = opened + 1, *last;
    if (name < end && *name == '/') name++;
    if (name == end || *name >= 0x80 || (*name | 0x20) < 'a' || (*name | 0x20) > 'z') return opened + 1;
    for (last = name + 1; last < end && (is_letter(*last) || *last == '-');) last++;
    for (size_t i = 0; opened[1] != '/' && i < sizeof hidden / sizeof *hidden; i++) {
        size_t length = strlen(hidden[i]);
        if ((size_t)(last - name) == length && is_called(name, end, hidden[i], length))
            return closing(last, end, hidden[i], length);
    }
    const uint8_t *closed = find(opened, end, '>');
    return closed < end ? closed + 1 : end;
}

static PyObject *
letters_in(PyObject *module, PyObject *args)
{
    const char *markup;
    Py_ssize_t size, most, tags, count = 0;
    if (!PyArg_ParseTuple(args, "y#nn", &markup, &size, &most, &tags)) return NULL;
    const uint8_t *at = (const uint8_t *)markup, *end = at + size;
    for (; tags > 0; tags--) {
        if (at >= end || count >= most) return PyLong_FromSsize_t(count);
        const uint8_t *piece = end - at > PIECE ? at + PIECE : end, *opened = find(at, piece, '<');
        count += letters_between(at, opened);
        at = opened < piece ? behind(opened, end) : piece;
    }
    return PyLong_FromSsize_t(most);
}

static PyMethodDef functions[] = {
    {"letters_in", letters_in, METH_VARARGS, "letters_in(markup, most, tags): the letters that a reader sees of bytes."},
    {NULL, NULL, 0, NULL},
};

int
add_markup(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
