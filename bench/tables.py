#!/usr/bin/env python3
"""Prints tables of README.md and RESULTS.md from files of `tilespmv bench --json`.

    bench/tables.py TABLE [LABEL=]FILE... [--results FOLDER]...
    bench/tables.py update DOCUMENT... [--results FOLDER]...

Of `auto` (several files; a label names the matrices of one):

    readme                the small table: auto over the fastest form of cuSPARSE, by modes and nonzeros, blocks, transposes;
                          preparation and python in a sentence each
    auto                  the same with all modes, losses and matrices
    choices               auto over the fastest operator measured, and what it takes
    operators             every operator over the fastest form of cuSPARSE
    columns               blocks and transposes by layout, columns and operator
    preparation           of auto by classes of matrices and of all operators, from CSR on the GPU (`bench --from-gpu`)
    python                products of Python over those of CuPy and torch: the file of python_products.py, and one of
                          `bench` from the same run, which names processor and revision
    assembly              assembly and new values on a GPU: the file of assembly_benchmark

Of one file, but for the last:

    classes               tile and tile-warp over csr-merge and over the public TileSpMV code
    real                  the same over csr-merge on real matrices
    threads               csr-vector by threads a row
    formats               tiles in a single format and by the published rules
    vectors               operators of the CPU over csr-omp by least times, a file for each `--vectors SET`

`update` writes what documents have between the lines `<!-- tables.py TABLE FILE... -->` and `<!-- end -->` anew. Speeds
are GFLOP/s of medians. Needs nothing but Python.
"""
import argparse
import contextlib
import io
import math
import pathlib
import re
import shlex
import sys

from auto_tables import TABLES
from bench_results import Matrix, load, mean, number, print_table, read

SELECTORS = ["paper-csr", "paper-adaptive", "paper-deferred"]
# GFLOP/s of the public TileSpMV code, made to do the whole product, on the same kind of GPU at another time.
PUBLIC_CODE = {"laplace2d:n=2048": 68, "laplace3d:n=160": 93, "stencil27:n=128": 114, "fem:n=64,dof=3": 287,
               "fem:n=40,dof=6": 501, "banded:n=400000,half=25": 572,
               "block-dense:n=400000,block=16,blocks_per_row=8": 890, "rmat:scale=20,degree=16": 19,
               "uniform:n=2000000,per_row=8": 20, "dense:rows=4096,cols=4096": 831, "laplace2d:n=256": 47}


def used_selectors(matrices):
    used = {selector for m in matrices.values() for _, selector in m.results}
    return [s for s in SELECTORS if s in used]


def classes(matrices):
    selectors = used_selectors(matrices)
    ratios = {name: [m.speed("tile", *selectors) / m.speed("csr-merge")] +
              [m.speed(operator, *selectors) / PUBLIC_CODE[name] for operator in ("tile", "tile-warp")]
              for name, m in matrices.items()}
    rows = [[name, str(PUBLIC_CODE[name]), number(m.speed("csr-merge"))] +
            [number(m.speed(operator, s)) for operator in ("tile", "tile-warp") for s in selectors] +
            [f"{r:.2f}" for r in ratios[name]] for name, m in matrices.items()]
    columns = list(zip(*ratios.values()))
    rows.append(["geometric mean"] + [""] * (2 + 2 * len(selectors)) + [f"{mean(c):.2f}" for c in columns])
    rows.append(["least"] + [""] * (2 + 2 * len(selectors)) + [f"{min(c):.2f}" for c in columns])
    print_table(["matrix", "public code", "`csr-merge`"] +
                [f"`{operator}`, `{s}`" for operator in ("tile", "tile-warp") for s in selectors] +
                ["`tile` over `csr-merge`", "`tile` over the public code", "`tile-warp` over the public code"], rows)


def real(matrices):
    selectors = used_selectors(matrices)
    columns = {"`tile`": lambda m: m.speed("tile", *selectors),
               "`tile`, `paper-deferred`": lambda m: m.speed("tile", "paper-deferred"),
               "`tile-warp`": lambda m: m.speed("tile-warp", *selectors)}
    chosen = {"all": lambda m: True, "up to 100,000 nonzeros": lambda m: m.nnz <= 100000,
              "more than 100,000 nonzeros": lambda m: m.nnz > 100000,
              "more than 3/4 of the nonzeros deferred": lambda m: m.deferred() > 0.75,
              "at most 3/4 of them": lambda m: m.deferred() <= 0.75}
    summary = []
    for what, belongs in chosen.items():
        some = {name: m for name, m in matrices.items() if belongs(m)}
        row = [what, str(len(some))]
        for speed in columns.values():
            ratios = {name: speed(m) / m.speed("csr-merge") for name, m in some.items()}
            least, most = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
            wins = sum(r > 1 for r in ratios.values())
            row.append(f"{mean(ratios.values()):.2f} ({ratios[least]:.2f} {least}; {ratios[most]:.2f} {most}; {wins})")
        summary.append(row)
    print_table(["matrices", "number"] + list(columns), summary)


def threads(matrices):
    counts = [2, 4, 8, 16, 32]
    rows, near = [], 0
    for name, m in matrices.items():
        speeds = [m.speed(f"csr-vector:threads={count}") for count in counts]
        over = m.speed("csr-vector") / max(speeds)
        near += over >= 0.95
        rows.append([name, f"{m.nnz / m.rows:.1f}", f"{m.row_variation:.2f}"] + [number(s) for s in speeds] +
                    [number(m.speed("csr-vector")), f"{over:.2f}"])
    print(f"The choice is within 5% of the best on {near} of {len(rows)}.\n")
    print_table(["matrix", "nonzeros a row", "variation of the row length", *map(str, counts), "own choice",
                 "over the best of 2 to 32"], rows)


def formats(matrices):
    single = ["dense", "coo", "csr", "ell", "hyb", "dense_row", "dense_col"]
    rows = []
    for name, m in matrices.items():
        speeds = {f: m.speed("tile", f"only:{f}") for f in single}
        best = max(speeds, key=speeds.get)
        adaptive, csr = m.speed("tile", "paper-adaptive"), m.speed("tile", "paper-csr")
        rows.append([name] + [number(v) for v in speeds.values()] +
                    [number(csr), number(adaptive), f"{adaptive / csr:.2f}", f"{adaptive / speeds[best]:.2f} ({best})"])
    print_table(["matrix"] + single + ["paper-csr", "paper-adaptive", "adaptive over paper-csr",
                                       "adaptive over the best single format"], rows)


def vectors(contents):
    operators = ["strip-omp", "tile-omp", "auto"]
    runs, header, over = [one_vector(content) for content in contents], ["matrix"], []
    for content in contents:
        machine, threads = content["machine"], sorted({result["case"]["threads"] for result in content["results"]})
        print(f'{machine["cpu"]}, {machine["vectors"]}, {" and ".join(map(str, threads))} threads, '
              f'revision {content["build"]["revision"]}')
        header += [f'{machine["vectors"]}: csr-omp ms', *operators, "auto takes"]
        over += [None, *([] for _ in operators), None]

    def least(m, operator):
        return min((min(r["warm"]["seconds"]) for (o, _), r in m.results.items() if o == operator), default=math.nan)

    rows = []
    for name in dict.fromkeys(name for run in runs for name in run):
        row = []
        for m in (run.get(name, Matrix()) for run in runs):
            base = least(m, "csr-omp")
            row.append("-" if math.isnan(base) else f"{1e3 * base:.3g}")
            for ratio in (base / least(m, operator) for operator in operators):
                row.append("-" if math.isnan(ratio) else f"{ratio:.2f}")
                over[len(row) - 1] += [] if math.isnan(ratio) else [ratio]
            row.append(next((r.get("runs", "") for r in m.of("auto")), "") or "-")
        rows.append([name] + row)
    print()
    print_table(header, rows + [["mean (least)"] + [f"{mean(r):.2f} ({min(r):.2f})" if r else "" for r in over]])


def one_vector(content):
    return next((matrices for (vectors, _), matrices in read(content).items() if not vectors), {})


ONE_VECTOR = {f.__name__: f for f in (classes, real, threads, formats)}
NAMES = [*TABLES, *ONE_VECTOR, "vectors"]


def of_runs(name, runs):
    """Prints the table of this name; runs are pairs of a label and the content of a file."""
    if name in TABLES:
        return TABLES[name](runs)
    if name == "vectors":
        return vectors([content for _, content in runs])
    if len(runs) != 1:
        sys.exit(f"tables.py: the table {name} is of one file")
    ONE_VECTOR[name](one_vector(runs[0][1]))


def find(name, folders):
    """The file of this name in the first folder that has it."""
    found = [path for folder in folders or ["."] if (path := pathlib.Path(folder, name)).exists()]
    if not found:
        sys.exit(f"tables.py: {name}: no such file in {', '.join(folders or ['.'])}; name its folder by --results")
    return found[0]


def runs_of(arguments, folders):
    """[LABEL=]FILE: the label is the name of the file unless it is given."""
    runs = []
    for argument in arguments:
        label, _, file = argument.rpartition("=") if pathlib.Path(argument).suffix == ".json" else ("", "", argument)
        runs.append((label or pathlib.Path(file).stem, load(find(file, folders))))
    return runs


def update(document, folders):
    """Writes what stands between `<!-- tables.py TABLE [LABEL=]FILE... -->` and `<!-- end -->` anew."""
    def written(match):
        table, *files = shlex.split(match[2])
        if table not in NAMES:
            sys.exit(f"tables.py: {document}: there is no table `{table}`; take one of {', '.join(NAMES)}")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            of_runs(table, runs_of(files, folders))
        return f"{match[1]}\n{printed.getvalue().strip()}\n{match[3]}"
    path = pathlib.Path(document)
    text = re.sub(r"^(<!-- tables\.py (.*?) -->)\n.*?^(<!-- end -->)$", written, path.read_text(), flags=re.DOTALL | re.MULTILINE)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=[*NAMES, "update"], metavar="TABLE", help="one of the above, or update")
    parser.add_argument("files", nargs="+", help="results of `tilespmv bench --json`; documents for update")
    parser.add_argument("--results", action="append", metavar="FOLDER", help="where files of results are (may be repeated)")
    arguments = parser.parse_args()
    if arguments.table != "update":
        return of_runs(arguments.table, runs_of(arguments.files, arguments.results))
    for document in arguments.files:
        update(document, arguments.results)


if __name__ == "__main__":
    main()
