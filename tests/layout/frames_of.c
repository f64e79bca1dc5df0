/*
 * tests/layout/frames_of.c - prints the Python frames of a thread of another process.
 *
 *     frames_of PID NATIVE_ID PTHREAD_SELF VERSION FREE_THREADED
 *
 * VERSION is the upper half of PY_VERSION_HEX. Output, tab separated: one line per frame, innermost
 * first (file, line, name), then "end", why the walk ended, and the innermost opcode's kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "cpython/find_layout.h"
#include "cpython/opcode.h"
#include "cpython/walk.h"
#include "frame_text.h"
#include "target.h"

enum { FRAME_LIMIT = 1 << 20, EXIT_NOT_FOUND = 3 };

static const char *const end_names[] = {"MORE", "ROOT", "UNREADABLE", "BAD_FRAME"};
static const char *const kind_names[] = {"OTHER", "CALL", "CALL_NATIVE", "CALL_PYTHON"};

struct process {
    struct sc_layout layout;
    struct sc_target target;
};

static int print_frames(const struct process *process, uint64_t code_type, uint64_t thread)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    const char *kind = "NONE";
    int count = 0;
    sc_walk_begin(&walk, &process->layout, &process->target, code_type, thread);
    while (count < FRAME_LIMIT && sc_walk_next(&walk, &frame)) {
        uint16_t unit = 0;
        if (count++ == 0 && sc_frame_opcode(&process->layout, &process->target, &frame, &unit))
            kind = kind_names[sc_opcode_kind(process->layout.version, (uint8_t)unit)];
        if (!print_frame(&process->layout, &process->target, &frame)) {
            (void)fprintf(stderr, "frame %d: its code object cannot be read\n", count);
            return EXIT_FAILURE;
        }
    }
    (void)printf("end\t%s\t%s\n", end_names[walk.end], kind);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct process process;
    if (argc != 6) {
        (void)fprintf(stderr,
                      "usage: frames_of PID NATIVE_ID PTHREAD_SELF VERSION FREE_THREADED\n");
        return EXIT_FAILURE;
    }
    pid_t pid = (pid_t)strtol(argv[1], NULL, 10);
    uint64_t native_id = strtoull(argv[2], NULL, 10);
    uint64_t pthread_self = strtoull(argv[3], NULL, 10);
    uint16_t version = (uint16_t)strtoul(argv[4], NULL, 0);
    process.target.read = target_read;
    process.target.context = &pid;
    uint64_t runtime = target_symbol(pid, "_PyRuntime");
    uint64_t code_type = target_symbol(pid, "PyCode_Type");
    if (runtime == 0 || code_type == 0) {
        (void)fprintf(stderr, "no _PyRuntime or PyCode_Type in process %d\n", (int)pid);
        return EXIT_NOT_FOUND;
    }
    enum sc_layout_status status = sc_layout_init(&process.layout, version, argv[5][0] == '1',
                                                  &process.target, runtime, false);
    if (status != SC_LAYOUT_OK) {
        (void)fprintf(stderr, "layout status %d\n", (int)status);
        return EXIT_FAILURE;
    }
    uint64_t thread =
        sc_thread_state_find(&process.layout, &process.target, runtime, native_id, pthread_self);
    if (thread == 0) {
        (void)fprintf(stderr, "no thread state\n");
        return EXIT_NOT_FOUND;
    }
    return print_frames(&process, code_type, thread);
}
