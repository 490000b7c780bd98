/* Furniture: what stands round the article, and is taken out unless it holds too much of the prose. */
#include "article.h"

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

/* Tell whether what looks like furniture holds too much of the prose. */
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

/* Take out what is furniture by its tag or its role, and what is furniture in that: it costs patience, too. */
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
