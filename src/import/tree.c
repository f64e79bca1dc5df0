/* import/tree.c - see tree.h. SPDX-License-Identifier: Apache-2.0 */
#include "import/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* All times, and all bytes, of an import: 285 years, so that no sum of them overflows. */
#define TIME_NS_MAX 9e18
#define BYTES_MAX   ((uint64_t)1 << 60U)
#define SAMPLES_MAX ((uint64_t)1 << 53U)
#define NOTES_MAX   100U

void sc_import_tree_init(struct sc_import_tree *tree)
{
    *tree = (struct sc_import_tree){0};
    sc_collect_init(&tree->collect, SC_IMPORT_NODES_MAX, 0);
}

void sc_import_tree_done(struct sc_import_tree *tree)
{
    sc_collect_done(&tree->collect);
    sc_import_places_done(&tree->places);
    sc_intern_done(&tree->natives);
    sc_intern_done(&tree->spelt);
    sc_intern_done(&tree->threads);
    sc_vec_done(&tree->spelt_frames);
    sc_vec_done(&tree->memory);
    sc_map_done(&tree->memory_index);
    sc_vec_free(&tree->notes);
}

static uint32_t as_line(uint64_t line)
{
    return line < INT32_MAX ? (uint32_t)line : 0;
}

/* "len" of "<built-in method builtins.len>"; other names in angle brackets, which stand for no
 * function, without those. Changes the text. */
static const char *native_name(char *text)
{
    static const char *const prefixes[] = {"<built-in method ", "builtins."};
    const char *name = text;
    if (text[0] != '<' || !sc_ends_with(text, ">"))
        return text;
    text[strlen(text) - 1] = '\0';
    for (size_t i = 0; i < 2; i++)
        name += sc_starts_with(name, prefixes[i]) ? strlen(prefixes[i]) : 0;
    return name == text ? name + 1 : name;
}

struct sc_import_frame sc_import_frame_of(struct sc_import_tree *tree, struct sc_import_text name,
                                          struct sc_import_text file, uint64_t line,
                                          uint64_t first_line)
{
    /* pyinstrument's name for the time in the frame around */
    if (file.length == 0 && name.length == 6 && memcmp(name.bytes, "[self]", 6) == 0)
        return (struct sc_import_frame){SC_NONE, 0};
    name.length = name.length < SC_IMPORT_NAME_MAX ? name.length : SC_IMPORT_NAME_MAX;
    file.length = file.length < SC_IMPORT_NAME_MAX ? file.length : SC_IMPORT_NAME_MAX;
    struct sc_import_file *place = sc_import_place(&tree->places, file);
    SC_AUTO_FREE char *text =
        name.length > 0 ? sc_strndup(name.bytes, name.length) : sc_strdup("?");
    if (!place->is_python) {
        const char *plain = native_name(text);
        if (tree->natives.count >= SC_IMPORT_FRAMES_MAX)
            plain = "?";
        uint32_t offset = sc_intern_add(&tree->natives, plain, strlen(plain));
        return (struct sc_import_frame){sc_collect_native(&tree->collect, place->name, offset), 0};
    }
    line = sc_import_line(&tree->places, place, as_line(line));
    uint32_t begins = as_line(first_line);
    if (file.length == 0) /* has one line, so that all time is at lines */
        line = begins = 1;
    if (begins == 0)
        begins = sc_import_first_line(&tree->places, place, text, (uint32_t)line);
    return (struct sc_import_frame){sc_collect_code(&tree->collect, place->name, text, begins),
                                    (uint32_t)line};
}

/* The number that ends the text behind the last colon, which it is cut off with; false without. */
static bool take_line(struct sc_import_text *text, uint64_t *ret_line)
{
    size_t at = text->length;
    uint64_t line = 0;
    uint64_t place = 1;
    while (at > 0 && text->bytes[at - 1] >= '0' && text->bytes[at - 1] <= '9' &&
           place < 10000000000) {
        line += place * (uint64_t)(text->bytes[--at] - '0');
        place *= 10;
    }
    if (at == text->length || at == 0 || text->bytes[at - 1] != ':')
        return false;
    text->length = at - 1;
    *ret_line = line;
    return true;
}

/* The module of native code without a name, as `scalene export` writes it: "libz.so.1+0x5d80",
 * "[kernel]". Empty of any other frame. */
static struct sc_import_text module_of(struct sc_import_text text)
{
    static const char digits[] = "0123456789abcdef";
    const struct sc_import_text none = {"", 0};
    size_t at = text.length;
    if (text.length == strlen(SC_MODULE_KERNEL) &&
        memcmp(text.bytes, SC_MODULE_KERNEL, text.length) == 0)
        return text;
    while (at > 0 && memchr(digits, text.bytes[at - 1], sizeof(digits) - 1) != NULL)
        at--;
    if (at == text.length || at < 4 || memcmp(text.bytes + at - 3, "+0x", 3) != 0)
        return none;
    return (struct sc_import_text){text.bytes, at - 3};
}

static struct sc_import_frame parse_frame(struct sc_import_tree *tree, struct sc_import_text text)
{
    uint64_t line = 0;
    if (text.length > 0 && text.bytes[text.length - 1] == ')') {
        size_t at = text.length - 1;
        while (at > 0 && text.bytes[at] != '(')
            at--;
        struct sc_import_text file = {text.bytes + at + 1, text.length - at - 2};
        if (at > 1 && text.bytes[at - 1] == ' ' && file.length > 0) {
            (void)take_line(&file, &line);
            return sc_import_frame_of(tree, (struct sc_import_text){text.bytes, at - 1}, file, line,
                                      0);
        }
    }
    struct sc_import_text rest = text;
    if (take_line(&rest, &line)) {
        size_t at = rest.length;
        while (at > 0 && rest.bytes[at - 1] != ':')
            at--;
        struct sc_import_text name = {rest.bytes + at, rest.length - at};
        if (at > 1 && name.length > 0)
            return sc_import_frame_of(tree, name, (struct sc_import_text){rest.bytes, at - 1}, line,
                                      0);
    }
    return sc_import_frame_of(tree, text, module_of(text), 0, 0);
}

bool sc_import_take_number(struct sc_import_text *text, uint64_t *ret_number)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < text->length && text->bytes[digits] >= '0' && text->bytes[digits] <= '9';
         digits++) {
        if (number > (uint64_t)INT64_MAX / 10 - 1)
            return false;
        number = number * 10 + (uint64_t)(text->bytes[digits] - '0');
    }
    text->bytes += digits;
    text->length -= digits;
    *ret_number = number;
    return digits > 0;
}

struct sc_import_frame sc_import_spelt(struct sc_import_tree *tree, struct sc_import_text text)
{
    if (tree->spelt.count >= SC_IMPORT_FRAMES_MAX &&
        sc_intern_find(&tree->spelt, text.bytes, text.length) == SC_NONE)
        return parse_frame(tree, text);
    uint32_t at = sc_intern_add(&tree->spelt, text.bytes, text.length);
    if (at == tree->spelt_frames.count)
        sc_vec_push(&tree->spelt_frames, parse_frame(tree, text));
    return tree->spelt_frames.items[at];
}

uint32_t sc_import_call(struct sc_import_tree *tree, uint32_t parent, struct sc_import_frame frame)
{
    return frame.code == SC_NONE ? parent
                                 : sc_collect_frame(&tree->collect, parent, frame.code, frame.line);
}

/* The number, or one that none of the threads before has: a timeline knows them by that alone, and
 * files may count from 1 each. */
static uint64_t free_tid(const struct sc_collect *collect, uint32_t threads, uint64_t tid)
{
    uint64_t highest = 0;
    bool is_free = true;
    for (uint32_t i = 0; i < threads; i++) {
        uint64_t taken = collect->threads.items[i].tid;
        is_free = is_free && taken != tid;
        highest = taken > highest ? taken : highest;
    }
    return is_free ? tid : highest + 1;
}

uint32_t sc_import_thread(struct sc_import_tree *tree, uint64_t pid, uint64_t tid, const char *name,
                          bool is_main)
{
    struct sc_collect *collect = &tree->collect;
    pid = pid != 0 ? pid : tree->pid;
    const uint64_t key[] = {pid, pid != 0 ? 0 : tree->files, tid};
    uint32_t id = sc_intern_find(&tree->threads, (const char *)key, sizeof(key));
    if (id == SC_NONE && tree->threads.count < SC_IMPORT_THREADS_MAX)
        id = sc_intern_add(&tree->threads, (const char *)key, sizeof(key));
    size_t known = collect->threads.count;
    uint32_t at = sc_collect_thread(collect, 0, id);
    struct sc_thread_cost *thread = &collect->threads.items[at];
    bool is_rest = at == SC_IMPORT_THREADS_MAX - 1; /* all further ones */
    if (at == known && !is_rest) {
        thread->tid = free_tid(collect, at, tid);
        thread->pid = pid != 0 ? pid : tree->files + 1;
    }
    tree->names_processes |= pid != 0;
    thread->has_python = true;
    thread->is_main = thread->is_main || (is_main && !is_rest);
    if (name != NULL && name[0] != '\0' && !is_rest)
        (void)snprintf(thread->name, sizeof(thread->name), "%s", name);
    else if (thread->name[0] == '\0')
        (void)snprintf(thread->name, sizeof(thread->name), "thread %llu", (unsigned long long)tid);
    return at;
}

/* The node of a thread that waits there, in the kernel as in every profile; or of one without a
 * stack. */
static uint32_t node_of(struct sc_import_tree *tree, uint32_t node, bool is_idle)
{
    static const char waiting[] = "waiting";
    static const struct sc_import_text none = {"(no_stack)", 10};
    if (node == 0)
        node = sc_import_call(tree, 0, sc_import_spelt(tree, none));
    if (!is_idle)
        return node;
    uint32_t name = sc_intern_add(&tree->natives, waiting, strlen(waiting));
    uint32_t code = sc_collect_native(&tree->collect, SC_MODULE_KERNEL, name);
    return sc_collect_frame(&tree->collect, node, code, 0);
}

static enum sc_time kind_of(const struct sc_collect *collect, uint32_t node, bool is_idle)
{
    if (is_idle)
        return SC_TIME_OTHER_WAIT;
    if (!sc_collect_is_native(collect, node))
        return SC_TIME_PYTHON;
    uint32_t file = collect->codes.items[collect->nodes.items[node].code].file;
    bool is_kernel = strcmp(sc_intern_text(&collect->names, file), SC_MODULE_KERNEL) == 0;
    return is_kernel ? SC_TIME_KERNEL : SC_TIME_NATIVE;
}

bool sc_import_add_time(struct sc_import_tree *tree, const struct sc_import_time *time,
                        struct sc_err *err)
{
    double ns = time->seconds * 1e9 + 0.5;
    if (!(time->seconds >= 0 && ns + (double)tree->time_ns <= TIME_NS_MAX))
        return sc_fail(err, SC_ERR_FAILED, "a time of %g s, or the sum with it, is out of range",
                       time->seconds);
    if (time->samples > SAMPLES_MAX - tree->samples)
        return sc_fail(err, SC_ERR_FAILED, "a count of %llu, or the sum with it, is out of range",
                       (unsigned long long)time->samples);
    uint32_t node = node_of(tree, time->node, time->is_idle);
    uint64_t time_ns = (uint64_t)ns;
    enum sc_time kind = kind_of(&tree->collect, node, time->is_idle);
    struct sc_stack_cost *cost = sc_collect_cost(&tree->collect, node);
    struct sc_thread_cost *thread = &tree->collect.threads.items[time->thread];
    cost->time_ns[kind] += time_ns;
    cost->samples += time->samples;
    thread->time_ns[kind] += time_ns;
    thread->cpu_ns += time->is_idle ? 0 : time_ns;
    thread->samples += time->samples;
    tree->time_ns += time_ns;
    tree->samples += time->samples;
    double start_ns = time->start_s * 1e9;
    if (time->has_start && start_ns >= 0 && start_ns <= TIME_NS_MAX && time_ns > 0)
        sc_timeline_add(&tree->collect.timeline, (uint64_t)start_ns, time->thread, node, time_ns);
    return true;
}

bool sc_import_add_memory(struct sc_import_tree *tree, const struct sc_import_memory *memory,
                          struct sc_err *err)
{
    if (memory->is_alive && tree->is_continued)
        return true;
    bool is_block = memory->bytes > 0 && !memory->is_part;
    uint64_t blocks = memory->blocks > 0 || !is_block ? memory->blocks : 1;
    if (memory->bytes > BYTES_MAX - tree->bytes || blocks > SAMPLES_MAX - tree->blocks)
        return sc_fail(err, SC_ERR_FAILED,
                       "%llu bytes or %llu blocks, or the sum with them, are "
                       "out of range",
                       (unsigned long long)memory->bytes, (unsigned long long)blocks);
    uint32_t node = node_of(tree, memory->node, false);
    uint64_t key = (uint64_t)node * 2 + memory->is_alive;
    uint32_t at = sc_map_get(&tree->memory_index, key);
    if (at == SC_NONE) {
        at = (uint32_t)tree->memory.count;
        sc_map_put(&tree->memory_index, key, at);
        sc_vec_push(&tree->memory, (struct sc_import_memory){.node = node,
                                                             .is_alive = memory->is_alive,
                                                             .is_part = memory->is_part});
    }
    tree->memory.items[at].bytes += memory->bytes;
    tree->memory.items[at].blocks += blocks;
    tree->bytes += memory->bytes;
    tree->blocks += blocks;
    return true;
}

void sc_import_note(struct sc_import_tree *tree, char *text)
{
    bool is_known = tree->notes.count >= NOTES_MAX;
    for (size_t i = 0; i < tree->notes.count && !is_known; i++)
        is_known = strcmp(tree->notes.items[i], text) == 0;
    if (is_known)
        free(text);
    else
        sc_vec_push(&tree->notes, text);
}

double sc_import_interval_s(struct sc_import_tree *tree, double usual_s)
{
    if (tree->interval_s > 0)
        return tree->interval_s;
    tree->assumed_s = usual_s;
    return usual_s;
}
