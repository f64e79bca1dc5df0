/* page/standalone.c - see standalone.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/standalone.h"

#include <string.h>

#include "page/bundle.h"

/* In JSON a '<' occurs only in strings, where it can be escaped: so no text can end the element or
 * open a comment. */
static void add_harmless(struct sc_str *html, const struct sc_str *json)
{
    const char *at = sc_str_text(json);
    for (;;) {
        size_t plain = strcspn(at, "<");
        sc_str_add_bytes(html, at, plain);
        at += plain;
        if (*at == '\0')
            return;
        sc_str_add(html, "\\u003c");
        at++;
    }
}

static void add_part(struct sc_str *html, enum sc_bundle_id id)
{
    sc_str_add_bytes(html, sc_bundle[id].bytes, sc_bundle[id].length);
}

/* Copies the markup up to the mark and returns the place behind it; tools/embed_page.py checks that
 * the marks are there. */
static const char *copy_to(struct sc_str *html, const char *markup, const char *mark)
{
    const char *place = strstr(markup, mark);
    if (place == NULL)
        return markup;
    sc_str_add_bytes(html, markup, (size_t)(place - markup));
    return place + strlen(mark);
}

void sc_page_standalone(struct sc_page *page, enum sc_page_form form, struct sc_str *ret_html)
{
    SC_AUTO(sc_str_done) struct sc_str answers = {0};
    sc_page_select(page, form, &answers);
    const char *markup = copy_to(ret_html, sc_bundle[SC_BUNDLE_MARKUP].bytes, SC_BUNDLE_HEAD_MARK);
    sc_str_add_format(
        ret_html,
        SC_BUNDLE_HEAD_MARK
        "\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; "
        "form-action 'none'\">",
        sc_bundle[SC_BUNDLE_SCRIPT].hash, sc_bundle[SC_BUNDLE_STYLE].hash);
    markup = copy_to(ret_html, markup, SC_BUNDLE_STYLE_MARK);
    sc_str_add(ret_html, "<style>");
    add_part(ret_html, SC_BUNDLE_STYLE);
    sc_str_add(ret_html, "</style>");
    markup = copy_to(ret_html, markup, SC_BUNDLE_SCRIPT_MARK);
    sc_str_add(ret_html, "<script type=\"application/json\" id=\"answers\">{");
    add_harmless(ret_html, &answers);
    sc_str_add(ret_html, "}</script>\n<script>");
    add_part(ret_html, SC_BUNDLE_SCRIPT);
    sc_str_add(ret_html, "</script>");
    sc_str_add(ret_html, markup);
}
