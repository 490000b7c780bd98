/* What builds a tree: shared by the files that do. A function that may fail answers 1; 0 where the page must be read by
 * Python; -1 for an error. */
#ifndef THRESHER_BUILDER_H
#define THRESHER_BUILDER_H

#include "tree.h"

#define DEEPEST 1000      /* open elements: rendering goes as deep, on any stack */
#define DEEPEST_SOUND 500 /* of markup that is not serialized: a browser has no more than 512 */

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
    int is_serialized; /* by turbohtml: each element has its end tag, and names are as they are */
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

static inline int
is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f';
}

static inline const uint8_t *
behind_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_blank(*at)) at++;
    return at;
}

static inline int
is_all_blank(Bytes text)
{
    return behind_blanks(text.at, text.end) == text.end;
}

static inline int
is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static inline uint8_t
tag_at(const Builder *b, int level)
{
    return b->tree->nodes[b->open[level]].tag;
}

static inline uint8_t
current(const Builder *b)
{
    return b->depth ? tag_at(b, b->depth - 1) : NO_TAG;
}

static inline int
is_foreign(const Builder *b)
{
    return b->depth && b->tree->nodes[b->open[b->depth - 1]].flags & IS_FOREIGN;
}

extern const char *const tag_names[TAGS];

/* elements.c */
uint8_t tag_called(Bytes name);
int is_strange(uint8_t tag, Bytes name);
int is_formatting(uint8_t tag);
int is_special(uint8_t tag);
int is_implied(uint8_t tag);
int is_heading(uint8_t tag);
int holds_apart(uint8_t tag);
int is_boundary(uint8_t tag);
int is_rows(uint8_t tag);
int is_frame_of_table(uint8_t tag);
int closes_paragraph(uint8_t tag);
int is_void(uint8_t tag);
void pop(Builder *b);
int level_of(const Builder *b, uint8_t tag, uint8_t also);
int level_in_table(const Builder *b, uint8_t tag);
int pop_to(Builder *b, int level, int formatting_ends);
void close_implied(Builder *b, uint8_t but);
int close_level(Builder *b, int level);
int close_paragraph(Builder *b);
void meet_comment(Builder *b);
Node *new_node(Builder *b);
int add_text(Builder *b, Bytes text);
int insert(Builder *b, const Token *token, uint8_t flags);
int insert_implied(Builder *b, uint8_t tag);
int insert_void(Builder *b, const Token *token);

/* tokenizer.c */
int decode(Builder *b, Bytes *text, int in_value);
int keep_attribute(Builder *b, Token *token, Attribute attribute);
int read_tag(Builder *b, Token *token);
int read_raw(Builder *b, const Token *token, int decoded);

/* serialized.c */
int is_integration_point(const Builder *b);
int build_serialized(Builder *b);

/* insertion.c */
int start_of_raw(Builder *b, const Token *token);
int pass_again(Builder *b, const Token *token);
int start_in_body(Builder *b, Token *token);
int end_in_body(Builder *b, const Token *token);

static inline int
is_called_like(Bytes one, Bytes other)
{
    if (one.end - one.at != other.end - other.at) return 0;
    for (Py_ssize_t i = 0; i < one.end - one.at; i++) {
        uint8_t a = one.at[i], c = other.at[i];
        if ((a >= 'A' && a <= 'Z' ? a | 0x20 : a) != (c >= 'A' && c <= 'Z' ? c | 0x20 : c)) return 0;
    }
    return 1;
}

#endif
