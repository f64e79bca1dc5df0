# bench/advice/programs/bank_transfers.py - threads move money between accounts under one lock.
#
# SPDX-License-Identifier: Apache-2.0
# advice: lock_queue
# also: waiting
import threading
import time

THREADS = 6
TRANSFERS = 40


class Bank:
    def __init__(self):
        self.balance = {i: 1000 for i in range(50)}
        self.lock = threading.Lock()

    def store(self, a, b):
        """Stands for a write to the bank's database."""
        time.sleep(0.008)

    def transfer(self, a, b, amount):
        with self.lock:  # <- here
            self.balance[a] -= amount
            self.balance[b] += amount
            self.store(a, b)


def clerk(bank, seed):
    for i in range(TRANSFERS):
        bank.transfer((seed + i) % 50, (seed * 7 + i * 3) % 50, 1)


def main():
    bank = Bank()
    threads = [threading.Thread(target=clerk, args=(bank, seed)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(bank.balance.values()))


main()
