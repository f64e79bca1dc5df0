/*
 * build/build.c - from collected stacks to a profile: scope, files, totals.
 *
 * Order of work: name every file and decide whether it is in scope, find the innermost frame in
 * scope of every stack, add up files, read the sources of those that are shown, then add up their
 * lines and functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/build.h"

#include <string.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/sort.h"
#include "build/builder.h"
#include "build/native_import.h"
#include "build/shown_stacks.h"
#include "costs/awaits.h"
#include "costs/cell_sources.h"
#include "costs/ledger.h"
#include "costs/made_place.h"
#include "profile/sparse.h"

/* A source file longer than this is not read. */
#define SOURCE_LIMIT_BYTES ((size_t)64 << 20)
#define MUCH_BYTES         ((double)(1 << 20)) /* that a file is shown for, if it is much of all */
#define SOURCE_LINES_MAX   ((size_t)1000000)   /* each line shown has a record */

#define HIDDEN_FILES_LIMIT 20

/* The most lines shown of code whose source text is not known. */
#define MADE_LINES_MAX 10000U

/* The file name of native frames; angle brackets keep it out of every scope. */
#define NATIVE_FILE "<native>"

/* Lib/importlib/_bootstrap.py, as it is built into CPython 3.8 to 3.15. */
#define IMPORTER "<frozen importlib._bootstrap>"

static void choose_times(struct sc_builder *builder)
{
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        builder->counts[i] = sc_time_counts((enum sc_time)i, builder->input->virtual_time);
}

static void add_totals(struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_collect *collect = builder->collect;
    SC_EACH(const struct sc_stack_cost, cost, &collect->costs) {
        for (size_t k = 0; k < SC_TIME_COUNT_; k++) {
            builder->time_ns[k] += cost->time_ns[k];
            if (!builder->counts[k])
                continue;
            builder->total_ns += cost->time_ns[k];
            if (k != SC_TIME_IO && k != SC_TIME_SLEEP && k != SC_TIME_OTHER_WAIT)
                builder->on_cpu_ns += cost->time_ns[k];
            profile->time_s[k] += (double)cost->time_ns[k] / 1e9;
        }
        for (size_t k = 0; k < SC_WAIT_COUNT_; k++)
            profile->wait_s[k] += (double)cost->wait_ns[k] / 1e9;
        profile->gc_s += (double)sc_builder_part_ns(builder, cost, cost->gc_ns) / 1e9;
        profile->freeing_s += (double)sc_builder_part_ns(builder, cost, cost->freeing_ns) / 1e9;
    }
}

/* The name a file is shown under: as the code object has it, but absolute. A relative name (3.8
 * keeps the command line's) is resolved against the directory the run began in, which is also this
 * process's. */
static char *shown_name(struct sc_helper *helper, const char *file)
{
    bool is_pseudo = file[0] == '/' || file[0] == '<' || file[0] == '[' || file[0] == '\0';
    char *resolved = is_pseudo ? NULL : sc_helper_resolve(helper, file);
    return resolved != NULL ? resolved : sc_strdup(file);
}

/* Whether a line of a file calls eval and not exec. */
static bool is_eval(struct sc_helper *helper, const char *file, uint32_t line)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct stat status;
    struct sc_source source;
    bool found = false;
    if (sc_helper_read(helper, file, SOURCE_LIMIT_BYTES, &status, &text) == SC_HELPER_READ) {
        sc_source_init(&source, sc_str_text(&text), text.length);
        if (line > 0 && line <= source.lines.count) {
            const struct sc_source_line *at = &source.lines.items[line - 1];
            SC_AUTO_FREE char *words = sc_strndup(source.text + at->start, at->length);
            found = strstr(words, "eval(") != NULL && strstr(words, "exec(") == NULL;
        }
        sc_source_done(&source);
    }
    return found;
}

/* The name to show for code in scope that is made of a text, to be freed; NULL for any other. */
static char *made_name(struct sc_helper *helper, const char *name, enum sc_scope_reason reason)
{
    uint32_t line = 0;
    SC_AUTO_FREE char *maker =
        reason == SC_SCOPE_IN || reason == SC_SCOPE_TOOL ? sc_made_by(name, &line) : NULL;
    if (maker == NULL || maker[0] != '/')
        return NULL;
    return sc_made_shown(maker, line, is_eval(helper, maker, line));
}

static bool is_given_text(const struct sc_build_input *input, const char *name)
{
    return input->scope->text_name != NULL && strcmp(input->scope->text_name, name) == 0;
}

/* The index in files of the file with that name, added if new. reason: whether it is in scope. */
static uint32_t add_file(struct sc_builder *builder, struct sc_intern *names, const char *name,
                         enum sc_scope_reason reason)
{
    uint32_t at = sc_intern_add(names, name, strlen(name));
    if (at == builder->files.count) {
        struct sc_builder_file added = {.name = sc_strdup(name),
                                        .reason = reason,
                                        .is_importer = strcmp(name, IMPORTER) == 0,
                                        .last_line = 1};
        sc_vec_push(&builder->files, added);
    }
    return at;
}

static void add_files(struct sc_builder *builder)
{
    const struct sc_collect *collect = builder->collect;
    SC_AUTO(sc_intern_done) struct sc_intern names = {0};
    SC_AUTO(sc_map_done) struct sc_map by_file = {0}; /* id of co_filename -> files */
    builder->codes = sc_alloc(collect->codes.count + 1, sizeof(*builder->codes));
    for (size_t i = 0; i < collect->codes.count; i++) {
        const struct sc_code *code = &collect->codes.items[i];
        uint32_t at = sc_map_get(&by_file, code->file);
        if (sc_code_is_native(code)) {
            at = add_file(builder, &names, NATIVE_FILE, SC_SCOPE_INTERNAL);
        } else if (at == SC_NONE) {
            const struct sc_scope *scope = builder->input->scope;
            SC_AUTO_FREE char *name =
                shown_name(scope->helper, sc_intern_text(&collect->names, code->file));
            enum sc_scope_reason reason = sc_scope_of_code(scope, name);
            SC_AUTO_FREE char *short_name = made_name(scope->helper, name, reason);
            at = add_file(builder, &names, short_name != NULL ? short_name : name, reason);
            sc_map_put(&by_file, code->file, at);
        }
        builder->codes[i] = (struct sc_builder_code){.file = at, .function = SC_NONE};
    }
}

/* The owner of a node, given its parent's (callers). */
static uint32_t owner_below(const struct sc_builder *builder, uint32_t node, uint32_t callers)
{
    if (!sc_marked_has(&builder->marked, node))
        return callers;
    return sc_owner_below(node, sc_builder_file_of(builder, node)->reason, callers,
                          callers == SC_NONE ? SC_SCOPE_IN
                                             : sc_builder_file_of(builder, callers)->reason);
}

static void charge_files(struct sc_builder *builder)
{
    const struct sc_collect *collect = builder->collect;
    builder->owners[0] = SC_NONE;
    for (size_t i = 0; i < builder->files.count; i++)
        builder->files.items[i].own_ns = builder->files.items[i].unmarked_ns = 0;
    /* the innermost Python frame of each stack */
    SC_AUTO_FREE uint32_t *pythons = sc_alloc(collect->nodes.count, sizeof(*pythons));
    for (uint32_t i = 1; i < collect->nodes.count; i++) {
        const struct sc_stack_node *node = &collect->nodes.items[i];
        /* parents come first, so theirs is known */
        builder->owners[i] = owner_below(builder, i, builder->owners[node->parent]);
        uint32_t python = sc_collect_is_native(collect, i) ? pythons[node->parent] : i;
        pythons[i] = python;
        if (node->cost == SC_NONE || python == 0)
            continue;
        struct sc_builder_file *file = sc_builder_file_of(builder, python);
        if (builder->owners[i] != SC_NONE)
            file = sc_builder_file_of(builder, builder->owners[i]);
        bool is_unmarked = builder->owners[i] == SC_NONE && file->reason == SC_SCOPE_IN;
        *(is_unmarked ? &file->unmarked_ns : &file->own_ns) +=
            sc_builder_counted_ns(builder, &collect->costs.items[node->cost]);
    }
}

static double percent(const struct sc_builder *builder, uint64_t time_ns)
{
    return builder->total_ns > 0 ? 100 * (double)time_ns / (double)builder->total_ns : 0;
}

/* Puts a tool's own code in scope where all other code in scope took next to no time. */
static void judge_tools(struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_scope *scope = builder->input->scope;
    uint64_t own_ns = 0;
    uint64_t tools_ns = 0;
    bool has_tools = false;
    SC_EACH(const struct sc_builder_file, file, &builder->files) {
        has_tools |= file->reason == SC_SCOPE_TOOL;
        own_ns += file->reason == SC_SCOPE_IN ? file->own_ns + file->unmarked_ns : 0;
        tools_ns += file->reason == SC_SCOPE_TOOL ? file->own_ns : 0;
    }
    if (!has_tools)
        return;
    bool is_shown = tools_ns > 0 && percent(builder, own_ns) < scope->cpu_percent_threshold;
    for (size_t i = 0; i < builder->files.count; i++) {
        if (builder->files.items[i].reason == SC_SCOPE_TOOL)
            builder->files.items[i].reason = is_shown ? SC_SCOPE_IN : SC_SCOPE_LIBRARY;
    }
    charge_files(builder);
    if (is_shown)
        sc_vec_push(&profile->notes,
                    sc_format("next to no code below '%s' took part, so what is shown is the code "
                              "of the tool itself (%s)",
                              scope->root_dir, scope->tools[0]));
}

/* Gives code whose source text is not known empty lines, up to the last line that was seen of
 * it. */
static void number_lines(struct sc_builder_file *file)
{
    SC_AUTO(sc_str_done) struct sc_str lines = {0};
    for (uint32_t i = 0; i < file->last_line && i < MADE_LINES_MAX; i++)
        sc_str_add_char(&lines, '\n');
    sc_source_init(&file->source, sc_str_text(&lines), lines.length);
}

static void read_source(const struct sc_builder *builder, struct sc_builder_file *file)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct stat status;
    const struct sc_cell_source *given =
        builder->input->cell_sources != NULL
            ? sc_cell_sources_find(builder->input->cell_sources, file->name)
            : NULL;
    if (given != NULL || is_given_text(builder->input, file->name)) {
        const char *bytes = given != NULL ? given->text : builder->input->text;
        sc_source_init(&file->source, bytes, strlen(bytes));
        sc_builder_find_scopes(file);
        return;
    }
    if (sc_is_made_place(file->name)) {
        number_lines(file);
        return;
    }
    enum sc_helper_read result = sc_helper_read(builder->input->scope->helper, file->name,
                                                SOURCE_LIMIT_BYTES, &status, &text);
    bool has_source = result == SC_HELPER_READ &&
                      sc_source_lines_at_most(sc_str_text(&text), text.length) <= SOURCE_LINES_MAX;
    file->is_silent = result == SC_HELPER_SILENT;
    if (has_source) {
        uint64_t changed_ns =
            (uint64_t)status.st_mtim.tv_sec * 1000000000U + (uint64_t)status.st_mtim.tv_nsec;
        file->source_changed = builder->input->program_start_realtime_ns != 0 &&
                               changed_ns > builder->input->program_start_realtime_ns;
        sc_source_init(&file->source, sc_str_text(&text), text.length);
        has_source = sc_builder_source_fits(builder, file);
        if (has_source)
            sc_builder_find_scopes(file);
        else
            sc_source_done(&file->source);
    }
    if (!has_source && !file->is_silent)
        number_lines(file);
}

/* What was seen of each file and code object, and what their lines have cost beside time. */
static void sum_up(struct sc_builder *builder)
{
    const struct sc_build_input *input = builder->input;
    for (uint32_t i = 1; i < builder->collect->nodes.count; i++) {
        const struct sc_stack_node *node = &builder->collect->nodes.items[i];
        struct sc_builder_code *code = &builder->codes[node->code];
        struct sc_builder_file *file = &builder->files.items[code->file];
        code->last_line = node->line > code->last_line ? node->line : code->last_line;
        file->last_line = node->line > file->last_line ? node->line : file->last_line;
    }
    for (size_t i = 1; input->ledger != NULL && i < input->ledger->lines.count; i++) {
        const struct sc_ledger_account *account = &input->ledger->lines.items[i];
        struct sc_builder_file *file = sc_builder_file_of(builder, account->node);
        file->mallocs += account->allocations;
        file->allocated_bytes += (double)account->allocated_bytes;
        builder->allocated_bytes += (double)account->allocated_bytes;
    }
    for (size_t i = 0; input->awaits != NULL && i < input->awaits->lines.count; i++) {
        const struct sc_await_account *account = &input->awaits->lines.items[i];
        sc_builder_file_of(builder, account->node)->await_ns += account->await_ns;
        builder->await_ns += account->await_ns;
    }
    for (size_t i = 0; input->gpu != NULL && i < input->gpu->lines.count; i++) {
        const struct sc_gpu_account *account = &input->gpu->lines.items[i];
        sc_builder_file_of(builder, account->node)->launched_ns += account->launched_ns;
    }
}

/* Whether a part is a share of all that a file is shown for. */
static bool is_much(const struct sc_builder *builder, double part, double all)
{
    return part > 0 && all > 0 && 100 * part / all >= builder->input->scope->cpu_percent_threshold;
}

static void choose_files(struct sc_builder *builder)
{
    const struct sc_scope *scope = builder->input->scope;
    const struct sc_gpu *gpu = builder->input->gpu;
    double device_ns = gpu != NULL ? (double)(gpu->kernel_ns + gpu->copy_ns) : 0;
    sum_up(builder);
    SC_EACH(struct sc_builder_file, file, &builder->files) {
        uint64_t mallocs = (uint64_t)(file->mallocs + 0.5);
        bool is_small =
            percent(builder, file->own_ns + file->unmarked_ns) < scope->cpu_percent_threshold &&
            mallocs < scope->malloc_threshold;
        bool is_beside = (file->allocated_bytes >= MUCH_BYTES &&
                          is_much(builder, file->allocated_bytes, builder->allocated_bytes)) ||
                         is_much(builder, file->await_ns, builder->await_ns) ||
                         is_much(builder, (double)file->launched_ns, device_ns);
        if (file->reason != SC_SCOPE_IN ||
            (!is_beside && (is_small || (file->own_ns == 0 && mallocs == 0))))
            continue;
        read_source(builder, file);
        file->is_shown = !file->is_silent;
    }
}

static const char *hidden_reason(const struct sc_builder_file *file)
{
    switch (file->reason) {
    case SC_SCOPE_LIBRARY:
        return "library";
    case SC_SCOPE_EXCLUDED:
        return "excluded";
    case SC_SCOPE_OUTSIDE:
        return "outside";
    case SC_SCOPE_INTERNAL:
        return "internal";
    case SC_SCOPE_TOOL: /* judge_tools has replaced it */
    case SC_SCOPE_IN:
        break;
    }
    return file->is_silent ? "no answer" : "threshold";
}

SC_ORDERED_BY(by_cost_then_name, struct sc_hidden_file, SC_FALLING(percent),
              strcmp(a->name, b->name));

static void hide(const struct sc_builder *builder, struct sc_profile *profile, const char *name,
                 const char *reason, uint64_t ns)
{
    if (ns > 0)
        sc_vec_push(&profile->hidden_files,
                    (struct sc_hidden_file){.name = sc_strdup(name),
                                            .reason = sc_strdup(reason),
                                            .percent = percent(builder, ns)});
}

static void list_hidden(const struct sc_builder *builder, struct sc_profile *profile)
{
    SC_EACH(const struct sc_builder_file, file, &builder->files) {
        if (!file->is_shown)
            hide(builder, profile, file->name, hidden_reason(file), file->own_ns);
        hide(builder, profile, file->name, "unmarked", file->unmarked_ns);
    }
    sc_vec_sort(&profile->hidden_files, by_cost_then_name);
    while (profile->hidden_files.count > HIDDEN_FILES_LIMIT) {
        const struct sc_hidden_file *last =
            &profile->hidden_files.items[--profile->hidden_files.count];
        free(last->name);
        free(last->reason);
    }
}

/* A source line as the profile has it: it ends in one newline, whatever the file has. */
static char *line_text(const struct sc_source *source, size_t line)
{
    const char *text = source->text + source->lines.items[line].start;
    size_t length = source->lines.items[line].length;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    return sc_format("%.*s\n", (int)length, text);
}

static void add_lines(const struct sc_builder_file *file, struct sc_file *ret_file)
{
    for (size_t i = 0; i < file->source.lines.count; i++) {
        struct sc_line line = sc_plain_line(&file->source, i);
        line.text = line_text(&file->source, i);
        line.cost.is_coroutine = sc_builder_is_async(file, line.region.start_function_line);
        sc_vec_push(&ret_file->lines, line);
    }
}

static void add_imports(struct sc_builder *builder, const struct sc_builder_file *file,
                        struct sc_file *ret_file)
{
    const char *last = NULL;
    SC_EACH(const struct sc_import, import, &file->source.imports) {
        /* once per statement, however many native modules it names */
        if (last != NULL && strcmp(last, import->statement) == 0)
            continue;
        if (!sc_native_imports_has(&builder->imports, builder->input->scope, file->name,
                                   import->module))
            continue;
        last = import->statement;
        sc_vec_push(&ret_file->imports, sc_strdup(import->statement));
    }
}

SC_ORDERED_BY(by_first_line, struct sc_function, SC_RISING(lineno), strcmp(a->name, b->name));

SC_ORDERED_BY(by_file_name, struct sc_file, strcmp(a->name, b->name));

/* Moves the totals into the files of the profile; files_at has the index in the profile of each
 * file. */
static void place_tallies(const struct sc_builder *builder, const uint32_t *files_at,
                          struct sc_profile *profile)
{
    SC_EACH(struct sc_total, total, &builder->lines) {
        struct sc_file *file = &profile->files.items[files_at[total->file]];
        if (!sc_builder_shows_line(builder, total->file, total->line))
            continue;
        sc_builder_cost(builder, total, &file->lines.items[total->line - 1].cost);
    }
    for (size_t i = 0; i < builder->functions.count; i++) {
        struct sc_total *total = &builder->functions.items[i];
        if (total->cumulative_ns == 0 && total->own.samples == 0 && total->cost.mallocs == 0 &&
            total->cost.copy_mb_s == 0 && total->await_ns == 0)
            continue;
        if (!sc_builder_shows_function(builder, (uint32_t)i))
            continue;
        struct sc_function function = {.name = sc_strdup(total->name), .lineno = total->line};
        sc_builder_cost(builder, total, &function.cost);
        function.cost.is_coroutine = total->is_async;
        sc_vec_push(&profile->files.items[files_at[total->file]].functions, function);
    }
}

static void add_shown(struct sc_builder *builder, struct sc_profile *profile)
{
    uint32_t *files_at = sc_alloc(builder->files.count + 1, sizeof(*files_at));
    for (size_t i = 0; i < builder->files.count; i++) {
        const struct sc_builder_file *file = &builder->files.items[i];
        if (!file->is_shown)
            continue;
        struct sc_file shown = {.name = sc_strdup(file->name),
                                .percent_cpu_time = percent(builder, file->own_ns),
                                .source_changed = file->source_changed};
        add_lines(file, &shown);
        add_imports(builder, file, &shown);
        files_at[i] = (uint32_t)profile->files.count;
        sc_vec_push(&profile->files, shown);
    }
    place_tallies(builder, files_at, profile);
    sc_builder_leaks(builder, files_at, profile);
    free(files_at);
    sc_vec_sort(&profile->files, by_file_name);
    SC_EACH(struct sc_file, file, &profile->files)
        sc_vec_sort(&file->functions, by_first_line);
}

static void add_threads(const struct sc_builder *builder, struct sc_profile *profile)
{
    SC_EACH(const struct sc_thread_cost, cost, &builder->collect->threads) {
        struct sc_thread thread = {
            .name = sc_strndup(cost->name, strnlen(cost->name, sizeof(cost->name))),
            .tid = cost->tid,
            .pid = cost->pid,
            .python_ident = cost->python_ident,
            .is_main = cost->is_main,
            .has_python = cost->has_python,
            .cpu_s = (double)cost->cpu_ns / 1e9,
            .samples = cost->samples,
        };
        for (size_t k = 0; k < SC_TIME_COUNT_; k++)
            thread.time_s[k] = builder->counts[k] ? (double)cost->time_ns[k] / 1e9 : 0;
        for (size_t k = 0; k < SC_WAIT_COUNT_; k++)
            thread.wait_s[k] = (double)cost->wait_ns[k] / 1e9;
        profile->threads_ended += cost->ended ? 1 : 0;
        sc_vec_push(&profile->threads, thread);
    }
}

static void total_done(struct sc_total *total)
{
    free(total->name);
    sc_vec_done(&total->cost.cpu_samples);
    sc_vec_done(&total->cost.memory_samples);
    sc_vec_free(&total->cost.async_task_names);
}

static void builder_done(struct sc_builder *builder)
{
    sc_vec_done_each(&builder->files, sc_builder_file_done);
    free(builder->codes);
    free(builder->owners);
    free(builder->node_lines);
    sc_vec_done_each(&builder->lines, total_done);
    sc_vec_done_each(&builder->functions, total_done);
    sc_vec_done(&builder->marked_functions);
    sc_marked_done(&builder->marked);
    sc_map_done(&builder->line_index);
    sc_native_imports_done(&builder->imports);
}

void sc_profile_build(const struct sc_build_input *input, struct sc_profile *ret_profile)
{
    struct sc_shown_stacks pythons;
    struct sc_builder builder = {.input = input, .collect = input->collect, .pythons = &pythons};
    choose_times(&builder);
    ret_profile->async_profile = input->awaits != NULL;
    add_totals(&builder, ret_profile);
    add_files(&builder);
    sc_marked_init(&builder.marked, input->collect, input->scope);
    (void)sc_marked_update(&builder.marked);
    builder.owners = sc_alloc(input->collect->nodes.count, sizeof(*builder.owners));
    charge_files(&builder);
    judge_tools(&builder, ret_profile);
    choose_files(&builder);
    sc_builder_find_functions(&builder);
    sc_builder_find_marked(&builder);
    sc_builder_tally(&builder);
    ret_profile->importing_s = (double)builder.importing_ns / 1e9;
    ret_profile->ending_s = (double)builder.ending_ns / 1e9;
    sc_builder_lock_waits(&builder, ret_profile);
    sc_builder_units(&builder, ret_profile);
    sc_builder_memory(&builder);
    sc_shown_stacks_build(&pythons, &builder, SC_SHOWN_PYTHON);
    sc_builder_awaits(&builder, ret_profile);
    sc_builder_gpu(&builder, ret_profile);
    sc_builder_footprint(&builder, ret_profile);
    add_shown(&builder, ret_profile);
    list_hidden(&builder, ret_profile);
    if (input->stacks)
        sc_builder_stacks(&builder, ret_profile);
    sc_builder_calls(&builder, ret_profile);
    sc_builder_tracks(&builder, ret_profile);
    sc_builder_task_lanes(&builder, ret_profile);
    sc_shown_stacks_done(&pythons);
    add_threads(&builder, ret_profile);
    builder_done(&builder);
}
