/* source/diff.c - see diff.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/diff.h"

#include <stdbool.h>
#include <string.h>

#include "base/map.h"

#define AROUND 3U

/* Parts with more pairs of lines than this are divided, or not compared. */
#define TABLE_MAX ((size_t)4 << 20)

struct line {
    const char *text;
    size_t length;
};

struct lines SC_VEC_OF(struct line);

static void split(const char *text, size_t length, struct lines *ret_lines)
{
    size_t offset = 0;
    while (offset < length) {
        const char *newline = memchr(text + offset, '\n', length - offset);
        size_t size = newline != NULL ? (size_t)(newline - text) - offset : length - offset;
        sc_vec_push(ret_lines, (struct line){text + offset, size});
        offset += size + 1;
    }
}

static bool same(const struct line *one, const struct line *other)
{
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

/* Two texts being compared. */
struct pair {
    struct lines old;
    struct lines new;
    struct sc_diff *diff;
};

static void add_same(struct pair *pair, size_t i, size_t k)
{
    sc_vec_push(&pair->diff->rows,
                (struct sc_diff_row){SC_DIFF_SAME, (uint32_t)i + 1, (uint32_t)k + 1,
                                     pair->old.items[i].text, pair->old.items[i].length});
}

static void add_removed(struct pair *pair, size_t i)
{
    sc_vec_push(&pair->diff->rows,
                (struct sc_diff_row){SC_DIFF_REMOVED, (uint32_t)i + 1, 0, pair->old.items[i].text,
                                     pair->old.items[i].length});
}

static void add_added(struct pair *pair, size_t k)
{
    sc_vec_push(&pair->diff->rows,
                (struct sc_diff_row){SC_DIFF_ADDED, 0, (uint32_t)k + 1, pair->new.items[k].text,
                                     pair->new.items[k].length});
}

/* From these lines up to, and without, those ends. */
struct part {
    size_t at_old, old_end;
    size_t at_new, new_end;
};

static bool is_huge(const struct part *part)
{
    size_t width = part->new_end - part->at_new;
    return width > 0 && part->old_end - part->at_old > TABLE_MAX / (width + 1);
}

/* By the longest common subsequence; a huge part has none. */
static void compare_table(struct pair *pair, const struct part *part)
{
    size_t height = part->old_end - part->at_old;
    size_t width = part->new_end - part->at_new;
    const struct line *old = height > 0 ? &pair->old.items[part->at_old] : NULL;
    const struct line *new = width > 0 ? &pair->new.items[part->at_new] : NULL;
    bool has_table = !is_huge(part);
    SC_AUTO_FREE uint32_t *table =
        has_table ? sc_alloc((height + 1) * (width + 1), sizeof(*table)) : NULL;
    for (size_t i = has_table ? height : 0; i-- > 0;)
        for (size_t k = width; k-- > 0;) {
            const uint32_t *below = table + (i + 1) * (width + 1);
            uint32_t *here = table + i * (width + 1);
            if (same(&old[i], &new[k]))
                here[k] = below[k + 1] + 1;
            else
                here[k] = below[k] > here[k + 1] ? below[k] : here[k + 1];
        }
    size_t i = 0;
    size_t k = 0;
    while (i < height || k < width) {
        bool both = i < height && k < width && has_table;
        if (both && same(&old[i], &new[k]))
            add_same(pair, part->at_old + i++, part->at_new + k++);
        else if (i < height &&
                 (!both || table[(i + 1) * (width + 1) + k] >= table[i * (width + 1) + k + 1]))
            add_removed(pair, part->at_old + i++);
        else
            add_added(pair, part->at_new + k++);
    }
}

/* Adds the lines with which both begin, and takes them and those with which both end off the part;
 * returns how many it ends with. */
static size_t trim(struct pair *pair, struct part *part)
{
    size_t behind = 0;
    while (part->at_old < part->old_end && part->at_new < part->new_end &&
           same(&pair->old.items[part->at_old], &pair->new.items[part->at_new]))
        add_same(pair, part->at_old++, part->at_new++);
    while (part->at_old < part->old_end && part->at_new < part->new_end &&
           same(&pair->old.items[part->old_end - 1], &pair->new.items[part->new_end - 1])) {
        part->old_end--;
        part->new_end--;
        behind++;
    }
    return behind;
}

static void add_behind(struct pair *pair, const struct part *part, size_t behind)
{
    for (size_t i = 0; i < behind; i++)
        add_same(pair, part->old_end + i, part->new_end + i);
}

static void compare_part(struct pair *pair, struct part part)
{
    size_t behind = trim(pair, &part);
    compare_table(pair, &part);
    add_behind(pair, &part, behind);
}

/* A line that is in both texts. */
struct anchor {
    uint32_t old;
    uint32_t new;
};

struct anchors SC_VEC_OF(struct anchor);

/* Keeps the most of them that stand in the same order in both; they are in that of the old text. */
static void keep_rising(struct anchors *anchors)
{
    SC_AUTO_FREE uint32_t *last = sc_alloc(anchors->count + 1, sizeof(*last)); /* by length */
    SC_AUTO_FREE uint32_t *before = sc_alloc(anchors->count + 1, sizeof(*before));
    struct anchor *items = anchors->items;
    size_t longest = 0;
    for (uint32_t i = 0; i < anchors->count; i++) {
        size_t low = 0;
        for (size_t high = longest; low < high;) {
            size_t middle = (low + high) / 2;
            if (items[last[middle]].new < items[i].new)
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low > 0 ? last[low - 1] : 0;
        last[low] = i;
        longest = low + 1 > longest ? low + 1 : longest;
    }
    for (size_t i = longest; i-- > 1;)
        last[i - 1] = before[last[i]];
    for (size_t i = 0; i < longest; i++)
        items[i] = items[last[i]];
    anchors->count = longest;
}

/* Lines that are there once in each part (as in Bram Cohen's patience diff). */
static void find_anchors(const struct pair *pair, const struct part *part,
                         struct anchors *ret_anchors)
{
    struct places {
        uint32_t count[2]; /* in the old and the new part */
        uint32_t at[2];
    };
    SC_AUTO(sc_intern_done) struct sc_intern texts = {0};
    size_t most = part->old_end - part->at_old + part->new_end - part->at_new;
    SC_AUTO_FREE struct places *places = sc_alloc(most + 1, sizeof(*places));
    for (int side = 0; side < 2; side++) {
        const struct line *lines = side == 0 ? pair->old.items : pair->new.items;
        size_t end = side == 0 ? part->old_end : part->new_end;
        for (size_t i = side == 0 ? part->at_old : part->at_new; i < end; i++) {
            uint32_t id = sc_intern_add(&texts, lines[i].text, lines[i].length);
            places[id].count[side]++;
            places[id].at[side] = (uint32_t)i;
        }
    }
    for (uint32_t i = 0; i < texts.count; i++)
        if (places[i].count[0] == 1 && places[i].count[1] == 1)
            sc_vec_push(ret_anchors, (struct anchor){places[i].at[0], places[i].at[1]});
    keep_rising(ret_anchors);
}

void sc_diff_init(struct sc_diff *diff, const char *old_text, size_t old_length,
                  const char *new_text, size_t new_length)
{
    struct pair pair = {.diff = diff};
    SC_AUTO_FREE struct anchors anchors = {0};
    *diff = (struct sc_diff){0};
    split(old_text, old_length, &pair.old);
    split(new_text, new_length, &pair.new);
    struct part rest = {0, pair.old.count, 0, pair.new.count};
    size_t behind = trim(&pair, &rest);
    if (is_huge(&rest))
        find_anchors(&pair, &rest, &anchors);
    for (size_t i = 0; i < anchors.count; i++) {
        const struct anchor *anchor = &anchors.items[i];
        compare_part(&pair, (struct part){rest.at_old, anchor->old, rest.at_new, anchor->new});
        add_same(&pair, anchor->old, anchor->new);
        rest.at_old = anchor->old + 1;
        rest.at_new = anchor->new + 1;
    }
    compare_part(&pair, rest);
    add_behind(&pair, &rest, behind);
    sc_vec_done(&pair.old);
    sc_vec_done(&pair.new);
}

void sc_diff_done(struct sc_diff *diff)
{
    sc_vec_done(&diff->rows);
}

/* Numbers of a hunk's head: where it begins in one text, and how many lines it has. */
static void add_range(struct sc_str *text, uint32_t before, uint32_t count)
{
    sc_str_add_format(text, "%u,%u", count > 0 ? before + 1 : before, count);
}

static void add_hunk(const struct sc_diff *diff, size_t start, size_t end, struct sc_str *text)
{
    uint32_t before[2] = {0, 0};
    uint32_t counts[2] = {0, 0};
    for (size_t i = 0; i < end; i++) {
        const struct sc_diff_row *row = &diff->rows.items[i];
        uint32_t *numbers = i < start ? before : counts;
        numbers[0] += row->kind != SC_DIFF_ADDED ? 1 : 0;
        numbers[1] += row->kind != SC_DIFF_REMOVED ? 1 : 0;
    }
    sc_str_add(text, "@@ -");
    add_range(text, before[0], counts[0]);
    sc_str_add(text, " +");
    add_range(text, before[1], counts[1]);
    sc_str_add(text, " @@\n");
    for (size_t i = start; i < end; i++) {
        const struct sc_diff_row *row = &diff->rows.items[i];
        sc_str_add_char(text, " -+"[row->kind]);
        sc_str_add_bytes(text, row->text, row->length);
        sc_str_add_char(text, '\n');
    }
}

/* The next row from start on that is a change, or the number of rows. */
static size_t next_change(const struct sc_diff *diff, size_t start)
{
    while (start < diff->rows.count && diff->rows.items[start].kind == SC_DIFF_SAME)
        start++;
    return start;
}

void sc_diff_unified(const struct sc_diff *diff, const char *name, struct sc_str *ret_text)
{
    size_t count = diff->rows.count;
    size_t change = next_change(diff, 0);
    if (change == count)
        return;
    sc_str_add_format(ret_text, "--- %s\n+++ %s\n", name, name);
    while (change < count) {
        size_t start = change > AROUND ? change - AROUND : 0;
        size_t last = change;
        for (size_t next = change; next < count && next <= last + 2 * (size_t)AROUND + 1;
             next = next_change(diff, next + 1))
            last = next;
        size_t end = last + AROUND + 1 < count ? last + AROUND + 1 : count;
        add_hunk(diff, start, end, ret_text);
        change = next_change(diff, end);
    }
}
