/*
 * page/ask.c - a page from a profile, and its answers to questions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "page/cache.h"
#include "page/frames.h"
#include "page/page.h"

void sc_page_init(struct sc_page *page, struct sc_profile *profile, const char *path)
{
    *page = (struct sc_page){.profile = *profile, .served = true};
    *profile = (struct sc_profile){0};
    page->path = path != NULL ? sc_strdup(path) : NULL;
    sc_report_init(&page->report, &page->profile, false);
    page->file_numbers = sc_alloc(page->report.files.count + 1, sizeof(*page->file_numbers));
    for (size_t i = 0; i < page->report.files.count; i++)
        page->file_numbers[page->report.files.items[i].file - page->profile.files.items] = i;
    page->cache = sc_page_cache_new();
}

void sc_page_done(struct sc_page *page)
{
    sc_page_cache_free(page->cache);
    sc_page_stacks_free(page->stacks);
    free(page->file_numbers);
    sc_report_done(&page->report);
    sc_profile_done(&page->profile);
    sc_vec_free(&page->left_out);
    for (size_t i = 0; i < page->stored.count; i++) {
        free(page->stored.items[i].question);
        sc_str_done(&page->stored.items[i].answer);
    }
    sc_vec_done(&page->stored);
    free(page->path);
    *page = (struct sc_page){0};
}

static const struct {
    const char *path;
    sc_page_answer *answer;
} questions[] = {
#define QUESTION(path, function) {path, function},
#include "page/questions.def"
#undef QUESTION
};

enum sc_answer sc_page_ask(struct sc_page *page, const char *question, struct sc_str *ret_json,
                           struct sc_err *err)
{
    for (size_t i = 0; i < page->stored.count; i++)
        if (strcmp(page->stored.items[i].question, question) == 0) {
            sc_str_add(ret_json, sc_str_text(&page->stored.items[i].answer));
            return SC_ANSWER_OK;
        }
    struct sc_query query = sc_query_read(question);
    if (!sc_query_decodes(&query)) { /* a value that does not decode would be taken as missing */
        (void)sc_fail(err, SC_ERR_USAGE, "the question has a '%%' that is no escape");
        return SC_ANSWER_BAD;
    }
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        if (!sc_query_path_is(&query, questions[i].path))
            continue;
        size_t before = ret_json->length;
        struct sc_json_out out = {.text = ret_json, .is_compact = true};
        if (questions[i].answer(page, &query, &out, err))
            return SC_ANSWER_OK;
        if (ret_json->length > before) {
            ret_json->length = before;
            ret_json->data[before] = '\0';
        }
        return err->kind == SC_ERR_USAGE ? SC_ANSWER_BAD : SC_ANSWER_MISSING;
    }
    (void)sc_fail(err, SC_ERR_FAILED, "there is no such question");
    return SC_ANSWER_MISSING;
}
