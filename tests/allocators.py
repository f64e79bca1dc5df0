# tests/allocators.py - how libraries in C that tests compile take the place of Python's allocators.
#
# SPDX-License-Identifier: Apache-2.0
"""The beginning of such a source: PyMemAllocatorEx, which is public, and its two functions."""

HEAD = """
#include <stddef.h>
#include <string.h>
struct allocator {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
};
void PyMem_GetAllocator(int domain, struct allocator *allocator);
void PyMem_SetAllocator(int domain, struct allocator *allocator);
"""
