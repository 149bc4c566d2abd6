#!/usr/bin/env python3
"""Products of PETSc by AIJ and by the matrix type, in turns, over generated classes: a table.

    bench/petsc_products.py build/tools/petsc/libtilespmv_petsc.so [--ranks 2] [--rounds 101] [--classes banded random]

It compiles petsc_products.c by mpicc. In every round each of the two makes one product, all processes at once; a process
has one core. The table has the time of AIJ, of its fastest round, and AIJ's time over that of the matrix type: of the
fastest rounds of both, and the median over rounds. On a machine that others use, too, run it with a high priority
(nice -n -20): the fastest rounds are then those that nobody disturbed.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile

CLASSES = {"banded": 300000, "5-point": 300000, "fem-3dof": 81000, "random": 300000, "power-law": 300000}  # rows


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name, flags = (re.search(rf"{key}\s*: (.*)", text).group(1) for key in ("model name", "flags"))
    return name + ", " + next((vectors for vectors in ("avx512f", "avx2", "sse4_2") if vectors in flags), "no vectors")


def build(plugin, folder):
    module = "PETSc64" if "petsc64" in plugin.name else "PETSc"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", module], capture_output=True, text=True, check=True).stdout
    here = pathlib.Path(__file__).resolve().parent
    program = folder + "/petsc_products"
    link = ["-I", str(here.parent / "tools/petsc"), str(plugin), f"-Wl,-rpath,{plugin.parent}"]
    subprocess.run(["mpicc", "-O2", str(here / "petsc_products.c"), "-o", program, *link, *shlex.split(flags), "-lm"], check=True)
    return program


def measure(program, kind, transpose, options):
    """What the program prints: the seconds of both in every round."""
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    rows = int(CLASSES[kind] * options.scale) // 3 * 3
    command = ["mpiexec", "--bind-to", "core", "-n", str(options.ranks), program, "-class", kind, "-rows", str(rows),
               "-rounds", str(options.rounds), "-transpose", str(transpose), "-mat_tilespmv_operator", options.operator]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def cells(result):
    """Of the table: AIJ's least milliseconds, its time over ours of the fastest and as the median over rounds."""
    of_aij, ours = map(min, zip(*result["seconds"]))
    median = statistics.median(a / b for a, b in result["seconds"])
    return f"{1e3 * of_aij:.3f} | {of_aij / ours:.2f} | {median:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--scale", type=float, default=1, help="of the numbers of rows")
    parser.add_argument("--operator", default="auto")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the times of all rounds")
    options = parser.parse_args()
    print(f"{processor()}, {options.ranks} processes with a core each, operator {options.operator}\n")
    print("| class | nonzeros | `MatMult`: AIJ, ms | fastest | median | `MatMultTranspose`: AIJ, ms | fastest | median |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    results = {"processor": processor(), "ranks": options.ranks, "operator": options.operator, "products": []}
    with tempfile.TemporaryDirectory() as folder:
        program = build(options.plugin, folder)
        for kind in options.classes:
            both = [measure(program, kind, transpose, options) for transpose in (0, 1)]
            results["products"].append({"MatMult": both[0], "MatMultTranspose": both[1]})
            print(f"| {kind} | {both[0]['nonzeros']:,} | " + " | ".join(map(cells, both)) + " |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results))


if __name__ == "__main__":
    main()
