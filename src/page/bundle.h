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

/* Where the standalone file inserts its own elements: behind the first of these, and in place of
 * the others. Each occurs in the markup once, in this order, which tools/embed_page.py checks. */
#define SC_BUNDLE_HEAD_MARK   "<meta charset=\"utf-8\">"
#define SC_BUNDLE_STYLE_MARK  "<link rel=\"stylesheet\" href=\"app.css\">"
#define SC_BUNDLE_SCRIPT_MARK "<script src=\"app.js\" defer></script>"
