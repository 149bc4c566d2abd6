"""How fast products of one's own matrices are, beside SciPy, CuPy and torch, as a table and a plot.

usage: compare.py [--columns K] [--plot FILE] A.mtx...
"""

import argparse
import importlib.util

import tilespmv


def plot(rows, file):
    import matplotlib.pyplot as plt
    import numpy as np

    names = list(dict.fromkeys(row["matrix"] for row in rows))
    operators = list(dict.fromkeys(row["operator"] for row in rows))
    width = 0.8 / len(operators)
    _, ax = plt.subplots(figsize=(2 + 1.2 * len(names), 4))
    for i, operator in enumerate(operators):
        speeds = [next(r["gflops"] for r in rows if r["matrix"] == n and r["operator"] == operator) for n in names]
        label = "tilespmv" if operator == "auto" else operator
        ax.bar(np.arange(len(names)) + i * width, speeds, width, label=label)
    ax.set_xticks(np.arange(len(names)) + width * (len(operators) - 1) / 2, names, rotation=20, ha="right")
    ax.set_ylabel("GFLOP/s")
    ax.legend(frameon=False)
    plt.savefig(file, bbox_inches="tight", dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*", default=["gen:laplace2d:n=500", "gen:fem:n=16,dof=3"])
    parser.add_argument("--columns", type=int, default=1)
    parser.add_argument("--plot", help="a picture, such as speeds.png")
    arguments = parser.parse_args()
    on_gpu = tilespmv.has_gpu()
    others = [name for name in (["cupy", "torch"] if on_gpu else ["scipy", "torch"]) if importlib.util.find_spec(name)]
    measured = tilespmv.benchmark(arguments.matrices, columns=arguments.columns, compare=others)
    for row in measured:
        name = "tilespmv" if row["operator"] == "auto" else row["operator"]
        print(f"{row['matrix']:32} {name:10} {1e6 * row['seconds']:10.1f} us {row['gflops']:8.1f} GFLOP/s")
    if arguments.plot:
        plot(measured, arguments.plot)
