"""Matrices on a GPU with arrays of NumPy, CuPy, torch and JAX."""

import concurrent.futures
import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import tilespmv

if not tilespmv.has_gpu():
    pytest.skip("there is no GPU", allow_module_level=True)

LIBRARIES = ["numpy", "cupy", "torch", "jax"]
rng = np.random.default_rng(5)
CSR = sp.random_array((3000, 2000), density=0.004, format="csr", rng=rng)


def to(library, x):
    if library == "numpy":
        return x
    module = pytest.importorskip(library)
    if library == "cupy":
        return module.asarray(x, order="K")
    if library == "torch":
        return module.from_numpy(x).cuda()
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.device_put(x)


def back(y):
    return y.get() if hasattr(y, "get") else y.cpu().numpy() if hasattr(y, "cpu") else np.asarray(y)


def close(y, expected):
    y = back(y)
    np.testing.assert_allclose(y, expected, rtol=1e-11 if y.dtype == np.float64 else 1e-4, atol=1e-13 if y.dtype == np.float64 else 1e-4)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products(library, dtype):
    a = CSR.astype(dtype)
    A = tilespmv.matrix(a)
    assert A.device == "cuda"
    for cols in [None, 1, 2, 5, 8]:
        for order in "CF":
            x = np.asarray(rng.standard_normal((2000,) if cols is None else (2000, cols)), dtype, order=order)
            given = to(library, x)
            y = A @ given
            assert type(y) is type(given) and tuple(y.shape) == (3000,) + x.shape[1:]
            close(y, a @ x)
            z = np.asarray(rng.standard_normal((3000,) if cols is None else (3000, cols)), dtype, order=order)
            close(A.T @ to(library, z), a.T @ z)
            close(to(library, z.T) @ A, z.T @ a)


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_out_is_written_in_place(library):
    A = tilespmv.matrix(CSR)
    x, old = rng.standard_normal(2000), rng.standard_normal(3000)
    out = to(library, old.copy())
    assert A.matvec(to(library, x), out, alpha=2, beta=3) is out
    close(out, 2 * (CSR @ x) + 3 * old)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_values_of_16_bits(name):
    torch = pytest.importorskip("torch")
    A = tilespmv.matrix(CSR, values=name)
    x = torch.ones(2000, dtype=getattr(torch, name), device="cuda")
    y = (A @ x).float().cpu().numpy()
    np.testing.assert_allclose(y, CSR @ np.ones(2000), rtol=2e-2, atol=2e-2)


def test_matrices_of_other_libraries():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as cs

    x = rng.standard_normal(2000)
    for a in [cs.csr_matrix(sp.csr_matrix(CSR)), cs.coo_matrix(sp.coo_matrix(CSR))]:
        close(tilespmv.matrix(a) @ cupy.asarray(x), CSR @ x)
    torch = pytest.importorskip("torch")
    t = torch.sparse_csr_tensor(CSR.indptr, CSR.indices, CSR.data, CSR.shape).cuda()
    close(tilespmv.matrix(t) @ to("torch", x), CSR @ x)


def test_new_values():
    cupy = pytest.importorskip("cupy")
    A = tilespmv.matrix(CSR)
    a, x, z = CSR.copy(), rng.standard_normal(2000), rng.standard_normal(3000)
    A.T @ z
    a.data = rng.standard_normal(a.nnz)
    A.update_values(cupy.asarray(a.data))
    close(A @ cupy.asarray(x), a @ x)
    close(A.T @ cupy.asarray(z), a.T @ z)
    close(A.to_scipy().data, a.data)


def on_gpu(library, a):
    """(data, indices, indptr)"""
    return tuple(to(library, np.array(array)) for array in (a.data, a.indices, a.indptr))


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("operator", ["auto", "csr-vector", "sell", "csr-merge", "strip", "cusparse-csr"])
def test_matrices_on_a_gpu(library, operator):
    """Prepared there, with the bits of one from the host; new values come and go on both sides."""
    x, z = rng.standard_normal(2000), rng.standard_normal(3000)
    if operator == "cusparse-csr":
        try:
            tilespmv.matrix(CSR, operator=operator)
        except ValueError as error:
            pytest.skip(str(error))
    A = tilespmv.matrix(on_gpu(library, CSR), operator=operator, shape=CSR.shape)
    B = tilespmv.matrix(CSR, operator=operator)
    assert A.operator == B.operator
    if A.is_reproducible:
        np.testing.assert_array_equal(back(A @ to(library, x)), back(B @ to(library, x)))
    close(A.T @ to(library, z), CSR.T @ z)
    np.testing.assert_array_equal(A.to_scipy().toarray(), CSR.toarray())
    a = CSR.copy()
    for new in [to(library, rng.standard_normal(a.nnz)), rng.standard_normal(a.nnz), to(library, rng.standard_normal(a.nnz))]:
        for M in [A, B]:
            M.update_values(new)
            a.data = back(new)
            close(M @ to(library, x), a @ x)
            close(M.T @ to(library, z), a.T @ z)
            close(M @ x, a @ x)
            np.testing.assert_array_equal(M.to_scipy().data, a.data)
            if library == "cupy":
                for given, expected in [(M.to_cupy(), a), (M.T.to_cupy(), a.T)]:
                    assert given.format == expected.format
                    np.testing.assert_array_equal(given.get().toarray(), expected.toarray())


def test_matrices_on_a_gpu_that_are_wrong():
    cupy = pytest.importorskip("cupy")
    data, indices, indptr = on_gpu("cupy", CSR)
    wrong = indices.copy()
    wrong[7] = 2000
    with pytest.raises((ValueError, tilespmv.Error), match="row .* has column 2000, expected 0 to 1999"):
        tilespmv.matrix((data, wrong, indptr), shape=CSR.shape)
    falls = indptr.copy()
    falls[5] = falls[6] + 1
    with pytest.raises((ValueError, tilespmv.Error), match="descends"):
        tilespmv.matrix((data, indices, falls), shape=CSR.shape)
    with pytest.raises(ValueError, match="indptr has"):
        tilespmv.matrix((data, indices, indptr[:-1]), shape=CSR.shape)


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_assembly(library, index):
    """Duplicates are summed in the order of the entries, bit by bit, and negative indices left out."""
    rows, cols = rng.integers(-1, 300, 9000).astype(index), rng.integers(-1, 200, 9000).astype(index)
    pattern = tilespmv.assembly(to(library, rows), to(library, cols), (300, 200))
    A = None
    for _ in range(2):
        values = rng.standard_normal(9000)
        dense = np.zeros((300, 200))
        for r, c, v in zip(rows, cols, values):
            if r >= 0 and c >= 0:
                dense[r, c] += v
        sums = pattern.sum(to(library, values))
        if A is None:
            A = pattern.matrix(to(library, values))
        else:
            A.update_values(sums)
        np.testing.assert_array_equal(A.to_scipy().toarray(), dense)
        assert A.nnz == pattern.nnz == np.unique((rows * 200 + cols)[(rows >= 0) & (cols >= 0)]).size
        x = rng.standard_normal(200)
        close(A @ to(library, x), dense @ x)
    with pytest.raises(ValueError, match="entry 3 is at row 300, column 5"):
        rows[3], cols[3] = 300, 5
        tilespmv.assembly(to(library, rows), to(library, cols), (300, 200))


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_order_on_the_callers_stream(library):
    """A product waits for what the stream did before, and not for other streams; one of another stream waits for it."""
    module = pytest.importorskip(library)
    A = tilespmv.matrix(CSR)
    x = rng.standard_normal(2000)
    streams = [module.cuda.Stream(non_blocking=True) if library == "cupy" else module.cuda.Stream() for _ in range(3)]
    for round_ in range(20):
        stream = streams[round_ % 3]
        with stream if library == "cupy" else module.cuda.stream(stream):
            big = to(library, np.ones((2000, 2000)))
            given = to(library, x)
            for _ in range(3):
                big = big @ big * 1e-4
            given = given + big[0] * 0
            y = A @ given
        stream.synchronize()
        close(y, CSR @ x)


def test_threads_and_streams():
    """Several threads multiply by one matrix, each on a stream of its own, while none waits."""
    cupy = pytest.importorskip("cupy")
    A = tilespmv.matrix(CSR)

    def products(seed):
        x = np.random.default_rng(seed).standard_normal(2000)
        with cupy.cuda.Stream(non_blocking=True) as stream:
            given = cupy.asarray(x)
            y = [(A @ given, A.T @ (A @ given)) for _ in range(50)]
            stream.synchronize()
        for forth, back_and_forth in y:
            close(forth, CSR @ x)
            close(back_and_forth, CSR.T @ (CSR @ x))

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        list(pool.map(products, range(6)))


@pytest.mark.parametrize("operator", ["auto", "csr-merge"])
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_streams_at_once(library, operator):
    """Long products on more streams than there are workspaces, between new values, have the bits of those on one stream."""
    module = pytest.importorskip(library)
    A = tilespmv.matrix("gen:rmat:scale=18,degree=16", operator=operator)
    n, values = A.shape[0], to(library, A.to_scipy().data.copy())
    streams = [module.cuda.Stream(non_blocking=True) if library == "cupy" else module.cuda.Stream() for _ in range(6)]
    given = [to(library, rng.standard_normal(n if i % 3 else (n, 8))) for i in range(6)]
    products = [lambda x: A @ x, lambda x: A.T @ x]
    expected = [[back(product(x)) for product in products] for x in given]
    module.cuda.Device().synchronize() if library == "cupy" else module.cuda.synchronize()
    results, scale = [], 1.0
    for round_ in range(12):
        for i in [0, 1] if round_ < 6 else range(6):
            with streams[i] if library == "cupy" else module.cuda.stream(streams[i]):
                results += [(i, k, scale, product(given[i])) for _ in range(2) for k, product in enumerate(products)]
        if round_ % 4 == 3:
            scale *= 2  # which is exact
            with streams[round_ % 6] if library == "cupy" else module.cuda.stream(streams[round_ % 6]):
                A.update_values(values * scale)
    module.cuda.Device().synchronize() if library == "cupy" else module.cuda.synchronize()
    for i, k, scale, y in results:
        np.testing.assert_array_equal(back(y), scale * expected[i][k])


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_arrays_on_a_gpu_are_read_in_place(library):
    data, indices, indptr = on_gpu(library, CSR)
    A = tilespmv.matrix((data, indices, indptr), operator="csr-vector", shape=CSR.shape)
    x = rng.standard_normal(2000)
    close(A @ to(library, x), CSR @ x)
    data *= 2
    close(A @ to(library, x), 2 * (CSR @ x))


@pytest.mark.parametrize("library", ["numpy", "cupy", "torch"])
@pytest.mark.parametrize("where", ["numpy", "cupy"])
def test_blocks_get_a_form_of_their_own(library, where):
    if where == "cupy":
        pytest.importorskip("cupy")
    A = tilespmv.matrix("gen:rmat:scale=11,degree=8")
    a = A.to_scipy()
    if where != "numpy":
        A = tilespmv.matrix(on_gpu(where, a), shape=a.shape)
    named = A.operator
    assert named.partition(":")[0] in ("csr-scalar", "csr-vector", "csr-merge", "sell", "tile"), named
    x, before = rng.standard_normal((2048, 8)), A.nbytes
    for _ in range(3):
        for given in [x, np.asfortranarray(x), x[:, :2].copy()]:
            close(A @ to(library, given), a @ given)
            close(A.T @ to(library, given), a.T @ given)
        close(A @ to(library, x[:, 0].copy()), a @ x[:, 0])
        assert A.nbytes > before and A.operator == named
        a = a.copy()
        a.data = rng.standard_normal(a.nnz)
        A.update_values(to(where, a.data))
    if library == "numpy":
        return
    x = rng.standard_normal((2048, 8))
    A.update_values(to(library, a.data))
    close(A @ to(library, x), a @ x)
    close(A.T @ to(library, x[:, 3].copy()), a.T @ x[:, 3])


def test_arrays_of_both_memories_in_turn():
    """A product of arrays of the host waits for those that still run on a stream, and the other way round."""
    cupy = pytest.importorskip("cupy")
    A = tilespmv.matrix("gen:rmat:scale=16,degree=16")
    a = A.to_scipy()
    x, z = rng.standard_normal(a.shape[1]), rng.standard_normal(a.shape[1])
    for _ in range(10):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            given = cupy.asarray(x)
            there = [A @ given for _ in range(20)]
            here = A @ z
            there.append(A @ given)
            stream.synchronize()
        np.testing.assert_allclose(here, a @ z, rtol=1e-9, atol=1e-9)
        for y in there:
            np.testing.assert_allclose(y.get(), a @ x, rtol=1e-9, atol=1e-9)


def test_a_matrix_and_a_stream_may_go_while_they_multiply():
    cupy = pytest.importorskip("cupy")
    x = cupy.asarray(rng.standard_normal(2000))
    A = tilespmv.matrix(CSR)
    cupy.cuda.Device().synchronize()
    for _ in range(10):
        with cupy.cuda.Stream(non_blocking=True):
            y = A @ x
            z = tilespmv.matrix(CSR) @ x
        tilespmv.matrix(2 * CSR)
        cupy.cuda.Device().synchronize()
        close(y, CSR @ x.get())
        close(z, CSR @ x.get())


def test_a_graph_holds_products():
    cupy = pytest.importorskip("cupy")
    A = tilespmv.matrix(CSR)
    x, out = cupy.asarray(rng.standard_normal(2000)), cupy.zeros(3000)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        A.matvec(x, out)
        stream.begin_capture()
        A.matvec(x, out)
        graph = stream.end_capture()
        out[:] = 0
        graph.launch(stream)
        stream.synchronize()
    close(out, CSR @ x.get())


def test_a_graph_of_torch_holds_products():
    """On a stream of its own, after products on another one."""
    torch = pytest.importorskip("torch")
    A = tilespmv.matrix(CSR)
    x = to("torch", rng.standard_normal(2000))
    close(A @ x, CSR @ back(x))
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = A @ x
    for _ in range(2):
        new = rng.standard_normal(2000)
        x.copy_(to("torch", new))
        graph.replay()
        torch.cuda.synchronize()
        close(y, CSR @ new)
        close(A @ x, CSR @ new)


def test_devices_do_not_mix():
    cupy = pytest.importorskip("cupy")
    with pytest.raises(ValueError, match="in the memory of a GPU and the matrix is in that of the host"):
        tilespmv.matrix(CSR, device="cpu") @ cupy.ones(2000)
    with pytest.raises(TypeError, match="out is"):
        tilespmv.matrix(CSR).matvec(cupy.ones(2000), np.ones(3000))


def test_arrays_of_another_gpu_are_refused():
    cupy = pytest.importorskip("cupy")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    A = tilespmv.matrix(CSR)
    with cupy.cuda.Device(1):
        x = cupy.ones(2000)
    for call in [lambda: A @ x, lambda: tilespmv.matrix((x, cupy.zeros(2000, "int32"), cupy.arange(2001)), shape=(2000, 1))]:
        with pytest.raises(ValueError, match="on GPU 1, but GPU 0 is current"):
            call()


@pytest.mark.parametrize("where", ["numpy", "cupy"])
def test_copies(where):
    A = tilespmv.matrix(CSR) if where == "numpy" else tilespmv.matrix(on_gpu(where, CSR), shape=CSR.shape)
    x, z = rng.standard_normal(2000), rng.standard_normal(3000)
    for B in [pickle.loads(pickle.dumps(A)), copy.deepcopy(A), A.copy()]:
        assert B.device == "cuda" and B.nbytes > 0 and repr(B) == repr(A)
        A.update_values(np.zeros(A.nnz))  # which is not B's
        close(B @ x, CSR @ x)
        close(B.T @ z, CSR.T @ z)
        A.update_values(CSR.data)


@pytest.mark.parametrize("solver", ["cg", "gmres", "cgs", "minres"])
def test_iterative_solvers_of_cupy(solver):
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse.linalg as sla

    A = tilespmv.matrix("gen:laplace2d:n=30")
    x, info = getattr(sla, solver)(A.aslinearoperator(), A @ cupy.ones(900))
    assert info == 0
    np.testing.assert_allclose(x.get(), 1, atol=1e-2)


def test_eigenvalues_and_singular_values_of_cupy():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse.linalg as sla

    b = sp.random_array((200, 90), density=0.05, format="csr", rng=np.random.default_rng(2))
    expected = np.linalg.svd(b.toarray(), compute_uv=False)[:3]
    B = tilespmv.matrix(b).aslinearoperator()
    np.testing.assert_allclose(np.sort(sla.svds(B, k=3, return_singular_vectors=False).get())[::-1], expected, rtol=1e-6)
    gram = tilespmv.matrix(b.T @ b).aslinearoperator()
    start = cupy.asarray(np.random.default_rng(0).standard_normal((90, 3)))
    values = sla.lobpcg(gram, start, tol=1e-8, maxiter=500)[0].get()
    np.testing.assert_allclose(np.sort(values)[::-1], expected**2, rtol=1e-5)


def test_solvers():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse.linalg as sla

    A = tilespmv.matrix("gen:laplace2d:n=60")
    b = A @ cupy.ones(3600)
    x, info = sla.cg(A.aslinearoperator(), b)
    assert info == 0
    np.testing.assert_allclose(x.get(), 1, atol=1e-2)
    values = sla.eigsh(A.aslinearoperator(), k=1, return_eigenvectors=False)  # the next one is double
    np.testing.assert_allclose(values.get(), sp.linalg.eigsh(A.to_scipy(), k=1, return_eigenvectors=False), rtol=1e-6)
    for given in [b, b.get()]:
        x, report = tilespmv.solve(A, given, "jacobi")
        assert report.converged and type(x) is type(given)
        np.testing.assert_allclose(back(x), 1, atol=1e-4)


@pytest.mark.parametrize("operator", ["auto", "csr-vector"])
@pytest.mark.parametrize("precond", ["none", "jacobi", "ssor-ai", "auto"])
def test_solves_a_matrix_that_is_on_the_gpu(precond, operator):
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as csp

    on_host = tilespmv.matrix("gen:laplace2d:n=60", "cpu").to_scipy().tocsr()
    there = csp.csr_matrix(sp.csr_matrix(on_host))
    A = tilespmv.matrix(there, "cuda", operator)
    b = there @ cupy.ones(3600)
    x, report = tilespmv.solve(A, b, precond, operator=operator)
    assert report.converged and report.operator == A.operator
    np.testing.assert_allclose(x.get(), 1, atol=1e-4)
    A.update_values(2 * there.data)
    np.testing.assert_allclose(tilespmv.solve(A, b, precond, operator=operator)[0].get(), 0.5, atol=1e-4)
    new = iter([4 * there.data])

    def update(iteration, residual):  # for the next solve: this one goes on with what it began with
        for values in new:
            A.update_values(values)
            np.testing.assert_allclose((A @ cupy.ones(3600)).get(), 4 * b.get(), atol=1e-12)

    x, report = tilespmv.solve(A, b, precond, operator=operator, check_every=1, callback=update)
    assert report.converged
    np.testing.assert_allclose(x.get(), 0.5, atol=1e-4)
    np.testing.assert_allclose(tilespmv.solve(A, b, precond, operator=operator)[0].get(), 0.25, atol=1e-4)
    there.data[1] *= 1.5
    with pytest.raises(tilespmv.Error, match="not symmetric, .* row 1, column 2"):
        tilespmv.solve(tilespmv.matrix(there, "cuda"), b, precond)
