/* Boilerplate: what stands round the article, and is taken out unless it holds too much of the prose.
 *
 *     called so   a word of its class or id says that it is boilerplate: {word, what it means}
 *     surely      a word that others hardly use
 *     QUOTED      a word of what the page quotes: that is none, whatever else it is called
 */
#include "article.h"

/* Whether an attribute has a name, and is the first of its element that has: the others do not count. */
int
is_named(const Tree *tree, const Node *node, const Attribute *attribute, const char *name)
{
    if (!same(attribute->name, name)) return 0;
    for (const Attribute *each = tree->attributes + node->first; each < attribute; each++)
        if (same(each->name, name)) return 0;
    return 1;
}

enum { QUOTED = 4, SURE = CALLED_SO | SURELY };
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

/* What the words of a class or an id say, of letters beyond ASCII only the Kelvin sign has a small one in it. */
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
            int is_kelvin = c == 0xE2 && names.end - at >= 3 && at[1] == 0x84 && at[2] == 0xAA;
            add_letter(&word, is_kelvin ? 'k' : upper ? c | 0x20 : c);
            if (is_kelvin) at += 2;
        }
        before = c;
        at += width ? width : 1;
    }
    end_word(&word, &found);
    return found.means | (found.comments && found.begins_so ? SURE : 0);
}

/* What the class and the id of an element say, one of them without a quote: CALLED_SO and SURELY. */
int
calls(const Tree *tree, const Node *node)
{
    const Attribute *each = tree->attributes + node->first, *end = each + node->attributes;
    int found = 0;
    for (; each < end; each++) {
        if (!is_named(tree, node, each, "class") && !is_named(tree, node, each, "id")) continue;
        int means = meaning_of_names(each->value);
        found |= means & SURELY;
        if (!(means & QUOTED)) found |= means & CALLED_SO;
    }
    return found;
}

/* What is taken out */

#define MUCH 0.1
#define MUCH_OF_ALL 0.45
#define BLOCK 300.0
#define HEADED 400
#define WIDEST 2.5

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

/* Tell whether what looks like boilerplate holds too much of the prose. */
static int
is_content(Page *page, Place node, int surely)
{
    double part = page->all_prose * MUCH, size = size_of(page, node);
    double much = larger(LONG, surely ? page->all_prose * MUCH_OF_ALL : part < BLOCK ? part : BLOCK);
    if (page->patience <= 0.0) return 1;
    spend(page, size);
    if (size > HEADED && has_heading(page, node)) return 1;
    if ((page->wide ? WIDEST : 1.0) * size <= much) return 0; /* spare most of them the longer question */
    int failed = rendered(page, node, &page->text);
    if (failed) return failed;
    spend(page, (double)characters_in(bytes_of(&page->text)));
    return prose_in(bytes_of(&page->text), page->wide) > much;
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

/* Take out what is boilerplate by its tag or its role, and what is boilerplate in that: it costs patience, too. */
static int
clear_tagged(Page *page)
{
    const Tree *tree = page->tree;
    for (Place n = 1; n < tree->count;) {
        const Node *node = &tree->nodes[n];
        Place next = node->flags & IS_GONE ? node->end : n + 1;
        if (!(node->flags & (IS_GONE | IS_TEXT)) && is_furniture(tree, node)) {
            int done = take_out(page, n, calls(tree, node));
            if (done < 0) return done;
        }
        n = next;
    }
    return 0;
}

/* Take out what is called boilerplate, and what is in it with it. */
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

int
clear_away(Page *page)
{
    sum_up(page);
    int failed = clear_tagged(page);
    if (failed) return failed;
    sum_up(page);
    failed = clear_named(page);
    for (Place n = page->body; n; n = page->tree->nodes[n].parent) page->tree->nodes[n].flags &= (uint8_t)~IS_GONE;
    return failed;
}
