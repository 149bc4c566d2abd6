"""Tables and figures of the TileSpMV paper (Niu et al., IPDPS 2021) from results of ``tilespmv bench --suite paper``.

tilespmv bench A.mtx ... --suite paper --json results.json
python -m tilespmv.paper results.json -o FOLDER [--format svg|png] [--values TYPE] [--device cpu|cuda]
"""

from __future__ import annotations

import argparse
import csv
import io

from ._charts import Chart, Failure, add_output, bars, draw, new_figure, number_axis, run, scatter
from ._paper_results import Contestant, Matrix, Paper, geometric_mean, gigaflops, seconds, stored, stored_tiles
from ._tiles import COLORS
from .plot import file_name, machine_text, read

# Tables


def figure(value: float) -> str:
    """Three digits that count; "-" for 0, which stands for what is not known."""
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}" if value else "-"


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def table_by_matrix(paper: Paper, columns: list[Contestant], cell, is_best_bold=False) -> str:
    """A row a matrix, a column a contestant; cell(matrix, result) is a number or a text."""
    rows = []
    for matrix in paper.matrices:
        values = [cell(matrix, matrix.results[c]) if c in matrix.results else 0 for c in columns]
        texts = [v if isinstance(v, str) else figure(v) for v in values]
        if is_best_bold:
            texts = [f"**{text}**" if value and value == max(values) else text for value, text in zip(values, texts)]
        rows.append([matrix.name, f"{matrix.nnz:,}", *texts])
    return markdown(["matrix", "nonzeros", *(c.label for c in columns)], rows)


def shares_table(paper: Paper) -> str:
    formats = [c.name for c in paper.of_kind("format", first_operator=True)]
    rows = []
    for matrix in paper.matrices:
        if result := matrix.results.get(paper.adaptive()):
            tiles = stored_tiles(result)
            held = [
                (stored(result, name)["tiles"] / tiles, stored(result, name)["nnz"] / matrix.nnz) for name in formats
            ]
            rows.append([matrix.name, f"{tiles:,}", *(f"{100 * t:.1f} / {100 * n:.1f}" if n else "-" for t, n in held)])
    return markdown(["matrix", "tiles", *formats], rows)


def storage_cell(matrix: Matrix, result: dict) -> str:
    return " / ".join(
        figure(result[key] / matrix.csr_bytes) for key in ("tiled_bytes", "published_bytes", "matrix_bytes")
    )


def speedup_table(paper: Paper) -> str:
    rows = []
    for of, over in paper.pairs():
        if ups := paper.speedups(of, over):
            numbers = [geometric_mean(ups), min(ups), max(ups)]
            rows.append([of.label, over.label, str(len(ups)), *map(figure, numbers), str(sum(s > 1 for s in ups))])
    return markdown(["speed-up of", "over", "matrices", "geometric mean", "least", "most", "wins"], rows)


def head(paper: Paper) -> str:
    build, setting = paper.data["build"], paper.setting
    device = paper.data["machine"]["cpu"] if paper.device == "cpu" else setting["device"]
    samples = [r["warm"] for m in paper.matrices for r in m.results.values()]
    noisy = sum(not warm["converged"] for warm in samples)
    counts = sorted({len(warm["seconds"]) for warm in samples})
    text = "# The figures of the TileSpMV paper (Niu et al., IPDPS 2021), measured here\n\n"
    text += f"- Measured on {device}, {setting['values']} values, {setting['threads']} threads of the host, "
    text += f"by revision {build['revision']} (tilespmv {build['version']}), {build['type']} by {build['compiler']}.\n"
    how_many = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    text += f"- Medians of {how_many} samples of products back to back, y = A x; {noisy} of {len(samples)} are noisier "
    text += "than asked for. Every product was checked row by row.\n"
    if paper.left_out:
        text += f"- Left out, for there is no right result: {', '.join(paper.left_out)}.\n"
    return text


def tables(paper: Paper) -> str:
    """All tables, as Markdown."""
    sections = [
        (
            "GFLOP/s: configurations and competitors",
            "2 operations a nonzero. A competitor is the fastest of its variants; tables.csv names it.",
            table_by_matrix(paper, paper.of_kind("configuration", "competitor"), lambda _, r: gigaflops(r), True),
        ),
        (
            "GFLOP/s: single formats",
            "A tile that the format cannot hold is CSR.",
            table_by_matrix(paper, paper.of_kind("format"), lambda _, r: gigaflops(r), True),
        ),
        ("Formats that paper-adaptive chose", "Percent of the tiles / percent of the nonzeros.", shares_table(paper)),
        (
            "Bytes over CSR with 32-bit indices",
            "Tiles as stored here / the same tiles in the published layout / what a product reads.",
            table_by_matrix(paper, paper.of_kind("configuration", first_operator=True), storage_cell),
        ),
        (
            f"Preparation in products of {paper.unit}",
            "Everything from CSR in host memory to an operator that is ready.",
            table_by_matrix(paper, paper.contestants, lambda _, r: paper.preparation(r)),
        ),
        (
            "Speed-ups",
            "Over a competitor by the median over the rounds of both, where it was recorded. A win is a matrix on "
            "which the first is faster.",
            speedup_table(paper),
        ),
    ]
    text = head(paper) + "".join(f"\n## {title}\n\n{says}\n\n{table}" for title, says, table in sections)
    if failures := paper.failures():
        text += "\n## Failed\n\n" + "".join(f"- {matrix}, {what}: {error}\n" for matrix, what, error in failures)
    return text


def csv_text(paper: Paper) -> str:
    """A header and a row for each right result of a contestant; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    formats = [c.name for c in paper.of_kind("format", first_operator=True)]
    competitors = paper.of_kind("competitor")
    columns = "matrix rows nnz values device threads kind contestant operator gflops median_s noise read_bytes_over_csr "
    columns += "tiled_bytes_over_csr published_bytes_over_csr preparation_s preparation_products deferred_nnz tiles"
    of_formats = [f"{name}_{what}" for name in formats for what in ("tiles", "nnz")]
    writer.writerow([*columns.split(), *of_formats, *(f"speedup_over_{c.name}" for c in competitors)])
    for m in paper.matrices:
        for c, r in m.results.items():
            case, derived = r["case"], r["derived"]
            cells = [m.source, m.rows, m.nnz, case["values"], case["device"], case["threads"]]
            cells += [c.kind, c.label, case["operator"], gigaflops(r), seconds(r), derived["noise"]]
            cells += [r[key] / m.csr_bytes for key in ("matrix_bytes", "tiled_bytes", "published_bytes")]
            cells += [derived["preprocess_median_s"], paper.preparation(r)]
            tiles = [stored(r, "deferred")["nnz"], stored_tiles(r)]
            tiles += [stored(r, name)[what] for name in formats for what in ("tiles", "nnz")]
            cells += map(str, tiles) if c.operator else [""] * len(tiles)
            cells += [paper.speedup(m, c, over) for over in competitors]
            writer.writerow(cell or "" for cell in cells)
    return text.getvalue()


# Figures


def over_nonzeros(paper: Paper, contestants: list[Contestant], number_of) -> dict:
    """A series for each contestant, of the numbers number_of(matrix, contestant), 0 for none."""
    series = {}
    for c in contestants:
        points = [(m.nnz, number_of(m, c), False) for m in paper.matrices if c in m.results]
        series[c.label] = [point for point in points if point[1] > 0]
    return {name: points for name, points in series.items() if points}


def ranks(title: str, subtitle: str, paper: Paper, contestants: list[Contestant]) -> object:
    """Matrices side by side, by their nonzeros, a point a contestant each."""
    image, axes = new_figure(title, subtitle, width=12)
    for c, color in zip(contestants, COLORS):
        places = [i for i, m in enumerate(paper.matrices) if c in m.results]
        speeds = [gigaflops(paper.matrices[i].results[c]) for i in places]
        axes.plot(places, speeds, "o", color=color, label=c.label, alpha=0.8)
    number_axis(axes, "y")
    if len(paper.matrices) <= 80:
        axes.set_xticks(range(len(paper.matrices)), [m.name for m in paper.matrices], rotation=90, fontsize=7)
    axes.set(xlabel="matrices by nonzeros, ascending", ylabel="GFLOP/s")
    image.legend(loc="outside right upper", frameon=False, fontsize=8)
    return image


def shares_charts(paper: Paper) -> list[Chart]:
    adaptive = paper.adaptive()
    charts = []
    for what in ("tiles", "nnz"):
        shares = {}
        for m in paper.matrices:
            if result := m.results.get(adaptive):
                total = stored_tiles(result) if what == "tiles" else m.nnz
                shares[m.name] = {f["name"]: f[what] / total for f in result["formats"] if f[what]}
        name = "tiles" if what == "tiles" else "nonzeros"
        title = f"Formats that paper-adaptive chose, by {name}"
        image = (
            bars(title, "matrices by nonzeros, ascending", shares, "stored as", f"share of the {name}")
            if shares
            else None
        )
        charts.append(Chart(f"shares-{name}", image, "there is no result of paper-adaptive"))
    return charts


def storage_chart(paper: Paper, where: str) -> Chart:
    series: dict = {}
    for key, is_hollow in (("tiled_bytes", False), ("published_bytes", True)):
        for c in paper.of_kind("configuration", first_operator=True):
            sizes = ((m, m.results[c][key]) for m in paper.matrices if c in m.results)
            series.setdefault(c.label, []).extend((m.nnz, size / m.csr_bytes, is_hollow) for m, size in sizes if size)
    series = {name: points for name, points in series.items() if points}
    if not series:
        return Chart("storage", None, "the results do not say what tiles take")
    texts = {"linear": True, "reference": (1, "CSR"), "hollow": "in the published layout"}
    return Chart(
        "storage",
        scatter("Bytes of the tiles over those of CSR", where, series, "nonzeros", "bytes / bytes of CSR", **texts),
    )


def speedup_chart(paper: Paper, over: Contestant, where: str) -> Chart:
    series = {}
    for c in paper.of_kind("configuration", first_operator=True):
        if ups := paper.speedups(c, over):
            label = f"{c.name} {geometric_mean(ups):.2f}× {sum(s > 1 for s in ups)}/{len(ups)}"
            series |= {label: over_nonzeros(paper, [c], lambda m, c: paper.speedup(m, c, over))[c.label]}
    name = f"speedup-{file_name(over.name)}"
    if not series:
        return Chart(name, None, f"no matrix has right results of {over.name} and a configuration")
    subtitle = f"{where}; geometric mean and wins beside the names"
    image = scatter(
        f"Speed-up over {over.name}", subtitle, series, "nonzeros", "speed-up", unit="×", reference=(1, over.name)
    )
    return Chart(name, image)


def charts(paper: Paper) -> list[Chart]:
    where = machine_text(paper.data, [r for m in paper.matrices for r in m.results.values()], "warm")
    compared = paper.of_kind("configuration", "competitor")
    published = [c for c in paper.of_kind("configuration") if c.name != "paper-tuned"]
    formats = paper.of_kind("format", first_operator=True)
    single = formats + [c for c in [paper.adaptive()] if c]
    speeds = over_nonzeros(paper, compared, lambda m, c: gigaflops(m.results[c]))
    preparations = over_nonzeros(paper, compared, lambda m, c: paper.preparation(m.results[c]))
    title = "Preparation: from CSR in host memory to an operator that is ready"
    prepared = scatter(title, where, preparations, "nonzeros", f"products of {paper.unit}") if preparations else None
    return [
        Chart(
            "gflops", scatter("Speed of the configurations and their competitors", where, speeds, "nonzeros", "GFLOP/s")
        ),
        Chart("configurations", ranks("The published configurations", where, paper, published)),
        Chart(
            "formats",
            ranks("Single formats and paper-adaptive", where, paper, single) if formats else None,
            "nothing to compare",
        ),
        *shares_charts(paper),
        storage_chart(paper, where),
        Chart("preparation", prepared, "the results do not say what preparation takes"),
        *(speedup_chart(paper, over, where) for over in paper.of_kind("competitor")),
    ]


def write_all(options) -> None:
    """Writes tables and figures; fails if a case failed, after all is written."""
    paper = Paper(read(options.results, "tilespmv-bench"), options.values, options.device)
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in (("tables.md", tables(paper)), ("tables.csv", csv_text(paper))):
        (options.output / name).write_text(text, encoding="utf-8")
        print(options.output / name)
    draw(lambda: charts(paper), options)
    if failed := list(dict.fromkeys(matrix for matrix, _, _ in paper.failures())):
        raise Failure(f"{len(failed)} of the matrices failed, in part or as a whole: {', '.join(failed)}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("tilespmv.paper", description=__doc__.partition("\n")[0].replace("``", ""))
    parser.add_argument("results", metavar="RESULTS.json", help="of tilespmv bench --suite paper --json")
    add_output(parser)
    parser.add_argument("--values", help="type of the values (default: that of the first result of tiles)")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="default: the GPU if there are results of one")
    options = parser.parse_args(arguments)
    run("tilespmv.paper", lambda: write_all(options))


if __name__ == "__main__":
    main()
