/* The SimHash of a text: parse/fingerprint.py is the reference. */
#include "core.h"

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

static PyMethodDef functions[] = {
    {"simhash", simhash, METH_VARARGS, "simhash(text, most): the SimHash of its first characters, or None."},
    {NULL, NULL, 0, NULL},
};

int
add_simhash(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
