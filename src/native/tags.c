/* The tags that anybody asks for by name, and what the rules of HTML say of each. */
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
    case APPLET: case DATALIST: case FRAME: case FRAMESET: case MARQUEE: case MATH: case NOEMBED: case NOFRAMES: case OBJECT:
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
    case NO_TAG: case SPAN: case DIALOG: case OPTGROUP: case OPTION: case RP: case RT: case RUBY: case SVG: return 0;
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

int
is_boundary(uint8_t tag)
{
    return tag == CAPTION || tag == HTML || tag == TABLE || tag == TD || tag == TH;
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
