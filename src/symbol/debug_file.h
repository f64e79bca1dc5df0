/*
 * symbol/debug_file.h - finds the separate debug files of distributions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elfutils/libdwfl.h>

/* For Dwfl_Callbacks.find_debuginfo, like dwfl_standard_find_debuginfo. But where a file has a
 * build id, no server is asked, nor is the library loaded that would ask: that takes longer than
 * finding all names of a usual run. Debug files are looked for by that id, and by the name in the
 * file's debug link: beside it, in .debug beside it, and under /usr/lib/debug (GDB's manual,
 * "Separate Debug Files"). Returns a descriptor that libdwfl closes, or -1. */
int sc_debug_file_find(Dwfl_Module *module, void **userdata, const char *module_name,
                       Dwarf_Addr base, const char *file_name, const char *link_name,
                       GElf_Word link_checksum, char **ret_file_name);
