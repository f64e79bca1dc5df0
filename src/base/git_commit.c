/*
 * base/git_commit.c - the commit of a folder: .git, HEAD, and the reference that this names.
 *
 * The files are those of gitrepository-layout(5), of git 2.39.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/git_commit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"

/* References to references are followed so far. A repository of 100,000 packed ones has 7 MB. */
enum { SHORT_BYTES = 4096, PACKED_BYTES = 32 << 20, REFERENCES_MAX = 5 };

/* The first line of a file; NULL where there is none. */
static char *first_line(const char *folder, const char *name)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, name);
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (!sc_read_regular_file(path, SHORT_BYTES, &text, NULL))
        return NULL;
    const char *line = sc_str_text(&text);
    return sc_format("%.*s", (int)strcspn(line, "\r\n"), line);
}

static char *below(const char *folder, const char *path)
{
    return path[0] == '/' ? sc_strdup(path) : sc_format("%s/%s", folder, path);
}

/* The repository's own folder, of the nearest folder around that has one: of a further working tree
 * or a submodule, .git is a file that says where it is. */
static char *repository_of(const char *folder)
{
    SC_AUTO_FREE char *at = sc_strdup(folder);
    for (;;) {
        char *git = sc_format("%s/.git", at);
        struct stat facts;
        if (stat(git, &facts) == 0 && S_ISDIR(facts.st_mode))
            return git;
        free(git);
        SC_AUTO_FREE char *line = first_line(at, ".git");
        if (line != NULL && sc_starts_with(line, "gitdir: "))
            return below(at, line + strlen("gitdir: "));
        char *slash = strrchr(at, '/');
        if (slash == NULL)
            return NULL;
        *slash = '\0';
    }
}

bool sc_is_git_commit(const char *text, size_t length)
{
    return (length == 40 || length == 64) && strspn(text, "0123456789abcdef") >= length;
}

/* Lines of "COMMIT REFERENCE". */
static char *packed_commit(const char *repository, const char *reference)
{
    SC_AUTO_FREE char *path = sc_format("%s/packed-refs", repository);
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (!sc_read_regular_file(path, PACKED_BYTES, &text, NULL))
        return NULL;
    size_t length = strlen(reference);
    for (const char *line = sc_str_text(&text); *line != '\0';) {
        size_t whole = strcspn(line, "\n");
        size_t digits = strcspn(line, " \n");
        if (whole == digits + 1 + length && sc_is_git_commit(line, digits) &&
            memcmp(line + digits + 1, reference, length) == 0)
            return sc_format("%.*s", (int)digits, line);
        line += whole + (line[whole] == '\n');
    }
    return NULL;
}

char *sc_git_commit(const char *folder)
{
    SC_AUTO_FREE char *repository = folder[0] == '/' ? repository_of(folder) : NULL;
    if (repository == NULL)
        return NULL;
    /* a further working tree has a HEAD of its own, and the references of the first one */
    SC_AUTO_FREE char *common = first_line(repository, "commondir");
    SC_AUTO_FREE char *references = below(repository, common != NULL ? common : ".");
    char *line = first_line(repository, "HEAD");
    for (int i = 0; line != NULL && i < REFERENCES_MAX; i++) {
        if (sc_is_git_commit(line, strlen(line)))
            return line;
        SC_AUTO_FREE char *said = line;
        const char *reference = said + strlen("ref: ");
        if (!sc_starts_with(said, "ref: refs/") || strstr(reference, "..") != NULL)
            return NULL;
        line = first_line(references, reference);
        if (line == NULL)
            return packed_commit(references, reference);
    }
    free(line);
    return NULL;
}
