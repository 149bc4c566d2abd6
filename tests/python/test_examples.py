"""The scripts that a person starts from."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

import tilespmv

FOLDER = pathlib.Path(__file__).parents[2] / "tools/python/examples"


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_example_of_a_library_in_the_readme(library):
    pytest.importorskip(library)
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER.parent / "README.md").read_text(), re.DOTALL)
    (example,) = [block for block in blocks if block.startswith(f"import {library}\n")]
    if library == "jax" and not hasattr(tilespmv._core, "jax_handler"):
        pytest.skip("built without the headers of jaxlib")
    names = {"tilespmv": tilespmv}
    exec(example, names)
    if library == "torch":
        assert names["x"].grad is not None and names["values"].grad.shape == (names["A"].nnz,)
        return
    assert abs(names["A"] @ names["x"] - 1).max() < 1e-2
    assert abs(names["gradient"] - 1).max() < 1e-2


def run(script, *arguments):
    done = subprocess.run([sys.executable, FOLDER / script, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_page_rank():
    assert "page " in run("page_rank.py", "gen:web:n=3000")


def test_page_rank_is_that_of_a_dense_matrix():
    import numpy as np
    import scipy.sparse as sp

    sys.path.insert(0, str(FOLDER))
    from page_rank import page_rank

    a = sp.random_array((60, 60), density=0.05, format="csr", rng=np.random.default_rng(3))
    links = (a.toarray() != 0).astype(float)
    counts = links.sum(1)
    step = np.where(counts[:, None] > 0, links / np.maximum(counts, 1)[:, None], 1 / 60)
    expected = np.full(60, 1 / 60)
    for _ in range(300):
        expected = 0.15 / 60 + 0.85 * step.T @ expected
    np.testing.assert_allclose(page_rank(tilespmv.matrix(a, device="cpu"))[0], expected, atol=1e-9)


def test_finite_elements(tmp_path):
    pytest.importorskip("matplotlib")
    assert run("finite_elements.py", "gen:elasticity:n=4", tmp_path / "a.png").count("converged in") == 3
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_compare(tmp_path):
    pytest.importorskip("matplotlib")
    tilespmv.matrix("gen:laplace2d:n=20", device="cpu").save(tmp_path / "grid.tsp")
    shown = run("compare.py", "gen:laplace2d:n=30", tmp_path / "grid.tsp", "--plot", tmp_path / "b.png").splitlines()
    assert shown[0].split()[:4] == ["matrix", "library", "us", "GFLOP/s"]
    assert [line.split()[0] for line in shown if " tilespmv " in line][-2:] == ["gen:laplace2d:n=30", "grid"]
    assert (tmp_path / "b.png").stat().st_size > 5000


def test_benchmark_of_products(tmp_path):
    script = FOLDER.parents[2] / "bench/python_products.py"
    command = [sys.executable, script, "--seconds", "0.001", "--least-nnz", "1000", "--device", "cpu", "--json", tmp_path / "a.json"]
    done = subprocess.run(command + ["gen:laplace2d:n=30", "no such file"], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    results = json.loads((tmp_path / "a.json").read_text())
    assert list(results["failed"]) == ["no such file, reading"]
    assert [(row["dtype"], row["columns"]) for row in results["products"]] == [(d, c) for d in ("float64", "float32") for c in (1, 8)]
    assert all(min(row["seconds"].values()) > 0 and set(row["seconds"]) == {"scipy", "cpu, 1 core"} for row in results["products"])
    assert done.stdout.count("beside scipy") == 4 and "FAILED no such file" in done.stdout
    shown = subprocess.run([sys.executable, script, "--show", tmp_path / "a.json"], capture_output=True, text=True)
    assert shown.stdout == done.stdout
    done = subprocess.run(command + ["--budget", "0", "gen:laplace2d:n=30"], capture_output=True, text=True)
    assert done.returncode == 0 and "left out for want of time: gen:laplace2d:n=30" in done.stdout
