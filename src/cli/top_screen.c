/* cli/top_screen.c - see top_screen.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#define ESCAPE_MS    25 /* what follows an escape within this time is a key's sequence */
#define COLORS_PLAIN 8
#define RESET_BYTES  64

static SCREEN *screen;
static FILE *input;

/* What a fatal signal needs to give the terminal back without a function that is not safe then. */
static struct termios modes_before;
static char reset[RESET_BYTES];
static size_t reset_length;

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static void end_at_once(int number)
{
    (void)!write(STDOUT_FILENO, reset, reset_length);
    (void)tcsetattr(STDOUT_FILENO, TCSANOW, &modes_before);
    (void)raise(number); /* its action is the default again */
}

static void keep_reset(const char *name)
{
    const char *sequence = tigetstr(name);
    if (sequence == NULL || sequence == (const char *)-1) // NOLINT(performance-no-int-to-ptr)
        return;
    size_t length = strlen(sequence);
    if (reset_length + length >= sizeof(reset))
        return;
    (void)snprintf(reset + reset_length, sizeof(reset) - reset_length, "%s", sequence);
    reset_length += length;
}

static void catch_fatal(void)
{
    struct sigaction action = {.sa_handler = end_at_once, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    reset_length = 0;
    keep_reset("sgr0");
    keep_reset("cnorm");
    keep_reset("rmcup");
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        (void)sigaction(fatal[i], &action, NULL);
}

static void open_colors(void)
{
    (void)start_color();
    (void)use_default_colors();
    for (short i = 0; i < 2 * COLORS_PLAIN && i < COLORS; i++)
        (void)init_pair((short)(i + 1), i, -1);
}

bool sc_top_screen_open(bool color)
{
    const char *term = getenv("TERM");
    if (isatty(STDOUT_FILENO) != 1 || term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0)
        return false;
    if (tcgetattr(STDOUT_FILENO, &modes_before) != 0)
        return false;
    input = isatty(STDIN_FILENO) == 1 ? stdin : fopen("/dev/tty", "re");
    screen = input != NULL ? newterm(NULL, stdout, input) : NULL;
    if (screen == NULL)
        return false;
    catch_fatal();
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)keypad(stdscr, TRUE);
    (void)curs_set(0);
    (void)set_escdelay(ESCAPE_MS);
    if (color && has_colors())
        open_colors();
    return true;
}

void sc_top_screen_close(void)
{
    if (screen == NULL)
        return;
    (void)endwin();
    delscreen(screen);
    screen = NULL;
    if (input != stdin)
        (void)fclose(input);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        (void)signal(fatal[i], SIG_DFL);
}

void sc_top_screen_size(unsigned *ret_width, unsigned *ret_height)
{
    int height = 0;
    int width = 0;
    getmaxyx(stdscr, height, width);
    *ret_width = width > 0 ? (unsigned)width : 1;
    *ret_height = height > 0 ? (unsigned)height : 1;
}

static void choose_color(int color, attr_t *attributes)
{
    if (color >= COLORS) { /* a terminal of eight colours has no bright ones */
        *attributes |= color == COLORS_PLAIN ? A_DIM : A_BOLD;
        color -= COLORS_PLAIN;
        if (color == 0)
            return;
    }
    *attributes = (*attributes & ~(attr_t)A_COLOR) | (attr_t)COLOR_PAIR(color + 1);
}

/* Takes the parameters of an SGR sequence, of which render/paint.h writes 0, 1 and colours. Returns
 * what follows. */
static const char *take_style(const char *text)
{
    attr_t attributes = A_NORMAL;
    while (*text != '\0' && *text != 'm') {
        char *end = NULL;
        long number = strtol(text, &end, 10);
        if (end == text)
            break;
        if (number == 1)
            attributes |= A_BOLD;
        else if (number >= 30 && number < 38 && COLORS > 0)
            choose_color((int)number - 30, &attributes);
        else if (number >= 90 && number < 98 && COLORS > 0)
            choose_color((int)number - 90 + COLORS_PLAIN, &attributes);
        text = *end == ';' ? end + 1 : end;
    }
    (void)attrset((int)attributes);
    return *text == 'm' ? text + 1 : text;
}

void sc_top_screen_show(const char *text)
{
    int line = 0;
    (void)erase();
    (void)attrset(A_NORMAL);
    (void)move(0, 0);
    while (*text != '\0' && line < LINES) {
        if (text[0] == '\033' && text[1] == '[') {
            text = take_style(text + 2);
            continue;
        }
        if (*text == '\n') {
            (void)move(++line, 0);
            text++;
            continue;
        }
        size_t length = strcspn(text, "\033\n");
        (void)addnstr(text, (int)length);
        text += length;
    }
    (void)refresh();
}

static int named_key(wint_t code)
{
    static const struct {
        int code;
        enum sc_top_key key;
    } keys[] = {
        {KEY_RESIZE, SC_TOP_RESIZED},  {KEY_UP, SC_TOP_UP},           {KEY_DOWN, SC_TOP_DOWN},
        {KEY_LEFT, SC_TOP_LEFT},       {KEY_RIGHT, SC_TOP_RIGHT},     {KEY_PPAGE, SC_TOP_PAGE_UP},
        {KEY_NPAGE, SC_TOP_PAGE_DOWN}, {KEY_HOME, SC_TOP_HOME},       {KEY_END, SC_TOP_END},
        {KEY_BTAB, SC_TOP_BACK_TAB},   {KEY_BACKSPACE, SC_TOP_ERASE}, {KEY_DC, SC_TOP_ERASE},
        {KEY_ENTER, SC_TOP_ENTER},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (keys[i].code == (int)code)
            return keys[i].key;
    }
    return SC_TOP_NONE;
}

int sc_top_screen_key(int wait_ms)
{
    wint_t code = 0;
    timeout(wait_ms);
    int kind = get_wch(&code);
    if (kind == KEY_CODE_YES)
        return named_key(code);
    if (kind != OK)
        return SC_TOP_NONE;
    switch (code) {
    case 0x1b:
        return SC_TOP_ESCAPE;
    case '\r':
    case '\n':
        return SC_TOP_ENTER;
    case 0x7f:
    case '\b':
        return SC_TOP_ERASE;
    default:
        return (int)code;
    }
}
