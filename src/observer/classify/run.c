/*
 * observer/classify/run.c - what a call instruction of Python runs, function by function.
 *
 * Between the evaluation loop and the callee lies plumbing, and not all of it can be known by name
 * in a stripped build. But plumbing reaches the callee through a pointer, and everything else it
 * does by direct calls; the call instructions before the return addresses show which it was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/classify/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "observer/classify/call.h"
#include "observer/classify/roles.h"
#include "observer/classify/types.h"
#include "observer/system/modules.h"
#include "observer/system/remote.h"
#include "symbol/functions.h"

/* Only functions of at most this many bytes are searched for a jump to another function. */
#define FUNCTION_BYTES_MAX 65536

/* How many functions of the interpreter's own may lie between a call and object.__new__. */
#define CREATION_DEPTH 4

/* Bytes of a stub of the linkage table that are read. */
#define STUB_BYTES 16

struct named_type {
    uint64_t address; /* in the file */
    bool is_super;
};

struct sc_interpreter {
    struct sc_modules *modules;
    SC_VEC(struct named_type) types;
    struct sc_functions *functions;
    struct sc_intern role_names;
    struct sc_map roles; /* start of a function in the file: enum sc_role */
    struct sc_map calls; /* return address in the file: call_key of what was called */
    struct sc_map jumps; /* mix of two functions: whether one jumps into the other, plus 1 */
    struct sc_map links; /* stub of the linkage table: the function that it leads to */
    struct sc_subject subject;
    uint64_t bias; /* addresses in the process less those in the file */
};

struct run {
    struct sc_interpreter *interpreter;
    const uint64_t *addresses;
    size_t count;
    bool has_loop;
};

/* One function of a run. */
struct place {
    enum sc_role role;
    bool is_callee; /* reached through a pointer, or it is not known how */
};

static void add_symbol_role(void *context, const struct sc_named_symbol *symbol)
{
    struct sc_interpreter *interpreter = context;
    const char *name = symbol->name;
    enum sc_role role =
        symbol->is_function ? sc_role_of_name(&interpreter->role_names, name) : SC_ROLE_OTHER;
    if (role != SC_ROLE_OTHER)
        sc_map_put(&interpreter->roles, symbol->address, role);
    if (!symbol->is_function && sc_starts_with(name, "Py") && sc_ends_with(name, "_Type"))
        sc_vec_push(&interpreter->types,
                    (struct named_type){symbol->address, strcmp(name, "PySuper_Type") == 0});
}

/* The address in the interpreter's file, 0 when it is not of the interpreter. */
static uint64_t file_address(struct sc_interpreter *interpreter, const struct sc_mapping *mapping,
                             uint64_t address)
{
    if (mapping == NULL || mapping->class != SC_MODULE_INTERPRETER)
        return 0;
    return sc_functions_address(interpreter->functions,
                                mapping->file_offset + (address - mapping->start));
}

static void add_fact(struct sc_interpreter *interpreter, uint64_t address, enum sc_role role)
{
    const struct sc_mapping *mapping =
        address != 0 ? sc_modules_find(interpreter->modules, address) : NULL;
    uint64_t start = file_address(interpreter, mapping, address);
    /* A slot may hold a function that has a role already (PyVectorcall_Call). */
    if (start != 0 && sc_map_get(&interpreter->roles, start) == SC_NONE)
        sc_map_put(&interpreter->roles, start, role);
}

static void add_facts(struct sc_interpreter *interpreter, const struct sc_interpreter_facts *facts)
{
    add_fact(interpreter, facts->type_call, SC_ROLE_TYPE_CALL);
    add_fact(interpreter, facts->object_new, SC_ROLE_CREATION);
    add_fact(interpreter, facts->object_init, SC_ROLE_CREATION);
    add_fact(interpreter, facts->object_new_method, SC_ROLE_CREATION);
    add_fact(interpreter, facts->heap_init, SC_ROLE_CREATION);
    add_fact(interpreter, facts->heap_new, SC_ROLE_CREATION);
    add_fact(interpreter, facts->generic_alloc, SC_ROLE_ALLOCATION);
    add_fact(interpreter, facts->function_call, SC_ROLE_PYTHON_CALL);
    add_fact(interpreter, facts->method_call, SC_ROLE_PYTHON_CALL);
    add_fact(interpreter, facts->heap_call, SC_ROLE_PYTHON_CALL);
    add_fact(interpreter, facts->frame_dealloc, SC_ROLE_PYTHON_CALL);
    add_fact(interpreter, facts->heap_dealloc, SC_ROLE_DEALLOC);
}

/* Adds functions of the interpreter's types, read from the process: deallocators, and super(). */
static void add_types(struct sc_interpreter *interpreter, struct sc_subject subject,
                      const struct sc_interpreter_facts *facts, const struct sc_layout *layout)
{
    const struct sc_mapping *mapping = sc_modules_find(interpreter->modules, facts->eval_function);
    interpreter->subject = subject;
    interpreter->bias =
        facts->eval_function - file_address(interpreter, mapping, facts->eval_function);
    struct sc_type_reader *reader = sc_type_reader_new(subject, layout);
    for (size_t i = 0; i < interpreter->types.count; i++) {
        struct sc_type_slots slots;
        if (!sc_type_reader_read(reader, interpreter->bias + interpreter->types.items[i].address,
                                 &slots))
            continue;
        add_fact(interpreter, slots.dealloc, SC_ROLE_DEALLOC);
        if (interpreter->types.items[i].is_super) {
            add_fact(interpreter, slots.init, SC_ROLE_CREATION);
            add_fact(interpreter, slots.vectorcall, SC_ROLE_CREATION);
        }
    }
    sc_type_reader_free(reader);
}

struct sc_interpreter *sc_interpreter_new(struct sc_subject subject, struct sc_helper *helper,
                                          struct sc_modules *modules,
                                          const struct sc_interpreter_facts *facts,
                                          const struct sc_layout *layout)
{
    const struct sc_mapping *mapping = sc_modules_find(modules, facts->eval_function);
    if (mapping == NULL || mapping->class != SC_MODULE_INTERPRETER)
        return NULL;
    struct sc_interpreter *interpreter = sc_alloc(1, sizeof(*interpreter));
    interpreter->modules = modules;
    SC_AUTO_FREE char *path = sc_modules_path(modules, mapping);
    sc_role_names_init(&interpreter->role_names);
    if (path != NULL)
        interpreter->functions =
            sc_functions_read(helper, path, add_symbol_role, interpreter, NULL);
    if (path != NULL && interpreter->functions == NULL && !mapping->is_deleted)
        interpreter->functions =
            sc_functions_read(helper, mapping->path, add_symbol_role, interpreter, NULL);
    if (interpreter->functions == NULL) {
        sc_interpreter_free(interpreter);
        return NULL;
    }
    add_facts(interpreter, facts);
    if (layout != NULL)
        add_types(interpreter, subject, facts, layout);
    return interpreter;
}

void sc_interpreter_free(struct sc_interpreter *interpreter)
{
    if (interpreter == NULL)
        return;
    sc_functions_free(interpreter->functions);
    sc_vec_done(&interpreter->types);
    sc_intern_done(&interpreter->role_names);
    sc_map_done(&interpreter->roles);
    sc_map_done(&interpreter->calls);
    sc_map_done(&interpreter->jumps);
    sc_map_done(&interpreter->links);
    free(interpreter);
}

static enum sc_role role_of_function(const struct sc_interpreter *interpreter, uint64_t start)
{
    uint32_t role = sc_map_get(&interpreter->roles, start);
    return role == SC_NONE ? SC_ROLE_OTHER : (enum sc_role)role;
}

/* Whether the function at from has a direct jump into the one at to: a tail call, or a jump to its
 * own cold part. */
static bool jumps_into(struct sc_interpreter *interpreter, uint64_t from, uint64_t to)
{
    uint64_t key = sc_mix(from, to);
    uint32_t known = sc_map_get(&interpreter->jumps, key);
    if (known != SC_NONE)
        return known == 1;
    bool found = false;
    uint64_t length = sc_functions_end(interpreter->functions, from) - from;
    if (length > 0 && length <= FUNCTION_BYTES_MAX) {
        SC_AUTO_FREE uint8_t *code = sc_alloc(1, length);
        found = sc_functions_bytes(interpreter->functions, from, code, length) &&
                sc_call_jumps_into(code, length, from, to,
                                   sc_functions_end(interpreter->functions, to));
    }
    sc_map_put(&interpreter->jumps, key, found);
    return found;
}

/* The function that the call instruction before return_address calls, both as addresses in the
 * file; 0 when it calls through a pointer or something that is no function. The map holds 32 bits:
 * files are smaller. */
static uint64_t called_directly(struct sc_interpreter *interpreter, uint64_t return_address)
{
    uint32_t known = sc_map_get(&interpreter->calls, return_address);
    if (known != SC_NONE)
        return known;
    uint8_t bytes[SC_CALL_BYTES];
    uint64_t target = 0;
    bool is_direct = return_address >= SC_CALL_BYTES &&
                     sc_functions_bytes(interpreter->functions, return_address - SC_CALL_BYTES,
                                        bytes, SC_CALL_BYTES) &&
                     sc_call_form(bytes, return_address, &target) == SC_CALL_DIRECT &&
                     (sc_functions_start(interpreter->functions, target) == target ||
                      sc_functions_is_linkage(interpreter->functions, target)) &&
                     target < SC_NONE;
    sc_map_put(&interpreter->calls, return_address, is_direct ? (uint32_t)target : 0);
    return is_direct ? target : 0;
}

/* The function that a stub of the linkage table leads to in the process; 0 where it is none of the
 * interpreter's own. A stub that has not been called yet leads to the loader. */
static uint64_t linked_to(struct sc_interpreter *interpreter, uint64_t stub)
{
    uint32_t known = sc_map_get(&interpreter->links, stub);
    if (known != SC_NONE)
        return known;
    uint8_t code[STUB_BYTES];
    uint64_t word = 0;
    uint64_t address = 0;
    struct sc_remote remote = sc_subject_remote(interpreter->subject);
    bool is_read = interpreter->subject.pid != 0 &&
                   sc_functions_bytes(interpreter->functions, stub, code, sizeof(code)) &&
                   sc_call_linkage_word(code, sizeof(code), stub, &word) &&
                   sc_remote_read(&remote, interpreter->bias + word, &address, sizeof(address));
    sc_remote_done(&remote);
    uint64_t in_file =
        is_read ? file_address(interpreter, sc_modules_find(interpreter->modules, address), address)
                : 0;
    if (in_file != 0 && sc_functions_is_linkage(interpreter->functions, in_file))
        return 0;
    in_file = in_file < SC_NONE ? in_file : 0;
    sc_map_put(&interpreter->links, stub, (uint32_t)in_file);
    return in_file;
}

/* How an unknown function at start came to run, from the call in the function outside it. */
static struct place place_by_call(struct sc_interpreter *interpreter, uint64_t start,
                                  uint64_t return_address)
{
    const struct sc_mapping *mapping = sc_modules_find(interpreter->modules, return_address - 1);
    uint64_t outside = file_address(interpreter, mapping, return_address - 1);
    uint64_t named = outside != 0 ? called_directly(interpreter, outside + 1) : 0;
    if (named == 0)
        return (struct place){SC_ROLE_OTHER, true};
    if (named == start || sc_functions_is_linkage(interpreter->functions, named))
        return (struct place){SC_ROLE_OTHER, false};
    /* The function that was called jumped on: to a part of its own or a helper, or to the callee.
     */
    enum sc_role role = role_of_function(interpreter, named);
    if (role != SC_ROLE_OTHER && role != SC_ROLE_PLUMBING)
        return (struct place){role, false};
    return (struct place){SC_ROLE_OTHER, !jumps_into(interpreter, named, start)};
}

static struct place place_at(const struct run *run, size_t index)
{
    struct sc_interpreter *interpreter = run->interpreter;
    /* A return address follows the call, which may be the function's last instruction. */
    uint64_t address = run->addresses[index] - (index > 0);
    const struct sc_mapping *mapping = sc_modules_find(interpreter->modules, address);
    if (mapping != NULL && mapping->class == SC_MODULE_RUNTIME)
        return (struct place){SC_ROLE_PLUMBING, false};
    uint64_t in_file = file_address(interpreter, mapping, address);
    if (in_file == 0)
        return (struct place){SC_ROLE_OTHER, true};
    if (sc_functions_is_linkage(interpreter->functions, in_file))
        return (struct place){SC_ROLE_PLUMBING, false};
    uint64_t start = sc_functions_start(interpreter->functions, in_file);
    enum sc_role role = role_of_function(interpreter, start);
    if (role != SC_ROLE_OTHER)
        return (struct place){role, false};
    if (index + 1 == run->count && !run->has_loop)
        return (struct place){SC_ROLE_OTHER, true};
    return place_by_call(interpreter, start, run->addresses[index + 1]);
}

/* Whether a function just inside index makes objects of classes written in Python: object.__new__
 * and the like are called through functions that are not always known. */
static bool creates(const struct run *run, size_t index)
{
    for (size_t i = index; i-- > 0 && index - i <= CREATION_DEPTH;) {
        if (place_at(run, i).role == SC_ROLE_CREATION)
            return true;
    }
    return false;
}

bool sc_interpreter_passes_on(struct sc_interpreter *interpreter, const struct sc_mapping *mapping,
                              uint64_t address)
{
    uint64_t in_file = file_address(interpreter, mapping, address);
    if (in_file == 0)
        return false;
    if (sc_functions_is_linkage(interpreter->functions, in_file))
        return true;
    enum sc_role role =
        role_of_function(interpreter, sc_functions_start(interpreter->functions, in_file));
    return role == SC_ROLE_PLUMBING || role == SC_ROLE_PYTHON_CALL || role == SC_ROLE_TYPE_CALL;
}

uint64_t sc_interpreter_inside(struct sc_interpreter *interpreter, const struct sc_mapping *mapping,
                               uint64_t address)
{
    uint64_t in_file = file_address(interpreter, mapping, address);
    uint64_t start = in_file != 0 ? sc_functions_start(interpreter->functions, in_file) : 0;
    return start != 0 ? in_file - start : 0;
}

/* address: of an instruction or, with is_return, a return address. */
static bool ends_objects(struct sc_interpreter *interpreter, uint64_t address, bool is_return)
{
    const struct sc_mapping *mapping = sc_modules_find(interpreter->modules, address - is_return);
    uint64_t in_file = file_address(interpreter, mapping, address - is_return);
    if (in_file == 0)
        return false;
    uint64_t start = sc_functions_start(interpreter->functions, in_file);
    if (role_of_function(interpreter, start) == SC_ROLE_DEALLOC)
        return true;
    uint64_t named = is_return ? called_directly(interpreter, in_file + 1) : 0;
    if (named != 0 && sc_functions_is_linkage(interpreter->functions, named))
        named = linked_to(interpreter, named);
    return named != 0 && role_of_function(interpreter, named) == SC_ROLE_DEALLOC;
}

bool sc_interpreter_frees(struct sc_interpreter *interpreter, const uint64_t *addresses,
                          size_t count, bool has_loop)
{
    for (size_t i = 0; i < count + has_loop && count > 0; i++) {
        if (ends_objects(interpreter, addresses[i], i > 0))
            return true;
    }
    return false;
}

/* What the loop calls. type.__call__ passes on what it is asked for: to object.__new__ and the
 * like, or to the slots of another class. */
static enum sc_sample_kind kind_of_callee(const struct run *run)
{
    for (size_t i = run->count; i-- > 0;) {
        struct place place = place_at(run, i);
        if (place.role == SC_ROLE_OTHER && place.is_callee)
            return creates(run, i) ? SC_SAMPLE_PYTHON : SC_SAMPLE_NATIVE;
        if (place.role != SC_ROLE_PLUMBING && place.role != SC_ROLE_OTHER &&
            place.role != SC_ROLE_TYPE_CALL)
            return SC_SAMPLE_PYTHON;
    }
    return SC_SAMPLE_PYTHON; /* in the plumbing itself, or in type.__call__ and its helpers */
}

/* Without the loop the outer end of the run is not known: any function with another role than
 * plumbing decides. */
static enum sc_sample_kind kind_of_part(const struct run *run)
{
    for (size_t i = run->count; i-- > 0;) {
        enum sc_role role = place_at(run, i).role;
        if (role != SC_ROLE_OTHER && role != SC_ROLE_PLUMBING)
            return SC_SAMPLE_PYTHON;
    }
    return SC_SAMPLE_NATIVE;
}

enum sc_sample_kind sc_interpreter_callee(struct sc_interpreter *interpreter,
                                          const uint64_t *addresses, size_t count, bool has_loop)
{
    struct run run = {interpreter, addresses, count, has_loop};
    return has_loop ? kind_of_callee(&run) : kind_of_part(&run);
}

enum sc_sample_kind sc_interpreter_native_callee(struct sc_interpreter *interpreter,
                                                 const uint64_t *addresses, size_t count,
                                                 bool has_loop)
{
    struct run run = {interpreter, addresses, count, has_loop};
    if (!has_loop || count == 0)
        return SC_SAMPLE_NATIVE;
    enum sc_role role = place_at(&run, count - 1).role;
    if (role == SC_ROLE_CHORES || role == SC_ROLE_DEALLOC || creates(&run, count))
        return SC_SAMPLE_PYTHON;
    return SC_SAMPLE_NATIVE;
}
