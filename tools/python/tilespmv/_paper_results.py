"""Results of ``bench --suite paper`` by matrix and contestant."""

from __future__ import annotations

import math
from typing import NamedTuple

from ._charts import Failure
from .plot import right_results, source_name, stands_for

CONFIGURATIONS = ("paper-csr", "paper-adaptive", "paper-deferred", "paper-tuned")
# The operators that execute tiles, the fastest first, and the competitors.
TILES = {"cuda": ("tile", "tile-warp"), "cpu": ("tile-omp",)}
COMPETITORS = {"cuda": ("csr-merge", "cusparse-bsr", "csr5"), "cpu": ("csr-omp",)}


class Contestant(NamedTuple):
    kind: str  # configuration, format or competitor
    name: str  # selector of a configuration, name of a format, baseline
    operator: str = ""  # that executes tiles; empty for a competitor

    @property
    def selector(self) -> str:
        return {"configuration": self.name, "format": f"only:{self.name}", "competitor": ""}[self.kind]

    @property
    def label(self) -> str:
        """What tables call it: its operator is said only where it is the published algorithm."""
        return f"tile-warp {self.name}" if self.operator == "tile-warp" else self.name

    def has(self, result: dict) -> bool:
        case = result["case"]
        if self.kind == "competitor":
            return stands_for(self.name, case["operator"], {self.name})
        return (case["operator"], case["selector"]) == (self.operator, self.selector)


class Matrix(NamedTuple):
    source: str
    rows: int
    nnz: int
    csr_bytes: int  # with 32-bit indices
    results: dict  # the right result by contestant

    @property
    def name(self) -> str:
        return source_name(self.source)


class Paper:
    """Results of one type of values on one device with one number of threads, by matrix, by nonzeros ascending, and
    contestant: those of the first result of tiles, one on a GPU before others, if nothing else is asked for."""

    def __init__(self, data: dict, values: str | None = None, device: str | None = None):
        self.data = data
        self.setting = self._choose(values, device)
        self.device = "cpu" if self.setting["device"] == "cpu" else "cuda"
        self.cases = [r for r in data["results"] if self._in_setting(r["case"])]
        formats = dict.fromkeys(
            r["case"]["selector"][5:] for r in self.cases if r["case"]["selector"].startswith("only:")
        )
        everyone = [Contestant("configuration", name, tiles) for tiles in TILES[self.device] for name in CONFIGURATIONS]
        everyone += [Contestant("format", name, tiles) for tiles in TILES[self.device] for name in formats]
        everyone += [Contestant("competitor", name) for name in COMPETITORS[self.device]]
        sources = dict.fromkeys(r["case"]["matrix"] for r in self.cases)
        self.matrices = sorted((m for s in sources if (m := self._matrix(s, everyone))), key=lambda m: m.nnz)
        self.contestants = [c for c in everyone if any(c in m.results for m in self.matrices)]
        self.left_out = [c.label for c in everyone if c not in self.contestants]
        self.unit = next(
            (r["speedups"][0]["baseline"] for m in self.matrices for r in m.results.values() if _products(r)), ""
        )

    def _choose(self, values, device):
        for kind, operators in TILES.items():
            for r in right_results(self.data):
                case = r["case"]
                is_asked_for = device in (None, kind) and values in (None, case["values"])
                is_of_suite = case["selector"] in CONFIGURATIONS or case["selector"].startswith("only:")
                if is_asked_for and is_of_suite and case["operator"] == operators[0]:
                    return case
        raise Failure("there is no right result of tiles; measure some with 'tilespmv bench --suite paper'")

    def _in_setting(self, case):
        return all(case[key] == self.setting[key] for key in ("values", "device", "threads"))

    def _matrix(self, source, everyone):
        cases = [r for r in right_results(self.data) if r["case"]["matrix"] == source and self._in_setting(r["case"])]
        if not cases:
            return None
        best = {}
        for contestant in everyone:
            own = [r for r in cases if contestant.has(r)]
            if own:
                best[contestant] = min(own, key=seconds)
        rows, nnz = cases[0]["rows"], cases[0]["nnz"]
        return Matrix(source, rows, nnz, 4 * (rows + 1) + nnz * (4 + cases[0]["value_bytes"]), best)

    def of_kind(self, *kinds: str, first_operator=False) -> list[Contestant]:
        skipped = "tile-warp" if first_operator else None
        return [c for kind in kinds for c in self.contestants if c.kind == kind and c.operator != skipped]

    def adaptive(self) -> Contestant | None:
        """The published rules, by the first operator."""
        return next((c for c in self.contestants if c.name == "paper-adaptive"), None)

    def failures(self) -> list[tuple[str, str, str]]:
        """What has no right result although it was tried: matrix, operator with selector, error."""
        failed = [r for r in self.cases if r["status"] not in ("ok", "skipped")]
        return [
            (source_name(r["case"]["matrix"]), f"{r['case']['operator']} {r['case']['selector']}".strip(), r["error"])
            for r in failed
        ]

    def preparation(self, result: dict) -> float:
        """From CSR in host memory to an operator that is ready, in products of the unit; 0 if it is not known."""
        return _products(result) if result["speedups"] and result["speedups"][0]["baseline"] == self.unit else 0

    def speedup(self, matrix: Matrix, of: Contestant, over: Contestant) -> float:
        """Over a competitor the median over the rounds of both, where it was recorded, else the ratio of medians; 0 if
        one of the two has no right result."""
        if of not in matrix.results or over not in matrix.results:
            return 0
        fast, slow = matrix.results[of], matrix.results[over]
        for s in fast["speedups"]:
            if (
                s["baseline"] == over.name
                and s["against"] == slow["case"]["operator"]
                and s.get("mode", "warm") == "warm"
            ):
                return s["median"]
        return seconds(slow) / seconds(fast)

    def speedups(self, of: Contestant, over: Contestant) -> list[float]:
        return [s for m in self.matrices if (s := self.speedup(m, of, over))]

    def pairs(self) -> list[tuple[Contestant, Contestant]]:
        """What the paper compares: the configurations with each competitor, with each other, and the adaptive one with
        every single format."""
        configurations = self.of_kind("configuration")
        pairs = [(c, over) for over in self.of_kind("competitor") for c in configurations]
        for number, of in enumerate(configurations):
            pairs += [
                (of, over) for over in configurations[:number] if of.operator == over.operator or of.name == over.name
            ]
        for of in configurations:
            if of.name == "paper-adaptive":
                pairs += [(of, over) for over in self.of_kind("format") if over.operator == of.operator]
        return pairs


def seconds(result: dict) -> float:
    return result["derived"]["median_s"]


def gigaflops(result: dict) -> float:
    return result["derived"]["gflops"]


def _products(result):
    return result["preprocess_products"] if result["speedups"] else 0


def geometric_mean(numbers: list[float]) -> float:
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def stored(result: dict, name: str) -> dict:
    """What a format holds; nothing if there are no tiles of it."""
    return next((f for f in result["formats"] if f["name"] == name), {"tiles": 0, "nnz": 0})


def stored_tiles(result: dict) -> int:
    return sum(f["tiles"] for f in result["formats"])
