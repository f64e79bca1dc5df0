/* export/export.c - see export.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/export.h"

#include <string.h>

#include "export/writers.h"

const struct sc_export_format sc_export_formats[] = {
#define X_ROW(name, extension, is_binary, title)                                                   \
    {#name, extension, title, is_binary, sc_export_##name},
    SC_EXPORT_FORMATS(X_ROW)
#undef X_ROW
};

const size_t sc_export_format_count = sizeof(sc_export_formats) / sizeof(sc_export_formats[0]);

const struct sc_export_format *sc_export_find(const char *name)
{
    for (size_t i = 0; i < sc_export_format_count; i++) {
        if (strcmp(sc_export_formats[i].name, name) == 0)
            return &sc_export_formats[i];
    }
    return NULL;
}

const struct sc_export_format *sc_export_of_file(const char *path)
{
    for (size_t i = 0; i < sc_export_format_count; i++) {
        if (sc_ends_with(path, sc_export_formats[i].extension))
            return &sc_export_formats[i];
    }
    return NULL;
}

bool sc_export_has_data(const struct sc_profile *profile)
{
    return profile->files.count > 0 || profile->call_tree.count > 0 ||
           profile->combined_stacks.count > 0 || profile->stacks.count > 0;
}
