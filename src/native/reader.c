/* A page read in one pass: what `parse/html.py` makes of the tree of a page, for pages whose markup is sound. */
#define _GNU_SOURCE /* memmem */
#include "tree.h"

#include <stdlib.h>

#define MOST_ANCHORS 5000
#define MOST_IMAGES 500
#define STEPS 16   /* tags kept of a path, the innermost */
#define HINT 32    /* letters of an id or a class worth keeping */
#define HEADING 200 /* letters of a heading */
#define NOTICE 1000 /* letters for browsers without scripts that may be the page */

typedef struct {
    Tree tree;
    PyObject *make, *words, *heading_of, *leads_on; /* Python's: a mention, the words of a rel, a heading in shape, whether a
                                                     * link leads to another page */
    PyObject *mentions, *images, *tags, *rest, *hidden, *empty, *heading;
    PyObject *first, **paths; /* where the page first has what is referred to; of links in each element */
    PyObject *names[TAGS];
    int wants_places, anchors;
} Reader;

static PyObject *
str_of(Bytes text)
{
    return PyUnicode_DecodeUTF8((const char *)text.at, text.end - text.at, NULL);
}

static int
add_to(PyObject *list, PyObject *made)
{
    int failed = made == NULL || PyList_Append(list, made) < 0;
    Py_XDECREF(made);
    return failed ? -1 : 1;
}

static int
holds(Bytes value, const char *word)
{
    size_t size = strlen(word);
    if (value.at == NULL) return 0;
    for (const uint8_t *at = value.at; at + size <= value.end; at++) {
        size_t i = 0;
        while (i < size && (at[i] >= 'A' && at[i] <= 'Z' ? at[i] | 0x20 : at[i]) == word[i]) i++;
        if (i == size) return 1;
    }
    return 0;
}

/* All text below a node. */
static int
text_below(const Tree *tree, Place node, Buffer *into)
{
    for (Place each = node + 1; each < tree->nodes[node].end; each++) {
        const Node *of = &tree->nodes[each];
        if (of->flags & IS_TEXT && append(into, of->text.at, (size_t)(of->text.end - of->text.at)) < 0) return -1;
    }
    return 1;
}

static PyObject *
str_below(const Tree *tree, Place node)
{
    Buffer into = {0};
    PyObject *made = NULL;
    if (text_below(tree, node, &into) == 1) made = PyUnicode_DecodeUTF8((const char *)into.at, (Py_ssize_t)into.size, NULL);
    free(into.at);
    return made;
}

/* Paths of links */

/* Whether all of a name is letters, which only Python knows of foreign ones: 1, 0 or -1. */
static int
is_all_letters(const uint8_t *at, size_t size)
{
    PyObject *name = PyUnicode_DecodeUTF8((const char *)at, (Py_ssize_t)size, NULL);
    PyObject *found = name ? PyObject_CallMethod(name, "isalpha", NULL) : NULL;
    int answer = found ? PyObject_IsTrue(found) : -1;
    Py_XDECREF(name), Py_XDECREF(found);
    return answer;
}

/* Whether a name may be that of a place, for one with digits is the name of a single thing: 1, 0 or -1. */
static int
tells(Bytes name)
{
    uint8_t letters[4 * HINT];
    size_t size = 0, characters = 0, foreign = 0;
    for (const uint8_t *at = name.at; at < name.end; at++) {
        characters += (*at & 0xC0) != 0x80;
        if (characters > HINT) return 0;
        if (*at == '-' || *at == '_') continue;
        foreign += *at >= 0x80;
        if (*at < 0x80 && ((*at | 0x20) < 'a' || (*at | 0x20) > 'z')) return 0;
        letters[size++] = *at;
    }
    return size == 0 ? 0 : foreign ? is_all_letters(letters, size) : 1;
}

static int
write_step(const Tree *tree, Place node, Buffer *path)
{
    const Node *of = &tree->nodes[node];
    Bytes id = attribute_of(tree, node, "id"), name = attribute_of(tree, node, "class");
    if (name.at) name.end = find(name.at, name.end, ' ');
    int by_id = tells(id), by_name = by_id == 1 ? 0 : tells(name);
    if (by_id < 0 || by_name < 0) return -1;
    Bytes hint = by_id ? id : name;
    if (append(path, of->text.at, (size_t)(of->text.end - of->text.at)) < 0) return -1;
    if (!by_id && !by_name) return 1;
    if (append(path, by_id ? "#" : ".", 1) < 0) return -1;
    return append(path, hint.at, (size_t)(hint.end - hint.at)) < 0 ? -1 : 1;
}

/* Write the tags that lead to a link that stands right below a node. */
static int
write_path(const Tree *tree, Place above, Bytes tag, Buffer *path)
{
    Place chain[STEPS];
    int steps = 0;
    for (; above && steps < STEPS; above = tree->nodes[above].parent) chain[steps++] = above;
    while (steps--) {
        TRY(write_step(tree, chain[steps], path));
        if (append(path, "/", 1) < 0) return -1;
    }
    return append(path, tag.at, (size_t)(tag.end - tag.at)) < 0 ? -1 : 1;
}

/* The path of a node: 1, with a reference of its own in `path`. */
static int
path_of(Reader *r, Place node, PyObject **path)
{
    Place above = r->tree.nodes[node].parent;
    int is_anchor = r->tree.nodes[node].tag == A;
    Buffer into = {0};
    if (is_anchor && (*path = r->paths[above]) != NULL) return Py_INCREF(*path), 1;
    int found = write_path(&r->tree, above, r->tree.nodes[node].text, &into);
    if (found == 1) {
        *path = PyUnicode_DecodeUTF8((const char *)into.at, (Py_ssize_t)into.size, NULL);
        found = *path ? 1 : -1;
        if (is_anchor && *path) Py_INCREF(r->paths[above] = *path);
    }
    free(into.at);
    return found;
}

/* Where the page first has what is referred to: 1, with a reference of its own in `place`. */
static int
place_of(Reader *r, Place node, Bytes reference, PyObject **place)
{
    if (!r->wants_places) return Py_INCREF(*place = r->empty), 1;
    PyObject *document = str_of((Bytes){reference.at, find(reference.at, reference.end, '#')});
    if (document == NULL) return -1;
    int found = 1;
    if ((*place = PyDict_GetItemWithError(r->first, document)) != NULL) Py_INCREF(*place);
    else if (PyErr_Occurred()) found = -1;
    else if ((found = path_of(r, node, place)) == 1 && PyDict_SetItem(r->first, document, *place) < 0) {
        Py_CLEAR(*place);
        found = -1;
    }
    Py_DECREF(document);
    return found;
}

/* Elements */

static PyObject *
name_of(Reader *r, Place node)
{
    const Node *of = &r->tree.nodes[node];
    if (of->tag == NO_TAG || of->flags & IS_FOREIGN) return str_of(of->text);
    if (r->names[of->tag] == NULL) r->names[of->tag] = str_of(of->text);
    Py_XINCREF(r->names[of->tag]);
    return r->names[of->tag];
}

/* What an anchor without words is called. */
static PyObject *
label_of(Reader *r, Place node)
{
    Bytes label = attribute_of(&r->tree, node, "title");
    if (label.at == label.end) label = attribute_of(&r->tree, node, "aria-label");
    return label.at == label.end ? (Py_INCREF(r->empty), r->empty) : str_of(label);
}

static PyObject *
rel_of(Reader *r, Place node)
{
    Bytes rel = attribute_of(&r->tree, node, "rel");
    if (rel.at == rel.end) return Py_INCREF(r->empty), r->empty;
    PyObject *written = str_of(rel), *made = written ? PyObject_CallFunctionObjArgs(r->words, written, NULL) : NULL;
    Py_XDECREF(written);
    return made;
}

static int
anchor(Reader *r, Place node)
{
    Bytes href = attribute_of(&r->tree, node, "href");
    PyObject *place;
    if (href.at == NULL || (href.at < href.end && *href.at == '#')) return 1;
    if (++r->anchors > MOST_ANCHORS) return 0;
    r->tree.nodes[node].flags |= IS_MARKED;
    TRY(place_of(r, node, href, &place));
    PyObject *reference = str_of(href), *rel = rel_of(r, node), *label = label_of(r, node), *made = NULL;
    PyObject *nowhere = PyLong_FromLong(-1);
    if (reference && rel && label && nowhere)
        made = PyObject_CallFunctionObjArgs(r->make, reference, rel, label, r->empty, place, nowhere, r->heading, NULL);
    Py_XDECREF(reference), Py_XDECREF(rel), Py_XDECREF(label), Py_DECREF(place), Py_XDECREF(nowhere);
    return add_to(r->mentions, made);
}

static int
image(Reader *r, Place node)
{
    Bytes source = attribute_of(&r->tree, node, "src");
    if (source.at == source.end || PyList_Size(r->images) >= MOST_IMAGES) return 1;
    return add_to(r->images, str_of(source));
}

static int
set_heading(Reader *r, Place node)
{
    if (!r->wants_places) return 1;
    PyObject *whole = str_below(&r->tree, node), *start = whole ? PyUnicode_Substring(whole, 0, HEADING) : NULL;
    PyObject *made = start ? PyObject_CallFunctionObjArgs(r->heading_of, start, NULL) : NULL;
    Py_XDECREF(whole), Py_XDECREF(start);
    if (made == NULL) return -1;
    Py_DECREF(r->heading);
    r->heading = made;
    return 1;
}

static void
leave_heading(Reader *r)
{
    Py_INCREF(r->empty);
    Py_DECREF(r->heading);
    r->heading = r->empty;
}

static PyObject *
attributes_of(Reader *r, Place node)
{
    const Node *of = &r->tree.nodes[node];
    PyObject *made = PyDict_New();
    for (uint32_t i = of->first + of->attributes; made && i-- > of->first;) { /* the first of a name is what counts */
        PyObject *name = str_of(r->tree.attributes[i].name), *value = str_of(r->tree.attributes[i].value);
        if (name == NULL || value == NULL || PyDict_SetItem(made, name, value) < 0) Py_CLEAR(made);
        Py_XDECREF(name), Py_XDECREF(value);
    }
    return made;
}

/* Leave an element to Python: how many mentions stand before it, its tag, its attributes, the tag above it, its place
 * and its text. */
static int
leave(Reader *r, Place node, const char *reference_in)
{
    const Node *of = &r->tree.nodes[node];
    Bytes reference = reference_in ? attribute_of(&r->tree, node, reference_in) : (Bytes){NULL, NULL};
    PyObject *place = NULL;
    if (reference.at) TRY(place_of(r, node, reference, &place));
    else Py_INCREF(place = r->empty);
    PyObject *attributes = attributes_of(r, node), *name = name_of(r, node), *above = name_of(r, of->parent);
    PyObject *text = of->tag == TITLE ? str_below(&r->tree, node) : (Py_INCREF(r->empty), r->empty), *made = NULL;
    if (attributes && name && above && text)
        made = Py_BuildValue("nOOOOO", PyList_Size(r->mentions), name, attributes, above, place, text);
    Py_XDECREF(attributes), Py_XDECREF(name), Py_XDECREF(above), Py_DECREF(place), Py_XDECREF(text);
    return add_to(r->rest, made);
}

/* Only a link that leads on is a mention, and has a place. */
static int
link_element(Reader *r, Place node)
{
    Bytes href = attribute_of(&r->tree, node, "href"), type = attribute_of(&r->tree, node, "type");
    if (href.at == href.end) return 1;
    PyObject *rel = rel_of(r, node), *written = type.at ? str_of(type) : (Py_INCREF(r->empty), r->empty);
    PyObject *found = rel && written ? PyObject_CallFunctionObjArgs(r->leads_on, rel, written, NULL) : NULL;
    int leads_on = found ? PyObject_IsTrue(found) : -1;
    Py_XDECREF(rel), Py_XDECREF(written), Py_XDECREF(found);
    return leads_on < 0 ? -1 : leave(r, node, leads_on ? "href" : NULL);
}

static int
meet(Reader *r, Place node)
{
    const Node *of = &r->tree.nodes[node];
    if (of->flags & IS_FOREIGN) return 1;
    switch (of->tag) {
    case A: return anchor(r, node);
    case IMG: return image(r, node);
    case HTML: case BASE: case TITLE: return leave(r, node, NULL);
    case META: return attribute_of(&r->tree, node, "http-equiv").at && holds(attribute_of(&r->tree, node, "http-equiv"), "refresh")
                          ? 0 : leave(r, node, NULL);
    case AREA: return leave(r, node, "href");
    case IFRAME: return leave(r, node, "src");
    case LINK: return link_element(r, node);
    case H2: case H3: case H4: case H5: case H6: return set_heading(r, node);
    case H1: case NAV: case ASIDE: case FOOTER: return leave_heading(r), 1;
    default: return 1;
    }
}

static int
gather(Reader *r)
{
    for (Place each = 1; each < r->tree.count; each++) {
        if (r->tree.nodes[each].flags & IS_TEXT) continue;
        TRY(add_to(r->tags, name_of(r, each)));
        TRY(meet(r, each));
    }
    return 1;
}

/* What is not seen */

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
        if (each > node && tree->nodes[each].flags & IS_HIDDEN && tree->nodes[each].end > passed) passed = tree->nodes[each].end;
        if (!(tree->nodes[each].flags & IS_MARKED)) continue;
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
        if (found == 1) found = add_to(r->hidden, Py_BuildValue("Os#", numbers, text.at ? (char *)text.at : "", (Py_ssize_t)text.size));
    } else if (found == 0)
        found = 1;
    Py_XDECREF(numbers);
    free(text.at);
    return found;
}

static int
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
static int
has_anchors_in_tables(const Tree *tree)
{
    for (Place each = 1; each < tree->count; each++)
        for (Place inside = each; tree->nodes[each].tag == TABLE && inside < tree->nodes[each].end; inside++)
            if (tree->nodes[inside].flags & IS_MARKED) return 1;
    return 0;
}

/* Whether an anchor is a sign behind a heading that leads to the heading itself. */
static int
is_permalink(const Tree *tree, Place node)
{
    static const char *const names[] = {"headerlink", "header-anchor", "anchor", "headeranchor-link", "anchorjs-link",
                                        "heading-anchor", "permalink", "anchor-link"};
    Bytes href = attribute_of(tree, node, "href"), name = attribute_of(tree, node, "class");
    if (href.at == NULL || href.at == href.end || *href.at != '#' || name.at == NULL) return 0;
    for (const uint8_t *at = name.at; at < name.end; at++) {
        const uint8_t *last = at;
        while (last < name.end && !blank_at(last, name.end)) last++;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (same((Bytes){at, last}, names[i])) return 1;
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

static int
clear(Tree *tree)
{
    for (Place each = 1; each < tree->count; each++) {
        Node *of = &tree->nodes[each];
        if (of->flags & IS_TEXT) continue;
        if (is_hidden(tree, each)) TRY(take_out(tree, each));
        if (of->tag == A && !(of->flags & IS_FOREIGN) && is_permalink(tree, each)) {
            int letters = letters_below(tree, each);
            if (letters < 0) return -1;
            if (letters < 2) of->flags |= IS_GONE;
        }
    }
    return 1;
}

/* The page */

/* Whether anything is seen of a page; where links are hidden, marks of others do not count. */
static int
has_letters(const Buffer *text, int marks_count)
{
    const uint8_t *end = text->at + text->size;
    for (const uint8_t *at = text->at; at < end; at += width_of(*at))
        if (!blank_at(at, end) && (marks_count || (*at != BEGIN && *at != END))) return 1;
    return 0;
}

static int
read_page(Reader *r, Bytes markup, PyObject *entities, Buffer *seen, Buffer *article)
{
    TRY(tree_of(markup, entities, &r->tree));
    if (r->wants_places && (r->paths = calloc(r->tree.count, sizeof *r->paths)) == NULL) return PyErr_NoMemory(), -1;
    TRY(gather(r));
    TRY(clear(&r->tree));
    TRY(gather_hidden(r));
    if (PyList_Size(r->hidden) && has_anchors_in_tables(&r->tree)) return 0;
    TRY(render(&r->tree, 0, 1, seen));
    if (!has_letters(seen, PyList_Size(r->hidden) == 0)) return 0;
    return article_of(&r->tree, (Bytes){seen->at, seen->at + seen->size}, article);
}

static PyObject *
answer(const Reader *r, const Buffer *seen, const Buffer *article)
{
    return Py_BuildValue("OOOOOs#s#", r->mentions, r->images, r->tags, r->rest, r->hidden, seen->at ? (const char *)seen->at : "",
                         (Py_ssize_t)seen->size, article->at ? (const char *)article->at : "", (Py_ssize_t)article->size);
}

static void
leave_all(Reader *r)
{
    for (Place each = 0; r->paths && each < r->tree.count; each++) Py_XDECREF(r->paths[each]);
    for (int tag = 0; tag < TAGS; tag++) Py_XDECREF(r->names[tag]);
    free(r->paths);
    free_tree(&r->tree);
    Py_XDECREF(r->mentions), Py_XDECREF(r->images), Py_XDECREF(r->tags), Py_XDECREF(r->rest), Py_XDECREF(r->hidden);
    Py_XDECREF(r->empty), Py_XDECREF(r->heading), Py_XDECREF(r->first);
}

static PyObject *
read_markup(PyObject *module, PyObject *args)
{
    Reader r = {0};
    PyObject *markup, *entities, *made = NULL;
    Buffer seen = {0}, article = {0};
    Bytes bytes;
    if (!PyArg_ParseTuple(args, "UO!pOOOO", &markup, &PyDict_Type, &entities, &r.wants_places, &r.make, &r.words, &r.heading_of,
                          &r.leads_on))
        return NULL;
    int found = utf8_of(markup, &bytes);
    r.mentions = PyList_New(0), r.images = PyList_New(0), r.tags = PyList_New(0), r.rest = PyList_New(0), r.hidden = PyList_New(0);
    r.empty = PyUnicode_FromString(""), r.heading = PyUnicode_FromString(""), r.first = PyDict_New();
    if (!r.mentions || !r.images || !r.tags || !r.rest || !r.hidden || !r.empty || !r.heading || !r.first) found = -1;
    if (found == 1) found = read_page(&r, bytes, entities, &seen, &article);
    if (found == 1) made = answer(&r, &seen, &article);
    leave_all(&r);
    free(seen.at), free(article.at);
    if (found == 0) Py_RETURN_NONE;
    return made;
}

static PyMethodDef functions[] = {
    {"read", read_markup, METH_VARARGS, "read(markup, entities, places, make, words, heading, leads_on): what a sound page says, or None."},
    {NULL, NULL, 0, NULL},
};

int
add_reader(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
