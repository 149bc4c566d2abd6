"""Types of the package: those of its compiled part, and what a type checker makes of a program."""

import ast
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import tilespmv

FOLDER = pathlib.Path(tilespmv._core.__file__).parent

PROGRAM = """
import numpy as np
import tilespmv

A: tilespmv.Matrix = tilespmv.matrix("gen:laplace2d:n=10", device="cpu")
shape: tuple[int, int] = A.T.shape
x, report = tilespmv.solve(A, A @ np.ones(shape[0]))
converged: bool = report.converged
names: list[str] = tilespmv.format_names()
error: type[RuntimeError] = tilespmv.Error
"""


def test_stubs_have_all_of_the_compiled_part():
    assert (FOLDER / "py.typed").exists()
    module = ast.parse((FOLDER / "_core.pyi").read_text())

    def names(body):
        found = {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
        return found | {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    assert names(module.body) - {"__version__"} == {n for n in vars(tilespmv._core) if not n.startswith("__")}
    (of_matrix,) = [node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Matrix"]
    assert names(of_matrix) == {n for n in vars(tilespmv._core.Matrix) if not n.startswith("__")}


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="there is no mypy")
@pytest.mark.parametrize("line, wrong", [("", 0), ('tilespmv.matrix("a.mtx", device="tpu")', 1), ("A.nnz.no_such", 1)])
def test_a_program(tmp_path, line, wrong):
    (tmp_path / "program.py").write_text(PROGRAM + line + "\n")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", tmp_path.parent / "mypy", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env={"MYPYPATH": str(FOLDER.parent)}, capture_output=True, text=True)
    assert done.returncode == wrong, done.stdout + done.stderr
    assert done.stdout.count(": error:") == wrong
