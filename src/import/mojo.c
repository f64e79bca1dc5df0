/*
 * import/mojo.c - files of austin in its binary form (MOJO), the only one that austin 4 writes.
 *
 * A file is a sequence of events: a sample begins with its thread, then has frames, outermost
 * first, and metrics. Texts and frames are defined once per process and then referenced by their
 * numbers. The form: mojo.h of austin 3.7.0, and austin.format.mojo of austin-python (version 4).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "import/readers.h"

/* Later versions are refused. */
#define VERSION_MAX 4U

enum event {
    EVENT_METADATA = 1,
    EVENT_STACK,
    EVENT_FRAME,
    EVENT_FRAME_INVALID,
    EVENT_FRAME_REF,
    EVENT_FRAME_KERNEL,
    EVENT_GC,
    EVENT_IDLE,
    EVENT_TIME,
    EVENT_MEMORY,
    EVENT_TEXT,
    EVENT_TEXT_REF,
    EVENT_STACK_REPEAT, /* from version 4 on, as what follows */
    EVENT_TASK_STACK,
    EVENT_TASK_WAITER,
    EVENT_TASK_RUNNING
};

/* The numbers that austin has for the empty text and for one that it could not read. */
enum { TEXT_EMPTY, TEXT_UNKNOWN };

struct frame {
    struct sc_import_frame frame;
    bool is_native;
};

struct stack SC_VEC_OF(struct frame); /* outermost first */

/* A thread. */
struct lane {
    uint32_t thread;
    struct stack last; /* of its last sample */
};

struct mojo {
    struct sc_import_tree *tree;
    struct sc_import_text left; /* of the file */
    bool is_cut;                /* the last event is not whole */
    uint64_t version;
    uint64_t pid;       /* of the sample that is read */
    uint32_t lane;      /* its thread, SC_NONE before the first one */
    struct stack stack; /* its frames so far */
    uint64_t time_us;   /* its metrics */
    uint64_t growth_bytes;
    bool is_idle;
    uint64_t task_frames;      /* of a task's stack, which follow and are not the thread's */
    struct sc_intern lane_ids; /* process and number; ids are indices of lanes */
    SC_VEC(struct lane) lanes;
    struct sc_intern text_ids; /* the same of texts */
    SC_VEC(struct sc_import_text) texts;
    struct sc_intern frame_ids; /* the same of frames */
    SC_VEC(struct frame) frames;
    struct sc_err *err;
};

bool sc_mojo_probe(const char *bytes, size_t length)
{
    return length > 4 && memcmp(bytes, "MOJ", 3) == 0 && bytes[3] > 0 && bytes[3] < 0x40;
}

/* -------- numbers and texts -------- */

/* A number; its sign is bit 6 of the first byte. 0 where the file ends. */
static uint64_t take_signed(struct mojo *file, bool *ret_is_negative)
{
    uint64_t number = 0;
    unsigned shift = 0;
    *ret_is_negative = false;
    while (file->left.length > 0) {
        unsigned byte = (unsigned char)file->left.bytes[0];
        file->left = (struct sc_import_text){file->left.bytes + 1, file->left.length - 1};
        *ret_is_negative |= shift == 0 && (byte & 0x40U) != 0;
        if (shift < 64)
            number |= (uint64_t)(byte & (shift == 0 ? 0x3fU : 0x7fU)) << shift;
        shift += shift == 0 ? 6 : 7;
        if (byte < 0x80U) /* the last one */
            return number;
    }
    file->is_cut = true;
    return 0;
}

static uint64_t take_number(struct mojo *file)
{
    bool is_negative = false;
    return take_signed(file, &is_negative);
}

static struct sc_import_text take_text(struct mojo *file)
{
    const char *end = memchr(file->left.bytes, '\0', file->left.length);
    struct sc_import_text text = {"", 0};
    if (end == NULL) {
        file->is_cut = true;
        return text;
    }
    text = (struct sc_import_text){file->left.bytes, (size_t)(end - file->left.bytes)};
    file->left = (struct sc_import_text){end + 1, file->left.length - text.length - 1};
    return text;
}

/* -------- tables -------- */

/* Numbers are those of a process. */
static uint32_t id_of(struct sc_intern *ids, uint64_t pid, uint64_t number, bool is_new)
{
    const uint64_t key[] = {pid, number};
    return is_new ? sc_intern_add(ids, (const char *)key, sizeof(key))
                  : sc_intern_find(ids, (const char *)key, sizeof(key));
}

static bool add_text(struct mojo *file)
{
    uint64_t number = take_number(file);
    struct sc_import_text text = take_text(file);
    uint32_t at = file->is_cut ? SC_NONE : id_of(&file->text_ids, file->pid, number, true);
    if (at == file->texts.count)
        sc_vec_push(&file->texts, text);
    else if (at < file->texts.count)
        file->texts.items[at] = text;
    return file->texts.count <= SC_IMPORT_FRAMES_MAX ||
           sc_fail(file->err, SC_ERR_FAILED, "it has more than %u texts", SC_IMPORT_FRAMES_MAX);
}

static bool find_text(struct mojo *file, uint64_t number, struct sc_import_text *ret_text)
{
    uint32_t at = id_of(&file->text_ids, file->pid, number, false);
    *ret_text = number == TEXT_UNKNOWN ? (struct sc_import_text){"<unknown>", 9}
                                       : (struct sc_import_text){"", 0};
    if (at < file->texts.count)
        *ret_text = file->texts.items[at];
    return at < file->texts.count || number <= TEXT_UNKNOWN ||
           sc_fail(file->err, SC_ERR_FAILED, "a frame names a text that there is not");
}

static bool ends_with(struct sc_import_text text, const char *end)
{
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.bytes + text.length - length, end, length) == 0;
}

static bool add_frame(struct mojo *file)
{
    uint64_t number = take_number(file);
    uint64_t numbers[3]; /* its file, its name, its line */
    struct sc_import_text place;
    struct sc_import_text name;
    for (size_t i = 0; i < 3; i++)
        numbers[i] = take_number(file);
    for (size_t i = 0; file->version > 1 && i < 3; i++)
        (void)take_number(file); /* the end of the line, and columns */
    if (file->is_cut)
        return true;
    if (!find_text(file, numbers[0], &place) || !find_text(file, numbers[1], &name))
        return false;
    bool is_made = place.length > 0 && place.bytes[0] == '<' && ends_with(place, ">");
    struct frame frame = {.frame = sc_import_frame_of(file->tree, name, place, numbers[2], 0),
                          .is_native = !is_made && !ends_with(place, ".py")};
    uint32_t at = id_of(&file->frame_ids, file->pid, number, true);
    if (at == file->frames.count)
        sc_vec_push(&file->frames, frame);
    else
        file->frames.items[at] = frame;
    return file->frames.count <= SC_IMPORT_FRAMES_MAX ||
           sc_fail(file->err, SC_ERR_FAILED, "it has more than %u frames", SC_IMPORT_FRAMES_MAX);
}

/* -------- samples -------- */

static bool push_frame(struct mojo *file, struct frame frame)
{
    sc_vec_push(&file->stack, frame);
    return file->stack.count <= SC_IMPORT_DEPTH_MAX ||
           sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                   SC_IMPORT_DEPTH_MAX);
}

static bool add_reference(struct mojo *file)
{
    uint32_t at = id_of(&file->frame_ids, file->pid, take_number(file), false);
    if (file->is_cut)
        return true;
    if (at >= file->frames.count)
        return sc_fail(file->err, SC_ERR_FAILED, "a stack names a frame that there is not");
    if (file->task_frames > 0) {
        file->task_frames--;
        return true;
    }
    return push_frame(file, file->frames.items[at]);
}

/* Puts what is as in the thread's last sample around the frames so far: native frames at its inner
 * end have gone. */
static bool repeat(struct mojo *file)
{
    struct stack inner = file->stack;
    file->stack = (struct stack){0};
    bool good = true;
    if (file->lane < file->lanes.count) {
        const struct stack *last = &file->lanes.items[file->lane].last;
        size_t count = last->count;
        while (count > 0 && last->items[count - 1].is_native)
            count--;
        for (size_t i = 0; good && i < count; i++)
            good = push_frame(file, last->items[i]);
    }
    for (size_t i = 0; good && i < inner.count; i++)
        good = push_frame(file, inner.items[i]);
    sc_vec_done(&inner);
    return good;
}

/* Charges the sample that is over. */
static bool end_sample(struct mojo *file)
{
    if (file->lane >= file->lanes.count)
        return true;
    struct lane *lane = &file->lanes.items[file->lane];
    uint32_t node = 0;
    SC_EACH(const struct frame, frame, &file->stack)
        node = sc_import_call(file->tree, node, frame->frame);
    struct sc_import_time time = {.thread = lane->thread,
                                  .node = node,
                                  .seconds = (double)file->time_us * 1e-6,
                                  .samples = 1,
                                  .is_idle = file->is_idle};
    /* how much of it the process still had at its peak is not known */
    struct sc_import_memory memory = {.node = node, .bytes = file->growth_bytes};
    struct stack last = lane->last;
    lane->last = file->stack;
    last.count = 0;
    file->stack = last;
    return (file->time_us == 0 || sc_import_add_time(file->tree, &time, file->err)) &&
           (file->growth_bytes == 0 || sc_import_add_memory(file->tree, &memory, file->err));
}

static bool begin_sample(struct mojo *file)
{
    bool good = end_sample(file);
    file->pid = take_number(file);
    if (file->version >= 3)
        (void)take_number(file); /* the interpreter */
    struct sc_import_text name = take_text(file);
    file->lane = SC_NONE;
    file->time_us = file->growth_bytes = file->task_frames = 0;
    file->is_idle = false;
    if (!good || file->is_cut)
        return good;
    /* The kernel's number of the thread, in hexadecimal. */
    SC_AUTO_FREE char *text = sc_strndup(name.bytes, name.length);
    uint64_t tid = strtoull(text, NULL, 16);
    file->lane = id_of(&file->lane_ids, file->pid, tid, true);
    if (file->lane == file->lanes.count)
        sc_vec_push(&file->lanes,
                    (struct lane){.thread = sc_import_thread(file->tree, file->pid, tid, "",
                                                             tid == file->pid)});
    return true;
}

static bool is_text(struct sc_import_text text, const char *other)
{
    return text.length == strlen(other) && ends_with(text, other);
}

/* "mode" "full", "duration" "389917": microseconds. */
static void add_metadata(struct mojo *file)
{
    struct sc_import_text key = take_text(file);
    struct sc_import_text value = take_text(file);
    uint64_t number = 0;
    if (is_text(key, "mode") && (is_text(value, "full") || is_text(value, "memory")))
        sc_import_note(file->tree, sc_strdup(SC_IMPORT_GROWTH_NOTE));
    if (is_text(key, "duration") && sc_import_take_number(&value, &number) &&
        (double)number / 1e6 > file->tree->elapsed_s)
        file->tree->elapsed_s = (double)number / 1e6;
}

static void add_memory(struct mojo *file)
{
    bool is_negative = false;
    uint64_t bytes = take_signed(file, &is_negative);
    file->growth_bytes = is_negative ? 0 : bytes;
}

static bool add_kernel_frame(struct mojo *file)
{
    struct sc_import_text name = take_text(file);
    struct sc_import_text kernel = {SC_MODULE_KERNEL, strlen(SC_MODULE_KERNEL)};
    return file->is_cut ||
           push_frame(file,
                      (struct frame){sc_import_frame_of(file->tree, name, kernel, 0, 0), true});
}

/* What tasks of asyncio wait at is passed over. */
static void pass_task(struct mojo *file, enum event event)
{
    (void)take_number(file);
    if (event != EVENT_TASK_RUNNING)
        (void)take_number(file);
    if (event == EVENT_TASK_STACK)
        file->task_frames = take_number(file);
}

static bool read_event(struct mojo *file, unsigned event)
{
    switch ((enum event)event) {
    case EVENT_METADATA:
        add_metadata(file);
        return true;
    case EVENT_STACK:
        return begin_sample(file);
    case EVENT_FRAME:
        return add_frame(file);
    case EVENT_FRAME_REF:
        return add_reference(file);
    case EVENT_FRAME_KERNEL:
        return add_kernel_frame(file);
    case EVENT_FRAME_INVALID:
    case EVENT_GC:
        return true;
    case EVENT_IDLE:
        file->is_idle = true;
        return true;
    case EVENT_TIME:
        file->time_us = take_number(file);
        return true;
    case EVENT_MEMORY:
        add_memory(file);
        return true;
    case EVENT_TEXT:
        return add_text(file);
    case EVENT_TEXT_REF:
        (void)take_number(file);
        return true;
    case EVENT_STACK_REPEAT:
        return repeat(file);
    case EVENT_TASK_STACK:
    case EVENT_TASK_WAITER:
    case EVENT_TASK_RUNNING:
        pass_task(file, (enum event)event);
        return true;
    }
    return sc_fail(file->err, SC_ERR_FAILED, "it has an event of the unknown kind %u", event);
}

static bool read_events(struct mojo *file)
{
    bool good = true;
    file->left = (struct sc_import_text){file->left.bytes + 3, file->left.length - 3};
    file->version = take_number(file);
    if (file->version > VERSION_MAX)
        return sc_fail(file->err, SC_ERR_FAILED,
                       "it has version %llu of its form; %u is the last "
                       "that is known",
                       (unsigned long long)file->version, VERSION_MAX);
    while (good && !file->is_cut && file->left.length > 0) {
        unsigned event = (unsigned char)file->left.bytes[0];
        file->left = (struct sc_import_text){file->left.bytes + 1, file->left.length - 1};
        good = read_event(file, event);
    }
    if (file->is_cut)
        sc_import_note(file->tree, sc_strdup("the file ends within a sample; it has what was "
                                             "written before"));
    return good && end_sample(file) &&
           (file->tree->time_ns + file->tree->bytes > 0 ||
            sc_fail(file->err, SC_ERR_FAILED, "it has no stack that cost something"));
}

bool sc_mojo_read(struct sc_import_tree *tree, const char *bytes, size_t length, struct sc_err *err)
{
    struct mojo file = {.tree = tree, .left = {bytes, length}, .lane = SC_NONE, .err = err};
    bool good = sc_mojo_probe(bytes, length)
                    ? read_events(&file)
                    : sc_fail(err, SC_ERR_FAILED, "it does not begin as a file of austin");
    SC_EACH(struct lane, lane, &file.lanes)
        sc_vec_done(&lane->last);
    sc_vec_done(&file.lanes);
    sc_vec_done(&file.stack);
    sc_vec_done(&file.texts);
    sc_vec_done(&file.frames);
    sc_intern_done(&file.lane_ids);
    sc_intern_done(&file.text_ids);
    sc_intern_done(&file.frame_ids);
    return good;
}
