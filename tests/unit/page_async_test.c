/*
 * tests/unit/page_async_test.c - the answer "api/async".
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "page_fixture.h"
#include "profile_lists.h"
#include "report_fixture.h"

#define FRAME(kind, name, path, line, role)                                                        \
    "{\"kind\":\"" kind "\",\"display_name\":\"" name "\",\"filename_or_module\":\"" path          \
    "\",\"line\":" line ",\"role\":\"" role "\"}"
#define HANDLE  FRAME("py", "Handle._run", "/usr/lib/python3.11/asyncio/events.py", "80", "library")
#define SLEEP   FRAME("native", "time_sleep", "/lib/c.so", "null", "")
#define OF_F    FRAME("py", "f", "/w/a.py", "3", "")
#define OF_G    FRAME("py", "g", "/w/a.py", "4", "")
#define IN_LOOP "[[" HANDLE "," OF_F "," SLEEP "],75]"
#define NO_LOOP "[[" OF_G "],25]"

/* own: members of "scalene_c". */
static void open_page(struct sc_page *page, double await_percent, const char *own)
{
    struct sc_profile profile = profile_of(
        "\"combined_stacks\":[" IN_LOOP "," NO_LOOP "],\"elapsed_time_sec\":4,\"filename\":\"/w\","
        "\"async_profile\":true,\"program\":\"/w/a.py\",\"scalene_c\":{\"interval_s\":0.01%s}",
        own);
    profile.time_s[SC_TIME_PYTHON] = 4.0;
    struct sc_file *file = fixture_file(&profile, "/w/a.py");
    (void)fixture_line(file, "import time\n", 0, 0, 0);
    (void)fixture_line(file, "async def f():\n", 0, 0, 0);
    (void)fixture_line(file, "    time.sleep(1)\n", 0, 0, 75);
    (void)fixture_line(file, "g(await h())\n", 25, 0, 0);
    fixture_function(file, "f", 2, 1.0, 75.0);
    file->functions.items[0].cost.is_coroutine = true;
    for (size_t i = 1; i < 3; i++) {
        file->lines.items[i].region.start_function_line = 2;
        file->lines.items[i].region.end_function_line = 3;
    }
    struct sc_cost *cost = &file->lines.items[3].cost;
    cost->async_await_percent = await_percent;
    cost->async_concurrency_mean = 2.5;
    cost->async_concurrency_peak = 4.0;
    sc_vec_push(&cost->async_task_names, sc_strdup("Task-2"));
    sc_page_init(page, &profile, NULL);
}

TEST(blocks_and_waits_lead_to_their_lines)
{
    OWN(sc_page, page);
    open_page(&page, 100.0, "");
    answers(&page, "api/async",
            "loop=Event loops took 3.00 s of the run: 100% in functions of the program.  "
            "blocks#=1  blocks.0.name=f  blocks.0.place=a.py  blocks.0.file=0  "
            "blocks.0.percent=75  blocks.0.seconds=3  blocks.0.coroutine=  "
            "blocks.0.lines.0.lineno=3  blocks.0.lines.0.text=time.sleep(1)  "
            "blocks.0.lines.0.call=time.sleep  "
            "waits.0.name=  waits.0.mean=  " /* of several lines it is not known */
            "waits.0.lines.0.lineno=4  waits.0.lines.0.mean=2.5  waits.0.lines.0.peak=4  "
            "waits.0.lines.0.tasks=Task-2");
}

TEST(lanes_lead_to_the_lines_of_their_waits)
{
    OWN(sc_page, page);
    open_page(&page, 100.0,
              ",\"task_lanes_cut\":true,"
              "\"task_places\":[[\"/w/a.py\",4,\"\"],[\"/x/b.py\",9,\"h\"]],\"task_lanes\":["
              "{\"name\":\"Task-2\",\"pid\":7,\"runs\":[[0.5,0.25,1],[1,2,2],[3,0.5,0]]},"
              /* of others: runs that are not in order, too long, of no place; no runs at all */
              "{\"runs\":[[5,1,1],[4,1,1],[6,1e15,1],[7,1,99],[8,-1,1]]},{\"name\":\"x\"}]");
    answers(&page, "api/async",
            "lanes_cut=true  places.0.file=0  places.0.lineno=4  places.1.file=  places.1.name=h  "
            "lanes#=3  lanes.0.name=Task-2  lanes.0.wait_s=2.75  "
            "lanes.0.runs=[[0.5,0.25,0],[1,2,1],[3,0.5,-1]]  "
            "lanes.1={\"name\":\"\",\"pid\":0,\"wait_s\":2,\"runs\":[[5,1,0],[7,1,-1]]}");
}

TEST(a_profile_without_awaits_has_no_answer)
{
    OWN(sc_page, page);
    open_page(&page, 0.0, "");
    REFUSES(&page, SC_ANSWER_MISSING, "api/async");
}
