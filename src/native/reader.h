/* What reads a page in one pass: shared by the files that do. A function that may fail answers 1; 0 where the page must
 * be read by Python; -1 for an error. */
#ifndef THRESHER_READER_H
#define THRESHER_READER_H

#include "tree.h"

enum { PLACES = 1, BREAKS = 2, WRITTEN = 4, SERIALIZED = 8, CONTEXT = 16 }; /* what is asked for, and what the markup is */

typedef struct {
    Tree tree;
    PyObject *make, *words, *heading_of, *leads_on, *target_of; /* Python's: a mention, the words of a rel, a heading in shape, whether a
                                                     * link leads to another page */
    PyObject *mentions, *images, *tags, *rest, *hidden, *empty, *heading;
    PyObject *first, **paths; /* where the page first has what is referred to; of links in each element */
    PyObject *names[TAGS];
    Style style;     /* of what is seen */
    unsigned wants;  /* PLACES, BREAKS, WRITTEN */
    Py_ssize_t met;  /* what names another page */
    long anchors;
    int is_numbered, is_odd; /* anchors are; those of a hidden part must be */
    uint32_t *numbers; /* of the anchors, by their nodes */
    size_t looked_at; /* for paths */
} Reader;

/* The texts of a page: what is seen of it, the part worth reading, all that is written in it; what is seen and what is
 * hidden with a number in each mark. */
typedef struct {
    Buffer seen, article, written, numbered, hidden;
} Texts;

/* reader.c */
PyObject *str_of(Bytes text);
int add_to(PyObject *list, PyObject *made);
int holds(Bytes value, const char *word); /* which is in small letters, whatever the value is in */
int text_below(const Tree *tree, Place node, Buffer *into);

/* paths.c */
int place_of(Reader *r, Place node, Bytes reference, PyObject **place);

/* seen.c */
int read_texts(Reader *r, Bytes markup, Texts *texts);

#endif
