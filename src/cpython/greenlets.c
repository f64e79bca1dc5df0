/*
 * cpython/greenlets.c - greenlets that are switched out, and their frames.
 *
 * Nothing lists greenlets, so they are searched for among the objects that the garbage collector
 * knows. A greenlet has a pointer to an object of C++ (greenlet.h, TGreenlet.hpp of
 * python-greenlet/greenlet 3.1 to 3.5): a table of functions, a pointer back, by which older
 * versions are told apart, what it has of exceptions, 2 words, the state of its C stack, a context,
 * and its innermost frame, which is NULL while it runs.
 *
 * From 3.12 on some frames of the interpreter are on the C stack. They are read from the copy that
 * was made of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/greenlets.h"

#include "cpython/load.h"
#include "cpython/modules.h"

enum {
    LISTS = 4,
    LIST_BYTES = 24, /* struct gc_generation */
    HEAD_BYTES = 16, /* PyGC_Head, in front of an object */
    FLAG_BITS = 3,   /* of its two pointers */
    OBJECTS_LIMIT = 1 << 24,
    TYPES_KNOWN = 1024,
    BASES_LIMIT = 32,
    BACK = 8,
    EXCEPTION = 16,
    SHORT_EXCEPTIONS = 0x030b, /* _PyErr_StackItem has 2 words, and had 4 */
    STACK_WORDS = 4,           /* start, stop, copy, how much */
    STACK_LIMIT = 1 << 30,
    HAS_FRAME_INSIDE = 0x030b, /* PyFrameObject points at what the others are linked by */
};

static bool is_greenlet_type(const struct sc_python *python, uint64_t type)
{
    static const char wanted[] = "greenlet.greenlet";
    for (int i = 0; i < BASES_LIMIT && sc_is_object_address(type); i++) {
        char name[sizeof(wanted) + 1];
        if (!sc_type_name(python, type, name, sizeof(name)))
            return false;
        if (__builtin_strcmp(name, wanted) == 0)
            return true;
        if (!sc_read_u64(python->target, type, python->at->tp_base, &type))
            return false;
    }
    return false;
}

static bool is_greenlet(const struct sc_python *python, uint64_t object)
{
    static struct {
        uint64_t type;
        bool is_greenlet;
    } known[TYPES_KNOWN];
    uint64_t type = 0;
    if (!sc_read_u64(python->target, object, python->layout->ob_type, &type))
        return false;
    size_t place = (type >> 4) % TYPES_KNOWN;
    if (known[place].type != type) {
        known[place].type = type;
        known[place].is_greenlet = is_greenlet_type(python, type);
    }
    return known[place].is_greenlet;
}

bool sc_greenlet_read(const struct sc_python *python, uint64_t object,
                      struct sc_greenlet *ret_greenlet)
{
    const struct sc_target *target = python->target;
    const struct sc_layout *layout = python->layout;
    uint64_t pointers = object + (uint32_t)python->at->ob_size;
    uint64_t inner = 0;
    uint64_t back = 0;
    uint64_t words[STACK_WORDS + 3]; /* the stack, what was before, a context, a frame */
    uint64_t offset = EXCEPTION + 8 * (layout->version >= SHORT_EXCEPTIONS ? 3 : 5) + 16;
    *ret_greenlet = (struct sc_greenlet){.object = object};
    if (!sc_read_u64(target, pointers, 16, &inner) || !sc_is_object_address(inner) ||
        !sc_read_u64(target, inner, BACK, &back) || back != object ||
        !sc_read_u64(target, object, layout->ob_type, &ret_greenlet->type) ||
        !sc_target_read(target, inner + offset, words, sizeof(words)))
        return false;
    uint64_t frame = words[STACK_WORDS + 2];
    if (frame == 0)
        return true;
    if (!sc_is_built_in(python, frame, "frame") || words[0] > words[1] || words[3] > STACK_LIMIT ||
        (layout->version >= HAS_FRAME_INSIDE &&
         !sc_read_u64(target, frame, python->at->ob_size + 8, &frame)))
        return false;
    ret_greenlet->is_main = words[1] == UINT64_MAX;
    ret_greenlet->frame = frame;
    ret_greenlet->start = words[0];
    ret_greenlet->copy = words[2];
    ret_greenlet->copied_bytes = words[3];
    return true;
}

/* Goes through one of the collector's lists; false when it is none. */
static bool search_list(const struct sc_python *python, uint64_t list,
                        struct sc_greenlet *greenlets, size_t capacity, size_t *count)
{
    const uint64_t mask = ~(uint64_t)((1 << FLAG_BITS) - 1);
    uint64_t before = list;
    for (int i = 0; i < OBJECTS_LIMIT; i++) {
        uint64_t links[2];
        uint64_t at = 0;
        if (!sc_read_u64(python->target, before, 0, &at))
            return false;
        at &= mask;
        if (!sc_is_object_address(at) ||
            !sc_target_read(python->target, at, links, sizeof(links)) ||
            (links[1] & mask) != before)
            return false;
        if (at == list)
            return true;
        before = at;
        uint64_t object = at + HEAD_BYTES;
        if (*count == capacity || !is_greenlet(python, object))
            continue;
        if (!sc_greenlet_read(python, object, &greenlets[*count]))
            return false;
        *count += greenlets[*count].frame != 0;
    }
    return false;
}

bool sc_greenlets_list(const struct sc_python *python, uint64_t runtime, uint64_t interpreter,
                       struct sc_greenlet *greenlets, size_t capacity, size_t *ret_count)
{
    const struct sc_layout *layout = python->layout;
    uint64_t module = 0;
    *ret_count = 0;
    if (!sc_imported_find(python, interpreter, "greenlet._greenlet", &module))
        return true;
    if (python->at->gc_lists < 0)
        return false;
    uint64_t collecting = layout->is_gc_collecting >= 0
                              ? interpreter + (uint32_t)layout->is_gc_collecting
                              : runtime + (uint32_t)layout->rt_gc_collecting;
    for (uint32_t i = 0; i < LISTS; i++) {
        uint64_t list = i + 1 < LISTS
                            ? collecting - (uint32_t)python->at->gc_lists + (uint64_t)i * LIST_BYTES
                            : collecting - (uint32_t)python->at->gc_permanent;
        if (!search_list(python, list, greenlets, capacity, ret_count))
            return false;
    }
    return true;
}

/* Memory with the copied part of a C stack at its place. */
struct laid_over {
    const struct sc_target *below;
    const struct sc_greenlet *greenlet;
};

static bool read_over(void *context, uint64_t address, void *bytes, size_t length)
{
    const struct laid_over *over = context;
    const struct sc_greenlet *greenlet = over->greenlet;
    uint64_t offset = address - greenlet->start;
    if (greenlet->copy == 0 || offset >= greenlet->copied_bytes)
        return sc_target_read(over->below, address, bytes, length);
    uint64_t held = greenlet->copied_bytes - offset;
    size_t part = held < length ? (size_t)held : length;
    return sc_target_read(over->below, greenlet->copy + offset, bytes, part) &&
           (part == length || sc_target_read(over->below, address + part,
                                             (unsigned char *)bytes + part, length - part));
}

size_t sc_greenlet_frames(const struct sc_python *python, uint64_t code_type,
                          const struct sc_greenlet *greenlet, struct sc_py_frame *frames,
                          size_t capacity)
{
    struct laid_over over = {.below = python->target, .greenlet = greenlet};
    const struct sc_target target = {.read = read_over, .context = &over};
    struct sc_walk walk;
    size_t count = 0;
    sc_walk_begin(&walk, python->layout, &target, code_type, 0);
    walk.next_frame = greenlet->frame;
    walk.end = SC_WALK_MORE;
    while (count < capacity && sc_walk_next(&walk, &frames[count]))
        count++;
    return walk.end == SC_WALK_ROOT || count == capacity ? count : 0;
}
