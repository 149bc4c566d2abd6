#!/usr/bin/env python3
"""Fits the costs by which `auto` chooses (choice.cpp of their folders) to results of a benchmark.

    tilespmv bench *.mtx gen:... --operator sell --operator csr-merge ... --device cuda --json results.json
    bench/fit_auto.py results.json --tilespmv build/tools/tilespmv

A time is the sum of the terms that `tilespmv explain --json -` gives for a matrix and an operator, each times a cost of
that operator. Costs are not negative, and the relative errors have the least squares. Every other matrix, in
alphabetical order, is held out; what is said of those that were not is what to expect of others. Prints the lines of
the table. An operator whose times are predicted less well is charged for that: its costs are those that fit, times
the root of e to the power of the standard deviation of the logarithm of measured over predicted times. Operators on
tiles, whose results have a selector, are left out, but for tile-omp. Needs nothing but Python.

    tilespmv bench ... --device cpu --mode warm --json fitted.json
    bench/fit_auto.py fitted.json --held-out others.json --device cpu --values float32 --up-to 8e6 33e6 --least
"""
import argparse
import collections
import json
import math
import subprocess

VALUE_BYTES = {"float64": 8, "float32": 4}
TERMS = ["launch", "memory", "nonzeros", "x_sectors", "rows", "chain"]


def non_negative_least_squares(rows, values, least):
    """The x >= least with the least sum of (row * x - value)^2, by one unknown after the other."""
    size = len(least)
    scale = [max(abs(row[i]) for row in rows) or 1 for i in range(size)]
    rows = [[row[i] / scale[i] for i in range(size)] for row in rows]
    least = [low * s for low, s in zip(least, scale)]
    gram = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]
    right = [sum(row[i] * value for row, value in zip(rows, values)) for i in range(size)]
    x = list(least)
    for _ in range(20000):
        moved = 0
        for i in range(size):
            if gram[i][i] == 0:
                continue
            new = x[i] + (right[i] - sum(gram[i][j] * x[j] for j in range(size))) / gram[i][i]
            new = max(least[i], new)
            moved = max(moved, abs(new - x[i]) * math.sqrt(gram[i][i]))
            x[i] = new
        if moved < 1e-10:
            break
    return [value / s for value, s in zip(x, scale)]


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else math.nan


def terms_of(matrices, values, tilespmv, device):
    """({matrix: {operator: [terms]}}, in the units of Term; {matrix: its features})."""
    terms, features = {}, {}
    for matrix in matrices:
        command = [tilespmv, "--allow-large", "explain", matrix, "--values", values, "--device", device, "--json", "-"]
        explained = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        terms[matrix] = {c["operator"]: [c["terms"][t] for t in TERMS]
                         for c in explained["candidates"] if ":" not in c["operator"]}
        features[matrix] = explained["features"]
        if device == "cpu":  # a call takes next to nothing, and a constant that fits would decide on tiny matrices
            terms[matrix] = {operator: [0] + all[1:] for operator, all in terms[matrix].items()}
    return terms, features


def bytes_of_csr(features, values):
    """With x and y, on a CPU."""
    value = VALUE_BYTES.get(values, 2)
    rows, cols, nnz = features["rows"], features["cols"], features["nnz"]
    return (4 + value) * nnz + 8 * rows + value * (rows + cols)


def times_of(files, values, least):
    """{matrix: {operator: (seconds of a product, seconds of preparation)}} of the right results; on a CPU of two
    threads, as in its table."""
    times = collections.defaultdict(dict)
    for file in files:
        for result in json.load(open(file))["results"]:
            case = result["case"]
            is_of_tiles = case["selector"] and case["operator"] != "tile-omp"
            if result["status"] == "ok" and case["values"] == values and not is_of_tiles:
                derived = result["derived"]
                product, ready = derived["median_s"], derived.get("preprocess_median_s", 0)
                if least:
                    product, ready = min(result["warm"]["seconds"]), min(result["preprocess"]["seconds"])
                scale = case["threads"] / 2 if case["device"] == "cpu" else 1
                times[case["matrix"]][case["operator"]] = (scale * product, scale * ready)
    return times


def fit(operator, matrices, times, terms, launch, least_memory, least_sectors):
    """The costs of a product, by the matrices that have both."""
    known = [m for m in matrices if operator in times[m] and operator in terms[m]]
    rows = [[t / times[m][operator][0] for t in terms[m][operator]] for m in known]
    values = [1 - launch / times[m][operator][0] for m in known]
    if not known:
        return None
    costs = non_negative_least_squares(rows, values, [0, least_memory, 0, least_sectors, 0, 0])
    errors = [math.log(times[m][operator][0] / predicted(costs, terms[m][operator], launch)) for m in known]
    charge = math.exp(0.5 * math.sqrt(sum(e * e for e in errors) / len(errors)))
    return [charge * c + (launch * (charge - 1) if i == 0 else 0) for i, c in enumerate(costs)]


def fit_preparation(operator, matrices, times, terms, features):
    """In any case, of a nonzero, of a row, of a tile."""
    def amounts(f):
        tiles = f["nnz"] / f["tile_nonzeros"] if operator.startswith("tile") and f["tile_nonzeros"] else 0
        return [1, f["nnz"], f["rows"], tiles]

    known = [m for m in matrices if operator in terms[m] and times[m].get(operator, (0, 0))[1] > 0]
    rows = [[amount / times[m][operator][1] for amount in amounts(features[m])] for m in known]
    return non_negative_least_squares(rows, [1] * len(rows), [0] * 4) if rows else [0] * 4


def predicted(costs, terms, launch):
    return launch + sum(cost * term for cost, term in zip(costs, terms))


def report_choices(name, matrices, times, terms, costs, launch):
    """How near the operators that the costs choose come to the fastest of all that were measured."""
    losses = []
    for m in matrices:
        known = [o for o in costs if o in times[m] and o in terms[m]]
        if not known:
            continue
        chosen = min(known, key=lambda o: predicted(costs[o], terms[m][o], launch))
        losses.append((times[m][chosen][0] / min(t for t, _ in times[m].values()), m, chosen))
    if losses:
        mean = math.exp(sum(math.log(loss[0]) for loss in losses) / len(losses))
        print(f"// {name}: {len(losses)} choices take {mean:.3f} x the fastest in the geometric mean, at most "
              f"{max(losses)[0]:.2f} x ({max(losses)[2]} on {max(losses)[1]})")


def fit_and_report(fitted, held_out, times, terms, features, given, most_bytes):
    value_bytes = VALUE_BYTES.get(given.values, 2)
    costs = {}
    for operator in sorted({o for m in fitted for o in terms[m]}):
        found = fit(operator, fitted, times, terms, given.launch, given.least_memory, given.least_sectors)
        if found is None:
            continue
        costs[operator] = found
        ready = fit_preparation(operator, fitted, times, terms, features)
        errors = [predicted(found, terms[m][operator], given.launch) / times[m][operator][0]
                  for m in held_out if operator in times[m] and operator in terms[m]]
        print(f'{{"{operator}", {value_bytes}, {{{", ".join(f"{c:.2g}" for c in found)}}}, '
              f'{{{", ".join(f"{c:.2g}" for c in ready)}}}{"" if most_bytes == math.inf else f", 8, {most_bytes:.2g}"}}},')
        if errors:
            print(f"// held out: median error {median([abs(e - 1) for e in errors]):.2f}, predicted / measured "
                  f"{min(errors):.2f} to {max(errors):.2f}")
    report_choices("fitted", fitted, times, terms, costs, given.launch)
    report_choices("held out", held_out, times, terms, costs, given.launch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+", help="files of `tilespmv bench --json`")
    parser.add_argument("--tilespmv", default="tilespmv", help="the command")
    parser.add_argument("--values", default="float64", help="type of the values")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--launch", type=float, default=2.4e-6, help="MemoryTuning::launch_seconds (0 on a CPU)")
    parser.add_argument("--least-memory", type=float, default=0.8,
                        help="least cost of the term for memory, so that fewer bytes of a value count (0 on a CPU)")
    parser.add_argument("--least-sectors", type=float, default=4e-12,
                        help="least cost of a sector of x, which no operator gathers for nothing (0 on a CPU)")
    parser.add_argument("--held-out", nargs="+", default=[], metavar="FILE",
                        help="results that are not fitted (default: every other matrix)")
    parser.add_argument("--least", action="store_true",
                        help="take the least of the times, not their median: where other programs run")
    parser.add_argument("--up-to", type=float, nargs="+", default=[], metavar="BYTES",
                        help="matrices of up to so many bytes of CSR, x and y get costs of their own")
    given = parser.parse_args()
    if given.device == "cpu":
        given.launch = given.least_memory = given.least_sectors = 0

    times = times_of(given.results, given.values, given.least)
    fitted, held_out = sorted(times)[::2], sorted(times)[1::2]
    if given.held_out:
        others = times_of(given.held_out, given.values, given.least)
        fitted, held_out = sorted(times), sorted(set(others) - set(times))
        times.update((m, others[m]) for m in held_out)
    terms, features = terms_of(sorted(times), given.values, given.tilespmv, given.device)
    least_bytes = 0
    for most_bytes in sorted(given.up_to) + [math.inf]:
        def is_of_size(m):
            return least_bytes < bytes_of_csr(features[m], given.values) <= most_bytes
        if given.up_to:
            print(f"// up to {most_bytes:.3g} bytes")
        fit_and_report(list(filter(is_of_size, fitted)), list(filter(is_of_size, held_out)), times, terms, features,
                       given, most_bytes)
        least_bytes = most_bytes


if __name__ == "__main__":
    main()
