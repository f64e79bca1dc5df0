/* source/diff.c - see diff.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/diff.h"

#include <stdbool.h>
#include <string.h>

#define AROUND 3U

/* Parts with more pairs of lines than this are not compared. */
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

/* The parts from..old_end and from..new_end, by the longest common subsequence. */
static void compare_middle(struct pair *pair, size_t from, size_t old_end, size_t new_end)
{
    size_t height = old_end - from;
    size_t width = new_end - from;
    bool is_huge = width > 0 && height > TABLE_MAX / (width + 1);
    SC_AUTO_FREE uint32_t *table =
        is_huge ? NULL : sc_alloc((height + 1) * (width + 1), sizeof(*table));
    for (size_t i = is_huge ? 0 : height; i-- > 0;)
        for (size_t k = width; k-- > 0;) {
            const uint32_t *below = table + (i + 1) * (width + 1);
            uint32_t *here = table + i * (width + 1);
            if (same(&pair->old.items[from + i], &pair->new.items[from + k]))
                here[k] = below[k + 1] + 1;
            else
                here[k] = below[k] > here[k + 1] ? below[k] : here[k + 1];
        }
    size_t i = 0;
    size_t k = 0;
    while (i < height || k < width) {
        bool both = i < height && k < width && !is_huge;
        if (both && same(&pair->old.items[from + i], &pair->new.items[from + k]))
            add_same(pair, from + i++, from + k++);
        else if (i < height &&
                 (!both || table[(i + 1) * (width + 1) + k] >= table[i * (width + 1) + k + 1]))
            add_removed(pair, from + i++);
        else
            add_added(pair, from + k++);
    }
}

void sc_diff_init(struct sc_diff *diff, const char *old_text, size_t old_length,
                  const char *new_text, size_t new_length)
{
    struct pair pair = {.diff = diff};
    *diff = (struct sc_diff){0};
    split(old_text, old_length, &pair.old);
    split(new_text, new_length, &pair.new);
    size_t old_end = pair.old.count;
    size_t new_end = pair.new.count;
    size_t from = 0;
    while (from < old_end && from < new_end && same(&pair.old.items[from], &pair.new.items[from])) {
        add_same(&pair, from, from);
        from++;
    }
    while (old_end > from && new_end > from &&
           same(&pair.old.items[old_end - 1], &pair.new.items[new_end - 1])) {
        old_end--;
        new_end--;
    }
    compare_middle(&pair, from, old_end, new_end);
    for (size_t i = old_end; i < pair.old.count; i++)
        add_same(&pair, i, i - old_end + new_end);
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
