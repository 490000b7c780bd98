/* What the rules of HTML say of each tag, the elements that are open while a tree is built, and its nodes.
 *
 *     special   its end tag is not passed over by that of another element
 *     implied   its end tag may be missing
 *     boundary  an end tag inside does not reach beyond it
 *     level     the place of an element on the stack of open ones, from 0
 */
#include "builder.h"

const char *const tag_names[TAGS] = {
    "", "a", "address", "applet", "area", "article", "aside", "b", "base", "big", "blockquote", "body", "br",
    "button", "caption", "center", "code", "col", "colgroup", "datalist", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "font", "footer", "form", "frame", "frameset",
    "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "img", "input",
    "li", "link", "main", "marquee", "math", "menu", "meta", "nav", "nobr", "noembed", "noframes", "noscript",
    "object", "ol", "optgroup", "option", "p", "param", "plaintext", "pre", "rp", "rt", "ruby", "s", "script",
    "search", "section", "select", "small", "source", "span", "strike", "strong", "style", "summary", "svg",
    "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title", "tr", "track", "tt", "u", "ul",
    "wbr", "xmp",
};

/* Names of elements that are read by other rules than ours, and are none of our tags. */
static const char *const strange[] = {
    "basefont", "bgsound", "command", "image", "isindex", "keygen", "listing", "rb", "rtc", "selectedcontent",
};

/* Tags */

uint8_t
tag_called(Bytes name)
{
    /* The first tag of each letter from "a" on, and the end. */
    static const uint8_t first[27] = {A, B, CAPTION, DATALIST, EM, FIELDSET, H1, H1, I, LI, LI, LI,
                                      MAIN, NAV, OBJECT, P, RP, RP, S, TABLE, U, WBR, WBR, XMP,
                                      TAGS, TAGS, TAGS};
    size_t size = (size_t)(name.end - name.at);
    if (size == 0 || *name.at < 'a' || *name.at > 'z') return NO_TAG;
    for (uint8_t tag = first[*name.at - 'a']; tag < first[*name.at - 'a' + 1]; tag++)
        if (!strncmp(tag_names[tag], (const char *)name.at, size) && !tag_names[tag][size]) return tag;
    return NO_TAG;
}

/* Whether an element is read by rules that are not here. */
int
is_strange(uint8_t tag, Bytes name)
{
    switch (tag) {
    case NO_TAG: break;
    case DATALIST: case FRAME: case FRAMESET: case NOEMBED: case NOFRAMES:
    case PLAINTEXT: case TEMPLATE: case XMP: return 1;
    default: return 0;
    }
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        if (same(name, strange[i])) return 1;
    return 0;
}

int
is_formatting(uint8_t tag)
{
    switch (tag) {
    case A: case B: case BIG: case CODE_TAG: case EM: case FONT: case I: case NOBR: case S: case SMALL: case STRIKE:
    case STRONG: case TT: case U: return 1;
    default: return 0;
    }
}

int
is_special(uint8_t tag)
{
    switch (tag) {
    case NO_TAG: case SPAN: case DIALOG: case OPTGROUP: case OPTION: case RP: case RT: case RUBY: case SVG: case MATH: return 0;
    default: return !is_formatting(tag);
    }
}

int
is_implied(uint8_t tag)
{
    return tag == DD || tag == DT || tag == LI || tag == OPTGROUP || tag == OPTION || tag == P || tag == RP || tag == RT;
}

int
is_heading(uint8_t tag)
{
    return tag >= H1 && tag <= H6;
}

/* Whether formatting round an element does not reach into it, nor that in it out of it. */
int
holds_apart(uint8_t tag)
{
    return tag == APPLET || tag == MARQUEE || tag == OBJECT;
}

int
is_boundary(uint8_t tag)
{
    return tag == CAPTION || tag == HTML || tag == TABLE || tag == TD || tag == TH || holds_apart(tag);
}

int
is_rows(uint8_t tag)
{
    return tag == TBODY || tag == THEAD || tag == TFOOT;
}

int
is_frame_of_table(uint8_t tag)
{
    return tag == TABLE || is_rows(tag) || tag == TR || tag == COLGROUP;
}

int
closes_paragraph(uint8_t tag)
{
    switch (tag) {
    case ADDRESS: case ARTICLE: case ASIDE: case BLOCKQUOTE: case CENTER: case DETAILS: case DIALOG: case DIR: case DIV:
    case DL: case FIELDSET: case FIGCAPTION: case FIGURE: case FOOTER: case HEADER: case HGROUP: case MAIN: case MENU:
    case NAV: case OL: case P: case SEARCH: case SECTION: case SUMMARY: case UL: return 1;
    default: return 0;
    }
}

int
is_void(uint8_t tag)
{
    switch (tag) {
    case AREA: case BASE: case BR: case COL: case EMBED: case HR: case IMG: case INPUT: case LINK: case META: case PARAM:
    case SOURCE: case TRACK: case WBR: return 1;
    default: return 0;
    }
}

/* Nodes */

int
append(Buffer *buffer, const void *at, size_t size)
{
    if (buffer->room - buffer->size < size) {
        size_t room = 2 * buffer->room + size + 256;
        uint8_t *moved = realloc(buffer->at, room);
        if (moved == NULL) return PyErr_NoMemory(), -1;
        buffer->at = moved;
        buffer->room = room;
    }
    if (size) memcpy(buffer->at + buffer->size, at, size);
    buffer->size += size;
    return 0;
}

void
free_tree(Tree *tree)
{
    free(tree->nodes), free(tree->attributes), free(tree->letters);
    memset(tree, 0, sizeof *tree);
}

Bytes
attribute_of(const Tree *tree, Place node, const char *name)
{
    const Node *of = &tree->nodes[node];
    for (uint32_t i = of->first; i < of->first + of->attributes; i++)
        if (same(tree->attributes[i].name, name)) return tree->attributes[i].value;
    return (Bytes){NULL, NULL};
}
/* The stack of open elements */

void
pop(Builder *b)
{
    b->tree->nodes[b->open[--b->depth]].end = b->tree->count;
}

/* The level of the innermost element of a tag, up to a boundary or one of `also`; -1 if there is none. */
int
level_of(const Builder *b, uint8_t tag, uint8_t also)
{
    for (int level = b->depth - 1; level >= 0; level--) {
        uint8_t each = tag_at(b, level);
        if (each == tag) return level;
        if (is_boundary(each) || (also && each == also)) return -1;
    }
    return -1;
}

int
level_in_table(const Builder *b, uint8_t tag)
{
    for (int level = b->depth - 1; level >= 0 && tag_at(b, level) != HTML; level--) {
        if (tag_at(b, level) == tag) return level;
        if (tag_at(b, level) == TABLE) return -1;
    }
    return -1;
}

/* Close elements down to a level; formatting that would be opened again behind them is not for us. */
int
pop_to(Builder *b, int level, int formatting_ends)
{
    while (b->depth > level) {
        if (!formatting_ends && b->depth - 1 > level && is_formatting(current(b))) return 0;
        pop(b);
    }
    return 1;
}

void
close_implied(Builder *b, uint8_t but)
{
    while (b->depth && is_implied(current(b)) && current(b) != but) pop(b);
}

int
close_level(Builder *b, int level)
{
    close_implied(b, tag_at(b, level));
    return pop_to(b, level, 0);
}

int
close_paragraph(Builder *b)
{
    int level = level_of(b, P, BUTTON);
    return level < 0 ? 1 : close_level(b, level);
}

/* Nodes */

/* Mark a line break that a comment follows. */
void
meet_comment(Builder *b)
{
    Node *last = &b->tree->nodes[b->tree->count - 1];
    if (last->tag == BR && b->depth && last->parent == b->open[b->depth - 1]) last->flags |= HAS_COMMENT;
}

Node *
new_node(Builder *b)
{
    Tree *tree = b->tree;
    if (tree->count == b->node_room) {
        Place room = 2 * b->node_room + 1024;
        Node *moved = realloc(tree->nodes, room * sizeof *moved);
        if (moved == NULL) return PyErr_NoMemory(), NULL;
        tree->nodes = moved;
        b->node_room = room;
    }
    Node *node = &tree->nodes[tree->count++];
    memset(node, 0, sizeof *node);
    node->parent = b->depth ? b->open[b->depth - 1] : 0;
    node->end = tree->count;
    return node;
}

int
add_text(Builder *b, Bytes text)
{
    if (text.at == text.end) return 1;
    uint8_t foreign = is_foreign(b) ? IS_FOREIGN : 0;
    if (!b->after_comment && b->depth && b->open[b->depth - 1] != b->tree->count - 1) {
        const Node *before = &b->tree->nodes[b->tree->count - 1];
        if (before->flags & IS_TEXT && before->parent == b->open[b->depth - 1] && is_all_blank(before->text) && !is_all_blank(text))
            return 0; /* one text */
    }
    b->after_comment = 0;
    Node *node = new_node(b);
    if (node == NULL) return -1;
    node->flags = IS_TEXT | foreign;
    node->text = text;
    return 1;
}

int
insert(Builder *b, const Token *token, uint8_t flags)
{
    if (b->depth == (b->is_serialized ? DEEPEST : DEEPEST_SOUND)) return 0;
    Node *node = new_node(b);
    if (node == NULL) return -1;
    node->flags = flags;
    node->tag = token->tag;
    node->text = token->name;
    node->first = token->first;
    node->attributes = token->attributes;
    b->open[b->depth++] = b->tree->count - 1;
    return 1;
}

int
insert_implied(Builder *b, uint8_t tag)
{
    const uint8_t *name = (const uint8_t *)tag_names[tag];
    Token token = {{name, name + strlen(tag_names[tag])}, tag, 0, 0, 0};
    return insert(b, &token, 0);
}

int
insert_void(Builder *b, const Token *token)
{
    TRY(insert(b, token, 0));
    pop(b);
    return 1;
}
