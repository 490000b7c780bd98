/* What is not seen of a page: hidden parts, of which only the anchors are told, and signs behind headings. */
#include "reader.h"

#include <stdlib.h>

#define NOTICE 1000 /* letters for browsers without scripts that may be the page */

static int
is_hidden(const Tree *tree, Place node)
{
    const Node *of = &tree->nodes[node];
    int by_tag = of->tag == NOSCRIPT || of->tag == SELECT || of->tag == IFRAME || of->tag == RT || of->tag == RP;
    if (by_tag && !(of->flags & IS_FOREIGN)) return 1;
    if (of->attributes == 0) return 0;
    Bytes style = attribute_of(tree, node, "style");
    if (attribute_of(tree, node, "hidden").at) return 1;
    if (holds(style, "display:none") || holds(style, "display: none") || holds(style, "visibility:hidden")) return 1;
    return 0;
}

/* Take a hidden part out, unless it may be the page. */
static int
take_out(Tree *tree, Place node)
{
    size_t letters = 0;
    uint8_t tag = tree->nodes[node].tag;
    if (tag == HTML || tag == BODY) return 1;
    for (Place each = node; tag == NOSCRIPT && each < tree->nodes[node].end; each++)
        if (tree->nodes[each].flags & IS_TEXT) letters += (size_t)(tree->nodes[each].text.end - tree->nodes[each].text.at);
    if (letters > NOTICE) return 0;
    tree->nodes[node].flags |= IS_GONE | IS_HIDDEN;
    return 1;
}

/* The numbers of the anchors of a hidden part, but for those in hidden parts of it, counted from `number` on. */
static PyObject *
anchors_in(const Tree *tree, Place node, long number)
{
    PyObject *numbers = PyList_New(0);
    Place passed = 0;
    for (Place each = node; numbers && each < tree->nodes[node].end; each++) {
        const Node *of = &tree->nodes[each];
        if (each > node && of->flags & IS_HIDDEN && of->end > passed) passed = of->end;
        if (!(of->flags & IS_MARKED)) continue;
        if (each >= passed && add_to(numbers, PyLong_FromLong(number)) < 0) Py_CLEAR(numbers);
        number++;
    }
    return numbers;
}

/* Add what a hidden part says, if there are anchors in it, with their numbers. */
static int
add_hidden(Reader *r, Place node, long number)
{
    PyObject *numbers = anchors_in(&r->tree, node, number);
    Buffer text = {0};
    int found = numbers ? PyList_Size(numbers) > 0 : -1;
    if (found > 0) {
        r->tree.nodes[node].flags &= (uint8_t)~IS_GONE;
        found = render(&r->tree, node, 1, &text);
        r->tree.nodes[node].flags |= IS_GONE;
        const char *words = text.at ? (const char *)text.at : "";
        if (found == 1) found = add_to(r->hidden, Py_BuildValue("Os#", numbers, words, (Py_ssize_t)text.size));
    } else if (found == 0)
        found = 1;
    Py_XDECREF(numbers);
    free(text.at);
    return found;
}

int
gather_hidden(Reader *r)
{
    long number = 0;
    for (Place each = 1; each < r->tree.count; each++) {
        if (r->tree.nodes[each].flags & IS_HIDDEN) TRY(add_hidden(r, each, number));
        number += (r->tree.nodes[each].flags & IS_MARKED) != 0;
    }
    return 1;
}

/* Where hidden anchors are told from others by longer marks, these would widen the cells they stand in. */
int
has_anchors_in_tables(const Tree *tree)
{
    for (Place each = 1; each < tree->count; each++)
        for (Place inside = each; tree->nodes[each].tag == TABLE && inside < tree->nodes[each].end; inside++)
            if (tree->nodes[inside].flags & IS_MARKED) return 1;
    return 0;
}

/* Whether an anchor is a sign behind a heading that leads to the heading itself: -2 if it is called so in other letters,
 * which is the same on some pages only. */
static int
is_permalink(const Tree *tree, Place node)
{
    static const char *const names[] = {"headerlink", "header-anchor", "anchor", "headeranchor-link", "anchorjs-link",
                                        "heading-anchor", "permalink", "anchor-link", NULL};
    Bytes href = attribute_of(tree, node, "href"), name = attribute_of(tree, node, "class");
    if (href.at == NULL || href.at == href.end || *href.at != '#' || name.at == NULL) return 0;
    for (const uint8_t *at = name.at; at < name.end; at++) {
        const uint8_t *last = at;
        while (last < name.end && *last != ' ' && (*last < '\t' || *last > '\r' || *last == '\v')) last++;
        if (is_any((Bytes){at, last}, names)) return 1;
        for (size_t i = 0; names[i]; i++)
            if ((size_t)(last - at) == strlen(names[i]) && holds((Bytes){at, last}, names[i])) return -2;
        at = last;
    }
    return 0;
}

/* How many letters stand below a node, without the blanks at both ends, two at most. */
static int
letters_below(const Tree *tree, Place node)
{
    Buffer into = {0};
    int letters = 0, blanks = 0;
    if (text_below(tree, node, &into) < 0) return -1;
    const uint8_t *end = into.at + into.size;
    for (const uint8_t *at = into.at; at < end && letters < 2; at += width_of(*at)) {
        if (blank_at(at, end)) blanks += letters;
        else letters += 1 + (blanks > 0);
    }
    free(into.at);
    return letters > 2 ? 2 : letters;
}

int
clear_unseen(Tree *tree)
{
    for (Place each = 1; each < tree->count; each++) {
        Node *of = &tree->nodes[each];
        if (of->flags & IS_TEXT) continue;
        if (is_hidden(tree, each)) TRY(take_out(tree, each));
        int is_sign = of->tag == A && !(of->flags & IS_FOREIGN) ? is_permalink(tree, each) : 0;
        if (is_sign == -2) return 0;
        if (is_sign) {
            int letters = letters_below(tree, each);
            if (letters < 0) return -1;
            if (letters < 2) of->flags |= IS_GONE;
        }
    }
    return 1;
}
