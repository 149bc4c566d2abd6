"""Results of `tilespmv bench --json` for the tables of tables.py."""
import json
import math
import pathlib

# What a mode of `bench` is called in tables, and where its time stands in a result.
MODES = {"back to back": "median_s", "in a graph": "graph_median_s", "in a chain": "chain_median_s",
         "after an axpy": "axpy_median_s", "single, cold caches": "cold_median_s"}
SIZES = {"fewer than 1M nonzeros": (0, 1e6), "1M to 6M": (1e6, 6e6), "more": (6e6, math.inf)}


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


class Comparison:
    """Of one matrix in one mode: `auto`, the forms of cuSPARSE and the other operators, each a result with a time."""

    def __init__(self, name, matrix, mode):
        self.name, self.nnz, self.key = name, matrix.nnz, MODES[mode]
        timed = [r for r in matrix.results.values() if r["derived"].get(self.key)]
        self.auto = next((r for r in timed if is_auto(r)), None)
        self.peers = [r for r in timed if r["case"]["operator"].startswith("cusparse")]
        self.ours = [r for r in timed if not is_auto(r) and r not in self.peers]

    def time(self, result):
        return result["derived"][self.key]

    def fastest(self, results):
        return min(results, key=self.time)

    def speedup(self, result=None):
        """Of `auto` or another result over the fastest form of cuSPARSE."""
        return self.time(self.fastest(self.peers)) / self.time(result or self.auto)


def is_auto(result):
    return result["case"]["operator"].split(":")[0] == "auto"


def read(content):
    """The matrices of each kind of block ("" for one vector) and type of values, by name."""
    kinds = {}
    for result in content.get("results", []):
        if result["status"] == "ok":
            case = result["case"]
            name = case["matrix"].removeprefix("gen:").rsplit("/", 1)[-1].removesuffix(".mtx.xz")
            matrices = kinds.setdefault((case.get("vectors", ""), case["values"]), {})
            matrices.setdefault(name, Matrix()).results[case["operator"], case["selector"]] = result
    return kinds


def comparisons(contents, mode="back to back"):
    """Of every matrix with `auto` and cuSPARSE in this mode, by (vectors, values) and name. Of several files with the
    same matrix that counts which has the most forms of cuSPARSE."""
    found = {}
    for content in contents:
        for kind, matrices in read(content).items():
            for name, matrix in matrices.items():
                new, old = Comparison(name, matrix, mode), found.get(kind, {}).get(name)
                if new.auto and new.peers and (old is None or len(new.peers) > len(old.peers)):
                    found.setdefault(kind, {})[name] = new
    return found


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def revision(content):
    revision, _, dirty = content["build"]["revision"].partition("-")
    return f"`{revision[:8]}`" + (" with changes" if dirty else "")


def machine(content):
    """The processors and the revision of a run."""
    of = content["machine"]
    cpu = of["cpu"].replace("(R)", "").removesuffix(" Processor")
    if not of.get("gpu"):
        return f"{of['cores']} cores of an {cpu}, revision {revision(content)}"
    cuda = of["gpu"]["runtime"] // 10 / 100
    return f"one {of['gpu']['name']}, {of['cores']} cores of an {cpu}, CUDA {cuda:.1f}, revision {revision(content)}"


def machines(contents):
    """A line for each machine and revision."""
    return "; ".join(dict.fromkeys(machine(content) for content in contents if "machine" in content))


def number(value):
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def print_table(header, rows):
    print(table(header, rows) + "\n")
