/*
 * observer/system/descriptors.h - how many files the observer may have open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Raises the limit of open files as far as it is useful: for each thread one is kept open. */
void sc_descriptors_raise_limit(void);

/* One descriptor is kept for the profile's file: threads and mapped files may take all others.
 * *reserved_fd is -1 while there is none. */
void sc_descriptors_reserve(int *reserved_fd);

/* Returns fd, which is to be kept for a thread or a process, or -1. At most half of all descriptors
 * are: the others are for files that are opened and closed again. */
int sc_descriptors_keep(int fd);

/* Returns fd, which was to be a new descriptor. One that was not to be had for want of room counts:
 * what it was for is not known then, and the profile says so. */
int sc_descriptors_count(int fd);
uint64_t sc_descriptors_lacking(void);
