/*
 * cli/child_run.c - this program, started again as a child that writes a profile again and again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own_folder.h"

#define END_LOOK_NS   20000000
#define END_LOOKS_MAX 250 /* five seconds */

static void add(struct sc_words *words, char *word)
{
    sc_vec_push(words, word);
}

/* The child's command line. Its words are not freed: the calling process becomes another. */
static char **command_of(const struct sc_child_run *child, const struct sc_child_options *wish)
{
    const struct sc_child_words *asked = wish->words;
    struct sc_words words = {0};
    add(&words, sc_strdup("scalene"));
    add(&words, sc_strdup(asked->pid != 0 ? "attach" : "run"));
    if (asked->pid != 0)
        add(&words, sc_format("%d", (int)asked->pid));
    for (size_t i = 0; i < asked->options.count; i++)
        add(&words, asked->options.items[i]);
    for (size_t i = 0; i < asked->of_attach.count; i++)
        add(&words, asked->of_attach.items[i]);
    add(&words, sc_strdup("--quiet"));
    add(&words, sc_format("--profile-interval=%g", wish->interval_s));
    add(&words, sc_strdup("--outfile-as-is"));
    add(&words, sc_format("--outfile=%s", child->profile_path)); /* the last one counts */
    for (size_t i = 0; i < asked->program.count; i++)
        add(&words, asked->program.items[i]);
    add(&words, NULL);
    return words.items;
}

static void redirect(int descriptor, const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0 || dup2(fd, descriptor) < 0)
        _exit(1);
}

/* In the child; never returns. parent: a child whose parent is gone serves nobody. */
static void exec_child(const struct sc_child_run *child, const struct sc_child_options *wish,
                       pid_t parent)
{
    char self[PATH_MAX];
    char **command = command_of(child, wish);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    if (wish->is_apart) {
        (void)setsid();
        redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
        redirect(STDOUT_FILENO, child->output_path, O_WRONLY | O_CREAT | O_APPEND);
        redirect(STDERR_FILENO, child->output_path, O_WRONLY | O_APPEND);
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = '\0';
    (void)execv(self, command);
    (void)execv("/proc/self/exe", command); /* its file was replaced */
    (void)dprintf(STDERR_FILENO, "scalene: cannot be started again by /proc/self/exe: %s\n",
                  strerror(errno));
    _exit(1);
}

bool sc_child_run_start(struct sc_child_run *child, const struct sc_child_options *wish,
                        struct sc_err *err)
{
    *child = (struct sc_child_run){.is_apart = wish->is_apart};
    if (wish->outfile == NULL && (child->folder = sc_new_private_folder(err)) == NULL)
        return false;
    child->profile_path = wish->outfile != NULL ? sc_strdup(wish->outfile)
                                                : sc_format("%s/profile.json", child->folder);
    (void)stat(child->profile_path, &child->seen);
    child->output_path = wish->is_apart ? sc_format("%s/output.txt", child->folder) : NULL;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        exec_child(child, wish, parent);
    if (pid < 0) {
        (void)sc_fail_errno(err, errno, "cannot start a process");
        sc_child_run_done(child);
        return false;
    }
    child->pid = pid;
    return true;
}

/* A profile that replaces another is another file. */
static void check_for_new_profile(struct sc_child_run *child)
{
    struct stat now;
    const struct stat *seen = &child->seen;
    if (stat(child->profile_path, &now) != 0)
        return;
    bool is_same = now.st_ino == seen->st_ino && now.st_size == seen->st_size &&
                   now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
                   now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec;
    child->has_news = child->has_news || !is_same;
    child->seen = now;
}

bool sc_child_run_look(struct sc_child_run *child)
{
    int status = 0;
    if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) == child->pid) {
        child->pid = 0;
        child->status = status;
    }
    check_for_new_profile(child); /* of a child that has ended the last one is there */
    return child->pid != 0;
}

bool sc_child_run_read(struct sc_child_run *child, struct sc_profile *ret_profile,
                       struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str json = {0};
    child->has_news = false;
    return sc_read_regular_file(child->profile_path, SC_PROFILE_BYTES_MAX, &json, err) &&
           sc_profile_from_json(sc_str_text(&json), json.length, ret_profile, err);
}

void sc_child_run_signal(const struct sc_child_run *child, int number)
{
    if (child->pid != 0)
        (void)kill(child->is_apart ? -child->pid : child->pid, number);
}

static void end(struct sc_child_run *child)
{
    const struct timespec pause = {.tv_nsec = END_LOOK_NS};
    sc_child_run_signal(child, SIGTERM);
    for (int i = 0; i < END_LOOKS_MAX && sc_child_run_look(child); i++)
        (void)nanosleep(&pause, NULL);
    sc_child_run_signal(child, SIGKILL);
    while (child->pid != 0 && waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        continue;
}

void sc_child_run_done(struct sc_child_run *child)
{
    struct stat facts;
    if (child->pid != 0)
        end(child);
    if (child->folder != NULL)
        (void)unlink(child->profile_path);
    if (child->output_path != NULL && stat(child->output_path, &facts) == 0 && facts.st_size == 0)
        (void)unlink(child->output_path);
    if (child->folder != NULL)
        (void)rmdir(child->folder);
    free(child->folder);
    free(child->profile_path);
    free(child->output_path);
    *child = (struct sc_child_run){0};
}
