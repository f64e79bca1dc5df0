/*
 * page/overview_gpu.c - part of api/overview: what the devices did, and how that is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page/overview.h"
#include "page/write.h"

static void write_devices(struct sc_json_out *out, const struct sc_report_gpu *gpu)
{
    sc_json_begin_under(out, "devices", '[');
    SC_EACH(const struct sc_report_device, device, &gpu->devices) {
        sc_json_begin(out, '{');
        sc_write_text(out, "name", device->name);
        sc_write_number(out, "load_percent", device->load_percent);
        sc_write_number(out, "peak_mb", device->peak_mb);
        if (device->total_mb > 0.0)
            sc_write_number(out, "total_mb", device->total_mb);
        sc_json_bool_under(out, "shared_load", device->is_shared_load);
        sc_json_bool_under(out, "shared_memory", device->is_shared_memory);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_count_under(out, "devices_left_out", gpu->devices_left_out);
}

static void write_times(struct sc_json_out *out, const struct sc_report_gpu *gpu, const char *trace)
{
    sc_write_text(out, "trace", trace);
    sc_write_number(out, "kernel_s", gpu->kernel_s);
    sc_write_number(out, "copy_s", gpu->copy_s);
    sc_write_number(out, "traced_s", gpu->traced_s);
    sc_write_number(out, "busy_s", gpu->busy_s);
    sc_write_number(out, "idle_s", gpu->idle_s);
    sc_write_number(out, "idle_percent", gpu->idle_percent);
    sc_json_count_under(out, "launches", gpu->launches);
    sc_write_number(out, "to_device_mb", gpu->to_device_mb);
    sc_write_number(out, "from_device_mb", gpu->from_device_mb);
}

void sc_overview_gpu(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    const struct sc_report_gpu *gpu = &page->report.overview.gpu;
    if (!gpu->has)
        return;
    sc_json_begin_under(out, "gpu", '{');
    sc_write_text(out, "noun", gpu->noun);
    sc_write_text(out, "fact", gpu->fact);
    sc_write_number(out, "load_percent", gpu->load_percent);
    sc_write_number(out, "peak_mb", gpu->peak_mb);
    write_devices(out, gpu);
    if (gpu->is_traced)
        write_times(out, gpu, profile->gpu_trace);
    sc_json_texts_under(out, "facts", gpu->facts.items, gpu->facts.count);
    sc_write_curve(out, "load", profile->gpu_load.items, profile->gpu_load.count);
    sc_write_curve(out, "memory", profile->gpu_memory.items, profile->gpu_memory.count);
    sc_overview_hots(out, page, "lines", SC_HOT_GPU, &gpu->lines);
    sc_overview_hots(out, page, "idle_lines", SC_HOT_GPU, &gpu->idle_lines);
    sc_overview_hots(out, page, "memory_lines", SC_HOT_GPU, &gpu->memory_lines);
    sc_json_end(out, '}');
}
