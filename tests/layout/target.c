/*
 * tests/layout/target.c - process_vm_readv, /proc/PID/maps and just enough of ELF.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

bool target_read(void *context, uint64_t address, void *bytes, size_t length)
{
    const pid_t *pid = context;
    struct iovec here = {.iov_base = bytes, .iov_len = length};
    /* the other side's address is a number here */
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = length};
    return process_vm_readv(*pid, &here, 1, &there, 1, 0) == (ssize_t)length;
}

/* The symbol's st_value minus the lowest page that the file is loaded at, or 0. */
static uint64_t find_in_image(const uint8_t *image, size_t size, const char *name)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    if (size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shoff + (uint64_t)head->e_shnum * sizeof(Elf64_Shdr) > size)
        return 0;
    uint64_t lowest = UINT64_MAX;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(image + head->e_phoff);
    for (unsigned i = 0; i < head->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < lowest)
            lowest = segments[i].p_vaddr & ~(uint64_t)4095;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= head->e_shnum)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image + sections[i].sh_offset);
        const char *names = (const char *)image + sections[sections[i].sh_link].sh_offset;
        for (uint64_t j = 0; j < sections[i].sh_size / sizeof(*symbols); j++)
            if (symbols[j].st_shndx != SHN_UNDEF && strcmp(names + symbols[j].st_name, name) == 0)
                return symbols[j].st_value - lowest;
    }
    return 0;
}

static uint64_t find_in_file(const char *path, const char *name)
{
    uint64_t found = 0;
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (fstat(fd, &facts) == 0 && facts.st_size > 0) {
        void *image = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            found = find_in_image(image, (size_t)facts.st_size, name);
            (void)munmap(image, (size_t)facts.st_size);
        }
    }
    (void)close(fd);
    return found;
}

uint64_t target_symbol(pid_t pid, const char *name)
{
    char line[4096 + 128];
    char path[4096];
    uint64_t found = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    if (!maps)
        return 0;
    while (found == 0 && fgets(line, sizeof(line), maps)) {
        unsigned long start = 0;
        unsigned long offset = 0;
        if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095s", &start, &offset, path) != 3 ||
            offset != 0 || path[0] != '/' || !strstr(path, "python"))
            continue;
        uint64_t distance = find_in_file(path, name);
        if (distance != 0)
            found = start + distance;
    }
    (void)fclose(maps);
    return found;
}
