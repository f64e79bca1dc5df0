/* page/part_sums.c - see part_sums.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/part_sums.h"

#include <stdlib.h>
#include <string.h>

#include "page/frames.h"
#include "page/write.h"
#include "report/number.h"

/* The places of each frame of the stacks in the lists; SC_NONE where it has none. */
struct places {
    uint32_t *of[SC_PART_COUNT_];
};

static uint64_t key_of(size_t file, size_t number)
{
    return (uint64_t)file << 32 | (uint32_t)number;
}

static uint32_t place_at(struct sc_page_part *part, enum sc_part_list list, size_t file,
                         size_t number)
{
    uint64_t key = key_of(file, number);
    uint32_t at = sc_map_get(&part->index[list], key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)part->times[list].count;
    sc_map_put(&part->index[list], key, at);
    sc_vec_push(&part->times[list], (struct sc_part_time){.stamp = SIZE_MAX});
    return at;
}

static void find_places(struct sc_page_part *part, struct places *places,
                        const struct sc_page *page, const struct sc_stacks *stacks)
{
    for (int list = 0; list < SC_PART_COUNT_; list++)
        places->of[list] = sc_alloc(stacks->frames.count + 1, sizeof(uint32_t));
    for (size_t i = 0; i < stacks->frames.count; i++) {
        const struct sc_frame *frame = &stacks->frames.items[i];
        const char *path = sc_intern_text(&stacks->texts, frame->path);
        bool has_line = sc_frame_is_python(frame) && frame->line > 0;
        size_t file = has_line ? sc_page_find_file(page, path) : SIZE_MAX;
        for (int list = 0; list < SC_PART_COUNT_; list++)
            places->of[list][i] = SC_NONE;
        if (file == SIZE_MAX)
            continue;
        places->of[SC_PART_LINES][i] = place_at(part, SC_PART_LINES, file, frame->line);
        places->of[SC_PART_FILES][i] = place_at(part, SC_PART_FILES, file, 0);
        const struct sc_file *of = page->report.files.items[file].file;
        const struct sc_function *function =
            sc_function_around(of, frame->line, sc_intern_text(&stacks->texts, frame->name));
        if (function != NULL)
            places->of[SC_PART_FUNCTIONS][i] =
                place_at(part, SC_PART_FUNCTIONS, file, (size_t)(function - of->functions.items));
    }
}

/* What the time of a stack was spent on: its innermost frame says so, as in the lines' numbers. The
 * system is waited for. */
static enum sc_kind kind_of(const struct sc_page_part *part, const struct sc_frame *innermost)
{
    if (innermost->kind == SC_FRAME_KERNEL || part->choice.list == SC_STACKS_WAITING)
        return SC_KIND_SYSTEM;
    return sc_frame_is_python(innermost) ? SC_KIND_PYTHON : SC_KIND_NATIVE;
}

/* From the inner end of a stack outwards. The first frame in a listed file has the self time: what
 * it calls in native code and in libraries that are not listed is its own. */
static void add_stack(struct sc_page_part *part, const struct places *places,
                      const struct sc_stacks *stacks, size_t stack, double percent)
{
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    uint32_t node = stacks->lists[part->choice.list].items[stack].node;
    if (node == 0)
        return;
    enum sc_kind kind = kind_of(part, &stacks->frames.items[trie->nodes.items[node].frame]);
    bool is_self = true;
    part->kinds[kind] += percent;
    for (; node != 0; node = trie->nodes.items[node].parent) {
        uint32_t frame = trie->nodes.items[node].frame;
        if (places->of[SC_PART_FILES][frame] == SC_NONE)
            continue;
        for (int list = 0; list < SC_PART_COUNT_; list++) {
            uint32_t at = places->of[list][frame];
            if (at == SC_NONE)
                continue;
            struct sc_part_time *time = &part->times[list].items[at];
            if (is_self)
                time->kinds[kind] += percent;
            if (time->stamp != stack)
                time->total += percent;
            time->stamp = stack;
        }
        is_self = false;
    }
}

static void sum_up(struct sc_page_part *part, const struct sc_page *page,
                   const struct sc_page_stacks *stacks)
{
    struct places places = {0};
    size_t count = stacks->stacks.lists[part->choice.list].count;
    SC_AUTO_FREE double *weights = sc_alloc(count + 1, sizeof(*weights));
    double run = 0;
    find_places(part, &places, page, &stacks->stacks);
    sc_page_weigh(stacks, &part->choice, weights);
    for (size_t i = 0; i < count; i++)
        part->whole += weights[i];
    for (size_t i = 0; i < stacks->stacks.lists[SC_STACKS_TIME].count; i++)
        run += stacks->stacks.lists[SC_STACKS_TIME].items[i].weight;
    part->of_run = run > 0 ? sc_clamp(part->whole / run, 0.0, 1.0) : 0;
    for (size_t i = 0; i < count; i++) {
        if (weights[i] > 0)
            add_stack(part, &places, &stacks->stacks, i, 100.0 * weights[i] / part->whole);
    }
    for (int list = 0; list < SC_PART_COUNT_; list++)
        free(places.of[list]);
}

/* Looks at the words of the question first: the stacks of the whole run are not read for it. */
static bool names_part(const struct sc_query *query)
{
    static const char *const names[] = {"from_s", "to_s", "thread", "unit", "time"};
    bool names_any = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        SC_AUTO_FREE char *text = sc_query_text(query, names[i]);
        names_any = names_any || text != NULL;
    }
    return names_any;
}

bool sc_page_part_of(struct sc_page *page, const struct sc_query *query,
                     const struct sc_page_part **ret_part, struct sc_err *err)
{
    struct sc_page_choice choice;
    *ret_part = NULL;
    if (!names_part(query))
        return true;
    const struct sc_page_stacks *stacks = sc_page_stacks_of(page);
    if (!sc_page_choice_of(stacks, query, &choice, err))
        return false;
    if (choice.is_part && stacks->timeline.run_count == 0)
        return sc_fail(err, SC_ERR_FAILED,
                       "the profile has no timeline, so it has the numbers of the whole run only");
    struct sc_page_part *part = sc_page_cached_part(page->cache, &choice);
    if (part->serial == 0) {
        sum_up(part, page, stacks);
        part->serial = ++page->cache->part_count;
    }
    *ret_part = part;
    return true;
}

const struct sc_part_time *sc_page_part_time(const struct sc_page_part *part,
                                             enum sc_part_list list, size_t file, size_t number)
{
    uint32_t at = sc_map_get(&part->index[list], key_of(file, number));
    return at != SC_NONE ? &part->times[list].items[at] : NULL;
}

void sc_page_part_cost(const struct sc_page_part *part, enum sc_part_list list, size_t file,
                       size_t number, const struct sc_cost *cost, struct sc_cost *ret_cost)
{
    *ret_cost = *cost;
    if (part == NULL)
        return;
    const struct sc_part_time *time = sc_page_part_time(part, list, file, number);
    ret_cost->cpu_python_percent = time != NULL ? time->kinds[SC_KIND_PYTHON] : 0;
    ret_cost->cpu_native_percent = time != NULL ? time->kinds[SC_KIND_NATIVE] : 0;
    ret_cost->system_percent = time != NULL ? time->kinds[SC_KIND_SYSTEM] : 0;
    ret_cost->cumulative_percent = time != NULL ? time->total : 0;
    /* stacks do not say which part of the system's time was waiting, and for what */
    memset(ret_cost->time_s, 0, sizeof(ret_cost->time_s));
    if (part->choice.list == SC_STACKS_WAITING)
        ret_cost->time_s[SC_TIME_OTHER_WAIT] = 1; /* all of it */
    memset(ret_cost->wait_s, 0, sizeof(ret_cost->wait_s));
}

const struct sc_parts *sc_page_parts(const struct sc_page *page, const struct sc_page_part *part)
{
    static const struct sc_parts times = {.totals = true};
    return part != NULL ? &times : &page->report.parts;
}

enum sc_heat sc_page_heat(const struct sc_page *page, const struct sc_page_part *part,
                          const struct sc_cost *cost)
{
    return part != NULL ? sc_heat_of(sc_cost_time_percent(cost))
                        : sc_cost_time_heat(&page->report.parts, cost);
}

enum sc_heat sc_page_memory_heat(const struct sc_page *page, const struct sc_page_part *part,
                                 const struct sc_cost *cost)
{
    return part != NULL ? SC_HEAT_NONE : sc_cost_memory_heat(&page->report.parts, cost);
}

void sc_page_write_heats(struct sc_json_out *out, const struct sc_page *page,
                         const struct sc_page_part *part, const struct sc_cost *cost)
{
    sc_write_text(out, "heat", sc_heat_name(sc_page_heat(page, part, cost)));
    sc_write_text(out, "memory_heat", sc_heat_name(sc_page_memory_heat(page, part, cost)));
}
