/*
 * observer/system/core_file.c - reads the headers and notes of a core file (core(5), elf(5)).
 *
 * libelf would read all notes of a file at once, as many as it says there are. Here a note is read
 * only if it is one of the few that matter, and no more of it than it can have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/core_file.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/sort.h"

/* vm.max_map_count is 65530 by default, and rarely more than ten times that. */
#define SEGMENTS_MAX    (1U << 20)
#define MAPPINGS_MAX    (1U << 17)
#define NAMES_MAX       4096U
#define NAMES_BYTES     (64U << 20)
#define NOTES_MAX       (1U << 20)
#define THREADS_MAX     16384U
#define AUXILIARY_MAX   64U
#define HEADERS_AT_ONCE 64U

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

static const struct {
    unsigned char bytes[6];
    size_t length;
    const char *unpack;
} packed[] = {
    {{0x28, 0xb5, 0x2f, 0xfd}, 4, "unzstd"},
    {{0x04, 0x22, 0x4d, 0x18}, 4, "lz4 -d"},
    {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, "unxz"},
    {{0x1f, 0x8b}, 2, "gunzip"},
};

static bool fail_kind(const unsigned char *head, struct sc_err *err)
{
    for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
        if (memcmp(head, packed[i].bytes, packed[i].length) == 0)
            return sc_fail(err, SC_ERR_FAILED,
                           "it is compressed: unpack it first, with '%s', or let systemd write it "
                           "with 'coredumpctl dump PID > core'",
                           packed[i].unpack);
    }
    return sc_fail(err, SC_ERR_FAILED, "it is no core file");
}

static bool check_head(const Elf64_Ehdr *head, struct sc_err *err)
{
    const unsigned char *identity = head->e_ident;
    if (memcmp(identity, ELFMAG, SELFMAG) != 0)
        return fail_kind(identity, err);
    if (identity[EI_CLASS] != ELFCLASS64 || identity[EI_DATA] != ELFDATA2LSB)
        return sc_fail(err, SC_ERR_FAILED,
                       "it is of a 32-bit program, or of a processor with another order of bytes");
    if (head->e_type != ET_CORE)
        return sc_fail(err, SC_ERR_FAILED, "it is a program or a library, and no core file");
    if (head->e_machine != OWN_MACHINE)
        return sc_fail(err, SC_ERR_FAILED,
                       "it is of another kind of processor (ELF machine %u) than this one",
                       head->e_machine);
    if (head->e_phentsize != sizeof(Elf64_Phdr))
        return sc_fail(err, SC_ERR_FAILED, "its headers make no sense");
    return true;
}

static void add_segment(struct sc_core_file *file, const Elf64_Phdr *header)
{
    uint64_t written = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz;
    uint64_t held = header->p_offset < file->bytes ? file->bytes - header->p_offset : 0;
    if (header->p_memsz == 0 || header->p_vaddr + header->p_memsz < header->p_vaddr ||
        header->p_offset + written < header->p_offset)
        return;
    held = held < written ? held : written;
    struct sc_core_segment segment = {
        .start = header->p_vaddr,
        .held_end = header->p_vaddr + held,
        .written_end = header->p_vaddr + written,
        .end = header->p_vaddr + header->p_memsz,
        .offset = header->p_offset,
        .may_write = (header->p_flags & PF_W) != 0,
        .may_execute = (header->p_flags & PF_X) != 0,
    };
    uint64_t lost = written - held;
    file->lost_bytes = file->lost_bytes + lost < lost ? UINT64_MAX : file->lost_bytes + lost;
    sc_vec_push(&file->segments, segment);
}

/* A note's description, in the file. */
struct note {
    uint32_t type;
    uint64_t offset;
    uint64_t length;
};

/* Copies what of the note fits; the rest is zero. */
static bool read_note(const struct sc_core_file *file, const struct note *note, void *bytes,
                      size_t capacity)
{
    memset(bytes, 0, capacity);
    return sc_read_part(file->fd, note->offset, bytes,
                        note->length < capacity ? (size_t)note->length : capacity);
}

static double seconds(long whole, long millionths)
{
    return (double)whole + (double)millionths / 1e6;
}

static void take_thread(struct sc_core_file *file, const struct note *note)
{
    struct elf_prstatus status;
    if (file->threads.count >= THREADS_MAX || note->length < sizeof(status) ||
        !read_note(file, note, &status, sizeof(status)) || status.pr_pid <= 0)
        return;
    struct sc_core_thread thread = {.tid = status.pr_pid, .call = -1};
    thread.cpu_s = seconds(status.pr_utime.tv_sec, status.pr_utime.tv_usec) +
                   seconds(status.pr_stime.tv_sec, status.pr_stime.tv_usec);
    memcpy(&thread.registers, &status.pr_reg, sizeof(thread.registers));
    if (file->threads.count == 0)
        file->end.signal = status.pr_cursig; /* 0 in those that gdb writes of a running process */
    sc_vec_push(&file->threads, thread);
}

static void take_process(struct sc_core_file *file, const struct note *note)
{
    struct elf_prpsinfo facts;
    if (note->length < sizeof(facts) || !read_note(file, note, &facts, sizeof(facts)))
        return;
    file->has_psinfo = true;
    file->pid = facts.pr_pid;
    memcpy(file->name, facts.pr_fname, sizeof(facts.pr_fname));
    memcpy(file->command, facts.pr_psargs, sizeof(facts.pr_psargs));
    size_t length = strlen(file->command);
    while (length > 0 && file->command[length - 1] == ' ')
        file->command[--length] = '\0';
}

static void take_signal(struct sc_core_file *file, const struct note *note)
{
    siginfo_t facts;
    if (note->length < sizeof(facts) || !read_note(file, note, &facts, sizeof(facts)))
        return;
    if (facts.si_signo != file->end.signal)
        return; /* the one by which gdb has stopped the process */
    file->end.code = facts.si_code;
    file->end.has_sender = facts.si_code <= 0;
    if (facts.si_code > 0)
        file->end.address = (uint64_t)(uintptr_t)facts.si_addr;
    else
        file->end.sender = facts.si_pid;
}

static void take_auxiliary(struct sc_core_file *file, const struct note *note)
{
    Elf64_auxv_t values[AUXILIARY_MAX];
    if (!read_note(file, note, values, sizeof(values)))
        return;
    for (size_t i = 0; i < AUXILIARY_MAX && values[i].a_type != AT_NULL; i++) {
        if (values[i].a_type == AT_ENTRY)
            file->entry = values[i].a_un.a_val;
        else if (values[i].a_type == AT_SYSINFO_EHDR)
            file->vdso = values[i].a_un.a_val;
    }
}

/* The index of the name, or NAMES_MAX when there is no room. The mappings of a file mostly follow
 * each other. */
static size_t name_index(struct sc_core_file *file, const char *name)
{
    for (size_t i = file->names.count; i-- > 0;) {
        if (strcmp(file->names.items[i], name) == 0)
            return i;
    }
    if (file->names.count == NAMES_MAX)
        return NAMES_MAX;
    sc_vec_push(&file->names, sc_strdup(name));
    return file->names.count - 1;
}

/* NT_FILE: a count, the size of a page, (start, end, offset in pages) of each, then the names. */
static void take_files(struct sc_core_file *file, const struct note *note)
{
    uint64_t head[2];
    if (file->has_files || note->length < sizeof(head) || note->length > NAMES_BYTES)
        return;
    file->has_files = true; /* a second list would only cost time */
    size_t length = (size_t)note->length;
    SC_AUTO_FREE char *bytes = sc_alloc(length + 1, 1);
    if (!read_note(file, note, bytes, length))
        return;
    memcpy(head, bytes, sizeof(head));
    if (head[0] > (length - sizeof(head)) / sizeof(uint64_t[3]))
        return;
    const char *name = bytes + sizeof(head) + head[0] * sizeof(uint64_t[3]);
    for (size_t i = 0; i < head[0] && i < MAPPINGS_MAX && name < bytes + length; i++) {
        uint64_t words[3];
        memcpy(words, bytes + sizeof(head) + i * sizeof(words), sizeof(words));
        size_t index =
            name[0] == '/' && strchr(name, '\n') == NULL ? name_index(file, name) : NAMES_MAX;
        struct sc_core_mapping mapping = {words[0], words[1], words[2] * head[1], index};
        if (words[0] < words[1] && index < NAMES_MAX)
            sc_vec_push(&file->mappings, mapping);
        name += strlen(name) + 1;
    }
}

static void take_note(struct sc_core_file *file, const struct note *note)
{
    uint32_t call = 0;
    switch (note->type) {
    case NT_PRSTATUS:
        take_thread(file, note);
        break;
    case NT_PRPSINFO:
        take_process(file, note);
        break;
    case NT_SIGINFO:
        take_signal(file, note);
        break;
    case NT_AUXV:
        take_auxiliary(file, note);
        break;
    case NT_FILE:
        take_files(file, note);
        break;
    case NT_ARM_SYSTEM_CALL: /* of the thread before it */
        if (file->threads.count > 0 && read_note(file, note, &call, sizeof(call)))
            file->threads.items[file->threads.count - 1].call = (int32_t)call;
        break;
    default:
        break;
    }
}

static uint64_t aligned(uint64_t length)
{
    return (length + 3) & ~(uint64_t)3;
}

static void read_notes(struct sc_core_file *file, uint64_t offset, uint64_t length, size_t *left)
{
    uint64_t end = offset + length;
    Elf64_Nhdr head;
    if (end < offset || offset >= file->bytes)
        return;
    end = end < file->bytes ? end : file->bytes;
    while (end - offset > sizeof(head) && *left > 0 &&
           sc_read_part(file->fd, offset, &head, sizeof(head))) {
        struct note note = {.type = head.n_type, .length = head.n_descsz};
        note.offset = offset + sizeof(head) + aligned(head.n_namesz);
        if (note.offset > end || note.length > end - note.offset)
            return;
        take_note(file, &note);
        uint64_t step = sizeof(head) + aligned(head.n_namesz) + aligned(head.n_descsz);
        if (step >= end - offset)
            return;
        offset += step;
        (*left)--;
    }
}

/* The real number of headers, where it does not fit into the field, is in the first section. */
static uint64_t header_count(const struct sc_core_file *file, const Elf64_Ehdr *head)
{
    Elf64_Shdr section;
    if (head->e_phnum != PN_XNUM)
        return head->e_phnum;
    return sc_read_part(file->fd, head->e_shoff, &section, sizeof(section)) ? section.sh_info : 0;
}

static void read_headers(struct sc_core_file *file, const Elf64_Ehdr *head)
{
    Elf64_Phdr headers[HEADERS_AT_ONCE];
    uint64_t count = header_count(file, head);
    size_t notes_left = NOTES_MAX;
    count = count < SEGMENTS_MAX ? count : SEGMENTS_MAX;
    for (uint64_t first = 0; first < count; first += HEADERS_AT_ONCE) {
        size_t part = count - first < HEADERS_AT_ONCE ? (size_t)(count - first) : HEADERS_AT_ONCE;
        uint64_t offset = head->e_phoff + first * sizeof(headers[0]);
        while (part > 0 && !sc_read_part(file->fd, offset, headers, part * sizeof(headers[0])))
            part--;                                 /* the file is cut here */
        count = part < HEADERS_AT_ONCE ? 0 : count; /* nothing can follow */
        for (size_t i = 0; i < part; i++) {
            if (headers[i].p_type == PT_LOAD)
                add_segment(file, &headers[i]);
            else if (headers[i].p_type == PT_NOTE)
                read_notes(file, headers[i].p_offset, headers[i].p_filesz, &notes_left);
        }
    }
}

static bool open_file(const char *path, struct sc_core_file *ret, struct sc_err *err)
{
    struct stat facts;
    ret->fd = sc_open_regular(path);
    if (ret->fd < 0 && errno == EISDIR)
        return sc_fail(err, SC_ERR_FAILED, "it is a directory, and no core file");
    if (ret->fd < 0 && errno == EINVAL)
        return sc_fail(err, SC_ERR_FAILED, "it is no regular file");
    if (ret->fd < 0 || fstat(ret->fd, &facts) != 0)
        return sc_fail_errno(err, errno, "it cannot be read");
    ret->bytes = (uint64_t)facts.st_size;
    ret->written_s = (double)facts.st_mtim.tv_sec;
    return ret->bytes > 0 || sc_fail(err, SC_ERR_FAILED, "it is empty");
}

bool sc_core_file_open(const char *path, struct sc_core_file *ret, struct sc_err *err)
{
    Elf64_Ehdr head = {0};
    *ret = (struct sc_core_file){.fd = -1};
    if (!open_file(path, ret, err))
        return false;
    size_t length = ret->bytes < sizeof(head) ? (size_t)ret->bytes : sizeof(head);
    if (!sc_read_part(ret->fd, 0, &head, length))
        return sc_fail(err, SC_ERR_FAILED, "it cannot be read");
    if (length < sizeof(head) && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0)
        return sc_fail(err, SC_ERR_FAILED, "it was cut within its first header");
    if (!check_head(&head, err))
        return false;
    read_headers(ret, &head);
    if (ret->threads.count == 0)
        return sc_fail(err, SC_ERR_FAILED,
                       "it lists no threads: it was cut, as by a full disk or a limit ('ulimit "
                       "-c'), or is damaged");
    if (!ret->has_psinfo)
        ret->pid = ret->threads.items[0].tid;
    sc_vec_sort(&ret->segments, sc_by_count); /* both structures begin with where they start */
    sc_vec_sort(&ret->mappings, sc_by_count);
    return true;
}

void sc_core_file_done(struct sc_core_file *file)
{
    sc_vec_done(&file->segments);
    sc_vec_done(&file->mappings);
    sc_vec_done(&file->threads);
    sc_texts_done(&file->names);
    sc_close(&file->fd);
}

/* Of two that overlap, which the kernel does not write, one is found. */
#define FIND(array, address)                                                                       \
    do {                                                                                           \
        size_t after_;                                                                             \
        sc_find_first(&after_, (array).count, i, (array).items[i].start <= (address));             \
        return after_ > 0 && (address) < (array).items[after_ - 1].end                             \
                   ? &(array).items[after_ - 1]                                                    \
                   : NULL;                                                                         \
    } while (0)

const struct sc_core_segment *sc_core_file_segment(const struct sc_core_file *file,
                                                   uint64_t address)
{
    FIND(file->segments, address);
}

const struct sc_core_mapping *sc_core_file_mapping(const struct sc_core_file *file,
                                                   uint64_t address)
{
    FIND(file->mappings, address);
}
