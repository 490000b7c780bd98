/* What is seen of a page and what is not, and the texts of both.
 *
 *     hidden     a part that is not shown: only its anchors are told
 *     permalink  a sign behind a heading that leads to the heading itself: it is no text
 *     numbered   rendered once more with the numbers of the anchors in their marks, where the order does not tell them
 */
#include "reader.h"

#define LONGEST 1000000 /* characters kept of a text */
#define NOTICE 1000 /* letters for browsers without scripts that may be the page */

static int
is_hidden(const Tree *tree, Place node)
{
    const Node *of = &tree->nodes[node];
    int by_tag = of->tag == NOSCRIPT || of->tag == SELECT || of->tag == IFRAME || of->tag == RT || of->tag == RP || of->tag == TEMPLATE;
    if (by_tag) return 1;
    if (of->attributes == 0) return 0;
    Bytes style = attribute_of(tree, node, "style");
    if (attribute_of(tree, node, "hidden").at) return 1;
    if (holds(style, "display:none") || holds(style, "display: none") || holds(style, "visibility:hidden")) return 1;
    return 0;
}

/* How many words there are in a text, as str.split has it; marks are none. */
static size_t
words_in(Bytes text)
{
    size_t words = 0;
    int width, in_word = 0;
    for (const uint8_t *at = text.at; at < text.end; at += width ? width : width_of(*at)) {
        width = blank_at(at, text.end);
        if (*at == BEGIN || *at == END) continue;
        words += !in_word && !width;
        in_word = !width;
    }
    return words;
}

/* Whether what browsers without scripts are shown is most of the words of a page; these are counted once. */
static int
is_the_page(Tree *tree, Place node, size_t *words)
{
    static const Style plain = {.bullet = "* ", .between = "  "};
    Buffer said = {0}, all = {0};
    int found = text_below(tree, node, &said);
    if (found == 1 && characters_in(bytes_of(&said)) > NOTICE) {
        if (*words == 0) found = render(tree, 0, &plain, &all);
        if (found == 1 && *words == 0) *words = words_in(bytes_of(&all)) + 1;
        if (found == 1) found = 2 * words_in(bytes_of(&said)) > *words - 1 ? 2 : 1;
    }
    free(said.at), free(all.at);
    return found < 0 ? -1 : found == 2;
}

/* Find what is hidden; it is taken out only when all is found. */
static int
find_hidden(Tree *tree)
{
    size_t words = 0; /* of the page, and one */
    for (Place each = 1; each < tree->count; each++) {
        Node *of = &tree->nodes[each];
        if (of->flags & IS_TEXT || of->tag == HTML || of->tag == BODY || !is_hidden(tree, each)) continue;
        int stays = of->tag == NOSCRIPT ? is_the_page(tree, each, &words) : 0;
        if (stays < 0) return -1;
        if (!stays) of->flags |= IS_HIDDEN;
    }
    return 1;
}

/* Whether beginnings and ends take turns, and there are as many as there should be. */
static int
are_in_order(const Buffer *text, Py_ssize_t many)
{
    int open = 0;
    for (const uint8_t *at = text->at, *end = at + text->size; at < end; at++) {
        if (*at != BEGIN && *at != END) continue;
        if ((*at == BEGIN) == open) return 0;
        if ((open = !open) && --many < 0) return 0;
    }
    return !open && many == 0;
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

/* Append what a hidden part says, and a line feed behind it. */
static int
append_hidden(Tree *tree, Place node, const Style *style, Buffer *text)
{
    if (text->size && append(text, "\n", 1) < 0) return -1;
    tree->nodes[node].flags &= (uint8_t)~IS_GONE;
    int found = render(tree, node, style, text);
    tree->nodes[node].flags |= IS_GONE;
    return found;
}

/* Add what a hidden part says, if there are anchors in it, with their numbers. */
static int
add_hidden(Reader *r, Place node, long number)
{
    PyObject *numbers = anchors_in(&r->tree, node, number);
    Buffer text = {0};
    int found = numbers ? PyList_Size(numbers) > 0 : -1;
    if (found > 0) {
        found = append_hidden(&r->tree, node, &r->style, &text);
        r->is_odd |= !are_in_order(&text, PyList_Size(numbers));
        const char *words = text.at ? (const char *)text.at : "";
        if (found == 1) found = add_to(r->hidden, Py_BuildValue("Os#", numbers, words, (Py_ssize_t)text.size));
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

/* Append what all hidden parts say. */
static int
render_hidden(Tree *tree, const Style *style, Buffer *out)
{
    for (Place each = 1; each < tree->count; each++)
        if (tree->nodes[each].flags & IS_HIDDEN) TRY(append_hidden(tree, each, style, out));
    return 1;
}

/* Where hidden anchors are told from others by longer marks, these would widen the cells they stand in. */
static int
has_anchors_in_tables(const Tree *tree)
{
    Place end = 0;
    for (Place each = 1; each < tree->count; each++) {
        const Node *of = &tree->nodes[each];
        if (of->tag == TABLE && of->end > end) end = of->end;
        if (each < end && of->flags & IS_MARKED) return 1;
    }
    return 0;
}

/* Whether an anchor is a sign behind a heading that leads to the heading itself; `is_strict`: letters are told apart, -1 if
 * that is not known. */
static int
is_permalink(const Tree *tree, Place node, int is_strict)
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
            if ((size_t)(last - at) == strlen(names[i]) && is_strict != 1 && holds((Bytes){at, last}, names[i])) return is_strict < 0 ? -2 : 1;
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

/* Take out what is hidden, and signs behind headings. */
static int
clear_unseen(Tree *tree)
{
    TRY(find_hidden(tree));
    for (Place each = 1; each < tree->count; each++) {
        Node *of = &tree->nodes[each];
        if (of->flags & IS_HIDDEN) of->flags |= IS_GONE;
        if (of->flags & IS_TEXT || of->tag != A) continue;
        int is_sign = is_permalink(tree, each, tree->is_strict);
        if (is_sign == -2) return 0;
        int letters = is_sign ? letters_below(tree, each) : 2;
        if (letters < 0) return -1;
        if (letters < 2) of->flags |= IS_GONE;
    }
    return 1;
}

/* The texts of a page */

/* What a digit stands for, or -1. */
static int
value_of(uint8_t c, int is_hex)
{
    if (c >= '0' && c <= '9') return c - '0';
    return is_hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* Whether a page has controls, plain or by number: where links are hidden, marks are told from each other by some. */
static int
has_controls(Bytes markup)
{
    for (const uint8_t *at = markup.at; at < markup.end; at++) {
        if (*at == 0x7F || (*at < 0x20 && *at != '\t' && *at != '\n' && *at != '\f' && *at != '\r')) return 1;
        if (*at != '&' || markup.end - at < 4 || at[1] != '#') continue;
        int is_hex = (at[2] | 0x20) == 'x';
        const uint8_t *digit = at + 2 + is_hex;
        uint32_t number = 0;
        for (; digit < markup.end && value_of(*digit, is_hex) >= 0 && number < 0x80; digit++)
            number = number * (is_hex ? 16 : 10) + (uint32_t)value_of(*digit, is_hex);
        if (number == 0x7F || (number < 0x20 && number != '\t' && number != '\n')) return 1;
    }
    return 0;
}

static int
is_blank_text(const Buffer *text)
{
    Bytes rest = stripped(bytes_of(text));
    return rest.at == rest.end;
}

static void
cut(Buffer *text)
{
    size_t characters = 0, at = 0;
    if (text->size <= LONGEST) return;
    for (; at < text->size && characters <= LONGEST; at++) characters += (text->at[at] & 0xC0) != 0x80;
    text->size = characters > LONGEST ? at - 1 : text->size;
}

/* Collect all that is written in a page but scripts, which are emptied. */
static int
collect(const Tree *tree, Buffer *into)
{
    for (Place each = 1; each < tree->count; each++) {
        const Node *of = &tree->nodes[each];
        if (of->tag == SCRIPT || of->tag == STYLE)
            while (each + 1 < of->end) tree->nodes[++each].flags |= IS_GONE;
        else if (of->flags & IS_TEXT && append(into, of->text.at, (size_t)(of->text.end - of->text.at)) < 0) return -1;
    }
    return 1;
}

/* Whether anchors must be numbered to be told from each other: some are not seen, or stand inside each other. */
static int
needs_numbers(const Reader *r, const Texts *texts, Bytes markup)
{
    Py_ssize_t hidden = 0, parts = PyList_Size(r->hidden);
    for (Py_ssize_t i = 0; i < parts; i++) hidden += PyList_Size(PyTuple_GetItem(PyList_GetItem(r->hidden, i), 0));
    if (!are_in_order(&texts->seen, r->anchors - hidden) || is_blank_text(&texts->seen)) return 1;
    if (!parts) return 0;
    return r->is_odd || r->wants & (BREAKS | CONTEXT) || has_anchors_in_tables(&r->tree) || has_controls(markup);
}

static int
render_numbered(Reader *r, Texts *texts)
{
    Style style = {.bullet = "", .between = " ", .images = 1, .numbers = r->numbers};
    TRY(render(&r->tree, 0, &style, &texts->numbered));
    return render_hidden(&r->tree, &style, &texts->hidden);
}

/* Find the part worth reading by what is seen, without the marks of line breaks. */
static int
read_article(Reader *r, Texts *texts)
{
    Bytes seen = bytes_of(&texts->seen);
    Buffer plain = {0};
    if (find(seen.at, seen.end, BREAK) == seen.end) return article_of(&r->tree, seen, &texts->article);
    if (append(&plain, seen.at, texts->seen.size) < 0) return -1;
    uint8_t *out = plain.at;
    for (const uint8_t *at = seen.at; at < seen.end; at++)
        if (*at != BREAK) *out++ = *at;
    int found = article_of(&r->tree, (Bytes){plain.at, out}, &texts->article);
    free(plain.at);
    return found;
}

int
read_texts(Reader *r, Bytes markup, Texts *texts)
{
    if (r->wants & WRITTEN) TRY(collect(&r->tree, &texts->written));
    TRY(clear_unseen(&r->tree));
    TRY(gather_hidden(r));
    TRY(render(&r->tree, 0, &r->style, &texts->seen));
    cut(&texts->seen);
    if ((r->is_numbered = needs_numbers(r, texts, markup))) TRY(render_numbered(r, texts));
    return read_article(r, texts);
}
