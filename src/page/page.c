/* page/page.c - see page.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/page.h"

#include <string.h>

#include "base/sort.h"

size_t sc_page_number_of(const struct sc_page *page, const struct sc_file *file)
{
    return page->file_numbers[file - page->profile.files.items];
}

size_t sc_page_find_file(const struct sc_page *page, const char *name)
{
    const struct sc_file *files = page->profile.files.items; /* sorted by name */
    size_t count = page->profile.files.count;
    size_t at;
    sc_find_first(&at, count, i, strcmp(files[i].name, name) < 0);
    return at < count && strcmp(files[at].name, name) == 0 ? page->file_numbers[at] : SIZE_MAX;
}

bool sc_page_file(const struct sc_page *page, const struct sc_query *query, size_t *ret_number,
                  struct sc_err *err)
{
    uint64_t number;
    if (!sc_query_count(query, "file", UINT32_MAX, UINT64_MAX, &number, err))
        return false;
    if (number == UINT64_MAX)
        return sc_fail(err, SC_ERR_USAGE, "the question must say which file");
    if (number >= page->report.files.count)
        return sc_fail(err, SC_ERR_FAILED, "there is no file %llu", (unsigned long long)number);
    *ret_number = (size_t)number;
    return true;
}

void sc_page_error(const char *text, struct sc_str *ret_json)
{
    struct sc_json_out out = {.text = ret_json, .is_compact = true};
    sc_json_begin(&out, '{');
    sc_json_key(&out, "error");
    sc_json_string(&out, text);
    sc_json_end(&out, '}');
}
