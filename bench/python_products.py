#!/usr/bin/env python3
"""Products from Python on a GPU, beside CuPy and torch: times in a loop, and what a call takes on the host.

    bench/python_products.py [--columns K] [--values float64|float32] [--json FILE] A.mtx...

Needs the package tilespmv, CuPy and torch. A call's host time is that of products which the GPU has not finished when the
next one begins.
"""
import argparse
import json
import math
import statistics
import time

import cupy
import numpy as np
import torch

import tilespmv


def host_time(call, count=200):
    """The median time of a call, the GPU left behind for so many of them."""
    for _ in range(20):
        call()
    cupy.cuda.runtime.deviceSynchronize()
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    cupy.cuda.runtime.deviceSynchronize()
    return statistics.median(times)


def host_times():
    a = tilespmv.matrix("gen:laplace2d:n=100", device="cuda")
    x, y = cupy.ones(a.shape[1]), cupy.empty(a.shape[0])
    c = a.to_cupy()
    host = a.to_scipy()
    t = torch.sparse_csr_tensor(*(torch.from_numpy(np.array(p)) for p in (host.indptr, host.indices, host.data)), host.shape).cuda()
    tx, ty = torch.ones(a.shape[1], dtype=torch.float64, device="cuda"), torch.empty(a.shape[0], dtype=torch.float64, device="cuda")
    return {
        "A.matvec(x, out=y), CuPy arrays": host_time(lambda: a.matvec(x, y)),
        "A @ x, CuPy arrays": host_time(lambda: a @ x),
        "A.matvec(x, out=y), torch tensors": host_time(lambda: a.matvec(tx, ty)),
        "A @ x, torch tensors": host_time(lambda: a @ tx),
        "CuPy's A @ x": host_time(lambda: c @ x),
        "torch's A @ x": host_time(lambda: t @ tx),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+")
    parser.add_argument("--columns", type=int, default=1)
    parser.add_argument("--values", default="float64")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    calls = host_times()
    for name, seconds in calls.items():
        print(f"{name:36} {1e6 * seconds:6.1f} us on the host")
    rows, ratios = [], {"cupy": [], "torch": []}
    for source in arguments.matrices:
        a = tilespmv.matrix(source, "cuda", values=arguments.values)
        name = source.rsplit("/", 1)[-1]
        found = tilespmv.benchmark({name: a}, columns=arguments.columns, min_seconds=0.02, compare=["cupy", "torch"])
        times = {row["operator"]: row["seconds"] for row in found}
        rows += found
        for peer in ratios:
            ratios[peer].append(times[peer] / times["auto"])
        print(f"{name:28} {1e6 * times['auto']:8.1f} us, " + ", ".join(f"{p} {times[p] / times['auto']:.2f} x" for p in ratios))
    for peer, of in ratios.items():
        print(f"{peer}: geometric mean {math.exp(sum(map(math.log, of)) / len(of)):.2f} x, least {min(of):.2f} x")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"version": tilespmv.__version__, "host_seconds": calls, "products": rows}, file, indent=1)


if __name__ == "__main__":
    main()
