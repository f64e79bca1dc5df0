# bench/gpu_programs/streams.py - work that runs at the same time on several streams.
#
# SPDX-License-Identifier: Apache-2.0
"""Four streams whose kernels overlap: device time adds up, busy time does not."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_driver

STREAMS = 4
ROUNDS = 15
LEAD_MS = 5


def main(cuda):
    streams = [cuda.stream() for _ in range(STREAMS)]
    timers = [cuda.timer(stream) for stream in streams]
    whole = cuda.timer(streams[0])
    for _ in range(ROUNDS):
        cuda.sleep(LEAD_MS, streams[0])  # meanwhile the host enqueues what follows
        whole.begin()
        for stream in streams[1:]:
            cuda.call("cuStreamWaitEvent", stream, whole.began, 0)
        for stream, timer in zip(streams, timers):
            timer.begin()
            cuda.sleep(20, stream)  # line: streams
            timer.end()
        for timer in timers[1:]:
            cuda.call("cuStreamWaitEvent", streams[0], timer.pairs[-1][1], 0)
        whole.end()
        cuda.synchronize()
    together = sum(timer.seconds() for timer in timers)
    return {
        "streams": {"gpu_s": together, "launches": STREAMS * ROUNDS},
        "": {"busy_s": whole.seconds() + ROUNDS * LEAD_MS / 1000},
    }


gpu_driver.run(main)
