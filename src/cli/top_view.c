/* cli/top_view.c - see top_view.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_view.h"

#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/io.h"
#include "cli/top_screen.h"

#define OUTPUT_BYTES_MAX 65536 /* more than the lines of any screen */

static const char keys_text[] = "q end  1-5 view  <> sort  / filter  p pause  o output  h help";

static const char help_text[] =
    "q, Ctrl-C       end: a program that was started by SIGINT, a second time by\n"
    "                SIGTERM, then SIGKILL; a process that ran already goes on\n"
    "1 2 3 4 5, Tab  functions, lines, threads, processes, tasks\n"
    "< >, arrows     sort by another column; > stands before it\n"
    "/ and a text    only rows that hold it; Enter: done, Escape: all rows\n"
    "p, space        pause what is shown; the measurement goes on\n"
    "o               the last lines that the program has printed\n"
    "up, down, page up and down, Home, End\n"
    "\n"
    "now%, py%, nat%, sys%, wait%: time of the last interval, in % of it:\n"
    "  all of it, in Python, in native code, in system calls, waiting\n"
    "GIL%: it waited for the interpreter lock\n"
    "all, python ...: time of the whole run\n"
    "mem: memory that is alive; of a process the most that was resident\n"
    "alloc: memory that was allocated, freed or not\n"
    "\n"
    "Any key leaves this text.\n";

void sc_top_view_init(struct sc_top_view *view)
{
    *view = (struct sc_top_view){.has_changed = true};
}

void sc_top_view_done(struct sc_top_view *view)
{
    sc_str_done(&view->filter);
}

static void choose_view(struct sc_top_view *view, const struct sc_live *live, int number)
{
    view->screen.view = (enum sc_live_view)((number + SC_LIVE_VIEW_COUNT_) % SC_LIVE_VIEW_COUNT_);
    view->screen.first = 0;
    if (!sc_live_has(live, view->screen.view, view->screen.sort))
        view->screen.sort = SC_LIVE_NOW;
}

static void erase_last(struct sc_str *text)
{
    while (text->length > 0) {
        unsigned char byte = (unsigned char)text->data[--text->length];
        text->data[text->length] = '\0';
        if ((byte & 0xc0U) != 0x80U)
            break;
    }
}

static void type(struct sc_top_view *view, int key)
{
    char bytes[32];
    mbstate_t state = {0};
    view->screen.first = 0;
    if (key == SC_TOP_ESCAPE)
        sc_str_clear(&view->filter);
    if (key == SC_TOP_ESCAPE || key == SC_TOP_ENTER) {
        view->is_typing = false;
    } else if (key == SC_TOP_ERASE) {
        erase_last(&view->filter);
    } else if (key >= ' ' && key < SC_TOP_RESIZED) {
        size_t length = wcrtomb(bytes, (wchar_t)key, &state);
        if (length != (size_t)-1)
            sc_str_add_bytes(&view->filter, bytes, length);
    }
}

static void scroll_by(struct sc_top_view *view, bool down, size_t lines)
{
    size_t *first = &view->screen.first;
    size_t room = sc_live_screen_rows(&view->screen);
    size_t last = view->rows > room ? view->rows - room : 0;
    if (!down)
        *first -= lines < *first ? lines : *first;
    else
        *first = lines < last && *first < last - lines ? *first + lines : last;
}

/* False when the key has no meaning here. */
static bool move(struct sc_top_view *view, int key)
{
    size_t page = sc_live_screen_rows(&view->screen);
    switch (key) {
    case SC_TOP_UP:
    case SC_TOP_DOWN:
        scroll_by(view, key == SC_TOP_DOWN, 1);
        return true;
    case SC_TOP_PAGE_UP:
    case SC_TOP_PAGE_DOWN:
        scroll_by(view, key == SC_TOP_PAGE_DOWN, page > 1 ? page - 1 : 1);
        return true;
    case SC_TOP_HOME:
    case SC_TOP_END:
        scroll_by(view, key == SC_TOP_END, view->rows);
        return true;
    default:
        return false;
    }
}

static void command(struct sc_top_view *view, const struct sc_live *live, int key)
{
    if (key >= '1' && key < '1' + SC_LIVE_VIEW_COUNT_) {
        choose_view(view, live, key - '1');
        return;
    }
    switch (key) {
    case '\t':
    case SC_TOP_BACK_TAB:
        choose_view(view, live, (int)view->screen.view + (key == '\t' ? 1 : -1));
        break;
    case '<':
    case '>':
    case SC_TOP_LEFT:
    case SC_TOP_RIGHT:
        view->screen.sort =
            sc_live_screen_next(live, &view->screen, key == '>' || key == SC_TOP_RIGHT);
        break;
    case 'p':
    case ' ':
        view->screen.is_paused = !view->screen.is_paused;
        break;
    case '/':
        view->is_typing = true;
        break;
    case SC_TOP_ESCAPE:
        sc_str_clear(&view->filter);
        break;
    case 'o':
        view->shows_output = true;
        break;
    case 'h':
    case '?':
        view->shows_help = true;
        break;
    default:
        break;
    }
}

bool sc_top_view_key(struct sc_top_view *view, const struct sc_live *live, int key)
{
    if (key == SC_TOP_NONE)
        return true;
    view->has_changed = true;
    if (key == SC_TOP_RESIZED) {
        scroll_by(view, false, 0);
    } else if (view->is_typing) {
        type(view, key);
    } else if (key == 'q') {
        return false;
    } else if (view->shows_help || view->shows_output) {
        view->shows_help = false;
        view->shows_output = false;
    } else if (!move(view, key)) {
        command(view, live, key);
    }
    return true;
}

/* The end of the file, from the beginning of a line. */
static void read_end(const char *path, struct sc_str *ret_text)
{
    struct stat facts;
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
    if (fd < 0 || fstat(fd, &facts) != 0)
        return;
    size_t size = (size_t)facts.st_size;
    size_t length = size < OUTPUT_BYTES_MAX ? size : OUTPUT_BYTES_MAX;
    SC_AUTO_FREE char *bytes = sc_alloc(length + 1, 1);
    if (!sc_read_part(fd, size - length, bytes, length))
        return;
    for (size_t i = 0; i < length; i++) /* a text ends at its first zero byte */
        bytes[i] = (char)(bytes[i] == '\0' ? ' ' : bytes[i]);
    sc_str_add_bytes(ret_text, bytes, length);
}

static void show_output(struct sc_top_view *view, const char *path, struct sc_str *ret_text)
{
    SC_AUTO(sc_str_done) struct sc_str output = {0};
    struct sc_live_screen screen = view->screen;
    SC_AUTO_FREE char *message = path != NULL
                                     ? sc_format("any key leaves; the output is in %s", path)
                                     : sc_strdup("any key leaves; the process prints elsewhere");
    if (path != NULL)
        read_end(path, &output);
    screen.message = message;
    sc_render_live_texts(sc_str_text(&output), &screen, ret_text);
}

void sc_top_view_text(struct sc_top_view *view, const struct sc_live *live, const char *output_path,
                      const char *state, struct sc_str *ret_text)
{
    SC_AUTO_FREE char *message =
        view->is_typing
            ? sc_format("filter: %s_", sc_str_text(&view->filter))
            : sc_format("%s%s%s", state != NULL ? state : "", state != NULL ? "  " : "", keys_text);
    view->has_changed = false;
    view->screen.filter = sc_str_text(&view->filter);
    view->screen.message = message;
    if (view->shows_help)
        sc_render_live_texts(help_text, &view->screen, ret_text);
    else if (view->shows_output)
        show_output(view, output_path, ret_text);
    else
        sc_render_live(live, &view->screen, ret_text, &view->rows);
    view->screen.message = "";
}
