/*
 * import/readers.h - the functions of the table of formats: each pair is of one file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "import/tree.h"

/* Of austin's files. */
#define SC_IMPORT_GROWTH_NOTE                                                                      \
    "memory is what the process had grown by when austin looked, at the line that it was at "      \
    "then; "                                                                                       \
    "what it gave back, and so the peak, is not known"

#define SC_IMPORT_READER(name)                                                                     \
    bool sc_##name##_probe(const char *bytes, size_t length);                                      \
    bool sc_##name##_read(struct sc_import_tree *tree, const char *bytes, size_t length,           \
                          struct sc_err *err)

SC_IMPORT_READER(chrome);
SC_IMPORT_READER(collapsed);
SC_IMPORT_READER(gecko);
SC_IMPORT_READER(jsonl);
SC_IMPORT_READER(memray);
SC_IMPORT_READER(mojo);
SC_IMPORT_READER(pprof);
SC_IMPORT_READER(pstats);
SC_IMPORT_READER(pyinstrument);
SC_IMPORT_READER(speedscope);
