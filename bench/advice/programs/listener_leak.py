# bench/advice/programs/listener_leak.py - widgets subscribe to a bus of events and never leave it.
#
# SPDX-License-Identifier: Apache-2.0
# advice: leak
# also: peak_allocation garbage_collection
STEPS = 1_200_000


class Bus:
    def __init__(self):
        self.listeners = []

    def subscribe(self, listener):
        self.listeners.append(listener)  # <- here


class Widget:
    def __init__(self, bus, number):
        self.data = bytearray(400)  # <- here
        self.number = number
        bus.subscribe(self.changed)  # <- here

    def changed(self, event):
        self.number = event


def main():
    bus = Bus()
    total = 0
    for i in range(STEPS):
        widget = Widget(bus, i)  # <- here
        total += widget.number % 7
    print(total, len(bus.listeners))


main()
