/*
 * tests/fuzz/routes_fuzz.c - any request to a page's server, with the token and without.
 *
 * The input is lines: method, target ("T" alone stands for the token), host, origin; the rest is
 * the body. An answer to a question must be JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "server/site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file with source, functions, a leak and text that is no UTF-8. */
static struct sc_page *make_page(void)
{
    struct sc_profile profile = {.elapsed_s = 2.0, .memory = true, .async_profile = true};
    sc_vec_push(&profile.files, (struct sc_file){.name = sc_strdup("/w/\xff.py")});
    struct sc_file *file = &profile.files.items[0];
    static const char *const texts[] = {"def f():\n", "    for x in '''\xf0':\n",
                                        "      <!-- '''\n"};
    for (uint32_t i = 0; i < 30; i++) {
        struct sc_line line = {.lineno = i + 1, .text = sc_strdup(texts[i % 3])};
        line.cost.cpu_python_percent = i % 4;
        line.region.start_function_line = 1;
        line.region.end_function_line = i + 2;
        sc_vec_push(&file->lines, line);
    }
    sc_vec_push(&file->functions, (struct sc_function){.name = sc_strdup("f\xed"), .lineno = 1});
    sc_vec_push(&file->leaks, (struct sc_leak){2, 0.99, 1.0});
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, NULL);
    return page;
}

/* Takes a line off the input; to be freed. */
static char *take_line(const char **text, size_t *left)
{
    const char *end = memchr(*text, '\n', *left);
    size_t length = end != NULL ? (size_t)(end - *text) : *left;
    char *line = sc_strndup(*text, length);
    *text += length + (end != NULL ? 1 : 0);
    *left -= length + (end != NULL ? 1 : 0);
    return line;
}

/* Lone surrogates are what jansson does not take. */
static void check_json(struct sc_str *text)
{
    char *escape;
    while ((escape = strstr(text->data, "\\udc")) != NULL)
        memcpy(escape, "\\u00", 4);
    json_t *root = json_loadb(text->data, text->length, JSON_ALLOW_NUL, NULL);
    if (root == NULL)
        abort();
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sc_site site;
    struct sc_err err = {0};
    if (site.page == NULL) {
        if (!sc_site_init(&site, make_page(), NULL, &err))
            abort();
        (void)strcpy(site.host, "127.0.0.1");
        site.port = 11235;
    }
    const char *text = (const char *)data;
    SC_AUTO_FREE char *method = take_line(&text, &size);
    SC_AUTO_FREE char *target = take_line(&text, &size);
    SC_AUTO_FREE char *host = take_line(&text, &size);
    SC_AUTO_FREE char *origin = take_line(&text, &size);
    SC_AUTO_FREE char *body = sc_strndup(text, size);
    SC_AUTO_FREE char *whole = sc_starts_with(target, "/T/")
                                   ? sc_format("/%s%s", site.token, target + 2)
                                   : sc_strdup(target);
    struct sc_request request = {.method = method,
                                 .target = whole,
                                 .host = *host != '\0' ? host : "127.0.0.1:11235",
                                 .origin = *origin != '\0' ? origin : NULL,
                                 .body = body,
                                 .body_length = size};
    struct sc_response response = {0};
    sc_site_answer(&site, &request, &response);
    if (response.status == 0 || response.type == NULL)
        abort();
    if (response.status == SC_STATUS_OK && !sc_starts_with(target, "/T/"))
        abort(); /* nobody gets anything without the token */
    if (strcmp(response.type, SC_TYPE_JSON) == 0)
        check_json(&response.text);
    sc_response_done(&response);
    return 0;
}
