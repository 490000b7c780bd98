/* A rendered text without what nobody reads, and the words of its anchors: parse/tree.py and parse/render.py are
 * the references. */
#include "core.h"
#include <stdlib.h>

static inline int
is_control(uint8_t c)
{
    return c < 9 || (c >= 0x0E && c < 0x1C) || c == 0x7F;
}

/* Write the text tidied; there is room for as many bytes as it has. */
static size_t
tidied(Bytes text, uint8_t *into)
{
    uint8_t *line = into, *out = into, *kept = into; /* kept: behind the last of the line that is no blank */
    for (const uint8_t *at = text.at; at < text.end;) {
        uint8_t c = *at;
        if (c > 0x20 && c < 0x7F) {
            do *out++ = c;
            while (++at < text.end && (c = *at) > 0x20 && c < 0x7F);
            kept = out;
        } else if (c == ' ') {
            if (out > line) *out++ = ' ';
            at++;
        } else if (c == '\n') {
            if (kept > line) *kept++ = '\n', line = kept;
            out = kept = line;
            at++;
        } else if (is_control(c)) {
            at++;
        } else {
            int width = width_of(c), blank = blank_at(at, text.end);
            if (blank && out == line) { /* that a line begins with */
                at += blank;
                continue;
            }
            if (width == 2 && c == 0xC2 && at[1] == 0xA0) *out++ = ' ';
            else if (width == 3 && c == 0xE2 && at[1] == 0x80 && at[2] == 0xAF) *out++ = ' ';
            else memcpy(out, at, (size_t)width), out += width;
            at += width;
            if (!blank) kept = out;
        }
    }
    if (kept > line) return (size_t)(kept - into);
    return line > into ? (size_t)(line - 1 - into) : 0; /* without the end of the last line */
}

static PyObject *
tidy(PyObject *module, PyObject *text)
{
    Bytes bytes;
    int found = utf8_of(text, &bytes);
    if (found < 0) return NULL;
    if (!found) RETURN_NONE;
    uint8_t *into = malloc((size_t)(bytes.end - bytes.at) + 1);
    if (into == NULL) return PyErr_NoMemory();
    PyObject *made = PyUnicode_DecodeUTF8((const char *)into, (Py_ssize_t)tidied(bytes, into), NULL);
    free(into);
    return made;
}

/* The words between two places, their blanks folded, no more characters than asked for. */
static PyObject *
folded(const uint8_t *at, const uint8_t *end, uint8_t *into, Py_ssize_t most)
{
    uint8_t *out = into;
    int width, gap = 0;
    for (; at < end && most > 0; at += width) {
        if ((width = blank_at(at, end))) {
            gap = out > into;
            continue;
        }
        if (gap) {
            *out++ = ' ', gap = 0;
            if (--most == 0) break;
        }
        width = width_of(*at);
        memcpy(out, at, (size_t)width);
        out += width;
        most--;
    }
    return PyUnicode_DecodeUTF8((const char *)into, out - into, NULL);
}

/* Whether beginnings and ends take turns, and there are as many as there should be. */
static int
are_in_order(Bytes text, Py_ssize_t many)
{
    int open = 0;
    for (const uint8_t *at = text.at; at < text.end; at++) {
        if (*at != BEGIN && *at != END) continue;
        if ((*at == BEGIN) == open) return 0;
        if ((open = !open) && --many < 0) return 0;
    }
    return !open && many == 0;
}

static int
append_words(PyObject *list, Bytes text, uint8_t *into, Py_ssize_t most)
{
    for (const uint8_t *at = text.at; (at = find(at, text.end, BEGIN)) < text.end;) {
        const uint8_t *end = find(at, text.end, END);
        PyObject *words = folded(at + 1, end, into, most);
        int failed = words == NULL ? -1 : PyList_Append(list, words);
        Py_XDECREF(words);
        if (failed) return -1;
        at = end;
    }
    return 0;
}

static PyObject *
anchors(PyObject *module, PyObject *args)
{
    PyObject *text;
    Py_ssize_t many, most;
    Bytes bytes;
    if (!PyArg_ParseTuple(args, "Unn", &text, &many, &most)) return NULL;
    int found = utf8_of(text, &bytes);
    if (found < 0) return NULL;
    if (!found || !are_in_order(bytes, many)) RETURN_NONE;
    PyObject *list = PyList_New(0);
    uint8_t *into = malloc((size_t)(bytes.end - bytes.at) + 1);
    if (into == NULL) {
        Py_XDECREF(list);
        return PyErr_NoMemory();
    }
    if (list != NULL && append_words(list, bytes, into, most) < 0) Py_CLEAR(list);
    free(into);
    return list;
}

static PyMethodDef functions[] = {
    {"tidy", tidy, METH_O, "tidy(text): without controls, empty lines and blanks at the ends of lines, or None."},
    {"anchors", anchors, METH_VARARGS, "anchors(marked, many, most): the words between marks in their order, or None."},
    {NULL, NULL, 0, NULL},
};

int
add_tidy(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
