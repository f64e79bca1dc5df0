# bench/gpu_programs/with_torch.py - torch: a product of matrices, copies, memory; with --loop a training loop.
#
# SPDX-License-Identifier: Apache-2.0
"""What torch launches, copies and takes, from known lines."""

import json
import sys
import time

import torch

NO_GPU = 77
MIB = 1 << 20
SIZE = 32 * MIB
ROUNDS = 30


class Timer:
    def __init__(self):
        self.pairs = []

    def __enter__(self):
        self.pairs.append([torch.cuda.Event(enable_timing=True) for _ in range(2)])
        self.pairs[-1][0].record()

    def __exit__(self, *_):
        self.pairs[-1][1].record()

    def seconds(self):
        torch.cuda.synchronize()
        return sum(begin.elapsed_time(end) for begin, end in self.pairs) / 1000


def lines():
    device = torch.device("cuda")
    a = torch.randn(4096, 4096, device=device)
    b = torch.randn(4096, 4096, device=device)
    wide = torch.randn(16384, 16384, device=device)  # a millisecond of work, to which an event's own time adds almost nothing
    _ = a @ b, torch.softmax(wide, dim=1)
    host = torch.zeros(SIZE, dtype=torch.uint8)
    torch.cuda.synchronize()
    product, softmax = Timer(), Timer()
    for _ in range(ROUNDS):
        with product:
            _ = a @ b  # line: torch product
        with softmax:
            _ = torch.softmax(wide, dim=1)  # line: torch softmax
    for _ in range(5):
        there = host.to(device)  # line: torch to
    for _ in range(3):
        there.cpu()  # line: torch from
    torch.cuda.empty_cache()  # otherwise the block could be put into memory that torch has kept
    block = torch.empty(512 * MIB, dtype=torch.uint8, device=device)  # line: torch block
    del block
    return {
        "torch product": {"gpu_s": product.seconds()},
        "torch softmax": {"gpu_s": softmax.seconds()},
        "torch to": {"to_device_mb": 5 * SIZE / MIB, "from_device_mb": 0},
        "torch from": {"to_device_mb": 0, "from_device_mb": 3 * SIZE / MIB},
        "torch block": {"malloc_mb": 512, "live_mb": 512},
    }


def loop():
    layers = [torch.nn.Linear(2048, 2048) for _ in range(8)]
    model = torch.nn.Sequential(*[layer for linear in layers for layer in (linear, torch.nn.ReLU())]).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    batches = torch.randn(8, 1024, 2048)
    began = 0.0
    for step in range(220):
        if step == 20:  # all is loaded and chosen
            torch.cuda.synchronize()
            began = time.perf_counter()
        loss = model(batches[step % 8].cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    return {"": {"loop_s": time.perf_counter() - began}}


if not torch.cuda.is_available():
    print("torch finds no CUDA device", file=sys.stderr)
    sys.exit(NO_GPU)
print(json.dumps(loop() if "--loop" in sys.argv else lines()))
