"""Which cases of a second benchmark (``tilespmv bench --json``) are faster, slower, the same or unclear.

python -m tilespmv.compare FIRST.json SECOND.json [--first FILE]... [--second FILE]... [--witness NAME]...
"""

from __future__ import annotations

import argparse
import collections
import math
import os
import statistics
import sys
from typing import NamedTuple

from ._charts import Failure, run
from .plot import baselines_of, read, source_name, stands_for

VERDICTS = ("faster", "slower", "same", "unclear")

# Of the 95% interval of Student's t by degrees of freedom; the last for more of them, which is too large by 4%.
STUDENT = (
    (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
    + (2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086)
    + (2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
)


class Ratio(NamedTuple):
    """Where the time of the second of two measurements lies in units of the first, with its 95% interval."""

    median: float
    low: float
    high: float

    def verdict(self, effect: float) -> str:
        """effect: the smallest one of interest, 0.05."""
        above, below = 1 + effect, 1 / (1 + effect)
        if self.high < below:
            return "faster"
        if self.low > above:
            return "slower"
        return "same" if below <= self.low and self.high <= above else "unclear"

    def over(self, other: Ratio) -> Ratio:
        """With independent errors of the logarithm (Zou and Donner, Statistics in Medicine 27, 2008)."""
        if 0 in (self.low, other.low):
            return Ratio(self.median / other.median, 0, math.inf)
        median = self.median / other.median
        down = math.hypot(math.log(self.median / self.low), math.log(other.high / other.median))
        up = math.hypot(math.log(self.high / self.median), math.log(other.median / other.low))
        return Ratio(median, median * math.exp(-down), median * math.exp(up))


class Comparison(NamedTuple):
    case: dict
    times: tuple  # medians of both sides, of several runs their geometric means; 0 for none
    verdict: str  # one of VERDICTS, or why it was not compared
    ratio: Ratio | None = None
    witness: Ratio | None = None  # the one that is farthest from 1
    is_of_runs: bool = False  # whether the interval is that of several runs a side


def median_with_interval(samples: list[float]) -> Ratio:
    """The k-th smallest and largest enclose the median in 95% of all cases; without bounds for fewer than six."""
    ordered, tail, rank = sorted(samples), 0.0, 0
    while (tail := tail + math.comb(len(ordered), rank) / 2 ** len(ordered)) <= 0.025:
        rank += 1
    median = statistics.median(ordered)
    return Ratio(median, ordered[rank - 1], ordered[-rank]) if rank else Ratio(median, 0, math.inf)


def ratio_of_runs(first: list[float], second: list[float]) -> Ratio:
    """Of the geometric means of the medians of several runs, by Student's t for how much runs of a side differ, which
    is taken to be as much on both."""
    a, b = ([math.log(t) for t in side] for side in (first, second))
    freedom = len(a) + len(b) - 2
    squares = sum((x - statistics.fmean(side)) ** 2 for side in (a, b) for x in side)
    half = STUDENT[min(freedom, len(STUDENT)) - 1] * math.sqrt(squares / freedom * (1 / len(a) + 1 / len(b)))
    change = statistics.fmean(b) - statistics.fmean(a)
    return Ratio(math.exp(change), math.exp(change - half), math.exp(change + half))


def key_of(case: dict) -> tuple:
    return tuple(sorted(case.items()))


class Comparer:
    """A side is a list of result files, one for each run of the benchmark."""

    def __init__(self, first: list[dict], second: list[dict], *, effect=0.05, mode="warm", witnesses=()):
        self.effect, self.mode, self.witnesses = effect, mode, witnesses
        self.sides = [[{key_of(r["case"]): r for r in data["results"]} for data in side] for side in (first, second)]
        everything = (r["case"]["operator"] for side in (first, second) for data in side for r in data["results"])
        self.operators = {operator.partition(":")[0] for operator in everything}

    def all(self) -> list[Comparison]:
        """Every case of either side: those of the first in their order, then those that only the second has."""
        keys = dict.fromkeys(key for side in self.sides for results in side for key in results)
        return [self.of(key) for key in keys]

    def of(self, key: tuple) -> Comparison:
        runs = [[results[key] for results in side if key in results] for side in self.sides]
        medians = [[statistics.median(self.samples(r)) for r in side if self.samples(r)] for side in runs]
        times = tuple(statistics.geometric_mean(side) if side else 0 for side in medians)
        if reason := self.why_not_compared(*runs):
            return Comparison(dict(key), times, reason)
        if len(runs[0]) + len(runs[1]) > 2:
            ratio = ratio_of_runs(*medians)
            return Comparison(dict(key), times, ratio.verdict(self.effect), ratio, None, True)
        ratio = self.ratio(runs[0][0], runs[1][0])
        return self.with_witnesses(Comparison(dict(key), times, ratio.verdict(self.effect), ratio))

    def samples(self, result: dict) -> list[float]:
        return result.get(self.mode, {}).get("seconds", [])

    def ratio(self, first: dict, second: dict) -> Ratio:
        return median_with_interval(self.samples(second)).over(median_with_interval(self.samples(first)))

    def why_not_compared(self, first: list[dict], second: list[dict]) -> str:
        if not first or not second:
            return f"only in the {'first' if first else 'second'}"
        sides = [(name, r) for name, side in (("first", first), ("second", second)) for r in side]
        for name, r in sides:
            if r["status"] != "ok":
                return f"{r['status']} in the {name}"
        for name, r in sides:
            if r.get("pattern_values") != first[0].get("pattern_values"):
                return "of other values (--pattern-values)"
            if not self.samples(r):
                return f"not measured in the {name}"
        return ""

    def is_witness(self, case: dict) -> bool:
        return any(stands_for(name, case["operator"], self.operators) for name in self.witnesses)

    def with_witnesses(self, c: Comparison) -> Comparison:
        """The verdict is unclear unless the time over that of each witness, an operator that has not changed, says the
        same; to be the same, nothing must speak against it. A witness is compared with what it must be, 1."""
        found = []
        if self.is_witness(c.case):
            found.append((c.ratio, Ratio(1, 1, 1)))
        else:
            before, after = (next(run for run in side if key_of(c.case) in run) for side in self.sides)
            for key, other in before.items():
                beside = all(other["case"][k] == c.case[k] for k in ("matrix", "values", "device", "threads"))
                if beside and self.is_witness(other["case"]) and key in after:
                    if not self.why_not_compared([other], [after[key]]):
                        witness = self.ratio(other, after[key])
                        found.append((witness, c.ratio.over(witness)))
        others = [relative.verdict(self.effect) for _, relative in found]
        agrees = all(other == c.verdict or (c.verdict == "same" and other == "unclear") for other in others)
        farthest = max((witness for witness, _ in found), key=lambda w: abs(math.log(w.median)), default=None)
        return c._replace(verdict=c.verdict if agrees else "unclear", witness=farthest)


def common_baselines(files: list[dict]) -> list[str]:
    """Those that all files have: they were measured beside the others, in turn."""
    counts = collections.Counter(name for data in files for name in baselines_of(data["results"]))
    return [name for name, count in sorted(counts.items()) if count == len(files)]


def row_of(c: Comparison) -> list[str]:
    case = c.case
    row = [source_name(case["matrix"]), case["operator"], case["selector"] or "-", case["values"], case["accumulator"]]
    row += [str(case["threads"]), *(f"{1e3 * seconds:.4g}" if seconds else "-" for seconds in c.times)]
    if c.ratio:
        low, high = (1 / end if end else math.inf for end in (c.ratio.high, c.ratio.low))
        row += [f"{1 / c.ratio.median:.3f}x", f"{low:.3f} to {high:.3f}"]
    else:
        row += ["-", "-"]
    return [*row, f"{1 / c.witness.median:.3f}x" if c.witness else "-", c.verdict]


def notes(comparisons: list[Comparison], witnesses: list[str]) -> str:
    """What the 95% of the intervals are of, and what a verdict stands on."""
    compared = [c for c in comparisons if c.ratio]
    alone = "interval: 95% confidence, by the noise within two runs alone; "
    text = ""
    if any(c.is_of_runs for c in compared):
        text += "interval: 95% confidence, by how much runs of a side differ; times of several runs are geometric "
        text += "means of their medians\n"
    if any(c.witness for c in compared):
        text += (
            f"{alone}witness: the speed-up of {', '.join(witnesses)}, which is taken not to have changed: a verdict "
        )
        text += "is unclear unless the time over that of the witness says the same\n"
    if any(not c.witness and not c.is_of_runs for c in compared):
        text += (
            f"{alone}how much one run differs from the next is not known: give further runs (--first, --second), or "
        )
        text += "an operator that has not changed (--witness)\n"
    return text


def table(comparisons: list[Comparison], witnesses: list[str]) -> str:
    titles = ["matrix", "operator", "selector", "values", "sums", "threads", "first ms", "second ms", "speed-up"]
    rows = [[*titles, "interval", "witness", "verdict"], *map(row_of, comparisons)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
    counts = collections.Counter(c.verdict for c in comparisons)
    totals = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS]
    totals.append(f"{sum(c.ratio is None for c in comparisons)} not compared")
    return "\n".join(lines) + "\n" + notes(comparisons, witnesses) + ", ".join(totals) + "\n"


def read_side(name: str, files: list[str]) -> list[dict]:
    """A run that is given twice would count as two that are the same."""
    for number, file in enumerate(files):
        if any(os.path.samefile(file, other) for other in files[:number]):
            raise Failure(f"{file}: given twice on one side; give each run once")
    side = [read(file, "tilespmv-bench") for file in files]
    for file, data in zip(files, side):
        print(f"{name:<7} {file} (revision {data['build']['revision']}, {data['build']['compiler']})")
    return side


def say(options) -> None:
    first = read_side("first:", [options.files[0], *options.first])
    second = read_side("second:", [options.files[1], *options.second])
    if len({str(data["machine"]) for data in first + second}) > 1:
        print("tilespmv.compare: warning: measured on different machines", file=sys.stderr)
    witnesses = options.witness or common_baselines(first + second)
    if witnesses == ["none"]:
        witnesses = []
    comparer = Comparer(first, second, effect=options.effect / 100, mode=options.mode, witnesses=witnesses)
    print(table(comparer.all(), witnesses), end="")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("tilespmv.compare", description=__doc__.partition("\n")[0].replace("``", ""))
    parser.add_argument("files", nargs=2, metavar="RESULTS.json", help="of tilespmv bench --json")
    for side in ("first", "second"):
        help = f"a further run of the {side}; with several runs a side the interval is that of how much they differ"
        parser.add_argument(f"--{side}", action="append", default=[], metavar="FILE", help=help)
    help = (
        "operator that has not changed, or the beginning of its name (default: the baselines of all; none: no witness)"
    )
    parser.add_argument("--witness", action="append", default=[], metavar="NAME", help=help)
    parser.add_argument(
        "--effect", type=float, default=5, help="smallest difference of interest, in percent (default: 5)"
    )
    parser.add_argument("--mode", default="warm", help="times that are compared, as of bench --mode (default: warm)")
    options = parser.parse_args(arguments)
    run("tilespmv.compare", lambda: say(options))


if __name__ == "__main__":
    main()
