/* The words of a text, cut, folded and stemmed, and how often each occurs: what text/tokenize.py does for texts in other scripts.
 *
 * What a token counts as, and whether a character stands between words, is asked of Python once and remembered.
 * A table is made anew when it is half full; a text that would overfill it, or makes tokens collide, is left to
 * Python.
 */
#include "core.h"

#define SLOTS (1u << 17)
#define MANY 50000u    /* tokens and stems remembered */
#define PROBES 64u     /* slots looked at for one token */
#define LONGEST 200    /* bytes of a token */
#define LETTERS (MANY * 24u)
#define NUMBERS (MANY * 4u)

typedef struct {
    uint32_t hash, at, first; /* where its letters and the numbers of its stems begin */
    uint8_t length, stems, used;
} Slot;

typedef struct {
    Slot *slots;
    uint8_t *letters;
    uint32_t used, filled;
    PyObject *ask; /* token -> tuple of stems */
} Table;

typedef struct {
    ObjectHead head;
    Table plain, several; /* several: what looks like one token, but may be more, or foreign */
    PyObject *separates;  /* asked about a character beyond ASCII */
    PyObject *known;      /* stem -> number */
    PyObject **stems;     /* number -> stem */
    uint32_t *numbers, *counts, *touched;
    uint32_t stems_used, numbers_used, touched_used;
    uint8_t *separators; /* of the first 65,536 characters: 0 not asked yet, 1 no, 2 yes */
    uint8_t plain_of[256], several_of[256]; /* a byte folded, or a blank for one between words */
    double share;
    int busy;
} Words;

/* What takes the stems of a text: a list in their order, or the counts. */
typedef int (*Meet)(Words *, uint32_t number, void *into);

static int
forget(Words *self)
{
    for (uint32_t i = 0; i < self->stems_used; i++) Py_CLEAR(self->stems[i]);
    self->stems_used = self->numbers_used = 0;
    Table *tables[] = {&self->plain, &self->several};
    for (int i = 0; i < 2; i++) {
        memset(tables[i]->slots, 0, SLOTS * sizeof(Slot));
        tables[i]->used = tables[i]->filled = 0;
    }
    PyObject *before = self->known;
    self->known = PyDict_New();
    Py_XDECREF(before);
    return self->known == NULL ? -1 : 0;
}

/* The number of a stem: 0; 1 if there is no room. */
static int
number_of(Words *self, PyObject *stem, uint32_t *number)
{
    PyObject *found = PyDict_GetItemWithError(self->known, stem);
    if (found != NULL) {
        *number = (uint32_t)PyLong_AsUnsignedLong(found);
        return 0;
    }
    if (PyErr_Occurred()) return -1;
    if (self->stems_used >= MANY) return 1;
    PyObject *next = PyLong_FromUnsignedLong(self->stems_used);
    int failed = next == NULL ? -1 : PyDict_SetItem(self->known, stem, next);
    Py_XDECREF(next);
    if (failed) return -1;
    Py_INCREF(stem);
    self->stems[*number = self->stems_used++] = stem;
    return 0;
}

static int
note_stems(Words *self, PyObject *answer, Slot *slot)
{
    Py_ssize_t many = PyTuple_Size(answer);
    if (many < 0) return -1;
    if (many > 255 || self->numbers_used + (uint32_t)many > NUMBERS) return 1;
    for (Py_ssize_t i = 0; i < many; i++) {
        int failed = number_of(self, PyTuple_GetItem(answer, i), &self->numbers[self->numbers_used + i]);
        if (failed) return failed;
    }
    slot->first = self->numbers_used;
    slot->stems = (uint8_t)many;
    self->numbers_used += (uint32_t)many;
    return 0;
}

/* Ask Python what a token counts as, and remember it: 0; 1 if there is no room for it. */
static int
learn(Words *self, Table *table, Slot *slot, uint32_t hash, const uint8_t *token, uint32_t length)
{
    if (table->used >= MANY || table->filled + length > LETTERS) return 1;
    PyObject *word = PyUnicode_DecodeUTF8((const char *)token, length, NULL);
    PyObject *answer = word ? PyObject_CallFunctionObjArgs(table->ask, word, NULL) : NULL;
    Py_XDECREF(word);
    if (answer == NULL) return -1;
    int failed = note_stems(self, answer, slot);
    Py_DECREF(answer);
    if (failed) return failed;
    memcpy(table->letters + table->filled, token, length);
    slot->hash = hash;
    slot->at = table->filled;
    slot->length = (uint8_t)length;
    slot->used = 1;
    table->filled += length;
    table->used++;
    return 0;
}

/* Find a token, or learn it, and tell of its stems: 0; 1 if the reference must be asked. */
static int
meet_token(Words *self, Table *table, uint32_t hash, const uint8_t *token, uint32_t length, Meet meet, void *into)
{
    Slot *slot = NULL;
    uint32_t probe = 0;
    hash ^= hash >> 15;
    for (;; probe++) {
        if (probe == PROBES) return 1;
        slot = &table->slots[(hash + probe) & (SLOTS - 1)];
        if (!slot->used) {
            int failed = learn(self, table, slot, hash, token, length);
            if (failed) return failed;
            break;
        }
        if (slot->hash == hash && slot->length == length && !memcmp(table->letters + slot->at, token, length)) break;
    }
    for (uint32_t i = slot->first; i < slot->first + slot->stems; i++)
        if (meet(self, self->numbers[i], into) < 0) return -1;
    return 0;
}

static int
separates(Words *self, uint32_t c)
{
    if (c < 0x10000 && self->separators[c]) return self->separators[c] - 1;
    PyObject *letter = PyUnicode_FromOrdinal((int)c);
    PyObject *answer = letter ? PyObject_CallFunctionObjArgs(self->separates, letter, NULL) : NULL;
    Py_XDECREF(letter);
    if (answer == NULL) return -1;
    int found = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    if (found >= 0 && c < 0x10000) self->separators[c] = (uint8_t)(1 + found);
    return found;
}

static inline int
ends_in_sign(Bytes text, const uint8_t *at)
{
    if (at == text.at || !(*at == '#' || (*at == '+' && at + 1 < text.end && at[1] == '+'))) return 0;
    uint8_t before = at[-1] | 0x20;
    return before == 'c' || before == 'f' || before == 'g';
}

enum { PLAIN, SEVERAL, REFERENCE };

/* By which table a text is cut; -1 for an error. */
static int
look(Words *self, Bytes text)
{
    Py_ssize_t characters = 0, strange = 0;
    int mode = PLAIN;
    for (const uint8_t *at = text.at; at < text.end; characters++) {
        if (*at < 0x80) {
            if ((*at == '#' || *at == '+') && ends_in_sign(text, at)) mode = SEVERAL;
            at++;
            continue;
        }
        int width = width_of(*at), between = separates(self, character_at(at, width));
        if (between < 0) return -1;
        if (!between) mode = SEVERAL;
        at += width;
        strange++;
    }
    return (double)strange > self->share * (double)characters ? REFERENCE : mode;
}

static inline int
is_apostrophe(const uint8_t *at, const uint8_t *end) /* U+2019 */
{
    return end - at >= 3 && at[0] == 0xE2 && at[1] == 0x80 && at[2] == 0x99;
}

/* Cut a text and meet its tokens: 0; 1 if the reference must be asked. */
static int
cut(Words *self, Bytes text, int mode, Meet meet, void *into)
{
    Table *table = mode == PLAIN ? &self->plain : &self->several;
    const uint8_t *fold = mode == PLAIN ? self->plain_of : self->several_of, *at = text.at;
    uint8_t token[LONGEST];
    while (at < text.end) {
        uint32_t hash = 0x811C9DC5u, length = 0;
        int blank = 0;
        while (at < text.end) {
            uint8_t c = *at;
            if (c == 0xE2 && is_apostrophe(at, text.end)) c = '\'', at += 2;
            else if (c >= 0x80 && mode == SEVERAL && (blank = blank_at(at, text.end))) break;
            if ((c = fold[c]) == ' ') break;
            if (length == LONGEST) return 1;
            token[length++] = c;
            hash = (hash ^ c) * 0x01000193u;
            at++;
        }
        if (length) {
            int failed = meet_token(self, table, hash, token, length, meet, into);
            if (failed) return failed;
        }
        at += blank ? blank : 1;
    }
    return 0;
}

/* Everything between a text and what takes its stems: 0; 1 if Python must cut it. */
static int
read_text(Words *self, PyObject *text, Meet meet, void *into)
{
    Bytes bytes;
    if (self->busy) return 1; /* Python was asked, and asks back */
    int found = utf8_of(text, &bytes);
    if (found <= 0) return found < 0 ? -1 : 1;
    if (self->plain.used > MANY / 2 || self->several.used > MANY / 2 || self->stems_used > MANY / 2
        || self->numbers_used > NUMBERS / 2)
        if (forget(self) < 0) return -1;
    self->busy = 1;
    int mode = look(self, bytes);
    int failed = mode < 0 ? -1 : mode == REFERENCE ? 1 : cut(self, bytes, mode, meet, into);
    self->busy = 0;
    return failed;
}

static int
append(Words *self, uint32_t number, void *into)
{
    return PyList_Append(into, self->stems[number]);
}

static PyObject *
words_of(PyObject *object, PyObject *text)
{
    PyObject *found = PyList_New(0);
    if (found == NULL) return NULL;
    int failed = read_text((Words *)object, text, append, found);
    if (!failed) return found;
    Py_DECREF(found);
    if (failed < 0) return NULL;
    RETURN_NONE;
}

static int
count(Words *self, uint32_t number, void *into)
{
    if (self->counts[number]++ == 0) self->touched[self->touched_used++] = number;
    return 0;
}

static PyObject *
words_count(PyObject *object, PyObject *args)
{
    Words *self = (Words *)object;
    PyObject *into, *text;
    if (!PyArg_ParseTuple(args, "OU", &into, &text)) return NULL;
    if (self->busy) return PyBool_FromLong(0); /* the counts are another's */
    int failed = read_text(self, text, count, NULL);
    for (uint32_t i = 0; i < self->touched_used; i++) {
        uint32_t number = self->touched[i];
        PyObject *many = failed ? NULL : PyLong_FromUnsignedLong(self->counts[number]);
        if (!failed && (many == NULL || PyDict_SetItem(into, self->stems[number], many) < 0)) failed = -1;
        Py_XDECREF(many);
        self->counts[number] = 0;
    }
    self->touched_used = 0;
    if (failed < 0) return NULL;
    return PyBool_FromLong(!failed);
}

static int
make_table(Table *table, PyObject *ask)
{
    Py_INCREF(ask);
    table->ask = ask;
    table->slots = calloc(SLOTS, sizeof(Slot));
    table->letters = malloc(LETTERS);
    return table->slots && table->letters;
}

static PyObject *
words_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *one, *more, *between;
    const char *plain, *several;
    Py_ssize_t plain_size, several_size;
    double share;
    if (!PyArg_ParseTuple(args, "OOOy#y#d", &one, &more, &between, &plain, &plain_size, &several, &several_size, &share))
        return NULL;
    if (plain_size != 256 || several_size != 256) {
        PyErr_SetString(PyExc_ValueError, "a table has 256 bytes");
        return NULL;
    }
    Words *self = (Words *)PyType_GenericAlloc(type, 0); /* all zero */
    if (self == NULL) return NULL;
    memcpy(self->plain_of, plain, 256);
    memcpy(self->several_of, several, 256);
    self->share = share;
    Py_INCREF(between);
    self->separates = between;
    int made = make_table(&self->plain, one) & make_table(&self->several, more);
    self->stems = calloc(MANY, sizeof *self->stems);
    self->numbers = calloc(NUMBERS, sizeof *self->numbers);
    self->counts = calloc(MANY, sizeof *self->counts);
    self->touched = calloc(MANY, sizeof *self->touched);
    self->separators = calloc(0x10000, 1);
    if (!made || !self->stems || !self->numbers || !self->counts || !self->touched || !self->separators) PyErr_NoMemory();
    else if (forget(self) == 0) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static void
words_free(PyObject *object)
{
    Words *self = (Words *)object;
    PyTypeObject *type = (PyTypeObject *)PyObject_Type(object);
    for (uint32_t i = 0; i < self->stems_used; i++) Py_CLEAR(self->stems[i]);
    Py_CLEAR(self->known);
    Py_CLEAR(self->separates);
    Py_CLEAR(self->plain.ask);
    Py_CLEAR(self->several.ask);
    void *memory[] = {self->plain.slots, self->plain.letters, self->several.slots, self->several.letters, self->stems,
                      self->numbers,     self->counts,        self->touched,       self->separators};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type), Py_DECREF(type); /* what it had, and what we asked for */
}

static PyMethodDef methods[] = {
    {"of", words_of, METH_O, "of(text): its words in their order, or None."},
    {"count", words_count, METH_VARARGS, "count(into, text): count its words into a dict; False: ask the reference."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Words(stems_of, several_of, separates, plain, several, share): what to ask, and how bytes are folded."},
    {Py_tp_new, words_new},
    {Py_tp_dealloc, words_free},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec specification = {
    .name = "thresher._core.Words",
    .basicsize = sizeof(Words),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int
add_words(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&specification);
    int failed = type == NULL ? -1 : PyModule_AddObjectRef(module, "Words", type);
    Py_XDECREF(type);
    return failed;
}
