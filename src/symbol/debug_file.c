/* symbol/debug_file.c - see debug_file.h. SPDX-License-Identifier: Apache-2.0 */
#include "symbol/debug_file.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define SYSTEM_FOLDER "/usr/lib/debug"

struct build_id {
    const unsigned char *bytes;
    int length;
};

/* A descriptor of the file if it belongs to what was built with that id, else -1. */
static int open_if_same(const char *path, struct build_id wanted)
{
    int fd = sc_open_regular(path);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    const void *bytes = NULL;
    bool is_same = elf != NULL && dwelf_elf_gnu_build_id(elf, &bytes) == wanted.length &&
                   memcmp(bytes, wanted.bytes, (size_t)wanted.length) == 0;
    (void)elf_end(elf);
    if (is_same || fd < 0)
        return fd;
    (void)close(fd);
    return -1;
}

static const char *const places[][2] = {{"", ""}, {"", ".debug/"}, {SYSTEM_FOLDER, ""}};

/* Whether libdwfl, which looks for the link's name itself, would open only regular files: a file
 * may name anything as its debug link, even a pipe that would block a reader. */
static bool leads_to_files(const char *file_name, const char *link_name)
{
    const char *slash = file_name != NULL ? strrchr(file_name, '/') : NULL;
    int folder = slash != NULL ? (int)(slash + 1 - file_name) : 0;
    bool is_absolute = link_name != NULL && link_name[0] == '/';
    for (size_t i = 0; link_name != NULL && i < sizeof(places) / sizeof(places[0]); i++) {
        struct stat status;
        SC_AUTO_FREE char *path =
            is_absolute ? sc_strdup(link_name)
                        : sc_format("%s%.*s%s%s", places[i][0], folder, folder > 0 ? file_name : "",
                                    places[i][1], link_name);
        if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
            return false;
    }
    return true;
}

static int find_by_name(const char *file_name, const char *link_name, struct build_id wanted,
                        char **ret_file_name)
{
    const char *slash = strrchr(file_name, '/');
    int folder = slash != NULL ? (int)(slash + 1 - file_name) : 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char *path =
            sc_format("%s%.*s%s%s", places[i][0], folder, file_name, places[i][1], link_name);
        int fd = open_if_same(path, wanted);
        if (fd >= 0) {
            *ret_file_name = path; /* libdwfl frees it */
            return fd;
        }
        free(path);
    }
    return -1;
}

int sc_debug_file_find(Dwfl_Module *module, void **userdata, const char *module_name,
                       Dwarf_Addr base, const char *file_name, const char *link_name,
                       GElf_Word link_checksum, char **ret_file_name)
{
    GElf_Addr address = 0;
    struct build_id id = {0};
    id.length = dwfl_module_build_id(module, &id.bytes, &address);
    /* a path names a file that several debug files share (dwz), which has an id of its own */
    bool is_shared = link_name != NULL && strchr(link_name, '/') != NULL;
    if (!leads_to_files(file_name, link_name))
        return -1;
    if (id.length <= 0 || is_shared)
        return dwfl_standard_find_debuginfo(module, userdata, module_name, base, file_name,
                                            link_name, link_checksum, ret_file_name);
    int fd = dwfl_build_id_find_debuginfo(module, userdata, module_name, base, file_name, link_name,
                                          link_checksum, ret_file_name);
    if (fd >= 0 || file_name == NULL || link_name == NULL)
        return fd;
    return find_by_name(file_name, link_name, id, ret_file_name);
}
