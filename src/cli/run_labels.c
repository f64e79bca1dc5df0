/* cli/run_labels.c - see run_labels.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_labels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/git_commit.h"
#include "base/io.h"
#include "base/utf8.h"

#define ENVIRONMENT_BYTES_MAX ((size_t)1 << 24)
#define PROC_BYTES_MAX        ((size_t)1 << 22)
#define GIVEN_MAX             32
#define HOST_BYTES            256
#define CONTAINER_DIGITS      64

/* Who numbers processes. The first one whose number is there counts: torchrun starts what it
 * numbers inside of a task of Slurm or MPI, and mpirun starts its own inside of an allocation of
 * Slurm. */
enum launcher { TORCHRUN, OPEN_MPI, PMI, PMIX, SLURM, LAUNCHERS, ANY };

/* Which variable of the environment is which label. Of ANY, the first that is there counts. Names
 * as in the manuals of torchrun, Open MPI, MPICH and Intel MPI, PMIx, srun, Ray, and Dask's
 * operator for Kubernetes. */
static const struct row {
    enum launcher launcher;
    const char *variable;
    const char *label;
} table[] = {
    {TORCHRUN, "RANK", SC_LABEL_RANK},
    {TORCHRUN, "LOCAL_RANK", SC_LABEL_LOCAL_RANK},
    {TORCHRUN, "WORLD_SIZE", SC_LABEL_WORLD_SIZE},
    {OPEN_MPI, "OMPI_COMM_WORLD_RANK", SC_LABEL_RANK},
    {OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK", SC_LABEL_LOCAL_RANK},
    {OPEN_MPI, "OMPI_COMM_WORLD_SIZE", SC_LABEL_WORLD_SIZE},
    {PMI, "PMI_RANK", SC_LABEL_RANK},
    {PMI, "MPI_LOCALRANKID", SC_LABEL_LOCAL_RANK},
    {PMI, "PMI_SIZE", SC_LABEL_WORLD_SIZE},
    {PMIX, "PMIX_RANK", SC_LABEL_RANK},
    {SLURM, "SLURM_PROCID", SC_LABEL_RANK},
    {SLURM, "SLURM_LOCALID", SC_LABEL_LOCAL_RANK},
    {SLURM, "SLURM_STEP_NUM_TASKS", SC_LABEL_WORLD_SIZE},
    {SLURM, "SLURM_NTASKS", SC_LABEL_WORLD_SIZE},
    {ANY, "GROUP_RANK", SC_LABEL_NODE},
    {ANY, "SLURM_NODEID", SC_LABEL_NODE},
    {ANY, "SLURM_JOB_ID", SC_LABEL_JOB},
    {ANY, "TORCHELASTIC_RUN_ID", SC_LABEL_JOB},
    {ANY, "RAY_JOB_ID", SC_LABEL_JOB},
    {ANY, "POD_NAME", SC_LABEL_POD},
    {ANY, "DASK_WORKER_NAME", SC_LABEL_WORKER},
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };

static void set_first(struct sc_labels *labels, const char *name, const char *value)
{
    if (sc_label_of(labels, name) == NULL)
        sc_labels_set(labels, name, value);
}

/* The numbers of one launcher, if its rank is that of the labels, or they have none yet: where srun
 * starts tasks by PMIx, one of them knows the rank alone, and the other how many there are. */
static void add_launcher(const char *const values[ROWS], enum launcher launcher,
                         struct sc_labels *labels)
{
    const char *known = sc_label_of(labels, SC_LABEL_RANK);
    const char *rank = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        if (table[i].launcher == launcher && strcmp(table[i].label, SC_LABEL_RANK) == 0)
            rank = values[i];
    }
    if (rank == NULL || !sc_label_is_number(rank) || (known != NULL && strcmp(known, rank) != 0))
        return;
    for (size_t i = 0; i < ROWS; i++) {
        if (table[i].launcher == launcher && values[i] != NULL && sc_label_is_number(values[i]))
            set_first(labels, table[i].label, values[i]);
    }
}

void sc_labels_of_environment(const char *environment, size_t length, struct sc_labels *labels)
{
    const char *values[ROWS] = {NULL};
    bool in_step = false;
    for (size_t at = 0; at < length; at += strlen(environment + at) + 1) {
        const char *text = environment + at;
        size_t name = strcspn(text, "=");
        for (size_t i = 0; i < ROWS && text[name] == '='; i++) {
            if (strlen(table[i].variable) == name && strncmp(table[i].variable, text, name) == 0 &&
                text[name + 1] != '\0')
                values[i] = text + name + 1;
        }
        in_step |= sc_starts_with(text, "SLURM_STEP_ID=");
    }
    for (int launcher = 0; launcher < LAUNCHERS; launcher++) {
        /* Slurm sets these for the batch script, too: task 0 of as many as the job may start */
        if (launcher != SLURM || in_step)
            add_launcher(values, (enum launcher)launcher, labels);
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (table[i].launcher == ANY && values[i] != NULL)
            set_first(labels, table[i].label, values[i]);
    }
}

/* The first such number in the text's first length bytes, or NULL. */
static char *find_container(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t digits = strspn(text + at, "0123456789abcdef");
        if (digits == CONTAINER_DIGITS && at + digits <= length)
            return sc_strndup(text + at, digits);
        at += digits > 0 ? digits : 1;
    }
    return NULL;
}

char *sc_container_of(const char *cgroups, const char *mounts)
{
    char *number = find_container(cgroups, strlen(cgroups));
    /* a container that sees no cgroups but its own has a file of the engine's in place of this */
    const char *file = number == NULL ? strstr(mounts, " /etc/hostname ") : NULL;
    if (file == NULL)
        return number;
    const char *line = file;
    while (line > mounts && line[-1] != '\n')
        line--;
    return find_container(line, (size_t)(file - line));
}

static void read_of(pid_t pid, const char *name, size_t limit_bytes, struct sc_str *ret_text)
{
    SC_AUTO_FREE char *path =
        pid != 0 ? sc_format("/proc/%d/%s", (int)pid, name) : sc_format("/proc/self/%s", name);
    (void)sc_read_file(path, limit_bytes, ret_text, NULL);
}

static void add_container(pid_t pid, struct sc_labels *labels)
{
    SC_AUTO(sc_str_done) struct sc_str cgroups = {0};
    SC_AUTO(sc_str_done) struct sc_str mounts = {0};
    read_of(pid, "cgroup", PROC_BYTES_MAX, &cgroups);
    read_of(pid, "mountinfo", PROC_BYTES_MAX, &mounts);
    SC_AUTO_FREE char *number = sc_container_of(sc_str_text(&cgroups), sc_str_text(&mounts));
    if (number != NULL)
        sc_labels_set(labels, SC_LABEL_CONTAINER, number);
}

static void add_commit(const char *directory, struct sc_labels *labels)
{
    SC_AUTO_FREE char *folder = directory != NULL ? realpath(directory, NULL) : NULL;
    SC_AUTO_FREE char *commit = folder != NULL ? sc_git_commit(folder) : NULL;
    if (commit != NULL)
        sc_labels_set(labels, SC_LABEL_COMMIT, commit);
}

static bool is_utf8(const char *text)
{
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length) {
        length = sc_utf8_length(text, left);
        if (length == 0)
            return false;
    }
    return true;
}

/* "KEY=VALUE". The key can stand in the name of a file, between braces. */
static bool add_given(const char *text, struct sc_labels *labels, struct sc_err *err)
{
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length == 0 || text[length] != '=')
        return sc_fail(err, SC_ERR_USAGE,
                       "run: --label: '%.100s' is not KEY=VALUE with a key of letters, digits, _ "
                       "and -",
                       text);
    const char *value = text + length + 1;
    if (length > SC_LABEL_NAME_MAX || strlen(value) > SC_LABEL_VALUE_MAX || !is_utf8(value))
        return sc_fail(err, SC_ERR_USAGE,
                       "run: --label: '%.40s...': a key has at most %d bytes, a value %d, of UTF-8",
                       text, SC_LABEL_NAME_MAX, SC_LABEL_VALUE_MAX);
    SC_AUTO_FREE char *name = sc_strndup(text, length);
    if (strcmp(name, SC_LABEL_RANKS) == 0 || strcmp(name, SC_LABEL_PROFILES) == 0)
        return sc_fail(err, SC_ERR_USAGE,
                       "run: --label: '%s' is what `scalene merge` calls the "
                       "number of profiles; take another name",
                       name);
    sc_labels_set(labels, name, value);
    return true;
}

bool sc_run_labels_make(pid_t pid, const char *directory, const struct sc_value *given,
                        struct sc_labels *labels, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str environment = {0};
    char host[HOST_BYTES] = "";
    read_of(pid, "environ", ENVIRONMENT_BYTES_MAX, &environment);
    sc_labels_of_environment(sc_str_text(&environment), environment.length, labels);
    if (gethostname(host, sizeof(host) - 1) == 0 && host[0] != '\0')
        sc_labels_set(labels, SC_LABEL_HOST, host);
    add_container(pid, labels);
    add_commit(directory, labels);
    if (given->list.count > GIVEN_MAX)
        return sc_fail(err, SC_ERR_USAGE, "run: --label: there are more than %d", GIVEN_MAX);
    for (size_t i = 0; i < given->list.count; i++) {
        if (!add_given(given->list.items[i], labels, err))
            return false;
    }
    return true;
}
