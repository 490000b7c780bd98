/* thresher._core reads pages, and loops over letters. Text goes in, plain Python objects come out.
 *
 *     1      it worked
 *     0      the page, or the text, cannot be read here
 *     -1     an error of Python is set
 *
 * What only Python knows (a stem, whether a character stands between words) is asked of it. Any page may be hostile, so:
 * every index is checked against a length that was counted before the buffer was made; tables have a fixed size; what
 * calls itself goes no deeper than a tree may be; what is remembered is in an object, not static.
 * Only the stable ABI is used: one file serves all Pythons from 3.11 on.
 */
#ifndef THRESHER_CORE_H
#define THRESHER_CORE_H

#include "python.h"

#include <string.h>

#define CORE_FORM 5 /* raised with every change of what functions take or return: core/optional.py loads only its own */

#include <stdlib.h>

#ifdef CORE_TORTURE /* the build of a test: the allocation with a number that is set fails, and what is not freed is counted */
void *tortured(void *moved, size_t size, int is_zero);
void freed(void *memory);
#define malloc(size) tortured(NULL, (size), 0)
#define calloc(many, size) tortured(NULL, (size_t)(many) * (size), 1)
#define realloc(memory, size) tortured((memory), (size), 0)
#define free(memory) freed(memory)
#endif

typedef struct {
    const uint8_t *at, *end;
} Bytes;

/* The UTF-8 of a str, borrowed from it: 1; 0 for one that has none, a lone surrogate; -1 for an error. */
int utf8_of(PyObject *text, Bytes *bytes);

/* How many bytes the character takes that begins with this one; all input is valid UTF-8. */
static inline int
width_of(uint8_t first)
{
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The character at a place of valid UTF-8. */
static inline uint32_t
character_at(const uint8_t *at, int width)
{
    if (width == 1) return at[0];
    if (width == 2) return (uint32_t)(at[0] & 0x1F) << 6 | (at[1] & 0x3F);
    if (width == 3) return (uint32_t)(at[0] & 0x0F) << 12 | (uint32_t)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
    return (uint32_t)(at[0] & 0x07) << 18 | (uint32_t)(at[1] & 0x3F) << 12 | (uint32_t)(at[2] & 0x3F) << 6
           | (at[3] & 0x3F);
}

/* How many bytes of white space, as str.isspace has it, stand at a place; 0 if none does. */
static inline int
blank_at(const uint8_t *at, const uint8_t *end)
{
    uint8_t c = at[0];
    if (c < 0x80) return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20);
    if (c == 0xC2) return end - at >= 2 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (c < 0xE1 || c > 0xE3 || end - at < 3) return 0;
    if (c == 0xE1) return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0; /* U+1680 */
    if (c == 0xE3) return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0; /* U+3000 */
    if (at[1] == 0x81) return at[2] == 0x9F ? 3 : 0;              /* U+205F */
    if (at[1] != 0x80) return 0;
    return at[2] <= 0x8A || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0; /* U+2000 to 200A and others */
}

/* Where a byte stands first, or the end. */
static inline const uint8_t *
find(const uint8_t *at, const uint8_t *end, uint8_t c)
{
    const uint8_t *found = at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
    return found ? found : end;
}

/* Where a part stands first in a text, or NULL. */
const uint8_t *find_part(Bytes text, Bytes part);

static inline const uint8_t *
find_word(Bytes text, const char *word)
{
    return find_part(text, (Bytes){(const uint8_t *)word, (const uint8_t *)word + strlen(word)});
}

size_t characters_in(Bytes text);

/* Marks in a rendered text; parse/anchors.py has the same. */
enum { END = 0x04, BEGIN = 0x05, BREAK = 0x06, CODE = 0x0E };

/* The lines of a rendered text, from lines.c. */
#define LONG 60.0 /* letters of a line from which on it is prose */

enum { PROSE, LINKS, SHORT_LINE, KINDS };

typedef struct {
    double letters, linked;
    int marked; /* whether there is a mark of an anchor in it */
} Measure;

typedef struct {
    Bytes text;
    double letters, linked;
    int kind;
} Line;

typedef struct {
    Line *at; /* freed by the caller */
    size_t count, room;
} Lines;

Bytes stripped(Bytes text); /* of white space at both ends, as str.strip does */

/* Measure a line; it may begin inside of an anchor, and `inside` says afterwards whether the next one does. */
Measure measured(const uint8_t *at, const uint8_t *end, int *inside, int wide);
double prose_of_line(const Measure *line);

/* How many letters of a text are in long lines that are no links. */
double prose_in(Bytes text, int wide);

/* Whether a text has characters that count for more than one letter. */
int is_wide(Bytes text);

/* Append the lines of a text that have letters: 0, or -1 for an error. */
int read_lines(Bytes text, int wide, Lines *lines);

int add_reader(PyObject *module);
int add_text_functions(PyObject *module);
int add_words(PyObject *module);

#endif
