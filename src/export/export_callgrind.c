/*
 * export/export_callgrind.c - a profile for KCachegrind and callgrind_annotate
 * (https://valgrind.org/docs/manual/cl-format.html).
 *
 * The format has no stacks: each line of a function has its own cost, and what its calls of each
 * other function cost in all. A call within the same call further out, of code that calls itself,
 * is part of that. How often was called is not known; each is one call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>

#include "base/sort.h"
#include "export/samples.h"
#include "export/writers.h"

/* callee: SC_NONE for the line's own cost. */
struct row {
    uint32_t function, line, callee, callee_line;
    double costs[SC_EXPORT_COUNT_];
};

struct writer {
    struct sc_export_samples samples;
    struct sc_intern index; /* of rows by what they are of */
    SC_VEC(struct row) rows;
    struct sc_intern names[3]; /* that have a number already: ob, fl, fn */
    struct sc_str *text;
};

enum name { NAME_OBJECT, NAME_FILE, NAME_FUNCTION };

static struct row *row_of(struct writer *writer, uint32_t frame, uint32_t callee)
{
    const struct sc_export_frame *frames = writer->samples.frames.items;
    uint32_t callee_function = callee != SC_NONE ? frames[callee].function : SC_NONE;
    const uint32_t key[] = {frames[frame].function, frames[frame].line, callee_function};
    uint32_t at = sc_intern_add(&writer->index, (const char *)key, sizeof(key));
    if (at == writer->rows.count) {
        struct row row = {key[0], key[1], key[2], callee != SC_NONE ? frames[callee].line : 0, {0}};
        sc_vec_push(&writer->rows, row);
    }
    return &writer->rows.items[at];
}

/* Whether the node's call was made further out, too, and is not over. */
static bool is_within_itself(const struct sc_export_samples *samples, uint32_t node)
{
    const struct sc_export_node *nodes = samples->nodes.items;
    const struct sc_export_frame *frames = samples->frames.items;
    const struct sc_export_frame *caller = &frames[nodes[nodes[node].parent].frame];
    uint32_t callee = frames[nodes[node].frame].function;
    for (uint32_t at = nodes[node].parent; nodes[at].parent != 0; at = nodes[at].parent) {
        const struct sc_export_frame *outer = &frames[nodes[nodes[at].parent].frame];
        if (frames[nodes[at].frame].function == callee && outer->function == caller->function &&
            outer->line == caller->line)
            return true;
    }
    return false;
}

/* Its own costs, and those of calls, of one value. */
static void add_costs(struct writer *writer, enum sc_export_value value)
{
    const struct sc_export_samples *samples = &writer->samples;
    SC_AUTO_FREE double *totals = sc_alloc(samples->nodes.count, sizeof(*totals));
    for (size_t node = samples->nodes.count; node-- > 1;) {
        const struct sc_export_node *of = &samples->nodes.items[node];
        totals[node] += samples->self[value][node];
        totals[of->parent] += totals[node];
        if (samples->self[value][node] > 0)
            row_of(writer, of->frame, SC_NONE)->costs[value] += samples->self[value][node];
        if (of->parent != 0 && totals[node] > 0 && !is_within_itself(samples, (uint32_t)node))
            row_of(writer, samples->nodes.items[of->parent].frame, of->frame)->costs[value] +=
                totals[node];
    }
}

/* A line's own costs come before those of its calls. */
SC_ORDERED_BY(by_place, struct row, SC_RISING(function), SC_RISING(line),
              SC_ORDER(a->callee + 1, b->callee + 1));

/* "key=(3) name", later "key=(3)". */
static void add_name(struct writer *writer, const char *key, enum name kind, const char *name)
{
    uint32_t known = writer->names[kind].count;
    uint32_t number = sc_intern_add(&writer->names[kind], name, strlen(name));
    sc_str_add_format(writer->text, "%s=(%u)", key, number + 1);
    if (writer->names[kind].count > known)
        sc_str_add_format(writer->text, " %s", name);
    sc_str_add_char(writer->text, '\n');
}

static void add_function(struct writer *writer, uint32_t index, bool is_callee)
{
    const struct sc_export_function *function = &writer->samples.functions.items[index];
    bool is_python = sc_export_is_python(function);
    bool has_path = function->path[0] != '\0';
    /* functions of one name in two files would be one, as names have one number */
    SC_AUTO_FREE char *number = sc_format("%u", index + 1);
    add_name(writer, is_callee ? "cob" : "ob", NAME_OBJECT,
             is_python || !has_path ? "python" : function->path);
    add_name(writer, is_callee ? "cfi" : "fl", NAME_FILE,
             is_python && has_path ? function->path : "???");
    sc_str_add_format(writer->text, "%s=(%u)", is_callee ? "cfn" : "fn", index + 1);
    uint32_t known = writer->names[NAME_FUNCTION].count;
    if (sc_intern_add(&writer->names[NAME_FUNCTION], number, strlen(number)) == known)
        sc_str_add_format(writer->text, " %s", function->name);
    sc_str_add_char(writer->text, '\n');
}

static void add_numbers(struct writer *writer, uint32_t line, const double *costs)
{
    sc_str_add_format(writer->text, "%u", line);
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (writer->samples.self[value] != NULL)
            sc_str_add_format(writer->text, " %" PRId64, sc_export_whole(costs[value]));
    }
    sc_str_add_char(writer->text, '\n');
}

static void add_rows(struct writer *writer)
{
    for (size_t i = 0; i < writer->rows.count; i++) {
        const struct row *row = &writer->rows.items[i];
        if (i == 0 || row[-1].function != row->function) {
            sc_str_add_char(writer->text, '\n');
            add_function(writer, row->function, false);
        }
        if (row->callee != SC_NONE) {
            add_function(writer, row->callee, true);
            sc_str_add_format(writer->text, "calls=1 %u\n", row->callee_line);
        }
        add_numbers(writer, row->line, row->costs);
    }
}

/* Of all lines as they are written. */
static int64_t sum_of(const struct writer *writer, int value)
{
    uint64_t sum = 0;
    SC_EACH(const struct row, row, &writer->rows)
        sum += row->callee == SC_NONE ? (uint64_t)sc_export_whole(row->costs[value]) : 0;
    return (int64_t)sum;
}

static void add_head(struct writer *writer)
{
    static const char *const units[] = {
        [SC_EXPORT_NS] = "ns", [SC_EXPORT_BYTES] = "bytes", [SC_EXPORT_SAMPLES] = "number"};
    struct sc_export_samples *samples = &writer->samples;
    sc_str_add_format(writer->text,
                      "# callgrind format\nversion: 1\ncreator: scalene " SC_VERSION
                      "\ncmd: %s\npositions: line\n",
                      sc_export_text(&samples->texts, samples->profile->program));
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        const char *name = sc_export_value_name(samples, (enum sc_export_value)value);
        if (samples->self[value] != NULL)
            sc_str_add_format(writer->text, "event: %s : %s (%s)\n", name, name,
                              units[sc_export_value_unit(samples, (enum sc_export_value)value)]);
    }
    sc_str_add(writer->text, "events:");
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (samples->self[value] != NULL)
            sc_str_add_format(writer->text, " %s",
                              sc_export_value_name(samples, (enum sc_export_value)value));
    }
    sc_str_add(writer->text, "\nsummary:");
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (samples->self[value] != NULL)
            sc_str_add_format(writer->text, " %" PRId64, sum_of(writer, value));
    }
    sc_str_add_char(writer->text, '\n');
}

void sc_export_callgrind(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    struct writer writer = {.text = ret_bytes};
    sc_export_samples_init(&writer.samples, profile);
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (writer.samples.self[value] != NULL)
            add_costs(&writer, (enum sc_export_value)value);
    }
    sc_vec_sort(&writer.rows, by_place);
    add_head(&writer);
    add_rows(&writer);
    sc_vec_done(&writer.rows);
    sc_intern_done(&writer.index);
    for (int i = 0; i <= NAME_FUNCTION; i++)
        sc_intern_done(&writer.names[i]);
    sc_export_samples_done(&writer.samples);
}
