#!/usr/bin/env python3
"""Products from Python beside those of CuPy and torch on a GPU, or of SciPy on the CPU: `A @ x` and `A @ X` of 8 columns, in
float64 and float32, one after the other in a loop.

    bench/python_products.py [--device cuda|cpu] [--json FILE] [--budget SECONDS] FOLDER|A.mtx...

A table of times and of how many times faster ours are, then geometric means and the least. SciPy uses one core, ours as many
as OMP_NUM_THREADS says. On a GPU also what a call takes on the host while the GPU is behind.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import statistics
import sys
import time

import numpy as np

import tilespmv
from tilespmv._benchmark import _seconds

CASES = [(dtype, columns) for dtype in ("float64", "float32") for columns in (1, 8)]


class Cuda:
    peers = ("cupy", "torch")

    def __init__(self):
        import cupy
        import torch

        self.cupy, self.torch, self.wait = cupy, torch, cupy.cuda.runtime.deviceSynchronize

    def products(self, a, columns):
        """What multiplies by a matrix of SciPy, by library, and brings the result to the host."""
        import cupyx.scipy.sparse

        x = np.random.default_rng(0).standard_normal(a.shape[1] if columns == 1 else (a.shape[1], columns)).astype(a.dtype)
        ours, theirs = tilespmv.matrix(a, "cuda"), cupyx.scipy.sparse.csr_matrix(a)
        tensors = (self.torch.from_numpy(np.array(part)) for part in (a.indptr, a.indices, a.data))
        tensor = self.torch.sparse_csr_tensor(*tensors, a.shape).cuda()
        array, vector = self.cupy.asarray(x), self.torch.from_numpy(x).cuda()
        yield "tilespmv", lambda: ours @ array, lambda y: y.get()
        yield "cupy", lambda: theirs @ array, lambda y: y.get()
        yield "torch", lambda: tensor @ vector, lambda y: y.cpu().numpy()

    def host_times(self):
        a = tilespmv.matrix("gen:laplace2d:n=100", device="cuda")
        products = {name: call for name, call, _ in self.products(a.to_scipy(), 1)}
        x, y = self.cupy.ones(a.shape[1]), self.cupy.empty(a.shape[0])
        tx, ty = (self.torch.ones(a.shape[1], dtype=self.torch.float64, device="cuda") for _ in range(2))
        calls = {
            "A.matvec(x, out=y), CuPy arrays": lambda: a.matvec(x, y),
            "A @ x, CuPy arrays": products["tilespmv"],
            "A.matvec(x, out=y), torch tensors": lambda: a.matvec(tx, ty),
            "A @ x, torch tensors": lambda: a @ tx,
            "CuPy's A @ x": products["cupy"],
            "torch's A @ x": products["torch"],
        }
        return {name: self.host_time(call) for name, call in calls.items()}

    def host_time(self, call, count=200):
        """The median time of a call, the GPU left behind for so many of them."""
        for _ in range(20):
            call()
        self.wait()
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
        self.wait()
        return statistics.median(times)


class Cpu:
    peers = ("scipy",)

    @staticmethod
    def wait():
        pass

    def products(self, a, columns):
        x = np.random.default_rng(0).standard_normal(a.shape[1] if columns == 1 else (a.shape[1], columns)).astype(a.dtype)
        ours = tilespmv.matrix(a, "cpu", "auto" if columns == 1 else f"auto:columns={columns}")
        yield "tilespmv", lambda: ours @ x, lambda y: y
        yield "scipy", lambda: a @ x, lambda y: y

    def host_times(self):
        a = tilespmv.matrix("gen:laplace2d:n=10", device="cpu")
        x, y = np.ones(100), np.ones(100)
        return {"A.matvec(x, out=y), 480 nonzeros": _seconds(lambda: a.matvec(x, y), self.wait, 0.02)}


def load(path):
    return tilespmv.matrix(path, "cpu", "csr-omp").to_scipy()


def measure(side, a, seconds):
    """Rows of one matrix."""
    for dtype, columns in CASES:
        of_type = a if a.dtype == dtype else type(a)((a.data.astype(dtype), a.indices, a.indptr), shape=a.shape)
        times, results = {}, {}
        for library, call, to_host in side.products(of_type, columns):
            results[library] = to_host(call())
            times[library] = _seconds(call, side.wait, seconds)
        wrong = {n: float(np.abs(y - results["tilespmv"]).max()) for n, y in results.items()}
        scale = float(np.abs(results["tilespmv"]).max()) or 1.0
        if max(wrong.values()) > (1e-10 if dtype == "float64" else 1e-3) * scale:
            raise ArithmeticError(f"products differ: {wrong}")
        yield {"dtype": dtype, "columns": columns, "nnz": int(a.nnz), "rows": a.shape[0], "cols": a.shape[1], "seconds": times}


def matrices(arguments):
    """Files, the smaller ones first."""
    found = []
    for name in arguments:
        path = pathlib.Path(name)
        found += [p for p in path.iterdir() if ".mtx" in p.name or p.suffix == ".tsp"] if path.is_dir() else [name]
    return sorted(map(str, found), key=lambda p: os.path.getsize(p) if os.path.exists(p) else 0)


def summary(side, rows, least_nnz):
    print(f"\nMatrices of at least {least_nnz} nonzeros: geometric mean and least of how many times faster ours are")
    means = []
    for dtype, columns in CASES:
        of = [r for r in rows if (r["dtype"], r["columns"]) == (dtype, columns) and r["nnz"] >= least_nnz]
        for peer in side.peers if of else ():
            ratios = {r["matrix"]: r["seconds"][peer] / r["seconds"]["tilespmv"] for r in of}
            worst = min(ratios, key=ratios.get)
            mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
            print(f"{dtype} {columns} {peer:6} {mean:6.2f} x, least {ratios[worst]:.2f} x ({worst}), {len(ratios)} matrices")
            means.append({"dtype": dtype, "columns": columns, "peer": peer, "mean": mean, "least": ratios[worst], "of": worst})
    return means


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+", help="files, folders of them, or gen:...")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda" if tilespmv.has_gpu() else "cpu")
    parser.add_argument("--seconds", type=float, default=0.02, help="for one measurement (0.02)")
    parser.add_argument("--least-nnz", type=int, default=100000, help="of matrices that count (100000)")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds after which no matrix is begun")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    side, begin = Cuda() if arguments.device == "cuda" else Cpu(), time.perf_counter()
    calls = side.host_times()
    for name, seconds in calls.items():
        print(f"{name:36} {1e6 * seconds:6.1f} us on the host")
    heads = "".join(f"{f'{d} {c}: us':>14}" + "".join(f"{p:>8}" for p in side.peers) for d, c in CASES)
    print(f"\n{'matrix':28} {'nonzeros':>10}{heads}")
    rows, failed, names = [], 0, matrices(arguments.matrices)
    # On a GPU files are read while others are measured.
    with concurrent.futures.ThreadPoolExecutor(4 if arguments.device == "cuda" else 1) as pool:
        ahead = 4 if arguments.device == "cuda" else 0
        reading = {n: pool.submit(load, n) for n in names[:ahead]}
        for i, name in enumerate(names):
            if time.perf_counter() - begin > arguments.budget:
                print(f"{len(names) - i} matrices left out: {' '.join(names[i:])}")
                break
            for n in names[i : i + ahead + 1]:
                reading.setdefault(n, None)
                reading[n] = reading[n] or pool.submit(load, n)
            short = name.rsplit("/", 1)[-1].split(".mtx")[0]
            try:
                of = [{"matrix": short} | row for row in measure(side, reading.pop(name).result(), arguments.seconds)]
            except Exception as error:  # the others are measured all the same
                print(f"{short:28} {type(error).__name__}: {error}", flush=True)
                failed += 1
                continue
            rows += of
            cells = ((r["seconds"]["tilespmv"], [r["seconds"][p] for p in side.peers]) for r in of)
            text = "".join(f"{1e6 * ours:14.1f}" + "".join(f"{t / ours:8.2f}" for t in peers) for ours, peers in cells)
            print(f"{short:28} {of[0]['nnz']:10}{text}", flush=True)
        for left in reading.values():
            left.cancel()
    means = summary(side, rows, arguments.least_nnz)
    if arguments.json:
        about = {"version": tilespmv.__version__, "device": arguments.device, "threads": os.environ.get("OMP_NUM_THREADS")}
        with open(arguments.json, "w") as file:
            json.dump(about | {"host_seconds": calls, "means": means, "products": rows}, file, indent=1)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
