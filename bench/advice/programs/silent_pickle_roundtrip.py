# bench/advice/programs/silent_pickle_roundtrip.py - saves a large state and loads it again, with the fastest protocol.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import io
import pickle

RECORDS = 880_000
ROUNDS = 4


def main():
    state = [(i, "record", i * 0.5) for i in range(RECORDS)]
    for _ in range(ROUNDS):
        buffer = io.BytesIO()
        pickle.dump(state, buffer, protocol=pickle.HIGHEST_PROTOCOL)
        buffer.seek(0)
        state = pickle.load(buffer)
    print(len(state))


main()
