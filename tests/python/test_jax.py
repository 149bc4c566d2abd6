"""Products of JAX arrays: derivatives, compiled functions, batches."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp

import tilespmv

jax = pytest.importorskip("jax")
if not hasattr(tilespmv._core, "jax_handler"):
    pytest.skip("built without the headers of jaxlib", allow_module_level=True)
jax.config.update("jax_enable_x64", True)
from jax import numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402
from tilespmv.jax import matmul  # noqa: E402

rng = np.random.default_rng(3)


@pytest.fixture
def A(csr, device):
    """With arrays where the matrix is: a host's array for a matrix on a GPU has a test of its own."""
    with jax.default_device(jax.devices("cpu" if device == "cpu" else "gpu")[0]):
        yield tilespmv.matrix(csr, device)


def numbers(*shape):
    return jnp.asarray(rng.standard_normal(shape))


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_products(A, csr, shape):
    x, z = numbers(20, *shape), numbers(30, *shape)
    y = A @ x
    assert isinstance(y, jax.Array) and y.shape == (30, *shape) and y.devices() == x.devices()
    close(y, csr @ x)
    close(A.T @ z, csr.T @ z)
    close(z.T @ A, z.T @ csr)
    close(A.rmatvec(z, alpha=2) if not shape else A.rmatmat(z, alpha=2), 2 * (csr.T @ z))
    with pytest.raises(TypeError, match="takes no out"):
        A._multiply(x, y, 1, 1, False)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_derivatives(A, csr, shape):
    x, dense = numbers(20, *shape), csr.toarray()
    check_grads(lambda x: A @ x, (x,), order=2)
    check_grads(jax.jit(lambda x: jnp.sin(A.T @ (A @ x))), (x,), order=2)
    if not shape:
        close(jax.jacfwd(lambda x: A @ x)(x), dense)
        close(jax.jit(jax.jacrev(lambda x: A @ x))(x), dense)
        close(jax.hessian(lambda x: 0.5 * jnp.sum((A @ x) ** 2))(x), dense.T @ dense)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_derivatives_in_the_values(A, csr, shape):
    x, z, values = numbers(20, *shape), numbers(30, *shape), numbers(A.nnz)
    other = sp.csr_array((np.asarray(values), csr.indices, csr.indptr), shape=csr.shape)
    close(matmul(A, x, values), other @ np.asarray(x))
    close(matmul(A.T, z, values), other.T @ np.asarray(z))
    close(A @ x, csr @ np.asarray(x))
    check_grads(lambda x, v: matmul(A, x, v), (x, values), order=2)
    check_grads(jax.jit(lambda z, v: jnp.sin(matmul(A.T, z, v))), (z, values), order=2)
    if not shape:
        rows, cols = jnp.asarray(csr.tocoo().row), jnp.asarray(csr.tocoo().col)
        close(jax.jacrev(lambda v: matmul(A, x, v))(values), jnp.zeros((30, A.nnz)).at[rows, jnp.arange(A.nnz)].set(x[cols]))


def test_batches_of_values(A):
    xs, values = numbers(4, 20), numbers(4, A.nnz)
    one = [matmul(A, x, v) for x, v in zip(xs, values)]
    close(jax.vmap(lambda x, v: matmul(A, x, v))(xs, values), jnp.stack(one))
    close(jax.vmap(lambda v: matmul(A, xs[0], v))(values)[0], one[0])
    close(jax.vmap(lambda x: matmul(A, x, values[0]))(xs)[0], one[0])


def test_training(A, csr):
    """Steps along the gradient in the values make the product what it has to be."""
    wanted, x = jnp.asarray(csr.toarray()), jnp.eye(20)
    step = jax.jit(lambda v: v - 0.5 * jax.grad(lambda v: 0.5 * jnp.sum((matmul(A, x, v) - wanted) ** 2))(v))
    values = jnp.zeros(A.nnz)
    for _ in range(30):
        values = step(values)
    np.testing.assert_allclose(values, csr.data, atol=1e-6)


def test_values_that_do_not_suit(A):
    with pytest.raises(ValueError, match="values of shape"):
        matmul(A, numbers(20), numbers(3))
    with pytest.raises(TypeError, match="float32"):
        matmul(A, numbers(20), numbers(A.nnz).astype(np.float32))


@pytest.mark.parametrize("shape, batch", [((5, 20), 0), ((20, 5), 1), ((5, 20, 3), 0), ((20, 5, 3), 1), ((20, 3, 5), 2)])
def test_batches(A, csr, shape, batch):
    x, dense = numbers(*shape), jnp.asarray(csr.toarray())
    f, expected = [jax.vmap(lambda x, a=a: a @ x, in_axes=batch) for a in (A, dense)]
    close(f(x), expected(x))
    close(jax.jit(f)(x), expected(x))
    check_grads(f, (x,), order=1)
    assert str(jax.make_jaxpr(f)(x)).count("tilespmv_multiply[") == 1


def test_batches_of_batches(A, csr):
    x = numbers(4, 5, 20)
    close(jax.vmap(jax.vmap(lambda x: A @ x))(x), x @ csr.toarray().T)
    f, expected = [
        jax.vmap(jax.vmap(lambda x, a=a: a @ x, in_axes=1, out_axes=1), in_axes=1) for a in (A, jnp.asarray(csr.toarray()))
    ]
    close(f(x.transpose(2, 0, 1)), expected(x.transpose(2, 0, 1)))


def test_a_compiled_function_keeps_its_matrix(device):
    def solve(b):
        grid = tilespmv.matrix("gen:laplace2d:n=20", device)
        return jax.scipy.sparse.linalg.cg(lambda x: grid @ x, b, tol=1e-10)[0]

    with jax.default_device(jax.devices("cpu" if device == "cpu" else "gpu")[0]):
        b = tilespmv.matrix("gen:laplace2d:n=20", device) @ jnp.ones(400)
        f = jax.jit(solve)
        f(b)
        gc.collect()
        np.testing.assert_allclose(f(b), 1, atol=1e-6)


def test_products_outside_of_functions_keep_no_matrix(csr, device):
    A = tilespmv.matrix(csr, device)
    key = A._key
    with jax.default_device(jax.devices("cpu" if device == "cpu" else "gpu")[0]):
        jax.block_until_ready(A @ numbers(20))
    assert tilespmv._core.shared(key) is A._core
    del A
    gc.collect()
    with pytest.raises(ValueError, match="is gone"):
        tilespmv._core.shared(key)


def test_arrays_of_the_host_for_a_matrix_on_a_gpu(csr, device):
    x = jax.device_put(rng.standard_normal((20, 3)), jax.devices("cpu")[0])
    y = tilespmv.matrix(csr, device) @ x
    assert y.devices() == x.devices()
    close(y, csr @ np.asarray(x))


def test_an_array_on_a_gpu_for_a_matrix_of_the_host(csr):
    if not tilespmv.has_gpu():
        pytest.skip("there is no GPU")
    with pytest.raises(ValueError, match="on a GPU and the matrix on the CPU"):
        tilespmv.matrix(csr, "cpu") @ jax.device_put(np.ones(20), jax.devices("gpu")[0])


def test_new_values_and_errors(A, csr):
    f = jax.jit(lambda x: A @ x)
    x = numbers(20)
    close(f(x), csr @ x)
    A.update_values(2 * jnp.asarray(csr.data))
    close(f(x), 2 * (csr @ x))
    with pytest.raises(TypeError, match="float32"):
        f(x.astype(np.float32))
    with pytest.raises(ValueError, match=r"shape \(19,\)"):
        f(x[:19])


def test_solve(device):
    grid = tilespmv.matrix("gen:laplace2d:n=20", device)
    x, report = tilespmv.solve(grid, jnp.asarray(grid.to_scipy() @ np.ones(400)), "jacobi", x0=jnp.zeros(400))
    assert report.converged and isinstance(x, jax.Array)
    np.testing.assert_allclose(x, 1, atol=1e-5)
