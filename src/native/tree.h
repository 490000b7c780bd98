/* A page as elements and texts in the order of its markup.
 *
 * Nodes stand in one array, an element before what is in it, so all that is below node n is n + 1 to its end.
 * Texts and values are UTF-8 that lives as long as the tree.
 */
#ifndef THRESHER_TREE_H
#define THRESHER_TREE_H

#include "core.h"

typedef uint32_t Place; /* of a node in its tree; the document itself is 0 */

/* The tags that are asked for by name; elements.c has their names in the same order. */
enum Tag {
    NO_TAG, /* of a text, or of another name */
    A, ADDRESS, APPLET, AREA, ARTICLE, ASIDE, B, BASE, BIG, BLOCKQUOTE, BODY, BR, BUTTON, CAPTION, CENTER, CODE_TAG, COL,
    COLGROUP, DATALIST, DD, DETAILS, DIALOG, DIR, DIV, DL, DT, EM, EMBED, FIELDSET, FIGCAPTION, FIGURE, FONT, FOOTER, FORM,
    FRAME, FRAMESET, H1, H2, H3, H4, H5, H6, HEAD, HEADER, HGROUP, HR, HTML, I, IFRAME, IMG, INPUT, LI, LINK, MAIN, MARQUEE,
    MATH, MENU, META, NAV, NOBR, NOEMBED, NOFRAMES, NOSCRIPT, OBJECT, OL, OPTGROUP, OPTION, P, PARAM, PLAINTEXT, PRE, RP, RT,
    RUBY, S, SCRIPT, SEARCH, SECTION, SELECT, SMALL, SOURCE, SPAN, STRIKE, STRONG, STYLE, SUMMARY, SVG, TABLE, TBODY, TD,
    TEMPLATE, TEXTAREA, TFOOT, TH, THEAD, TITLE, TR, TRACK, TT, U, UL, WBR, XMP,
    TAGS
};

enum { /* of a node */
    IS_TEXT = 1,
    IS_GONE = 2,      /* it was taken out, with all that is in it */
    IS_FOREIGN = 4,   /* of SVG or MathML, not of HTML */
    IS_MARKED = 8,    /* an anchor that is rendered between BEGIN and END */
    CODE_BEFORE = 16, /* a CODE stands first in it */
    CODE_AFTER = 32,  /* a CODE stands last in it */
    IS_HIDDEN = 64,   /* it is gone because it is not seen */
    HAS_COMMENT = 128, /* a line break that a comment follows */
};

typedef struct {
    uint8_t flags;
    uint8_t tag;
    uint16_t attributes;
    uint32_t first; /* of its attributes */
    Place parent, end;
    Bytes text; /* the name of an element */
} Node;

typedef struct {
    Bytes name, value;
} Attribute;

typedef struct {
    Node *nodes;
    Attribute *attributes;
    uint8_t *letters; /* what was decoded */
    Place count;
    uint32_t attribute_count;
    int is_strict; /* the page asks for the rules of today: 1; 0 for those of old; -1 if that is not known */
} Tree;

#define TRY(call) /* go on only if the answer is 1 */ \
    do {                                          \
        int answer_ = (call);                     \
        if (answer_ != 1) return answer_;         \
    } while (0)

static inline int
same(Bytes text, const char *name)
{
    size_t size = strlen(name);
    return (size_t)(text.end - text.at) == size && memcmp(text.at, name, size) == 0;
}

static inline int
is_any(Bytes text, const char *const *words) /* the last of them is NULL */
{
    for (; *words; words++)
        if (same(text, *words)) return 1;
    return 0;
}

/* Bytes that grow. */
typedef struct {
    uint8_t *at;
    size_t size, room;
} Buffer;

static inline Bytes
bytes_of(const Buffer *buffer)
{
    return (Bytes){buffer->at, buffer->at + buffer->size};
}

int append(Buffer *buffer, const void *at, size_t size); /* 0, or -1 where memory is short */

/* Build the tree of a page: 1; 0 where it must be repaired; -1 for an error. Free it in any case. `is_serialized`: turbohtml
 * has written the markup, so that each element has its end tag. */
int tree_of(Bytes markup, PyObject *entities, int is_serialized, Tree *tree);
void free_tree(Tree *tree);

/* The value of an attribute, or bytes at NULL. */
Bytes attribute_of(const Tree *tree, Place node, const char *name);

/* What is shown of a page that is laid out as text. */
typedef struct {
    const char *bullet, *between; /* before an item, between two cells */
    int images, breaks;           /* images by their words, line breaks by a mark */
    const uint32_t *numbers;      /* of the anchors, by their nodes: their marks have them */
} Style;

/* Append what is seen of a node and all below it: 1; 0 for a table that is megabytes; -1 for an error. */
int render(const Tree *tree, Place node, const Style *style, Buffer *out);

/* Append the part of a page that is worth reading, marks and all; what was rendered of the whole is given. 1, 0, -1. */
int article_of(Tree *tree, Bytes marked, Buffer *out);

#endif
