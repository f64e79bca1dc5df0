# tests/soak/trees.py - processes that start processes: shells, pipes, forks in threads, early and violent ends.
#
# SPDX-License-Identifier: Apache-2.0
"""A program of tools/soak; its argument is a seed."""

import os
import random
import signal
import subprocess
import sys
import threading

choice = random.Random(int(sys.argv[1]))


def forks(result):
    pid = os.fork()
    if pid == 0:
        sum(i ^ 5 for i in range(50000))
        os._exit(7)
    result.append(os.waitpid(pid, 0)[1] >> 8)


for _ in range(6):
    code = "import sys; print(sum(range(%d))); sys.exit(%d)" % (choice.randrange(10**6), choice.randrange(5))
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE)
    print(done.returncode, done.stdout)
    done = subprocess.run("echo a b c | tr a-c x-z; exit %d" % choice.randrange(5), shell=True, stdout=subprocess.PIPE)
    print(done.returncode, done.stdout)
    results = []
    threads = [threading.Thread(target=forks, args=(results,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(results)
    number = choice.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    killed = subprocess.Popen([sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    killed.stdout.read(1)
    killed.send_signal(number)
    print(number, killed.wait())
sys.exit(choice.randrange(3))
