/* observer/stack/native.c - see native.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/native.h"

#include <string.h>

#include "base/str.h"

/* Bounds what is kept for a program that keeps making code. */
#define KNOWN_MAX ((size_t)1 << 18)

static void clear_known(struct sc_native *native)
{
    sc_vec_done(&native->known);
    sc_map_done(&native->by_address);
    native->by_address = (struct sc_map){0};
}

void sc_native_done(struct sc_native *native)
{
    clear_known(native);
}

/* "/usr/bin/python3.11", whose main program calls the interpreter in a library. */
static bool is_pythons_program(const struct sc_mapping *mapping)
{
    const char *slash = strrchr(mapping->path, '/');
    return slash != NULL && sc_starts_with(slash + 1, "python");
}

static bool is_our_own(const struct sc_mapping *mapping)
{
    const char *slash = strrchr(mapping->path, '/');
    return slash != NULL && sc_starts_with(slash + 1, "libscalene");
}

const char *sc_native_file(struct sc_native *native, const struct sc_modules *modules,
                           const struct sc_mapping *mapping)
{
    if (mapping->path[0] != '/')
        return mapping->path;
    const char *name = sc_symbols_name(native->symbols, mapping->path, mapping->identity);
    SC_AUTO_FREE char *path = sc_modules_path(modules, mapping);
    if (path != NULL) /* if this fails, frames show their places in the file */
        (void)sc_symbols_add(native->symbols, name, path,
                             mapping->is_deleted ? path : mapping->path);
    return name;
}

static struct sc_native_frame resolve_frame(struct sc_native *native,
                                            struct sc_classifier *classifier,
                                            const struct sc_mapping *mapping, uint64_t address)
{
    struct sc_native_frame frame = {.code = SC_NONE};
    if (mapping == NULL || is_our_own(mapping) ||
        sc_classifier_passes_on(classifier, mapping, address))
        return frame;
    frame.is_users =
        (mapping->class == SC_MODULE_EXTENSION || mapping->class == SC_MODULE_ANONYMOUS) &&
        !is_pythons_program(mapping);
    if (mapping->class == SC_MODULE_ANONYMOUS) {
        frame.code = sc_collect_native(native->collect, SC_MODULE_DYNAMIC, 0);
        return frame;
    }
    uint64_t offset = mapping->file_offset + (address - mapping->start);
    uint64_t inside = sc_classifier_inside(classifier, mapping, address);
    const char *file = sc_native_file(native, sc_classifier_modules(classifier), mapping);
    frame.code = sc_collect_native(native->collect, file, offset - inside);
    return frame;
}

struct sc_native_frame sc_native_frame(struct sc_native *native, struct sc_classifier *classifier,
                                       uint64_t address)
{
    struct sc_modules *modules = sc_classifier_modules(classifier);
    uint32_t at = SC_NONE;
    if (native->generation == sc_modules_generation(modules))
        at = sc_map_get(&native->by_address, address);
    if (at != SC_NONE)
        return native->known.items[at];
    const struct sc_mapping *mapping = sc_modules_find(modules, address);
    if (native->generation != sc_modules_generation(modules) || native->known.count >= KNOWN_MAX) {
        clear_known(native);
        native->generation = sc_modules_generation(modules);
    }
    struct sc_native_frame frame = resolve_frame(native, classifier, mapping, address);
    if (mapping != NULL) {
        sc_map_put(&native->by_address, address, (uint32_t)native->known.count);
        sc_vec_push(&native->known, frame);
    }
    return frame;
}
