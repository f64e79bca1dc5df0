/*
 * agent/hook_exec.h - makes the programs that this process starts load the agent too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Stores what a child must find in its environment: the value of the rendezvous variable, and the
 * path of this library. If a text is too long, children are not profiled. Call it in the
 * constructor, or while no children are profiled. */
void sc_hook_exec_init(const char *rendezvous, const char *agent_path);

/* Programs started from now on are not profiled, until the next sc_hook_exec_init. */
void sc_hook_exec_stop(void);
