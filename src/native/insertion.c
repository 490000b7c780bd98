/* What a tag does in the body of a page (HTML, section 13.2.6.4.7 and those of tables, select and foreign content).
 *
 *     A start or an end tag that would move elements that are there already is not read here: the answer is 0.
 */
#include "builder.h"

#define MOST_COPIED 64 /* attributes of a second <html> or <body>, with those of the first */

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
    if (level_in_table(b, TABLE) < 0) return 1; /* without a table it is passed over */
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

/* SVG and MathML */

/* Whether a start tag does not end SVG and MathML; some that do not either are left out. */
static int
stays_foreign(uint8_t tag)
{
    return tag == NO_TAG || tag == A || tag == MATH || tag == STYLE || tag == SVG || tag == TITLE;
}

static int
start_in_foreign(Builder *b, Token *token)
{
    static const char *const unlike[] = {"fe", "alt", "animate", "foreign", "glyphref", "textpath", "sub", "sup", "var", "annotation-x"};
    static const char *const spelled[][2] = {
        {"clippath", "clipPath"}, {"lineargradient", "linearGradient"}, {"radialgradient", "radialGradient"},
    };
    if (is_integration_point(b)) return 0;
    if (!stays_foreign(token->tag)) return 0;
    if (is_strange(token->tag, token->name)) return 0;
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
end_in_foreign(Builder *b, const Token *token)
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

int
start_of_raw(Builder *b, const Token *token)
{
    if (token->tag == TEXTAREA && b->at < b->end && *b->at == '&') return 0; /* it may stand for a line feed */
    if (token->tag == TEXTAREA && b->at < b->end && *b->at == '\n') b->at++;
    return read_raw(b, token, token->tag == TITLE || token->tag == TEXTAREA);
}

/* Give a second <html> or <body>'s attributes to the first, which keeps what it has: behind its own, for the first of a
 * name is what counts. */
int
pass_again(Builder *b, const Token *token)
{
    Tree *tree = b->tree;
    Node *of = &tree->nodes[b->open[token->tag == BODY]];
    Token both = {.first = tree->attribute_count};
    if (token->attributes == 0) return 1;
    if (of->attributes + token->attributes > MOST_COPIED) return 0; /* each time all are copied */
    for (uint32_t i = 0; i < of->attributes; i++)
        TRY(keep_attribute(b, &both, tree->attributes[of->first + i]));
    for (uint32_t i = 0; i < token->attributes; i++) TRY(keep_attribute(b, &both, tree->attributes[token->first + i]));
    of->first = both.first;
    of->attributes = both.attributes;
    return 1;
}

int
start_in_body(Builder *b, Token *token)
{
    uint8_t tag = token->tag;
    if (is_foreign(b)) return start_in_foreign(b, token);
    if (tag == NO_TAG && same(token->name, "image")) {
        const uint8_t *name = (const uint8_t *)tag_names[IMG];
        token->tag = tag = IMG;
        token->name = (Bytes){name, name + 3};
    }
    if (is_strange(tag, token->name)) return 0;
    if (tag == HTML || tag == BODY) return pass_again(b, token);
    if (tag == HEAD) return 1;
    if (current(b) == COLGROUP && (tag == SCRIPT || tag == STYLE || tag == INPUT)) return 0;
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
    int foreign = tag == SVG || tag == MATH;
    TRY(insert(b, token, foreign ? IS_FOREIGN : 0));
    if (foreign && token->closes_itself) pop(b);
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

/* It stands for a line break. */
static int
end_of_line_break(Builder *b)
{
    if (is_frame_of_table(current(b))) return 0;
    TRY(insert_implied(b, BR));
    pop(b);
    return 1;
}

static int
end_of_object(Builder *b, uint8_t tag)
{
    int level = level_of(b, tag, NO_TAG);
    if (level < 0) return 1;
    close_implied(b, NO_TAG);
    return pop_to(b, level, 1);
}

int
end_in_body(Builder *b, const Token *token)
{
    uint8_t tag = token->tag;
    if (is_foreign(b)) return end_in_foreign(b, token);
    if (current(b) == COLGROUP && tag != COLGROUP && tag != TABLE) return 0;
    if (is_strange(tag, token->name)) return 0;
    if (tag != SELECT && tag != OPTION && tag != OPTGROUP && level_of(b, SELECT, NO_TAG) >= 0) return 0;
    if (tag == BODY || tag == HTML) return level_of(b, BODY, NO_TAG) >= 0; /* what follows is the body's all the same */
    if (tag == BR) return end_of_line_break(b);
    if (holds_apart(tag)) return end_of_object(b, tag);
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
