/* profile/command_mark.c - see command_mark.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/command_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/own_folder.h"

#define KEY_BYTES  32
#define NAME       "command-key"
#define NAMES_MADE 10

struct key {
    uint8_t bytes[KEY_BYTES];
};

/* The folder of the key, or NULL. makes: creates each missing folder of the path, for its user
 * alone, but nothing in the home of another user (sudo that keeps $HOME). */
static char *find_folder(bool makes)
{
    const char *state = sc_path_of_variable("XDG_STATE_HOME");
    const char *home = sc_path_of_variable("HOME");
    char *folder = state != NULL  ? sc_format("%s/scalene", state)
                   : home != NULL ? sc_format("%s/.local/state/scalene", home)
                                  : NULL;
    if (folder == NULL || (state == NULL && !sc_is_own_folder(home))) {
        free(folder);
        return NULL;
    }
    for (char *slash = folder + 1; makes && (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
    }
    if (makes)
        (void)mkdir(folder, 0700);
    if (sc_is_own_folder(folder))
        return folder;
    free(folder);
    return NULL;
}

/* A key that another user could have read or written is not used. */
static bool read_key(const char *path, struct key *ret_key)
{
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat facts;
    return fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_uid == geteuid() && (facts.st_mode & 077) == 0 && facts.st_size == KEY_BYTES &&
           read(fd, ret_key->bytes, KEY_BYTES) == (ssize_t)KEY_BYTES;
}

/* A key gets its name in one step, once it is whole; of two that are made at the same time the
 * first stays. */
static void make_key(const char *folder, const char *path)
{
    struct key key;
    if (getrandom(key.bytes, KEY_BYTES, 0) != (ssize_t)KEY_BYTES)
        return;
    for (int i = 0; i < NAMES_MADE; i++) {
        SC_AUTO_FREE char *fresh = sc_format("%s/.%s.%ld.%d", folder, NAME, (long)getpid(), i);
        SC_AUTO_CLOSE int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd >= 0 && write(fd, key.bytes, KEY_BYTES) == (ssize_t)KEY_BYTES && fsync(fd) == 0)
            (void)link(fresh, path);
        if (fd >= 0)
            (void)unlink(fresh);
        break;
    }
    explicit_bzero(&key, sizeof(key));
}

static bool find_key(bool makes, struct key *ret_key)
{
    SC_AUTO_FREE char *folder = find_folder(makes);
    if (folder == NULL)
        return false;
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, NAME);
    if (read_key(path, ret_key))
        return true;
    if (!makes)
        return false;
    make_key(folder, path);
    return read_key(path, ret_key);
}

/* Each text is preceded by its length, so that two texts cannot be mistaken for two others. */
static void add(struct hmac_sha256_ctx *mac, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    uint8_t head[8];
    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)(length >> (56 - 8 * i));
    hmac_sha256_update(mac, sizeof(head), head);
    hmac_sha256_update(mac, length, (const uint8_t *)(text != NULL ? text : ""));
}

static char *mark_of(const struct sc_profile *profile, bool makes)
{
    struct key key;
    struct hmac_sha256_ctx mac;
    uint8_t digest[SHA256_DIGEST_SIZE];
    if (!find_key(makes, &key))
        return NULL;
    hmac_sha256_set_key(&mac, KEY_BYTES, key.bytes);
    explicit_bzero(&key, sizeof(key));
    add(&mac, "scalene command 1");
    add(&mac, profile->program);
    add(&mac, profile->entrypoint_dir);
    add(&mac, profile->root_dir);
    add(&mac, profile->args_known ? "args" : "");
    for (size_t i = 0; i < profile->args.count; i++)
        add(&mac, profile->args.items[i]);
    hmac_sha256_digest(&mac, sizeof(digest), digest);
    explicit_bzero(&mac, sizeof(mac));
    char *mark = sc_alloc(2 * sizeof(digest) + 1, 1);
    for (size_t i = 0; i < sizeof(digest); i++)
        (void)snprintf(mark + 2 * i, 3, "%02x", digest[i]);
    return mark;
}

char *sc_command_mark_make(const struct sc_profile *profile)
{
    return mark_of(profile, true);
}

bool sc_command_mark_is_right(const struct sc_profile *profile)
{
    SC_AUTO_FREE char *mark = profile->command_mark != NULL ? mark_of(profile, false) : NULL;
    if (mark == NULL || strlen(mark) != strlen(profile->command_mark))
        return false;
    unsigned difference = 0;
    for (size_t i = 0; mark[i] != '\0'; i++)
        difference |= (unsigned)(mark[i] ^ profile->command_mark[i]);
    return difference == 0;
}
