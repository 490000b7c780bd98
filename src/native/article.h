/* What finds the part of a page that is worth reading: shared by the files that do. A function that may fail answers 0
 * if it did not; ASK for a page that would be laid out on megabytes; -1 for an error. */
#ifndef THRESHER_ARTICLE_H
#define THRESHER_ARTICLE_H

#include "tree.h"

enum { ASK = -2 };

enum { CALLED_SO = 1, SURELY = 2 }; /* what the class and the id of an element say */

typedef struct {
    uint32_t characters, headings; /* before a node */
} Sum;

typedef struct {
    Tree *tree;
    Sum *sums;
    Buffer candidates;
    Buffer whole, text, likeliest, read; /* rendered: the body, what is looked at, the best of a kind, the root */
    Lines lines, before;
    double all_prose, patience, prose;
    Place body, heading, root; /* 0 for none; the body may be the root of a page with frames */
    int wide;
} Page;

static inline double
larger(double one, double other)
{
    return one > other ? one : other;
}

/* article.c */
int rendered(const Page *page, Place node, Buffer *into);
void spend(Page *page, double characters);
double letters_of_lines(const Line *line, size_t count);

/* boilerplate.c */
int is_named(const Tree *tree, const Node *node, const Attribute *attribute, const char *name);
int calls(const Tree *tree, const Node *node);
int clear_away(Page *page);

/* root.c */
int look_round(Page *page);
int find_root(Page *page);
int find_parent(Page *page);

#endif
