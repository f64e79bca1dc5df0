/*
 * import/build.c - a profile of the stacks that were read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/build.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

#include "costs/ledger.h"
#include "import/tree.h"

/* Files with less are in the list of hidden ones, as without --cpu-percent-threshold. */
#define PERCENT_THRESHOLD 1.0

/* What counts of stacks stand for where time was measured and not sampled. */
#define MEASURED_INTERVAL_S 1e-6

static size_t name_native(void *context, const char *module, uint64_t offset,
                          struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX])
{
    (void)module;
    struct sc_import_tree *tree = context;
    ret_names[0] = (struct sc_native_name){sc_intern_text(&tree->natives, (uint32_t)offset), 0};
    return 1;
}

/* Functions whose beginning is not known begin at their first line that was seen, or at the first
 * of the file. */
static void begin_functions(struct sc_collect *collect)
{
    SC_AUTO_FREE uint32_t *first = sc_alloc(collect->codes.count + 1, sizeof(*first));
    for (size_t i = 1; i < collect->nodes.count; i++) {
        const struct sc_stack_node *node = &collect->nodes.items[i];
        if (node->line != 0 && (first[node->code] == 0 || node->line < first[node->code]))
            first[node->code] = node->line;
    }
    for (size_t i = 0; i < collect->codes.count; i++) {
        struct sc_code *code = &collect->codes.items[i];
        if (!sc_code_is_native(code) && code->first_line == 0)
            code->first_line = first[i] > 0 ? first[i] : 1;
    }
}

struct blocks SC_VEC_OF(struct sc_ledger_block);

/* alive: adds those to it that were when there was most; otherwise allocates the others, which are
 * freed at once. */
static void allocate(const struct sc_import_tree *tree, struct sc_ledger *ledger,
                     struct blocks *alive)
{
    SC_EACH(const struct sc_import_memory, memory, &tree->memory) {
        struct sc_ledger_allocation allocation = {.time_ns = 1,
                                                  .node = memory->node,
                                                  .size_bytes = memory->bytes,
                                                  .old_bytes = memory->is_part ? memory->bytes : 0,
                                                  .weight_bytes = memory->bytes,
                                                  .is_exact = true};
        if (memory->bytes == 0 || memory->is_alive != (alive != NULL))
            continue;
        struct sc_ledger_block block = sc_ledger_allocate(ledger, &allocation, memory->is_alive);
        double more = (double)memory->blocks - 1; /* the ledger has counted one block */
        ledger->all.allocations += more;
        ledger->lines.items[block.line].allocations += more;
        ledger->functions.items[block.function].allocations += more;
        if (alive != NULL)
            sc_vec_push(alive, block);
    }
}

/* Those that are part of what was allocated come after it: what is counted as allocated then is the
 * larger of the two, since a file may have memory in use that is older than what it covers. */
static void fill_ledger(const struct sc_import_tree *tree, struct sc_ledger *ledger)
{
    struct blocks alive = {0};
    allocate(tree, ledger, NULL);
    allocate(tree, ledger, &alive);
    for (size_t i = 0; i < alive.count; i++)
        sc_ledger_free(ledger, &alive.items[i], 2);
    sc_vec_done(&alive);
    sc_ledger_finish(ledger, 2);
}

/* Files that name no process are one each; a single one is none that needs a number. */
static void name_processes(struct sc_import_tree *tree)
{
    if (tree->files > 1 || tree->names_processes)
        return;
    for (size_t i = 0; i < tree->collect.threads.count; i++)
        tree->collect.threads.items[i].pid = 0;
}

/* The longest of the threads: a thread cannot have taken more than has passed. */
static double longest_thread_s(const struct sc_collect *collect)
{
    double longest_s = 0;
    for (size_t i = 0; i < collect->threads.count && i < SC_IMPORT_THREADS_MAX - 1; i++) {
        double sum_s = 0;
        for (size_t k = 0; k < SC_TIME_COUNT_; k++)
            sum_s += (double)collect->threads.items[i].time_ns[k] / 1e9;
        longest_s = sum_s > longest_s ? sum_s : longest_s;
    }
    return longest_s;
}

static void describe(struct sc_import_tree *tree, const char *program, struct sc_profile *profile)
{
    char folder[PATH_MAX];
    const char *here = getcwd(folder, sizeof(folder)) != NULL ? folder : "/";
    profile->program = sc_strdup(program);
    profile->entrypoint_dir = sc_strdup(here);
    profile->root_dir = sc_strdup(here);
    profile->mode = sc_strdup("wall");
    profile->elapsed_s = fmax(tree->elapsed_s, longest_thread_s(&tree->collect));
    profile->samples_taken = tree->samples;
    profile->interval_s = tree->samples > 0 ? (double)tree->time_ns / 1e9 / (double)tree->samples
                                            : MEASURED_INTERVAL_S;
    profile->losses[SC_LOSS_STACKS_CUT] = tree->collect.stacks_cut;
    if (tree->assumed_s > 0)
        sc_import_note(tree,
                       sc_format("the file counts samples and does not say how much time lies "
                                 "between them: %g ms are assumed, which changes seconds and "
                                 "no percentage (scalene import --interval)",
                                 tree->assumed_s * 1e3));
    for (size_t i = 0; i < tree->notes.count; i++)
        sc_vec_push(&profile->notes, tree->notes.items[i]);
    tree->notes.count = 0;
}

/* When memory was allocated is not known, so there is no curve. */
static void drop_curves(struct sc_profile *profile)
{
    sc_vec_done(&profile->samples);
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t k = 0; k < file->lines.count; k++)
            sc_vec_done(&file->lines.items[k].cost.memory_samples);
        for (size_t k = 0; k < file->functions.count; k++)
            sc_vec_done(&file->functions.items[k].cost.memory_samples);
    }
}

void sc_import_build(struct sc_import_tree *tree, const char *program, uint64_t changed_ns,
                     struct sc_profile *ret_profile)
{
    struct sc_scope scope = {
        .root_dir = "/",
        .library_dirs = (const char *const *)tree->places.library_dirs.items,
        .library_dir_count = tree->places.library_dirs.count,
        .text_name = SC_IMPORT_NO_FILE,
        .cpu_percent_threshold = PERCENT_THRESHOLD,
        .malloc_threshold = 1,
    };
    SC_AUTO(sc_owners_done) struct sc_owners owners = {0};
    SC_AUTO(sc_ledger_done) struct sc_ledger ledger = {0};
    sc_import_assume_own(&tree->places, &tree->collect);
    begin_functions(&tree->collect);
    name_processes(tree);
    describe(tree, program, ret_profile);
    sc_owners_init(&owners, &tree->collect, &scope);
    sc_ledger_init(&ledger, &owners);
    struct sc_build_input input = {
        .collect = &tree->collect,
        .scope = &scope,
        .program_start_realtime_ns = changed_ns,
        .text = "\n",
        .stacks = true,
        .interval_ns = (uint64_t)(ret_profile->interval_s * 1e9),
        .namer = name_native,
        .namer_context = tree,
        .names_all = true,
        .ledger = tree->memory.count > 0 ? &ledger : NULL,
        .ended_ns = 2,
    };
    ret_profile->memory = input.ledger != NULL;
    if (input.ledger != NULL)
        fill_ledger(tree, &ledger);
    sc_profile_build(&input, ret_profile);
    drop_curves(ret_profile);
}
