/* observer/stack/naming.c - see naming.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/naming.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/libraries.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/native_place.h"

static_assert(SC_SYMBOL_DEPTH_MAX <= SC_NATIVE_NAMES_MAX, "all names fit");

/* Beginnings of the names of interpreter functions that only pass a builtin's arguments to it
 * (Objects/methodobject.c, Objects/descrobject.c). They are hidden here and not when sampling,
 * since the classification "Python or native" does not count them as plumbing. */
static const char passing_on[] =
    "cfunction_call cfunction_vectorcall method_vectorcall_ wrapper_call wrapperdescr_";

/* Inlined functions are shown only for the program's own libraries: in the interpreter, its modules
 * and the system's libraries it would be noise, and takes long to look up. */
static bool wants_inlined(const char *module)
{
    return !sc_is_interpreter_file(module) && strstr(module, "/lib-dynload/") == NULL &&
           !sc_starts_with(module, "/usr/lib/") && !sc_starts_with(module, "/lib/");
}

/* Asks for all code of a module at once: an answer of another thread takes longer to arrive than to
 * be found. */
static void prepare(struct sc_naming *naming, const char *module)
{
    const struct sc_collect *collect = naming->collect;
    uint32_t id = sc_intern_find(&collect->names, module, strlen(module));
    if (id == SC_NONE || sc_map_get(&naming->prepared, id) != SC_NONE)
        return;
    SC_AUTO_FREE SC_VEC(uint64_t) offsets = {0};
    SC_EACH(const struct sc_code, code, &collect->codes)
        if (code->file == id && sc_code_is_native(code))
            sc_vec_push(&offsets, code->offset);
    sc_map_put(&naming->prepared, id, 0);
    sc_symbols_prepare(naming->symbols, module, offsets.items, offsets.count,
                       wants_inlined(module));
}

size_t sc_name_native(void *context, const char *module, uint64_t offset,
                      struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX])
{
    struct sc_naming *naming = context;
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    prepare(naming, module);
    size_t count = sc_symbols_find(naming->symbols, module, offset, wants_inlined(module), names);
    if (count == 0) {
        uint64_t start = sc_symbols_start(naming->symbols, module, offset);
        free(naming->place);
        naming->place = sc_native_place(module, start);
        ret_names[0] = (struct sc_native_name){naming->place, offset - start};
        return 1;
    }
    if (sc_is_interpreter_file(module) && sc_starts_with_any(names[0].text, passing_on))
        return 0;
    for (size_t i = 0; i < count; i++)
        ret_names[i] = (struct sc_native_name){names[i].text, names[i].inside};
    return count;
}
