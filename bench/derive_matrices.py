#!/usr/bin/env python3
"""Makes three further matrices of each real one, for `tilespmv tune --with`: what it was renumbered to, a part of it, or
its product with itself or with a small matrix, whose rows and columns are as real and yet not the same. Patterns in
Matrix Market; the same files from the same matrices. Needs NumPy and SciPy.

    bench/derive_matrices.py matrices/*.mtx.xz -o derived
"""

import argparse
import hashlib
import lzma
import multiprocessing
import pathlib

import numpy
import scipy.sparse as sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

OF_EACH = 3
FEWEST, MOST = 30_000, 9_000_000  # nonzeros
MOST_ROWS = 4_000_000
MOST_MULTIPLICATIONS = 60_000_000
WINDOW = 512  # rows that trade numbers


def read(path):
    header, text = lzma.open(path).read().split(b"\n", 1)
    while text.startswith(b"%"):
        text = text.split(b"\n", 1)[1]
    size, text = text.split(b"\n", 1)
    rows, cols, count = map(int, size.split())
    entries = numpy.array(text.split(), dtype=numpy.float64).reshape(count, -1)
    i, j = (entries[:, k].astype(numpy.int64) - 1 for k in (0, 1))
    if b"general" not in header:
        apart = i != j
        i, j = numpy.concatenate([i, j[apart]]), numpy.concatenate([j, i[apart]])
    return pattern_of(sparse.csr_matrix((numpy.ones(len(i), numpy.int8), (i, j)), shape=(rows, cols)))


def pattern_of(matrix):
    matrix = matrix.tocsr()
    matrix.data[:] = 1
    return matrix


def is_square(a):
    return a.shape[0] == a.shape[1]


def renumbered(a, rows, cols=None):
    if is_square(a):
        return a[rows][:, rows]
    return a[rows] if cols is None else a[rows][:, cols]


def cuthill_mckee(a, random):
    return renumbered(a, reverse_cuthill_mckee(a, symmetric_mode=False)) if is_square(a) else None


def shuffled(a, random):
    rows = random.permutation(a.shape[0])
    return renumbered(a, rows, None if is_square(a) else random.permutation(a.shape[1]))


def shuffled_in_windows(a, random):
    rows = numpy.arange(a.shape[0])
    for first in range(0, len(rows), WINDOW):
        random.shuffle(rows[first : first + WINDOW])
    return renumbered(a, rows)


def head(a, random):
    half = a[: a.shape[0] // 2]
    return half[:, : a.shape[1] // 2] if is_square(a) else half


def squared(a, random):
    lengths = numpy.diff(a.indptr).astype(float)
    if not is_square(a) or (a.astype(numpy.float64) @ lengths).sum() > MOST_MULTIPLICATIONS:
        return None
    wide = a.astype(numpy.int32)
    return pattern_of(wide @ wide)


def lower(a, random):
    return sparse.tril(a, format="csr") if is_square(a) else None


def transposed(a, random):
    is_symmetric = is_square(a) and (a != a.T).nnz == 0
    return None if is_symmetric else a.T


def unknowns(count):
    full = numpy.ones((count, count), numpy.int8)
    return lambda a, random: sparse.kron(a, full, format="csr")


def copies(a, random):
    return sparse.kron(sparse.identity(3, dtype=numpy.int8), a, format="csr")


def interleaved(a, random):
    return sparse.kron(a, sparse.identity(3, dtype=numpy.int8), format="csr")


# By name: how, and times as many nonzeros at least.
KINDS = {
    "rcm": (cuthill_mckee, 1),
    "shuffle": (shuffled, 1),
    "window": (shuffled_in_windows, 1),
    "head": (head, 1),
    "kron2": (unknowns(2), 4),
    "kron3": (unknowns(3), 9),
    "square": (squared, 1),
    "lower": (lower, 1),
    "transpose": (transposed, 1),
    "copies": (copies, 3),
    "interleaved": (interleaved, 3),
}


def write(matrix, path):
    entries = numpy.column_stack([matrix.row + 1, matrix.col + 1])
    with open(path, "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate pattern general\n{matrix.shape[0]} {matrix.shape[1]} {matrix.nnz}\n")
        for first in range(0, len(entries), 200_000):
            some = entries[first : first + 200_000]
            out.write(("%d %d\n" * len(some)) % tuple(some.ravel().tolist()))


def derive(job):
    path, folder = job
    name = path.name.removesuffix(".mtx.xz")
    a = read(path)
    random = numpy.random.default_rng(int(hashlib.md5(name.encode()).hexdigest()[:8], 16))
    made = []
    for kind in random.permutation(list(KINDS)):
        function, times = KINDS[kind]
        if a.nnz * times > MOST or (derived := function(a, random)) is None:
            continue
        derived = derived.tocsr()
        derived.sort_indices()
        if not FEWEST <= derived.nnz <= MOST or derived.shape[0] > MOST_ROWS:
            continue
        write(derived.tocoo(), folder / f"{name}-{kind}.mtx")
        made.append(f"{kind} {derived.nnz}")
        if len(made) == OF_EACH:
            break
    return f"{name}: {', '.join(made)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="+", type=pathlib.Path, help="Matrix Market, .mtx.xz")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="folder")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool() as pool:
        for line in pool.imap(derive, [(path, arguments.output) for path in arguments.matrices]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
