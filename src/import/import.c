/* import/import.c - see import.h. SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"

#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/io.h"
#include "import/readers.h"

#define GZIP_PIECE_BYTES 65536U

const struct sc_import_format sc_import_formats[] = {
    {"speedscope", "speedscope's JSON", sc_speedscope_probe, sc_speedscope_read},
    {"collapsed", "collapsed stacks", sc_collapsed_probe, sc_collapsed_read},
    {"mojo", "a file of austin (MOJO)", sc_mojo_probe, sc_mojo_read},
    {"gecko", "Firefox Profiler's JSON", sc_gecko_probe, sc_gecko_read},
    {"pstats", "a file for pstats", sc_pstats_probe, sc_pstats_read},
    {"memray", "an export of memray", sc_memray_probe, sc_memray_read},
    {"pprof", "a file of pprof", sc_pprof_probe, sc_pprof_read},
    {"pyinstrument", "pyinstrument's JSON", sc_pyinstrument_probe, sc_pyinstrument_read},
    {"chrome", "a trace of Chrome's form", sc_chrome_probe, sc_chrome_read},
    {"jsonl", "Tachyon's JSON lines", sc_jsonl_probe, sc_jsonl_read},
    {SC_IMPORT_FORMATS_END, NULL, NULL, NULL},
};

const struct sc_import_format *sc_import_format_named(const char *name, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str names = {0};
    const struct sc_import_format *format = sc_import_formats;
    for (; format->name != NULL && strcmp(format->name, name) != 0; format++)
        sc_str_add_format(&names, "%s%s", names.length > 0 ? ", " : "", format->name);
    if (format->name == NULL)
        (void)sc_fail(err, SC_ERR_USAGE, "there is no format '%.40s'; those that are read are %s",
                      name, sc_str_text(&names));
    return format->name != NULL ? format : NULL;
}

/* Adds what gzip has compressed, in one member or several; a damaged or cut end is an error. */
static bool decompress(const struct sc_str *bytes, size_t limit, struct sc_str *ret_bytes,
                       struct sc_err *err)
{
    z_stream stream = {.next_in = (unsigned char *)bytes->data,
                       .avail_in = (unsigned)bytes->length};
    SC_AUTO_FREE char *piece = sc_alloc(1, GZIP_PIECE_BYTES);
    int result = inflateInit2(&stream, 16 + MAX_WBITS);
    while (result == Z_OK && ret_bytes->length <= limit) {
        stream.next_out = (unsigned char *)piece;
        stream.avail_out = GZIP_PIECE_BYTES;
        result = inflate(&stream, Z_NO_FLUSH);
        sc_str_add_bytes(ret_bytes, piece, GZIP_PIECE_BYTES - stream.avail_out);
        while (result == Z_STREAM_END && stream.avail_in > 0 && *stream.next_in == 0) {
            stream.next_in++; /* padding */
            stream.avail_in--;
        }
        if (result == Z_STREAM_END && stream.avail_in > 0)
            result = inflateReset(&stream);
    }
    (void)inflateEnd(&stream);
    if (ret_bytes->length > limit)
        return sc_fail(err, SC_ERR_FAILED, "it is longer than %zu MB when it is decompressed",
                       limit >> 20U);
    return result == Z_STREAM_END ||
           sc_fail(err, SC_ERR_FAILED, "it is compressed by gzip, and damaged or cut off");
}

bool sc_import_plain(struct sc_str *bytes, size_t limit, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str packed = {0};
    if (bytes->length <= 2 || memcmp(bytes->data, "\x1f\x8b", 2) != 0)
        return true;
    packed = *bytes;
    *bytes = (struct sc_str){0};
    return decompress(&packed, limit, bytes, err);
}

static const struct sc_import_format *detect(const struct sc_str *bytes, struct sc_err *err)
{
    const struct sc_import_format *format = sc_import_formats;
    while (format->name != NULL && !format->probe(sc_str_text(bytes), bytes->length))
        format++;
    if (format->name != NULL)
        return format;
    (void)sc_fail(err, SC_ERR_FAILED,
                  bytes->length == 0 ? "it is empty"
                                     : "it is in no format that is known (--format names one)");
    return NULL;
}

bool sc_import_read(struct sc_import_tree *tree, const char *path, const struct sc_str *bytes,
                    const struct sc_import_format *format,
                    const struct sc_import_format **ret_format, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str folder = {0};
    bool good = bytes->length <= SC_IMPORT_BYTES_MAX ||
                sc_fail(err, SC_ERR_FAILED, "it is longer than %zu MB", SC_IMPORT_BYTES_MAX >> 20U);
    if (good && format == NULL)
        format = detect(bytes, err);
    const char *name = sc_after_last(path, '/');
    sc_str_add_bytes(&folder, path, (size_t)(name - path));
    sc_str_add(&folder, ".");
    tree->places.beside = sc_str_text(&folder);
    *ret_format = good ? format : NULL;
    good = good && format != NULL && format->read(tree, sc_str_text(bytes), bytes->length, err);
    tree->files++;
    tree->places.beside = NULL;
    if (good)
        sc_import_note(tree, sc_format("read from '%s', %s: what that does not hold is not known "
                                       "here, and shown as 0",
                                       name, format->title));
    return good;
}

bool sc_import_load(const char *path, struct sc_str *ret_bytes, uint64_t *ret_changed_ns,
                    struct sc_err *err)
{
    struct stat facts;
    if (!sc_read_regular_file(path, SC_IMPORT_BYTES_MAX, ret_bytes, err))
        return false;
    if (stat(path, &facts) == 0) {
        uint64_t changed_ns =
            (uint64_t)facts.st_mtim.tv_sec * 1000000000U + (uint64_t)facts.st_mtim.tv_nsec;
        *ret_changed_ns = changed_ns > *ret_changed_ns ? changed_ns : *ret_changed_ns;
    }
    return true;
}
