/*
 * report/async_blocks.c - what keeps an event loop, by function and line, with the calls that wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/async.h"
#include "report/blocking_calls.h"
#include "report/loop_sums.h"
#include "report/number.h"

/* A call is a line's cause from this part of its time on. */
#define CAUSE_SHARE 0.5

/* Of the run: lines with less are not among the first ones. */
#define LINE_MIN_PERCENT 1.0

/* What makes rows of sums. */
struct maker {
    const struct sc_report *report;
    const struct sc_stacks *stacks;
    const struct sc_loop_sums *sums;
    double unit; /* what a unit of weight is of the run, in % */
};

static const char *text_of(const struct maker *maker, uint32_t text)
{
    return sc_intern_text(&maker->stacks->texts, text);
}

/* -------- what a line calls -------- */

/* The module of a native library: "sqlite3" of ".../_sqlite3.cpython-312.so". To be freed. */
static char *native_module(const char *path)
{
    const char *name = sc_after_last(path, '/');
    while (*name == '_')
        name++;
    return sc_strndup(name, strcspn(name, "."));
}

/* "time.sleep" of time_sleep, which is how functions in C are usually called. To be freed. */
static char *dotted_native(const char *name)
{
    static const char end[] = "_impl";
    size_t length = strlen(name) - (sc_ends_with(name, end) ? strlen(end) : 0);
    char *dotted = sc_strndup(name, length);
    char *line = strchr(dotted, '_');
    if (line != NULL)
        *line = '.';
    return dotted;
}

static char *call_of_native(const char *name, const char *path, const char **ret_instead)
{
    char *dotted = dotted_native(name);
    *ret_instead = sc_blocking_call_instead(dotted);
    if (*ret_instead != NULL)
        return dotted;
    free(dotted);
    SC_AUTO_FREE char *module = native_module(path);
    SC_AUTO_FREE char *member = sc_format("%s.%s", module, name);
    *ret_instead = sc_blocking_call_instead(member);
    return sc_strdup(name);
}

/* Sets the call that most of the line's time is below, by the stacks. */
static void find_call(const struct maker *maker, const struct sc_loop_line *line, double weight,
                      struct sc_async_block_line *ret_line)
{
    const struct sc_loop_callee *most = NULL;
    for (size_t i = 0; i < line->callee_count; i++) {
        if (most == NULL || line->callees[i].weight > most->weight)
            most = &line->callees[i];
    }
    if (most == NULL || most->weight < CAUSE_SHARE * weight)
        return;
    const struct sc_frame *frame = &maker->stacks->frames.items[most->frame];
    const char *name = text_of(maker, frame->name);
    const char *path = text_of(maker, frame->path);
    ret_line->is_library = sc_frame_is_python(frame);
    if (!ret_line->is_library) {
        ret_line->call = call_of_native(name, path, &ret_line->instead);
        return;
    }
    SC_AUTO_FREE char *module = sc_library_module(path);
    ret_line->call = module != NULL ? sc_format("%s.%s", module, name) : sc_strdup(name);
    ret_line->instead = sc_blocking_call_instead(ret_line->call);
}

/* The innermost statement at a line, or SC_NONE. */
static uint32_t statement_at(const struct sc_code *code, uint32_t lineno)
{
    uint32_t found = SC_NONE;
    for (uint32_t i = 0; i < code->statements.count; i++) {
        const struct sc_statement *statement = &code->statements.items[i];
        if (statement->first_line <= lineno && lineno <= statement->last_line)
            found = i;
    }
    return found;
}

/* The source says best what is called, where it is a call that is known to wait. It is not believed
 * where the line computes, or most of its time is in a library that is called beside it. */
static void read_source(const struct sc_code *code, struct sc_async_block_line *line)
{
    uint32_t statement = statement_at(code, line->lineno);
    const char *instead = NULL;
    const struct sc_call *call =
        statement != SC_NONE ? sc_blocking_call_in(code, statement, &instead) : NULL;
    bool computes = line->call == NULL && line->kinds[SC_KIND_PYTHON] > CAUSE_SHARE * line->percent;
    if (call == NULL || computes || (line->is_library && line->instead != instead))
        return;
    free(line->call);
    line->call = sc_strdup(sc_code_call_name(code, call));
    line->instead = instead;
}

static void read_file(struct sc_async *async, const struct sc_report_file *file)
{
    const struct sc_file *record = file->file;
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    size_t count = record->lines.count;
    if (record->source_changed || count == 0 || record->lines.items[count - 1].lineno != count)
        return;
    sc_code_init(&code, file->source, file->source_length);
    SC_EACH(struct sc_async_block, block, &async->blocks) {
        for (size_t k = 0; block->file == record && k < block->lines.count; k++) {
            struct sc_async_block_line *line = &block->lines.items[k];
            read_source(&code, line);
            line->instead = sc_blocking_instead_in(&code, line->instead);
        }
    }
}

static void read_sources(struct sc_async *async, const struct sc_report *report)
{
    for (size_t f = 0; f < report->files.count; f++) {
        size_t i = 0;
        while (i < async->blocks.count &&
               async->blocks.items[i].file != report->files.items[f].file)
            i++;
        if (i < async->blocks.count)
            read_file(async, &report->files.items[f]);
    }
}

/* -------- rows -------- */

static char *name_of(const struct maker *maker, const struct sc_loop_function *function)
{
    if (function->function != NULL)
        return sc_strdup(function->function->name);
    return sc_strdup(text_of(maker, maker->stacks->frames.items[function->frame].name));
}

static double seconds_of(const struct maker *maker, double percent)
{
    return percent / 100.0 * maker->report->overview.total_s;
}

static void add_line(const struct maker *maker, const struct sc_loop_line *from,
                     struct sc_async_block *block)
{
    struct sc_async_block_line line = {.lineno = from->lineno, .text = ""};
    double weight = 0.0;
    for (int k = 0; k < SC_KIND_COUNT_; k++) {
        weight += from->weights[k];
        line.kinds[k] = from->weights[k] * maker->unit;
        block->kinds[k] += line.kinds[k];
    }
    line.percent = weight * maker->unit;
    line.seconds = seconds_of(maker, line.percent);
    find_call(maker, from, weight, &line);
    const struct sc_line *record =
        block->file != NULL ? sc_file_line(block->file, from->lineno) : NULL;
    if (record != NULL && record->text != NULL)
        line.text = record->text;
    block->percent += line.percent;
    sc_vec_push(&block->lines, line);
}

SC_ORDERED_BY(compare_lines, struct sc_async_block_line, SC_FALLING(percent), SC_RISING(lineno));

static void add_block(const struct maker *maker, const struct sc_loop_sum *sum,
                      struct sc_async *async)
{
    const struct sc_loop_function *function = &maker->sums->functions.items[sum->function];
    const struct sc_frame *frame = &maker->stacks->frames.items[function->frame];
    struct sc_async_block block = {.file = function->file, .name = name_of(maker, function)};
    block.place = sc_shown_name(maker->report->profile, text_of(maker, frame->path));
    block.lineno = function->function != NULL ? function->function->lineno : 0;
    if (sum->coroutine != sum->function)
        block.coroutine = name_of(maker, &maker->sums->functions.items[sum->coroutine]);
    for (size_t i = 0; i < sum->lines.count; i++)
        add_line(maker, &sum->lines.items[i], &block);
    block.seconds = seconds_of(maker, block.percent);
    sc_vec_sort(&block.lines, compare_lines);
    sc_vec_push(&async->blocks, block);
}

SC_ORDERED_BY(compare_blocks, struct sc_async_block, SC_FALLING(percent),
              strcmp(a->place, b->place), SC_RISING(lineno));

/* A line is below several coroutines where they call one function. */
static void find_lines(struct sc_async *async, const struct sc_profile *profile)
{
    SC_AUTO_FREE SC_VEC(struct sc_hot) all = {0};
    SC_AUTO(sc_map_done) struct sc_map index = {0};
    SC_EACH(const struct sc_async_block, block, &async->blocks) {
        for (size_t k = 0; block->file != NULL && k < block->lines.count; k++) {
            const struct sc_async_block_line *line = &block->lines.items[k];
            const struct sc_line *record = sc_file_line(block->file, line->lineno);
            size_t file = (size_t)(block->file - profile->files.items);
            uint64_t key = (uint64_t)file << 32 | line->lineno;
            uint32_t at = sc_map_get(&index, key);
            if (record == NULL)
                continue;
            if (at >= all.count) { /* SC_NONE */
                at = (uint32_t)all.count;
                sc_map_put(&index, key, at);
                struct sc_hot hot = {
                    .file = block->file, .cost = &record->cost, .lineno = line->lineno};
                sc_hot_text(record->text, &hot);
                sc_vec_push(&all, hot);
            }
            all.items[at].percent += line->percent;
            all.items[at].heat = sc_heat_of(all.items[at].percent);
        }
    }
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].percent >= LINE_MIN_PERCENT)
            sc_hots_offer(&async->block_lines, &all.items[i]);
    }
    sc_hots_name(profile, &async->block_lines);
}

void sc_async_find_blocks(struct sc_async *async, const struct sc_report *report,
                          const struct sc_stacks *stacks)
{
    SC_AUTO(sc_loop_sums_done) struct sc_loop_sums sums = {0};
    sc_loop_sums_init(&sums, report->profile, stacks);
    double held =
        stacks->has_calls ? report->profile->call_tree_percent : report->profile->stacks_percent;
    double total = 0.0;
    for (int i = 0; i < SC_LOOP_PART_COUNT_; i++)
        total += sums.weights[i];
    struct maker maker = {.report = report, .stacks = stacks, .sums = &sums};
    maker.unit = total > 0.0 ? (held > 0.0 ? sc_clamp(held, 0.0, 100.0) : 100.0) / total : 0.0;
    for (int i = 0; i < SC_LOOP_PART_COUNT_; i++) {
        async->parts[i] = sums.weights[i] * maker.unit;
        if (i != SC_LOOP_NONE)
            async->loop_percent += async->parts[i];
    }
    for (size_t i = 0; i < sums.items.count; i++)
        add_block(&maker, &sums.items.items[i], async);
    sc_vec_sort(&async->blocks, compare_blocks);
    read_sources(async, report);
    find_lines(async, report->profile);
}
