/*
 * agent/hook_exec.h - the processes that this one starts are followed too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Keeps what a child must find in its environment: the rendezvous variable's value, and the path of
 * this library. Texts that are too long are not kept, and children not followed. In the
 * constructor, or while nothing is followed. */
void sc_hook_exec_init(const char *rendezvous, const char *agent_path);

/* What is started from now on is not followed, until the next sc_hook_exec_init. */
void sc_hook_exec_stop(void);
