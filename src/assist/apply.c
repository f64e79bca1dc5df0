/* assist/apply.c - see apply.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assist/root.h"
#include "base/io.h"

#define FILE_LIMIT_BYTES ((size_t)64 << 20)
#define BACKUPS_MAX      1000

/* Most lines end with \r\n. */
static bool has_carriage_returns(const struct sc_str *bytes)
{
    size_t newlines = 0;
    size_t returns = 0;
    for (size_t i = 0; i < bytes->length; i++) {
        if (bytes->data[i] != '\n')
            continue;
        newlines++;
        returns += i > 0 && bytes->data[i - 1] == '\r' ? 1 : 0;
    }
    return returns * 2 > newlines;
}

void sc_ai_with_endings(const struct sc_ai_proposal *proposal, const struct sc_str *bytes,
                        struct sc_str *ret_text)
{
    bool wants_returns = has_carriage_returns(bytes);
    const struct sc_str *text = &proposal->new_text;
    for (size_t i = 0; i < text->length; i++) {
        bool is_newline = text->data[i] == '\n';
        bool has_return = i > 0 && text->data[i - 1] == '\r';
        if (is_newline && wants_returns && !has_return)
            sc_str_add_char(ret_text, '\r');
        sc_str_add_char(ret_text, text->data[i]);
    }
}

/* A new file beside the one that is to be replaced, with the same bytes and mode. */
static bool keep_copy(const char *path, const struct sc_str *bytes, mode_t mode, char **ret_backup,
                      struct sc_err *err)
{
    for (int i = 0; i < BACKUPS_MAX; i++) {
        char *backup = i == 0 ? sc_format("%s.scalene-backup", path)
                              : sc_format("%s.scalene-backup-%d", path, i);
        SC_AUTO_CLOSE int fd = open(backup, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) {
            free(backup);
            continue;
        }
        size_t put = 0;
        ssize_t got = fd < 0 ? -1 : 0;
        while (got >= 0 && put < bytes->length) {
            got = write(fd, bytes->data + put, bytes->length - put);
            put += got > 0 ? (size_t)got : 0;
        }
        if (got >= 0 && fchmod(fd, mode & 0777) == 0 && fsync(fd) == 0) {
            *ret_backup = backup;
            return true;
        }
        (void)sc_fail_errno(err, errno, "cannot keep a copy of the file as '%s'", backup);
        if (fd >= 0)
            (void)unlink(backup);
        free(backup);
        return false;
    }
    return sc_fail(err, SC_ERR_FAILED, "there are too many backups beside '%s'", path);
}

/* Only Python source in the directory of the program is written, whatever a profile names. */
static bool may_be_changed(const struct sc_ai_program *program, const char *path,
                           struct sc_err *err)
{
    SC_AUTO_FREE char *root = NULL;
    if (!sc_ends_with(path, ".py"))
        return sc_fail(err, SC_ERR_FAILED, "'%s' is no Python source (*.py), so it is not changed",
                       path);
    return sc_ai_root_find(program, path, &root, err);
}

static bool is_file_of(const char *path, mode_t *ret_mode, struct sc_err *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return sc_fail_errno(err, errno, "cannot change '%s'", path);
    if (!S_ISREG(status.st_mode))
        return sc_fail(err, SC_ERR_FAILED, "'%s' is no regular file", path);
    if (access(path, W_OK) != 0)
        return sc_fail_errno(err, errno, "cannot change '%s'", path);
    *ret_mode = status.st_mode;
    return true;
}

bool sc_ai_apply(const struct sc_ai_proposal *proposal, char **ret_backup, struct sc_err *err)
{
    SC_AUTO_FREE char *path = sc_ai_real_path(proposal->path, err);
    mode_t mode = 0;
    if (path == NULL || !may_be_changed(&proposal->program, path, err) ||
        !is_file_of(path, &mode, err))
        return false;
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    char *backup = NULL;
    bool good = sc_read_regular_file(path, FILE_LIMIT_BYTES, &bytes, err);
    if (good && !sc_ai_same_lines(sc_str_text(&bytes), bytes.length,
                                  sc_str_text(&proposal->old_text), proposal->old_text.length))
        good =
            sc_fail(err, SC_ERR_FAILED,
                    "'%s' has changed since the run, so the proposal does not fit it: run and ask "
                    "again",
                    path);
    if (good) {
        sc_ai_with_endings(proposal, &bytes, &text);
        good = keep_copy(path, &bytes, mode, &backup, err) &&
               sc_write_file(path, sc_str_text(&text), text.length, err);
    }
    if (good)
        *ret_backup = backup;
    else if (backup != NULL)
        (void)unlink(backup);
    if (!good)
        free(backup);
    return good;
}
