"""Ctrl-C ends what takes long: reading a file, which becomes a matrix, and a solve."""

import gzip
import os
import signal
import threading
import time

import numpy as np
import pytest

import tilespmv


def ends_early(call):
    """Ctrl-C comes after a tenth of the time, and half of the work is not done."""
    begin, worked = time.perf_counter(), time.process_time()
    call()
    took, worked = time.perf_counter() - begin, time.process_time() - worked
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(took / 10, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    signal.signal(signal.SIGINT, old)
    return time.process_time() - begin < worked / 2


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    rows, ends = 100000, "".join(f"@ {col} 1.5\n" for col in range(1, 21))
    path = tmp_path_factory.mktemp("large") / "large.mtx.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{rows} 20 {20 * rows}\n".encode())
        for first in range(1, rows + 1, 1000):
            file.write("".join(ends.replace("@", str(row)) for row in range(first, first + 1000)).encode())
    return path


def test_a_file(large_file):
    assert ends_early(lambda: tilespmv.matrix(large_file, device="cpu"))


def test_a_solve():
    A = tilespmv.matrix("gen:laplace2d:n=300", device="cpu")
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    assert ends_early(lambda: tilespmv.solve(A, b, "none", operator="csr-omp", rtol=1e-10, check_symmetry=False))
