/* The part of a page that is worth reading: parse/main_text.py and parse/furniture.py are the reference, and say why.
 *
 * An element that is taken out is marked as gone. What only Python could decide, and what would take long, is left to
 * it: a word that holds a Kelvin sign, a page that uses up half of the patience. */
#include "tree.h"
#include <stdlib.h>

#define MUCH 0.1
#define MUCH_OF_ALL 0.45
#define BLOCK 300.0
#define HEADED 400
#define WIDEST 2.5
#define PATIENCE 15.0
#define LITTLE 1e6
#define LEAST_PROSE 250.0
#define FEW 0.25
#define MOST_OF_ITS_KIND 0.6
#define PARAGRAPHS 0.6
#define WITHIN 0.85
#define TEASED 0.75
#define LONGEST_LEAD 1.0
#define LEAD_LINE 40.0
#define LITTLE_PROSE 250.0
#define LONGEST 500000 /* bytes: a longer page may be cut by Python */
#define WORK 50000000  /* bytes compared to find one line among others */

enum { LEAD = 12, NEAR = 6, TEASERS = 2, LIST = 3, LIST_BEFORE = 4, TAIL = 7, SIGNED = 2, MANY = 100, BEFORE = 10000 };
enum { ASK = -2 }; /* the answer of a function that leaves the page to Python; -1 is an error */

typedef struct {
    uint32_t characters, headings; /* before a node */
} Sum;

typedef struct {
    Place place;
    uint32_t ways; /* in which it may be a root */
} Candidate;

typedef struct {
    Tree *tree;
    Sum *sums;
    Buffer candidates;
    Buffer whole, text, likeliest, read; /* rendered: the body, what is looked at, the best of a kind, the root */
    Lines lines, before;
    double all_prose, patience, least, prose;
    Place body, heading, root; /* 0 for none */
    int wide;
} Page;

static double
larger(double one, double other)
{
    return one > other ? one : other;
}

static Bytes
bytes_of(const Buffer *buffer)
{
    return (Bytes){buffer->at, buffer->at + buffer->size};
}

static void
swap(Buffer *one, Buffer *other)
{
    Buffer kept = *one;
    *one = *other;
    *other = kept;
}

/* Whether an attribute has a name, and is the first of its element that has: the others do not count. */
static int
is_named(const Tree *tree, const Node *node, const Attribute *attribute, const char *name)
{
    if (!same(attribute->name, name)) return 0;
    for (const Attribute *each = tree->attributes + node->first; each < attribute; each++)
        if (same(each->name, name)) return 0;
    return 1;
}

static int
is_any(Bytes text, const char *const *words)
{
    for (; *words; words++)
        if (same(text, *words)) return 1;
    return 0;
}

static size_t
characters_in(Bytes text)
{
    const uint64_t ones = 0x0101010101010101u;
    size_t found = (size_t)(text.end - text.at);
    uint64_t eight;
    const uint8_t *at = text.at;
    for (; text.end - at >= 8; at += 8) { /* eight bytes at once: scripts are long */
        memcpy(&eight, at, 8);
        found -= (size_t)(((eight >> 7 & ~eight >> 6 & ones) * ones) >> 56);
    }
    for (; at < text.end; at++) found -= (*at & 0xC0) == 0x80;
    return found;
}

static int
rendered(const Page *page, Place node, Buffer *into)
{
    into->size = 0;
    int done = render(page->tree, node, 0, into);
    return done > 0 ? 0 : done == 0 ? ASK : -1;
}

static int
spend(Page *page, double characters)
{
    page->patience -= characters;
    return page->patience < page->least ? ASK : 0;
}

/* What elements are called. */

enum { CALLED_SO = 1, SURELY = 2, QUOTED = 4, SURE = CALLED_SO | SURELY };
enum { LONGEST_WORD = 15 };

static const struct {
    char word[LONGEST_WORD + 1];
    int means;
} WORDS[] = { /* in the order of memcmp */
    {"abo", CALLED_SO}, {"ad", CALLED_SO}, {"adbox", CALLED_SO}, {"addtoany", CALLED_SO}, {"ads", CALLED_SO},
    {"adslot", CALLED_SO}, {"advert", CALLED_SO}, {"advertisement", CALLED_SO}, {"adverts", CALLED_SO},
    {"aside", CALLED_SO}, {"authorbox", CALLED_SO}, {"banner", CALLED_SO}, {"barrier", CALLED_SO},
    {"bio", CALLED_SO}, {"breadcrumb", SURE}, {"breadcrumbs", SURE}, {"byline", CALLED_SO}, {"caption", CALLED_SO},
    {"carousel", CALLED_SO}, {"categories", CALLED_SO}, {"catlinks", CALLED_SO}, {"commentlist", SURE},
    {"comments", SURE}, {"consent", SURE}, {"cookie", SURE}, {"cookies", SURE}, {"copyright", CALLED_SO},
    {"copyrights", CALLED_SO}, {"credit", CALLED_SO}, {"dateline", CALLED_SO}, {"disclaimer", CALLED_SO},
    {"disqus", SURE}, {"drawer", CALLED_SO}, {"dropdown", CALLED_SO}, {"edit", CALLED_SO},
    {"editsection", CALLED_SO}, {"embed", QUOTED}, {"embedded", QUOTED}, {"feedback", CALLED_SO},
    {"flyout", CALLED_SO}, {"follow", CALLED_SO}, {"foot", CALLED_SO}, {"footer", SURE}, {"gdpr", SURE},
    {"gutter", CALLED_SO}, {"hatnote", CALLED_SO}, {"headerlink", CALLED_SO}, {"infobox", CALLED_SO},
    {"jumplink", CALLED_SO}, {"latest", CALLED_SO}, {"legal", CALLED_SO}, {"lightbox", CALLED_SO},
    {"lineno", CALLED_SO}, {"linenos", CALLED_SO}, {"login", CALLED_SO}, {"masthead", CALLED_SO}, {"menu", SURE},
    {"meta", CALLED_SO}, {"metadata", CALLED_SO}, {"modal", CALLED_SO}, {"mostread", SURE}, {"nav", SURE},
    {"navbar", SURE}, {"navbox", CALLED_SO}, {"navi", SURE}, {"navigation", SURE}, {"newsletter", SURE},
    {"noprint", CALLED_SO}, {"offcanvas", CALLED_SO}, {"outbrain", SURE}, {"overlay", CALLED_SO},
    {"pagenav", CALLED_SO}, {"pager", SURE}, {"pagination", SURE}, {"paging", CALLED_SO}, {"paywall", CALLED_SO},
    {"player", CALLED_SO}, {"poll", CALLED_SO}, {"popular", SURE}, {"popup", CALLED_SO}, {"postmeta", CALLED_SO},
    {"print", CALLED_SO}, {"promo", CALLED_SO}, {"promoted", CALLED_SO}, {"promotion", CALLED_SO},
    {"quiz", CALLED_SO}, {"quote", QUOTED}, {"rating", CALLED_SO}, {"ratings", CALLED_SO}, {"recirc", CALLED_SO},
    {"recommend", SURE}, {"recommendation", SURE}, {"recommendations", SURE}, {"recommended", SURE},
    {"register", CALLED_SO}, {"related", SURE}, {"replies", CALLED_SO}, {"reply", CALLED_SO}, {"respond", SURE},
    {"search", CALLED_SO}, {"searchform", CALLED_SO}, {"share", SURE}, {"sharedaddy", CALLED_SO},
    {"sharer", CALLED_SO}, {"shares", CALLED_SO}, {"shariff", CALLED_SO}, {"sharing", SURE}, {"side", CALLED_SO},
    {"sidebar", SURE}, {"signup", CALLED_SO}, {"sitesub", CALLED_SO}, {"skip", CALLED_SO}, {"social", SURE},
    {"socials", CALLED_SO}, {"sponsor", CALLED_SO}, {"sponsored", CALLED_SO}, {"submenu", CALLED_SO},
    {"subscribe", CALLED_SO}, {"subscription", CALLED_SO}, {"taboola", SURE}, {"tagcloud", CALLED_SO},
    {"taglist", CALLED_SO}, {"tags", CALLED_SO}, {"timestamp", CALLED_SO}, {"toolbar", CALLED_SO},
    {"toolbox", CALLED_SO}, {"tools", CALLED_SO}, {"tooltip", CALLED_SO}, {"topbar", CALLED_SO}, {"trending", SURE},
    {"tweet", QUOTED}, {"utility", CALLED_SO}, {"visuallyhidden", CALLED_SO}, {"vote", CALLED_SO},
    {"widget", CALLED_SO}, {"widgetarea", CALLED_SO}, {"widgets", CALLED_SO},
};

static int
meaning_of(const char *word)
{
    size_t low = 0, high = sizeof WORDS / sizeof *WORDS;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = memcmp(word, WORDS[middle].word, LONGEST_WORD + 1);
        if (order == 0) return WORDS[middle].means;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}

/* A word of a name as it is read, in small letters. */
typedef struct {
    char letters[LONGEST_WORD + 1]; /* the rest is 0 */
    int size;                       /* more than fit for what is no word of ours */
    int is_first;                   /* of its name */
} Word;

typedef struct {
    int means, comments, begins_so; /* "comment" counts only where a name begins with it */
} Meaning;

static void
end_word(Word *word, Meaning *found)
{
    static const char comment[] = "comment";
    if (word->size == 0) return;
    if (word->is_first && memcmp(word->letters, comment, 7) == 0) found->begins_so = 1;
    if (word->size == 7 && memcmp(word->letters, comment, 7) == 0) found->comments = 1;
    else if (word->size >= 2 && word->size <= LONGEST_WORD) found->means |= meaning_of(word->letters);
    *word = (Word){0};
}

static void
add_letter(Word *word, uint8_t c)
{
    if (word->size < LONGEST_WORD) word->letters[word->size] = (char)c;
    if (word->size <= LONGEST_WORD) word->size++;
}

/* What the words of a class or an id say, or ASK: of letters beyond ASCII only the Kelvin sign has a small one in it. */
static int
meaning_of_names(Bytes names)
{
    Word word = {.is_first = 1};
    Meaning found = {0};
    uint8_t before = 0;
    for (const uint8_t *at = names.at; at < names.end;) {
        uint8_t c = *at;
        int width = blank_at(at, names.end), upper = c >= 'A' && c <= 'Z';
        if (width || c == '-' || c == '_') {
            end_word(&word, &found);
            word.is_first = width > 0;
        } else {
            if (upper && before >= 'a' && before <= 'z') end_word(&word, &found);
            if (c == 0xE2 && names.end - at >= 3 && at[1] == 0x84 && at[2] == 0xAA) return ASK;
            add_letter(&word, upper ? c | 0x20 : c);
        }
        before = c;
        at += width ? width : 1;
    }
    end_word(&word, &found);
    return found.means | (found.comments && found.begins_so ? SURE : 0);
}

/* What the class and the id of an element say, one of them without a quote: CALLED_SO, SURELY, or ASK. */
static int
calls(const Tree *tree, const Node *node)
{
    const Attribute *each = tree->attributes + node->first, *end = each + node->attributes;
    int found = 0;
    for (; each < end; each++) {
        if (!is_named(tree, node, each, "class") && !is_named(tree, node, each, "id")) continue;
        int means = meaning_of_names(each->value);
        if (means < 0) return means;
        found |= means & SURELY;
        if (!(means & QUOTED)) found |= means & CALLED_SO;
    }
    return found;
}

/* Furniture. */

static int
is_furniture_tag(int tag)
{
    switch (tag) {
    case NAV: case FOOTER: case ASIDE: case FIGCAPTION: case FORM: case BUTTON: case SELECT: case TEXTAREA: case DIALOG:
    case MENU: case SVG:
        return 1;
    default:
        return 0;
    }
}

static int
is_container(int tag)
{
    switch (tag) {
    case A: case B: case CENTER: case DIV: case DL: case FIGURE: case H2: case H3: case H4: case HEADER: case LI: case OL:
    case P: case SECTION: case SPAN: case STRONG: case TABLE: case TD: case UL:
        return 1;
    default:
        return 0;
    }
}

static int
is_furniture(const Tree *tree, const Node *node)
{
    static const char *const roles[] = {"navigation", "banner", "contentinfo", "complementary", "search", "dialog",
                                        "alertdialog", "menu", "menubar", "toolbar", "tablist", NULL};
    if (is_furniture_tag(node->tag)) return 1;
    const Attribute *each = tree->attributes + node->first, *end = each + node->attributes;
    for (; each < end; each++) {
        if (is_named(tree, node, each, "role") && is_any(each->value, roles)) return 1;
        if (!same(each->value, "true")) continue;
        if (is_named(tree, node, each, "aria-hidden") || is_named(tree, node, each, "aria-modal")) return 1;
    }
    return 0;
}

/* Count the characters and headings before each node once, for all elements are asked how many they have. */
static void
sum_up(Page *page)
{
    const Tree *tree = page->tree;
    Sum sum = {0};
    for (Place n = 0; n < tree->count;) {
        const Node *node = &tree->nodes[n];
        Place end = n + 1;
        page->sums[n] = sum;
        if (node->flags & IS_GONE) end = node->end;
        else if (node->flags & IS_TEXT) sum.characters += (uint32_t)characters_in(node->text);
        else sum.characters += node->flags & IS_MARKED ? 2 : 0, sum.headings += node->tag == H1;
        for (n++; n < end; n++) page->sums[n] = sum;
    }
    page->sums[tree->count] = sum;
}

static uint32_t
size_of(const Page *page, Place node)
{
    return page->sums[page->tree->nodes[node].end].characters - page->sums[node].characters;
}

static int
has_heading(const Page *page, Place node)
{
    return page->sums[page->tree->nodes[node].end].headings > page->sums[node + 1].headings;
}

/* Tell whether what looks like furniture holds too much of the prose. */
static int
is_content(Page *page, Place node, int surely)
{
    double part = page->all_prose * MUCH, size = size_of(page, node);
    double much = larger(LONG, surely ? page->all_prose * MUCH_OF_ALL : part < BLOCK ? part : BLOCK);
    if (spend(page, size) < 0) return ASK;
    if (size > HEADED && has_heading(page, node)) return 1;
    if ((page->wide ? WIDEST : 1.0) * size <= much) return 0; /* spare most of them the longer question */
    int failed = rendered(page, node, &page->text);
    return failed ? failed : prose_in(bytes_of(&page->text), page->wide) > much;
}

/* Take an element out, unless it is content: 1 if it is gone. */
static int
take_out(Page *page, Place n, int means)
{
    Node *node = &page->tree->nodes[n];
    if (means < 0) return means;
    int content = is_content(page, n, node->tag == NAV || node->tag == FOOTER || means & SURELY);
    if (content < 0) return content;
    if (!content) node->flags |= IS_GONE;
    return !content;
}

/* Take out what is furniture by its tag or its role. Python looks at what is in it, too: that costs patience. */
static int
clear_tagged(Page *page)
{
    const Tree *tree = page->tree;
    Place inside = 0; /* of what went: its end */
    for (Place n = 1; n < tree->count;) {
        const Node *node = &tree->nodes[n];
        Place next = node->flags & IS_GONE ? node->end : n + 1;
        if (!(node->flags & (IS_GONE | IS_TEXT)) && is_furniture(tree, node)) {
            int done = n < inside ? spend(page, size_of(page, n)) : take_out(page, n, calls(tree, node));
            if (done < 0) return done;
            if (done) inside = node->end;
        }
        n = next;
    }
    return 0;
}

/* Take out what is called furniture, and what is in it with it. */
static int
clear_named(Page *page)
{
    const Tree *tree = page->tree;
    for (Place n = 1; n < tree->count;) {
        const Node *node = &tree->nodes[n];
        if (!(node->flags & (IS_GONE | IS_TEXT)) && node->attributes && is_container(node->tag)) {
            int means = calls(tree, node), done = means < 0 || means & CALLED_SO ? take_out(page, n, means) : 0;
            if (done < 0) return done;
        }
        n = node->flags & IS_GONE ? node->end : n + 1;
    }
    return 0;
}

static int
clear_away(Page *page)
{
    sum_up(page);
    int failed = clear_tagged(page);
    if (failed) return failed;
    sum_up(page);
    failed = clear_named(page);
    for (Place n = page->body; !failed && n; n = page->tree->nodes[n].parent)
        if (page->tree->nodes[n].flags & IS_GONE) return ASK; /* Python goes on with what it has taken out */
    return failed;
}

/* What may be the root. */

enum { BY_PART = 1, BY_TAG = 2, AS_MAIN = 4, BY_CLASS = 8, BY_ID = 16, WAYS = 32 }; /* the surest last */

/* Most letters begin none of the names below. */
static int
may_begin_root(const uint8_t *at)
{
    switch (at[0] << 8 | at[1]) {
    case 'a' << 8 | 'r': case 'e' << 8 | 'n': case 'p' << 8 | 'o': case 's' << 8 | 't': case 's' << 8 | 'i':
    case 'b' << 8 | 'l': case 'p' << 8 | 'a':
        return 1;
    default:
        return 0;
    }
}

static int
is_called_root(Bytes names)
{
    static const char *const roots[] = {
        "article-body", "articleBody", "article__body", "article-content", "articleContent", "entry-content",
        "post-content", "post-body", "postBody", "story-body", "storytext", "single-content", "post-text",
        "article-text", "blog-content", "page-content", NULL};
    for (const uint8_t *at = names.at; names.end - at >= 8; at++) /* the shortest has eight letters */
        for (const char *const *root = may_begin_root(at) ? roots : &roots[16]; *root; root++) {
            size_t size = strlen(*root);
            if ((size_t)(names.end - at) >= size && memcmp(at, *root, size) == 0) return 1;
        }
    return 0;
}

static int
ways_of(const Tree *tree, const Node *node)
{
    static const char *const ids[] = {"content", "main-content", "main", "article", NULL};
    const Attribute *each = tree->attributes + node->first, *end = each + node->attributes;
    int found = node->tag == ARTICLE ? BY_TAG : node->tag == MAIN ? AS_MAIN : 0;
    for (; each < end; each++) {
        const Bytes value = each->value;
        if (is_named(tree, node, each, "class")) {
            if (is_called_root(value)) found |= BY_CLASS;
            if (same(value, "content")) found |= BY_ID;
        } else if (is_any(value, ids) && is_named(tree, node, each, "id")) {
            found |= BY_ID;
        } else if (same(value, "main") && is_named(tree, node, each, "role")) {
            found |= AS_MAIN;
        } else if (same(value, "articleBody") && is_named(tree, node, each, "itemprop")) {
            found |= BY_PART;
        }
    }
    return found;
}

/* Mark a table that has a heading at both ends, unless there is another or code in it. */
static void
mark_table(Tree *tree, Place table)
{
    Place first = 0, last = 0;
    int headed = 0;
    for (Place n = table + 1; n < tree->nodes[table].end;) {
        const Node *node = &tree->nodes[n];
        Place place = n;
        n = node->flags & IS_GONE ? node->end : n + 1;
        if (node->flags & (IS_GONE | IS_TEXT)) continue;
        if (node->tag == TABLE || node->tag == PRE) return;
        headed |= node->tag == TH;
        if (node->tag != TH && node->tag != TD) continue;
        last = place;
        if (!first) first = place;
    }
    if (headed) tree->nodes[first].flags |= CODE_BEFORE, tree->nodes[last].flags |= CODE_AFTER;
}

/* Look once at all that is left: mark what is set as it is, find the heading, and what may be the root. */
static int
look_round(Page *page)
{
    Tree *tree = page->tree;
    for (Place n = page->body + 1; n < tree->nodes[page->body].end;) {
        Node *node = &tree->nodes[n];
        Candidate candidate = {n, 0};
        n = node->flags & IS_GONE ? node->end : n + 1;
        if (node->flags & (IS_GONE | IS_TEXT)) continue;
        if (node->tag == PRE) node->flags |= CODE_BEFORE | CODE_AFTER;
        if (node->tag == TABLE) mark_table(tree, candidate.place);
        if (node->tag == H1 && !page->heading) page->heading = candidate.place;
        candidate.ways = (uint32_t)ways_of(tree, node);
        if (candidate.ways && append(&page->candidates, &candidate, sizeof candidate) < 0) return -1;
    }
    return 0;
}

/* The root. */

typedef struct {
    Place place; /* of the element that has most prose, 0 for none */
    double prose, sum;
} Likeliest;

/* How much there is to read of a text, however it is indented and spaced. */
static size_t
size_in(Bytes text)
{
    size_t found = 0;
    for (const uint8_t *at = text.at; at < text.end; at++) found += (*at & 0xC0) != 0x80 && *at != ' ' && *at != '\n';
    return found;
}

/* Of those that are called a root in one way and stand in no other, find the one with most prose. */
static int
find_likeliest(Page *page, uint32_t way, Likeliest *found)
{
    const Candidate *each = (const Candidate *)page->candidates.at;
    const Candidate *stop = each + page->candidates.size / sizeof *each;
    Place within = page->root ? page->root : page->body, end = 0;
    int many = 0;
    for (; each < stop && each->place < page->tree->nodes[within].end; each++) {
        if (each->place <= within || !(each->ways & way)) continue;
        if (++many > MANY) break;
        if (each->place < end) continue;
        end = page->tree->nodes[each->place].end;
        int failed = rendered(page, each->place, &page->text);
        if (failed) return failed;
        double prose = prose_in(bytes_of(&page->text), page->wide);
        found->sum += prose;
        if (found->place && prose <= found->prose) continue;
        found->place = each->place, found->prose = prose;
        swap(&page->text, &page->likeliest);
    }
    return 0;
}

/* Find the element that is known to hold the article; what is rendered of it is kept. */
static int
find_root(Page *page)
{
    size_t shortest = size_in(bytes_of(&page->whole));
    for (uint32_t way = BY_PART; way < WAYS; way *= 2) {
        Likeliest found = {0};
        int failed = find_likeliest(page, way, &found);
        if (failed) return failed;
        size_t size = size_in(bytes_of(&page->likeliest));
        double enough = larger(LEAST_PROSE, (page->root ? WITHIN : FEW) * page->prose);
        if (!found.place || size >= shortest || found.prose < larger(enough, MOST_OF_ITS_KIND * found.sum)) continue;
        page->root = found.place, page->prose = found.prose, shortest = size;
        swap(&page->likeliest, &page->read);
    }
    return 0;
}

/* Append a mark to a text, if a node has the flag for it. */
static int
append_mark(Buffer *into, int flag, uint8_t mark)
{
    return flag ? append(into, &mark, 1) : 0;
}

static int
append_begin(Buffer *into, const Node *node)
{
    if (node->flags & IS_TEXT) return append(into, node->text.at, (size_t)(node->text.end - node->text.at));
    return append_mark(into, node->flags & CODE_BEFORE, CODE) | append_mark(into, node->flags & IS_MARKED, BEGIN);
}

static int
append_end(Buffer *into, const Node *node)
{
    if (node->flags & (IS_TEXT | IS_GONE)) return 0;
    return append_mark(into, node->flags & IS_MARKED, END) | append_mark(into, node->flags & CODE_AFTER, CODE);
}

/* Collect all texts in an element, and the marks, each where its element begins or ends. */
static int
collect(const Tree *tree, Place element, Buffer *into)
{
    into->size = 0;
    for (Place n = element; n < tree->nodes[element].end;) {
        int gone = tree->nodes[n].flags & IS_GONE;
        Place next = gone ? tree->nodes[n].end : n + 1;
        if (!gone && append_begin(into, &tree->nodes[n]) < 0) return -1;
        for (Place m = n; m >= element && tree->nodes[m].end == next; m = tree->nodes[m].parent)
            if (append_end(into, &tree->nodes[m]) < 0) return -1;
        n = next;
    }
    return 0;
}

typedef struct {
    double *prose; /* in the paragraphs of each node */
    Place *order;  /* of the parents, as their prose is met */
    size_t count;
} Parents;

static int
weigh_paragraphs(Page *page, Parents *parents)
{
    const Tree *tree = page->tree;
    for (Place n = page->body + 1; n < tree->nodes[page->body].end;) {
        const Node *node = &tree->nodes[n];
        Place paragraph = n;
        n = node->flags & IS_GONE ? node->end : n + 1;
        if (node->flags & IS_GONE || node->tag != P) continue;
        if (collect(tree, paragraph, &page->text) < 0) return -1;
        Bytes text = bytes_of(&page->text);
        if (spend(page, (double)characters_in(text)) < 0) return ASK;
        int inside = 0;
        Measure line = measured(text.at, text.end, &inside, page->wide);
        double prose = prose_of_line(&line);
        if (prose <= 0.0) continue;
        if (parents->prose[node->parent] <= 0.0) parents->order[parents->count++] = node->parent;
        parents->prose[node->parent] += prose;
    }
    return 0;
}

/* Find the smallest element round a root that has nearly all of the prose; there may be none below the body. */
static int
find_rest(Page *page, Place root)
{
    for (; root && page->tree->nodes[root].tag != BODY; root = page->tree->nodes[root].parent) {
        int failed = rendered(page, root, &page->read);
        if (failed) return failed;
        if (prose_in(bytes_of(&page->read), page->wide) >= WITHIN * page->prose) {
            page->root = root;
            return 0;
        }
        if (spend(page, 2.0 * (double)page->read.size) < 0) return ASK; /* Python counts blanks, too */
    }
    return 0;
}

/* Find the root by the parent of the paragraphs that have most of the prose, if one parent has. */
static int
find_parent(Page *page)
{
    size_t many = page->tree->count;
    Parents parents = {calloc(many, sizeof *parents.prose), malloc(many * sizeof *parents.order), 0};
    int failed = parents.prose && parents.order ? weigh_paragraphs(page, &parents) : (PyErr_NoMemory(), -1);
    Place best = 0;
    double prose = 0.0;
    for (size_t i = 0; !failed && i < parents.count; i++)
        if (parents.prose[parents.order[i]] > prose) best = parents.order[i], prose = parents.prose[best];
    free(parents.prose), free(parents.order);
    if (failed || !best || prose < larger(LEAST_PROSE, PARAGRAPHS * page->prose)) return failed;
    return find_rest(page, best);
}

/* The lead. */

/* Where a part stands first in a text, or last: 1 and the place, 0 if nowhere, ASK if that takes long. */
static int
search(Bytes text, Bytes part, int backwards, const uint8_t **found)
{
    size_t size = (size_t)(part.end - part.at), work = 0;
    if ((size_t)(text.end - text.at) < size) return 0;
    const uint8_t *last = text.end - size, *at = backwards ? last : text.at;
    while (1) {
        if (!backwards) at = find(at, last + 1, *part.at);
        if (at > last) return 0;
        if (*at == *part.at && at[size - 1] == part.end[-1]) {
            if (memcmp(at, part.at, size) == 0) break;
            if ((work += size) > WORK) return ASK;
        }
        if (backwards && at == text.at) return 0;
        at += backwards ? -1 : 1;
    }
    *found = at;
    return 1;
}

/* What the first line of the heading says. */
static int
find_title(Page *page, Bytes *title)
{
    int failed = page->heading ? rendered(page, page->heading, &page->text) : 0;
    *title = (Bytes){NULL, NULL};
    if (failed || !page->heading) return failed;
    *title = stripped(bytes_of(&page->text));
    title->end = find(title->at, title->end, '\n');
    *title = stripped(*title);
    return 0;
}

/* The part of a long text in which the lead is looked for: from a line on, or at NULL if what stands before matters. */
static Bytes
near_end(Bytes text)
{
    Bytes near = {find(text.end - BEFORE, text.end, '\n'), text.end}, none = {NULL, NULL};
    if (find(text.at, near.at, CODE) < near.at) return none;
    for (const uint8_t *mark = near.at; mark > text.at; mark--) {
        if (mark[-1] == BEGIN) return none;
        if (mark[-1] == END) break;
    }
    return near;
}

/* Read the lines between the heading and a line of the root, or those near it where there is no heading. */
static int
read_before(Page *page, const uint8_t *end, size_t *most)
{
    Bytes title, before = {page->whole.at, end};
    const uint8_t *at;
    int found = find_title(page, &title);
    if (found < 0) return found;
    found = title.at < title.end ? search(before, title, 1, &at) : 0;
    if (found < 0) return found;
    if (found) before.at = at + (title.end - title.at);
    *most = found ? LEAD : NEAR;
    int cut = before.end - before.at > BEFORE;
    if (cut) before = near_end(before);
    if (before.at == NULL) return ASK;
    if (read_lines(before, page->wide, &page->before) < 0) return -1;
    return cut && page->before.count < *most ? ASK : 0;
}

static double
letters_in(const Line *line, size_t count)
{
    double sum = 0.0;
    for (; count; line++, count--) sum += line->letters;
    return sum;
}

/* Put prose that stands before the root before its lines, unless it is longer than they are. */
static int
add_lead(Page *page, const Line *line, size_t count)
{
    Lines *read = &page->lines;
    Line lead[LEAD];
    size_t many = 0;
    for (; count; line++, count--)
        if (line->kind == PROSE && line->letters >= LEAD_LINE) lead[many++] = *line;
    if (!many || letters_in(lead, many) > LONGEST_LEAD * letters_in(read->at, read->count)) return 0;
    Line *every = realloc(read->at, (read->count + many) * sizeof *every);
    if (every == NULL) return PyErr_NoMemory(), -1;
    memmove(every + many, every, read->count * sizeof *every);
    memcpy(every, lead, many * sizeof *every);
    read->at = every, read->count += many, read->room = read->count;
    return 0;
}

/* Find the prose between the heading of the page and its root; where there is none, what is near. */
static int
find_lead(Page *page)
{
    const Line *line = page->lines.at, *stop = line + page->lines.count;
    const uint8_t *end;
    size_t most;
    while (line < stop && line->kind != PROSE) line++;
    if (line == stop) return 0;
    int found = search(bytes_of(&page->whole), stripped(line->text), 0, &end);
    if (found < 0) return found;
    if (!found || end == page->whole.at) return 0;
    int failed = read_before(page, end, &most);
    if (failed) return failed;
    size_t count = page->before.count < most ? page->before.count : most;
    return add_lead(page, page->before.at + page->before.count - count, count);
}

/* The lines worth reading. */

enum { PART, ALL_BUT_LINKS, EVERY };

typedef struct {
    const Line *lines;
    int count, first, last; /* those from the first to the last belong to a part */
    int which;
} Choice;

static int
is_kind(const Choice *from, int place, int kind)
{
    return place >= 0 && place < from->count && from->lines[place].kind == kind;
}

/* Where links to other articles begin at the end, each with some prose under it. */
static int
teasers(const Choice *from)
{
    int begin = from->count, several = 0;
    for (int place = from->count - 1; place > 0; place--) {
        if (!is_kind(from, place, PROSE)) continue;
        int linked = is_kind(from, place - 1, LINKS) || is_kind(from, place - 2, LINKS);
        if (!linked || is_kind(from, place - 1, PROSE)) break;
        begin = place - 1, several++;
    }
    return several >= TEASERS ? begin : from->count;
}

/* Where a text begins: a heading before its first line of prose belongs to it, and a list does. */
static int
first_of(const Choice *from, int prose)
{
    int begin = prose;
    while (is_kind(from, begin - 1, SHORT_LINE)) begin--;
    return prose - begin >= LIST_BEFORE || begin == prose ? begin : prose - 1;
}

/* Where the last line of prose ends, or the list or the name behind it. */
static int
last_of(const Choice *from, int last, int has_foot)
{
    int behind = last;
    if (from->count - last <= TAIL && !has_foot) return from->count;
    while (is_kind(from, behind, SHORT_LINE)) behind++;
    if (behind - last >= LIST && !is_kind(from, behind, LINKS)) return behind;
    return has_foot ? last : behind < last + SIGNED ? behind : last + SIGNED;
}

static void
choose_part(Choice *from, int has_foot)
{
    int prose = 0, last = from->count;
    while (prose < from->count && !is_kind(from, prose, PROSE)) prose++;
    if (prose == from->count) return; /* without prose there is no part */
    while (!is_kind(from, last - 1, PROSE)) last--;
    from->first = first_of(from, prose);
    from->last = last_of(from, last, has_foot);
}

/* Whether a line is chosen: none of links, nor a heading over two of them. */
static int
is_chosen(const Choice *from, int place)
{
    if (from->which == EVERY) return 1;
    if (is_kind(from, place, LINKS)) return 0;
    if (from->which == ALL_BUT_LINKS) return 1;
    if (place < from->first || place >= from->last) return 0;
    return is_kind(from, place, PROSE) || !(is_kind(from, place + 1, LINKS) && is_kind(from, place + 2, LINKS));
}

static double
chosen_letters(const Choice *from)
{
    double sum = 0.0;
    for (int i = 0; i < from->count; i++)
        if (is_chosen(from, i)) sum += from->lines[i].letters;
    return sum;
}

static double
letters_of_kind(const Choice *from, int kind)
{
    double sum = 0.0;
    for (int i = 0; i < from->count; i++)
        if (is_kind(from, i, kind)) sum += from->lines[i].letters;
    return sum;
}

/* Choose the lines from the first of prose to the last; of a page of short lines all but links; of an index all. */
static void
choose(Choice *from, int has_foot)
{
    double all = letters_in(from->lines, (size_t)from->count);
    int end = teasers(from);
    if (end < from->count && letters_in(from->lines + end, (size_t)(from->count - end)) < TEASED * all) {
        from->count = end;
        all = letters_in(from->lines, (size_t)end);
    }
    choose_part(from, has_foot);
    if (chosen_letters(from) < letters_of_kind(from, SHORT_LINE)) from->which = ALL_BUT_LINKS;
    double read = chosen_letters(from);
    if (2.0 * read < all && (letters_of_kind(from, PROSE) <= 0.0 || read < LITTLE_PROSE)) from->which = EVERY;
}

static int
append_worth_reading(const Lines *lines, int has_foot, Buffer *out)
{
    Choice choice = {lines->at, (int)lines->count, 0, 0, PART};
    size_t start = out->size;
    choose(&choice, has_foot);
    for (int i = 0; i < choice.count; i++) {
        if (!is_chosen(&choice, i)) continue;
        Bytes text = choice.lines[i].text;
        if (out->size > start && append(out, "\n", 1) < 0) return -1;
        if (append(out, text.at, (size_t)(text.end - text.at)) < 0) return -1;
    }
    return 0;
}

/* The whole. */

static int
begin(Page *page, Bytes marked)
{
    Tree *tree = page->tree;
    while (page->body < tree->count && tree->nodes[page->body].tag != BODY) page->body++;
    if (page->body == tree->count || marked.end - marked.at > LONGEST) return ASK;
    page->wide = is_wide(marked);
    page->all_prose = prose_in(marked, page->wide);
    page->patience = PATIENCE * (double)characters_in(marked) + LITTLE;
    page->least = page->patience / 2.0;
    page->sums = malloc(((size_t)tree->count + 1) * sizeof *page->sums);
    return page->sums == NULL ? (PyErr_NoMemory(), -1) : 0;
}

static int
read_page(Page *page, Bytes marked, Buffer *out)
{
    int failed = begin(page, marked);
    if (!failed) failed = clear_away(page);
    if (!failed) failed = look_round(page);
    if (!failed) failed = rendered(page, page->body, &page->whole);
    if (failed) return failed;
    page->prose = prose_in(bytes_of(&page->whole), page->wide);
    failed = find_root(page);
    if (!failed && !page->root) failed = find_parent(page);
    if (failed) return failed;
    failed = read_lines(bytes_of(page->root ? &page->read : &page->whole), page->wide, &page->lines);
    if (!failed && page->root) failed = find_lead(page);
    return failed ? failed : append_worth_reading(&page->lines, !page->root, out);
}

int
article_of(Tree *tree, Bytes marked, Buffer *out)
{
    Page page = {.tree = tree};
    int failed = read_page(&page, marked, out);
    free(page.sums), free(page.lines.at), free(page.before.at);
    Buffer *const buffers[] = {&page.candidates, &page.whole, &page.text, &page.likeliest, &page.read};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) free(buffers[i]->at);
    return failed == ASK ? 0 : failed ? -1 : 1;
}
