#!/usr/bin/env python3
"""Prints tables of RESULTS.md from a file of `tilespmv bench --json`.

    bench/tables.py classes FILE      tile and tile-warp over csr-merge and over the public TileSpMV code
    bench/tables.py real FILE         the same over csr-merge on real matrices, summarised first
    bench/tables.py threads FILE      csr-vector by threads a row
    bench/tables.py cusparse FILE     csr-vector and csr-merge over cuSPARSE
    bench/tables.py suite FILE        operators of the suite `tilespmv` over cuSPARSE's CSR, with their preparation
    bench/tables.py formats FILE      tiles in a single format and by the published rules
    bench/tables.py preparation FILE  preparation from CSR on the GPU (`bench --from-gpu`), in products of cuSPARSE's CSR
    bench/tables.py columns FILE      several vectors and transposed products, over the best of cuSPARSE
    bench/tables.py odd FILE          odd numbers of vectors over the line between their neighbours (--columns 2,3,4,...)
    bench/tables.py transposes FILE   transposed products beside those of matrices that `convert --transpose` wrote as
                                      NAME-transposed.mtx
    bench/tables.py vectors FILE...   operators of the CPU over csr-omp by least times, a file for each `--vectors SET`

Speeds are GFLOP/s of medians. Needs nothing but Python.
"""
import argparse
import json
import math

SELECTORS = ["paper-csr", "paper-adaptive", "paper-deferred"]
# GFLOP/s of the public TileSpMV code, made to do the whole product, on the same kind of GPU at another time.
PUBLIC_CODE = {"laplace2d:n=2048": 68, "laplace3d:n=160": 93, "stencil27:n=128": 114, "fem:n=64,dof=3": 287,
               "fem:n=40,dof=6": 501, "banded:n=400000,half=25": 572,
               "block-dense:n=400000,block=16,blocks_per_row=8": 890, "rmat:scale=20,degree=16": 19,
               "uniform:n=2000000,per_row=8": 20, "dense:rows=4096,cols=4096": 831, "laplace2d:n=256": 47}


class Matrix:
    """The right results of one matrix, by operator and selector."""

    def __init__(self):
        self.results = {}

    def __getattr__(self, name):  # rows, nnz, row_variation: the same in every result
        return next(iter(self.results.values()))[name]

    def of(self, operator, *selectors):
        """The results with one of these selectors, of all variants where operator ends in `*`."""
        def named(name):
            return name.startswith(operator[:-1]) if operator.endswith("*") else name == operator
        return [result for (name, selector), result in self.results.items()
                if named(name) and selector in (selectors or ("",))]

    def speed(self, operator, *selectors):
        """Of the fastest of these results."""
        return max((result["derived"]["gflops"] for result in self.of(operator, *selectors)), default=math.nan)

    def deferred(self):
        formats = self.results["tile", "paper-deferred"]["formats"]
        return sum(f["nnz"] for f in formats if f["name"] == "deferred") / self.nnz


def read(content):
    """The matrices of each kind of block ("" for one vector) and type of values, by name."""
    kinds = {}
    for result in content["results"]:
        if result["status"] == "ok":
            case = result["case"]
            name = case["matrix"].removeprefix("gen:").rsplit("/", 1)[-1].removesuffix(".mtx.xz")
            matrices = kinds.setdefault((case.get("vectors", ""), case["values"]), {})
            matrices.setdefault(name, Matrix()).results[case["operator"], case["selector"]] = result
    return kinds


def number(value):
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|---" + "|---:" * (len(header) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


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

    rows = [[name, f"{m.nnz:,}", f"{100 * m.deferred():.0f} %", number(m.speed("csr-merge"))] +
            [number(m.speed(operator, s)) for operator in ("tile", "tile-warp") for s in selectors] +
            [f'{m.speed(operator, *selectors) / m.speed("csr-merge"):.2f}' for operator in ("tile", "tile-warp")]
            for name, m in sorted(matrices.items(), key=lambda named: named[1].nnz)]
    print_table(["matrix", "nonzeros", "deferred", "`csr-merge`"] +
                [f"`{operator}`, `{s}`" for operator in ("tile", "tile-warp") for s in selectors] +
                ["`tile` over `csr-merge`", "`tile-warp` over it"], rows)


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


def cusparse(matrices):
    rows = []
    for name, m in matrices.items():
        csr, best = m.speed("cusparse-csr*"), m.speed("cusparse-*")
        row = [name, f"{m.row_variation:.2f}", number(csr), number(best)]
        for operator in ("csr-vector", "csr-merge"):
            speed = m.speed(operator)
            row += [number(speed), f"{speed / csr:.2f}", f"{speed / best:.2f}"]
        rows.append(row)
    header = ["matrix", "variation of the row length", "cuSPARSE CSR", "best of cuSPARSE"]
    for operator in ("csr-vector", "csr-merge"):
        header += [operator, "over CSR", "over the best"]
    print_table(header, rows)


def suite(matrices):
    operators = {"cuSPARSE CSR": ("cusparse-csr*",), "cuSPARSE BSR": ("cusparse-bsr*",), "csr-merge": ("csr-merge",),
                 "csr-adaptive": ("csr-adaptive",), "csr5": ("csr5",), "csr16": ("csr16",),
                 **{f"tile, {s}": ("tile", s) for s in SELECTORS}}

    def best(m, which):
        return max((r for r in m.of(*which)), key=lambda r: r["derived"]["gflops"])

    print_table(["matrix"] + list(operators), [[name] + [
        f'{number(r["derived"]["gflops"])} ({r["preprocess_products"]:.0f})' for r in
        (best(m, which) for which in operators.values())] for name, m in matrices.items()])
    rows = []
    for operator, which in operators.items():
        ratios = {name: m.speed(*which) / m.speed("cusparse-csr*") for name, m in matrices.items()}
        products = sorted(best(m, which)["preprocess_products"] for m in matrices.values())
        least = min(ratios, key=ratios.get)
        rows.append([operator, f"{mean(ratios.values()):.2f}", f"{ratios[least]:.2f}", least,
                     f"{sum(r > 1 for r in ratios.values())} of {len(ratios)}", f"{products[len(products) // 2]:.0f}",
                     f"{products[0]:.0f} to {products[-1]:.0f}", pays_after(matrices, ratios, lambda m: best(m, which))])
    print_table(["operator", "over cuSPARSE CSR", "least", "on", "faster on", "preparation in products: median",
                 "least to most", "pays after products of cuSPARSE CSR, where 5% faster"], rows)


def pays_after(matrices, ratios, result):
    """Products after which its preparation, longer than that of cuSPARSE's CSR, is made up for: least to most."""
    after = []
    for name, m in matrices.items():
        if ratios[name] > 1.05:
            csr = min(r["preprocess_products"] for r in m.of("cusparse-csr*"))
            after.append(max(0, result(m)["preprocess_products"] - csr) / (1 - 1 / ratios[name]))
    return f"{min(after):.0f} to {max(after):.0f}" if after else "-"


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


def preparation(kinds):
    """Of matrices above 100,000 nonzeros, beside the most that it is to take in the mean."""
    bars = {"csr-scalar": 2, "csr-vector": 2, "csr-merge": 2, "csr-adaptive": 2, "sell": 2,
            "csr16": 1.5, "dia": 4, "ell": 4, "csr-inode": 4, "strip": 12, "tile": 12, "auto": 10}
    for (vectors, values), matrices in kinds.items():
        if "CSR on the GPU" not in vectors:
            continue
        rows = []
        for operator in dict.fromkeys(o for m in matrices.values() for o, _ in m.results):
            large = {name: m for name, m in matrices.items() if m.nnz > 100000 and m.of(operator)}
            if not large:
                continue
            products = {name: m.of(operator)[0]["preprocess_products"] for name, m in large.items()}
            ratios = {name: m.speed(operator) / m.speed("cusparse-csr*") for name, m in large.items()}
            worst = max(products, key=products.get)
            rows.append([operator, str(len(large)), f"{mean(products.values()):.1f}",
                         str(bars.get(operator.split(":")[0], "")), f"{products[worst]:.0f}", worst,
                         pays_after(large, ratios, lambda m, operator=operator: m.of(operator)[0])])
        print(f"{values}\n")
        print_table(["operator", "matrices", "products in the mean", "at most", "worst", "on",
                     "pays after products of cuSPARSE CSR, where 5% faster"], rows)


def least_times(matrix):
    """Seconds of the fastest operator of this library and of the fastest of cuSPARSE."""
    times = {o: r["derived"]["median_s"] for (o, _), r in matrix.results.items()}
    return [min((t for o, t in times.items() if o.startswith("cusparse") == is_peer), default=math.nan)
            for is_peer in (False, True)]


def columns(kinds):
    """A cell is microseconds of the fastest operator of this library, and how many times as long cuSPARSE takes."""
    names = list(dict.fromkeys(name for matrices in kinds.values() for name in matrices))
    for values in dict.fromkeys(values for _, values in kinds):
        cells, ratios = {name: [name] for name in names}, []
        vectors = [v for v, of in kinds if of == values]
        for v in vectors:
            over = []
            for name in names:
                ours, peer = least_times(kinds[v, values].get(name, Matrix()))
                cells[name].append(f"{1e6 * ours:.1f} ({peer / ours:.2f})" if peer / ours > 0 else "-")
                over += [peer / ours] if peer / ours > 0 else []
            ratios.append(over)
        print(f"{values}\n")
        print_table(["matrix"] + [v or "one vector" for v in vectors],
                    list(cells.values()) + [["geometric mean"] + [f"{mean(r):.2f}" if r else "-" for r in ratios],
                                            ["least"] + [f"{min(r):.2f}" if r else "-" for r in ratios]])


def odd(kinds):
    """A cell is the time of an odd number of vectors over the mean of one fewer and one more."""
    for values, layout in dict.fromkeys((values, v.partition(" ")[2]) for v, values in kinds if v):
        counts = sorted(int(v.partition(" ")[0]) for v, of in kinds if v.partition(" ")[2] == layout and of == values)
        shown = [k for k in counts if k % 2 == 1 and k - 1 in counts and k + 1 in counts]
        if not shown:
            continue
        of_count = {k: kinds[f"{k} {layout}", values] for k in counts}
        rows, all_over = [], {k: [] for k in shown}
        for name in of_count[shown[0]]:
            time = {k: least_times(of_count[k].get(name, Matrix()))[0] for k in counts}
            over = {k: 2 * time[k] / (time[k - 1] + time[k + 1]) for k in shown}
            rows.append([name] + [f"{1e6 * time[k]:.1f} ({over[k]:.2f})" for k in shown])
            for k in shown:
                all_over[k] += [] if math.isnan(over[k]) else [over[k]]
        print(f"{values}, {layout}\n")
        print_table(["matrix", *map(str, shown)],
                    rows + [["geometric mean"] + [f"{mean(all_over[k]):.2f}" for k in shown],
                            ["most"] + [f"{max(all_over[k]):.2f}" for k in shown]])


def transposes(kinds):
    for values in dict.fromkeys(values for _, values in kinds):
        plain, rows = kinds.get(("", values), {}), []
        for name, m in kinds.get(("transposed", values), {}).items():
            ours, peer = least_times(m)
            of_matrix = least_times(plain.get(f"{name}-transposed.mtx", plain.get(f"{name}-transposed", Matrix())))[0]
            rows.append((name, ours, of_matrix, ours / of_matrix, peer / ours))
        print(f"{values}\n")
        known = [[r[i] for r in rows if not math.isnan(r[i])] or [math.nan] for i in (3, 4)]
        print_table(["matrix", "transposed product, us", "product of the transposed matrix, us", "ratio",
                     "cuSPARSE's transposed product over ours"],
                    [[name, f"{1e6 * ours:.1f}", f"{1e6 * other:.1f}", f"{a:.2f}", f"{b:.2f}"]
                     for name, ours, other, a, b in rows] +
                    [["geometric mean", "", ""] + [f"{mean(k):.2f}" for k in known],
                     ["most, least", "", "", f"{max(known[0]):.2f}", f"{min(known[1]):.2f}"]])


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


def main():
    of_one_vector = {f.__name__: f for f in (classes, real, threads, cusparse, suite, formats)}
    of_all = {f.__name__: f for f in (columns, odd, transposes, preparation)}
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", choices=[*of_one_vector, *of_all, "vectors"])
    parser.add_argument("files", nargs="+", help="results of `tilespmv bench --json`")
    arguments = parser.parse_args()
    contents = [json.load(open(file)) for file in arguments.files]
    if arguments.table == "vectors":
        return vectors(contents)
    if len(contents) > 1:
        parser.error(f"the table {arguments.table} is of one file")
    if arguments.table in of_one_vector:
        return of_one_vector[arguments.table](one_vector(contents[0]))
    of_all[arguments.table](read(contents[0]))


if __name__ == "__main__":
    main()
