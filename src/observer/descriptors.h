/*
 * observer/descriptors.h - how many files the observer may have open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Raises the limit of open files as far as it is useful: for each thread one is kept open. */
void sc_descriptors_raise_limit(void);

/* One descriptor is kept for the profile's file: threads and mapped files may take all others.
 * *reserved_fd is -1 while there is none. */
void sc_descriptors_reserve(int *reserved_fd);
void sc_descriptors_release(int *reserved_fd);
