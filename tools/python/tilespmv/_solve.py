"""Conjugate gradients of the library itself."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._arrays import Jax, NumPy, kind_of
from ._matrix import Matrix, matrix


@dataclass(frozen=True)
class SolveReport:
    """How a solve ended. Residuals are 2-norms of b - A x, that of the end computed from the x that is handed out."""

    converged: bool
    end: str  # converged, limit, stagnated, singular, not positive definite, not a number, stopped
    message: str
    iterations: int
    residual: float
    tolerance: float
    rhs_norm: float
    seconds: float
    setup_seconds: float
    precond: str
    operator: str
    history: list = field(repr=False)  # (iteration, residual) of every check

    @property
    def relative_residual(self):
        return self.residual / self.rhs_norm if self.rhs_norm else self.residual


def solve(
    A,
    b,
    precond: str = "auto",
    *,
    x0=None,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int | None = None,
    check_every: int | None = None,
    operator: str = "auto",
    null_space: str | None = None,
    check_symmetry: bool = True,
    callback=None,
) -> tuple:
    """Solves A x = b for a symmetric positive definite A by preconditioned conjugate gradients.

    Parameters
    ----------
    A : Matrix, or what `matrix` takes
    b : (n,), of the type of A (float64 or float32), on the CPU or on a GPU
    precond : str
        A preconditioner of the library, ``name[:option=value,...]``; ``"auto"`` tries several.
    x0 : (n,), optional
        A first guess; it is not changed.
    rtol, atol : float
        Done when ``||b - A x|| <= max(rtol * ||b||, atol)``; rtol is 1e-8 by default, 1e-4 in float32.
    maxiter : int, optional
        By default ten times the rows, from 1,000 to 100,000.
    null_space : {None, "constant"}
        "constant" for a singular A whose rows add up to zero; x then has no mean.
    callback : callable, optional
        Gets the iteration and the residual at every check; returning False ends the solve.

    Returns
    -------
    x : like b
    report : SolveReport
    """
    if null_space not in (None, "constant"):
        raise ValueError(f"null_space {null_space!r}: expected None or 'constant'")
    if not isinstance(A, Matrix):
        A = matrix(A)
    kind = kind_of(b)
    if kind is None:
        raise TypeError(f"b is {type(b).__name__}: expected an array of NumPy, CuPy, torch or JAX")
    is_jax = kind is Jax  # solved in the memory of the host
    if is_jax:
        b, x0, kind = np.asarray(b), x0 if x0 is None else np.asarray(x0), NumPy
    if kind.type_name(b) != A._type_name:
        raise TypeError(f"b has values of {kind.type_name(b)}, A of {A._type_name}: convert one of them")
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A is {A.shape[0]} x {A.shape[1]}: a solve needs a square matrix")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback is {type(callback).__name__}: expected a function of the iteration and the residual")
    if tuple(b.shape) != (A.shape[0],):
        raise ValueError(f"b has shape {tuple(b.shape)}, expected ({A.shape[0]},)")
    if kind.on_gpu and not A._core.is_on_gpu:
        raise ValueError('b is on a GPU and A on the CPU: make it with device="cuda"')
    x = kind.result(A.shape[1], b)
    if x0 is not None:
        if kind_of(x0) is not kind or tuple(x0.shape) != tuple(x.shape) or kind.type_name(x0) != A._type_name:
            raise ValueError("x0 has to be an array like b")
        x[:] = x0
    b = kind.compact(b)
    report = A._core.solve(
        kind.handle(b),
        kind.handle(x),
        str(precond),
        str(operator),
        None if rtol is None else float(rtol),
        float(atol),
        int(maxiter or 0),
        int(check_every or 0),
        x0 is not None,
        null_space == "constant",
        bool(check_symmetry),
        callback,
    )
    return sys.modules["jax"].numpy.asarray(x) if is_jax else x, SolveReport(**report)
