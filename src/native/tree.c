/* The tree of a page whose markup is sound, as browsers build it (HTML, sections 13.2.5 and 13.2.6).
 *
 * What a browser would have to repair by moving elements (misnested formatting, text between the rows of a table),
 * and what hardly any page has, is left to turbohtml: the answer is 0. So no rule stands here that only broken
 * pages need, and what is answered is what turbohtml would have answered.
 */
#define _GNU_SOURCE /* memmem */
#include "tree.h"

#include <stdlib.h>
#include <strings.h>

#define LARGEST (1 << 20) /* bytes of markup */
#define DEEPEST 400       /* open elements */
#define LONGEST_NAME 31   /* letters of an entity */
#define LONGEST_LEGACY 6  /* of one that may lack its semicolon */
#define MOST_ATTRIBUTES 1000

static const char *const tag_names[TAGS] = {
    "", "a", "address", "area", "article", "aside", "b", "base", "big", "blockquote", "body", "br", "button", "caption",
    "center", "code", "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "em", "embed", "fieldset",
    "figcaption", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr",
    "html", "i", "iframe", "img", "input", "li", "link", "main", "menu", "meta", "nav", "nobr", "noscript", "ol", "optgroup",
    "option", "p", "param", "pre", "rp", "rt", "ruby", "s", "script", "search", "section", "select", "small", "source", "span",
    "strike", "strong", "style", "summary", "svg", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr",
    "track", "tt", "u", "ul", "wbr",
};

/* Names of elements that are read by other rules than ours. */
static const char *const strange[] = {
    "applet", "basefont", "bgsound", "frame", "frameset", "image", "keygen", "listing", "marquee", "math", "noembed",
    "noframes", "object", "plaintext", "rb", "rtc", "selectedcontent", "template", "xmp",
};

typedef enum { BEFORE_HTML, BEFORE_HEAD, IN_HEAD, AFTER_HEAD, IN_BODY } Mode;

typedef struct {
    Tree *tree;
    PyObject *entities;
    const uint8_t *at, *end;
    size_t written, room; /* letters decoded, and how many may be */
    Place node_room;
    uint32_t attribute_room;
    Place open[DEEPEST];
    int depth;
    Mode mode;
    int is_strict; /* a table ends a paragraph: 1; 0 where it does not, -1 where we cannot tell */
    int has_kind;  /* a doctype was read */
    int has_form;  /* one is open */
    int after_comment; /* so that the next text is not the last one's rest */
    int skip_line; /* a line feed right behind <pre> or <textarea> */
} Builder;

typedef struct {
    Bytes name;
    uint8_t tag;
    int closes_itself;
    uint32_t first;
    uint16_t attributes;
} Token;

#define TRY(call)                        \
    do {                                 \
        int answer_ = (call);            \
        if (answer_ != 1) return answer_; \
    } while (0)

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

static inline int
same(Bytes text, const char *name)
{
    size_t size = strlen(name);
    return (size_t)(text.end - text.at) == size && memcmp(text.at, name, size) == 0;
}

Bytes
attribute_of(const Tree *tree, Place node, const char *name)
{
    const Node *of = &tree->nodes[node];
    for (uint32_t i = of->first; i < of->first + of->attributes; i++)
        if (same(tree->attributes[i].name, name)) return tree->attributes[i].value;
    return (Bytes){NULL, NULL};
}

/* Tags */

static uint8_t
tag_called(Bytes name)
{
    /* The first tag of each letter from "a" on, and the end. */
    static const uint8_t first[27] = {A, B, CAPTION, DD, EM, FIELDSET, H1, H1, I, LI, LI, LI, MAIN, NAV,
                                      OL, P, RP, RP, S, TABLE, U, WBR, WBR, TAGS, TAGS, TAGS, TAGS};
    size_t size = (size_t)(name.end - name.at);
    if (size == 0 || *name.at < 'a' || *name.at > 'z') return NO_TAG;
    for (uint8_t tag = first[*name.at - 'a']; tag < first[*name.at - 'a' + 1]; tag++)
        if (!strncmp(tag_names[tag], (const char *)name.at, size) && !tag_names[tag][size]) return tag;
    return NO_TAG;
}

static int
is_strange(Bytes name)
{
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        if (same(name, strange[i])) return 1;
    return 0;
}

static int
is_formatting(uint8_t tag)
{
    switch (tag) {
    case A: case B: case BIG: case CODE_TAG: case EM: case FONT: case I: case NOBR: case S: case SMALL: case STRIKE:
    case STRONG: case TT: case U: return 1;
    default: return 0;
    }
}

static int
is_special(uint8_t tag)
{
    switch (tag) {
    case NO_TAG: case SPAN: case DIALOG: case OPTGROUP: case OPTION: case RP: case RT: case RUBY: case SVG: return 0;
    default: return !is_formatting(tag);
    }
}

static int
is_implied(uint8_t tag)
{
    return tag == DD || tag == DT || tag == LI || tag == OPTGROUP || tag == OPTION || tag == P || tag == RP || tag == RT;
}

static int
is_heading(uint8_t tag)
{
    return tag >= H1 && tag <= H6;
}

static int
is_boundary(uint8_t tag)
{
    return tag == CAPTION || tag == HTML || tag == TABLE || tag == TD || tag == TH;
}

static int
is_rows(uint8_t tag)
{
    return tag == TBODY || tag == THEAD || tag == TFOOT;
}

static int
is_frame_of_table(uint8_t tag)
{
    return tag == TABLE || is_rows(tag) || tag == TR || tag == COLGROUP;
}

static int
closes_paragraph(uint8_t tag)
{
    switch (tag) {
    case ADDRESS: case ARTICLE: case ASIDE: case BLOCKQUOTE: case CENTER: case DETAILS: case DIALOG: case DIR: case DIV:
    case DL: case FIELDSET: case FIGCAPTION: case FIGURE: case FOOTER: case HEADER: case HGROUP: case MAIN: case MENU:
    case NAV: case OL: case P: case SEARCH: case SECTION: case SUMMARY: case UL: return 1;
    default: return 0;
    }
}

static int
is_void(uint8_t tag)
{
    switch (tag) {
    case AREA: case BASE: case BR: case COL: case EMBED: case HR: case IMG: case INPUT: case LINK: case META: case PARAM:
    case SOURCE: case TRACK: case WBR: return 1;
    default: return 0;
    }
}

/* The stack of open elements */

static uint8_t
tag_at(const Builder *b, int level)
{
    return b->tree->nodes[b->open[level]].tag;
}

static uint8_t
current(const Builder *b)
{
    return b->depth ? tag_at(b, b->depth - 1) : NO_TAG;
}

static int
is_foreign(const Builder *b)
{
    return b->depth && b->tree->nodes[b->open[b->depth - 1]].flags & IS_FOREIGN;
}

static void
pop(Builder *b)
{
    b->tree->nodes[b->open[--b->depth]].end = b->tree->count;
}

/* The level of the innermost element of a tag, up to a boundary or one of `also`; -1 if there is none. */
static int
level_of(const Builder *b, uint8_t tag, uint8_t also)
{
    for (int level = b->depth - 1; level >= 0; level--) {
        uint8_t each = tag_at(b, level);
        if (each == tag) return level;
        if (is_boundary(each) || (also && each == also)) return -1;
    }
    return -1;
}

static int
level_in_table(const Builder *b, uint8_t tag)
{
    for (int level = b->depth - 1; level >= 0 && tag_at(b, level) != HTML; level--) {
        if (tag_at(b, level) == tag) return level;
        if (tag_at(b, level) == TABLE) return -1;
    }
    return -1;
}

/* Close elements down to a level; formatting that would be opened again behind them is not for us. */
static int
pop_to(Builder *b, int level, int formatting_ends)
{
    while (b->depth > level) {
        if (!formatting_ends && b->depth - 1 > level && is_formatting(current(b))) return 0;
        pop(b);
    }
    return 1;
}

static void
close_implied(Builder *b, uint8_t but)
{
    while (b->depth && is_implied(current(b)) && current(b) != but) pop(b);
}

static int
close_level(Builder *b, int level)
{
    close_implied(b, tag_at(b, level));
    return pop_to(b, level, 0);
}

static int
close_paragraph(Builder *b)
{
    int level = level_of(b, P, BUTTON);
    return level < 0 ? 1 : close_level(b, level);
}

/* Nodes */

static Node *
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

static int
is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f';
}

static const uint8_t *
behind_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_blank(*at)) at++;
    return at;
}

static int
is_all_blank(Bytes text)
{
    return behind_blanks(text.at, text.end) == text.end;
}

static int
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

static int
insert(Builder *b, const Token *token, uint8_t flags)
{
    if (b->depth == DEEPEST) return 0;
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

static int
insert_implied(Builder *b, uint8_t tag)
{
    const uint8_t *name = (const uint8_t *)tag_names[tag];
    Token token = {{name, name + strlen(tag_names[tag])}, tag, 0, 0, 0};
    return insert(b, &token, 0);
}

static int
insert_void(Builder *b, const Token *token)
{
    TRY(insert(b, token, 0));
    pop(b);
    return 1;
}

/* Letters: entities and names */

static int
is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static int
write_letters(Builder *b, const void *at, size_t size)
{
    if (b->room - b->written < size) return 0;
    memcpy(b->tree->letters + b->written, at, size);
    b->written += size;
    return 1;
}

static int
write_character(Builder *b, uint32_t c)
{
    uint8_t bytes[4];
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1; c >>= 6) bytes[i] = (uint8_t)(0x80 | (c & 0x3F));
    bytes[0] = (uint8_t)(leads[size] | c);
    return write_letters(b, bytes, size);
}

/* What the numbers of Windows stand for where others have controls, 0 for none. */
static const uint16_t windows[32] = {
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
};

/* Write the character of &#...; that begins at `*at`, if it is one that a page may have. */
static int
write_numeric(Builder *b, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *digit = *at + 2, *first;
    uint32_t base = 10, value = 0;
    if (digit < end && (*digit | 0x20) == 'x') base = 16, digit++;
    for (first = digit; digit < end && is_alphanumeric(*digit) && value <= 0x10FFFF; digit++) {
        uint32_t d = (uint32_t)(*digit <= '9' ? *digit - '0' : (*digit | 0x20) - 'a' + 10);
        if (d >= base) break;
        value = value * base + d;
    }
    if (value >= 0x80 && value < 0xA0) value = windows[value - 0x80];
    if (digit == first || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
    if ((value < 0x20 && value != '\n' && value != '\t') || value == 0x7F) return 0;
    *at = digit < end && *digit == ';' ? digit + 1 : digit;
    return write_character(b, value);
}

/* What an entity stands for, borrowed, or NULL. */
static PyObject *
entity_called(const Builder *b, const uint8_t *name, size_t size)
{
    PyObject *key = PyUnicode_DecodeASCII((const char *)name, (Py_ssize_t)size, NULL);
    PyObject *found = key ? PyDict_GetItemWithError(b->entities, key) : NULL;
    Py_XDECREF(key);
    return found;
}

static int
write_meaning(Builder *b, PyObject *meaning)
{
    Bytes bytes;
    TRY(utf8_of(meaning, &bytes));
    return write_letters(b, bytes.at, (size_t)(bytes.end - bytes.at));
}

/* Write what &name; stands for; some names may lack the semicolon, in values only before what is no letter. */
static int
write_named(Builder *b, const uint8_t **at, const uint8_t *end, int in_value)
{
    const uint8_t *name = *at + 1, *last = name;
    while (last < end && last - name < LONGEST_NAME && is_alphanumeric(*last)) last++;
    size_t size = (size_t)(last - name) + (last < end && *last == ';');
    for (; size >= 2; size = size > LONGEST_LEGACY ? LONGEST_LEGACY : size - 1) {
        PyObject *found = entity_called(b, name, size);
        if (PyErr_Occurred()) return -1;
        if (found == NULL) continue;
        int is_whole = name[size - 1] == ';', goes_on = name + size < end && (is_alphanumeric(name[size]) || name[size] == '=');
        if (in_value && !is_whole && goes_on) break;
        *at = name + size;
        return write_meaning(b, found);
    }
    ++*at;
    return write_letters(b, "&", 1);
}

/* Replace entities; a text without any stays where it is. */
static int
decode(Builder *b, Bytes *text, int in_value)
{
    const uint8_t *at = text->at, *next = find(at, text->end, '&');
    size_t start = b->written;
    if (next == text->end) return 1;
    while (next < text->end) {
        TRY(write_letters(b, at, (size_t)(next - at)));
        at = next;
        int is_number = text->end - at > 1 && at[1] == '#';
        TRY(is_number ? write_numeric(b, &at, text->end) : write_named(b, &at, text->end, in_value));
        next = find(at, text->end, '&');
    }
    TRY(write_letters(b, at, (size_t)(text->end - at)));
    *text = (Bytes){b->tree->letters + start, b->tree->letters + b->written};
    return 1;
}

/* Write a name in small letters, if it has others. */
static int
lower(Builder *b, Bytes *name)
{
    size_t start = b->written;
    const uint8_t *at = name->at;
    while (at < name->end && !(*at >= 'A' && *at <= 'Z')) at++;
    if (at == name->end) return 1;
    TRY(write_letters(b, name->at, (size_t)(name->end - name->at)));
    *name = (Bytes){b->tree->letters + start, b->tree->letters + b->written};
    for (uint8_t *c = b->tree->letters + start; c < name->end; c++)
        if (*c >= 'A' && *c <= 'Z') *c |= 0x20;
    return 1;
}

/* Tags and what stands in them */

static int
keep_attribute(Builder *b, Token *token, Attribute attribute)
{
    Tree *tree = b->tree;
    if (token->attributes == MOST_ATTRIBUTES) return 0;
    if (tree->attribute_count == b->attribute_room) {
        uint32_t room = 2 * b->attribute_room + 1024;
        Attribute *moved = realloc(tree->attributes, room * sizeof *moved);
        if (moved == NULL) return PyErr_NoMemory(), -1;
        tree->attributes = moved;
        b->attribute_room = room;
    }
    tree->attributes[tree->attribute_count++] = attribute;
    token->attributes++;
    return 1;
}

static int
add_attribute(Builder *b, Token *token, Bytes name, Bytes value)
{
    TRY(lower(b, &name));
    TRY(decode(b, &value, 1));
    return keep_attribute(b, token, (Attribute){name, value});
}

/* Read the value of an attribute behind its '='. */
static Bytes
value_at(Builder *b)
{
    const uint8_t *at = b->at = behind_blanks(b->at, b->end);
    if (at < b->end && (*at == '"' || *at == '\'')) {
        const uint8_t *last = find(at + 1, b->end, *at);
        b->at = last < b->end ? last + 1 : last;
        return (Bytes){at + 1, last};
    }
    while (b->at < b->end && !is_blank(*b->at) && *b->at != '>') b->at++;
    return (Bytes){at, b->at};
}

static int
read_attribute(Builder *b, Token *token)
{
    const uint8_t *name = b->at++; /* an '=' here belongs to the name */
    while (b->at < b->end && !is_blank(*b->at) && *b->at != '/' && *b->at != '>' && *b->at != '=') b->at++;
    Bytes called = {name, b->at}, value = {b->at, b->at};
    const uint8_t *behind = behind_blanks(b->at, b->end);
    if (behind < b->end && *behind == '=') {
        b->at = behind + 1;
        value = value_at(b);
    }
    return add_attribute(b, token, called, value);
}

/* Read a tag up to behind its '>': 1; 2 if the page ends in it. `b->at` is at the first letter of its name. */
static int
read_tag(Builder *b, Token *token)
{
    const uint8_t *name = b->at;
    while (b->at < b->end && !is_blank(*b->at) && *b->at != '/' && *b->at != '>') b->at++;
    *token = (Token){.name = {name, b->at}, .first = b->tree->attribute_count};
    TRY(lower(b, &token->name));
    token->tag = tag_called(token->name);
    while ((b->at = behind_blanks(b->at, b->end)) < b->end) {
        if (*b->at == '>') return b->at++, 1;
        if (*b->at == '/') {
            b->at++;
            token->closes_itself = b->at < b->end && *b->at == '>';
            continue;
        }
        TRY(read_attribute(b, token));
    }
    return 2;
}

/* Whether a script has another one in a comment, so that it goes on behind the end of that. */
static int
is_escaped_twice(Bytes text)
{
    const uint8_t *at = memmem(text.at, (size_t)(text.end - text.at), "<!--", 4);
    for (; at != NULL && (at = find(at, text.end, '<')) < text.end; at++)
        if (text.end - at >= 7 && !strncasecmp((const char *)at + 1, "script", 6)) return 1;
    return 0;
}

/* Text up to the end tag of an element that holds nothing else. */
static int
read_raw(Builder *b, const Token *token, int decoded)
{
    size_t size = (size_t)(token->name.end - token->name.at);
    const uint8_t *at = b->at, *last;
    for (last = at; (last = find(last, b->end, '<')) < b->end; last++) {
        if ((size_t)(b->end - last) < size + 3 || last[1] != '/') continue;
        size_t same_letters = 0;
        while (same_letters < size && (last[2 + same_letters] | 0x20) == token->name.at[same_letters]) same_letters++;
        uint8_t behind = last[2 + size];
        if (same_letters == size && (is_blank(behind) || behind == '/' || behind == '>')) break;
    }
    if (last == b->end) return 0; /* nobody closes it */
    Bytes text = {at, last};
    Token closing;
    if (token->tag == SCRIPT && is_escaped_twice(text)) return 0;
    if (decoded) TRY(decode(b, &text, 0));
    TRY(insert(b, token, 0));
    TRY(add_text(b, text));
    pop(b);
    b->at = last + 2;
    return read_tag(b, &closing) == 1;
}

/* Tables */

/* Close the cell or the caption that is open in the innermost table, if one is. */
static int
close_cell(Builder *b)
{
    static const uint8_t cells[] = {TD, TH, CAPTION};
    for (size_t i = 0; i < sizeof cells; i++) {
        int level = level_in_table(b, cells[i]);
        if (level >= 0) return pop_to(b, level, 1); /* formatting ends with a cell */
    }
    return 1;
}

static int
back_to_table(Builder *b)
{
    int level = level_in_table(b, TABLE);
    return level < 0 ? 0 : pop_to(b, level + 1, 0);
}

static int
start_of_rows(Builder *b, const Token *token)
{
    if (current(b) == COLGROUP && token->tag != COL) pop(b);
    if (token->tag == COL && current(b) != COLGROUP) {
        TRY(back_to_table(b));
        TRY(insert_implied(b, COLGROUP));
    }
    if (token->tag == COL) return insert_void(b, token);
    if (token->tag == CAPTION || token->tag == COLGROUP || is_rows(token->tag)) {
        TRY(back_to_table(b));
        return insert(b, token, 0);
    }
    if (token->tag == TR && current(b) == TR) pop(b);
    if (current(b) == TABLE) TRY(insert_implied(b, TBODY));
    if (token->tag != TR && is_rows(current(b))) TRY(insert_implied(b, TR));
    return insert(b, token, 0);
}

static int
start_in_table(Builder *b, const Token *token)
{
    if (level_in_table(b, TABLE) < 0) return 1; /* nobody's */
    TRY(close_cell(b));
    return is_frame_of_table(current(b)) ? start_of_rows(b, token) : 0;
}

static int
end_in_table(Builder *b, uint8_t tag)
{
    int level = level_in_table(b, tag);
    if (tag == COL || level < 0) return 1;
    if (tag == TD || tag == TH || tag == CAPTION) return pop_to(b, level, 1);
    TRY(close_cell(b));
    level = level_in_table(b, tag);
    return level < 0 ? 1 : pop_to(b, level, 0);
}

/* Drawings */

static int
start_in_drawing(Builder *b, Token *token)
{
    static const char *const unlike[] = {"fe", "alt", "animate", "foreign", "glyphref", "textpath", "sub", "sup", "var"};
    static const char *const spelled[][2] = {
        {"clippath", "clipPath"}, {"lineargradient", "linearGradient"}, {"radialgradient", "radialGradient"},
    };
    uint8_t now = current(b);
    if (now == TITLE || same(b->tree->nodes[b->open[b->depth - 1]].text, "desc")) return 0;
    if (token->tag != NO_TAG && token->tag != TITLE && token->tag != SVG) return 0;
    for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++) {
        size_t size = strlen(unlike[i]);
        if ((size_t)(token->name.end - token->name.at) >= size && !memcmp(token->name.at, unlike[i], size)) return 0;
    }
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
        if (same(token->name, spelled[i][0])) {
            const uint8_t *name = (const uint8_t *)spelled[i][1];
            token->name = (Bytes){name, name + strlen(spelled[i][1])};
        }
    TRY(insert(b, token, IS_FOREIGN));
    if (token->closes_itself) pop(b);
    return 1;
}

static int
is_called_like(Bytes one, Bytes other)
{
    if (one.end - one.at != other.end - other.at) return 0;
    for (Py_ssize_t i = 0; i < one.end - one.at; i++) {
        uint8_t a = one.at[i], c = other.at[i];
        if ((a >= 'A' && a <= 'Z' ? a | 0x20 : a) != (c >= 'A' && c <= 'Z' ? c | 0x20 : c)) return 0;
    }
    return 1;
}

static int
end_in_drawing(Builder *b, const Token *token)
{
    if (!is_called_like(b->tree->nodes[b->open[b->depth - 1]].text, token->name)) return 0;
    pop(b);
    return 1;
}

/* The body */

static int
close_items(Builder *b, uint8_t one, uint8_t other)
{
    for (int level = b->depth - 1; level >= 0; level--) {
        uint8_t tag = tag_at(b, level);
        if (tag == one || tag == other) {
            close_implied(b, tag);
            if (b->depth - 1 != level) return 0;
            pop(b);
            return 1;
        }
        if (is_special(tag) && tag != ADDRESS && tag != DIV && tag != P) return 1;
    }
    return 1;
}

static int
start_of_formatting(Builder *b, const Token *token)
{
    if (token->tag == A || token->tag == NOBR)
        for (int level = b->depth - 1; level >= 0 && !is_boundary(tag_at(b, level)); level--)
            if (tag_at(b, level) == token->tag) return 0;
    return insert(b, token, 0);
}

static int
start_in_select(Builder *b, const Token *token)
{
    if (token->tag != OPTION && token->tag != OPTGROUP) return 0;
    if (current(b) == OPTION) pop(b);
    if (token->tag == OPTGROUP && current(b) == OPTGROUP) pop(b);
    return insert(b, token, 0);
}

static int
start_of_block(Builder *b, const Token *token)
{
    if (token->tag == FORM && b->has_form) return 1;
    if (token->tag == LI) TRY(close_items(b, LI, LI));
    if (token->tag == DD || token->tag == DT) TRY(close_items(b, DD, DT));
    if (token->tag == TABLE && b->is_strict < 0 && level_of(b, P, BUTTON) >= 0) return 0;
    if (token->tag != TABLE || b->is_strict) TRY(close_paragraph(b));
    if (is_heading(token->tag) && is_heading(current(b))) pop(b);
    if (token->tag == FORM) b->has_form = 1;
    b->skip_line = token->tag == PRE;
    return token->tag == HR ? insert_void(b, token) : insert(b, token, 0);
}

static int
is_hidden_input(const Builder *b, const Token *token)
{
    for (uint32_t i = token->first; i < token->first + token->attributes; i++)
        if (same(b->tree->attributes[i].name, "type")) {
            Bytes hidden = {(const uint8_t *)"hidden", (const uint8_t *)"hidden" + 6};
            return is_called_like(b->tree->attributes[i].value, hidden);
        }
    return 0;
}

static int
start_of_raw(Builder *b, const Token *token)
{
    if (token->tag == TEXTAREA && b->at < b->end && *b->at == '\n') b->at++;
    return read_raw(b, token, token->tag == TITLE || token->tag == TEXTAREA);
}

/* Give a second <html> or <body>'s attributes to the first, which keeps what it has: behind its own, for the first of a
 * name is what counts. */
static int
pass_again(Builder *b, const Token *token)
{
    Tree *tree = b->tree;
    Node *of = &tree->nodes[b->open[token->tag == BODY]];
    Token both = {.first = tree->attribute_count};
    for (uint32_t i = 0; i < of->attributes; i++)
        TRY(keep_attribute(b, &both, tree->attributes[of->first + i]));
    for (uint32_t i = 0; i < token->attributes; i++) TRY(keep_attribute(b, &both, tree->attributes[token->first + i]));
    of->first = both.first;
    of->attributes = both.attributes;
    return 1;
}

static int
start_in_body(Builder *b, Token *token)
{
    uint8_t tag = token->tag;
    if (is_foreign(b)) return start_in_drawing(b, token);
    if (tag == NO_TAG && same(token->name, "image")) {
        const uint8_t *name = (const uint8_t *)tag_names[IMG];
        token->tag = tag = IMG;
        token->name = (Bytes){name, name + 3};
    }
    if (tag == NO_TAG && is_strange(token->name)) return 0;
    if (tag == HTML || tag == BODY) return pass_again(b, token);
    if (tag == HEAD) return 1;
    if (tag == SCRIPT || tag == STYLE) return start_of_raw(b, token);
    if (level_of(b, SELECT, NO_TAG) >= 0) return start_in_select(b, token);
    if (tag == OPTION || tag == OPTGROUP) return 0;
    if (tag == CAPTION || tag == COL || tag == COLGROUP || tag == TD || tag == TH || tag == TR || is_rows(tag))
        return start_in_table(b, token);
    if (is_frame_of_table(current(b))) return tag == INPUT && is_hidden_input(b, token) ? insert_void(b, token) : 0;
    if (tag == TITLE || tag == TEXTAREA || tag == IFRAME) return start_of_raw(b, token);
    if (tag == BUTTON && level_of(b, BUTTON, NO_TAG) >= 0) return 0;
    if (closes_paragraph(tag) || is_heading(tag) || tag == LI || tag == DD || tag == DT || tag == FORM || tag == TABLE || tag == PRE
        || tag == HR)
        return start_of_block(b, token);
    if ((tag == RP || tag == RT) && level_of(b, RUBY, NO_TAG) >= 0) close_implied(b, NO_TAG);
    if (is_void(tag)) return insert_void(b, token);
    if (is_formatting(tag)) return start_of_formatting(b, token);
    TRY(insert(b, token, tag == SVG ? IS_FOREIGN : 0));
    if (tag == SVG && token->closes_itself) pop(b);
    return 1;
}

static int
end_of_block(Builder *b, uint8_t tag)
{
    int level = level_of(b, tag, tag == LI ? UL : NO_TAG);
    if (tag == LI && level_of(b, LI, OL) < 0) level = -1; /* an item ends in its own list */
    if (level < 0) return 1;
    return close_level(b, level);
}

/* Any heading ends the innermost one. */
static int
end_of_heading(Builder *b)
{
    for (int level = b->depth - 1; level >= 0 && !is_boundary(tag_at(b, level)); level--)
        if (is_heading(tag_at(b, level))) return close_implied(b, NO_TAG), pop_to(b, level, 0);
    return 1;
}

static int
end_of_paragraph(Builder *b)
{
    if (level_of(b, P, BUTTON) >= 0) return close_paragraph(b);
    if (is_frame_of_table(current(b))) return 0;
    TRY(insert_implied(b, P));
    pop(b);
    return 1;
}

static int
end_of_form(Builder *b)
{
    int had = b->has_form, level = level_of(b, FORM, NO_TAG);
    b->has_form = 0;
    if (!had || level < 0) return had ? 0 : 1;
    close_implied(b, NO_TAG);
    if (b->depth - 1 != level) return 0;
    pop(b);
    return 1;
}

static int
end_of_formatting(Builder *b, uint8_t tag)
{
    int level = level_of(b, tag, NO_TAG);
    if (level >= 0 && level != b->depth - 1) return 0; /* misnested */
    if (level >= 0) pop(b);
    return 1;
}

static int
end_of_any_other(Builder *b, const Token *token)
{
    for (int level = b->depth - 1; level >= 0; level--) {
        const Node *node = &b->tree->nodes[b->open[level]];
        int is_it = token->tag ? node->tag == token->tag : !node->tag && is_called_like(node->text, token->name);
        if (is_it) return close_level(b, level);
        if (is_special(node->tag)) return 1;
    }
    return 1;
}

static int
end_in_body(Builder *b, const Token *token)
{
    uint8_t tag = token->tag;
    if (is_foreign(b)) return end_in_drawing(b, token);
    if (tag == NO_TAG && is_strange(token->name)) return 0;
    if (tag != SELECT && tag != OPTION && tag != OPTGROUP && level_of(b, SELECT, NO_TAG) >= 0) return 0;
    if (tag == BODY || tag == HTML) return level_of(b, BODY, NO_TAG) >= 0; /* what follows is the body's all the same */
    if (tag == BR) return 0;
    if (tag == P) return end_of_paragraph(b);
    if (tag == FORM) return end_of_form(b);
    if (is_heading(tag)) return end_of_heading(b);
    if (tag == TABLE || tag == CAPTION || tag == COL || tag == COLGROUP || tag == TD || tag == TH || tag == TR || is_rows(tag))
        return end_in_table(b, tag);
    if ((closes_paragraph(tag) && tag != P) || tag == LI || tag == DD || tag == DT || tag == PRE || tag == BUTTON || tag == SELECT)
        return end_of_block(b, tag);
    if (tag == HEAD || is_void(tag)) return 1;
    if (is_formatting(tag)) return end_of_formatting(b, tag);
    return end_of_any_other(b, token);
}

/* What comes before the body */

static int
is_for_head(uint8_t tag)
{
    return tag == BASE || tag == LINK || tag == META || tag == TITLE || tag == STYLE || tag == SCRIPT || tag == NOSCRIPT;
}

/* Whether a tag ends the noscript of a head, and the head with it. */
static int
ends_noscript(const Builder *b, uint8_t tag)
{
    return b->mode == IN_HEAD && current(b) == NOSCRIPT && tag != LINK && tag != META && tag != STYLE;
}

static int
start_in_head(Builder *b, const Token *token)
{
    if (token->tag == NOSCRIPT) return insert(b, token, 0);
    return is_void(token->tag) ? insert_void(b, token) : start_of_raw(b, token);
}

static int
begin_head(Builder *b)
{
    if (b->mode == BEFORE_HTML) TRY(insert_implied(b, HTML));
    b->mode = IN_HEAD;
    return insert_implied(b, HEAD);
}

static int
begin_body(Builder *b)
{
    if (b->mode < IN_HEAD) TRY(begin_head(b));
    if (b->mode == IN_HEAD && current(b) == NOSCRIPT) pop(b);
    if (b->mode == IN_HEAD) pop(b);
    b->mode = IN_BODY;
    return insert_implied(b, BODY);
}

static int
start(Builder *b, Token *token)
{
    if (b->mode == IN_BODY) return start_in_body(b, token);
    if (token->tag == NO_TAG && is_strange(token->name)) return 0;
    if (b->mode == BEFORE_HTML && token->tag == HTML) return b->mode = BEFORE_HEAD, insert(b, token, 0);
    if (b->mode == BEFORE_HEAD && token->tag == HEAD) return b->mode = IN_HEAD, insert(b, token, 0);
    if (token->tag == HTML) return pass_again(b, token);
    if (token->tag == HEAD && b->mode == BEFORE_HTML) {
        TRY(insert_implied(b, HTML));
        return b->mode = IN_HEAD, insert(b, token, 0);
    }
    if (token->tag == HEAD) return 1;
    if (b->mode == IN_HEAD && token->tag != NOSCRIPT && ends_noscript(b, token->tag)) pop(b);
    if (is_for_head(token->tag)) {
        if (token->tag == NOSCRIPT && current(b) == NOSCRIPT) return 1;
        if (b->mode == AFTER_HEAD) return 0;
        if (b->mode < IN_HEAD) TRY(begin_head(b));
        return start_in_head(b, token);
    }
    if (token->tag == BODY) {
        if (b->mode < IN_HEAD) TRY(begin_head(b));
        if (b->mode == IN_HEAD && current(b) == NOSCRIPT) pop(b);
        if (b->mode == IN_HEAD) pop(b);
        return b->mode = IN_BODY, insert(b, token, 0);
    }
    TRY(begin_body(b));
    return start_in_body(b, token);
}

static int
end(Builder *b, const Token *token)
{
    if (b->mode == IN_BODY) return end_in_body(b, token);
    if (b->mode == IN_HEAD && token->tag == NOSCRIPT && current(b) == NOSCRIPT) return pop(b), 1;
    if (b->mode == IN_HEAD && token->tag == HEAD && current(b) == HEAD) return pop(b), b->mode = AFTER_HEAD, 1;
    if (token->tag == BODY || token->tag == HTML) return begin_body(b);
    return token->tag != HEAD && token->tag != BR && token->tag != P;
}

static int
take_text(Builder *b, Bytes text)
{
    if (b->skip_line && text.at < text.end && *text.at == '\n') text.at++;
    b->skip_line = 0;
    TRY(decode(b, &text, 0));
    if (b->mode != IN_BODY) {
        if (b->mode < IN_HEAD) text.at = behind_blanks(text.at, text.end);
        if (is_all_blank(text)) return b->mode < IN_HEAD ? 1 : add_text(b, text);
        const uint8_t *first = behind_blanks(text.at, text.end);
        if (b->mode >= IN_HEAD) TRY(add_text(b, (Bytes){text.at, first}));
        TRY(begin_body(b));
        return add_text(b, (Bytes){first, text.end});
    }
    if (is_frame_of_table(current(b)) && !is_all_blank(text)) return 0;
    return add_text(b, text);
}

/* Whether a kind of document is read by the rules: 1; -1 if it is none of the usual ones. */
static int
is_strict(Bytes kind)
{
    static const char *const usual[] = {
        "html public \"-//w3c//dtd xhtml 1.0 strict//", "html public \"-//w3c//dtd xhtml 1.0 transitional//",
        "html public \"-//w3c//dtd xhtml 1.1//", "html public \"-//w3c//dtd html 4.01//",
        "html public \"-//w3c//dtd html 4.01 transitional//en\" \"http", "html system \"about:legacy-compat\"",
    };
    while (kind.end > kind.at && is_blank(kind.end[-1])) kind.end--;
    size_t size = (size_t)(kind.end - kind.at);
    if (size == 4 && !strncasecmp((const char *)kind.at, "html", 4)) return 1;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (size >= strlen(usual[i]) && !strncasecmp((const char *)kind.at, usual[i], strlen(usual[i]))) return 1;
    return -1;
}

/* Whatever begins with "<!" or "<?". */
static int
pass_comment(Builder *b)
{
    const uint8_t *at = b->at;
    Bytes doctype = {at + 2, at + 9 <= b->end ? at + 9 : b->end}, word = {(const uint8_t *)"doctype", (const uint8_t *)"doctype" + 7};
    if (is_foreign(b)) if (!(b->end - at >= 4 && !memcmp(at, "<!--", 4))) return 0;
    if (b->end - at >= 4 && !memcmp(at, "<!--", 4)) {
        const uint8_t *last = memmem(at + 4, (size_t)(b->end - at - 4), "-->", 3);
        if (last == NULL || at[4] == '>' || (b->end - at > 5 && at[4] == '-' && at[5] == '>')) return 0;
        if (memmem(at + 4, (size_t)(last - at - 4), "--!>", 4) != NULL) return 0;
        b->at = last + 3;
        b->after_comment = 1;
        return 1;
    }
    const uint8_t *last = find(at, b->end, '>');
    if (last == b->end) return 0;
    if (is_called_like(doctype, word) && b->mode == BEFORE_HTML && !b->has_kind) {
        b->has_kind = 1;
        b->is_strict = is_strict((Bytes){behind_blanks(at + 9, last), last});
    }
    b->after_comment |= !is_called_like(doctype, word);
    b->at = last + 1;
    return 1;
}

/* Where text goes on until: the next '<' that begins a tag or a comment. */
static const uint8_t *
end_of_text(const uint8_t *at, const uint8_t *end)
{
    for (; (at = find(at, end, '<')) < end; at++) {
        if (at + 1 == end) continue;
        uint8_t next = at[1];
        if (next == '/' || next == '!' || next == '?' || ((next | 0x20) >= 'a' && (next | 0x20) <= 'z')) return at;
    }
    return end;
}

static int
take_tag(Builder *b)
{
    Token token;
    b->skip_line = 0;
    if (b->at[1] == '!' || b->at[1] == '?') return pass_comment(b);
    int closes = b->at[1] == '/';
    if (closes && (b->end - b->at < 3 || (b->at[2] | 0x20) < 'a' || (b->at[2] | 0x20) > 'z')) return 0;
    b->at += closes ? 2 : 1;
    int found = read_tag(b, &token);
    if (found == 2) return b->at = b->end, 1; /* the page ends within a tag: it is none */
    if (found != 1) return found;
    return closes ? end(b, &token) : start(b, &token);
}

static int
build(Builder *b)
{
    if (new_node(b) == NULL) return -1; /* the document */
    while (b->at < b->end) {
        const uint8_t *last = end_of_text(b->at, b->end);
        Bytes text = {b->at, last};
        if (last > b->at) TRY(take_text(b, text));
        if ((b->at = last) < b->end) TRY(take_tag(b));
    }
    if (b->mode != IN_BODY) TRY(begin_body(b));
    while (b->depth) pop(b);
    b->tree->nodes[0].end = b->tree->count;
    return 1;
}

/* Line ends as browsers see them, where the page has others. */
static Bytes
with_line_feeds(Builder *b, Bytes markup)
{
    uint8_t *out = b->tree->letters;
    for (const uint8_t *at = markup.at; at < markup.end; at++) {
        if (*at == '\r' && at + 1 < markup.end && at[1] == '\n') continue;
        *out++ = *at == '\r' ? '\n' : *at;
    }
    b->written = (size_t)(out - b->tree->letters);
    return (Bytes){b->tree->letters, out};
}

/* Whether there are hyphens that nobody sees: Python takes them out, and out of scripts, too. */
static int
has_soft_hyphen(Bytes markup)
{
    for (const uint8_t *at = markup.at; (at = find(at, markup.end, 0xAD)) < markup.end; at++)
        if (at > markup.at && at[-1] == 0xC2) return 1;
    for (const uint8_t *at = markup.at; (at = find(at, markup.end, '&')) < markup.end; at++)
        if (markup.end - at >= 5 && !memcmp(at, "&shy;", 5)) return 1;
    return 0;
}

int
tree_of(Bytes markup, PyObject *entities, Tree *tree)
{
    size_t size = (size_t)(markup.end - markup.at);
    memset(tree, 0, sizeof *tree);
    if (size > LARGEST || find(markup.at, markup.end, 0) < markup.end) return 0;
    if (has_soft_hyphen(markup)) return 0;
    Builder b = {.tree = tree, .entities = entities, .room = 3 * size + 64};
    if ((tree->letters = malloc(b.room)) == NULL) return PyErr_NoMemory(), -1;
    if (find(markup.at, markup.end, '\r') < markup.end) markup = with_line_feeds(&b, markup);
    b.at = markup.at;
    b.end = markup.end;
    return build(&b);
}
