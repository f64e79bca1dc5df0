/*
 * tests/fuzz/replay.c - runs a fuzz target once over each file of a seed folder.
 *
 * So the seeds, and every input that once failed, are tested in each ordinary build.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes are copied to a block of their exact size, so that ASan sees a read past the end. */
static bool replay(const char *folder, const char *name)
{
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return false;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    static uint8_t buffer[1 << 20];
    size_t size = fread(buffer, 1, sizeof(buffer), file);
    bool whole = feof(file) && !ferror(file);
    (void)fclose(file);
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (!whole || data == NULL) {
        (void)fprintf(stderr, "%s: cannot be read whole\n", path);
        free(data);
        return false;
    }
    memcpy(data, buffer, size);
    (void)printf("%s, %zu bytes\n", name, size);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    return true;
}

static bool replay_all(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;
    bool good = true;
    if (folder == NULL) {
        perror(path);
        return false;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        good = replay(path, entry->d_name) && good;
        count++;
    }
    (void)closedir(folder);
    if (count == 0)
        (void)fprintf(stderr, "%s: no seeds\n", path);
    return good && count > 0;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++)
        good = replay_all(argv[i]) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
