/*
 * cli/trial.c - runs a program of ours as `scalene run` runs a program of the user's.
 *
 * A child process is this command itself, so a trial can have no other result than a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/own_folder.h"
#include "cli/programs.h"

#define OUTPUT_BYTES_MAX ((size_t)1 << 20)
#define LOOK_MS          50

/* The files of a trial, by their names in its folder; the program has its own. */
static const char output_file[] = "output";
static const char errors_file[] = "errors";
static const char profile_file[] = "profile.json";

static void remove_folder(const char *folder, const char *program)
{
    const char *const names[] = {output_file, errors_file, profile_file, program};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        SC_AUTO_FREE char *path = sc_format("%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* A file in the folder, for what the run prints; -1 with err set. */
static int open_file(const char *folder, const char *name, struct sc_err *err)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        (void)sc_fail_errno(err, errno, "'%s' cannot be written", path);
    return fd;
}

static bool start(const char *folder, const char *program, const char *python, const sigset_t *mask,
                  pid_t *ret_pid, struct sc_err *err)
{
    const char *text = sc_own_program_text(program);
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, program);
    SC_AUTO_FREE char *outfile = sc_format("--outfile=%s/%s", folder, profile_file);
    SC_AUTO_FREE char *interpreter = sc_format("--python=%s", python != NULL ? python : "");
    SC_AUTO_FREE char *self = sc_own_executable();
    static char fixed[][20] = {"scalene", "run", "--quiet", "--outfile-as-is"};
    char *const words[] = {fixed[0], fixed[1],    fixed[2], fixed[3],
                           outfile,  interpreter, path,     NULL};
    SC_AUTO_CLOSE int output = open_file(folder, output_file, err);
    SC_AUTO_CLOSE int errors = output >= 0 ? open_file(folder, errors_file, err) : -1;
    const struct sc_child child = {.program = self,
                                   .words = words,
                                   .streams = {SC_CHILD_NOTHING, output, errors},
                                   .mask = mask};
    return errors >= 0 && sc_write_file(path, text, strlen(text), err) &&
           sc_child_start(&child, ret_pid, err);
}

/* What would end us ends the run, which ends its program. */
static int wait_for(pid_t pid)
{
    for (bool is_told = false; !sc_child_await(pid, LOOK_MS);) {
        if (!is_told && sc_is_told_to_end())
            is_told = kill(pid, SIGTERM) == 0;
    }
    return sc_child_reap(pid, NULL);
}

static void read_output(const char *folder, const char *name, struct sc_str *ret_text)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, name);
    (void)sc_read_file(path, OUTPUT_BYTES_MAX, ret_text, NULL);
}

static void read_profile(const char *folder, struct sc_trial *trial)
{
    SC_AUTO(sc_str_done) struct sc_str json = {0};
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, profile_file);
    trial->has_profile =
        sc_read_file(path, SC_PROFILE_BYTES_MAX, &json, NULL) &&
        sc_profile_from_json(sc_str_text(&json), json.length, &trial->profile, NULL);
}

bool sc_trial_run(const char *program, const char *python, struct sc_trial *ret_trial,
                  struct sc_err *err)
{
    pid_t pid = -1;
    sigset_t before;
    sc_hold_ends(&before);
    SC_AUTO_FREE char *folder = sc_new_private_folder(err);
    ret_trial->is_started = folder != NULL && start(folder, program, python, &before, &pid, err);
    if (ret_trial->is_started) {
        ret_trial->status = wait_for(pid);
        read_output(folder, output_file, &ret_trial->output);
        read_output(folder, errors_file, &ret_trial->errors);
        read_profile(folder, ret_trial);
    }
    if (folder != NULL)
        remove_folder(folder, program);
    (void)sigprocmask(SIG_SETMASK, &before, NULL); /* what has come meanwhile ends us now */
    return ret_trial->is_started;
}

void sc_trial_done(struct sc_trial *trial)
{
    sc_str_done(&trial->output);
    sc_str_done(&trial->errors);
    if (trial->has_profile)
        sc_profile_done(&trial->profile);
    *trial = (struct sc_trial){0};
}

char *sc_trial_value(const struct sc_trial *trial, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = sc_str_text(&trial->output); *line != '\0';) {
        size_t end = strcspn(line, "\n");
        if (end > length && strncmp(line, key, length) == 0 && line[length] == '=')
            return sc_strndup(line + length + 1, end - length - 1);
        line += end + (line[end] != '\0' ? 1 : 0);
    }
    return NULL;
}

/* The last line that is not empty: Python's and our own messages end with the reason. */
static char *last_line(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    size_t start = length;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    return sc_strndup(text + start, length - start);
}

char *sc_trial_obstacle(const struct sc_trial *trial, const struct sc_err *err)
{
    const struct sc_profile *profile = &trial->profile;
    if (!trial->is_started)
        return sc_strdup(err->text);
    if (WIFSIGNALED(trial->status))
        return sc_format("the program was ended by signal %d (%s)%s", WTERMSIG(trial->status),
                         strsignal(WTERMSIG(trial->status)),
                         WTERMSIG(trial->status) == SIGKILL ? ": a limit on memory?" : "");
    if (!trial->has_profile || WEXITSTATUS(trial->status) != 0) {
        char *line = last_line(sc_str_text(&trial->errors));
        if (line[0] != '\0')
            return line;
        free(line);
        return sc_format("the program ended with status %d", WEXITSTATUS(trial->status));
    }
    if (profile->samples_taken > 0)
        return NULL;
    return sc_strdup(profile->notes.count > 0 ? profile->notes.items[0] : "no sample was taken");
}
