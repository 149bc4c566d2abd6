#!/usr/bin/env python3
"""Prints operators of the CPU over csr-omp, side by side for the instruction sets that results are of.

    for vectors in avx512 avx2; do
      tilespmv --vectors $vectors bench --suite cpu-classes --device cpu --mode warm --json $vectors.json \\
        --operator csr-omp --operator strip-omp --operator tile-omp --operator auto
    done
    bench/cpu_vectors.py avx512.json avx2.json

Speed-ups are by the least times, since other programs may run. Needs nothing but Python.
"""
import argparse
import json
import math

OPERATORS = ["strip-omp", "tile-omp", "auto"]
BASELINE = "csr-omp"


def least_times(file):
    """(what ran, {matrix: {operator: result}}), of right results."""
    content = json.load(open(file))
    machine, build = content["machine"], content["build"]
    results, threads = {}, set()
    for result in content["results"]:
        if result["status"] == "ok":
            results.setdefault(result["case"]["matrix"], {})[result["case"]["operator"]] = result
            threads.add(result["case"]["threads"])
    threads = " and ".join(map(str, sorted(threads)))
    return f'{machine["cpu"]}, {machine["vectors"]}, {threads} threads, revision {build["revision"]}', \
        machine["vectors"], {m: r for m, r in results.items() if BASELINE in r}


def speed_up(results, operator):
    if operator not in results:
        return None
    return min(results[BASELINE]["warm"]["seconds"]) / min(results[operator]["warm"]["seconds"])


def cell(value):
    return "-" if value is None else f"{value:.2f}"


def row_of(name, runs, matrix):
    cells = [name]
    for results in runs:
        result = results.get(matrix)
        if result is None:
            cells += ["-"] * (2 + len(OPERATORS))
            continue
        cells.append(f'{1e3 * min(result[BASELINE]["warm"]["seconds"]):.3g}')
        cells += [cell(speed_up(result, operator)) for operator in OPERATORS]
        cells.append(result.get("auto", {}).get("runs", "") or "-")
    return cells


def summary(runs):
    """The geometric mean and the least of each column."""
    cells = ["mean (least)"]
    for results in runs:
        cells.append("")
        for operator in OPERATORS:
            known = [s for s in (speed_up(r, operator) for r in results.values()) if s is not None]
            mean = math.exp(sum(map(math.log, known)) / len(known)) if known else math.nan
            cells.append(f"{mean:.2f} ({min(known, default=math.nan):.2f})")
        cells.append("")
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+", help="files of `tilespmv bench --json`, one for each instruction set")
    read = [least_times(file) for file in parser.parse_args().results]
    print("\n".join(what for what, _, _ in read), end="\n\n")
    runs = [results for _, _, results in read]
    header = ["matrix"]
    for _, vectors, _ in read:
        header += [f"{vectors}: {BASELINE} ms", *OPERATORS, "auto takes"]
    print("| " + " | ".join(header) + " |")
    print("|---" + "|---:" * (len(header) - 1) + "|")
    for matrix in dict.fromkeys(m for results in runs for m in results):
        name = matrix.removeprefix("gen:").rsplit("/", 1)[-1].removesuffix(".mtx.xz")
        print("| " + " | ".join(row_of(name, runs, matrix)) + " |")
    print("| " + " | ".join(summary(runs)) + " |")


if __name__ == "__main__":
    main()
