/*
 * import/collapsed.c - stacks as lines of text, outermost frame first: "frame;frame 12".
 *
 * Written by flamegraph.pl's helpers, py-spy (-f raw), austin, Tachyon (--collapsed) and many more.
 * Austin's have a head, "P1;T0:2;" or "P1;T2;" before the frames, and microseconds, bytes or both
 * as numbers; py-spy and Tachyon may have a thread in place of the first frame.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "import/readers.h"

/* Python 3.15, Lib/profiling/sampling/constants.py: 1,000 samples a second unless told otherwise.
 */
#define TACHYON_INTERVAL_S 0.001

/* So many lines decide whether a text is of this kind. */
#define PROBED_LINES 20U

/* What the head of austin's files says. */
enum measure { MEASURE_COUNTS, MEASURE_MICROSECONDS, MEASURE_BYTES, MEASURE_FULL };

struct reading {
    struct sc_import_tree *tree;
    enum measure measure;
    double interval_s; /* the usual one of the tool that has written the file */
};

/* Cuts the next line off the text, without its end. */
static struct sc_import_text take_text_line(struct sc_import_text *text)
{
    const char *end = memchr(text->bytes, '\n', text->length);
    size_t length = end != NULL ? (size_t)(end - text->bytes) : text->length;
    struct sc_import_text line = {text->bytes, length};
    text->bytes += length + (end != NULL);
    text->length -= length + (end != NULL);
    while (line.length > 0 &&
           (line.bytes[line.length - 1] == '\r' || line.bytes[line.length - 1] == ' '))
        line.length--;
    return line;
}

static bool begins(struct sc_import_text text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

/* Cuts the numbers off the end of a line: up to three, apart by commas; the last may be below 0,
 * where memory has shrunk, and is 0 then. Returns how many. */
static size_t take_metrics(struct sc_import_text *line, uint64_t ret_metrics[3],
                           bool *ret_has_shrunk)
{
    size_t at = line->length;
    while (at > 0 && line->bytes[at - 1] != ' ' && line->bytes[at - 1] != '\t')
        at--;
    struct sc_import_text rest = {line->bytes + at, line->length - at};
    size_t count = 0;
    *ret_has_shrunk = false;
    while (at > 0 && count < 3 && !*ret_has_shrunk) {
        *ret_has_shrunk = begins(rest, "-");
        rest.bytes += *ret_has_shrunk;
        rest.length -= *ret_has_shrunk;
        if (!sc_import_take_number(&rest, &ret_metrics[count]))
            return 0;
        ret_metrics[count] = *ret_has_shrunk ? 0 : ret_metrics[count];
        count++;
        if (!begins(rest, ","))
            break;
        rest = (struct sc_import_text){rest.bytes + 1, rest.length - 1};
    }
    while (at > 0 && (line->bytes[at - 1] == ' ' || line->bytes[at - 1] == '\t'))
        at--;
    line->length = at;
    return rest.length == 0 ? count : 0;
}

/* "f (a.py:3)": what a stack of one frame has, too. */
static bool ends_in_place(struct sc_import_text line)
{
    return line.bytes[line.length - 1] == ')' && memmem(line.bytes, line.length, " (", 2) != NULL;
}

bool sc_collapsed_probe(const char *bytes, size_t length)
{
    struct sc_import_text text = {bytes, length};
    uint64_t metrics[3];
    size_t stacks = 0;
    bool has_frames = false;
    bool has_shrunk = false;
    for (size_t i = 0; i < PROBED_LINES && text.length > 0; i++) {
        struct sc_import_text line = take_text_line(&text);
        if (line.length == 0 || line.bytes[0] == '#')
            continue;
        if (memchr(line.bytes, '\0', line.length) != NULL || line.bytes[0] == '{' ||
            take_metrics(&line, metrics, &has_shrunk) == 0 || line.length == 0)
            return false;
        has_frames =
            has_frames || memchr(line.bytes, ';', line.length) != NULL || ends_in_place(line);
        stacks++;
    }
    return stacks > 0 && has_frames;
}

/* "# mode: wall", "# duration: 1573733" of austin. */
static void read_head(struct reading *reading, struct sc_import_text line)
{
    struct sc_import_text value = line;
    uint64_t number = 0;
    if (begins(line, "# mode: ")) {
        value = (struct sc_import_text){line.bytes + 8, line.length - 8};
        reading->measure = begins(value, "memory") ? MEASURE_BYTES
                           : begins(value, "full") ? MEASURE_FULL
                                                   : MEASURE_MICROSECONDS;
        if (reading->measure != MEASURE_MICROSECONDS)
            sc_import_note(reading->tree, sc_strdup(SC_IMPORT_GROWTH_NOTE));
    } else if (begins(line, "# duration: ")) {
        value = (struct sc_import_text){line.bytes + 12, line.length - 12};
        if (sc_import_take_number(&value, &number) &&
            (double)number / 1e6 > reading->tree->elapsed_s)
            reading->tree->elapsed_s = (double)number / 1e6;
    }
}

/* Cuts the first frame off a stack. */
static struct sc_import_text take_frame(struct sc_import_text *stack)
{
    const char *end = memchr(stack->bytes, ';', stack->length);
    struct sc_import_text frame = {stack->bytes,
                                   end != NULL ? (size_t)(end - stack->bytes) : stack->length};
    stack->bytes += frame.length + (end != NULL);
    stack->length -= frame.length + (end != NULL);
    return frame;
}

/* Cuts off the prefix; false without it. */
static bool take_prefix(struct sc_import_text *text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (!begins(*text, prefix))
        return false;
    *text = (struct sc_import_text){text->bytes + length, text->length - length};
    return true;
}

/* Takes `process 1:"command"` off the beginning, once for each process from the outermost parent on
 * (py-spy); the last is the thread's own, whose number this returns. A command may have semicolons,
 * and quotes. */
static uint64_t take_processes(struct sc_import_text *stack)
{
    static const char next[] = "\";process ";
    struct sc_import_text rest = *stack;
    uint64_t pid = 0;
    uint64_t number = 0;
    while (take_prefix(&rest, "process ") && sc_import_take_number(&rest, &number) &&
           take_prefix(&rest, ":\"")) {
        const char *end = memmem(rest.bytes, rest.length, next, strlen(next));
        size_t length = end != NULL ? (size_t)(end - rest.bytes) + 2 : rest.length;
        while (end == NULL && length > 1 && memcmp(rest.bytes + length - 2, "\";", 2) != 0)
            length--;
        length = length > 1 ? length : rest.length; /* else there is no frame behind */
        rest = (struct sc_import_text){rest.bytes + length, rest.length - length};
        *stack = rest;
        pid = number;
    }
    return pid;
}

/* Cuts the number of a thread off, as "0x7F11" where py-spy does not know the kernel's. */
static bool take_tid(struct sc_import_text *text, uint64_t *ret_tid)
{
    static const char digits[] = "0123456789ABCDEF";
    if (!take_prefix(text, "0x"))
        return sc_import_take_number(text, ret_tid);
    const char *digit = NULL;
    for (*ret_tid = 0; text->length > 0 && *ret_tid < UINT64_C(1) << 48U &&
                       text->bytes[0] != '\0' && (digit = strchr(digits, text->bytes[0])) != NULL;
         *text = (struct sc_import_text){text->bytes + 1, text->length - 1})
        *ret_tid = *ret_tid * 16 + (uint64_t)(digit - digits);
    return true;
}

/* Takes "P1" or processes, then "T0:2", "T2", "tid:2" or "thread (2): name" off the beginning of a
 * stack. */
static uint32_t take_thread(struct sc_import_tree *tree, struct sc_import_text *stack)
{
    struct sc_import_text rest = *stack;
    struct sc_import_text frame = take_frame(&rest);
    uint64_t pid = 0;
    uint64_t tid = 0;
    char name[64] = "";
    if (take_prefix(&frame, "P") && sc_import_take_number(&frame, &pid) && frame.length == 0)
        *stack = rest;
    else
        pid = take_processes(stack);
    rest = *stack;
    frame = take_frame(&rest);
    bool is_numbered = take_prefix(&frame, "tid:") || take_prefix(&frame, "T");
    bool is_named = !is_numbered && take_prefix(&frame, "thread (");
    if ((is_numbered || is_named) && take_tid(&frame, &tid)) {
        if (take_prefix(&frame, ":")) /* of austin: the interpreter's number was first */
            (void)sc_import_take_number(&frame, &tid);
        bool is_ended = !is_named || take_prefix(&frame, ")");
        if (is_named && take_prefix(&frame, ": ")) {
            size_t length = frame.length < sizeof(name) ? frame.length : sizeof(name) - 1;
            memcpy(name, frame.bytes, length);
            frame.length = 0;
        }
        if (is_ended && frame.length == 0) {
            *stack = rest;
        } else { /* a function whose name begins so */
            tid = 0;
            name[0] = '\0';
        }
    }
    return sc_import_thread(tree, pid, tid, name, strcmp(name, "MainThread") == 0);
}

static bool add_costs(struct reading *reading, uint32_t thread, uint32_t node,
                      const uint64_t metrics[3], size_t count, struct sc_err *err)
{
    bool has_time = reading->measure != MEASURE_BYTES;
    bool has_memory = !has_time || (reading->measure == MEASURE_FULL && count == 3);
    bool is_counted = reading->measure == MEASURE_COUNTS;
    struct sc_import_time time = {
        .thread = thread, .node = node, .samples = is_counted ? metrics[0] : 1};
    /* how much of it the process still had at its peak is not known */
    struct sc_import_memory memory = {.node = node, .bytes = metrics[has_time ? 2 : 0]};
    double unit_s = is_counted ? sc_import_interval_s(reading->tree, reading->interval_s) : 1e-6;
    time.seconds = (double)metrics[0] * unit_s;
    time.is_idle = reading->measure == MEASURE_FULL && count == 3 && metrics[1] != 0;
    return (!has_time || sc_import_add_time(reading->tree, &time, err)) &&
           (!has_memory || sc_import_add_memory(reading->tree, &memory, err));
}

static bool read_line(struct reading *reading, struct sc_import_text line, struct sc_err *err)
{
    uint64_t metrics[3] = {0};
    bool has_shrunk = false;
    size_t count = take_metrics(&line, metrics, &has_shrunk);
    if (count == 0 || (has_shrunk && reading->measure < MEASURE_BYTES))
        return sc_fail(err, SC_ERR_FAILED, "it does not end in a count below 2^63");
    if (begins(line, "tid:"))
        reading->interval_s = TACHYON_INTERVAL_S;
    uint32_t thread = take_thread(reading->tree, &line);
    uint32_t node = 0;
    for (size_t depth = 0; line.length > 0; depth++) {
        struct sc_import_text frame = take_frame(&line);
        if (depth >= SC_IMPORT_DEPTH_MAX)
            return sc_fail(err, SC_ERR_FAILED, "its stack has more than %u frames",
                           SC_IMPORT_DEPTH_MAX);
        if (frame.length > 0)
            node = sc_import_call(reading->tree, node, sc_import_spelt(reading->tree, frame));
    }
    return add_costs(reading, thread, node, metrics, count, err);
}

bool sc_collapsed_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                       struct sc_err *err)
{
    struct sc_import_text text = {bytes, length};
    struct reading reading = {.tree = tree, .interval_s = SC_IMPORT_INTERVAL_S};
    for (size_t number = 1; text.length > 0; number++) {
        struct sc_import_text line = take_text_line(&text);
        struct sc_err cause = {0};
        if (line.length > 0 && line.bytes[0] == '#')
            read_head(&reading, line);
        else if (line.length > 0 && !read_line(&reading, line, &cause))
            return sc_fail(err, SC_ERR_FAILED, "line %zu: %s", number, cause.text);
    }
    if (tree->time_ns + tree->bytes == 0)
        return sc_fail(err, SC_ERR_FAILED, "it has no stack that cost something");
    return true;
}
