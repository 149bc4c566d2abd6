"""SciPy's own tests with matrices of ours in the place of theirs; `in_place_of_scipy` says which matrices are left out."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

# Modules of scipy.sparse.linalg, the types of values of which matrices are replaced, and how many at least. Those of svds,
# onenormest and expm_multiply pass, too, but for what takes no LinearOperator (propack) or multiplies vectors of long double;
# they are left out for their time.
SUITES = {
    "interface": (["tests.test_interface"], "float64", 4),
    "iterative solvers": (["_isolve"], "float64", 4000),
    "eigenvalues": (["_eigen.arpack", "_eigen.lobpcg"], "float64,float32", 700),
}


@pytest.mark.parametrize("name", SUITES)
def test_suite(name):
    modules, types, least = SUITES[name]
    for needed in ["scipy.sparse.linalg._isolve.tests", "scipy.conftest"]:
        pytest.importorskip(needed, reason="SciPy comes without its tests, or these need more than is here", exc_type=ImportError)
    here = str(pathlib.Path(__file__).parent)
    paths = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "in_place_of_scipy", "--pyargs"]
    done = subprocess.run(
        command + [f"scipy.sparse.linalg.{m}" for m in modules],
        env=os.environ | {"PYTHONPATH": paths, "TILESPMV_TEST_TYPES": types, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert int(re.search(r"replaced (\d+) matrices", done.stdout)[1]) >= least
