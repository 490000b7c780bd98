/* The tree of a page whose markup is sound, as browsers build it (HTML, sections 13.2.5 and 13.2.6).
 *
 * What a browser would have to repair by moving elements (misnested formatting, text between the rows of a table),
 * and what hardly any page has, is left to turbohtml: the answer is 0. So no rule stands here that only broken
 * pages need, and what is answered is what turbohtml would have answered.
 */
#include "builder.h"

#define LARGEST (1 << 20) /* bytes of markup */
#define LARGEST_SERIALIZED (1 << 26)
#define MOST_TAGS 100000  /* that Python counts of a page */

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
    if (is_strange(token->tag, token->name)) return 0;
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
    if (b->mode == IN_HEAD && current(b) == NOSCRIPT) return 0;
    if (token->tag == BODY || token->tag == HTML) return begin_body(b);
    return token->tag != HEAD && token->tag != BR && token->tag != P;
}

static int
take_text(Builder *b, Bytes text)
{
    if (b->skip_line && text.at < text.end && *text.at == '&') return 0; /* it may stand for a line feed */
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

/* Whether bytes begin with a word in small letters, whatever theirs are. */
static int
begins_like(Bytes bytes, const char *word)
{
    size_t size = strlen(word);
    const uint8_t *like = (const uint8_t *)word;
    if ((size_t)(bytes.end - bytes.at) < size) return 0;
    return is_called_like((Bytes){bytes.at, bytes.at + size}, (Bytes){like, like + size});
}

/* Whether the names in a doctype, none, one or two, each stand between quotes. */
static int
is_well_quoted(Bytes kind)
{
    int quotes = 0;
    for (const uint8_t *at = kind.at; at < kind.end; at++) {
        if (*at == '"') quotes++;
        else if (*at == '\'' || (quotes == 2 && !is_blank(*at))) return 0;
    }
    return quotes == 0 || ((quotes == 2 || quotes == 4) && kind.end[-1] == '"');
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
    if (!is_well_quoted(kind) || begins_like((Bytes){kind.end - 27 > kind.at ? kind.end - 27 : kind.at, kind.end}, "ibm"))
        return -1;
    if (kind.end - kind.at == 4 && begins_like(kind, "html")) return 1;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (begins_like(kind, usual[i])) return 1;
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
        const uint8_t *last = find_word((Bytes){at + 4, b->end}, "-->");
        if (last == NULL || at[4] == '>' || (b->end - at > 5 && at[4] == '-' && at[5] == '>')) return 0;
        if (find_word((Bytes){at + 4, last}, "--!>") != NULL) return 0;
        b->at = last + 3;
        b->after_comment = 1;
        meet_comment(b);
        return 1;
    }
    const uint8_t *last = find(at, b->end, '>');
    if (last == b->end) return 0;
    if (is_called_like(doctype, word) && b->mode == BEFORE_HTML && !b->has_kind) {
        b->has_kind = 1;
        b->is_strict = is_strict((Bytes){behind_blanks(at + 9, last), last});
    }
    b->after_comment |= !is_called_like(doctype, word);
    if (!is_called_like(doctype, word)) meet_comment(b);
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
    while (b->at < b->end) {
        const uint8_t *last = end_of_text(b->at, b->end);
        Bytes text = {b->at, last};
        if (last > b->at) TRY(take_text(b, text));
        if ((b->at = last) < b->end) TRY(take_tag(b));
    }
    if (b->mode != IN_BODY) TRY(begin_body(b));
    while (b->depth) pop(b);
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

static int
has_many_tags(Bytes markup)
{
    size_t tags = 0;
    for (const uint8_t *at = markup.at; markup.end - markup.at > MOST_TAGS && (at = find(at, markup.end, '<')) < markup.end; at++)
        tags++;
    return tags > MOST_TAGS / 3; /* one may imply two others */
}

/* Whether a page would take too much: one that is serialized was cut before. */
static int
is_too_large(Bytes markup, int is_serialized)
{
    size_t size = (size_t)(markup.end - markup.at);
    if (is_serialized) return size > LARGEST_SERIALIZED;
    return size > LARGEST || has_many_tags(markup);
}

int
tree_of(Bytes markup, PyObject *entities, int is_serialized, Tree *tree)
{
    size_t size = (size_t)(markup.end - markup.at);
    memset(tree, 0, sizeof *tree);
    if (is_too_large(markup, is_serialized) || find(markup.at, markup.end, 0) < markup.end) return 0;
    Builder b = {.tree = tree, .entities = entities, .room = 3 * size + 64, .is_serialized = is_serialized};
    if ((tree->letters = malloc(b.room)) == NULL) return PyErr_NoMemory(), -1;
    if (!is_serialized && find(markup.at, markup.end, '\r') < markup.end) markup = with_line_feeds(&b, markup);
    b.at = markup.at;
    b.end = markup.end;
    if (new_node(&b) == NULL) return -1; /* the document */
    TRY(is_serialized ? build_serialized(&b) : build(&b));
    tree->is_strict = is_serialized ? 1 : b.is_strict;
    tree->nodes[0].end = tree->count;
    return 1;
}
