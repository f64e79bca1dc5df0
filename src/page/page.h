/*
 * page/page.h - answers the page's questions about a profile: questions in, JSON texts out.
 *
 * docs/design/0010-page.md lists the questions; questions.def is their table. An answer is bounded,
 * however large the profile is. A page is used by one thread at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/json_out.h"
#include "page/query.h"
#include "profile/profile.h"
#include "report/report.h"

/* A profile may be of anyone: further moments are not shown. Ours have at most 33. */
#define SC_PAGE_MOMENTS_MAX 100U

struct sc_page_cache; /* tables made for earlier questions */

/* An answer that was made with the page. Both are owned. */
struct sc_page_stored {
    char *question;
    struct sc_str answer;
};

struct sc_page {
    struct sc_profile profile;     /* owned */
    struct sc_report report;       /* of every line */
    char *path;                    /* of the profile's file; NULL when it has none. Owned */
    bool served;                   /* false: the answers go into the page itself */
    const _Atomic bool *is_ending; /* nobody waits for answers any more: sources are not read.
                                      NULL: somebody does. Borrowed */
    bool notebook;                 /* the page is the output of a notebook's cell */
    SC_VEC(char *) left_out;       /* what a page that is not served lacks, in sentences. Owned */
    size_t *file_numbers; /* per file of profile.files: its index in report.files, which is its
                             number in all questions and answers */
    struct sc_page_cache *cache;
    struct sc_page_stacks *stacks;        /* NULL until they are asked for; page/frames.h */
    SC_VEC(struct sc_page_stored) stored; /* all answers of a page that has no profile */
};

/* Most rows of one answer. */
#define SC_PAGE_ROWS 2000

/* The status of an answer, as HTTP numbers it. */
enum sc_answer {
    SC_ANSWER_OK = 200,
    SC_ANSWER_BAD = 400,     /* the question cannot be understood */
    SC_ANSWER_MISSING = 404, /* there is no such question, file or place */
};

/* Takes ownership of the profile's contents and leaves it {0}. path may be NULL. The page must not
 * be moved afterwards: its report points into it. */
void sc_page_init(struct sc_page *page, struct sc_profile *profile, const char *path);

void sc_page_done(struct sc_page *page);

/* Adds the answer of "api/overview", "api/file?file=0&mode=hot", ... to ret_json. Where it cannot
 * be given, err says why and nothing is added. */
enum sc_answer sc_page_ask(struct sc_page *page, const char *question, struct sc_str *ret_json,
                           struct sc_err *err);

/* {"error": "sentence"} */
void sc_page_error(const char *text, struct sc_str *ret_json);

/* The functions of questions.def. out is a compact writer, positioned where the answer begins. A
 * question is refused before anything is written: as not to be understood (SC_ERR_USAGE), or for
 * what is missing. */
typedef bool sc_page_answer(struct sc_page *page, const struct sc_query *query,
                            struct sc_json_out *out, struct sc_err *err);
#define QUESTION(path, function) sc_page_answer function;
#include "page/questions.def"
#undef QUESTION

/* The value named "file" of a question: an index of report.files. */
bool sc_page_file(const struct sc_page *page, const struct sc_query *query, size_t *ret_number,
                  struct sc_err *err);

/* The number of a file of the profile. */
size_t sc_page_number_of(const struct sc_page *page, const struct sc_file *file);

/* The number of the file of this name; SIZE_MAX when the profile has none. */
size_t sc_page_find_file(const struct sc_page *page, const char *name);
