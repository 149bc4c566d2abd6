"""Products as operators of torch: gradients, compiled functions, batches."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp

import tilespmv

torch = pytest.importorskip("torch")
from tilespmv.torch import matmul  # noqa: E402


@pytest.fixture
def numbers(device):
    generator = torch.Generator().manual_seed(5)
    return lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=generator).to(device).requires_grad_()


@pytest.fixture
def A(csr, device):
    return tilespmv.matrix(csr, device)


@pytest.fixture
def dense(csr, device):
    return torch.from_numpy(csr.toarray()).to(device)


def is_differentiated(f, *inputs):
    return torch.autograd.gradcheck(f, inputs) and torch.autograd.gradgradcheck(f, inputs)


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_gradients_in_x(A, dense, numbers, shape):
    x, z = numbers(20, *shape), numbers(30, *shape)
    torch.testing.assert_close(A @ x, dense @ x)
    assert is_differentiated(lambda x: A @ x, x)
    assert is_differentiated(lambda z: A.T @ z, z)
    assert is_differentiated(lambda z: 2 * A.rmatmat(z, alpha=-1.5) if z.ndim == 2 else A.rmatvec(z), z)
    columns = numbers(3, 20)
    assert is_differentiated(lambda x: A @ x.t(), columns)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_gradients_in_the_values(csr, A, numbers, device, shape):
    x, z, values = numbers(20, *shape), numbers(30, *shape), numbers(A.nnz)
    expected = sp.csr_array((values.detach().cpu().numpy(), csr.indices, csr.indptr), shape=csr.shape) @ x.detach().cpu().numpy()
    np.testing.assert_allclose(matmul(A, x, values).detach().cpu(), expected, rtol=1e-12)
    assert is_differentiated(lambda x, v: matmul(A, x, v), x, values)
    assert is_differentiated(lambda z, v: matmul(A.T, z, v), z, values)
    np.testing.assert_array_equal(A.to_scipy().data, csr.data)


def test_values_of_a_symmetric_matrix_need_not_be_symmetric(device, numbers):
    grid = tilespmv.matrix("gen:laplace2d:n=4", device)
    assert is_differentiated(lambda x, v: matmul(grid, x, v), numbers(16), numbers(grid.nnz))


def test_compiled_functions_are_one_graph(A, dense, numbers):
    x, values = numbers(20), numbers(A.nnz)
    for f in [
        lambda x: A.dot(x).sin(),
        lambda x: A.T.matvec(A.matvec(x, alpha=2)).cos(),
        lambda x: matmul(A.T, matmul(A, x)).cos(),
        lambda x: matmul(A, x, values.cos()),
    ]:
        compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(x), f(x))
        torch.testing.assert_close(torch.autograd.grad(compiled(x).sum(), x), torch.autograd.grad(f(x).sum(), x))
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), f(x))
    with pytest.raises(Exception, match="cannot tell A @ x from x @ A"):
        torch.compile(lambda x: A @ x, fullgraph=True, backend="aot_eager")(x)


def test_operators_keep_the_rules_of_torch(A, numbers):
    from tilespmv import torch as ours

    values = numbers(A.nnz).detach()
    for x in [numbers(20), numbers(20, 3), numbers(3, 20).t()]:
        torch.library.opcheck(ours.multiply, (x.detach(), A._key, False))
        torch.library.opcheck(ours.multiply_values, (x.detach(), values, A._key, False))
        z = A @ x.detach()
        torch.library.opcheck(ours.sample_product, (z, x.detach(), A._key))


def test_batches(A, dense, numbers):
    x = numbers(4, 5, 20).detach()
    expected = torch.einsum("rc,bkc->bkr", dense, x)
    f = torch.func.vmap(torch.func.vmap(lambda x: A @ x))
    torch.testing.assert_close(f(x), expected)
    blocks = torch.func.vmap(lambda x: A @ x, in_dims=1, out_dims=2)
    torch.testing.assert_close(blocks(x.permute(2, 0, 1)), expected.permute(2, 1, 0))
    row = x[0, 0]
    torch.testing.assert_close(torch.func.jacrev(lambda x: A @ x)(row), dense)
    torch.testing.assert_close(torch.func.grad(lambda x: (A @ x).sum())(row), dense.sum(0))


def test_a_graph_keeps_its_matrix(csr, device, numbers):
    x = numbers(20)
    y = tilespmv.matrix(csr, device) @ x
    gc.collect()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.cpu(), csr.sum(0), rtol=1e-12)


def test_products_of_torch(A, dense, numbers):
    x, z = numbers(20), numbers(2, 30)
    torch.testing.assert_close(torch.matmul(A, x), dense @ x)
    torch.testing.assert_close(z @ A, z @ dense)
    with pytest.raises(TypeError):
        z + A
    with pytest.raises(TypeError, match="takes no out"):
        A.matvec(x, torch.zeros_like(z[0]))
    with torch.no_grad():
        A.matvec(x, torch.zeros_like(z[0]))
    with pytest.raises(ValueError, match="values of shape"):
        matmul(A, x, z[0])
    with pytest.raises(TypeError, match="float32"):
        matmul(A, x, torch.zeros(A.nnz).to(x.device))


def test_training(csr, device):
    """A step along the gradient in the values makes the product what it has to be."""
    A = tilespmv.matrix(csr, device, values="float32")
    values = torch.zeros(A.nnz, device=device, requires_grad=True)
    x = torch.eye(20, device=device)
    wanted = torch.from_numpy(csr.toarray().astype(np.float32)).to(device)
    optimizer = torch.optim.SGD([values], lr=0.5)
    for _ in range(20):
        optimizer.zero_grad()
        (0.5 * (matmul(A, x, values) - wanted) ** 2).sum().backward()
        optimizer.step()
    np.testing.assert_allclose(values.detach().cpu(), csr.data, atol=1e-4)


def test_entries_in_any_order_are_summed(device):
    entries = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 4.0], (2, 2), dtype=torch.float64).to(device)
    A = tilespmv.matrix(entries, device)
    assert A.nnz == 2 and (A @ torch.tensor([1.0, 10.0], dtype=torch.float64, device=device)).tolist() == [30.0, 4.0]
