/*
 * import/pprof.c - files of pprof: of services that keep profiles, of `scalene export`, and what
 * `scalene run --keep` leaves.
 *
 * A message has tables of texts, functions and places, and samples: each a stack of places,
 * innermost first, with a number for each type of value. A type has a name and a unit; these say
 * which are times and which are memory. Tables may stand behind what refers to them, so the message
 * is passed over once for them, and then for the samples. Fields:
 * https://github.com/google/pprof/blob/main/proto/profile.proto.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "import/proto_pull.h"
#include "import/readers.h"

/* Fields of a profile. */
enum {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    MAPPING = 3,
    LOCATION = 4,
    FUNCTION = 5,
    TEXT = 6,
    DURATION_NS = 10,
    PERIOD_TYPE = 11,
    PERIOD = 12,
    FIELDS_END = 16
};

/* More types of values are refused. */
#define TYPES_MAX 64U

/* The beginning of a file by which it is recognised. */
#define PROBED_FIELDS 64U

#define NO_VALUE TYPES_MAX

struct type {
    uint32_t name; /* texts */
    uint32_t unit;
};

struct function {
    struct sc_import_text name;
    struct sc_import_text file;
    uint64_t first_line;
};

/* What stands at a place: its frames, outermost first, as inlined functions have one, too. */
struct place {
    size_t first;
    size_t count;
};

struct pprof_numbers SC_VEC_OF(uint64_t);

struct pprof {
    struct sc_import_tree *tree;
    struct sc_import_text bytes;
    SC_VEC(struct sc_import_text) texts;
    SC_VEC(struct type) types;
    struct type period_type;
    double period;
    struct sc_map mapping_ids;
    SC_VEC(struct sc_import_text) mappings; /* their files */
    struct sc_map function_ids;
    SC_VEC(struct function) functions;
    struct sc_map place_ids;
    SC_VEC(struct place) places;
    SC_VEC(struct sc_import_frame) frames;
    struct pprof_numbers stack;  /* of the sample that is read */
    struct pprof_numbers values; /* its values */
    struct sc_intern threads;    /* names of those without a number */
    /* which of them, NO_VALUE: none */
    size_t whole, waiting, running, allocated, blocks, alive;
    double whole_unit_s;
    bool is_all_waiting; /* what is counted as time are delays */
    bool is_counted;     /* it is a number of samples */
    struct sc_err *err;
};

bool sc_pprof_probe(const char *bytes, size_t length)
{
    struct sc_proto_pull pull = sc_proto_pull_of((struct sc_import_text){bytes, length});
    struct sc_proto_field field;
    unsigned count = 0;
    for (; count < PROBED_FIELDS && sc_proto_pull_field(&pull, &field); count++) {
        bool is_message = field.number >= SAMPLE_TYPE && field.number <= TEXT;
        if (field.number >= FIELDS_END || (is_message && !field.is_bytes))
            return false;
    }
    return count > 0 && !pull.failed;
}

/* -------- tables -------- */

static struct sc_import_text text_at(const struct pprof *file, uint64_t index)
{
    return index < file->texts.count ? file->texts.items[index] : (struct sc_import_text){"", 0};
}

/* Whether a text is one of some, which | separates. */
static bool is_text(const struct pprof *file, uint32_t index, const char *words)
{
    struct sc_import_text text = text_at(file, index);
    for (size_t length = 0; *words != '\0'; words += length + (words[length] == '|')) {
        length = strcspn(words, "|");
        if (text.length == length && memcmp(text.bytes, words, length) == 0)
            return true;
    }
    return false;
}

static struct type read_type(struct sc_import_text bytes)
{
    struct sc_proto_pull pull = sc_proto_pull_of(bytes);
    struct sc_proto_field field;
    struct type type = {0};
    while (sc_proto_pull_field(&pull, &field)) {
        if (field.number == 1)
            type.name = field.value < UINT32_MAX ? (uint32_t)field.value : UINT32_MAX;
        else if (field.number == 2)
            type.unit = field.value < UINT32_MAX ? (uint32_t)field.value : UINT32_MAX;
    }
    return type;
}

/* The values of a message's fields that are numbers, by the fields' numbers. */
struct numbers {
    uint64_t of[8];
};

static bool read_numbers(struct sc_import_text bytes, struct numbers *ret_numbers)
{
    struct sc_proto_pull pull = sc_proto_pull_of(bytes);
    struct sc_proto_field field;
    *ret_numbers = (struct numbers){{0}};
    while (sc_proto_pull_field(&pull, &field)) {
        if (field.number < 8 && !field.is_bytes)
            ret_numbers->of[field.number] = field.value;
    }
    return !pull.failed;
}

static bool read_mapping(struct pprof *file, struct sc_import_text bytes)
{
    struct numbers numbers;
    if (!read_numbers(bytes, &numbers))
        return false;
    sc_map_put(&file->mapping_ids, numbers.of[1], (uint32_t)file->mappings.count);
    sc_vec_push(&file->mappings, text_at(file, numbers.of[5]));
    return true;
}

static bool read_function(struct pprof *file, struct sc_import_text bytes)
{
    struct numbers numbers;
    if (!read_numbers(bytes, &numbers))
        return false;
    struct sc_import_text name = text_at(file, numbers.of[2]);
    sc_map_put(&file->function_ids, numbers.of[1], (uint32_t)file->functions.count);
    sc_vec_push(&file->functions,
                (struct function){name.length > 0 ? name : text_at(file, numbers.of[3]),
                                  text_at(file, numbers.of[4]), numbers.of[5]});
    return true;
}

/* The frame of code without a name: its address in the file that it was mapped from. */
static struct sc_import_frame frame_of_address(struct pprof *file, const struct numbers *place)
{
    uint32_t mapping = sc_map_get(&file->mapping_ids, place->of[2]);
    struct sc_import_text from = {"", 0};
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    sc_str_add_format(&name, "0x%llx", (unsigned long long)place->of[3]);
    if (mapping < file->mappings.count)
        from = file->mappings.items[mapping];
    return sc_import_frame_of(file->tree, (struct sc_import_text){sc_str_text(&name), name.length},
                              from, 0, 0);
}

static struct sc_import_frame frame_of(struct pprof *file, const struct numbers *line)
{
    uint32_t at = sc_map_get(&file->function_ids, line->of[1]);
    if (at >= file->functions.count)
        return (struct sc_import_frame){SC_NONE, 0};
    const struct function *function = &file->functions.items[at];
    return sc_import_frame_of(file->tree, function->name, function->file, line->of[2],
                              function->first_line);
}

static bool read_place(struct pprof *file, struct sc_import_text bytes)
{
    struct sc_proto_pull pull = sc_proto_pull_of(bytes);
    struct sc_proto_field field;
    struct numbers numbers;
    struct numbers line;
    struct place place = {.first = file->frames.count};
    if (!read_numbers(bytes, &numbers))
        return false;
    while (sc_proto_pull_field(&pull, &field)) {
        if (field.number != 4 || !field.is_bytes)
            continue;
        if (!read_numbers(field.bytes, &line))
            return false;
        sc_vec_push(&file->frames, frame_of(file, &line));
    }
    if (file->frames.count == place.first)
        sc_vec_push(&file->frames, frame_of_address(file, &numbers));
    place.count = file->frames.count - place.first;
    for (size_t i = 0; i < place.count / 2; i++) { /* inlined ones stand first */
        struct sc_import_frame *frames = file->frames.items + place.first;
        struct sc_import_frame inner = frames[i];
        frames[i] = frames[place.count - 1 - i];
        frames[place.count - 1 - i] = inner;
    }
    sc_map_put(&file->place_ids, numbers.of[1], (uint32_t)file->places.count);
    sc_vec_push(&file->places, place);
    return true;
}

/* Passes over the file and gives the fields of one number to read, FRAMES_MAX at most. */
static bool read_table(struct pprof *file, uint32_t number,
                       bool (*read)(struct pprof *file, struct sc_import_text bytes))
{
    struct sc_proto_pull pull = sc_proto_pull_of(file->bytes);
    struct sc_proto_field field;
    size_t count = 0;
    while (sc_proto_pull_field(&pull, &field)) {
        if (field.number != number)
            continue;
        if (!field.is_bytes || !read(file, field.bytes))
            return sc_fail(file->err, SC_ERR_FAILED, "a message in it is damaged");
        if (++count > SC_IMPORT_FRAMES_MAX || file->frames.count > SC_IMPORT_FRAMES_MAX)
            return sc_fail(file->err, SC_ERR_FAILED, "one of its tables has more than %u entries",
                           SC_IMPORT_FRAMES_MAX);
    }
    return !pull.failed || sc_fail(file->err, SC_ERR_FAILED, "it is damaged or cut off");
}

static bool read_text(struct pprof *file, struct sc_import_text bytes)
{
    sc_vec_push(&file->texts, bytes);
    return true;
}

static bool read_sample_type(struct pprof *file, struct sc_import_text bytes)
{
    sc_vec_push(&file->types, read_type(bytes));
    return file->types.count <= TYPES_MAX;
}

static bool read_period_type(struct pprof *file, struct sc_import_text bytes)
{
    file->period_type = read_type(bytes);
    return true;
}

static void read_numbers_of_run(struct pprof *file)
{
    struct sc_proto_pull pull = sc_proto_pull_of(file->bytes);
    struct sc_proto_field field;
    while (sc_proto_pull_field(&pull, &field)) {
        if (field.number == PERIOD && field.value <= INT64_MAX)
            file->period = (double)field.value;
        else if (field.number == DURATION_NS && field.value <= INT64_MAX)
            file->tree->elapsed_s += (double)field.value / 1e9;
    }
}

/* -------- which value is what -------- */

static double unit_s(const struct pprof *file, uint32_t unit)
{
    return is_text(file, unit, "nanoseconds|ns")    ? 1e-9
           : is_text(file, unit, "microseconds|us") ? 1e-6
           : is_text(file, unit, "milliseconds|ms") ? 1e-3
           : is_text(file, unit, "seconds|s")       ? 1
                                                    : 0;
}

enum unit { UNIT_TIME, UNIT_BYTES, UNIT_COUNT };

static enum unit unit_of(const struct pprof *file, const struct type *type)
{
    return unit_s(file, type->unit) > 0              ? UNIT_TIME
           : is_text(file, type->unit, "bytes|byte") ? UNIT_BYTES
                                                     : UNIT_COUNT;
}

/* The first type of one of the names, which are tried in their order, that has such a unit. */
static size_t find_type(const struct pprof *file, enum unit unit, const char *const *names)
{
    for (; *names != NULL; names++) {
        for (size_t i = 0; i < file->types.count; i++) {
            const struct type *type = &file->types.items[i];
            if (is_text(file, type->name, *names) && unit_of(file, type) == unit)
                return i;
        }
    }
    return NO_VALUE;
}

#define FIND(file, unit, ...) find_type(file, unit, (const char *const[]){__VA_ARGS__, NULL})

static bool choose_values(struct pprof *file)
{
    size_t samples = FIND(file, UNIT_COUNT, "samples|sample|cpu-samples|wall-samples");
    file->whole = FIND(file, UNIT_TIME, "time|wall|wall-time", "cpu|cpu-time|cpu_time");
    file->waiting = FIND(file, UNIT_TIME, "waiting");
    file->running = FIND(file, UNIT_TIME, "cpu|cpu-time|cpu_time");
    file->alive = FIND(file, UNIT_BYTES, "in_use_at_peak",
                       "inuse_space|in_use|heap-space|heap-live-size", "in_use_at_exit", "space");
    file->allocated = FIND(file, UNIT_BYTES, "allocated|alloc_space|alloc-space|alloc-size");
    file->blocks = file->allocated != NO_VALUE
                       ? FIND(file, UNIT_COUNT, "alloc_objects|alloc-samples")
                       : FIND(file, UNIT_COUNT, "inuse_objects|allocations|objects");
    for (size_t i = 0; i < file->types.count && file->whole == NO_VALUE; i++) {
        if (unit_s(file, file->types.items[i].unit) > 0) { /* of Go's locks, for example */
            file->whole = i;
            file->is_all_waiting = is_text(file, file->types.items[i].name, "delay|waiting");
        }
    }
    if (file->whole < file->types.count) {
        file->whole_unit_s = unit_s(file, file->types.items[file->whole].unit);
    } else if (samples != NO_VALUE) {
        double period_s = file->period * unit_s(file, file->period_type.unit);
        file->whole = samples;
        file->is_counted = true;
        file->whole_unit_s =
            period_s > 0 ? period_s : sc_import_interval_s(file->tree, SC_IMPORT_INTERVAL_S);
    }
    return file->whole != NO_VALUE || file->alive != NO_VALUE || file->allocated != NO_VALUE ||
           sc_fail(file->err, SC_ERR_FAILED, "none of its values is a time or memory");
}

/* -------- samples -------- */

struct thread {
    uint64_t pid;
    uint64_t tid;
    char name[64];
};

/* What a label says of the thread: the names of labels differ. */
static void read_label(struct pprof *file, struct sc_import_text bytes, struct thread *thread)
{
    struct numbers label;
    if (!read_numbers(bytes, &label) || label.of[1] >= file->texts.count)
        return;
    uint32_t key = (uint32_t)label.of[1];
    struct sc_import_text text = text_at(file, label.of[2]);
    struct sc_import_text rest = text;
    uint64_t number = label.of[3];
    if (number == 0 && (!sc_import_take_number(&rest, &number) || rest.length > 0))
        number = 0;
    if (is_text(file, key, "thread id|thread_id|thread.id|tid")) {
        thread->tid = number;
    } else if (is_text(file, key, "pid|process_id|process.pid")) {
        thread->pid = number;
    } else if (is_text(file, key, "thread|thread name|thread_name|thread.name")) {
        (void)snprintf(
            thread->name, sizeof(thread->name), "%.*s",
            (int)(text.length < sizeof(thread->name) ? text.length : sizeof(thread->name)),
            text.bytes);
        if (thread->tid == 0) /* names alone tell threads apart */
            thread->tid = sc_intern_add(&file->threads, text.bytes, text.length) + UINT64_C(1);
    }
}

/* A field that is repeated: a number, or a list of them. False where there are too many. */
static bool add_numbers(const struct sc_proto_field *field, struct pprof_numbers *list, size_t most)
{
    struct sc_proto_pull pull = sc_proto_pull_of(field->bytes);
    uint64_t number = field->value;
    bool has_one = !field->is_bytes || sc_proto_pull_number(&pull, &number);
    for (; has_one && list->count < most; has_one = sc_proto_pull_number(&pull, &number))
        sc_vec_push(list, number);
    return !has_one && !pull.failed;
}

/* A value of the sample, 0 where it is below that, as in differences of two profiles. */
static uint64_t value_of(const struct pprof *file, size_t type)
{
    uint64_t value = type < file->values.count ? file->values.items[type] : 0;
    return value <= INT64_MAX ? value : 0;
}

static bool add_time(struct pprof *file, uint32_t thread, uint32_t node)
{
    uint64_t whole = value_of(file, file->whole);
    uint64_t idle = file->is_all_waiting ? whole : value_of(file, file->waiting);
    uint64_t running = value_of(file, file->running);
    if (file->waiting == NO_VALUE && file->running != NO_VALUE && file->running != file->whole)
        idle = whole > running ? whole - running : 0;
    idle = idle < whole ? idle : whole;
    for (int is_idle = 0; is_idle < 2; is_idle++) {
        uint64_t value = is_idle ? idle : whole - idle;
        struct sc_import_time time = {.thread = thread,
                                      .node = node,
                                      .seconds = (double)value * file->whole_unit_s,
                                      .samples = file->is_counted ? value : 0,
                                      .is_idle = is_idle};
        if (value > 0 && !sc_import_add_time(file->tree, &time, file->err))
            return false;
    }
    return true;
}

static bool add_memory(struct pprof *file, uint32_t node)
{
    bool has_both = file->allocated != NO_VALUE && file->alive != NO_VALUE;
    struct sc_import_memory alive = {.node = node,
                                     .bytes = value_of(file, file->alive),
                                     .blocks = has_both ? 0 : value_of(file, file->blocks),
                                     .is_alive = true,
                                     .is_part = has_both};
    struct sc_import_memory all = {.node = node,
                                   .bytes = value_of(file, file->allocated),
                                   .blocks = value_of(file, file->blocks)};
    return (alive.bytes == 0 || sc_import_add_memory(file->tree, &alive, file->err)) &&
           (all.bytes == 0 || sc_import_add_memory(file->tree, &all, file->err));
}

/* The node of the stack, whose places stand innermost first. */
static bool find_node(struct pprof *file, uint32_t *ret_node)
{
    size_t depth = 0;
    *ret_node = 0;
    for (size_t i = file->stack.count; i-- > 0;) {
        uint32_t at = sc_map_get(&file->place_ids, file->stack.items[i]);
        if (at == SC_NONE)
            return sc_fail(file->err, SC_ERR_FAILED, "a stack names a place that there is not");
        const struct place *place = &file->places.items[at];
        depth += place->count;
        for (size_t k = 0; k < place->count && depth <= SC_IMPORT_DEPTH_MAX; k++)
            *ret_node = sc_import_call(file->tree, *ret_node, file->frames.items[place->first + k]);
    }
    return depth <= SC_IMPORT_DEPTH_MAX ||
           sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                   SC_IMPORT_DEPTH_MAX);
}

static bool read_sample(struct pprof *file, struct sc_import_text bytes)
{
    struct sc_proto_pull pull = sc_proto_pull_of(bytes);
    struct sc_proto_field field;
    struct thread thread = {0};
    uint32_t node = 0;
    bool good = true;
    file->stack.count = 0;
    file->values.count = 0;
    while (good && sc_proto_pull_field(&pull, &field)) {
        if (field.number == 1)
            good = add_numbers(&field, &file->stack, SC_IMPORT_DEPTH_MAX);
        else if (field.number == 2)
            good = add_numbers(&field, &file->values, TYPES_MAX);
        else if (field.number == 3 && field.is_bytes)
            read_label(file, field.bytes, &thread);
    }
    if (!good || pull.failed)
        return sc_fail(file->err, SC_ERR_FAILED, "a sample is damaged, or has more than %u frames",
                       SC_IMPORT_DEPTH_MAX);
    if (!find_node(file, &node))
        return false;
    bool is_main = strcmp(thread.name, "MainThread") == 0;
    uint32_t its = sc_import_thread(file->tree, thread.pid, thread.tid, thread.name, is_main);
    return add_time(file, its, node) && add_memory(file, node);
}

static bool read_samples(struct pprof *file)
{
    struct sc_proto_pull pull = sc_proto_pull_of(file->bytes);
    struct sc_proto_field field;
    bool good = true;
    while (good && sc_proto_pull_field(&pull, &field))
        good = field.number != SAMPLE || read_sample(file, field.bytes);
    return good && (file->tree->time_ns + file->tree->bytes > 0 ||
                    sc_fail(file->err, SC_ERR_FAILED, "it has no stack that cost something"));
}

static void done(struct pprof *file)
{
    sc_vec_done(&file->texts);
    sc_vec_done(&file->types);
    sc_map_done(&file->mapping_ids);
    sc_vec_done(&file->mappings);
    sc_map_done(&file->function_ids);
    sc_vec_done(&file->functions);
    sc_map_done(&file->place_ids);
    sc_vec_done(&file->places);
    sc_vec_done(&file->frames);
    sc_vec_done(&file->stack);
    sc_vec_done(&file->values);
    sc_intern_done(&file->threads);
}

bool sc_pprof_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                   struct sc_err *err)
{
    struct pprof file = {.tree = tree, .bytes = {bytes, length}, .err = err};
    bool good =
        read_table(&file, TEXT, read_text) && read_table(&file, SAMPLE_TYPE, read_sample_type) &&
        read_table(&file, PERIOD_TYPE, read_period_type) &&
        read_table(&file, MAPPING, read_mapping) && read_table(&file, FUNCTION, read_function) &&
        read_table(&file, LOCATION, read_place);
    if (good) {
        read_numbers_of_run(&file);
        good = choose_values(&file) && read_samples(&file);
    }
    done(&file);
    return good;
}
