/* observer/stack/cells.c - see cells.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/cells.h"

#include "base/mem.h"
#include "cpython/cells.h"
#include "observer/system/remote.h"

/* After so many failures no text is read any more: a reading takes some milliseconds, and code that
 * has no text never gets one. */
#define FAILURES_MAX 200U

/* Each kernel numbers its own cells: the second cell of a number gets its process's number
 * added. */
static char *free_name(const struct sc_cell_sources *cell_sources, const char *code_name,
                       uint64_t number, pid_t pid)
{
    size_t length = 0;
    const char *own = sc_cell_own_name(code_name, &length);
    SC_AUTO_FREE char *name = own != NULL ? sc_format("cell-%.*s", (int)length, own)
                                          : sc_format("%llu", (unsigned long long)number);
    char *shown = sc_format("[%s]", name);
    if (sc_cell_sources_find(cell_sources, shown) == NULL)
        return shown;
    free(shown);
    return sc_format("[%s@%d]", name, (int)pid);
}

static const char *read_cell(const struct sc_cells *cells, struct sc_cell_sources *cell_sources,
                             const char *code_name, struct sc_remote *remote)
{
    struct sc_target target = {.read = sc_remote_read, .context = remote};
    struct sc_task_layout at;
    struct sc_python python;
    size_t length = 0;
    uint64_t number = 0;
    if (!sc_python_init(&python, &at, cells->layout, &target, cells->runtime))
        return NULL;
    SC_AUTO_FREE char *text = sc_alloc(SC_CELL_BYTES_MAX, 1);
    SC_AUTO_FREE char *other = sc_alloc(SC_CELL_BYTES_MAX, 1);
    uint64_t interpreter = sc_main_interpreter(&python, cells->runtime);
    if (!sc_cell_read(&python, interpreter, code_name, text, other, &length, &number))
        return NULL;
    return sc_cell_sources_add(cell_sources,
                               free_name(cell_sources, code_name, number, cells->subject.pid),
                               sc_strdup(code_name), text, length);
}

const char *sc_cells_shown(struct sc_cells *cells, struct sc_cell_sources *cell_sources,
                           const char *code_name)
{
    if (cells->layout == NULL || cell_sources->path != NULL || cells->failures >= FAILURES_MAX ||
        !sc_cell_is_name(code_name))
        return NULL;
    struct sc_remote remote = sc_subject_remote(cells->subject);
    const char *shown = read_cell(cells, cell_sources, code_name, &remote);
    sc_remote_done(&remote);
    if (shown == NULL)
        cells->failures++;
    return shown;
}
