"""Tables of measurements, from results whose times are known."""

import json
import pathlib
import subprocess
import sys

import pytest

TABLES = pathlib.Path(__file__).parents[2] / "bench/tables.py"
MACHINE = {"cpu": "Intel(R) Xeon(R) Processor", "cores": 32, "gpu": {"name": "NVIDIA H200", "runtime": 13000}}


def result(matrix, operator, us, nnz=1000, values="float64", vectors="", prepared_us=0, runs="", **modes):
    case = {"matrix": f"some/{matrix}.mtx.xz", "operator": operator, "selector": "", "values": values}
    derived = {"median_s": us * 1e-6, "preprocess_median_s": prepared_us * 1e-6} | {f"{mode}_median_s": t * 1e-6 for mode, t in modes.items()}
    found = {"case": case | ({"vectors": vectors} if vectors else {}), "status": "ok", "nnz": nnz, "derived": derived}
    return found | {"preprocess_products": prepared_us / us} | ({"runs": runs} if runs else {})


def tables(folder, *arguments, code=0, **files):
    """What tables.py prints for these files, which are lists of results."""
    for name, results in files.items():
        content = {"machine": MACHINE, "build": {"revision": "0123456789ab"}, "results": results} if isinstance(results, list) else results
        (folder / f"{name}.json").write_text(json.dumps(content))
    done = subprocess.run([sys.executable, TABLES, *arguments, "--results", folder], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def row(text, first):
    """The cells of the line of a table that begins with this one."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


SMALL = [
    result("a", "auto", 2, runs="sell", graph=4),
    result("a", "cusparse-csr:alg=1", 6, graph=5),
    result("a", "cusparse-csr:alg=2", 4, graph=6),
    result("a", "sell", 2.5),
    result("a", "ell", 1.25),
]
LARGE = [
    result("b", "auto", 10, nnz=2000000, runs="dia", graph=10),
    result("b", "cusparse-csr:alg=1", 5, nnz=2000000, graph=80),
    result("b", "dia", 10, nnz=2000000),
    result("b", "ell", 20, nnz=2000000),
    result("b", "csr-merge", 1, nnz=2000000) | {"status": "wrong"},
]


def test_assembly_over_a_sort_and_new_values_over_a_copy(tmp_path):
    def update(matrix, operator, us, peak):
        return {"matrix": matrix, "operator": operator, "update_s": us * 1e-6, "copy_s": 2e-6, "peak": peak}
    content = {"machine": MACHINE, "build": {"revision": "0123456789ab"},
               "assembly": {"entries": 50000000, "nnz": 40000000, "pattern_s": 0.012, "sort_s": 0.01, "sum_s": 0.0006,
                            "copy_s": 0.0004, "peak_bytes": 1200000000, "bytes": 600000000},
               "new_values": [update("a", "sell", 2, 1.1), update("b", "sell", 8, 1.3), update("a", "dia", 3, 1)]}
    text = " ".join(tables(tmp_path, "assembly", "x.json", x=content).split())
    assert "takes 12.0 ms, 1.20 of CUB's radix sort of its keys and values, with 24 bytes an entry" in text
    assert "again in 0.60 ms, 1.50 of a copy of them." in text
    assert "| `sell` | 2 | 2.00 (4.00, `b`) | 1.30 |" in text
    assert "| `dia` | 1 | 1.50 (1.50, `a`) | 1.00 |" in text


def test_speed_up_by_modes_and_nonzeros(tmp_path):
    text = tables(tmp_path, "auto", "x.json", x=SMALL + LARGE)
    assert "one NVIDIA H200, 32 cores of an Intel Xeon, CUDA 13.0, revision `01234567`:" in text
    assert row(text, "float64, back to back") == ["2", "2.00 (2.00, `a`)", "0.50 (0.50, `b`)", "-", "1.00", "1 of 2"]
    assert row(text, "float64, in a graph") == ["2", "1.25 (1.25, `a`)", "8.00 (8.00, `b`)", "-", "3.16", "0 of 2"]
    assert "in a chain |" not in text.split("\n\n")[1]
    assert "Slower than cuSPARSE: `b` 0.50 (float64, back to back)." in text
    assert row(text, "b")[:7] == ["2.00M", "csr:alg=1, 800", "dia", "400", "0.50", "8.00", "-"]


def test_of_two_files_counts_the_one_with_more_forms_of_cusparse(tmp_path):
    more = [result("a", "auto", 2), *(result("a", f"cusparse-bsr:block={b}", 3) for b in (2, 4, 8))]
    for order in (["x.json", "y.json"], ["y.json", "x.json"]):
        text = tables(tmp_path, "auto", *order, x=SMALL, y=more)
        assert row(text, "float64, back to back")[1] == "1.50 (1.50, `a`)"
        assert row(text, "float64, in a graph")[1] == "1.25 (1.25, `a`)"


def test_the_small_table_names_another_revision(tmp_path):
    blocks = [result("a", "auto:columns=8", 2, vectors="8 columns by rows"), result("a", "cusparse-spmm:alg=1", 5, vectors="8 columns by rows")]
    older = {"machine": MACHINE, "build": {"revision": "ba98765432-dirty"}}
    older["results"] = [result("a", "auto", 1, vectors="transposed"), result("a", "cusparse-csr", 4, vectors="transposed")]
    text = tables(tmp_path, "readme", "x.json", "y.json", "z.json", x=SMALL, y=blocks, z=older)
    assert row(text, "float64, 8 columns by rows") == ["2.50 (2.50)", "-", "-", "2.50 (2.50)", "0 of 1"]
    assert text.count("| float64, ") == 4  # back to back, in a graph, and these two
    assert row(text, "float64, transposed, revision `ba987654` with changes")[0] == "4.00 (4.00)"


def test_choices_and_operators(tmp_path):
    text = tables(tmp_path, "choices", "Two of them=x.json", x=SMALL + LARGE)
    expected = ["float64", "2", "1.265", "1.60", "`a`", "1", "1.25", "1", "sell 1, dia 1"]
    assert row(text, "Two of them") == expected
    text = tables(tmp_path, "operators", "x.json")
    assert row(text, "`ell`") == ["2", "3.20", "0.25", "-", "0.89 (0.25, `b`)", "1", "1"]
    assert row(text, "`dia`") == ["1", "-", "0.50", "-", "0.50 (0.50, `b`)", "0", "1"]
    assert "csr-merge" not in text


def test_columns_by_layout_and_operator(tmp_path):
    def product(matrix, ours, theirs, runs, vectors="8 columns by rows"):
        return [result(matrix, "auto:columns=8", ours, vectors=vectors, runs=runs), result(matrix, "cusparse-spmm:alg=1", theirs, vectors=vectors)]

    results = product("a", 1, 4, "csr-spmm") + product("b", 2, 1, "sell-spmm") + product("a", 1, 3, "csr-spmm", "32 columns by rows")
    text = tables(tmp_path, "columns", "x.json", x=results + SMALL)
    lines = [line for line in text.splitlines() if line.startswith("| float64")]
    assert lines[0] == "| float64, 8 columns by rows | all | 2 | 1.41 | - | 1.41 (0.50, `b`) | 1 of 2 |"
    assert lines[2] == "| float64, 8 columns by rows | sell-spmm | 1 | 0.50 | - | 0.50 (0.50, `b`) | 1 of 1 |"
    assert lines[3].startswith("| float64, 32 columns by rows | all | 1 | 3.00") and len(lines) == 5
    assert "Slower than cuSPARSE: `b` 0.50 (float64, 8 columns by rows)." in text


def test_after_how_many_products_preparation_pays(tmp_path):
    def prepared(matrix, operator, us, preparation, nnz=200000, runs=""):
        return result(matrix, operator, us, nnz, vectors="CSR on the GPU", prepared_us=preparation, runs=runs)

    results = [
        prepared("a", "auto", 2, 100, runs="sell"),
        prepared("a", "cusparse-csr:alg=1", 4, 20),  # 80 us more, 2 us less a product: 40 products
        prepared("a", "cusparse-csr:alg=2", 3, 40),  # 60 products
        prepared("a", "csr-merge", 3.5, 10),  # never against the second
        prepared("a", "sell", 2, 30),  # choosing it takes the other 70
        prepared("b", "auto", 2, 10, nnz=50000, runs="ell"),
        prepared("b", "cusparse-csr:alg=1", 4, 20, nnz=50000),
        prepared("c", "auto", 5, 50, nnz=2000000, runs="ell"),
        prepared("c", "cusparse-csr:alg=1", 4, 20, nnz=2000000),
    ]
    text = tables(tmp_path, "preparation", "x.json", x=results)
    assert row(text, "100,000 to 1M") == ["1", "100 (100 to 100)", "70 (70 to 70)", "20 (20 to 20)", "50 (50 to 50)", "60 (60 to 60)", "0"]
    assert row(text, "fewer than 100,000 nonzeros")[5:] == ["0 (0 to 0)", "0"]
    assert row(text, "`auto` takes `ell`")[0] == "2" and row(text, "`auto` takes `ell`")[5:] == ["0 (0 to 0)", "1"]
    assert row(text, "`csr-merge`")[1:] == ["10 (10 to 10)", "2.9", "2", "3, `a`", "-", "1"]
    sentence = " ".join(tables(tmp_path, "readme", "y.json", "x.json", y=SMALL).split())
    assert "takes `auto` 55 (10 to 100) us below 1M nonzeros, 28 (5 to 50) products of cuSPARSE's CSR where 10" in sentence
    assert "after 30 (0 to 60), by nonzeros (to 0.1M, 1M, 6M, more) 0, 60, inf, -." in sentence


PYTHON = {
    "least_nnz": 100,
    "host_seconds": {"CPU: A @ x": 1e-6, "A @ x, CuPy arrays": 1.2e-5, "CuPy's A @ x": 6.5e-5},
    "products": [
        {"matrix": name, "dtype": "float64", "columns": 1, "nnz": nnz, "seconds": {"cuda": 1, "cupy": cupy, "torch": 2, "scipy": 9}}
        for name, nnz, cupy in [("a", 100, 4), ("b", 200, 9), ("too small", 99, 1)]
    ],
}


def test_products_of_python(tmp_path):
    text = tables(tmp_path, "python", "p.json", "x.json", p=PYTHON, x=SMALL)
    assert row(text, "float64, one column") == ["6.00 (4.00, `a`)", "2.00 (2.00, `a`)"]
    assert row(text, "A @ x, CuPy arrays") == ["12.0"] and "CPU" not in text and "on 2 real matrices" in text
    sentence = " ".join(tables(tmp_path, "readme", "x.json", "p.json").split())
    assert "for 12 us (CuPy's 65) and is 6.00 (4.00) times as fast as CuPy's, 2.00 (2.00) as torch's" in sentence


def test_update_writes_what_stands_between_its_lines(tmp_path):
    document = tmp_path / "A.md"
    begin = '<!-- tables.py choices\n  "Two of them=x.json" -->'
    document.write_text(f"Before `<!-- tables.py ... -->`.\n\n{begin}\nold\n<!-- end -->\nBetween.\n{begin}\n<!-- end -->\nAfter.\n")
    table = tables(tmp_path, "choices", "Two of them=x.json", x=SMALL + LARGE).strip()
    for _ in range(2):
        tables(tmp_path, "update", document)
        block = f"{begin}\n{table}\n<!-- end -->"
        assert document.read_text() == f"Before `<!-- tables.py ... -->`.\n\n{block}\nBetween.\n{block}\nAfter.\n"


@pytest.mark.parametrize("line, message", [("auto none.json", "none.json: no such file in"), ("nothing x.json", "there is no table `nothing`")])
def test_an_error_of_update_changes_nothing(tmp_path, line, message):
    document = tmp_path / "A.md"
    document.write_text(text := f"<!-- tables.py {line} -->\nold\n<!-- end -->\n")
    assert message in tables(tmp_path, "update", document, code=1, x=SMALL)
    assert document.read_text() == text
