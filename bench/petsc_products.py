#!/usr/bin/env python3
"""Products of PETSc by AIJ and by the matrix type, in turns, over generated classes: a table.

    bench/petsc_products.py build/tools/petsc/libtilespmv_petsc.so [--ranks 2] [--rounds 101] [--classes banded random]

It compiles petsc_products.c by mpicc. In every round each of the two makes one product; the table has the time of AIJ and
the ratio of the two, once of the medians of pairs, once of the fastest. Every process has one core. On a machine that
others use, too, the fastest say more, and so do times of a core (--of-core) without those in which others had it.
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

CLASSES = {"banded": 300000, "5-point": 300000, "fem-3dof": 81000, "random": 300000, "power-law": 300000}


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = re.search(r"flags\s*: (.*)", text).group(1).split()
    vectors = next((name for name in ("avx512f", "avx2", "sse4_2") if name in flags), "no vectors")
    return re.search(r"model name\s*: (.*)", text).group(1), vectors


def build(plugin, folder):
    module = "PETSc64" if "petsc64" in plugin.name else "PETSc"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", module], capture_output=True, text=True, check=True).stdout
    here = pathlib.Path(__file__).resolve().parent
    program = folder + "/petsc_products"
    link = ["-I", str(here.parent / "tools/petsc"), str(plugin), f"-Wl,-rpath,{plugin.parent}"]
    subprocess.run(["mpicc", "-O2", str(here / "petsc_products.c"), "-o", program, *link, *shlex.split(flags), "-lm"], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--scale", type=float, default=1, help="of the numbers of rows")
    parser.add_argument("--operator", default="auto")
    parser.add_argument("--of-core", action="store_true", help="times that a process has of its core")
    options = parser.parse_args()
    name, vectors = processor()
    print(f"{name}, {vectors}, {options.ranks} processes with a core each, operator {options.operator}"
          f"{', times of a core' if options.of_core else ''}\n")
    print("| class | nonzeros | AIJ, ms | ratio | of the fastest | transpose: AIJ, ms | ratio | of the fastest |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with tempfile.TemporaryDirectory() as folder:
        program = build(options.plugin, folder)
        for kind in options.classes:
            cells = []
            for transpose in (0, 1):
                command = ["mpiexec", "--bind-to", "core", "-n", str(options.ranks), program, "-class", kind,
                           "-rows", str(int(CLASSES[kind] * options.scale) // 3 * 3), "-rounds", str(options.rounds),
                           "-transpose", str(transpose), "-of_core", str(int(options.of_core)), "-mat_tilespmv_operator", options.operator]
                output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
                result = json.loads(output)
                of_aij, ours = zip(*result["seconds"])
                ratio = statistics.median(a / b for a, b in result["seconds"])
                cells += [f"{1e3 * min(of_aij):.3f}", f"{ratio:.2f}", f"{min(of_aij) / min(ours):.2f}"]
            print(f"| {kind} | {result['nonzeros']:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
