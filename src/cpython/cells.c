/* cpython/cells.c - see cells.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/cells.h"

#include <string.h>

#include "cpython/load.h"
#include "cpython/walk.h"

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

enum {
    ENTRY_MEMBERS = 4,
    TUPLES_HAVE_HASHES = 0x030e, /* before their members: a word more */
    ITEMS_LIMIT = 65536,         /* cells, or lines of one */
    COMPARED_BYTES_LIMIT = 1 << 25,
};

const char *sc_cell_own_name(const char *code_name, size_t *ret_length)
{
    static const char mark[] = "/__marimo__cell_";
    const char *found = code_name[0] == '/' ? strstr(code_name, mark) : NULL;
    const char *name = found != NULL ? found + sizeof(mark) - 1 : "";
    size_t length = strcspn(name, "_");
    *ret_length = length;
    return length > 0 && strspn(name, LETTERS_AND_DIGITS) == length && name[length] == '_' ? name
                                                                                           : NULL;
}

bool sc_cell_is_name(const char *code_name)
{
    size_t length = 0;
    if (sc_cell_own_name(code_name, &length) != NULL)
        return true;
    if (strncmp(code_name, "<ipython-input-", strlen("<ipython-input-")) == 0)
        return true;
    const char *folder = code_name[0] == '/' ? strstr(code_name, "/ipykernel_") : NULL;
    const char *digit = folder != NULL ? folder + strlen("/ipykernel_") : "";
    return *digit >= '0' && *digit <= '9';
}

struct list {
    uint64_t items;
    uint64_t count;
};

/* A list has the number of its items, and a pointer to them (Include/cpython/listobject.h). */
static bool read_list(const struct sc_python *python, uint64_t object, struct list *ret_list)
{
    return sc_is_of_type(python, object, "list") &&
           sc_read_u64(python->target, object, python->at->ob_size, &ret_list->count) &&
           ret_list->count <= ITEMS_LIMIT &&
           sc_read_u64(python->target, object, python->at->ob_size + 8, &ret_list->items) &&
           (ret_list->count == 0 || sc_is_object_address(ret_list->items));
}

static bool read_item(const struct sc_python *python, const struct list *list, uint64_t index,
                      char *text, size_t capacity, size_t *ret_length)
{
    uint64_t object = 0;
    return sc_read_u64(python->target, list->items + index * 8, 0, &object) &&
           sc_is_of_type(python, object, "str") &&
           sc_unicode_read(python->layout, python->target, object, text, capacity, ret_length);
}

/* The lines of an entry of linecache: (size, time, lines, name). A tuple of another length only
 * holds a function that loads the lines, and is not read. */
static bool find_lines(const struct sc_python *python, uint64_t entry, struct list *ret_list)
{
    uint64_t count = 0;
    if (!sc_is_of_type(python, entry, "tuple") ||
        !sc_read_u64(python->target, entry, python->at->ob_size, &count) || count != ENTRY_MEMBERS)
        return false;
    uint64_t words = ENTRY_MEMBERS + (python->layout->version >= TUPLES_HAVE_HASHES);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t member = 0;
        if (sc_read_u64(python->target, entry + 8 + i * 8, python->at->ob_size, &member) &&
            read_list(python, member, ret_list))
            return true;
    }
    return false;
}

static bool read_text(const struct sc_python *python, uint64_t interpreter, const char *code_name,
                      char *text, size_t *ret_length)
{
    uint64_t module = 0;
    uint64_t cache = 0;
    uint64_t entry = 0;
    struct list lines;
    size_t used = 0;
    if (!sc_imported_find(python, interpreter, "linecache", &module) ||
        !sc_module_find(python, module, "cache", &cache) || !sc_is_of_type(python, cache, "dict") ||
        !sc_dict_find(python, cache, code_name, NULL, &entry) || !find_lines(python, entry, &lines))
        return false;
    for (uint64_t i = 0; i < lines.count; i++) {
        size_t length = 0;
        if (!read_item(python, &lines, i, text + used, SC_CELL_BYTES_MAX - used, &length))
            return false;
        used += length;
    }
    *ret_length = used;
    /* a longer one may have been cut; without any text it would be In[0], which is no cell */
    return used > 0 && used < SC_CELL_BYTES_MAX;
}

static size_t without_newlines(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == '\n')
        length--;
    return length;
}

/* The last of the cells that have this text: the same text has the same name. A program may put
 * anything there, even the longest text many thousand times, so the bytes that are read are
 * limited. */
static bool find_number(const struct sc_python *python, uint64_t interpreter, const char *text,
                        size_t length, char *other, uint64_t *ret_number)
{
    uint64_t module = 0;
    uint64_t object = 0;
    struct list cells;
    if (!sc_imported_find(python, interpreter, "__main__", &module) ||
        !sc_module_find(python, module, "In", &object) || !read_list(python, object, &cells))
        return false;
    length = without_newlines(text, length);
    size_t compared = 0;
    for (uint64_t i = cells.count; i-- > 0 && compared < COMPARED_BYTES_LIMIT;) {
        size_t other_length = 0;
        if (read_item(python, &cells, i, other, SC_CELL_BYTES_MAX, &other_length) &&
            without_newlines(other, other_length) == length && memcmp(text, other, length) == 0) {
            *ret_number = i;
            return true;
        }
        compared += other_length;
    }
    return false;
}

bool sc_cell_read(const struct sc_python *python, uint64_t interpreter, const char *code_name,
                  char *ret_text, char *other, size_t *ret_length, uint64_t *ret_number)
{
    size_t length = 0;
    uint64_t number = 0;
    size_t name_length = 0;
    if (!read_text(python, interpreter, code_name, ret_text, &length) ||
        (sc_cell_own_name(code_name, &name_length) == NULL &&
         !find_number(python, interpreter, ret_text, length, other, &number)))
        return false;
    *ret_length = length;
    *ret_number = number;
    return true;
}
