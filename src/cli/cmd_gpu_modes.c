/*
 * cli/cmd_gpu_modes.c - `scalene set-nvidia-gpu-modes`: makes NVIDIA's driver account for the load
 * of each process.
 *
 * Only root may do that. Other users are shown the command, and asked at a terminal whether to run
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "accelerator/nvidia_modes.h"
#include "cli/command.h"

static const char meaning[] =
    "Accounting mode lets the driver keep for each process how much of a GPU it has used, so that\n"
    "the load of a program can be separated from that of others where the driver has no other "
    "means.\n"
    "Every user of this machine can read these numbers.\n"
    "Persistence mode keeps the driver loaded while nobody uses a GPU; without it, accounting "
    "mode\n"
    "is forgotten then. An idle GPU takes a little more power.\n"
    "Both hold until the machine restarts; 'nvidia-smi -am 0' and 'nvidia-smi -pm 0' switch them\n"
    "off.\n";

static const char *word_of(enum sc_nvidia_switch mode)
{
    static const char *const words[] = {
        [SC_SWITCH_OFF] = "off", [SC_SWITCH_ON] = "on", [SC_SWITCH_MISSING] = "not available"};
    return words[mode];
}

static void show(const struct sc_nvidia_mode *mode)
{
    (void)printf("GPU %u (%s): persistence mode %s, accounting mode %s\n", mode->index, mode->name,
                 word_of(mode->persistence), word_of(mode->accounting));
}

/* Replaces this process by sudo with the same command, if the user at the terminal agrees. */
static void ask_for_sudo(bool is_agreed, struct sc_err *err)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = '\0';
    if (!is_agreed && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1) {
        (void)fprintf(stderr, "This needs root. Run 'sudo %s set-nvidia-gpu-modes' now? [y/N] ",
                      self);
        int letter = getchar();
        for (int rest = letter; rest != '\n' && rest != EOF;)
            rest = getchar();
        is_agreed = letter == 'y' || letter == 'Y';
    }
    if (is_agreed) {
        (void)fflush(stdout);
        (void)execlp("sudo", "sudo", "--", self, "set-nvidia-gpu-modes", (char *)NULL);
    }
    (void)sc_fail(err, SC_ERR_FAILED,
                  "set-nvidia-gpu-modes: only root may; run: sudo %s set-nvidia-gpu-modes", self);
}

static void switch_all_on(struct sc_nvidia_modes *modes, bool is_agreed, struct sc_err *err)
{
    struct sc_err cause = {0};
    bool is_refused = false;
    for (size_t i = 0; i < modes->count; i++) {
        if (!sc_nvidia_mode_set(modes, &modes->items[i], &is_refused, &cause))
            break;
        show(&modes->items[i]);
    }
    if (is_refused && geteuid() != 0)
        ask_for_sudo(is_agreed, err);
    else if (cause.kind != SC_ERR_NONE)
        (void)sc_fail(err, cause.kind, "set-nvidia-gpu-modes: %s", cause.text);
}

int sc_cmd_gpu_modes(const struct sc_values *values, const struct sc_words *operands,
                     struct sc_err *err)
{
    (void)operands;
    SC_AUTO(sc_nvidia_modes_close) struct sc_nvidia_modes modes = {0};
    struct sc_err cause = {0};
    if (!sc_nvidia_modes_open(&modes, &cause))
        return sc_fail(err, cause.kind, "set-nvidia-gpu-modes: %s", cause.text);
    for (size_t i = 0; i < modes.count; i++)
        show(&modes.items[i]);
    if (!sc_nvidia_modes_are_off(&modes)) {
        (void)printf("There is nothing to switch on.\n");
    } else {
        (void)printf("\n%s\n", meaning);
        (void)fflush(stdout);
        switch_all_on(&modes, values->of[SC_OPT_GPU_MODES_YES].flag, err);
    }
    return 0;
}
