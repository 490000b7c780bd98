/* A page read in one pass: what it says, shows and names.
 *
 *     mention  an anchor, made by Python of what is read here
 *     rest     elements that are left to Python, for few pages have many: the head, areas and frames
 */
#include "reader.h"

#define MENTIONS 10000 /* elements asked for links */
#define MOST_TAGS 100000 /* counted */
#define MOST_IMAGES 500
#define HEADING 200 /* letters of a heading */

PyObject *
str_of(Bytes text)
{
    return PyUnicode_DecodeUTF8((const char *)text.at, text.end - text.at, NULL);
}

int
add_to(PyObject *list, PyObject *made)
{
    int failed = made == NULL || PyList_Append(list, made) < 0;
    Py_XDECREF(made);
    return failed ? -1 : 1;
}

int
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
int
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
    if (text_below(tree, node, &into) == 1) made = str_of(bytes_of(&into));
    free(into.at);
    return made;
}

/* Elements */

static const Bytes nowhere = {NULL, NULL};

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
    if (href.at == NULL && r->tree.nodes[node].flags & IS_FOREIGN) href = attribute_of(&r->tree, node, "xlink:href");
    if (href.at == NULL || (href.at < href.end && *href.at == '#')) return 1;
    r->met++;
    r->numbers[node] = (uint32_t)r->anchors++;
    r->tree.nodes[node].flags |= IS_MARKED;
    TRY(place_of(r, node, href, &place));
    PyObject *reference = str_of(href), *rel = reference ? rel_of(r, node) : NULL;
    PyObject *label = rel ? label_of(r, node) : NULL, *nowhere = label ? PyLong_FromLong(-1) : NULL, *made = NULL;
    if (nowhere)
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
    if (!(r->wants & PLACES)) return 1;
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

/* Leave an element to Python: how many mentions stand before it, its tag, its attributes, the tag above it, its place,
 * which belongs to `reference` unless that is at NULL, and its text. */
static int
leave(Reader *r, Place node, Bytes reference)
{
    const Node *of = &r->tree.nodes[node];
    PyObject *place = NULL;
    if (reference.at) TRY(place_of(r, node, reference, &place));
    else Py_INCREF(place = r->empty);
    r->met += reference.at != NULL;
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
    return leads_on < 0 ? -1 : leave(r, node, leads_on ? href : nowhere);
}

/* A refresh leads to what Python reads in its content, unless only browsers without scripts follow it. */
static int
meta(Reader *r, Place node)
{
    Bytes content = attribute_of(&r->tree, node, "content"), target;
    int is_for_all = r->tree.nodes[r->tree.nodes[node].parent].tag != NOSCRIPT;
    if (content.at == content.end || !is_for_all || !holds(attribute_of(&r->tree, node, "http-equiv"), "refresh"))
        return leave(r, node, nowhere);
    PyObject *written = str_of(content), *read = written ? PyObject_CallFunctionObjArgs(r->target_of, written, NULL) : NULL;
    int found = read ? utf8_of(read, &target) : -1;
    if (found == 1) found = leave(r, node, target);
    Py_XDECREF(written), Py_XDECREF(read);
    return found;
}

static int
meet(Reader *r, Place node)
{
    const Node *of = &r->tree.nodes[node];
    switch (of->tag) {
    case A: return anchor(r, node);
    case IMG: return image(r, node);
    case TITLE: return of->flags & IS_FOREIGN ? 1 : leave(r, node, nowhere);
    case HTML: case BASE: return leave(r, node, nowhere);
    case META: return meta(r, node);
    case AREA: return leave(r, node, attribute_of(&r->tree, node, "href"));
    case FRAME: case IFRAME: return leave(r, node, attribute_of(&r->tree, node, "src"));
    case LINK: return link_element(r, node);
    case H2: case H3: case H4: case H5: case H6: return set_heading(r, node);
    case H1: case NAV: case ASIDE: case FOOTER: return leave_heading(r), 1;
    default: return 1;
    }
}

static int
gather(Reader *r)
{
    int tags = 0;
    for (Place each = 1; each < r->tree.count; each++) {
        if (r->tree.nodes[each].flags & IS_TEXT) continue;
        if (tags++ < MOST_TAGS) TRY(add_to(r->tags, name_of(r, each)));
        if (r->met < MENTIONS) TRY(meet(r, each));
    }
    return 1;
}

/* The page */

static int
read_page(Reader *r, Bytes markup, PyObject *entities, Texts *texts)
{
    TRY(tree_of(markup, entities, (r->wants & SERIALIZED) != 0, &r->tree));
    if (r->wants & PLACES && (r->paths = calloc(r->tree.count, sizeof *r->paths)) == NULL) return PyErr_NoMemory(), -1;
    if ((r->numbers = calloc(r->tree.count, sizeof *r->numbers)) == NULL) return PyErr_NoMemory(), -1;
    TRY(gather(r));
    return read_texts(r, markup, texts);
}

static PyObject *
str_of_buffer(const Buffer *text)
{
    return PyUnicode_DecodeUTF8(text->at ? (const char *)text->at : "", (Py_ssize_t)text->size, NULL);
}

static PyObject *
answer(const Reader *r, const Texts *texts)
{
    PyObject *seen = str_of_buffer(&texts->seen), *article = str_of_buffer(&texts->article);
    PyObject *written = str_of_buffer(&texts->written), *numbered = NULL, *made = NULL;
    if (r->is_numbered) numbered = Py_BuildValue("NN", str_of_buffer(&texts->numbered), str_of_buffer(&texts->hidden));
    else Py_INCREF(numbered = Py_None);
    if (seen && article && written && numbered)
        made = Py_BuildValue("OOOOOOOOO", r->mentions, r->images, r->tags, r->rest, r->hidden, seen, article, written, numbered);
    Py_XDECREF(seen), Py_XDECREF(article), Py_XDECREF(written), Py_XDECREF(numbered);
    return made;
}

static void
leave_all(Reader *r)
{
    for (Place each = 0; r->paths && each < r->tree.count; each++) Py_XDECREF(r->paths[each]);
    for (int tag = 0; tag < TAGS; tag++) Py_XDECREF(r->names[tag]);
    free(r->paths), free(r->numbers);
    free_tree(&r->tree);
    Py_XDECREF(r->mentions), Py_XDECREF(r->images), Py_XDECREF(r->tags), Py_XDECREF(r->rest), Py_XDECREF(r->hidden);
    Py_XDECREF(r->empty), Py_XDECREF(r->heading), Py_XDECREF(r->first);
}

static int
prepare(Reader *r)
{
    r->style = (Style){.bullet = "", .between = " ", .images = 1, .breaks = (r->wants & BREAKS) != 0};
    r->mentions = PyList_New(0), r->images = PyList_New(0), r->tags = PyList_New(0);
    r->rest = PyList_New(0), r->hidden = PyList_New(0);
    r->empty = PyUnicode_FromString(""), r->heading = PyUnicode_FromString(""), r->first = PyDict_New();
    return r->mentions && r->images && r->tags && r->rest && r->hidden && r->empty && r->heading && r->first ? 1 : -1;
}

static PyObject *
read_markup(PyObject *module, PyObject *args)
{
    Reader r = {0};
    Texts texts = {0};
    PyObject *markup, *entities, *made = NULL;
    Bytes bytes = {NULL, NULL};
    if (!PyArg_ParseTuple(args, "UO!IOOOOO", &markup, &PyDict_Type, &entities, &r.wants, &r.make, &r.words, &r.heading_of,
                          &r.leads_on, &r.target_of))
        return NULL;
    int found = utf8_of(markup, &bytes);
    if (found == 1) found = prepare(&r);
    if (found == 1) found = read_page(&r, bytes, entities, &texts);
    if (found == 1) made = answer(&r, &texts);
    leave_all(&r);
    free(texts.seen.at), free(texts.article.at), free(texts.written.at), free(texts.numbered.at), free(texts.hidden.at);
    if (found == 0) RETURN_NONE;
    return made;
}

static PyMethodDef functions[] = {
    {"read", read_markup, METH_VARARGS,
     "read(markup, entities, wants, make, words, heading, leads_on): what a page says, or None."},
    {NULL, NULL, 0, NULL},
};

int
add_reader(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
