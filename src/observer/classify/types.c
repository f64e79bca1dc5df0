/* observer/classify/types.c - see types.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/classify/types.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cpython/layout.h"
#include "observer/system/remote.h"

/* From tp_new to tp_vectorcall in struct _typeobject: Include/cpython/object.h, v3.8.18 to v3.14.0.
 * In between are nine pointers, an unsigned int (with a short or char beside it from 3.12 on) and
 * tp_finalize. */
#define NEW_TO_VECTORCALL 88

struct sc_type_reader {
    struct sc_remote remote;
    struct sc_target target;
    struct sc_layout layout;
};

struct sc_type_reader *sc_type_reader_new(struct sc_subject subject, const struct sc_layout *layout)
{
    struct sc_type_reader *reader = sc_alloc(1, sizeof(*reader));
    reader->remote = sc_subject_remote(subject);
    reader->target = (struct sc_target){.read = sc_remote_read, .context = &reader->remote};
    reader->layout = *layout;
    return reader;
}

void sc_type_reader_free(struct sc_type_reader *reader)
{
    if (reader == NULL)
        return;
    sc_remote_done(&reader->remote);
    free(reader);
}

static bool read_slot(struct sc_type_reader *reader, uint64_t type, int32_t offset,
                      uint64_t *ret_function)
{
    return offset >= 0 && sc_target_read(&reader->target, type + (uint64_t)offset, ret_function,
                                         sizeof(*ret_function));
}

bool sc_type_reader_read(struct sc_type_reader *reader, uint64_t type,
                         struct sc_type_slots *ret_slots)
{
    const struct sc_layout *layout = &reader->layout;
    struct sc_type_slots slots = {0};
    if (!read_slot(reader, type, layout->tp_dealloc, &slots.dealloc) ||
        !read_slot(reader, type, layout->tp_init, &slots.init) ||
        !read_slot(reader, type, layout->tp_new_ + NEW_TO_VECTORCALL, &slots.vectorcall))
        return false;
    *ret_slots = slots;
    return true;
}
