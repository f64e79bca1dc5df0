/*
 * export/gzip.h - bytes in gzip's format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"

void sc_export_gzip(const struct sc_str *from, struct sc_str *ret_bytes);
