"""Charts of benchmarks, solves (``tilespmv bench --json``, ``solve --json``) and tiles.

python -m tilespmv.plot RESULTS.json -o FOLDER [--format svg|png] [--baseline NAME] [--mode NAME]
python -m tilespmv.plot MATRIX -o FOLDER [--format svg|png]
"""

from __future__ import annotations

import argparse
import json
import math
import re

from ._charts import Chart, Failure, add_output, bars, draw, new_figure, number_axis, run, scatter
from ._matrix import matrix
from ._tiles import COLORS


def source_name(source: str) -> str:
    """What a matrix is called: a generator without "gen:", a file without its folder and endings."""
    name = (
        source[4:]
        if source.startswith("gen:")
        else re.sub(r"(\.(gz|bz2|xz|zst|tar|mtx|tsp))+$", "", source.rpartition("/")[2])
    )
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in name)


def right_results(data: dict) -> list[dict]:
    """The cases of matrices with nonzeros whose product was right."""
    return [r for r in data["results"] if r["status"] == "ok" and r["nnz"] > 0]


def part_name(part: dict) -> str:
    """What was executed: a format and what its tiles were lowered to, or another representation."""
    form, made_of = part["representation"], part["format"]
    if not made_of:
        return form
    lowered = {"slots": " in slots", "walked": " one by one", "csr": " in rows"}
    return made_of + ("" if made_of == "deferred" else lowered.get(form, ""))


def machine_text(data: dict, results: list[dict], *more: str) -> str:
    """Where, on what values and how many matrices."""
    on_gpu = any(r["case"]["device"] != "cpu" for r in results)
    machine = data["machine"]
    values = sorted({r["case"]["values"] for r in results})
    count = len({r["case"]["matrix"] for r in results})
    device = on_gpu and machine["gpu"]["name"] or machine["cpu"]
    return ", ".join([device, " and ".join(values), f"{count} {'matrix' if count == 1 else 'matrices'}", *more])


class SeriesNames:
    """What a case is called, as short as tells those of these results apart."""

    def __init__(self, results: list[dict]):
        several = [key for key in ("values", "device") if len({r["case"][key] for r in results}) > 1]
        self.keys = ["operator", "selector", *several]

    def __call__(self, result: dict) -> str:
        return " ".join(result["case"][key] for key in self.keys if result["case"][key])


def collect(results: list[dict], point_of) -> dict:
    """Points by series: point_of(result), which is (x, y, is hollow), where its numbers can be drawn."""
    name_of = SeriesNames(results)
    series: dict = {}
    for result in results:
        point = point_of(result)
        if all(1e-300 < number < 1e300 for number in point[:2]):
            series.setdefault(name_of(result), []).append(point)
    return series


def baselines_of(results: list[dict]) -> list[str]:
    return list(dict.fromkeys(s["baseline"] for r in results for s in r["speedups"]))


def stands_for(baseline: str, operator: str, operators) -> bool:
    """Whether an operator is one of those that a baseline stands for: "cusparse" also for "cusparse-csr:alg=1"."""
    is_library = baseline not in operators and operator.startswith(baseline + "-")
    return operator.partition(":")[0] == baseline or operator == baseline or is_library


def speedup_charts(data: dict, results: list[dict], baseline: str, mode: str) -> list[Chart]:
    operators = {r["case"]["operator"].partition(":")[0] for r in results}

    def speedup(result):
        if stands_for(baseline, result["case"]["operator"], operators):
            return 0
        found = (s["median"] for s in result["speedups"] if s["baseline"] == baseline and s.get("mode", "warm") == mode)
        return next(found, 0)

    at_nonzeros = collect(results, lambda r: (r["nnz"], speedup(r), False))
    least = 0.01
    at_variation = collect(results, lambda r: (max(r["row_variation"], least), speedup(r), False))
    nothing = f"no case has a speed-up over {baseline or 'a baseline'}"
    if not at_nonzeros:
        return [Chart("speedup", None, nothing), Chart("variation", None, nothing)]
    title, subtitle, reference = f"Speed-up over {baseline}", machine_text(data, results, mode), (1, baseline)
    variation = f"variation of the row length: standard deviation / mean (at least {least})"
    return [
        Chart("speedup", scatter(title, subtitle, at_nonzeros, "nonzeros", "speed-up", unit="×", reference=reference)),
        Chart(
            "variation",
            scatter(
                f"{title} by how even the rows are",
                subtitle,
                at_variation,
                variation,
                "speed-up",
                unit="×",
                reference=reference,
            ),
        ),
    ]


def bandwidth_chart(data: dict, results: list[dict]) -> Chart:
    def share(result):
        derived = result["derived"]
        return result["nnz"], 100 * derived["share_of_read_bandwidth"], derived["fits_cache"]

    series = collect(results, share)
    if not series:
        return Chart("bandwidth", None, "no case has a bandwidth")
    y_label = "percent of the bandwidth measured in the same run"
    figure = scatter(
        "Share of the read bandwidth",
        machine_text(data, results, "warm"),
        series,
        "nonzeros",
        y_label,
        unit="%",
        linear=True,
        reference=(100, "read bandwidth"),
        hollow="fits the cache",
    )
    return Chart("bandwidth", figure)


def executed_charts(data: dict, results: list[dict]) -> list[Chart]:
    """What each operator that works on tiles executed with each selector, of a matrix once."""
    name_of = SeriesNames(results)
    mixes: dict = {}
    for r in results:
        if r["case"]["selector"] and r["executed"]:
            parts = {part_name(part): part["nnz"] / r["nnz"] for part in r["executed"]}
            mixes.setdefault(name_of(r), {}).setdefault(source_name(r["case"]["matrix"]), parts)
    if not mixes:
        return [Chart("executed", None, "no case on tiles says what it executed")]
    where = machine_text(data, results, "warm")
    return [
        Chart(
            "executed-" + file_name(name),
            bars(f"What {name} executed", where, shares, "executed as", "share of the nonzeros"),
        )
        for name, shares in mixes.items()
    ]


def thread_sweeps(results: list[dict]) -> dict:
    """Times of csr-vector by threads a row, for each matrix with two numbers or more: {matrix: {"threads": {number:
    seconds}, "own": seconds, "scalar": seconds}}."""
    several = [key for key in ("values", "device") if len({r["case"][key] for r in results}) > 1]
    sweeps: dict = {}
    for r in results:
        case = r["case"]
        name = " ".join([source_name(case["matrix"]), *(case[key] for key in several)])
        sweep = sweeps.setdefault(name, {"threads": {}, "mean": r["nnz"] / max(1, r["rows"])})
        seconds = r["derived"]["median_s"]
        if found := re.fullmatch(r"csr-vector:threads=(\d+)", case["operator"]):
            sweep["threads"][int(found[1])] = seconds
        elif case["operator"] in ("csr-vector", "csr-scalar"):
            sweep["own" if case["operator"] == "csr-vector" else "scalar"] = seconds
    return {name: sweep for name, sweep in sweeps.items() if len(sweep["threads"]) > 1}


def draw_sweep(panel, name: str, sweep: dict) -> None:
    threads = sorted(sweep["threads"])
    times = [1e6 * sweep["threads"][t] for t in threads]
    panel.plot(threads, times, "o-", color=COLORS[0], label="csr-vector with so many threads a row")
    if "scalar" in sweep:
        label = "csr-scalar, a thread a row"
        panel.plot([1], [1e6 * sweep["scalar"]], "o", color=COLORS[0], fillstyle="none", label=label)
    if "own" in sweep:
        label = "csr-vector without options: its own choice"
        panel.axhline(1e6 * sweep["own"], color=COLORS[1], linestyle="--", label=label)
    number_axis(panel, "y")
    panel.set_xscale("log", base=2)
    ticks = sorted({1, *threads} if "scalar" in sweep else threads)
    panel.set_xticks(ticks, map(str, ticks))
    panel.set(xlabel="threads a row", ylabel="µs")
    panel.set_title(f"{name}, {sweep['mean']:,.3g} nonzeros a row", fontsize=8)


def threads_charts(data: dict, results: list[dict]) -> list[Chart]:
    """A panel a matrix: the time of csr-vector over the threads a row."""
    sweeps = thread_sweeps(results)
    if not sweeps:
        return []
    columns, rows = min(3, len(sweeps)), math.ceil(len(sweeps) / 3)
    title, where = "Time of a product by threads a row", machine_text(data, results, "warm")
    grid = {"nrows": rows, "ncols": columns, "squeeze": False}
    figure, axes = new_figure(title, where, 3.6 * columns, 1 + 2.8 * rows, **grid)
    for panel in axes.flat[len(sweeps) :]:
        panel.remove()
    for panel, (name, sweep) in zip(axes.flat, sweeps.items()):
        draw_sweep(panel, name, sweep)
    handles = {label: handle for panel in axes.flat for handle, label in zip(*panel.get_legend_handles_labels())}
    figure.legend(handles.values(), handles.keys(), loc="outside lower left", frameon=False, fontsize=8)
    return [Chart("threads", figure)]


def bench_charts(data: dict, baseline: str = "", mode: str = "warm") -> list[Chart]:
    """Charts of the results of ``bench``. baseline: of the speed-ups, by default the first one in the results."""
    results = right_results(data)
    baseline = baseline or next(iter(baselines_of(results)), "")
    speedup, variation = speedup_charts(data, results, baseline, mode)
    return [
        speedup,
        bandwidth_chart(data, results),
        variation,
        *executed_charts(data, results),
        *threads_charts(data, results),
    ]


def draw_history(axes, report: dict, color: str, label: str) -> None:
    norm = report["rhs_norm"] or 1
    checks = zip(report["history"]["iterations"], report["history"]["residuals"])
    shown = [(i, r / norm) for i, r in checks if r is not None and 0 < r / norm < math.inf]
    x, y = zip(*shown) if shown else ((), ())
    axes.plot(x, y, marker="o" if len(x) <= 60 else None, markersize=3, color=color, label=label)
    if report["tolerance"]:
        axes.axhline(report["tolerance"] / norm, color=color, linestyle="--", linewidth=1)


def solve_charts(data: dict) -> list[Chart]:
    """How each right-hand side of ``solve`` converged; dashed is the tolerance."""
    how = f"{data['method']}, {data['preconditioner']['chosen']}; {data['end']}"
    figure, axes = new_figure(f"Convergence: {data['matrix']}", how, 7.6, 4.6)
    reports = data.get("right_hand_sides", [data])
    for number, report in enumerate(reports):
        draw_history(axes, report, COLORS[number % len(COLORS)], f"right-hand side {number + 1}")
    axes.set(yscale="log", xlabel="iterations", ylabel="||r|| / ||b||, tolerance dashed")
    axes.yaxis.set_major_formatter("{x:.0e}")
    axes.grid(color="#e6e8eb")
    if len(reports) > 1:
        axes.legend(frameon=False)
    return [Chart("convergence", figure)]


def tiles_chart(source: str) -> list[Chart]:
    """Where the nonzeros of a matrix are and which formats its tiles have."""
    figure, axes = new_figure(source_name(source), "", 9, 7)
    matrix(source, device="cpu").plot_tiles(axes)
    return [Chart("tiles", figure)]


def file_name(text: str) -> str:
    """A text as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", text)


WRITERS = {"tilespmv-bench": "bench --json", "solve": "solve --json"}


def read(file: str, *kinds: str) -> dict:
    """The content of a file of one of these kinds, keys of WRITERS."""
    try:
        with open(file, encoding="utf-8") as stream:
            data = json.load(stream)
    except ValueError as error:
        raise Failure(f"{file}: is not JSON: {error}") from None
    kind = data.get("format", "solve" if "history" in data else None) if isinstance(data, dict) else None
    if kind not in kinds:
        raise Failure(f"{file}: expected a file of {' or '.join(f'tilespmv {WRITERS[one]}' for one in kinds)}")
    return data


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("tilespmv.plot", description=__doc__.partition("\n")[0].replace("``", ""))
    parser.add_argument("results", metavar="RESULTS.json|MATRIX", help="a file that ends in .json, or a matrix")
    add_output(parser)
    parser.add_argument("--baseline", default="", help="of the speed-ups (default: the first one in the results)")
    parser.add_argument("--mode", default="warm", help="whose times are compared, as of bench --mode (default: warm)")
    options = parser.parse_args(arguments)

    def charts():
        if not options.results.endswith(".json"):
            return tiles_chart(options.results)
        data = read(options.results, *WRITERS)
        return solve_charts(data) if "history" in data else bench_charts(data, options.baseline, options.mode)

    run("tilespmv.plot", lambda: draw(charts, options))


if __name__ == "__main__":
    main()
