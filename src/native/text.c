/* Loops over the letters of texts: tidied, the words of anchors, the SimHash, and how many letters markup shows.
 *
 *     tidied    without controls, empty lines and blanks at the ends of lines
 *     shingle   the hash of a few words in a row; each votes on each of 64 bits
 *     letters   of markup: those outside tags, comments and elements that are not seen
 */
#include "core.h"

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

/* SimHash */

#define BASE 0x9E3779B97F4A7C15u
#define PLANES 20 /* bits of a count of shingles: no more than 100,000 characters are read */

enum { APART, LETTER, IDEOGRAPH };

static int
kind_of(uint32_t c)
{
    if (c < 0x80) return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ? LETTER : APART;
    if (c <= 0xBF || (c >= 0x2000 && c <= 0x206F) || (c >= 0x3000 && c <= 0x3004) || (c >= 0x3008 && c <= 0x3020)
        || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF01 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF20)
        || (c >= 0xFF5B && c <= 0xFF65))
        return APART;
    if ((c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF)
        || (c >= 0x20000 && c <= 0x3FFFF))
        return IDEOGRAPH;
    return LETTER;
}

static inline uint64_t
mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The shingles met so far: bit i of plane p is bit p of how many of them have bit i. */
typedef struct {
    uint64_t planes[PLANES], before, last;
    uint32_t words, shingles;
} Votes;

static inline void
vote(Votes *votes, uint64_t carry)
{
    for (int p = 0; carry && p < PLANES; p++) {
        uint64_t both = votes->planes[p] & carry;
        votes->planes[p] ^= carry;
        carry = both;
    }
    votes->shingles++;
}

static inline void
meet(Votes *votes, uint64_t polynomial)
{
    uint64_t word = mix(polynomial);
    if (++votes->words >= 3) vote(votes, mix((votes->before * BASE + votes->last) * BASE + word));
    votes->before = votes->last;
    votes->last = word;
}

static void
read_words(Votes *votes, Bytes text, Py_ssize_t most)
{
    uint64_t sum = 0, power = 1;
    for (const uint8_t *at = text.at; at < text.end && most > 0; most--) {
        int width = width_of(*at), kind;
        uint32_t c = character_at(at, width);
        at += width;
        if ((kind = kind_of(c)) == LETTER) {
            sum += c * power;
            power *= BASE;
            continue;
        }
        if (power != 1) meet(votes, sum), sum = 0, power = 1;
        if (kind == IDEOGRAPH) meet(votes, c);
    }
    if (power != 1) meet(votes, sum);
}

static uint64_t
won(const Votes *votes)
{
    uint64_t bits = 0;
    for (int bit = 0; bit < 64; bit++) {
        uint32_t count = 0;
        for (int p = 0; p < PLANES; p++) count |= (uint32_t)(votes->planes[p] >> bit & 1) << p;
        if (2 * count > votes->shingles) bits |= 1ull << bit;
    }
    return bits;
}

static PyObject *
simhash(PyObject *module, PyObject *args)
{
    PyObject *text;
    Py_ssize_t most;
    Bytes bytes;
    Votes votes = {0};
    if (!PyArg_ParseTuple(args, "Un", &text, &most)) return NULL;
    int found = utf8_of(text, &bytes);
    if (found < 0) return NULL;
    if (!found || most >= 1 << PLANES) RETURN_NONE;
    read_words(&votes, bytes, most);
    if (votes.words == 1) vote(&votes, mix(votes.last));
    if (votes.words == 2) vote(&votes, mix(votes.before * BASE + votes.last));
    return PyLong_FromUnsignedLongLong(won(&votes));
}

/* Letters of markup */

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

/* Where text may go on behind a tag, a comment, or an element that is not seen. */
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
    {"tidy", tidy, METH_O, "tidy(text): without controls, empty lines and blanks at the ends of lines, or None."},
    {"anchors", anchors, METH_VARARGS, "anchors(marked, many, most): the words between marks in their order, or None."},
    {"simhash", simhash, METH_VARARGS, "simhash(text, most): the SimHash of its first characters, or None."},
    {"letters_in", letters_in, METH_VARARGS, "letters_in(markup, most, tags): the letters that a reader sees of bytes."},
    {NULL, NULL, 0, NULL},
};

int
add_text_functions(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
