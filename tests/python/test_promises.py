"""What docstrings and the README promise, fact by fact: attributes, defaults, results of queries, options of solves."""

import numpy as np
import pytest
import scipy.sparse as sp

import tilespmv

GRID = "gen:laplace2d:n=20"


def small(rows=30, cols=20, dtype=np.float64):
    """Its last column and row are empty."""
    a = sp.random_array((rows - 1, cols - 1), density=0.2, format="csr", dtype=dtype, rng=np.random.default_rng(1))
    a.resize((rows, cols))
    return a


def numbers(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape)


def close(y, expected):
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_whole_numbers_become_float64(dtype):
    a = sp.csr_array(np.array([[1, 0], [0, 1]], dtype))
    assert tilespmv.matrix(a, "cpu").dtype == np.float64
    assert tilespmv.matrix(a, "cpu", values=np.float32).dtype == np.float32


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: tilespmv.matrix(small(), "cpu", values="float16"), ValueError, "products of float16 values need a GPU"),
        (lambda: tilespmv.matrix(small(), "cpu", values="int8"), ValueError, "values of int8: expected float64, float32"),
        (lambda: tilespmv.matrix((np.ones(1), [0], [0, 1]), "cpu", shape=(1, 2**31)), ValueError, "at most 2147483647 rows"),
        (lambda: tilespmv.matrix((np.ones(1), [0], [0, 1, 1]), "cpu", shape=(1, 1)), ValueError, "indptr has 3 entries, expected 2 for 1"),
        (lambda: tilespmv.matrix((np.ones(2), [0], [0, 1]), "cpu", shape=(1, 1)), ValueError, "1 column indices for 2 values"),
        (lambda: tilespmv.matrix((np.ones(1), [2], [0, 1]), "cpu", shape=(1, 2)), ValueError, "column"),
        (lambda: tilespmv.matrix((np.ones(1), [0], [0.0, 1.0]), "cpu", shape=(1, 1)), TypeError, "indptr of float64: expected whole"),
        (lambda: tilespmv.matrix(np.eye(2), "cpu"), TypeError, "cannot make a matrix of ndarray"),
        (lambda: tilespmv.matrix(small(), "cpu").tile_map("magic"), ValueError, "unknown selector 'magic'"),
        (lambda: tilespmv.matrix(small(), "cpu").T.tile_map(), ValueError, "not its transpose"),
        (lambda: "x" @ tilespmv.matrix(small(), "cpu"), TypeError, "unsupported operand"),
        (lambda: tilespmv.benchmark(GRID, device="cpu", min_seconds=0, compare="magma"), ValueError, "expected scipy, cupy or torch"),
        (lambda: tilespmv.matrix(small(), "cpu").view(size=0.05), ValueError, "expected MB from 0.1 to 100"),
        (lambda: tilespmv.matrix(small(), "cpu").update_values(np.ones((1, small().nnz))), ValueError, "values of shape"),
        (lambda: tilespmv.matrix(small(), "cpu").matvec(numbers(20), numbers(30, 1)), ValueError, r"expected \(30,\)"),
    ],
)
def test_refusals(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_indices_of_any_whole_type():
    for index in [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64]:
        a = tilespmv.matrix((np.array([2.0, 3.0]), np.array([1, 0], index), np.array([0, 1, 2], index)), "cpu", shape=(2, 2))
        close(a @ np.array([1.0, 10.0]), [20.0, 3.0])
    strided = (np.array([2.0, 9, 3, 9])[::2], np.array([1, 9, 0, 9])[::2], np.array([0, 9, 1, 9, 2, 9], np.int32)[::2])
    close(tilespmv.matrix(strided, "cpu", shape=(2, 2)) @ np.array([1.0, 10.0]), [20.0, 3.0])


def test_matrices_of_matrices():
    A = tilespmv.matrix(small(), "cpu", "csr-omp")
    again, of_transpose = tilespmv.matrix(A, "cpu", "tile-omp"), tilespmv.matrix(A.T, "cpu")
    assert (again.operator, again.shape, of_transpose.shape) == ("tile-omp", (30, 20), (20, 30))
    close(again @ np.ones(20), small() @ np.ones(20))
    close(of_transpose @ np.ones(30), small().T @ np.ones(30))


def test_type_of_an_archive(tmp_path):
    tilespmv.matrix(small(dtype=np.float32), "cpu").save(tmp_path / "a.tsp", "only:coo")
    A = tilespmv.matrix(tmp_path / "a.tsp", "cpu")
    assert A.dtype == np.float32 and tilespmv.matrix(tmp_path / "a.tsp", "cpu", values=np.float64).dtype == np.float64
    by_tiles = tilespmv.matrix(tmp_path / "a.tsp", "cpu", "tile-omp").executed()
    assert {part["format"] for part in by_tiles} == {"coo"}


def test_attributes_of_the_transpose():
    A = tilespmv.matrix(small(), "cpu")
    for T in [A.T, A.transpose(), A.H]:
        assert T.shape == (20, 30) and T.nnz == A.nnz and T.T.shape == (30, 20) and T.device == "cpu"
        assert T.to_scipy().shape == (20, 30) and T.copy().shape == (20, 30)
        assert repr(T).startswith("<20x30 tilespmv matrix") and "&lt;20x30" in T._repr_html_()
        close(T.copy() @ np.ones(30), small().T @ np.ones(30))
    before = A.nbytes
    A.T @ np.ones(30)
    assert A.nbytes > before == tilespmv.matrix(small(), "cpu").nbytes
    assert A.to_scipy().shape == (30, 20) and A.to_scipy().indptr.dtype == np.int32


def test_every_way_to_multiply():
    A, a = tilespmv.matrix(small(), "cpu"), small()
    x, z, X, Z = numbers(20), numbers(30), numbers(20, 3), numbers(30, 3)
    out = {n: np.full(n, np.nan) for n in (20, 30)}
    assert A.matvec(x, out[30]) is out[30] and A.rmatvec(z, out[20]) is out[20]
    close(out[30], a @ x)
    close(out[20], a.T @ z)
    y = numbers(20)
    close(A.rmatvec(z, y.copy(), alpha=-2, beta=0.5), -2 * (a.T @ z) + 0.5 * y)
    close(A.T.rmatmat(X, alpha=3), 3 * (a @ X))
    close(A.matvec(x.reshape(20, 1)), (a @ x).reshape(30, 1))
    close(A.dot(X), a @ X)
    close(A.matvec(x, alpha=0), np.zeros(30))
    close(list(z) @ A, a.T @ z)
    close(tuple(map(tuple, Z.T)) @ A, Z.T @ a)
    close(A @ X.tolist(), a @ X)
    close(A.matmat(X, np.ones((30, 3), order="F"), beta=1), a @ X + 1)
    for order in "CF":
        frozen = np.array(X, order=order)
        frozen.flags.writeable = False
        close(A @ frozen, a @ X)


def test_values_of_lists_and_refused_sizes():
    A = tilespmv.matrix(small(), "cpu")
    A.update_values([2.0] * A.nnz)
    close(A @ np.ones(20), 2 * np.diff(small().indptr))
    A.update_values(np.repeat(numbers(A.nnz), 2)[::2])
    close(A.to_scipy().data, numbers(A.nnz))


def test_arrays_that_were_handed_out_stay():
    A = tilespmv.matrix("gen:laplace2d:n=200", "cpu")
    first, second = numbers(A.nnz), numbers(A.nnz, 1).reshape(-1)
    A.update_values(first)
    shared = A.to_scipy()
    A.update_values(second)
    assert (shared.data == first).all() and (A.to_scipy().data == second).all()


def test_size_of_pages(tmp_path):
    A = tilespmv.matrix("gen:rmat:scale=12,degree=8", "cpu")
    sizes = [(tmp_path / "a.html").stat().st_size for size in (0.1, 5) if A.view(tmp_path / "a.html", size=size)]
    assert sizes[0] <= 1e5 < sizes[1] <= 5e6


def test_queries():
    A = tilespmv.matrix(GRID, "cpu")
    stats, tiles = A.stats("only:ell"), A.tile_map("only:ell")
    names = tilespmv.format_names()
    assert names == ["dense", "coo", "csr", "ell", "hyb", "dense_row", "dense_col"]
    assert tiles.dtype.names == ("row", "col", "nnz", "bytes", "format")
    assert set(tiles["format"]) == {names.index("ell")} and stats["format_ell_tiles"] == len(tiles) == stats["tiles"]
    assert stats["format_ell_nnz"] == tiles["nnz"].sum() == 1920 and stats["format_ell_bytes"] == tiles["bytes"].sum()
    assert list(tiles["row"]) == sorted(tiles["row"]) and tiles["col"].max() == 24
    assert (stats["rows"], stats["cols"], stats["row_length_max"], stats["empty_rows"]) == (400, 400, 5, 0)
    assert stats["row_length_mean"] == 4.8 and stats["csr_bytes"] == 12 * 1920 + 4 * 401
    assert stats["tiled_bytes_per_nnz"] == stats["tiled_bytes"] / 1920 and isinstance(stats["tiles"], int)
    assert A.stats("paper-deferred")["deferred_nnz"] > 0 == stats["deferred_nnz"]
    assert A.stats() == A.stats("bytes") and (A.tile_map() == A.tile_map("bytes")).all()
    B = tilespmv.matrix("gen:laplace2d:n=40", "cpu")
    ranked = B.explain()
    assert [c["seconds"] for c in ranked] == sorted(c["seconds"] for c in ranked) and len(ranked) > 1
    assert all(set(c) == {"operator", "seconds", "preparation_seconds", "why"} and c["why"] for c in ranked)
    (part,) = tilespmv.matrix(GRID, "cpu", "csr-omp").executed()
    assert part == {"representation": "csr", "format": "", "nnz": 1920, "bytes": part["bytes"]} and part["bytes"] > 12 * 1920
    assert [c["operator"] for c in tilespmv.matrix(B, "cpu", "csr-omp").explain()] == [c["operator"] for c in ranked]


def test_benchmark_counts_columns():
    source = small()
    (row,) = tilespmv.benchmark(source, "csr-omp", columns=4, device="cpu", min_seconds=0)
    assert row["matrix"] == "csr_array 30x20" and (row["rows"], row["cols"], row["columns"]) == (30, 20, 4)
    assert row["gflops"] == pytest.approx(2e-9 * source.nnz * 4 / row["seconds"])
    assert (row["executed"], row["device"], row["operator"]) == ("csr-omp", "cpu", "csr-omp") and row["preparation_seconds"] > 0
    rows = tilespmv.benchmark([source, GRID], device="cpu", min_seconds=0, compare=["scipy"])
    assert all(r["seconds"] > 1e-6 for r in rows), "a call of nothing takes a tenth of that"
    assert [(r["matrix"], r["operator"]) for r in rows] == [(m, o) for m in ("csr_array 30x20", GRID) for o in ("auto", "scipy")]


def test_options_of_solves():
    A = tilespmv.matrix(GRID, "cpu")
    b, x0 = A @ numbers(400), numbers(400)
    first = x0.copy()
    x, report = tilespmv.solve(A, b, "jacobi", x0=x0, operator="tile-omp")
    assert (report.precond, report.operator, report.end) == ("jacobi", "tile-omp", "converged") and (x0 == first).all()
    assert report.message.startswith(f"converged in {report.iterations} iterations") and report.history[0][0] == 0
    assert report.rhs_norm == pytest.approx(np.linalg.norm(b)) and report.seconds > 0 and report.setup_seconds > 0
    assert report.tolerance == pytest.approx(1e-8 * report.rhs_norm)
    assert report.history[-1] == (report.iterations, pytest.approx(report.residual, rel=0.1))
    assert tilespmv.solve(A, b, "none", rtol=1e-3)[1].tolerance == pytest.approx(1e-3 * report.rhs_norm)
    assert tilespmv.solve(A, b, "none", rtol=0, atol=0.25)[1].tolerance == 0.25
    narrow = tilespmv.matrix(GRID, "cpu", values="float32")
    x, report = tilespmv.solve(narrow, b.astype(np.float32), "none")
    assert x.dtype == np.float32 and report.tolerance == pytest.approx(1e-4 * report.rhs_norm)
    checked = []
    limited = tilespmv.solve(A, b, "none", check_every=2, maxiter=9, callback=lambda *check: checked.append(check))[1]
    assert [i for i, _ in checked] == [0, 2, 4, 6, 8, 9] and (limited.iterations, limited.converged) == (9, False)
    assert all(isinstance(r, float) and r > 0 for _, r in checked) and limited.message.startswith("did not converge in 9")
    assert tilespmv.solve(A, np.zeros(400))[1].relative_residual == 0
    x = tilespmv.solve(A, np.repeat(b, 2)[::2])[0]
    np.testing.assert_allclose(A @ x, b, atol=1e-6)


@pytest.mark.parametrize(
    "options, error, text",
    [
        (dict(check_every=-1), ValueError, "negative"),
        (dict(maxiter=-1), ValueError, "negative"),
        (dict(rtol=-1.0), ValueError, "negative"),
        (dict(atol=float("nan")), ValueError, "NaN"),
        (dict(precond="magic"), ValueError, "unknown preconditioner 'magic'"),
        (dict(operator="magic"), ValueError, "unknown operator 'magic'"),
        (dict(x0=np.ones(400, np.float32)), ValueError, "x0 has to be an array like b"),
        (dict(x0=[1.0] * 400), ValueError, "x0 has to be an array like b"),
        (dict(null_space="constant"), (ValueError, tilespmv.Error), "row"),
        (dict(b=[1.0] * 400), TypeError, "b is list"),
    ],
)
def test_refused_solves(options, error, text):
    with pytest.raises(error, match=text):
        tilespmv.solve(tilespmv.matrix(GRID, "cpu"), options.pop("b", np.ones(400)), **options)


def test_symmetry_is_checked_unless_told_not_to():
    a = sp.csr_array([[2.0, 1e-3], [0.0, 2.0]])
    with pytest.raises((ValueError, tilespmv.Error), match="row 1"):
        tilespmv.solve(tilespmv.matrix(a, "cpu"), np.ones(2))
    assert tilespmv.solve(tilespmv.matrix(a, "cpu"), np.ones(2), "none", check_symmetry=False, maxiter=2)[1].iterations > 0
