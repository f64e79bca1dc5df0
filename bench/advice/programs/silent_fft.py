# bench/advice/programs/silent_fft.py - filters long signals in the frequency domain.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: numpy
import numpy as np

LENGTH = 1 << 19
SIGNALS = 52


def low_pass(signal, keep):
    spectrum = np.fft.rfft(signal)
    spectrum[keep:] = 0
    return np.fft.irfft(spectrum, n=len(signal))


rng = np.random.default_rng(0)
noise = rng.normal(size=LENGTH)
powers = [float(np.mean(low_pass(noise, 1 << k) ** 2)) for k in range(4, 4 + SIGNALS)]
print(powers == sorted(powers))
