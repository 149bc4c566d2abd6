"""Solvers of SciPy with a matrix of ours, and our own."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import tilespmv


@pytest.fixture(scope="module")
def grid():
    return tilespmv.matrix("gen:laplace2d:n=30", device="cpu")


@pytest.mark.parametrize("solver", ["cg", "gmres", "bicgstab", "minres", "lgmres", "gcrotmk", "tfqmr"])
@pytest.mark.parametrize("wrap", [lambda A: A, lambda A: A.aslinearoperator()])
def test_iterative_solvers(grid, solver, wrap):
    b = grid @ np.ones(900)
    x, info = getattr(sla, solver)(wrap(grid), b, rtol=1e-9, maxiter=5000)
    assert info == 0
    np.testing.assert_allclose(x, 1, atol=1e-5)


def test_eigenvalues_and_singular_values(grid):
    a = grid.to_scipy()
    op = grid.aslinearoperator()
    expected = sla.eigsh(a, k=3, return_eigenvectors=False)
    np.testing.assert_allclose(sla.eigsh(op, k=3, return_eigenvectors=False), expected, rtol=1e-9)
    start = np.random.default_rng(0).standard_normal((900, 3))
    values = sla.lobpcg(op, start, tol=1e-8, maxiter=500)[0]
    np.testing.assert_allclose(np.sort(values), np.sort(expected), rtol=1e-6)
    b = sp.random_array((200, 90), density=0.05, format="csr", rng=np.random.default_rng(2))
    B = tilespmv.matrix(b, device="cpu")
    np.testing.assert_allclose(sla.svds(B.aslinearoperator(), k=3)[1], sla.svds(b, k=3)[1], rtol=1e-9)
    x, y = np.ones((90, 4)), np.ones((200, 2))
    op = B.aslinearoperator()
    np.testing.assert_allclose(op @ x, b @ x)
    np.testing.assert_allclose(op.H @ y, b.T @ y)
    np.testing.assert_allclose(op.rmatmat(y), b.T @ y)
    np.testing.assert_allclose((2 * op.T) @ y[:, 0], 2 * (b.T @ y[:, 0]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_own_solve(grid, dtype):
    A = tilespmv.matrix(grid.to_scipy(), device="cpu", values=np.dtype(dtype).name)
    b = A @ np.linspace(1, 2, 900).astype(dtype)
    x, report = tilespmv.solve(A, b, "jacobi")
    assert report.converged and report.end == "converged" and report.history[-1][0] == report.iterations
    residual = np.linalg.norm(b.astype(np.float64) - A.to_scipy().astype(np.float64) @ x)
    assert residual <= report.tolerance * 1.01 and residual == pytest.approx(report.residual, rel=1e-3)
    again, report = tilespmv.solve(A, b, "jacobi", x0=x)
    assert report.iterations == 0 and (again == x).all()


def test_own_solve_says_what_happened(grid):
    b = grid @ np.ones(900)
    assert tilespmv.solve(grid, b, "none", maxiter=3)[1].end == "limit"
    seen = []
    _, report = tilespmv.solve(grid, b, "none", callback=lambda i, r: seen.append(i) or i < 5)
    assert report.end == "stopped" and seen[-1] == 5
    with pytest.raises(ZeroDivisionError):
        tilespmv.solve(grid, b, callback=lambda i, r: 1 / 0)
    with pytest.raises((ValueError, tilespmv.Error), match="row 1|symmetric"):
        tilespmv.solve(sp.csr_array([[2.0, 1.0], [0.0, 2.0]]), np.ones(2))
    with pytest.raises(ValueError, match="null_space"):
        tilespmv.solve(grid, b, null_space="all")
    with pytest.raises(TypeError, match="float32"):
        tilespmv.solve(grid, b.astype(np.float32))
    x, report = tilespmv.solve(grid, b)
    assert report.converged and report.precond != "auto"


def test_own_solve_of_a_singular_system():
    path = sp.diags_array([-np.ones(49), np.r_[1.0, np.full(48, 2.0), 1.0], -np.ones(49)], offsets=[-1, 0, 1], format="csr")
    b = np.r_[1.0, np.zeros(48), -1.0]
    x, report = tilespmv.solve(path, b, "none", x0=np.full(50, 7.0), null_space="constant")
    assert report.converged and abs(x.mean()) < 1e-12


def test_linear_operators_of_complex_vectors():
    a = sp.random_array((7, 4), density=0.5, format="csr", rng=np.random.default_rng(4))
    operator = tilespmv.matrix(a, device="cpu").aslinearoperator()
    x = np.arange(4) + 1j * np.arange(4, 8)
    np.testing.assert_allclose(operator @ x, a @ x)
    np.testing.assert_allclose(operator @ np.stack([x, 2j * x], 1), a @ np.stack([x, 2j * x], 1))


def test_linear_operators_of_batches_and_sparse_matrices():
    """As SciPy asks for them from 1.18 on: vectors (..., n), blocks (..., n, k) and sparse matrices."""
    a = sp.random_array((7, 4), density=0.5, format="csr", rng=np.random.default_rng(4))
    operator = tilespmv.matrix(a, device="cpu").aslinearoperator()
    rng = np.random.default_rng(0)
    for L, dense in [(operator, a.toarray()), (operator.H, a.toarray().T)]:
        n = dense.shape[1]
        for batch in [(), (3,), (2, 5), (0, 1)]:
            x, X = rng.standard_normal((*batch, n)), rng.standard_normal((*batch, n, 3))
            np.testing.assert_allclose(L._matvec(x), (dense @ x[..., None])[..., 0], atol=1e-14)
            np.testing.assert_allclose(L._matmat(X), dense @ X, atol=1e-14)
        b = sp.csr_array(np.eye(n)[:, :2])
        assert sp.issparse(L._matmat(b))
        np.testing.assert_allclose(L._matmat(b).toarray(), dense[:, :2])


def test_linear_operators_of_other_types(grid):
    for x in (np.arange(900), np.arange(900, dtype=np.float32)):
        y = grid.aslinearoperator().matvec(x)
        assert y.dtype == np.float64
        np.testing.assert_allclose(y, grid @ x.astype(np.float64))


def test_own_solve_checks_its_arrays(grid):
    with pytest.raises(ValueError, match=r"b has shape \(30, 30\), expected \(900,\)"):
        tilespmv.solve(grid, np.ones((30, 30)))
    with pytest.raises(ValueError, match="x0 has to be an array like b"):
        tilespmv.solve(grid, np.ones(900), x0=np.ones(1))
    report = tilespmv.solve(grid, 3 * np.ones(900), "jacobi")[1]
    assert 0 < report.relative_residual == pytest.approx(report.residual / 90)
