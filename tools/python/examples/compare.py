"""How fast products of one's own matrices are, beside SciPy, CuPy and torch, as a table and a plot.

usage: compare.py [--columns K] [--plot FILE] A.mtx...
"""

import argparse
import importlib.util
import os

import tilespmv


def short(source):
    """The name of a file without its folder and what is behind a dot, or a generator."""
    return source if source.startswith("gen:") else os.path.basename(source).partition(".")[0]


def plot(rows, title, file):
    import matplotlib.pyplot as plt
    import numpy as np

    names = list(dict.fromkeys(row["matrix"] for row in rows))
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    width = 0.8 / len(libraries)
    _, ax = plt.subplots(figsize=(max(5, 2 + 1.2 * len(names)), 4))
    for i, library in enumerate(libraries):
        speeds = [next(r["gflops"] for r in rows if r["matrix"] == n and r["library"] == library) for n in names]
        ax.bar(np.arange(len(names)) + i * width, speeds, width, label=library)
    ax.set_xticks(np.arange(len(names)) + width * (len(libraries) - 1) / 2, names, rotation=20, ha="right")
    ax.set(ylabel="GFLOP/s", title=title)
    ax.legend(frameon=False)
    plt.savefig(file, bbox_inches="tight", dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*", default=["gen:laplace2d:n=500", "gen:fem:n=16,dof=3"], help="files or generators")
    parser.add_argument("--columns", type=int, default=1, help="of the block that is multiplied (default: 1, a vector)")
    parser.add_argument("--plot", help="a picture, such as speeds.png")
    arguments = parser.parse_args()
    on_gpu = tilespmv.has_gpu()
    others = [name for name in (["cupy", "torch"] if on_gpu else ["scipy", "torch"]) if importlib.util.find_spec(name)]
    named = {short(source): source for source in arguments.matrices}
    measured = tilespmv.benchmark(named, columns=arguments.columns, compare=others)
    print(f"{'matrix':24} {'library':10} {'us':>10} {'GFLOP/s':>8}  times as long as tilespmv")
    for row in measured:
        if row["operator"] == "auto":
            row["library"], ours = "tilespmv", row["seconds"]
        else:
            row["library"] = row["operator"]
        print(f"{row['matrix']:24} {row['library']:10} {1e6 * row['seconds']:10.1f} {row['gflops']:8.2f} {row['seconds'] / ours:6.2f}")
    if arguments.plot:
        product = "A @ x" if arguments.columns == 1 else f"A @ X of {arguments.columns} columns"
        plot(measured, f"{product} on {'a GPU' if on_gpu else 'the CPU'}", arguments.plot)
