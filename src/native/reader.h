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

/* reader.c */
PyObject *str_of(Bytes text);
int add_to(PyObject *list, PyObject *made);
int holds(Bytes value, const char *word); /* which is in small letters, whatever the value is in */
int are_in_order(const Buffer *text, Py_ssize_t many);
int text_below(const Tree *tree, Place node, Buffer *into);

/* paths.c */
int place_of(Reader *r, Place node, Bytes reference, PyObject **place);

/* hidden.c */
int clear_unseen(Tree *tree);
int gather_hidden(Reader *r);
int render_hidden(Tree *tree, const Style *style, Buffer *out);
int has_anchors_in_tables(const Tree *tree);

#endif
