/*
 * base/helper_child.h - what the child process of helper.h does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"

/* Done in the child, whose memory is a copy of ours from when it began: it works with the question
 * alone. Its answer is added to ret_answer. */
typedef void sc_helper_work(const char *question, size_t length, struct sc_str *ret_answer);

/* Before each question. Both ends are the same program, so its layout is the same. An answer begins
 * with its length. */
struct sc_helper_head {
    sc_helper_work *work;
    size_t length;
};

/* Answers the questions that come through the socket, until it is closed. root_fd: the root
 * directory from now on, or -1; ends at once where it cannot be that. */
_Noreturn void sc_helper_serve(int fd, int root_fd);

/* Whether this is a child: only there may work keep something for later questions. */
bool sc_helper_is_child(void);
