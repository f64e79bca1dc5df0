/*
 * observer/process/running_python.c - the CPython of a process that has no agent.
 *
 * The file that has _PyRuntime is the interpreter: the program itself, or a library. From 3.11 on
 * it has its version in a variable. Before, the version is the one by which its module sys can be
 * found and says the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/running_python.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/mem.h"
#include "cpython/find_layout.h"
#include "cpython/load.h"
#include "cpython/modules.h"
#include "cpython/value.h"
#include "observer/system/core.h"
#include "observer/system/pid_namespace.h"
#include "observer/system/procfs.h"
#include "observer/system/subject.h"
#include "symbol/functions.h"

#define MAPS_BYTES_MAX (64U << 20)
#define STATUS_BYTES   1024U

/* The first version that has the variable Py_Version (Include/patchlevel.h), and versions before
 * it. */
#define FIRST_WITH_VERSION 0x030bU
static const uint16_t older_versions[] = {0x030a, 0x0309, 0x0308};

/* The smallest known evaluation loop has 34 KB. Where less is found, there are functions for
 * opcodes that have no symbols. */
#define LOOP_BYTES_MIN 16384U

/* What is searched for in a file; addresses are as in it. */
struct search {
    struct sc_interpreter_facts facts;
    uint64_t version; /* of Py_Version */
};

static void note_symbol(void *context, const struct sc_named_symbol *symbol)
{
    struct search *search = context;
    struct sc_interpreter_facts *facts = &search->facts;
    const char *name = symbol->name;
    if (strcmp(name, "_PyRuntime") == 0) {
        facts->runtime = symbol->address;
        facts->runtime_size = symbol->size_bytes;
    } else if (strcmp(name, "PyCode_Type") == 0) {
        facts->code_type = symbol->address;
    } else if (strcmp(name, "Py_Version") == 0) {
        search->version = symbol->address;
    } else if (strcmp(name, SC_JIT_SYMBOL) == 0) {
        facts->has_jit = true;
    } else if (symbol->is_function &&
               sc_starts_with_any(name, "_PyEval_EvalFrameDefault _TAIL_CALL_") &&
               facts->eval_range_count < SC_EVAL_RANGES_SENT) {
        if (strcmp(name, "_PyEval_EvalFrameDefault") == 0)
            facts->eval_function = symbol->address;
        facts->eval_ranges[facts->eval_range_count++] =
            (struct sc_code_range){symbol->address, symbol->address + symbol->size_bytes};
    }
}

/* A file that is mapped. */
struct mapped {
    unsigned long long start;
    unsigned long long end;
    unsigned long long offset;
    const char *path;
};

static bool parse_line(const char *line, struct mapped *ret_mapped)
{
    int path_at = 0;
    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &ret_mapped->start, &ret_mapped->end,
               &ret_mapped->offset, &path_at) != 3 ||
        path_at == 0 || line[path_at] != '/')
        return false;
    ret_mapped->path = line + path_at;
    return true;
}

/* An interpreter's file has "python" in its name, or is the one that is executed. */
static bool may_be_interpreter(const char *path, const char *executable)
{
    return strstr(sc_after_last(path, '/'), "python") != NULL ||
           (executable != NULL && strcmp(path, executable) == 0);
}

/* A file that was replaced since it was mapped, or whose path is not that below the process's own
 * root (chroot), is opened by what the kernel has of it; the one that is executed by a link that
 * needs no privilege. */
static struct sc_functions *read_file(struct sc_subject subject, struct sc_helper *helper,
                                      const struct mapped *mapped, struct search *ret_search)
{
    SC_AUTO_FREE char *path = sc_subject_path(subject, mapped->path, true);
    SC_AUTO_FREE char *kept =
        sc_format("/proc/%d/map_files/%llx-%llx", (int)subject.pid, mapped->start, mapped->end);
    struct sc_functions *functions = NULL;
    *ret_search = (struct search){0};
    if (path != NULL && (subject.core != NULL || !sc_ends_with(mapped->path, " (deleted)")))
        functions = sc_functions_read(helper, path, note_symbol, ret_search, NULL);
    SC_AUTO_FREE char *executable = sc_process_link(subject.pid, "exe");
    if (functions == NULL && subject.core == NULL && executable != NULL &&
        strcmp(executable, mapped->path) == 0) {
        SC_AUTO_FREE char *link = sc_format("/proc/%d/exe", (int)subject.pid);
        functions = sc_functions_read(helper, link, note_symbol, ret_search, NULL);
    }
    if (functions == NULL && subject.core == NULL)
        functions = sc_functions_read(helper, kept, note_symbol, ret_search, NULL);
    return functions;
}

static bool look_into(struct sc_subject subject, struct sc_helper *helper,
                      const struct mapped *mapped, struct search *ret_search)
{
    struct sc_functions *functions = read_file(subject, helper, mapped, ret_search);
    struct sc_interpreter_facts *facts = &ret_search->facts;
    bool is_found = functions != NULL && facts->runtime != 0 && facts->code_type != 0;
    if (is_found) {
        uint64_t bias = mapped->start - sc_functions_address(functions, mapped->offset);
        facts->runtime += bias;
        facts->code_type += bias;
        facts->eval_function += bias;
        ret_search->version += ret_search->version != 0 ? bias : 0;
        for (uint32_t i = 0; i < facts->eval_range_count; i++) {
            facts->eval_ranges[i].start += bias;
            facts->eval_ranges[i].end += bias;
        }
    }
    sc_functions_free(functions);
    return is_found;
}

static bool search_maps(struct sc_subject subject, struct sc_helper *helper, char *maps,
                        struct search *ret_search)
{
    SC_AUTO_FREE char *executable = sc_subject_program(subject);
    SC_AUTO_FREE char *before = NULL;
    for (char *line = strsep(&maps, "\n"); line != NULL; line = strsep(&maps, "\n")) {
        struct mapped mapped;
        if (!parse_line(line, &mapped) || !may_be_interpreter(mapped.path, executable) ||
            (before != NULL && strcmp(before, mapped.path) == 0))
            continue;
        free(before);
        before = sc_strdup(mapped.path);
        if (look_into(subject, helper, &mapped, ret_search))
            return true;
    }
    return false;
}

/* Whether the interpreter, read as that version, says that it is that version. */
static bool confirms(const struct sc_target *target, uint64_t runtime, uint16_t version,
                     struct sc_layout *ret_layout, int64_t *ret_hex)
{
    struct sc_task_layout at;
    struct sc_python python;
    uint64_t module = 0;
    uint64_t number = 0;
    return sc_layout_init(ret_layout, version, false, target, runtime, false) == SC_LAYOUT_OK &&
           sc_python_init(&python, &at, ret_layout, target, runtime) &&
           sc_imported_find(&python, sc_main_interpreter(&python, runtime), "sys", &module) &&
           sc_module_find(&python, module, "hexversion", &number) &&
           sc_integer_read(&python, number, ret_hex) && *ret_hex >> 16 == version;
}

static bool find_old_version(const struct sc_target *target, struct sc_interpreter_facts *facts,
                             struct sc_layout *ret_layout)
{
    for (size_t i = 0; i < sizeof(older_versions) / sizeof(older_versions[0]); i++) {
        int64_t hex = 0;
        if (confirms(target, facts->runtime, older_versions[i], ret_layout, &hex)) {
            facts->version_hex = (uint32_t)hex;
            return true;
        }
    }
    return false;
}

static bool find_version(const struct sc_target *target, const struct search *search,
                         struct sc_interpreter_facts *facts, struct sc_layout *ret_layout,
                         struct sc_err *err)
{
    uint64_t hex = 0;
    if (search->version == 0) {
        if (find_old_version(target, facts, ret_layout))
            return true;
        return sc_fail(err, SC_ERR_FAILED,
                       "its Python is older than 3.8, or is just starting or ending");
    }
    if (!sc_target_read(target, search->version, &hex, sizeof(hex)))
        return sc_fail(err, SC_ERR_FAILED, "its memory cannot be read");
    facts->version_hex = (uint32_t)hex;
    uint16_t version = (uint16_t)(hex >> 16);
    switch (sc_layout_init(ret_layout, version, false, target, facts->runtime, false)) {
    case SC_LAYOUT_OK:
        if (sc_layout_fits(ret_layout, target, facts->code_type))
            return true;
        break;
    case SC_LAYOUT_TOO_OLD:
    case SC_LAYOUT_UNKNOWN:
        return sc_fail(err, SC_ERR_FAILED,
                       "its Python is %u.%u, and only 3.8 to 3.15 are known here", version >> 8,
                       version & 0xffU);
    case SC_LAYOUT_UNREADABLE:
        break;
    }
    return sc_fail(err, SC_ERR_FAILED, "what its Python says of itself makes no sense");
}

static void check_loop(struct sc_interpreter_facts *facts)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < facts->eval_range_count; i++)
        bytes += facts->eval_ranges[i].end - facts->eval_ranges[i].start;
    if (bytes < LOOP_BYTES_MIN)
        facts->eval_range_count = 0;
}

static bool is_forbidden(struct sc_remote *remote, const struct sc_target *target, uint64_t address)
{
    uint64_t word;
    return !sc_target_read(target, address, &word, sizeof(word)) && remote->forbidden;
}

/* With the remedies that this system has, and that are left. */
static bool fail_forbidden(pid_t pid, struct sc_err *err)
{
    bool is_root = geteuid() == 0;
    bool has_yama = access("/proc/sys/kernel/yama/ptrace_scope", F_OK) == 0;
    if (!is_root && sc_process_is_other_users(pid))
        return sc_fail(err, SC_ERR_FAILED,
                       "it is another user's, and the system lets only that user and root read it: "
                       "use sudo");
    return sc_fail(err, SC_ERR_FAILED, "the system forbids reading its memory: %s%s%s",
                   is_root ? "" : "use sudo; ",
                   has_yama && !is_root ? "or allow it for all your processes with 'sudo sysctl "
                                          "kernel.yama.ptrace_scope=0'; "
                                        : "",
                   "a container needs --cap-add SYS_PTRACE");
}

static bool fail_core(const struct sc_core *core, struct sc_err *err)
{
    bool has_changed = false;
    const char *name = sc_core_lost_file(core, &has_changed);
    if (name != NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "'%s' %s: dump it where the program ran, or put that file there again", name,
                       has_changed ? "has changed since the core was written"
                                   : "is not there any more");
    return sc_fail(err, SC_ERR_FAILED,
                   "it is of no Python that is known here (CPython 3.8 to 3.15, 64 bit), or of one "
                   "that was just starting, or does not list the mapped files");
}

bool sc_running_python_find(struct sc_remote *remote, struct sc_helper *helper,
                            struct sc_interpreter_facts *ret_facts, struct sc_layout *ret_layout,
                            struct sc_err *err)
{
    const struct sc_subject subject = {.pid = remote->pid, .core = remote->core};
    const struct sc_target target = {.read = sc_remote_read, .context = remote};
    SC_AUTO(sc_str_done) struct sc_str maps = {0};
    struct search search;
    errno = 0;
    bool is_read = sc_subject_maps(subject, MAPS_BYTES_MAX, &maps);
    bool is_refused = !is_read && (errno == EACCES || errno == EPERM);
    bool is_found = is_read && maps.length > 0 && search_maps(subject, helper, maps.data, &search);
    if (is_refused)
        return fail_forbidden(remote->pid, err);
    if (!is_found && subject.core != NULL)
        return fail_core(subject.core, err);
    if (!is_found)
        return sc_fail(
            err, SC_ERR_FAILED,
            "it is no Python that is known here (CPython 3.8 to 3.15, 64 bit), or is just "
            "starting");
    if (is_forbidden(remote, &target, search.facts.runtime))
        return fail_forbidden(remote->pid, err);
    if (!find_version(&target, &search, &search.facts, ret_layout, err))
        return false;
    search.facts.version = (uint16_t)(search.facts.version_hex >> 16);
    search.facts.free_threaded = ret_layout->free_threaded;
    check_loop(&search.facts);
    *ret_facts = search.facts;
    return true;
}

bool sc_running_python_exists(pid_t pid, struct sc_err *err)
{
    if (!sc_pid_proc_is_ours(err))
        return false;
    bool is_others = kill(pid, 0) != 0;
    if (is_others && errno == ESRCH)
        return sc_fail(err, SC_ERR_FAILED, "there is no such process");
    SC_AUTO_FREE char *folder = sc_format("/proc/%d", (int)pid);
    if (is_others && access(folder, F_OK) != 0)
        return sc_fail(err, SC_ERR_FAILED,
                       "it is another user's, and the system hides it from you: use sudo");
    char status[STATUS_BYTES];
    uint64_t process = 0;
    if (sc_status_read(pid, pid, status, sizeof(status)) == SC_PROC_READ &&
        sc_status_parse(status, "\nTgid:", &process) && process != (uint64_t)pid)
        return sc_fail(err, SC_ERR_FAILED, "that is a thread of process %d", (int)process);
    return true;
}
