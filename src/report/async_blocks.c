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
#include "report/number.h"

/* -------- sums over all stacks -------- */

/* A function of the program. */
struct loop_function {
    const struct sc_file *file;         /* NULL: not among the profile's files */
    const struct sc_function *function; /* NULL: the profile has no record of it */
    uint32_t frame;                     /* one that is in it */
};

struct loop_callee {
    uint32_t frame; /* any of the function's */
    double weight;
};

/* More are no single cause. */
enum { CALLEES = 16 };

struct loop_line {
    uint32_t lineno;
    double weights[SC_KIND_COUNT_];
    struct loop_callee callees[CALLEES];
    size_t callee_count;
};

/* The time in a function, below one coroutine. */
struct loop_sum {
    uint32_t function;  /* in functions */
    uint32_t coroutine; /* likewise */
    SC_VEC(struct loop_line) lines;
};

struct loop_sums {
    SC_VEC(struct loop_function) functions;
    SC_VEC(struct loop_sum) items;
    double weights[SC_LOOP_PART_COUNT_];
};

struct adder {
    const struct sc_profile *profile;
    const struct sc_stacks *stacks;
    struct loop_sums *sums;
    struct sc_map files;          /* from the id of a path to the index of its file */
    struct sc_map function_index; /* see function_key */
    struct sc_map sum_index;      /* by function and coroutine */
    uint32_t *functions;          /* per frame: its function, or SC_NONE */
};

static const char *text_of(const struct sc_stacks *stacks, uint32_t text)
{
    return sc_intern_text(&stacks->texts, text);
}

static void find_files(struct adder *adder)
{
    for (size_t i = 0; i < adder->profile->files.count; i++) {
        const char *name = adder->profile->files.items[i].name;
        uint32_t path = sc_intern_find(&adder->stacks->texts, name, strlen(name));
        if (path != SC_NONE)
            sc_map_put(&adder->files, path, (uint32_t)i);
    }
}

/* Functions are identified by their line; those without a record by their name. */
static uint64_t function_key(const struct sc_frame *frame, const struct sc_function *function)
{
    return function != NULL ? sc_mix(frame->path, function->lineno)
                            : sc_mix(frame->path, sc_mix(frame->name, 1));
}

static uint32_t find_function(struct adder *adder, uint32_t number)
{
    const struct sc_frame *frame = &adder->stacks->frames.items[number];
    struct loop_function found = {.frame = number};
    uint32_t file = sc_map_get(&adder->files, frame->path);
    if (file != SC_NONE) {
        found.file = &adder->profile->files.items[file];
        found.function =
            sc_function_around(found.file, frame->line, text_of(adder->stacks, frame->name));
    }
    uint64_t key = function_key(frame, found.function);
    uint32_t at = sc_map_get(&adder->function_index, key);
    if (at == SC_NONE) {
        at = (uint32_t)adder->sums->functions.count;
        sc_map_put(&adder->function_index, key, at);
        sc_vec_push(&adder->sums->functions, found);
    }
    return at;
}

static void find_functions(struct adder *adder, bool *ret_is_coroutine)
{
    size_t count = adder->stacks->frames.count;
    for (uint32_t i = 0; i < count; i++) {
        adder->functions[i] = SC_NONE;
        ret_is_coroutine[i] = false;
        if (adder->stacks->frames.items[i].kind != SC_FRAME_PYTHON)
            continue;
        adder->functions[i] = find_function(adder, i);
        const struct sc_function *function =
            adder->sums->functions.items[adder->functions[i]].function;
        ret_is_coroutine[i] = function != NULL && function->cost.is_coroutine;
    }
}

static struct loop_sum *sum_of(struct adder *adder, uint32_t function, uint32_t coroutine)
{
    uint64_t key = (uint64_t)function << 32 | coroutine;
    uint32_t at = sc_map_get(&adder->sum_index, key);
    if (at == SC_NONE) {
        at = (uint32_t)adder->sums->items.count;
        sc_map_put(&adder->sum_index, key, at);
        sc_vec_push(&adder->sums->items,
                    (struct loop_sum){.function = function, .coroutine = coroutine});
    }
    return &adder->sums->items.items[at];
}

static struct loop_line *line_of(struct loop_sum *sum, uint32_t lineno)
{
    for (size_t i = 0; i < sum->lines.count; i++) {
        if (sum->lines.items[i].lineno == lineno)
            return &sum->lines.items[i];
    }
    sc_vec_push(&sum->lines, (struct loop_line){.lineno = lineno});
    return &sum->lines.items[sum->lines.count - 1];
}

static void add_callee(const struct adder *adder, struct loop_line *line, uint32_t frame,
                       double weight)
{
    const struct sc_frame *frames = adder->stacks->frames.items;
    size_t i = 0;
    while (i < line->callee_count && (frames[line->callees[i].frame].name != frames[frame].name ||
                                      frames[line->callees[i].frame].path != frames[frame].path))
        i++;
    if (i == CALLEES)
        return;
    if (i == line->callee_count)
        line->callees[line->callee_count++] = (struct loop_callee){frame, 0.0};
    line->callees[i].weight += weight;
}

static enum sc_kind kind_of(const struct sc_frame *innermost)
{
    if (sc_frame_is_python(innermost))
        return SC_KIND_PYTHON;
    return innermost->kind == SC_FRAME_KERNEL ? SC_KIND_SYSTEM : SC_KIND_NATIVE;
}

static void add_stack(struct adder *adder, const struct sc_loop_state *state, uint32_t innermost,
                      double weight)
{
    adder->sums->weights[state->part] += weight;
    if (state->part != SC_LOOP_OWN)
        return;
    const struct sc_frame *frames = adder->stacks->frames.items;
    struct loop_sum *sum =
        sum_of(adder, adder->functions[state->own], adder->functions[state->coroutine]);
    struct loop_line *line = line_of(sum, frames[state->own].line);
    line->weights[kind_of(&frames[innermost])] += weight;
    if (state->callee != SC_NONE)
        add_callee(adder, line, state->callee, weight);
}

static void sums_init(struct loop_sums *sums, const struct sc_profile *profile,
                      const struct sc_stacks *stacks)
{
    *sums = (struct loop_sums){0};
    struct adder adder = {.profile = profile, .stacks = stacks, .sums = sums};
    SC_AUTO_FREE bool *is_coroutine = sc_alloc(stacks->frames.count + 1, sizeof(*is_coroutine));
    adder.functions = sc_alloc(stacks->frames.count + 1, sizeof(*adder.functions));
    find_files(&adder);
    find_functions(&adder, is_coroutine);
    SC_AUTO_FREE struct sc_loop_state *states = sc_loop_states(stacks, is_coroutine);
    SC_EACH(const struct sc_listed_stack, stack, &stacks->lists[SC_STACKS_TIME]) {
        uint32_t innermost = stacks->tries[SC_GRAIN_LINE].nodes.items[stack->node].frame;
        if (stack->weight > 0)
            add_stack(&adder, &states[stack->node], innermost, stack->weight);
    }
    free(adder.functions);
    sc_map_done(&adder.files);
    sc_map_done(&adder.function_index);
    sc_map_done(&adder.sum_index);
}

static void sums_done(struct loop_sums *sums)
{
    for (size_t i = 0; i < sums->items.count; i++)
        sc_vec_done(&sums->items.items[i].lines);
    sc_vec_done(&sums->items);
    sc_vec_done(&sums->functions);
}

/* -------- what keeps a loop -------- */

/* A call is a line's cause from this part of its time on. */
#define CAUSE_SHARE 0.5

/* Of the run: lines with less are not among the first ones. */
#define LINE_MIN_PERCENT 1.0

/* What makes rows of sums. */
struct maker {
    const struct sc_report *report;
    const struct sc_stacks *stacks;
    const struct loop_sums *sums;
    double unit; /* what a unit of weight is of the run, in % */
};

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
static void find_call(const struct maker *maker, const struct loop_line *line, double weight,
                      struct sc_async_block_line *ret_line)
{
    const struct loop_callee *most = NULL;
    for (size_t i = 0; i < line->callee_count; i++) {
        if (most == NULL || line->callees[i].weight > most->weight)
            most = &line->callees[i];
    }
    if (most == NULL || most->weight < CAUSE_SHARE * weight)
        return;
    const struct sc_frame *frame = &maker->stacks->frames.items[most->frame];
    const char *name = text_of(maker->stacks, frame->name);
    const char *path = text_of(maker->stacks, frame->path);
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

static char *name_of(const struct maker *maker, const struct loop_function *function)
{
    if (function->function != NULL)
        return sc_strdup(function->function->name);
    return sc_strdup(text_of(maker->stacks, maker->stacks->frames.items[function->frame].name));
}

static double seconds_of(const struct maker *maker, double percent)
{
    return percent / 100.0 * maker->report->overview.total_s;
}

static void add_line(const struct maker *maker, const struct loop_line *from,
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

static void add_block(const struct maker *maker, const struct loop_sum *sum, struct sc_async *async)
{
    const struct loop_function *function = &maker->sums->functions.items[sum->function];
    const struct sc_frame *frame = &maker->stacks->frames.items[function->frame];
    struct sc_async_block block = {.file = function->file, .name = name_of(maker, function)};
    block.place = sc_shown_name(maker->report->profile, text_of(maker->stacks, frame->path));
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
    SC_AUTO(sums_done) struct loop_sums sums = {0};
    sums_init(&sums, report->profile, stacks);
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
