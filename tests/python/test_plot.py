"""Charts of results, and the tables and figures of the paper."""

import copy
import csv
import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("matplotlib")

from tilespmv import _paper_results, paper, plot  # noqa: E402

GOLDEN = pathlib.Path(__file__).parents[1] / "tools/golden"
BENCH = json.loads((GOLDEN / "bench.json").read_text())
GPU = json.loads((GOLDEN / "bench_gpu.json").read_text())


def result(matrix="a.mtx", operator="tile-omp", selector="bytes", seconds=1.0, nnz=1000, **more):
    """A right one, like those that bench writes."""
    made = copy.deepcopy(BENCH["results"][0])
    case = dict(matrix=matrix, operator=operator, selector=selector)
    made["case"] |= case | {key: more.pop(key) for key in ("values", "device", "threads") if key in more}
    made["derived"] |= dict(median_s=seconds, gflops=2e-9 * nnz / seconds)
    return made | dict(nnz=nnz, rows=nnz // 10, speedups=[]) | more


def over(baseline, median, against=None, mode="warm"):
    return dict(speedups=[dict(baseline=baseline, against=against or baseline, median=median, mode=mode)])


def data_of(*results):
    return dict(BENCH, results=list(results))


def points(figure):
    """The points of a scatter plot, of all series in their order."""
    return [tuple(float(v) for v in p) for c in figure.axes[0].collections for p in c.get_offsets()]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def charts(*results, baseline="", mode="warm"):
    return {chart.name: chart for chart in plot.bench_charts(data_of(*results), baseline, mode)}


def test_speedups_over_the_first_baseline():
    base = result(operator="csr-omp", selector="", **over("csr-omp", 1))
    variant = result(operator="csr-omp:x=1", selector="", **over("csr-omp", 0.5))
    drawn = charts(base, variant, result(row_variation=0, **over("csr-omp", 4)), result("b.mtx", **over("other", 3)))
    assert points(drawn["speedup"].figure) == [(1000, 4)]
    assert legend(drawn["speedup"].figure) == ["tile-omp bytes", "csr-omp"]
    assert points(drawn["variation"].figure) == [(0.01, 4)]
    assert points(charts(result("b.mtx", **over("other", 3)), baseline="other")["speedup"].figure) == [(1000, 3)]
    assert charts(base, baseline="magic")["speedup"].note == "no case has a speed-up over magic"
    in_a_graph = result(**over("csr-omp", 7, mode="graph"))
    assert charts(in_a_graph)["speedup"].figure is None
    assert points(charts(in_a_graph, mode="graph")["speedup"].figure) == [(1000, 7)]


@pytest.mark.parametrize(
    "baseline, operator, stands",
    [
        ("cusparse", "cusparse-csr:alg=1", True),
        ("cusparse-csr", "cusparse-csr:alg=1", True),
        ("cusparse-csr:alg=1", "cusparse-csr:alg=1", True),
        ("cusparse-csr:alg=1", "cusparse-csr:alg=2", False),
        ("tile", "tile-warp", False),
        ("csr", "csrx", False),
    ],
)
def test_what_a_baseline_stands_for(baseline, operator, stands):
    assert plot.stands_for(baseline, operator, {"tile", "tile-warp", "cusparse-csr"}) == stands


def test_only_right_results_of_numbers_that_have_a_place_are_drawn():
    ok = result(**over("csr-omp", 2))
    others = [result(status="wrong", **over("csr-omp", 3)), result(nnz=0, **over("csr-omp", 3))]
    others += [result(**over("csr-omp", odd)) for odd in (0, -1, float("inf"), float("nan"))]
    assert points(charts(ok, *others)["speedup"].figure) == [(1000, 2)]


def test_series_are_told_apart_by_values_and_device_where_there_are_several():
    single = [result(**over("csr-omp", 2)), result(values="float32", **over("csr-omp", 3))]
    assert legend(charts(*single)["speedup"].figure) == ["tile-omp bytes float64", "tile-omp bytes float32", "csr-omp"]
    many = [result(operator=f"op{i}", selector="", **over("base", 2 + i)) for i in range(25)]
    figure = charts(*many)["speedup"].figure
    looks = {(str(c.get_facecolor()), str(c.get_paths()[0].vertices)) for c in figure.axes[0].collections[::2]}
    assert len(looks) == 25, "every series has a look of its own"


def test_bandwidth_is_hollow_where_all_fits_the_cache():
    in_cache = result("b.mtx")
    in_cache["derived"] |= dict(fits_cache=True, share_of_read_bandwidth=1.5)
    figure = charts(result(), in_cache)["bandwidth"].figure
    assert points(figure) == [(1000, pytest.approx(4.848, abs=1e-3)), (1000, 150)]
    assert legend(figure) == ["tile-omp bytes", "read bandwidth", "fits the cache"]
    faces = figure.axes[0].collections[0].get_facecolors()
    assert len(faces[0]) == 4 and faces[0][3] == 1 and faces[1][3] == 0
    assert "fits the cache" not in legend(charts(result())["bandwidth"].figure)


def test_what_a_matrix_executed_is_shown_once_whatever_the_threads():
    def part(representation, form, nnz):
        return dict(representation=representation, format=form, nnz=nnz)

    first = result("b.mtx", executed=[part("slots", "ell", 700), part("csr", "deferred", 300)])
    again = result("b.mtx", threads=1, executed=[part("strip", "", 1000)])
    second = result("dir/a.mtx.gz", executed=[part("csr", "deferred", 1000)])
    drawn = charts(first, again, second, result(operator="csr-omp", selector=""))
    figure = drawn["executed-tile-omp_bytes"].figure
    assert legend(figure) == ["ell in slots", "deferred"]
    shown = [(bar.get_x(), bar.get_width(), bar.get_y() + 0.4) for bar in figure.axes[0].patches]
    assert shown == [pytest.approx(bar) for bar in [(0, 0.7, 0), (0, 0, 1), (0.7, 0.3, 0), (0, 1, 1)]]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["b", "a"]
    names = [
        plot.part_name(part(r, f, 1)) for r, f in [("strip", ""), ("csr", "coo"), ("walked", "x"), ("tiles", "ell")]
    ]
    assert names == ["strip", "coo in rows", "x one by one", "ell"]


def test_sweeps_of_threads_a_row():
    def vector(specification, seconds, matrix="gen:web:n=9", **more):
        return result(matrix, specification, "", seconds, **more)

    swept = [vector("csr-vector:threads=2", 2e-6), vector("csr-vector:threads=4", 3e-6), vector("csr-vector", 4e-6)]
    swept += [vector("csr-scalar", 5e-6), vector("csr-vector:threads=8", 1, status="failed")]
    no_sweep = [vector("csr-vector:threads=2", 1, "b.mtx"), vector("csr-vector:threads=4,flight=1", 1, "b.mtx")]
    assert plot.thread_sweeps(plot.right_results(data_of(*swept, *no_sweep))) == {
        "web:n=9": {"threads": {2: 2e-6, 4: 3e-6}, "own": 4e-6, "scalar": 5e-6, "mean": 10}
    }
    panel = charts(*swept, *no_sweep)["threads"].figure.axes[0]
    assert panel.get_title() == "web:n=9, 10 nonzeros a row"
    assert list(panel.lines[0].get_xdata()) == [2, 4] and list(panel.lines[0].get_ydata()) == pytest.approx([2, 3])
    assert [text.get_text() for text in panel.get_xticklabels()] == ["1", "2", "4"]
    names = ["a.mtx", "b.mtx", "c.mtx", "d.mtx"]
    four = [vector(f"csr-vector:threads={t}", 1, name) for name in names for t in (2, 4)]
    panels = charts(*four)["threads"].figure.axes
    assert [panel.get_title()[0] for panel in panels] == ["a", "b", "c", "d"], "places without a matrix are empty"


def test_names_of_matrices():
    names = {"gen:fem:n=3": "fem:n=3", "dir/a.mtx.gz": "a", "b.tar.gz": "b", "c.tsp": "c", "d.1\x1b": "d.1\\x1b"}
    assert {source: plot.source_name(source) for source in names} == names
    assert plot.file_name("paper-deferred:defer=3/../a b") == "paper-deferred_defer_3_.._a_b"


def solved(**more):
    text = (GOLDEN / "solve_report.txt").read_text()
    return json.JSONDecoder().raw_decode(text, text.index("\n{\n") + 1)[0] | more


def test_convergence():
    data = solved(rhs_norm=2.0, tolerance=1e-8, history=dict(iterations=[0, 10, 20], residuals=[2.0, None, 1e-9]))
    (chart,) = plot.solve_charts(data)
    line, tolerance = chart.figure.axes[0].lines
    assert list(line.get_xdata()) == [0, 20] and list(line.get_ydata()) == [1, 5e-10]
    assert tolerance.get_ydata()[0] == 5e-9 and line.get_marker() == "o"
    many = dict(iterations=list(range(61)), residuals=[1.0] * 61)
    assert plot.solve_charts(data | dict(history=many))[0].figure.axes[0].lines[0].get_marker() == "None"
    (nothing,) = plot.solve_charts(solved(rhs_norm=None, tolerance=None))
    assert len(nothing.figure.axes[0].lines) == 1
    (several,) = plot.solve_charts(data | {"right_hand_sides": [data, data]})
    assert len(several.figure.axes[0].lines) == 4


@pytest.fixture
def command(capsys):
    """Runs the command of a module; its exit code, what it said and what it complained about."""

    def run(module, *arguments):
        code = 0
        try:
            module.main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return (1, said.out, f"{code}\n") if isinstance(code, str) else (code, said.out, said.err)

    return run


def test_plot_command(command, tmp_path):
    data = data_of(*BENCH["results"], result("$x_1$.mtx", **over("csr-omp", 3)))
    (tmp_path / "results.json").write_text(json.dumps(data))
    code, said, notes = command(plot, tmp_path / "results.json", "-o", tmp_path / "new/plots")
    names = ["speedup", "bandwidth", "variation", "executed-tile-omp_paper_coo_3_ell_0.5", "executed-tile-omp_bytes"]
    assert (code, said.split(), notes) == (0, [f"{tmp_path}/new/plots/{name}.svg" for name in names], "")
    code, said, notes = command(plot, tmp_path / "results.json", "-o", tmp_path, "--baseline", "magic")
    assert (code, len(said.split())) == (0, 3)
    assert notes.startswith(f"{tmp_path}/speedup.svg left out: no case has a speed-up over magic\n")
    assert ">$x_1$<" in (tmp_path / "new/plots/executed-tile-omp_bytes.svg").read_text(), "texts stay texts"
    (tmp_path / "solve.json").write_text(json.dumps(solved()))
    arguments = ["-m", "tilespmv.plot", tmp_path / "solve.json", "-o", tmp_path, "--format", "png"]
    assert subprocess.check_output([sys.executable, *arguments], text=True) == f"{tmp_path}/convergence.png\n"
    assert (tmp_path / "convergence.png").read_bytes().startswith(b"\x89PNG")


def test_tiles_of_a_matrix(command, tmp_path):
    assert command(plot, "gen:laplace2d:n=20", "-o", tmp_path) == (0, f"{tmp_path}/tiles.svg\n", "")
    assert "nonzeros in tiles" in (tmp_path / "tiles.svg").read_text()
    assert command(plot, tmp_path / "a.mtx", "-o", tmp_path)[::2] == (
        1,
        f"tilespmv.plot: {tmp_path}/a.mtx: cannot be read: No such file or directory\n",
    )


def test_plot_command_says_what_is_wrong(command, tmp_path):
    (tmp_path / "failed.json").write_text(json.dumps(data_of(result(status="failed"))))
    (tmp_path / "other.json").write_text("[1]")
    (tmp_path / "text.json").write_text("{")
    for file, expected in {
        "failed.json": "tilespmv.plot: there is no right result that could be drawn\n",
        "missing.json": f"tilespmv.plot: {tmp_path}/missing.json: No such file or directory\n",
        "other.json": f"tilespmv.plot: {tmp_path}/other.json: expected a file of tilespmv bench --json or tilespmv "
        "solve --json\n",
    }.items():
        assert command(plot, tmp_path / file, "-o", tmp_path / "none") == (1, "", expected)
    assert command(plot, tmp_path / "text.json", "-o", tmp_path / "none")[2].count("\n") == 1
    assert command(plot, tmp_path / "text.json")[0] == 2
    assert not (tmp_path / "none").exists()


# The paper


def paper_results(matrices=("a", "b")):
    """On a GPU, with all contestants: b is larger and a is listed after it; speeds are ratios of small numbers."""
    gpu = dict(device="Some GPU", threads=1)
    results = []
    for scale, name in reversed(list(enumerate(matrices, 1))):
        nnz, matrix = 1000 * scale, f"folder/{name}.mtx"

        def put(operator, selector, seconds, nnz=nnz, matrix=matrix, **more):
            results.append(result(matrix, operator, selector, seconds, nnz, **gpu, preprocess_products=8.0, **more))

        put("cusparse-bsr:block=8", "", 1e-9, status="skipped", error="too many bytes")
        put("csr-merge", "", 2.0, **over("csr-merge", 1))
        put("cusparse-bsr:block=2", "", 5.0)
        put("cusparse-bsr:block=4", "", 4.0)
        if scale == 1:
            put("csr5", "", 1.0, status="failed", error="out of memory")
        else:
            put("csr5", "", 1.5)
        for operator, factor in (("tile", 1), ("tile-warp", 2)):
            for number, selector in enumerate(_paper_results.CONFIGURATIONS):
                # On a the recorded speed-up is not the ratio of the medians.
                recorded = over("csr-merge", 3) if scale == 1 else {}
                formats = [dict(name="ell", tiles=30, nnz=3 * nnz // 4), dict(name="coo", tiles=10, nnz=nnz // 4)]
                put(operator, selector, factor * (number + 1) / 2, formats=formats, **recorded)
            for name_of_format in ("ell", "coo"):
                put(operator, f"only:{name_of_format}", factor * 4.0)
    results.append(result("c.mtx", "tile", "paper-csr", 1e-9, **gpu | dict(device="other GPU")))
    results.append(result("c.mtx", "tile-omp", "paper-csr", 1.0))
    return data_of(*results)


def rows_of(table):
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]


def section(text, title):
    return rows_of(text.partition(f"## {title}\n")[2].partition("## ")[0].partition("\n| ")[2].strip())


def test_paper_tables():
    results = _paper_results.Paper(paper_results())
    assert [m.name for m in results.matrices] == ["a", "b"]
    assert results.setting["device"] == "Some GPU"
    text = paper.tables(results)
    speeds = section(text, "GFLOP/s: configurations and competitors")
    assert speeds[0][2:4] == ["paper-csr", "paper-adaptive"] and speeds[0][-3:] == ["csr-merge", "cusparse-bsr", "csr5"]
    data = paper_results()
    for r in data["results"]:
        r["derived"]["gflops"] *= 1e6
    speeds = section(paper.tables(_paper_results.Paper(data)), "GFLOP/s: configurations and competitors")
    expected = "a 1,000 **4.00** 2.00 1.33 1.00 2.00 1.00 0.67 0.50 1.00 0.50 -"
    assert speeds[2] == expected.split()
    assert speeds[3][-2:] == ["1.00", "2.67"], "the fastest of the variants of BSR"
    assert section(text, "Formats that paper-adaptive chose")[2] == ["a", "40", "75.0 / 75.0", "25.0 / 25.0"]
    assert section(text, "Preparation in products of csr-merge")[2][2] == "8.00"
    assert section(text, "Preparation in products of csr-merge")[3][2] == "-", "in products of another operator"
    pairs = {(row[0], row[1]): row[2:] for row in section(text, "Speed-ups")[2:]}
    assert pairs["paper-csr", "csr-merge"] == ["2", "3.46", "3.00", "4.00", "2"], "recorded on a, by medians on b"
    assert pairs["paper-tuned", "csr5"] == ["1", "0.75", "0.75", "0.75", "0"]
    assert pairs["tile-warp paper-csr", "paper-csr"] == ["2", "0.50", "0.50", "0.50", "0"]
    assert pairs["paper-adaptive", "ell"] == ["2", "4.00", "4.00", "4.00", "2"]
    assert ("paper-csr", "paper-adaptive") not in pairs and ("tile-warp paper-csr", "paper-adaptive") not in pairs
    assert text.endswith("## Failed\n\n- a, csr5: out of memory\n")


def test_paper_preparation_is_drawn_in_products():
    drawn = {chart.name: chart.figure for chart in paper.charts(_paper_results.Paper(paper_results()))}
    assert {products for _, products in points(drawn["preparation"])} == {8}


def test_paper_bytes():
    csr = 4 * 101 + 12 * 1000
    sizes = dict(tiled_bytes=csr, published_bytes=2 * csr, matrix_bytes=csr // 2)
    results = _paper_results.Paper(data_of(result(operator="tile-omp", selector="paper-csr", **sizes)))
    table = section(paper.tables(results), "Bytes over CSR with 32-bit indices")
    assert table[2] == ["a", "1,000", "1.00 / 2.00 / 0.50"]
    assert results.matrices[0].csr_bytes == csr
    chart = next(chart for chart in paper.charts(results) if chart.name == "storage")
    assert points(chart.figure) == [(1000, 1), (1000, 2)]
    assert [face[3] for face in chart.figure.axes[0].collections[0].get_facecolors()] == [1, 0]
    assert results.left_out[:2] == ["paper-adaptive", "paper-deferred"]


def test_paper_figures_have_three_digits():
    assert [paper.figure(v) for v in (0, 9.994, 9.996, 99.94, 99.96)] == ["-", "9.99", "10.0", "99.9", "100"]
    assert paper.markdown(["a|b", "c"], [["d", "e"]]) == "| a\\|b | c |\n| --- | ---: |\n| d | e |\n"


def test_paper_chooses_among_results():
    data = paper_results()
    data["results"] += [result("x.mtx", "tile-omp", "paper-csr", 1.0, threads=3, values="float32")]
    data["results"] += [result("y.mtx", "tile-omp", "paper-csr", 1.0, threads=4, values="float32")]
    assert _paper_results.Paper(data, device="cpu").setting["device"] == "cpu"
    assert [m.name for m in _paper_results.Paper(data, device="cpu").matrices] == ["c"]
    assert [m.name for m in _paper_results.Paper(data, values="float32").matrices] == ["x"]
    data["results"][-1]["speedups"] = over("csr-omp", 9, against="csr-omp:slower")["speedups"]
    data["results"] += [result("y.mtx", "csr-omp", "", 3.0, threads=4, values="float32")]
    del data["results"][-3]
    fourth = _paper_results.Paper(data, values="float32")
    assert fourth.speedups(*fourth.contestants) == [3], "what was recorded over another variant does not count"
    for other in [dict(data=data, values="float16"), dict(data=data_of(result(selector="bytes")))]:
        with pytest.raises(plot.Failure, match="^there is no right result of tiles; measure some with 'tilespmv bench --suite paper'$"):
            _paper_results.Paper(**other)


def test_paper_command(command, tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(paper_results()))
    code, said, error = command(paper, tmp_path / "results.json", "-o", tmp_path / "paper")
    assert (code, error) == (1, "tilespmv.paper: 1 of the matrices failed, in part or as a whole: a\n")
    figures = ["gflops", "configurations", "formats", "shares-tiles", "shares-nonzeros", "storage", "preparation"]
    figures += ["speedup-csr-merge", "speedup-cusparse-bsr", "speedup-csr5"]
    assert said.split() == [
        f"{tmp_path}/paper/{name}" for name in ["tables.md", "tables.csv", *(f"{f}.svg" for f in figures)]
    ]
    with open(tmp_path / "paper/tables.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 14 + 1 and {len(row) for row in rows} == {26}
    best = next(r for r in rows if r["matrix"] == "folder/b.mtx" and r["contestant"] == "cusparse-bsr")
    assert best["operator"] == "cusparse-bsr:block=4" and best["tiles"] == "" and best["speedup_over_csr5"] == "0.375"
    own = next(r for r in rows if r["contestant"] == "tile-warp paper-deferred")
    assert (own["kind"], own["tiles"], own["ell_nnz"], own["deferred_nnz"]) == ("configuration", "40", "750", "0")
    assert "paper-csr 3.46× 2/2" in (tmp_path / "paper/speedup-csr-merge.svg").read_text()


# All that charts and tables say, as files


def shown(numbers):
    return " ".join(f"{number:.4g}" for number in numbers)


def axis_of(axes, which):
    axis = getattr(axes, f"{which}axis")
    form, scale = axis.get_major_formatter(), axis.get_scale()
    scale_text = f"{scale} {axis.get_transform().base:g}" if scale == "log" else scale
    text = f"    {which}: {axis.get_label_text()!r}, {scale_text}, grid {axis.get_gridlines()[0].get_visible()}"
    text += f", 2000 is {form(2000)!r}, 0.5 is {form(0.5)!r}"
    return text + (f", ticks {shown(t for t in axis.get_majorticklocs() if 1 <= t <= 1e4)}" if scale == "log" else "")


def described(chart):
    """Its texts, scales, colours and numbers."""
    from matplotlib.colors import to_hex

    figure, label_of = chart.figure, lambda drawn: drawn.get_label() if drawn.get_label()[0] != "_" else ""
    if figure is None:
        return f"{chart.name}: none, {chart.note}\n"
    lines = [f"{chart.name}: {figure._suptitle.get_text()!r}, {shown(figure.get_size_inches())} inches"]
    lines[0] += f", letters of {figure._suptitle.get_fontsize():g}, {type(figure.get_layout_engine()).__name__}"
    for axes in figure.axes:
        lines.append(f"  axes {axes.get_title()!r}, letters of {axes.title.get_fontsize():g}, grid below {axes.get_axisbelow()}")
        lines += [axis_of(axes, "x"), axis_of(axes, "y")]
        for c in axes.collections:
            faces = [to_hex(face) if face[3] else "hollow" for face in c.get_facecolors()]
            dots = [shown(point) for point in c.get_offsets()]
            lines.append(f"    points {label_of(c)!r} {to_hex(c.get_edgecolors()[0])} {faces} size {shown(c.get_sizes())}: {dots}")
        for line in axes.lines:
            look = f"{to_hex(line.get_color())} {line.get_linestyle()} {line.get_marker()} {line.get_fillstyle()}"
            look += f" {line.get_linewidth():g} wide, markers of {line.get_markersize():g}, alpha {line.get_alpha()}"
            lines.append(f"    line {label_of(line)!r} {look}: {shown(line.get_xdata())}; {shown(line.get_ydata())}")
        for bar in axes.patches:
            lines.append(f"    bar {to_hex(bar.get_facecolor())}: {shown([*bar.get_xy(), bar.get_width(), bar.get_height()])}")
        if axes.patches:
            labels = [label.get_text() for label in axes.get_yticklabels()]
            lines.append(f"    bars of {labels}, limits {shown([*axes.get_xlim(), *axes.get_ylim()])}")
    for legend in [*figure.legends, *filter(None, (axes.get_legend() for axes in figure.axes))]:
        texts = [text.get_text() for text in legend.get_texts()]
        lines.append(f"  legend {legend.get_title().get_text()!r}, frame {legend.get_frame_on()}, letters of {legend._fontsize:g}: {texts}")
    return "\n".join(lines) + "\n"


def many_results():
    def part(representation, form, nnz):
        return dict(representation=representation, format=form, nnz=nnz)

    executed = [part("slots", "ell", 700), part("csr", "deferred", 300)]
    made = [result(row_variation=0.5, executed=executed, **over("csr-omp", 2)), result("b.mtx", executed=[part("strip", "", 1000)])]
    made += [result("b.mtx", "other", "", 2.0, 2000000, row_variation=3, **over("csr-omp", 0.5)), result(operator="csr-omp", selector="")]
    made[1]["derived"] |= dict(fits_cache=True, share_of_read_bandwidth=1.5)
    sweep = {"csr-vector:threads=2": 2e-6, "csr-vector:threads=4": 3e-6, "csr-vector": 4e-6, "csr-scalar": 5e-6}
    return made + [result(f"{m}.mtx", name, "", t, executed=[]) for m in "abcd" for name, t in sweep.items()]


def test_all_that_charts_of_benchmarks_say(golden):
    bench = plot.bench_charts(data_of(*many_results())) + plot.bench_charts(GPU) + plot.bench_charts(data_of(), "x")
    golden("python_charts_of_bench.txt", "".join(map(described, bench)))


def test_all_that_charts_of_solves_say(golden):
    history = dict(iterations=[0, 10, 20, 30], residuals=[2.0, None, 1e-9, 0.0])
    data = solved(rhs_norm=2.0, tolerance=1e-8, history=history)
    charts = [*plot.solve_charts(data), *plot.solve_charts(data | {"right_hand_sides": [data, data | dict(rhs_norm=0)]})]
    golden("python_charts_of_solve.txt", "".join(map(described, charts)))


@pytest.mark.filterwarnings("ignore:No artists with labels")
def test_all_that_charts_and_tables_of_the_paper_say(golden):
    data = paper_results()
    for number, r in enumerate(data["results"]):
        r["derived"] |= dict(noise=0.01, preprocess_median_s=0.25, gflops=1e6 * r["derived"]["gflops"])
        r["warm"] = dict(r["warm"], converged=number % 5 > 0, seconds=[1.0] * (8 + number % 3))
        r |= dict(matrix_bytes=9000 + number, tiled_bytes=7000 + number, published_bytes=5000)
    of_gpu, of_cpu = _paper_results.Paper(data), _paper_results.Paper(data, device="cpu")
    nothing = _paper_results.Paper(data_of(result("a", "tile-omp", "only:ell", tiled_bytes=0, published_bytes=0)))
    for name, results in [("gpu", of_gpu), ("cpu", of_cpu), ("nothing", nothing)]:
        golden(f"python_paper_{name}.md", paper.tables(results))
        golden(f"python_paper_{name}.csv", paper.csv_text(results))
        golden(f"python_paper_{name}.txt", "".join(map(described, paper.charts(results))))


@pytest.mark.parametrize(
    "module, texts",
    [
        (plot, ["Charts of benchmarks, solves (tilespmv bench --json, solve --json) and tiles.", "RESULTS.json|MATRIX", "a matrix"]),
        (plot, ["-o FOLDER", "made if it is missing", "{svg,png}", "of the pictures (default: svg)", "in .json, or a matrix"]),
        (plot, ["of the speed-ups (default: the first one in the results)", "as of bench --mode (default: warm)"]),
        (paper, ["Tables and figures of the TileSpMV paper", "of tilespmv bench --suite paper --json", "{cpu,cuda}"]),
        (paper, ["type of the values (default: that of the first result of tiles)", "default: the GPU if there are results"]),
    ],
)
def test_help(command, monkeypatch, module, texts):
    monkeypatch.setenv("COLUMNS", "200")
    code, said, _ = command(module, "--help")
    said = " ".join(said.split())
    assert code == 0 and said.startswith(f"usage: {module.__name__} ") and [t for t in texts if t not in said] == []
