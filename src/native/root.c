/* The root: the element that holds the article, by what it is called or by its paragraphs.
 *
 *     way        in which an element is known to hold an article: by its part, its tag, its class or its id
 *     candidate  an element that may be the root in some way
 *     likeliest  the one of a way with most prose
 */
#include "article.h"

#define LEAST_PROSE 250.0
#define FEW 0.25
#define MOST_OF_ITS_KIND 0.6
#define PARAGRAPHS 0.6
#define WITHIN 0.85
#define MANY 100 /* that may be the root in one way */

enum { BY_PART = 1, BY_TAG = 2, AS_MAIN = 4, BY_CLASS = 8, BY_ID = 16, WAYS = 32 }; /* the surest last */

typedef struct {
    Place place;
    uint32_t ways; /* in which it may be a root */
} Candidate;

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
int
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

static void
swap(Buffer *one, Buffer *other)
{
    Buffer kept = *one;
    *one = *other;
    *other = kept;
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
int
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
    Place end = page->patience > 0.0 ? tree->nodes[page->body].end : 0;
    for (Place n = page->body + 1; n < end;) {
        const Node *node = &tree->nodes[n];
        Place paragraph = n;
        n = node->flags & IS_GONE ? node->end : n + 1;
        if (node->flags & IS_GONE || node->tag != P) continue;
        if (collect(tree, paragraph, &page->text) < 0) return -1;
        Bytes text = bytes_of(&page->text);
        spend(page, (double)characters_in(text));
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
    for (; root && page->tree->nodes[root].tag != BODY && page->patience > 0.0; root = page->tree->nodes[root].parent) {
        int failed = rendered(page, root, &page->read);
        if (failed) return failed;
        if (prose_in(bytes_of(&page->read), page->wide) >= WITHIN * page->prose) {
            page->root = root;
            return 0;
        }
        spend(page, (double)characters_in(bytes_of(&page->read)));
    }
    return 0;
}

/* Find the root by the parent of the paragraphs that have most of the prose, if one parent has. */
int
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
