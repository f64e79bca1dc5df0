# bench/advice/programs/silent_worker_pool.py - threads that each wait for a slow device, all at the same time.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: waiting
import queue
import threading
import time

DEVICES = 12
READINGS = 18


def read_device(number, results):
    for i in range(READINGS):
        time.sleep(0.1)  # the device measures
        results.put((number, i))


def main():
    results = queue.Queue()
    readers = [threading.Thread(target=read_device, args=(n, results)) for n in range(DEVICES)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    print(results.qsize())


if __name__ == "__main__":
    main()
