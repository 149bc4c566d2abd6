"""Conjugate gradients on finite elements, with several preconditioners, and a plot of how they converge.

usage: finite_elements.py [A.mtx] [convergence.png]     A symmetric positive definite
"""

import sys

import numpy as np

import tilespmv


def compare(A, preconditioners=("none", "jacobi", "ssor-ai")):
    """The report of each."""
    b = A @ np.ones(A.shape[1])
    return {name: tilespmv.solve(A, b, name)[1] for name in preconditioners}


def plot(reports, file):
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(7, 4))
    for name, report in reports.items():
        iterations, residuals = zip(*report.history)
        label = f"{name}: {report.iterations} iterations in {report.seconds:.2g} s"
        ax.semilogy(iterations, np.array(residuals) / report.rhs_norm, label=label)
    ax.set(xlabel="iteration", ylabel="relative residual", title="Conjugate gradients, by preconditioner")
    ax.legend(frameon=False)
    ax.grid(alpha=0.3)
    plt.savefig(file, bbox_inches="tight", dpi=150)


if __name__ == "__main__":
    matrix = tilespmv.matrix(sys.argv[1] if len(sys.argv) > 1 else "gen:elasticity:n=16")
    print(f"{matrix.shape[0]} unknowns, {matrix.nnz} nonzeros on {matrix.device}")
    found = compare(matrix)
    for precond, result in found.items():
        print(f"{precond}: {result.message}, {result.seconds:.3g} s")
    if len(sys.argv) > 2:
        plot(found, sys.argv[2])
