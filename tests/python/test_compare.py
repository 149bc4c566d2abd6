"""Which cases became faster or slower."""

import copy
import json
import math
import pathlib
import random

import pytest

from tilespmv import compare
from tilespmv.compare import Comparer, Ratio, median_with_interval, ratio_of_runs

GOLDEN = pathlib.Path(__file__).parents[1] / "tools/golden"


def noisy(median, noise=0.005, count=60, seed=1):
    """Times about a median, with a long tail towards slow ones."""
    draw = random.Random(seed)
    return [median * math.exp(draw.gauss(0, noise)) for _ in range(count)]


def result(operator="tile-omp", seconds=(), matrix="a", status="ok", **more):
    case = dict(matrix=matrix, operator=operator, selector="", values="float64", accumulator="float64", device="cpu")
    case |= dict(threads=2) | {key: more.pop(key) for key in ("values", "device", "threads") if key in more}
    return dict(case=case, status=status, warm=dict(seconds=list(seconds)), speedups=[]) | more


def run_of(medians: dict, seed=1):
    """A run of the benchmark with these medians by operator."""
    return dict(results=[result(name, noisy(t, seed=seed * 10 + i)) for i, (name, t) in enumerate(medians.items())])


def verdict(first, second, effect=0.05):
    return median_with_interval(second).over(median_with_interval(first)).verdict(effect)


@pytest.mark.parametrize(
    "ratio, effect, expected",
    [
        ((0.8, 0.7, 0.95), 0.05, "faster"),
        ((0.8, 0.7, 0.96), 0.05, "unclear"),
        ((1.2, 1.06, 1.4), 0.05, "slower"),
        ((1.2, 1.04, 1.4), 0.05, "unclear"),
        ((1, 0.96, 1.04), 0.05, "same"),
        ((1, 0.94, 1.04), 0.05, "unclear"),
        ((1, 0.96, 1.06), 0.05, "unclear"),
        # An end at the border is no effect.
        ((0.7, 0.6, 0.8), 0.25, "unclear"),
        ((1.3, 1.25, 1.4), 0.25, "unclear"),
        ((1, 0.8, 1.25), 0.25, "same"),
    ],
)
def test_the_whole_interval_decides(ratio, effect, expected):
    assert Ratio(*ratio).verdict(effect) == expected


def test_samples_decide():
    base = noisy(1e-3, 0.05, 100)
    assert verdict(base, noisy(0.8e-3, 0.05, 100, 2)) == "faster"
    assert verdict(base, noisy(1.25e-3, 0.05, 100, 3)) == "slower"
    assert verdict(base, noisy(1e-3, 0.05, 100, 4)) == "same"
    assert verdict(noisy(1, 0.3, 12), noisy(1.1, 0.3, 12, 2)) == "unclear"
    assert verdict(noisy(1, 0.001, 50), noisy(1.03, 0.001, 50, 2)) == "same"
    assert verdict(noisy(1, 0.02, 50), noisy(1.05, 0.02, 50, 5)) == "unclear"


def test_few_samples_decide_nothing():
    assert verdict([1] * 5, [2] * 7) == verdict([2] * 7, [1] * 5) == "unclear"
    assert median_with_interval([1, 2, 3, 4, 5]) == (3, 0, math.inf)
    assert median_with_interval([6, 5, 4, 3, 2, 1]) == (3.5, 1, 6)
    assert median_with_interval(list(range(1, 10))) == (5, 2, 8)


def test_intervals_cover_the_true_ratio_as_often_as_they_say():
    covered = 0
    for trial in range(1000):
        first, second = noisy(1, 0.1, 40, 2 * trial), noisy(3, 0.05, 25, 2 * trial + 1)
        ratio = median_with_interval(second).over(median_with_interval(first))
        covered += ratio.low <= 3 <= ratio.high
    assert 940 <= covered <= 990
    for before, after in [(1, 2), (2, 2), (3, 5), (40, 3)]:
        pairs = ((noisy(1, 0.1, before, 2 * t), noisy(3, 0.1, after, 2 * t + 1)) for t in range(2000))
        ratios = [ratio_of_runs(*pair) for pair in pairs]
        assert abs(sum(r.low <= 3 <= r.high for r in ratios) - 1900) < 40, (before, after)


def test_two_runs_of_one_program_are_seldom_anything_but_the_same():
    verdicts = [verdict(noisy(1, 0.05, 60, 2 * t), noisy(1, 0.05, 60, 2 * t + 1)) for t in range(300)]
    assert verdicts.count("same") > 250 and not {"faster", "slower"} & set(verdicts)


def compared(first, second, **rules):
    return Comparer([dict(results=first)], [dict(results=second)], **rules).all()


def test_every_case_of_either_side_is_listed():
    ones, twos = [1.0] * 10, [2.0] * 10
    first = [
        result(seconds=twos, matrix="both"),
        result(seconds=ones, matrix="gone"),
        result(matrix="broke", seconds=ones),
    ]
    second = [
        result(seconds=ones, matrix="new"),
        result(seconds=ones, matrix="both"),
        result(matrix="broke", status="wrong"),
    ]
    found = compared(first, second)
    assert [(c.case["matrix"], c.verdict) for c in found] == [
        ("both", "faster"),
        ("gone", "only in the first"),
        ("broke", "wrong in the second"),
        ("new", "only in the second"),
    ]
    assert (found[0].ratio.median, found[0].times, found[3].times) == (0.5, (2, 1), (0, 1))
    failed = result(status="failed")
    assert compared([failed], [result(seconds=ones)])[0].verdict == "failed in the first"
    assert compared([result(seconds=ones)], [result(seconds=ones, pattern_values="ones")])[0].verdict == (
        "of other values (--pattern-values)"
    )


def test_times_of_one_mode_decide():
    first = result(seconds=[1.0] * 10, graph=dict(seconds=[2.0] * 10))
    second = result(seconds=[1.0] * 10)
    assert compared([first], [second], mode="graph")[0].verdict == "not measured in the second"
    assert compared([second], [first], mode="graph")[0].verdict == "not measured in the first"
    second["graph"] = dict(seconds=[3.0] * 10)
    slower = compared([first], [second], mode="graph")[0]
    assert (slower.verdict, slower.times) == ("slower", (2, pytest.approx(3)))
    assert compared([first], [second])[0].verdict == "same"


def test_several_runs_a_side_show_how_much_they_differ():
    def verdict_of(first, second):
        sides = [
            [run_of({"tile-omp": t}, 10 * s + i) for i, t in enumerate(side)]
            for s, side in enumerate((first, second), 1)
        ]
        return Comparer(*sides).all()[0]

    assert verdict_of([1.5], [1]).verdict == "faster", "what one run says"
    unclear = verdict_of([1.5, 1.1], [1, 1.3])
    assert (unclear.verdict, unclear.is_of_runs, unclear.witness) == ("unclear", True, None)
    assert unclear.times[0] == pytest.approx(math.sqrt(1.5 * 1.1), abs=0.01)
    assert verdict_of([1.5, 1.51], [1, 1.01]).verdict == "faster"
    assert verdict_of([1], [1.5, 1.5, 1.51]).verdict == "slower"
    assert verdict_of([1, 1.01], [1.01, 1, 1.005]).verdict == "same"
    wrong = dict(results=[result(status="wrong")])
    right = [run_of({"tile-omp": 1}, seed) for seed in (1, 2)]
    assert Comparer([right[0], wrong], [right[1]]).all()[0].verdict == "wrong in the first"


def with_witness(tiles, csr, witness="csr-omp", more=()):
    first, second = run_of({"tile-omp": 1, "csr-omp": 1}, 1), run_of({"tile-omp": tiles, "csr-omp": csr}, 2)
    return Comparer([*more, first], [second], witnesses=[witness]).all()


@pytest.mark.parametrize(
    "tiles, csr, expected",
    [
        (0.68, 1, "faster"),
        (0.68, 0.68, "unclear"),  # the whole run was faster
        (1, 0.68, "unclear"),  # slower than the rest of the run
        (1, 1, "same"),
        (1, 1.048, "same"),  # nothing else is sure
        (0.94, 0.98, "unclear"),  # faster by itself alone
        (1.5, 0.98, "slower"),
        (1.5, 1.5, "unclear"),
    ],
)
def test_a_witness_must_agree(tiles, csr, expected):
    assert with_witness(tiles, csr)[0].verdict == expected


def test_a_witness_is_compared_with_what_it_must_be():
    tiles, csr = with_witness(0.68, 1, "csr")
    assert csr.verdict == "same" and tiles.witness.median == pytest.approx(1, abs=0.01)
    tiles, csr = with_witness(1, 1.5)
    assert csr.verdict == "unclear" and tiles.witness.median == pytest.approx(1.5, abs=0.02)
    tiles, _ = with_witness(0.68, 0.68, "other")
    assert (tiles.verdict, tiles.witness) == ("faster", None)
    sides = run_of({"tile-omp": 1, "a": 1, "b": 1}, 1), run_of({"tile-omp": 1, "a": 0.5, "b": 1.6}, 2)
    assert Comparer([sides[0]], [sides[1]], witnesses=["a", "b"]).all()[0].witness.median == pytest.approx(
        0.5, abs=0.01
    )
    del sides[1]["results"][1]
    assert Comparer([sides[0]], [sides[1]], witnesses=["a", "b"]).all()[0].witness.median == pytest.approx(
        1.6, abs=0.02
    )


@pytest.mark.parametrize("key, value", [("values", "float32"), ("matrix", "b"), ("threads", 64), ("device", "x")])
def test_a_witness_is_that_of_the_same_matrix_values_and_device(key, value):
    sides = run_of({"tile-omp": 1, "csr-omp": 1}, 1), run_of({"tile-omp": 0.5, "csr-omp": 0.5}, 2)
    assert Comparer([sides[0]], [sides[1]], witnesses=["csr-omp"]).all()[0].verdict == "unclear"
    for side in sides:
        side["results"][1]["case"][key] = value
    assert Comparer([sides[0]], [sides[1]], witnesses=["csr-omp"]).all()[0].witness is None


@pytest.mark.parametrize("csr, expected", [(1, "faster"), (0.5, "unclear")])
def test_a_witness_is_that_of_the_run_that_has_the_case(csr, expected):
    found = with_witness(0.5, csr, more=[run_of({"csr-omp": 7}, 3)])
    assert next(c for c in found if c.case["operator"] == "tile-omp").verdict == expected


def test_witnesses_are_the_baselines_that_all_runs_have():
    def data(*baselines):
        return dict(results=[result(speedups=[dict(baseline=name) for name in baselines])])

    assert compare.common_baselines([data("csr-omp", "tile-omp"), data("csr-omp")]) == ["csr-omp"]
    assert compare.common_baselines([data("csr-omp"), data()]) == []


def test_command(capsys, tmp_path):
    data = json.loads((GOLDEN / "bench.json").read_text())
    names = []
    for name, factor in [("a", 1), ("b", 0.5), ("c", 1)]:
        for r in data["results"]:
            if "warm" in r:
                r["warm"]["seconds"] = [factor * t for t in r["warm"]["seconds"]]
        names.append(str(tmp_path / f"{name}.json"))
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
        data["machine"]["cores"] += name == "b"
    compare.main([names[0], names[1], "--witness", "none"])
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0] == f"first:  {names[0]} (revision 0123456789ab, Some compiler 12)"
    assert lines[3].split()[:6] == ["ten", "tile-omp", "paper:coo=3,ell=0.5", "float64", "float64", "8"]
    assert lines[3].split()[6:] == ["14.53", "7.263", "2.000x", "1.831", "to", "2.185", "-", "faster"]
    assert lines[-1] == "1 faster, 0 slower, 0 same, 0 unclear, 4 not compared"
    assert len({len(line) for line in lines[2:8]}) == 1, "columns are aligned"
    assert said.err == "" and "by the noise within two runs alone" in said.out and "runs of a side differ" not in said.out
    compare.main([names[0], names[1], "--effect", "200", "--second", names[2]])
    said = capsys.readouterr()
    assert "by how much runs of a side differ" in said.out and "different machines" in said.err
    compare.main([names[0], names[1], "--witness", "tile-omp", "--witness", "csr-omp"])
    assert "the speed-up of tile-omp, csr-omp, which is taken not to have changed" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="given twice on one side"):
        compare.main([names[0], names[1], "--first", names[0]])
    with pytest.raises(SystemExit, match="missing.json: No such file"):
        compare.main([names[0], str(tmp_path / "missing.json")])


def test_all_that_it_says(capsys, tmp_path, monkeypatch, golden):
    monkeypatch.chdir(tmp_path)
    data = json.loads((GOLDEN / "bench.json").read_text())
    data["results"].append(other := copy.deepcopy(data["results"][0]))
    other["case"] |= dict(operator="csr-omp", selector="")
    for name, factor in [("a", 1), ("b", 0.5), ("c", 1)]:
        for r in data["results"][:-1]:
            if "warm" in r:
                r["warm"]["seconds"] = [factor * t for t in r["warm"]["seconds"]]
        data["machine"]["cores"] += name == "c"
        pathlib.Path(f"{name}.json").write_text(json.dumps(data))
    text = ""
    for options in ["", "--witness none", "--witness csr-omp", "--second c.json", "--effect 200", "--mode cold", "--first c.json"]:
        compare.main(["a.json", "b.json", *options.split()])
        said = capsys.readouterr()
        text += f"$ a.json b.json {options}\n{said.err}{said.out}\n"
    golden("python_compare.txt", text)


def test_help(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit, match="0"):
        compare.main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "usage: tilespmv.compare " in said and "(tilespmv bench --json) are faster, slower" in said
    for text in ["of tilespmv bench --json", "a further run of the first;", "a further run of the second;", "--witness NAME",
                 "(default: the baselines of all; none: no witness)", "in percent (default: 5)", "bench --mode (default: warm)"]:
        assert text in said


def test_quantiles_of_student():
    stats = pytest.importorskip("scipy.stats")
    assert compare.STUDENT == tuple(round(float(stats.t.ppf(0.975, freedom)), 3) for freedom in range(1, 31))
