/* cli/interpreter.c - see interpreter.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/interpreter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/elf_facts.h"
#include "cli/paths.h"

#define OLDEST_MINOR 8

/* The agent, which was built with this program, is loaded into the Python: both need one libc. */
#ifdef __GLIBC__
#define OWN_LIBC    "glibc"
#define OWN_IS_MUSL false
#else
#define OWN_LIBC    "musl"
#define OWN_IS_MUSL true
#endif

static bool check_version(const char *path, unsigned major, unsigned minor, struct sc_err *err)
{
    if (major == 0 || (major == 3 && minor >= OLDEST_MINOR))
        return true;
    return sc_fail(
        err, SC_ERR_FAILED,
        "'%s' is Python %u.%u; Python 3.%d or later is needed (choose one with --python)", path,
        major, minor, OLDEST_MINOR);
}

/* The version in a file name: python3.7, python2.7. */
static bool check_name(const char *path, struct sc_err *err)
{
    unsigned major;
    unsigned minor;
    if (sscanf(sc_after_last(path, '/'), "python%2u.%3u", &major, &minor) != 2)
        return true;
    return check_version(path, major, minor, err);
}

/* The loader ignores LD_PRELOAD for a program that gains privileges by being started. */
static bool check_rights(const char *path, const struct stat *status, struct sc_err *err)
{
    bool gains = ((status->st_mode & S_ISUID) != 0 && status->st_uid != geteuid()) ||
                 ((status->st_mode & S_ISGID) != 0 && status->st_gid != getegid());
    if (gains)
        return sc_fail(err, SC_ERR_FAILED,
                       "'%s' is set-uid or set-gid and cannot be profiled; use another Python",
                       path);
    if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return sc_fail(err, SC_ERR_FAILED,
                       "'%s' has file capabilities (getcap) and cannot be profiled; use another "
                       "Python",
                       path);
    return true;
}

static bool check_facts(const char *path, const struct sc_elf_facts *facts, struct sc_err *err)
{
    if (!facts->is_elf)
        return true;
    const char *what = facts->is_32_bit    ? "is a 32-bit program"
                       : facts->is_foreign ? "is for another kind of processor"
                       : !facts->is_dynamic
                           ? "is linked statically, so that nothing can be loaded into it"
                       : facts->is_musl && !OWN_IS_MUSL ? "uses the musl C library"
                       : !facts->is_musl && OWN_IS_MUSL ? "uses another C library than musl"
                       : !facts->names_python           ? "is not a Python interpreter"
                                                        : NULL;
    if (what != NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "'%s' %s and cannot be profiled; a 64-bit Python for " OWN_LIBC
                       " is needed, as this Scalene is built for it",
                       path, what);
    return check_version(path, facts->python_major, facts->python_minor, err);
}

/* Whether the executable file, which is known to be a Python, can be profiled. A script (such as
 * pyenv's shims) cannot be checked and is accepted. */
static bool check(const char *path, struct sc_err *err)
{
    SC_AUTO_FREE char *resolved = realpath(path, NULL);
    if (resolved == NULL)
        return sc_fail_errno(err, errno, "cannot use '%s'", path);
    SC_AUTO_CLOSE int fd = open(resolved, O_RDONLY | O_CLOEXEC);
    struct stat status;
    /* a file that can be run but not read is left to the kernel and the agent */
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size <= 0)
        return true;
    if (!check_name(resolved, err) || !check_rights(resolved, &status, err))
        return false;
    size_t length = (size_t)status.st_size;
    /* mapped, since an interpreter may have 30 MB and only a few pages of it are read */
    void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return true;
    struct sc_elf_facts facts;
    sc_elf_read(bytes, length, &facts);
    (void)munmap(bytes, length);
    return check_facts(path, &facts, err);
}

/* The Python of the environment that this variable names the folder of, or NULL. */
static char *of_environment(const char *variable)
{
    const char *root = getenv(variable);
    if (root == NULL || root[0] == '\0')
        return NULL;
    static const char *const names[] = {"python3", "python"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = sc_format("%s/bin/%s", root, names[i]);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* python3, or python where there is only that; NULL when there is neither. */
static char *on_path(void)
{
    static const char *const names[] = {"python3", "python"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        SC_AUTO_FREE char *file = sc_path_find_command(names[i]);
        if (file != NULL)
            return sc_strdup(names[i]);
    }
    return NULL;
}

/* Of two environments that are active, the one activated last is first on PATH. */
static bool is_first_on_path(const char *python)
{
    const char *slash = python != NULL ? strrchr(python, '/') : NULL;
    SC_AUTO_FREE char *first = slash != NULL ? sc_path_find_command(slash + 1) : NULL;
    return first != NULL && strcmp(first, python) == 0;
}

static const char *own;

void sc_interpreter_take_own(void)
{
    static const char variable[] = "SCALENE_OWN_PYTHON";
    const char *given = getenv(variable);
    own = given != NULL && given[0] != '\0' ? sc_strdup(given) : NULL;
    (void)unsetenv(variable);
}

const char *sc_interpreter_own(void)
{
    return own;
}

char *sc_interpreter_word(const char *python, const char **ret_origin)
{
    if (python != NULL && python[0] != '\0') {
        *ret_origin = "--python";
        return sc_path_expand(python);
    }
    if (own != NULL) {
        *ret_origin = "its package";
        return sc_strdup(own);
    }
    char *venv = of_environment("VIRTUAL_ENV");
    char *conda = of_environment("CONDA_PREFIX");
    if (conda != NULL && (venv == NULL || is_first_on_path(conda))) {
        *ret_origin = "$CONDA_PREFIX";
        free(venv);
        return conda;
    }
    free(conda);
    *ret_origin = venv != NULL ? "$VIRTUAL_ENV" : "$PATH";
    return venv != NULL ? venv : on_path();
}

bool sc_interpreter_choose(const char *python, char **ret_word, struct sc_err *err)
{
    const char *origin = NULL;
    SC_AUTO_FREE char *word = sc_interpreter_word(python, &origin);
    if (word == NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "there is no python3 on PATH; name an interpreter with --python");
    SC_AUTO_FREE char *file = sc_path_find_command(word);
    if (file == NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "there is no program '%s' to run the program with (see --python)", word);
    if (!check(file, err))
        return false;
    *ret_word = sc_strdup(word);
    return true;
}

char *sc_interpreter_find(const char *python, struct sc_err *err)
{
    SC_AUTO_FREE char *word = NULL;
    if (!sc_interpreter_choose(python, &word, err))
        return NULL;
    SC_AUTO_FREE char *path = sc_path_find_command(word);
    return path != NULL ? sc_path_absolute(path) : NULL; /* it may be run in another directory */
}
