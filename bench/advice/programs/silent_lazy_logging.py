# bench/advice/programs/silent_lazy_logging.py - steps of a process; messages that nobody reads are never formatted.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: python_loop python_function
import logging

STEPS = 7_200_000
log = logging.getLogger("process")


def process(steps):
    verbose = log.isEnabledFor(logging.DEBUG)
    level = 0
    for step in range(steps):
        level = (level * 31 + step) % 1009
        if verbose:
            log.debug("step %d level %d", step, level)
    log.info("%d steps", steps)
    return level


logging.basicConfig(level=logging.INFO)
print(process(STEPS * 3))
