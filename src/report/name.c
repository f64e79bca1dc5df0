/*
 * report/name.c - the name of a file as it is shown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/name.h"

#include <string.h>

const char *sc_report_name(const struct sc_profile *profile, const char *name)
{
    const char *root = profile->root_dir;
    if (root == NULL || root[0] != '/' || !sc_starts_with(name, root))
        return name;
    const char *rest = name + strlen(root);
    if (*rest != '/' && !sc_ends_with(root, "/"))
        return name;
    while (*rest == '/')
        rest++;
    return *rest != '\0' ? rest : name;
}
