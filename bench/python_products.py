#!/usr/bin/env python3
"""How long products from Python take, beside those of CuPy, torch and SciPy.

    bench/python_products.py [--device cuda|cpu] [--json FILE] [--budget SECONDS] FOLDER|A.mtx|gen:...
    bench/python_products.py --show FILE

Three things are measured. First, what a call takes on the host, of a small matrix. Second, `A @ x` and `A @ X` of 8 columns, one
after the other in a loop, in float64 and float32: on the GPU beside CuPy and torch, and on the CPU beside SciPy, which uses one
core, with one core and, from a million nonzeros on, with all. Third, of these the geometric mean and the least of how many times
faster ours are. The JSON file is written after every matrix; --show prints the tables of one.
"""
import argparse
import concurrent.futures
import ctypes
import json
import math
import os
import pathlib
import re
import statistics
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

import tilespmv
from tilespmv._benchmark import _seconds

CORES = len(os.sched_getaffinity(0))
COLUMNS = (1, 8)
# Which times are compared: ours, theirs, and the nonzeros from which on a matrix counts (None: --least-nnz).
PAIRS = [
    ("cuda", "cupy", None),
    ("cuda", "torch", None),
    ("cpu, 1 core", "scipy", None),
    ("cpu, all cores", "scipy", 1000000),
]


@dataclass
class Contender:
    """Who multiplies: its matrix, how NumPy's arrays become its own and come back, and how many threads it has."""

    name: str
    make: Callable[[], Any]
    to: Callable = lambda x: x
    back: Callable = lambda y: y
    wait: Callable = lambda: None
    threads: int = 1


def set_threads(count):
    """For all copies of GCC's OpenMP in this process: torch brings one of its own."""
    maps = pathlib.Path("/proc/self/maps").read_text()
    for library in set(re.findall(r"/\S*libgomp\S*", maps)):
        ctypes.CDLL(library).omp_set_num_threads(count)


def on_cpu(a):
    yield Contender("scipy", lambda: a)
    yield Contender("cpu, 1 core", lambda: tilespmv.matrix(a, "cpu"))
    if a.nnz >= 1000000:
        yield Contender("cpu, all cores", lambda: tilespmv.matrix(a, "cpu"), threads=CORES)


def on_gpu(a):
    import cupy
    import cupyx.scipy.sparse
    import torch

    def tensor():
        warnings.simplefilter("ignore", UserWarning)  # of sparse tensors: they are "in beta state"
        return torch.sparse_csr_tensor(*(torch.from_numpy(np.array(part)) for part in (a.indptr, a.indices, a.data)), a.shape).cuda()

    cupy_arrays = {"to": cupy.asarray, "back": lambda y: y.get(), "wait": cupy.cuda.runtime.deviceSynchronize}
    yield Contender("cuda", lambda: tilespmv.matrix(a, "cuda"), **cupy_arrays)
    yield Contender("cupy", lambda: cupyx.scipy.sparse.csr_matrix(a), **cupy_arrays)
    yield Contender("torch", tensor, lambda x: torch.from_numpy(x).cuda(), lambda y: y.cpu().numpy(), torch.cuda.synchronize)


def measured(contender, a, vectors, seconds):
    """The time of a product for each number of columns. Raises for one that is wrong."""
    set_threads(contender.threads)
    matrix = contender.make()
    for columns in COLUMNS:
        x, expected, scale = vectors[columns]
        given = contender.to(x)
        error = np.abs(contender.back(matrix @ given) - expected) / scale
        if not (worst := float(error.max(initial=0))) <= (1e-12 if a.dtype == np.float64 else 1e-4):
            raise ArithmeticError(f"a product of {columns} columns is wrong by {worst:.1e}")
        yield columns, _seconds(lambda: matrix @ given, contender.wait, seconds)


def measure(a, devices, seconds, failed):
    """A row for each type and number of columns; calls failed(who, error) of a contender that fails."""
    for dtype in ("float64", "float32"):
        of_type = a.astype(dtype)
        wide = of_type.astype(np.float64)
        vectors, times = {}, {columns: {} for columns in COLUMNS}
        for columns in COLUMNS:
            x = np.random.default_rng(0).standard_normal(a.shape[1] if columns == 1 else (a.shape[1], columns)).astype(dtype)
            vectors[columns] = x, wide @ x, abs(wide) @ abs(x) + np.finfo(dtype).tiny
        for contender in (c for of_device in devices for c in of_device(of_type)):
            try:
                for columns, took in measured(contender, of_type, vectors, seconds):
                    times[columns][contender.name] = took
            except Exception as error:  # the others are measured all the same
                failed(f"{contender.name}, {dtype}", error)
        for columns in COLUMNS:
            yield {"dtype": dtype, "columns": columns, "nnz": int(a.nnz), "rows": a.shape[0], "cols": a.shape[1], "seconds": times[columns]}


def host_time(call, wait, count=200):
    """The median time of a call, the GPU left behind for so many of them."""
    for _ in range(20):
        call()
    wait()
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    wait()
    return statistics.median(times)


def host_times_on_cpu():
    a = tilespmv.matrix("gen:laplace2d:n=10", device="cpu")
    x, y = np.ones(100), np.ones(100)
    best = lambda measure: min(measure() for _ in range(20))
    return {
        "CPU: the call of the library alone": best(lambda: a._core.library_seconds(x, y, 2000)),
        "CPU: A.matvec(x, out=y)": best(lambda: _seconds(lambda: a.matvec(x, y), lambda: None, 0.005)),
        "CPU: A @ x": best(lambda: _seconds(lambda: a @ x, lambda: None, 0.005)),
    }


def host_times_on_gpu():
    import cupy
    import torch

    a = tilespmv.matrix("gen:laplace2d:n=100", device="cuda")
    theirs = {c.name: (c.make(), c.wait) for c in on_gpu(a.to_scipy())}
    x, y = cupy.ones(a.shape[1]), cupy.empty(a.shape[0])
    block, out = cupy.ones((a.shape[1], 8)), cupy.empty((a.shape[0], 8))
    tx, ty = (torch.ones(a.shape[1], dtype=torch.float64, device="cuda") for _ in range(2))
    calls = {
        "A.matvec(x, out=y), CuPy arrays": lambda: a.matvec(x, y),
        "A @ x, CuPy arrays": lambda: a @ x,
        "A.T @ x, CuPy arrays": lambda: a.T @ x,
        "A.matmat(X, out=Y), CuPy arrays": lambda: a.matmat(block, out),
        "A @ X, CuPy arrays": lambda: a @ block,
        "A.matvec(x, out=y), torch tensors": lambda: a.matvec(tx, ty),
        "A @ x, torch tensors": lambda: a @ tx,
        "CuPy's A @ x": lambda: theirs["cupy"][0] @ x,
        "CuPy's A.T @ x": lambda: theirs["cupy"][0].T @ x,
        "CuPy's A @ X": lambda: theirs["cupy"][0] @ block,
        "torch's A @ x": lambda: theirs["torch"][0] @ tx,
    }
    return {name: host_time(call, theirs["cuda"][1]) for name, call in calls.items()}


def matrices(arguments):
    """Files, the smaller ones first."""
    found = []
    for name in arguments:
        path = pathlib.Path(name)
        found += [p for p in path.iterdir() if ".mtx" in p.name or p.suffix == ".tsp"] if path.is_dir() else [name]
    return sorted(map(str, found), key=lambda p: os.path.getsize(p) if os.path.exists(p) else 0)


def read(path):
    return tilespmv.matrix(path, "cpu", "csr-omp").to_scipy()


def loaded(names, most=64):
    """(name, what gives its matrix or raises): so many are read at once, before any of them is measured."""
    for begin in range(0, len(names), most):
        with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            readings = [(name, pool.submit(read, name)) for name in names[begin : begin + most]]
        yield from ((name, reading.result) for name, reading in readings)


def print_table(results):
    for name, seconds in results["host_seconds"].items():
        print(f"{name:36} {1e6 * seconds:6.1f} us on the host")
    contenders = list(dict.fromkeys(name for row in results["products"] for name in row["seconds"]))
    print(f"\n{'matrix':40} {'nonzeros':>10} {'type':8} {'columns':>7}" + "".join(f" {name + ', us':>18}" for name in contenders))
    for row in results["products"]:
        cells = (f"{1e6 * row['seconds'][name]:18.1f}" if name in row["seconds"] else f"{'':18}" for name in contenders)
        print(f"{row['matrix']:40} {row['nnz']:10} {row['dtype']:8} {row['columns']:7} " + " ".join(cells))
    print("\nHow many times faster ours are: geometric mean and least")
    for ours, theirs, least_nnz in PAIRS:
        for dtype in ("float64", "float32"):
            for columns in COLUMNS:
                print_pair(results, ours, theirs, least_nnz or results["least_nnz"], dtype, columns)
    for name, message in results["failed"].items():
        print(f"FAILED {name}: {message}")
    if results["left_out"]:
        print(f"left out for want of time: {' '.join(results['left_out'])}")


def print_pair(results, ours, theirs, least_nnz, dtype, columns):
    rows = [r for r in results["products"] if (r["dtype"], r["columns"]) == (dtype, columns) and r["nnz"] >= least_nnz]
    ratios = {r["matrix"]: r["seconds"][theirs] / r["seconds"][ours] for r in rows if ours in r["seconds"] and theirs in r["seconds"]}
    if ratios:
        mean, worst = math.exp(statistics.fmean(map(math.log, ratios.values()))), min(ratios, key=ratios.get)
        below = sum(ratio < 1 for ratio in ratios.values())
        text = f"{mean:6.2f} x, least {ratios[worst]:5.2f} x ({worst}), below 1: {below} of {len(ratios)} from {least_nnz} nonzeros on"
        print(f"{ours:14} beside {theirs:5} {dtype}, columns {columns}: {text}")


def save(results, path):
    if path:
        pathlib.Path(path + ".part").write_text(json.dumps(results, indent=1))
        os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*", help="files, folders of them, or gen:...")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda" if tilespmv.has_gpu() else "cpu", help="cuda: and the CPU")
    parser.add_argument("--seconds", type=float, default=0.02, help="for one measurement (0.02)")
    parser.add_argument("--least-nnz", type=int, default=100000, help="of matrices that count (100000)")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds after which no matrix is begun")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--show", metavar="FILE", help="print the tables of a JSON file")
    arguments = parser.parse_args()
    if arguments.show:
        return print_table(json.loads(pathlib.Path(arguments.show).read_text()))
    begin, on_a_gpu = time.perf_counter(), arguments.device == "cuda"
    devices = [on_gpu, on_cpu] if on_a_gpu else [on_cpu]
    set_threads(1)
    results = {"version": tilespmv.__version__, "device": arguments.device, "cores": CORES, "least_nnz": arguments.least_nnz}
    results |= {"host_seconds": host_times_on_cpu() | (host_times_on_gpu() if on_a_gpu else {}), "products": [], "failed": {}, "left_out": []}
    for name, matrix in loaded(matrices(arguments.matrices)):
        short = name.rsplit("/", 1)[-1].split(".mtx")[0]
        if time.perf_counter() - begin > arguments.budget:
            results["left_out"].append(short)
            continue

        def failed(who, error):
            results["failed"][f"{short}, {who}"] = f"{type(error).__name__}: {error}"

        try:
            results["products"] += [{"matrix": short} | row for row in measure(matrix(), devices, arguments.seconds, failed)]
        except Exception as error:
            failed("reading", error)
        print(f"[{time.perf_counter() - begin:5.1f} s] {short}", file=sys.stderr, flush=True)
        save(results, arguments.json)
    save(results, arguments.json)
    print_table(results)
    return len(results["failed"]) > 0


if __name__ == "__main__":
    sys.exit(main())
