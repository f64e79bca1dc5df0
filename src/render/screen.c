/* render/screen.c - see screen.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_MAX = 1000 };

static const char *variable_of_process(const char *name)
{
    return getenv(name);
}

static bool is_set(const char *value)
{
    return value != NULL && value[0] != '\0';
}

/* NO_COLOR (https://no-color.org) wins over FORCE_COLOR, as in CPython's own command line. */
bool sc_screen_color(bool is_terminal, const char *(*variable)(const char *name))
{
    const char *force = variable("FORCE_COLOR");
    const char *term = variable("TERM");
    if (is_set(variable("NO_COLOR")))
        return false;
    if (is_set(force))
        return strcmp(force, "0") != 0;
    return is_terminal && is_set(term) && strcmp(term, "dumb") != 0;
}

/* Whether text may be UTF-8. Where no locale is set at all, as in most containers, UTF-8 is the
 * better guess; a locale that is set is believed. */
static bool choose_locale(void)
{
    bool named = is_set(getenv("LC_ALL")) || is_set(getenv("LC_CTYPE")) || is_set(getenv("LANG"));
    if (!named && setlocale(LC_CTYPE, "C.UTF-8") != NULL)
        return true;
    return setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static unsigned number_of(const char *text)
{
    char *end = NULL;
    if (!is_set(text))
        return 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value == 0 || value > WIDTH_MAX)
        return 0;
    return (unsigned)value;
}

struct sc_screen sc_screen_of(int fd)
{
    struct sc_screen screen = {.is_terminal = isatty(fd) == 1};
    struct winsize size = {0};
    if (screen.is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) {
        screen.rendering.width = size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
        screen.height = size.ws_row;
    }
    if (screen.rendering.width == 0)
        screen.rendering.width = number_of(getenv("COLUMNS"));
    if (screen.rendering.width == 0)
        screen.rendering.width = SC_RENDER_DEFAULT_WIDTH;
    screen.rendering.color = sc_screen_color(screen.is_terminal, variable_of_process);
    screen.rendering.unicode = choose_locale();
    return screen;
}
