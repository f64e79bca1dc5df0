/*
 * agent/cuda/cupti_find.c - finds the CUPTI library that fits the program's CUDA.
 *
 * It first looks for one that is loaded; then, for the major version of the CUDA that the program
 * uses, by name along the loader's path, beside loaded libraries of CUDA, in the folders of
 * NVIDIA's wheels, and where toolkits are installed; then the same for other versions that the
 * driver supports.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cuda/cupti_find.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/state.h"

/* The sonames, newest first, each with its major version. Here and below texts lie in the tables:
 * pointers to them would take four times their own size in the file. */
static const struct soname {
    unsigned major;
    char name[20];
} sonames[] = {
    {13, "libcupti.so.13"},   {12, "libcupti.so.12"},   {11, "libcupti.so.11.8"},
    {11, "libcupti.so.11.7"}, {11, "libcupti.so.11.6"}, {11, "libcupti.so.11.5"},
    {11, "libcupti.so.11.4"}, {11, "libcupti.so.11.3"}, {11, "libcupti.so.11.2"},
    {11, "libcupti.so.11.1"}, {11, "libcupti.so.11.0"}, {0, "libcupti.so"},
};
#define SONAME_COUNT (sizeof(sonames) / sizeof(sonames[0]))

/* Folders that may hold it. */
#define FOLDERS_MAX 32U
struct folders {
    char paths[FOLDERS_MAX][PATH_MAX];
    unsigned count;
    unsigned toolkit; /* major version of the CUDA libraries that are loaded, 0: none */
};

static void *loaded(void)
{
    for (size_t i = 0; i < SONAME_COUNT; i++) {
        void *library = dlopen(sonames[i].name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (library != NULL)
            return library;
    }
    return NULL;
}

/* Adds prefix, of that length, followed by rest. */
static void add_folder(struct folders *folders, const char *prefix, size_t length, const char *rest)
{
    char path[PATH_MAX];
    if (folders->count == FOLDERS_MAX ||
        snprintf(path, sizeof(path), "%.*s%s", (int)length, prefix, rest) >= PATH_MAX)
        return;
    for (unsigned i = 0; i < folders->count; i++) {
        if (strcmp(folders->paths[i], path) == 0)
            return;
    }
    memcpy(folders->paths[folders->count++], path, sizeof(path));
}

/* The major version in a name like "libcudart.so.12". */
static unsigned major_of(const char *file)
{
    const char *version = strstr(file, ".so.");
    return version != NULL ? (unsigned)strtoul(version + 4, NULL, 10) : 0;
}

static __attribute__((cold)) void look_beside(struct folders *folders, const char *path)
{
    static const char packages[][16] = {"/site-packages/", "/dist-packages/"};
    static const char libraries[][16] = {"libcudart.so", "libcublas.so", "libcufft.so",
                                         "libnvrtc.so"};
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        if (strncmp(slash + 1, libraries[i], strlen(libraries[i])) != 0)
            continue;
        size_t length = (size_t)(slash - path);
        if (i == 0 && major_of(slash) > 0)
            folders->toolkit = major_of(slash);
        add_folder(folders, path, length, "");
        add_folder(folders, path, length, "/../../cuda_cupti/lib");
        add_folder(folders, path, length, "/../extras/CUPTI/lib64");
        add_folder(folders, path, length, "/../../../extras/CUPTI/lib64");
    }
    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
        const char *found = strstr(path, packages[i]);
        if (found == NULL)
            continue;
        size_t length = (size_t)(found - path) + strlen(packages[i]);
        add_folder(folders, path, length, "nvidia/cuda_cupti/lib");
        add_folder(folders, path, length, "nvidia/cu13/lib");
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *folders)
{
    (void)size;
    if (info->dlpi_name != NULL && info->dlpi_name[0] == '/')
        look_beside(folders, info->dlpi_name);
    return 0;
}

/* The usual places of toolkits, and those that environment variables name. */
static __attribute__((cold)) void look_at_toolkits(struct folders *folders)
{
    static const char variables[][16] = {"CUDA_HOME", "CUDA_PATH"};
    static const char patterns[][40] = {"/usr/local/cuda/extras/CUPTI/lib64",
                                        "/usr/local/cuda-*/extras/CUPTI/lib64",
                                        "/opt/cuda/extras/CUPTI/lib64"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *home = getenv(variables[i]);
        if (home != NULL && home[0] == '/') {
            add_folder(folders, home, strlen(home), "/extras/CUPTI/lib64");
            add_folder(folders, home, strlen(home), "/lib64");
            add_folder(folders, home, strlen(home), "/lib");
        }
    }
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0)
            continue;
        for (size_t k = found.gl_pathc; k > 0; k--) /* sorted: the newest last */
            add_folder(folders, found.gl_pathv[k - 1], strlen(found.gl_pathv[k - 1]), "");
        globfree(&found);
    }
}

/* What this function of the driver gives, if it is above 0, else 0. */
static __attribute__((cold)) unsigned ask_driver(const char *function)
{
    int number = 0;
    int (*ask)(int *);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void *found = driver != NULL ? dlsym(driver, function) : NULL;
    if (found == NULL)
        return 0;
    __builtin_memcpy(&ask, &found, sizeof(ask));
    return ask(&number) == 0 && number > 0 ? (unsigned)number : 0;
}

static __attribute__((cold)) void *open_one(const struct soname *soname,
                                            const struct folders *folders)
{
    void *library = dlopen(soname->name, RTLD_NOW | RTLD_LOCAL);
    for (unsigned i = 0; library == NULL && i < folders->count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof(path), "%s/%s", folders->paths[i], soname->name) < PATH_MAX)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* Opens a library of the wanted major version; 0: of any that is not newer than the driver. */
static void *open_major(unsigned wanted, unsigned newest, const struct folders *folders)
{
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < SONAME_COUNT; i++) {
        unsigned major = sonames[i].major;
        if (wanted != 0 ? major == wanted : newest == 0 || major <= newest)
            library = open_one(&sonames[i], folders);
    }
    return library;
}

static __attribute__((cold)) void *load(void)
{
    struct folders *folders = calloc(1, sizeof(*folders));
    if (folders == NULL)
        return NULL;
    void *library = NULL;
    (void)dl_iterate_phdr(look_at, folders);
    look_at_toolkits(folders);
    unsigned newest = ask_driver("cuDriverGetVersion") / 1000; /* that it supports; 0: not known */
    if (folders->toolkit != 0)
        library = open_major(folders->toolkit, newest, folders);
    if (library == NULL && newest != 0)
        library = open_major(newest, newest, folders);
    if (library == NULL)
        library = open_major(0, newest, folders);
    free(folders);
    return library;
}

__attribute__((cold)) bool sc_cupti_find(struct sc_cupti *ret_cupti, bool only_loaded)
{
    struct sc_cupti cupti;
    void *library = loaded();
    if (library == NULL && !only_loaded)
        library = load();
    if (library == NULL)
        return false;
#define X_LOOK_UP(member, name, parameters)                                                        \
    {                                                                                              \
        void *symbol = dlsym(library, #name);                                                      \
        if (symbol == NULL)                                                                        \
            return false;                                                                          \
        __builtin_memcpy(&cupti.member, &symbol, sizeof(symbol));                                  \
    }
    SC_CUPTI_FUNCTIONS(X_LOOK_UP)
#undef X_LOOK_UP
    *ret_cupti = cupti;
    return true;
}

bool sc_cupti_has_driver(void)
{
    return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != NULL;
}

bool sc_cupti_driver_is_used(void)
{
    return ask_driver("cuDeviceGetCount") > 0; /* it fails before cuInit */
}

void *sc_cupti_symbol(const char *name)
{
    void *library = loaded();
    return library != NULL ? dlsym(library, name) : NULL;
}

bool sc_cupti_is_ours(const void *address)
{
    Dl_info theirs;
    Dl_info own;
    return dladdr(address, &theirs) != 0 && dladdr(&sc_agent, &own) != 0 &&
           theirs.dli_fbase == own.dli_fbase;
}

void *sc_cupti_symbol_for(const void *caller, const char *name)
{
    Dl_info info;
    void *found = NULL;
    /* if the caller's library was loaded late, RTLD_NEXT does not search what it was linked to */
    void *library = dladdr(caller, &info) != 0 && info.dli_fname != NULL
                        ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                        : NULL;
    if (library != NULL)
        found = dlsym(library, name);
    if (found == NULL || sc_cupti_is_ours(found))
        found = dlsym(RTLD_NEXT, name);
    return found == NULL || sc_cupti_is_ours(found) ? sc_cupti_symbol(name) : found;
}
