/*
 * tests/layout/cells_of.c - prints the cells of a notebook that another process has run.
 *
 *     cells_of PID VERSION FREE_THREADED NAME...
 *
 * VERSION is the upper half of PY_VERSION_HEX, NAME that of a cell's code. Output for each name:
 * the cell's number and the length of its text in bytes, tab separated, and the text with a newline
 * after it; or "none", when the cell is not found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "cpython/cells.h"
#include "cpython/find_layout.h"
#include "target.h"

enum { EXIT_NOT_FOUND = 3 };

static char text[SC_CELL_BYTES_MAX];
static char other[SC_CELL_BYTES_MAX];

static void print_cell(const struct sc_python *python, uint64_t interpreter, const char *name)
{
    size_t length = 0;
    uint64_t number = 0;
    if (!sc_cell_is_name(name) ||
        !sc_cell_read(python, interpreter, name, text, other, &length, &number)) {
        (void)printf("none\n");
        return;
    }
    (void)printf("%llu\t%zu\n", (unsigned long long)number, length);
    (void)fwrite(text, 1, length, stdout);
    (void)printf("\n");
}

int main(int argc, char **argv)
{
    struct sc_layout layout;
    struct sc_task_layout at;
    struct sc_python python;
    struct sc_target target = {.read = target_read};
    if (argc < 5) {
        (void)fprintf(stderr, "usage: cells_of PID VERSION FREE_THREADED NAME...\n");
        return EXIT_FAILURE;
    }
    pid_t pid = (pid_t)strtol(argv[1], NULL, 10);
    target.context = &pid;
    uint64_t runtime = target_symbol(pid, "_PyRuntime");
    if (runtime == 0) {
        (void)fprintf(stderr, "no _PyRuntime in process %d\n", (int)pid);
        return EXIT_NOT_FOUND;
    }
    if (sc_layout_init(&layout, (uint16_t)strtoul(argv[2], NULL, 0), argv[3][0] == '1', &target,
                       runtime, false) != SC_LAYOUT_OK ||
        !sc_python_init(&python, &at, &layout, &target, runtime)) {
        (void)fprintf(stderr, "no layout\n");
        return EXIT_FAILURE;
    }
    uint64_t interpreter = sc_main_interpreter(&python, runtime);
    for (int i = 4; i < argc; i++)
        print_cell(&python, interpreter, argv[i]);
    return EXIT_SUCCESS;
}
