/* The tree of a page that turbohtml has repaired and written out again: its start and end tags are the tree.
 *
 *     raw          text up to the end tag, in which nothing is decoded
 *     integration  an element of SVG or MathML that holds HTML
 */
#include "builder.h"

enum { OF_HTML, OF_SVG, OF_MATHML };

/* Whether an element of SVG or MathML holds HTML again, or may. */
static int
holds_html(const Tree *tree, Place node, int of)
{
    static const char *const drawn[] = {"foreignObject", "desc", "title", NULL};
    static const char *const written[] = {"mi", "mo", "mn", "ms", "mtext", NULL};
    static const char *const kinds[] = {"text/html", "application/xhtml+xml", NULL};
    Bytes name = tree->nodes[node].text;
    if (of == OF_MATHML && same(name, "annotation-xml")) return is_any(attribute_of(tree, node, "encoding"), kinds);
    return of != OF_HTML && is_any(name, of == OF_SVG ? drawn : written);
}

/* What the innermost open element is of: SVG in MathML, and the other way round, is of its parent unless that holds HTML. */
static int
namespace(const Builder *b)
{
    int of = OF_HTML;
    for (int level = 0; level < b->depth; level++) {
        const Node *node = &b->tree->nodes[b->open[level]];
        if (!(node->flags & IS_FOREIGN)) of = OF_HTML;
        else if (of == OF_HTML || (level && holds_html(b->tree, b->open[level - 1], of))) of = node->tag == SVG ? OF_SVG : OF_MATHML;
        else if (node->tag == SVG && same(b->tree->nodes[b->open[level - 1]].text, "annotation-xml")) of = OF_SVG;
    }
    return of;
}

int
is_integration_point(const Builder *b)
{
    return holds_html(b->tree, b->open[b->depth - 1], namespace(b));
}

static int
is_of_foreign(const Builder *b, const Token *token)
{
    static const char *const mathematical[] = {"mglyph", "malignmark", NULL};
    if (token->tag == SVG || token->tag == MATH) return 1;
    if (!is_foreign(b)) return 0;
    return !is_integration_point(b) || (namespace(b) == OF_MATHML && is_any(token->name, mathematical));
}

static int
has_no_end_tag(const Token *token)
{
    static const char *const others[] = {"basefont", "bgsound", "keygen", NULL};
    return token->tag == FRAME || is_void(token->tag) || is_any(token->name, others);
}

static int
is_raw(uint8_t tag)
{
    switch (tag) {
    case IFRAME: case NOEMBED: case NOFRAMES: case PLAINTEXT: case SCRIPT: case STYLE: case XMP: return 1;
    default: return 0;
    }
}

/* Whether a line feed that an element begins with is written twice, for the first is none. */
static int
keeps_line(const Token *token)
{
    return token->tag == PRE || token->tag == TEXTAREA || same(token->name, "listing");
}

static int
start(Builder *b)
{
    Token token;
    b->at++;
    if (read_tag(b, &token) != 1) return PyErr_Occurred() ? -1 : 0;
    int foreign = is_of_foreign(b, &token);
    if (!foreign && is_raw(token.tag)) return read_raw(b, &token, 0);
    TRY(insert(b, &token, foreign ? IS_FOREIGN : 0));
    if (!foreign && b->at < b->end && *b->at == '\n' && keeps_line(&token)) b->at++;
    if (!foreign && has_no_end_tag(&token)) pop(b);
    return 1;
}

static int
end(Builder *b)
{
    const uint8_t *last = find(b->at, b->end, '>');
    Bytes name = {b->at + 2, last};
    if (last == b->end || b->depth == 0) return 0;
    Bytes open = b->tree->nodes[b->open[b->depth - 1]].text;
    if (open.end - open.at != name.end - name.at || memcmp(open.at, name.at, (size_t)(name.end - name.at))) return 0;
    b->at = last + 1;
    pop(b);
    return 1;
}

/* Pass a comment, a doctype or an instruction. */
static int
pass(Builder *b)
{
    int is_comment = b->end - b->at >= 4 && !memcmp(b->at, "<!--", 4);
    const uint8_t *first = b->at + (is_comment ? 4 : 2);
    const uint8_t *last = is_comment ? find_word((Bytes){first, b->end}, "-->") : find(first, b->end, '>');
    if (last == NULL || last == b->end) return 0;
    meet_comment(b);
    b->at = last + (is_comment ? 3 : 1);
    return 1;
}

static int
text(Builder *b)
{
    const uint8_t *last = find(b->at, b->end, '<');
    Bytes text = {b->at, last};
    b->at = last;
    b->after_comment = 1; /* whatever was read before, this is a text of its own */
    TRY(decode(b, &text, 0));
    return b->depth ? add_text(b, text) : 1;
}

int
build_serialized(Builder *b)
{
    while (b->at < b->end) {
        if (*b->at != '<') TRY(text(b));
        else if (b->end - b->at < 3) return 0;
        else if (b->at[1] == '/') TRY(end(b));
        else if (b->at[1] == '!' || b->at[1] == '?') TRY(pass(b));
        else TRY(start(b));
    }
    return b->depth == 0;
}
