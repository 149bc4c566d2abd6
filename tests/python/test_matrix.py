"""Matrices of every origin, products of every shape and layout, errors, copies."""

import concurrent.futures
import copy
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tilespmv

OPERATORS = ["auto", "csr-omp", "tile-omp", "strip-omp", "ell-omp", "dia-omp", "coo-omp", "hyb-omp"]


def random_csr(rows=130, cols=70, density=0.08, dtype=np.float64, seed=1):
    return sp.random_array((rows, cols), density=density, format="csr", dtype=dtype, rng=np.random.default_rng(seed))


def numbers(*shape, dtype=np.float64):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def close(y, expected):
    np.testing.assert_allclose(y, expected, rtol=1e-12 if y.dtype == np.float64 else 2e-5, atol=1e-6)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_form_of_scipy(form, kind):
    a = getattr(sp, f"{form}_{kind}")(random_csr())
    A = tilespmv.matrix(a, device="cpu")
    x = numbers(70)
    close(A @ x, a @ x)
    assert A.shape == a.shape and A.nnz == sp.csr_array(a).nnz and A.dtype == a.dtype and A.ndim == 2


def test_duplicates_are_summed_and_columns_sorted():
    a = sp.coo_array(([1.0, 2.0, 4.0], ([0, 0, 0], [2, 2, 0])), shape=(2, 3))
    assert (tilespmv.matrix(a, device="cpu").to_scipy() != a.tocsr()).nnz == 0
    unsorted = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    close(tilespmv.matrix(unsorted, device="cpu") @ np.array([1.0, 10.0]), np.array([12.0]))
    assert list(unsorted.indices) == [1, 0]


def test_arrays_of_csr_are_not_copied():
    a = random_csr()
    A = tilespmv.matrix((a.data, a.indices, a.indptr.astype(np.int64)), "cpu", "csr-omp", shape=a.shape)
    for of in [A, tilespmv.matrix(a, "cpu", "strip-omp")]:
        assert of.to_scipy().data.ctypes.data == a.data.ctypes.data
        assert of.to_scipy().indices.ctypes.data == a.indices.ctypes.data
    x = numbers(70)
    before = A @ x
    values, indices, shape = a.data.copy(), a.indices, a.shape
    del a
    close(tilespmv.matrix((values, indices, A.to_scipy().indptr), "cpu", shape=shape) @ x, before)


def test_files_and_generators(tmp_path):
    import scipy.io

    a = random_csr()
    scipy.io.mmwrite(tmp_path / "a.mtx", a)
    A = tilespmv.matrix(tmp_path / "a.mtx", device="cpu")
    x = numbers(70)
    close(A @ x, a @ x)
    A.save(tmp_path / "a.tsp")
    close(tilespmv.matrix(str(tmp_path / "a.tsp"), device="cpu") @ x, a @ x)
    assert tilespmv.matrix("gen:laplace2d:n=5", device="cpu").shape == (25, 25)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_of_every_operator(operator, dtype):
    a = random_csr(dtype=dtype)
    A = tilespmv.matrix(a, "cpu", operator)
    for x in [numbers(70, dtype=dtype), numbers(70, 1, dtype=dtype), numbers(70, 6, dtype=dtype)]:
        y = A @ x
        assert y.dtype == dtype and y.shape == (130,) + x.shape[1:]
        close(y, a @ x)
        z = numbers(*((130,) + x.shape[1:]), dtype=dtype)
        close(A.T @ z, a.T @ z)
        close(z.T @ A, z.T @ a)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        np.asfortranarray,
        lambda x: np.repeat(x, 2, 1)[:, ::2],
        lambda x: np.repeat(x, 3, 0)[::3],
        lambda x: np.asfortranarray(np.repeat(x, 2, 0))[::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: np.broadcast_to(x[:, :1], x.shape),
    ],
)
@pytest.mark.parametrize("cols", [1, 2, 5, 9])
def test_layouts_of_x(view, cols):
    a = random_csr()
    x = view(numbers(70, cols))
    y = tilespmv.matrix(a, device="cpu") @ x
    close(y, a @ x)
    assert y.flags.c_contiguous if x.strides[1] == x.itemsize else y.flags.f_contiguous


def test_out_alpha_and_beta():
    a = random_csr()
    A = tilespmv.matrix(a, device="cpu")
    x, old = numbers(70), numbers(130)
    out = old.copy()
    assert A.matvec(x, out, alpha=2, beta=-3) is out
    close(out, 2 * (a @ x) - 3 * old)
    rows = np.full((130, 8), 7.0)
    A.matmat(numbers(70, 4), rows[:, 2:6])
    close(rows[:, 2:6], a @ numbers(70, 4))
    assert (rows[:, :2] == 7).all() and (rows[:, 6:] == 7).all()
    with pytest.raises(ValueError, match="neither rows nor columns"):
        A.matmat(numbers(70, 4), rows[:, ::2])
    assert (rows[:, :2] == 7).all()


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda A: A @ np.ones(71), ValueError, r"\(130, 70\).*\(71,\)"),
        (lambda A: A @ np.ones(70, np.float32), TypeError, "float32 for a matrix of float64"),
        (lambda A: A @ np.ones(70, int), TypeError, "int64"),
        (lambda A: A @ "x", TypeError, "unsupported operand"),
        (lambda A: A @ np.ones((70, 2, 2)), ValueError, "one or two dimensions"),
        (lambda A: A @ np.ones(70, ">f8"), TypeError, ">f8 for a matrix of float64"),
        (lambda A: A.matvec([1.0] * 70), TypeError, "cannot multiply by list"),
        (lambda A: A.matmat(None), TypeError, "cannot multiply by NoneType"),
        (lambda A: A.matvec(np.ones(70), alpha="two"), TypeError, "must be real number, not str"),
        (lambda A: A.matvec(np.ones(70), np.ones(130), beta=[0]), TypeError, "must be real number, not list"),
        (lambda A: A.stats(3), ValueError, "unknown selector '3'"),
        (lambda A: A.matvec(np.ones((70, 2))), ValueError, "matmat multiplies several"),
        (lambda A: A.matmat(np.ones(70)), ValueError, r"expected \(70, k\)"),
        (lambda A: A.matvec(np.ones(70), beta=1), ValueError, "beta needs out"),
        (lambda A: A.matvec(np.ones(70), np.ones(131)), ValueError, "out has shape"),
        (lambda A: A.matmat(np.ones((70, 2)), np.ones((130, 3))), ValueError, "out has shape"),
        (lambda A: A.matvec(np.ones(70), np.ones(130, np.float32)), TypeError, "out has values of float32"),
        (lambda A: A.matvec(np.ones(70), [0] * 130), TypeError, "out is list"),
        (lambda A: A.update_values([1, 2, 3]), ValueError, "values of shape"),
        (lambda A: A.update_values(np.ones(A.nnz, np.float32)), TypeError, "float32"),
        (lambda A: tilespmv.matrix(3), TypeError, "sparse matrix of SciPy"),
        (lambda A: tilespmv.matrix((1, 2, 3)), ValueError, "shape="),
        (lambda A: tilespmv.matrix(([1.0], [0], [0, 1]), "cpu", shape=(1,)), ValueError, "expected \\(rows, columns\\)"),
        (lambda A: tilespmv.matrix(([[1.0]], [0], [0, 1]), "cpu", shape=(1, 1)), ValueError, "one dimension"),
        (lambda A: tilespmv.matrix(([1.0], [0.0], [0, 1]), "cpu", shape=(1, 1)), TypeError, "whole numbers"),
        (lambda A: tilespmv.matrix(random_csr(), "cpu", None), ValueError, "unknown operator 'None'"),
        (lambda A: tilespmv.matrix("no such file"), tilespmv.Error, "no such file: cannot be read"),
        (lambda A: tilespmv.matrix("gen:nothing"), ValueError, "nothing"),
        (lambda A: tilespmv.matrix(random_csr(), "cpu", "nothing"), ValueError, "unknown operator 'nothing'"),
        (lambda A: tilespmv.matrix(random_csr(), "tpu"), ValueError, "device 'tpu'"),
        (lambda A: tilespmv.matrix((np.ones(1), np.array([1 - 2**32]), [0, 1]), shape=(1, 2)), ValueError, "column index"),
        (lambda A: tilespmv.matrix(random_csr().astype(complex)), TypeError, "complex128"),
        (lambda A: A.save("/no/such/folder/a.tsp"), tilespmv.Error, "/no/such/folder"),
        (lambda A: A.T.save("a.tsp"), ValueError, "transpose"),
        (lambda A: tilespmv.solve(A, np.ones(130)), ValueError, "A is 130 x 70: a solve needs a square matrix"),
        (lambda A: tilespmv.solve("gen:laplace2d:n=5", np.ones(25), callback=3), TypeError, "callback is int"),
        (lambda A: tilespmv.solve("gen:laplace2d:n=5", np.ones(25), rtol="x"), ValueError, "could not convert string to float"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text) as raised:
        call(tilespmv.matrix(random_csr(), device="cpu"))
    assert "\n" not in str(raised.value)


def test_one_array_for_both_is_refused():
    A = tilespmv.matrix(random_csr(70, 70), device="cpu")
    x = numbers(140)
    with pytest.raises(ValueError, match="overwrite"):
        A.matvec(x[:70], x[35:105])
    frozen = np.zeros(70)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        A.matvec(x[:70], frozen)


@pytest.mark.parametrize(
    "data, indices, indptr",
    [
        ([1.0], [5], [0, 1, 1]),
        ([1.0], [-1], [0, 1, 1]),
        ([1.0], [0], [0, 2, 1]),
        ([1.0], [0], [0, 1]),
        ([1.0, 2.0], [0], [0, 1, 1]),
        ([1.0], [2**40], [0, 1, 1]),
    ],
)
def test_arrays_that_are_no_csr(data, indices, indptr):
    with pytest.raises((ValueError, tilespmv.Error)):
        tilespmv.matrix((np.array(data), np.array(indices), np.array(indptr)), "cpu", shape=(2, 3))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1)])
def test_small_matrices(shape):
    a = sp.csr_array(shape)
    A = tilespmv.matrix(a, device="cpu")
    close(A @ np.ones(shape[1]), np.zeros(shape[0]))
    close(A.T @ np.ones((shape[0], 3)), np.zeros((shape[1], 3)))
    assert A.stats()["nnz"] == 0 and len(A.tile_map()) == 0 and "img" in A._repr_html_()


def test_blocks_get_a_form_of_their_own():
    """With the first of them, where that of vectors reads the matrix once for each column."""
    A = tilespmv.matrix("gen:laplace2d:n=100", device="cpu")
    a, x, named = A.to_scipy(), numbers(10000, 3), A.operator
    assert named != "csr-omp"
    for _ in range(2):
        before = A.nbytes
        close(A @ x, a @ x)
        close(A.T @ x, a.T @ x)
        assert A.nbytes > before and A.operator == named
        a = a.copy()
        a.data = numbers(a.nnz)
        A.update_values(a.data)
    close(A @ x, a @ x)
    by_name = tilespmv.matrix(a, "cpu", named)
    before = by_name.nbytes
    close(by_name @ x, a @ x)
    assert by_name.nbytes == before


def test_new_values_need_not_be_symmetric():
    A = tilespmv.matrix("gen:laplace2d:n=30", device="cpu")
    a, x = A.to_scipy().copy(), numbers(900)
    close(A.T @ x, a.T @ x)
    a.data = numbers(a.nnz)
    A.update_values(a.data)
    close(A.T @ x, a.T @ x)
    close(A @ x, a @ x)


@pytest.mark.parametrize("operator", OPERATORS)
def test_new_values_reach_every_product(operator):
    a = random_csr()
    A = tilespmv.matrix(a, "cpu", operator)
    A.T @ np.ones(130)
    a = a.copy()
    a.data = numbers(a.nnz)
    given = a.data.copy()
    A.update_values(given)
    given[:] = np.nan
    x, y = numbers(70, 3), numbers(130)
    close(A @ x, a @ x)
    close(A.T @ y, a.T @ y)
    close(A.to_scipy().data, a.data)
    close(pickle.loads(pickle.dumps(A)) @ x, a @ x)


def test_copies_and_pickles():
    a = random_csr(dtype=np.float32)
    A = tilespmv.matrix(a, "cpu", "tile-omp")
    x = numbers(70, dtype=np.float32)
    for other in [copy.copy(A), copy.deepcopy(A), A.copy(), pickle.loads(pickle.dumps(A))]:
        assert other.operator == A.operator and other.dtype == A.dtype and other is not A
        assert (other @ x == A @ x).all()
    T = pickle.loads(pickle.dumps(A.T))
    assert T.shape == (70, 130)
    assert T.to_scipy().format == "csc" and (T.to_scipy() != a.T).nnz == 0
    own = tilespmv.matrix(a, "cpu", "csr-omp").copy()
    y = own @ x
    a.data[:] = 0  # which the matrix that was copied reads
    assert (own @ x == y).all()


def test_threads_share_a_matrix():
    """While they make its forms for blocks and for the transpose, with the bits of one thread."""
    a = random_csr(2000, 2000, 0.005)
    A = tilespmv.matrix(a, device="cpu")

    def work(i):
        return [(A.T if i % 2 else A) @ numbers(2000, 1 + i % 3) for _ in range(20)]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        products = list(pool.map(work, range(8)))
    for i, of_thread in enumerate(products):
        expected = work(i)[0]
        close(expected, (a.T if i % 2 else a) @ numbers(2000, 1 + i % 3))
        for y in of_thread:
            np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("asked, spins", [({}, "10000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "passive"}, "0")])
def test_threads_that_wait_sleep_soon(asked, spins):
    environment = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    environment |= asked | {"OMP_DISPLAY_ENV": "verbose"}
    program = "import os, tilespmv; print(os.environ.get('GOMP_SPINCOUNT'))"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    if "GOMP_SPINCOUNT" not in done.stderr:
        pytest.skip("this is not GCC's OpenMP")
    assert re.findall(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)[-1] == spins
    assert done.stdout == f"{asked.get('GOMP_SPINCOUNT')}\n"


def test_what_is_shown():
    A = tilespmv.matrix("gen:laplace2d:n=40", device="cpu")
    assert repr(A) == "<1600x1600 tilespmv matrix of dtype 'float64' with 7840 stored elements on cpu>"
    assert A.device == "cpu" and A.nbytes > 0 and A.is_reproducible
    tiles = A.tile_map()
    assert tiles["nnz"].sum() == A.nnz and tiles["row"].max() == 99 and A.stats()["tiles"] == len(tiles)
    assert A.explain()[0]["operator"] == A.operator
    assert sum(part["nnz"] for part in A.executed()) == A.nnz
    page = A._repr_html_()
    assert "data:image/png;base64," in page and "&lt;1600x1600" in page
    held = np.bincount(tiles["format"], tiles["nnz"]) / A.nnz
    assert re.findall(r"<td>([\d.]+%)</td>", page) == [f"{share:.1%}" for share in held if share > 0]


def test_page_to_zoom_in(tmp_path):
    A = tilespmv.matrix("gen:laplace2d:n=40", device="cpu", values="float32")
    page = A.view(tmp_path / "a.html", "only:csr", name="<a>")
    text = pathlib.Path(page).read_text()
    assert '"name":"\\u003ca\\u003e","rows":1600,"cols":1600,"nnz":7840' in text
    assert '"values":"float32","value_bytes":4,"selector":"only:csr"' in text
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;') and str(tmp_path) in repr(page)
    other = A.view()
    assert other.path.endswith(".html") and "DOCTYPE" in pathlib.Path(other).read_text()
    pathlib.Path(other).unlink()
    for wrong in [lambda: A.view(selector="best"), lambda: A.view(size=1000), lambda: A.T.view()]:
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(tilespmv.Error, match="no/a.html"):
        A.view("no/a.html")


def test_plot_of_tiles():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    ax = tilespmv.matrix("gen:rmat:scale=10,degree=8", device="cpu").plot_tiles()
    assert ax.get_xlim() == (0, 1024) and ax.get_ylim() == (1024, 0) and ax.images


def test_torch_and_jax_arrays():
    a = random_csr()
    A = tilespmv.matrix(a, device="cpu")
    torch = pytest.importorskip("torch")
    x = numbers(70, 3)
    for given in [torch.from_numpy(x), torch.from_numpy(x.T.copy()).t()]:
        y = A @ given
        assert isinstance(y, torch.Tensor)
        close(y.numpy(), a @ x)
    T = torch.sparse_csr_tensor(a.indptr, a.indices, a.data, a.shape)
    assert tilespmv.matrix(T, device="cpu").to_scipy().data.ctypes.data == T.values().data_ptr()
    close(tilespmv.matrix(T, device="cpu") @ x, a @ x)
    close(tilespmv.matrix(T.to_sparse_coo(), device="cpu") @ x, a @ x)


def test_benchmark_has_rows(tmp_path):
    rows = tilespmv.benchmark({"grid": "gen:laplace2d:n=20"}, ["csr-omp", "auto"], device="cpu", min_seconds=0.01, compare="scipy")
    assert [r["operator"] for r in rows] == ["csr-omp", "auto", "scipy"]
    assert all(r["seconds"] > 0 and r["nnz"] == 1920 for r in rows)
    tilespmv.matrix("gen:laplace2d:n=20", device="cpu").save(tmp_path / "grid.tsp")
    assert tilespmv.benchmark(tmp_path / "grid.tsp", device="cpu", min_seconds=0.01)[0]["matrix"] == str(tmp_path / "grid.tsp")


def test_duplicates_of_csr_are_summed():
    a = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    A = tilespmv.matrix(a, device="cpu")
    assert A.nnz == 2 and a.nnz == 3
    assert np.array_equal(A @ [1.0, 10.0], [52.0, 0.0])


def test_logical_values_become_float64():
    A = tilespmv.matrix(sp.csr_array(np.eye(3, dtype=bool)), device="cpu")
    assert A.dtype == np.float64 and np.array_equal(A @ [1.0, 2.0, 3.0], [1, 2, 3])


def test_columns_of_64_bits_are_checked():
    with pytest.raises(ValueError, match=r"column index is not in \[0, 2\)"):
        tilespmv.matrix((np.ones(1), np.array([2]), np.array([0, 1])), device="cpu", shape=(1, 2))


def test_out_of_transposed_blocks():
    a = random_csr()
    y = numbers(70, 3)
    expected = 2 * (a.T @ numbers(130, 3)) + 0.5 * y
    tilespmv.matrix(a, device="cpu").rmatmat(numbers(130, 3), y, alpha=2, beta=0.5)
    close(y, expected)


def test_arrays_of_three_dimensions_are_refused():
    with pytest.raises(ValueError, match="expected one or two dimensions"):
        tilespmv.matrix(random_csr(), device="cpu") @ numbers(70, 2, 2)
