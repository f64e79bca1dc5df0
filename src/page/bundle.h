/*
 * page/bundle.h - the page itself as bytes of the program: its markup, its script and its styles.
 *
 * Made at build time from gui/ by tools/build_page and tools/embed_page.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

enum sc_bundle_id { SC_BUNDLE_MARKUP, SC_BUNDLE_SCRIPT, SC_BUNDLE_STYLE, SC_BUNDLE_COUNT_ };

struct sc_bundle_part {
    const char *bytes; /* a NUL follows them */
    size_t length;
    const char *hash; /* as a Content-Security-Policy names it: "sha256-..." */
};

extern const struct sc_bundle_part sc_bundle[SC_BUNDLE_COUNT_];
