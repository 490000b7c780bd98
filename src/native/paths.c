/* Paths of links: html/body/div#menu/ul/li/a, the tags that lead to each, with what they are called.
 *
 *     step   a tag with its id or its first class, unless that has digits: then it names a single thing
 *     place  of what is referred to: the path where the page refers to it first
 */
#include "reader.h"

#define STEPS 16 /* tags kept of a path, the innermost */
#define HINT 32  /* letters of an id or a class worth keeping */
#define NAME 64  /* letters of a tag */
#define MOST_LOOKED_AT (1 << 22) /* bytes of paths and attributes looked at for them, on one page */

/* Whether all of a name is letters, which only Python knows of foreign ones: 1, 0 or -1. */
static int
is_all_letters(const uint8_t *at, size_t size)
{
    PyObject *name = str_of((Bytes){at, at + size});
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

static Bytes
first_characters(Bytes text, int most)
{
    const uint8_t *at = text.at;
    for (; at < text.end && most > 0; most--) at += width_of(*at);
    return (Bytes){text.at, at};
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
    Bytes tag = first_characters(of->text, NAME);
    if (append(path, tag.at, (size_t)(tag.end - tag.at)) < 0) return -1;
    if (!by_id && !by_name) return 1;
    if (append(path, by_id ? "#" : ".", 1) < 0) return -1;
    return append(path, hint.at, (size_t)(hint.end - hint.at)) < 0 ? -1 : 1;
}

/* Write the tags that lead to a link that stands right below a node: 0 if the page has had enough of that. */
static int
write_path(Reader *r, Place above, Bytes tag, Buffer *path)
{
    const Node *nodes = r->tree.nodes;
    Place chain[STEPS];
    int steps = 0;
    for (; above && steps < STEPS; above = nodes[above].parent) chain[steps++] = above;
    while (steps--) {
        TRY(write_step(&r->tree, chain[steps], path));
        if (append(path, "/", 1) < 0) return -1;
        r->looked_at += nodes[chain[steps]].attributes * sizeof(Attribute);
    }
    if (append(path, tag.at, (size_t)(tag.end - tag.at)) < 0) return -1;
    r->looked_at += path->size;
    return r->looked_at <= MOST_LOOKED_AT;
}

/* The path of a node: 1, with a reference of its own in `path`. */
static int
path_of(Reader *r, Place node, PyObject **path)
{
    Place above = r->tree.nodes[node].parent;
    int is_anchor = r->tree.nodes[node].tag == A;
    Buffer into = {0};
    if (is_anchor && (*path = r->paths[above]) != NULL) return Py_INCREF(*path), 1;
    int found = write_path(r, above, r->tree.nodes[node].text, &into);
    if (found == 0 && r->wants & SERIALIZED) found = 1, into.size = 0;
    if (found == 1) {
        *path = str_of(bytes_of(&into));
        found = *path ? 1 : -1;
        if (is_anchor && *path) Py_INCREF(r->paths[above] = *path);
    }
    free(into.at);
    return found;
}

/* Where the page first has what is referred to: 1, with a reference of its own in `place`. */
int
place_of(Reader *r, Place node, Bytes reference, PyObject **place)
{
    if (!(r->wants & PLACES)) return Py_INCREF(*place = r->empty), 1;
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
