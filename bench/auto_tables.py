"""Tables of `auto` beside cuSPARSE, CuPy and torch for README.md and RESULTS.md. Each takes runs: pairs of a label and a file."""
import math
import textwrap
from collections import Counter
from statistics import median

from bench_results import MODES, SIZES, Comparison, comparisons, machines, mean, number, print_table, read, revision


def contents(runs):
    return [content for _, content in runs]


def print_text(text):
    # A name is not broken at its hyphens.
    print(textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n")


def of_size(found, size):
    least, beyond = SIZES[size]
    return [c for c in found if least <= c.nnz < beyond]


def mean_and_least(ratios, digits=2, name=True):
    """"1.92 (1.27, `cti`)" of a ratio for each name."""
    if not ratios:
        return "-"
    least = min(ratios, key=ratios.get)
    return f"{mean(ratios.values()):.{digits}f} ({ratios[least]:.{digits}f}" + (f", `{least}`)" if name else ")")


def speedups(found):
    return {c.name: c.speedup() for c in found}


def slower(ratios):
    return f"{sum(ratio < 1 for ratio in ratios.values())} of {len(ratios)}"


def kinds(runs, mode="back to back"):
    """Comparisons of this mode, by kind: of one vector, of blocks by their number of columns, transposed."""
    def order(kind):
        vectors, values = kind
        count, _, layout = vectors.partition(" ")
        return values != "float64", not count.isdigit(), layout, int(count) if count.isdigit() else 0
    found = comparisons(contents(runs), mode)
    return {kind: list(found[kind].values()) for kind in sorted(found, key=order)}


def of_one_vector(runs):
    """(values, mode, comparisons) for each row of a table by modes."""
    of_modes = {mode: kinds(runs, mode) for mode in MODES}
    for values in dict.fromkeys(values for vectors, values in of_modes["back to back"] if not vectors):
        yield from ((values, mode, of_modes[mode]["", values]) for mode in MODES if ("", values) in of_modes[mode])


def readme(runs):
    """The small table: modes of one vector, then blocks and the transpose, with the revision where it is another one."""
    newest = revision(runs[0][1])
    rows = [(f"{values}, {mode}" + (", sums in float32" if values == "float32" else ""), found)
            for values, mode, found in of_one_vector(runs) if mode != "in a chain" and (values == "float64" or mode == "back to back")]
    for label, content in runs:
        rows += [(f"{values}, {vectors}" + ("" if revision(content) == newest else f", revision {revision(content)}"), found)
                 for (vectors, values), found in kinds([(label, content)]).items()
                 if vectors and vectors != "CSR on the GPU"]
    most = max(len(found) for _, found in rows)
    print_text(f"Speed-up of `auto` over the fastest form of cuSPARSE, above 1 where `auto` is faster: geometric mean (least) of up to "
               f"[{most} matrices](bench/RESULTS.md#auto-in-a-loop-in-a-graph-and-in-a-chain), by nonzeros, on {machines([runs[0][1]])}.")
    print_table(["product", *SIZES, "all", "slower than cuSPARSE on"],
                [[label] + [mean_and_least(speedups(of_size(found, size)), name=False) for size in SIZES] +
                 [mean_and_least(speedups(found), name=False), slower(speedups(found))] for label, found in rows])
    prepared_ones = list(prepared(runs))
    sentences = preparation_sentence(prepared_ones) if prepared_ones else ""
    print_text(sentences + "".join(python_sentence(content) for content in contents(runs) if "products" in content))


def auto(runs):
    """By modes and nonzeros, then the losses, then every matrix."""
    rows, losses = [], []
    for values, mode, found in of_one_vector(runs):
        ratios = speedups(found)
        rows.append([f"{values}, {mode}", str(len(found))] + [mean_and_least(speedups(of_size(found, s))) for s in SIZES] +
                    [f"{mean(ratios.values()):.2f}", slower(ratios)])
        losses += [f"`{name}` {ratio:.2f} ({values}, {mode})" for name, ratio in ratios.items() if ratio < 1]
    print_text(f"{machines(contents(runs))}:")
    print_table(["", "matrices", *SIZES, "all", "slower on"], rows)
    print_text(f"Slower than cuSPARSE: {', '.join(losses) or 'none'}.")
    every_matrix(runs)


def gflops(comparison, result):
    return number(2e-9 * comparison.nnz / comparison.time(result))


def every_matrix(runs):
    by_name = {mode: {kind: {c.name: c for c in found} for kind, found in kinds(runs, mode).items()} for mode in MODES}
    loop, single = (by_name["back to back"].get(("", values), {}) for values in ("float64", "float32"))
    rows = []
    for c in sorted(loop.values(), key=lambda c: -c.nnz):
        peer = c.fastest(c.peers)
        row = [c.name, f"{c.nnz / 1e6:.2f}M", f"{peer['case']['operator'].removeprefix('cusparse-')}, {gflops(c, peer)}",
               c.auto.get("runs", "-"), gflops(c, c.auto)]
        for mode in MODES:
            of_mode = by_name[mode].get(("", "float64"), {}).get(c.name)
            row.append(f"{of_mode.speedup():.2f}" if of_mode else "-")
        f = single.get(c.name)
        rows.append(row + ([f.auto.get("runs", "-"), gflops(f, f.auto), f"{f.speedup():.2f}"] if f else ["-"] * 3))
    print_table(["matrix", "nonzeros", "cuSPARSE", "`auto` takes", "GFLOP/s", *MODES, "float32: takes", "GFLOP/s", "back to back"], rows)


def measured_alone(runs):
    """(label, values, comparisons, content) of the runs in which the operators that `auto` chooses from were measured, too."""
    for label, content in runs:
        for (vectors, values), matrices in read(content).items():
            found = [Comparison(name, m, "back to back") for name, m in matrices.items() if not vectors]
            if found := [c for c in found if c.auto and c.peers and len(c.ours) > 1]:
                yield label, values, found, content


def choices(runs):
    """The time of `auto` over that of the fastest operator; what it takes is measured twice, which tells the noise."""
    rows = []
    for label, values, found, _ in measured_alone(runs):
        over = {c.name: c.time(c.auto) / c.time(c.fastest(c.ours)) for c in found}
        again = {c.name: abs(math.log(c.time(c.auto) / c.time(own))) for c in found for own in c.ours
                 if own["case"]["operator"] == c.auto.get("runs")}
        worst = max(over, key=over.get)
        taken = Counter(c.auto.get("runs", "-") for c in found)
        rows.append([label, values, str(len(found)), f"{mean(over.values()):.3f}", f"{over[worst]:.2f}", f"`{worst}`",
                     f"{sum(ratio <= 1.05 for ratio in over.values())}", f"{math.exp(max(again.values(), default=0)):.2f}",
                     str(sum(a > math.log(1.05) for a in again.values())), ", ".join(f"{name} {n}" for name, n in taken.most_common())])
    print_text(f"{machines(contents(runs))}:")
    print_table(["matrices", "values", "number", "time over the fastest, geometric mean", "worst", "on", "within 5% on",
                 "same operator measured twice: differs most by", "by more than 5% on", "`auto` takes"], rows)


def operators(runs):
    """Each operator over the fastest form of cuSPARSE."""
    for label, values, found, content in measured_alone(runs):
        fastest = Counter(c.fastest(c.ours)["case"]["operator"] for c in found)
        rows = []
        for operator in ["auto", *sorted({r["case"]["operator"] for c in found for r in c.ours})]:
            ratios = {c: c.speedup(r) for c in found for r in [c.auto, *c.ours] if r["case"]["operator"] == operator}
            by_size = [{c.name: ratios[c] for c in of_size(ratios, size)} for size in SIZES]
            ratios = {c.name: ratio for c, ratio in ratios.items()}
            rows.append([f"`{operator}`", str(len(ratios)), *(f"{mean(r.values()):.2f}" if r else "-" for r in by_size),
                         mean_and_least(ratios), str(sum(r > 1 for r in ratios.values())), str(fastest[operator] or "-")])
        print_text(f"{label}, {values}, {machines([content])}:")
        print_table(["operator", "matrices", *SIZES, "all (least)", "faster than cuSPARSE on", "fastest operator on"], rows)


def columns(runs):
    """Blocks and transposed products by layout, columns and the operator that `auto` takes."""
    rows, losses = [], []
    for (vectors, values), found in kinds(runs).items():
        if not vectors or vectors == "CSR on the GPU":
            continue
        taken = Counter(c.auto.get("runs", "-") for c in found)
        for operator in ["all", *(name for name, _ in taken.most_common())]:
            of = [c for c in found if operator in ("all", c.auto.get("runs", "-"))]
            small, large = ({c.name: c.speedup() for c in of if (c.nnz < 1e6) == is_small} for is_small in (True, False))
            rows.append([f"{values}, {vectors}", operator, str(len(of)),
                         *(f"{mean(r.values()):.2f}" if r else "-" for r in (small, large)),
                         mean_and_least(small | large), slower(small | large)])
        losses += [f"`{c.name}` {c.speedup():.2f} ({values}, {vectors})" for c in found if c.speedup() < 1]
    print_text(f"{machines(contents(runs))}:")
    print_table(["product", "`auto` takes", "matrices", "fewer than 1M nonzeros", "more", "all (least)", "slower on"], rows)
    print_text(f"Slower than cuSPARSE: {', '.join(losses) or 'none'}.")


def pays_after(comparison, result, peers):
    """Products after which a preparation is made up for against each of cuSPARSE's: inf for never."""
    def preparation(r):
        return r["derived"]["preprocess_median_s"]

    def after(peer):
        more, gain = preparation(result) - preparation(peer), comparison.time(peer) - comparison.time(result)
        return 0 if more <= 0 <= gain else more / gain if gain > 0 else math.inf
    return max(map(after, peers))


def spread(values):
    finite = [v for v in values if v < math.inf]
    return f"{median(finite):.0f} ({min(finite):.0f} to {max(finite):.0f})" if finite else "-"


def prepared(runs):
    """(comparison, products after which `auto` pays against cuSPARSE's CSR) of the matrices prepared on the GPU."""
    for (vectors, values), found in kinds(runs).items():
        if vectors == "CSR on the GPU" and values == "float64":
            yield from ((c, pays_after(c, c.auto, c.peers)) for c in found)


def by_nonzeros(found):
    sizes = {"fewer than 100,000 nonzeros": (0, 1e5), "100,000 to 1M": (1e5, 1e6), "1M to 6M": (1e6, 6e6), "more": (6e6, math.inf)}
    return {size: [f for f in found if least <= f[0].nnz < beyond] for size, (least, beyond) in sizes.items()}


def preparation_of_auto(runs):
    """By nonzeros, and by what `auto` takes."""
    found = list(prepared(runs))
    chosen = by_nonzeros(found)
    taken = Counter(c.auto.get("runs", "-") for c, _ in found)
    chosen |= {f"`auto` takes `{name}`": [f for f in found if f[0].auto.get("runs", "-") == name] for name, _ in taken.most_common()}
    rows = []
    for what, of in [*chosen.items(), ("all", found)]:
        if not of:
            continue
        micros = [1e6 * c.auto["derived"]["preprocess_median_s"] for c, _ in of]
        alone = {c: r for c, _ in of for r in c.ours if r["case"]["operator"] == c.auto.get("runs")}
        choosing = [1e6 * (c.auto["derived"]["preprocess_median_s"] - r["derived"]["preprocess_median_s"]) for c, r in alone.items()]
        theirs = [1e6 * min(p["derived"]["preprocess_median_s"] for p in c.peers) for c, _ in of]
        never = sum(n == math.inf for _, n in of)
        rows.append([what, str(len(of)), spread(micros), spread(choosing), spread(theirs), spread([c.auto["preprocess_products"] for c, _ in of]),
                     spread([n for _, n in of]), str(never)])
    print_text(f"{machines(contents(runs))}; median (least to most):")
    print_table(["matrices", "number", "preparation of `auto`, us", "more than its operator alone", "of cuSPARSE's CSR, us", "of `auto`, in products of cuSPARSE's CSR",
                 "pays after products", "never pays on"], rows)
    preparation_of_operators(runs)


def preparation_of_operators(runs):
    """On matrices above 100,000 nonzeros, beside the most that it is to take in the mean."""
    bars = {"csr-scalar": 2, "csr-vector": 2, "csr-merge": 2, "sell": 2, "dia": 4, "ell": 4, "csr-inode": 4, "strip": 12, "tile": 12,
            "auto": 10}
    by_operator = {}
    for c, _ in prepared(runs):
        for result in [c.auto, *c.ours] if c.nnz > 100000 else []:
            by_operator.setdefault(result["case"]["operator"], {})[c.name] = (c, result)
    rows = []
    for operator, found in by_operator.items():
        products = {name: result["preprocess_products"] for name, (_, result) in found.items()}
        after = [pays_after(c, result, c.peers) for c, result in found.values()]
        worst = max(products, key=products.get)
        micros = [1e6 * result["derived"]["preprocess_median_s"] for _, result in found.values()]
        rows.append([f"`{operator}`", str(len(found)), spread(micros), f"{mean(products.values()):.1f}",
                     str(bars.get(operator.split(":")[0], "-")), f"{products[worst]:.0f}, `{worst}`", spread(after),
                     str(sum(n == math.inf for n in after))])
    print_text("Matrices above 100,000 nonzeros, by operator; products are those of cuSPARSE's CSR:")
    print_table(["operator", "matrices", "us", "products in the mean", "to be at most", "most, on", "pays after products", "never on"],
                rows)


def preparation_sentence(found):
    small = [c.auto for c, _ in found if c.nnz < 1e6]
    micros = [1e6 * auto["derived"]["preprocess_median_s"] for auto in small]
    of_classes = [f"{median([n for _, n in of]):.0f}" if of else "-" for of in by_nonzeros(found).values()]
    return (f"Preparation from CSR on the GPU takes `auto` {spread(micros)} us below 1M nonzeros, "
            f"{spread([auto['preprocess_products'] for auto in small])} products of cuSPARSE's CSR where 10 are aimed at, median (least to "
            f"most), and "
            f"[pays](bench/RESULTS.md#preparation) after {spread([n for _, n in found])}, "
            f"by nonzeros (to 0.1M, 1M, 6M, more) {', '.join(of_classes)}. ")


def python_pairs(content):
    """(columns, values, library, ratios) of our products of Python over those of CuPy and torch, by the least nonzeros."""
    for columns, values in dict.fromkeys((row["columns"], row["dtype"]) for row in content["products"]):
        for library in ("cupy", "torch"):
            rows = [row for row in content["products"] if (row["columns"], row["dtype"]) == (columns, values)
                    and row["nnz"] >= content["least_nnz"] and {"cuda", library} <= row["seconds"].keys()]
            yield columns, values, library, {row["matrix"]: row["seconds"][library] / row["seconds"]["cuda"] for row in rows}


def python(runs):
    """Products beside CuPy and torch, then what calls keep the host for."""
    content = next(content for content in contents(runs) if "products" in content)
    pairs = {(columns, values, library): ratios for columns, values, library, ratios in python_pairs(content)}
    shapes = list(dict.fromkeys(key[:2] for key in pairs))
    most = max(map(len, pairs.values()))
    print_text(f"Speed-up over the products of CuPy and torch, geometric mean (least), on {most} real matrices from "
               f"{content['least_nnz']:,} nonzeros on; {machines(contents(runs))}:")
    print_table(["product", "over CuPy", "over torch"],
                [[f"{values}, " + ("one column" if columns == 1 else f"{columns} columns")] +
                 [mean_and_least(pairs[columns, values, library]) for library in ("cupy", "torch")] for columns, values in shapes])
    host = [(name, seconds) for name, seconds in content["host_seconds"].items() if not name.startswith("CPU")]
    print_text("What a call keeps the host for, on the 5-point grid of 100 x 100 points:")
    print_table(["call", "us"], [[name, f"{1e6 * seconds:.1f}"] for name, seconds in host])


def python_sentence(content):
    one = {library: ratios for columns, values, library, ratios in python_pairs(content) if (columns, values) == (1, "float64")}
    ours, theirs = (content["host_seconds"][call] for call in ("A @ x, CuPy arrays", "CuPy's A @ x"))
    return (f"From Python `A @ x` keeps the host for {1e6 * ours:.0f} us (CuPy's {1e6 * theirs:.0f}) and is "
            f"{mean_and_least(one['cupy'], name=False)} times as fast as CuPy's, {mean_and_least(one['torch'], name=False)} as torch's "
            f"in float64 ([table](tools/python/README.md#speed)).")


def assembly(runs):
    """Assembly beside a sort and a copy, then new values of operators over a copy of as many bytes, and memory at the peak."""
    content = contents(runs)[0]
    if found := content.get("assembly"):
        print_text(f"{found['entries'] / 1e6:.0f} million entries, {found['nnz'] / 1e6:.0f} million nonzeros, on {machines([content])}: the "
                   f"pattern takes {1e3 * found['pattern_s']:.1f} ms, {found['pattern_s'] / found['sort_s']:.2f} of CUB's radix sort of "
                   f"its keys and values, with {found['peak_bytes'] / found['entries']:.0f} bytes an entry at the peak; values are "
                   f"summed again in {1e3 * found['sum_s']:.2f} ms, {found['sum_s'] / found['copy_s']:.2f} of a copy of them.")
    rows = content["new_values"]
    names = list(dict.fromkeys(row["operator"] for row in rows))

    def cells(one):
        of = [row for row in rows if row["operator"] == one]
        copies = {row["matrix"]: row["update_s"] / row["copy_s"] for row in of}
        most = max(copies, key=copies.get)
        return [f"`{one}`", str(len(of)), f"{mean(copies.values()):.2f} ({copies[most]:.2f}, `{most}`)", f"{max(row['peak'] for row in of):.2f}"]
    print_table(["operator", "matrices", "new values over a copy, mean (most)", "most memory over CSR and operator"],
                [cells(one) for one in names])


TABLES = {"readme": readme, "auto": auto, "choices": choices, "operators": operators, "columns": columns,
          "preparation": preparation_of_auto, "python": python, "assembly": assembly}
