/* What reads a page in one pass: shared by the files that do. A function that may fail answers 1; 0 where the page must
 * be read by Python; -1 for an error. */
#ifndef THRESHER_READER_H
#define THRESHER_READER_H

#include "tree.h"

typedef struct {
    Tree tree;
    PyObject *make, *words, *heading_of, *leads_on; /* Python's: a mention, the words of a rel, a heading in shape, whether a
                                                     * link leads to another page */
    PyObject *mentions, *images, *tags, *rest, *hidden, *empty, *heading;
    PyObject *first, **paths; /* where the page first has what is referred to; of links in each element */
    PyObject *names[TAGS];
    int wants_places, anchors;
    size_t looked_at; /* for paths */
} Reader;

/* reader.c */
PyObject *str_of(Bytes text);
int add_to(PyObject *list, PyObject *made);
int holds(Bytes value, const char *word); /* which is in small letters, whatever the value is in */
int text_below(const Tree *tree, Place node, Buffer *into);

/* paths.c */
int place_of(Reader *r, Place node, Bytes reference, PyObject **place);

/* hidden.c */
int clear_unseen(Tree *tree);
int gather_hidden(Reader *r);
int has_anchors_in_tables(const Tree *tree);

#endif
