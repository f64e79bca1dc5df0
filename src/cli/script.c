/* cli/script.c - see script.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/script.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/paths.h"

/* More than a path has; the kernel itself reads 256 bytes. */
#define HEAD_BYTES 8192

static void read_head(const char *path, char head[static HEAD_BYTES])
{
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
    ssize_t length = fd >= 0 ? read(fd, head, HEAD_BYTES - 1) : 0;
    head[length > 0 ? length : 0] = '\0';
}

/* The word that begins here: up to a blank, or in quotes. */
static char *word_at(const char *text)
{
    text += strspn(text, " \t");
    if (*text == '"')
        return sc_strndup(text + 1, strcspn(text + 1, "\"\n"));
    return sc_strndup(text, strcspn(text, " \t\n"));
}

char *sc_script_python(const char *path)
{
    /* for a Python whose path is too long for the kernel, or has blanks */
    static const char by_shell[] = "\n'''exec' ";
    static const char by_env[] = "#!/usr/bin/env ";
    char head[HEAD_BYTES];
    read_head(path, head);
    if (!sc_starts_with(head, "#!"))
        return NULL;
    const char *line_end = strchr(head, '\n');
    char *word = NULL;
    if (sc_starts_with(head, by_env))
        word = word_at(head + strlen(by_env));
    else if (line_end != NULL && sc_starts_with(line_end, by_shell))
        word = word_at(line_end + strlen(by_shell));
    else
        word = word_at(head + 2);
    if (sc_starts_with(sc_after_last(word, '/'), "python"))
        return word;
    free(word);
    return NULL;
}

char *sc_script_neighbour(const char *path)
{
    SC_AUTO_FREE char *script = realpath(path, NULL);
    SC_AUTO_FREE char *python = script != NULL ? sc_script_python(script) : NULL;
    if (python == NULL || python[0] != '/' || access(python, X_OK) != 0)
        return NULL;
    SC_AUTO_FREE char *scripts_folder = sc_path_directory(script);
    SC_AUTO_FREE char *pythons_folder = sc_path_directory(python);
    SC_AUTO_FREE char *resolved = realpath(pythons_folder, NULL);
    bool is_beside = resolved != NULL && strcmp(resolved, scripts_folder) == 0;
    return is_beside ? sc_strdup(python) : NULL;
}

bool sc_script_is_machine_code(const char *path)
{
    char head[HEAD_BYTES];
    read_head(path, head);
    return sc_starts_with(head, ELFMAG);
}
