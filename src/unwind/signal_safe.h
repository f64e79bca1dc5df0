/*
 * unwind/signal_safe.h - marks functions that run in a signal handler.
 *
 * They go to a section of their own, whose calls tools/check_signal_safe.py compares with a list.
 * src/agent/rules.h has the rules.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#define SC_SIGNAL_SAFE __attribute__((section(".text.signal_safe")))
