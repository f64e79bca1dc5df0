/*
 * costs/console_script.h - files in the scripts folder of an environment that start an installed
 * tool and are not the user's code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sc_helper;

/* The package (source/entry_point.h) that the file of that absolute, resolved path starts; to be
 * freed. NULL when it is no console script of an environment. helper reads the files; NULL is
 * allowed. */
char *sc_console_script_package(struct sc_helper *helper, const char *path);
