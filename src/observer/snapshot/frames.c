/*
 * observer/snapshot/frames.c - from frames in the process to names, lines, sources and variables.
 *
 * Names and lines come the same way as those of a profile: the frames become a node of a tree of
 * stacks, with the native frames of a blocked thread between them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/helper.h"
#include "build/native_place.h"
#include "cpython/value.h"
#include "observer/sample/stack.h"
#include "observer/snapshot/taking.h"
#include "observer/waiting/blocked_stack.h"
#include "symbol/demangle.h"

#define SOURCE_BYTES_MAX (16U << 20)
/* Between the time of a file and that at which a process began, in seconds. */
#define CLOCK_ERROR_S 1.0

#define VALUE_BYTES     300U
#define VARIABLES_SHOWN 1000U
#define ROWS_WAIT_NS    2000000000U /* for the unwind records of a large library */
#define ROWS_ROUNDS     64U

static void cut_lines(struct sc_snapshot_source *source)
{
    char *rest = source->text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        sc_vec_push(&source->lines, line);
    }
}

static void read_source(struct sc_taking *taking, struct sc_snapshot_source *source)
{
    struct sc_str bytes = {0};
    struct stat facts;
    const struct sc_cell_source *cell = sc_cell_sources_find(&taking->cells, source->file);
    SC_AUTO_FREE char *path = sc_subject_path(taking->subject, source->file, false);
    if (cell != NULL)
        sc_str_add_bytes(&bytes, cell->text, cell->length);
    else if (source->file[0] == '/' &&
             sc_helper_read(taking->process.helper, path, SOURCE_BYTES_MAX, &facts, &bytes) ==
                 SC_HELPER_READ)
        source->has_changed = (double)facts.st_mtim.tv_sec > taking->started_s + CLOCK_ERROR_S;
    if (bytes.length == 0)
        return;
    source->text = sc_str_take(&bytes);
    cut_lines(source);
}

static const struct sc_snapshot_source *source_of(struct sc_taking *taking, const char *file)
{
    for (size_t i = 0; i < taking->sources.count; i++) {
        if (strcmp(taking->sources.items[i].file, file) == 0)
            return &taking->sources.items[i];
    }
    struct sc_snapshot_source source = {.file = sc_strdup(file)};
    read_source(taking, &source);
    sc_vec_push(&taking->sources, source);
    return &taking->sources.items[taking->sources.count - 1];
}

static void source_done(struct sc_snapshot_source *source)
{
    free(source->file);
    free(source->text);
    sc_vec_done(&source->lines);
}

void sc_snapshot_sources_done(struct sc_taking *taking)
{
    sc_vec_done_each(&taking->sources, source_done);
}

/* Whether a native frame is one of a file, and does not stand for the kernel or for what was not
 * read. */
static bool is_function(const struct sc_taking *taking, const struct sc_code *code)
{
    return strchr(sc_intern_text(&taking->collect.names, code->file), '/') != NULL;
}

static void name_native(struct sc_taking *taking, const char *module, uint64_t offset,
                        struct sc_snapshot_frame *frame)
{
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    struct sc_symbols *symbols = taking->process.stacks.native.symbols;
    sc_symbols_prepare(symbols, module, &offset, 1, false);
    if (sc_symbols_find(symbols, module, offset, false, names) > 0)
        frame->function = sc_demangle(names[0].text);
    else
        frame->function = sc_native_place(module, offset);
    frame->file = sc_strdup(module);
    frame->is_native = true;
}

static void name_python(struct sc_taking *taking, const struct sc_code *code, uint32_t line,
                        struct sc_snapshot_frame *frame)
{
    const struct sc_intern *names = &taking->collect.names;
    frame->function = sc_strdup(sc_intern_text(names, code->qualified_name));
    frame->file = sc_strdup(sc_intern_text(names, code->file));
    frame->line = line;
    const struct sc_snapshot_source *source = source_of(taking, frame->file);
    frame->has_changed = source->has_changed;
    if (line == 0 || line > source->lines.count)
        return;
    const char *text = source->lines.items[line - 1];
    frame->source = sc_strdup(text + strspn(text, " \t\f"));
}

static void add_variables(struct sc_taking *taking, const struct sc_py_frame *read,
                          struct sc_snapshot_frame *frame)
{
    const struct sc_python *python = &taking->python;
    struct sc_frame_values values;
    if (!sc_frame_values_read(python, read, &values))
        return;
    for (size_t i = 0; i < values.variables && i < VARIABLES_SHOWN; i++) {
        uint64_t name = 0;
        uint64_t value = 0;
        char text[VALUE_BYTES];
        size_t length = 0;
        if (!sc_frame_variable(python, &values, i, &name, &value) ||
            !sc_unicode_read(python->layout, python->target, name, text, sizeof(text), &length))
            continue;
        struct sc_snapshot_variable variable = {.name = sc_strndup(text, length)};
        sc_value_text(python, value, text, sizeof(text));
        variable.value = sc_strdup(text);
        sc_vec_push(&frame->variables, variable);
    }
}

/* Waits for the unwind records of libraries, which the helper reads. */
static uint32_t native_node(struct sc_process *process, pid_t tid,
                            const struct sc_sent_stack *python,
                            const struct sc_registers *registers)
{
    uint32_t node = 0;
    bool may_grow = true;
    for (unsigned i = 0; i < ROWS_ROUNDS && may_grow; i++) {
        process->gap.polled_ns++; /* a poll of its own, with its own limit */
        node = sc_stopped_stack(process, tid, python, registers, &may_grow);
        if (may_grow)
            (void)sc_helper_wait(process->helper, ROWS_WAIT_NS);
    }
    return node;
}

bool sc_snapshot_name_frames(struct sc_taking *taking, const struct sc_py_frame *frames,
                             size_t count, uint64_t thread_state, pid_t tid,
                             const struct sc_registers *registers, struct sc_snapshot_frames *ret)
{
    struct sc_process *process = &taking->process;
    uint64_t interpreter =
        thread_state != 0
            ? sc_thread_interpreter_number(&process->layout, &process->stacks.target, thread_state)
            : 0;
    struct sc_sample_frame *sent = sc_alloc(count + 1, sizeof(*sent));
    size_t named = 0;
    for (; named < count; named++) {
        uint64_t key =
            sc_codes_add_remote(&process->stacks.codes, &process->layout, &process->stacks.target,
                                interpreter, frames[named].code);
        if (key == 0)
            break;
        sent[named] = (struct sc_sample_frame){
            .code_key = key,
            .instruction = frames[named].instruction,
            .flags = frames[named].calls_through_c ? SC_FRAME_CALLS_C : 0,
        };
    }
    const struct sc_sent_stack stack = {.frames = sent, .frame_count = (uint32_t)named};
    const struct sc_registers none = {0};
    uint32_t node = native_node(process, tid, &stack, registers != NULL ? registers : &none);
    free(sent);
    size_t python = 0;
    for (; node != 0; node = taking->collect.nodes.items[node].parent) {
        const struct sc_stack_node *at = &taking->collect.nodes.items[node];
        const struct sc_code *code = &taking->collect.codes.items[at->code];
        struct sc_snapshot_frame frame = {0};
        if (sc_code_is_native(code) && !is_function(taking, code))
            continue;
        if (sc_code_is_native(code))
            name_native(taking, sc_intern_text(&taking->collect.names, code->file), code->offset,
                        &frame);
        else
            name_python(taking, code, at->line, &frame);
        if (!frame.is_native && taking->wish->with_variables && python < named)
            add_variables(taking, &frames[python], &frame);
        python += !frame.is_native;
        sc_vec_push(ret, frame);
    }
    return named == count;
}

static void variable_done(struct sc_snapshot_variable *variable)
{
    free(variable->name);
    free(variable->value);
}

static void frame_done(struct sc_snapshot_frame *frame)
{
    free(frame->function);
    free(frame->file);
    free(frame->source);
    sc_vec_done_each(&frame->variables, variable_done);
}

void sc_snapshot_frames_done(struct sc_snapshot_frames *frames)
{
    sc_vec_done_each(frames, frame_done);
}
